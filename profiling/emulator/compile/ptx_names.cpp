// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/ptx_names.hpp"

#include <map>

namespace warpgauge::emulator {

const char* ptx_type(const std::string& suffix) {
  static const std::map<std::string, const char*> kTypes = {{"u32", "unsigned"},
                                                            {"b32", "unsigned"},
                                                            {"s32", "int"},
                                                            {"u64", "unsigned long long"},
                                                            {"b64", "unsigned long long"},
                                                            {"s64", "long long"},
                                                            {"f32", "float"},
                                                            {"f64", "double"},
                                                            {"u16", "unsigned short"},
                                                            {"b16", "unsigned short"},
                                                            {"s16", "short"},
                                                            {"u8", "unsigned char"},
                                                            {"b8", "unsigned char"},
                                                            {"s8", "signed char"}};
  const auto found = kTypes.find(suffix);
  return found == kTypes.end() ? nullptr : found->second;
}

const char* ptx_register(const std::string& name) {
  static const std::map<std::string, const char*> kRegisters = {
      {"%laneid", "::warpgauge_emulator::lane_index()"},
      {"%warpid", "::warpgauge_emulator::ptx::warpid()"},
      {"%lanemask_lt", "::warpgauge_emulator::ptx::lanemask_lt()"},
      {"%lanemask_le", "::warpgauge_emulator::ptx::lanemask_le()"},
      {"%lanemask_eq", "::warpgauge_emulator::ptx::lanemask_eq()"},
      {"%lanemask_ge", "::warpgauge_emulator::ptx::lanemask_ge()"},
      {"%lanemask_gt", "::warpgauge_emulator::ptx::lanemask_gt()"},
      {"%tid.x", "threadIdx.x"},
      {"%tid.y", "threadIdx.y"},
      {"%tid.z", "threadIdx.z"},
      {"%ntid.x", "blockDim.x"},
      {"%ntid.y", "blockDim.y"},
      {"%ntid.z", "blockDim.z"},
      {"%ctaid.x", "blockIdx.x"},
      {"%ctaid.y", "blockIdx.y"},
      {"%ctaid.z", "blockIdx.z"},
      {"%nctaid.x", "gridDim.x"},
      {"%nctaid.y", "gridDim.y"},
      {"%nctaid.z", "gridDim.z"},
      {"%clock", "static_cast<unsigned>(clock64())"},
      {"%clock64", "clock64()"}};
  const auto found = kRegisters.find(name);
  return found == kRegisters.end() ? nullptr : found->second;
}

const char* ptx_pattern(const std::string& name) {
  static const std::map<std::string, const char*> kPatterns = {
      {"mov", "$0 = $1"},
      {"add", "$0 = T($1) + T($2)"},
      {"sub", "$0 = T($1) - T($2)"},
      {"mul.lo", "$0 = T($1) * T($2)"},
      {"mad.lo", "$0 = T($1) * T($2) + T($3)"},
      {"and", "$0 = T($1) & T($2)"},
      {"or", "$0 = T($1) | T($2)"},
      {"xor", "$0 = T($1) ^ T($2)"},
      {"not", "$0 = T(~T($1))"},
      {"shl", "$0 = ::warpgauge_emulator::ptx::shl(T($1), unsigned($2))"},
      {"shr", "$0 = ::warpgauge_emulator::ptx::shr(T($1), unsigned($2))"},
      {"min", "$0 = min(T($1), T($2))"},
      {"max", "$0 = max(T($1), T($2))"},
      {"popc", "$0 = __popcll($1)"},
      {"brev", "$0 = __brev(T($1))"},
      {"lop3", "$0 = ::warpgauge_emulator::ptx::lop3($1, $2, $3, $4)"},
      {"prmt", "$0 = __byte_perm($1, $2, $3)"},
      {"bfe", "$0 = ::warpgauge_emulator::ptx::bfe(T($1), unsigned($2), unsigned($3))"},
      {"bfi", "$0 = ::warpgauge_emulator::ptx::bfi($1, $2, $3, $4)"},
      {"fma.rn", "$0 = __builtin_fma(T($1), T($2), T($3))"},
      {"rsqrt.approx", "$0 = T(1) / std::sqrt(T($1))"},
      {"sqrt.approx", "$0 = std::sqrt(T($1))"},
      {"rcp.approx", "$0 = T(1) / T($1)"},
      {"ex2.approx", "$0 = std::exp2(T($1))"},
      {"lg2.approx", "$0 = std::log2(T($1))"},
      {"sin.approx", "$0 = std::sin(T($1))"},
      {"cos.approx", "$0 = std::cos(T($1))"},
      {"tanh.approx", "$0 = std::tanh(T($1))"},
      {"trap", "__trap()"},
      {"membar", "__threadfence()"},
      {"fence", "__threadfence()"},
      {"bar.sync", "__syncthreads()"},
      {"barrier.sync", "__syncthreads()"},
      {"bar.warp.sync", "__syncwarp($0)"}};
  const auto found = kPatterns.find(name);
  return found == kPatterns.end() ? nullptr : found->second;
}

const char* ptx_atomic(const std::string& operation) {
  static const std::map<std::string, const char*> kOperations = {
      {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"},   {"and", "atomicAnd"},
      {"or", "atomicOr"},   {"xor", "atomicXor"}, {"exch", "atomicExch"}, {"cas", "atomicCAS"},
      {"inc", "atomicInc"}, {"dec", "atomicDec"}};
  const auto found = kOperations.find(operation);
  return found == kOperations.end() ? nullptr : found->second;
}

}  // namespace warpgauge::emulator
