// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/ptx/ptx_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace warpgauge::emulator {
namespace {

struct Pattern {
  std::string_view name;
  const char* code;
};

constexpr auto kPatterns = std::to_array<Pattern>(
    {{"add", "$0 = T($1) + T($2)"},
     {"sub", "$0 = T($1) - T($2)"},
     {"mul.lo", "$0 = T($1) * T($2)"},
     {"mul.rn", "$0 = T($1) * T($2)"},
     {"mul.f32", "$0 = T($1) * T($2)"},
     {"mul.f64", "$0 = T($1) * T($2)"},
     {"mul.wide", "$0 = ::warpgauge_emulator::ptx::wide(T($1)) * T($2)"},
     {"mad.wide", "$0 = ::warpgauge_emulator::ptx::wide(T($1)) * T($2) + ($3)"},
     {"mul.hi.u32", "$0 = __umulhi($1, $2)"},
     {"mul.hi.s32", "$0 = __mulhi($1, $2)"},
     {"abs", "$0 = std::abs(T($1))"},
     {"neg", "$0 = T(-T($1))"},
     {"clz.b32", "$0 = __clz($1)"},
     {"clz.b64", "$0 = __clzll($1)"},
     {"selp", "$0 = $3 ? T($1) : T($2)"},
     {"cvta.to.shared", "$0 = __cvta_generic_to_shared(::warpgauge_emulator::ptx::generic($1))"},
     {"cvta.shared", "$0 = T(reinterpret_cast<std::uintptr_t>(__cvta_shared_to_generic($1)))"},
     {"cvta", "$0 = T($1)"},
     {"activemask", "$0 = __activemask()"},
     {"vote.sync.ballot", "$0 = __ballot_sync(unsigned($2), $1)"},
     {"vote.sync.any", "$0 = __any_sync(unsigned($2), $1)"},
     {"vote.sync.all", "$0 = __all_sync(unsigned($2), $1)"},
     {"redux.sync.add", "$0 = __reduce_add_sync(unsigned($2), T($1))"},
     {"redux.sync.min", "$0 = __reduce_min_sync(unsigned($2), T($1))"},
     {"redux.sync.max", "$0 = __reduce_max_sync(unsigned($2), T($1))"},
     {"redux.sync.and", "$0 = __reduce_and_sync(unsigned($2), T($1))"},
     {"redux.sync.or", "$0 = __reduce_or_sync(unsigned($2), T($1))"},
     {"redux.sync.xor", "$0 = __reduce_xor_sync(unsigned($2), T($1))"},
     {"shfl.sync.bfly",
      "$0 = __shfl_xor_sync(unsigned($4), $1, $2, ::warpgauge_emulator::ptx::segment($3))"},
     {"shfl.sync.idx",
      "$0 = __shfl_sync(unsigned($4), $1, $2, ::warpgauge_emulator::ptx::segment($3))"},
     {"shfl.sync.up",
      "$0 = __shfl_up_sync(unsigned($4), $1, $2, ::warpgauge_emulator::ptx::segment($3))"},
     {"shfl.sync.down",
      "$0 = __shfl_down_sync(unsigned($4), $1, $2, ::warpgauge_emulator::ptx::segment($3))"},
     {"mad.lo", "$0 = T($1) * T($2) + T($3)"},
     {"and", "$0 = T($1) & T($2)"},
     {"or", "$0 = T($1) | T($2)"},
     {"xor", "$0 = T($1) ^ T($2)"},
     {"not", "$0 = T(~T($1))"},
     {"shl", "$0 = ::warpgauge_emulator::ptx::shl(T($1), unsigned($2))"},
     {"shr", "$0 = ::warpgauge_emulator::ptx::shr(T($1), unsigned($2))"},
     {"min", "$0 = min(T($1), T($2))"},
     {"max", "$0 = max(T($1), T($2))"},
     {"popc", "$0 = __popcll(T($1))"},
     {"brev.b32", "$0 = __brev($1)"},
     {"brev.b64", "$0 = __brevll($1)"},
     {"lop3", "$0 = ::warpgauge_emulator::ptx::lop3($1, $2, $3, $4)"},
     {"prmt", "$0 = __byte_perm($1, $2, $3)"},
     {"vabsdiff4.u32.u32.u32.add", "$0 = __vsadu4($1, $2) + ($3)"},
     {"vabsdiff4.s32.s32.s32.add", "$0 = __vsads4($1, $2) + ($3)"},
     {"bfe", "$0 = ::warpgauge_emulator::ptx::bfe(T($1), unsigned($2), unsigned($3))"},
     {"bfi", "$0 = ::warpgauge_emulator::ptx::bfi($1, $2, $3, $4)"},
     {"fma.rn", "$0 = std::fma(T($1), T($2), T($3))"},
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
     {"barrier.cta.sync", "__syncthreads()"},
     {"bar.warp.sync", "__syncwarp($0)"},
     {"barrier.cluster.arrive", "::warpgauge_emulator::ptx::cluster_arrive()"},
     {"barrier.cluster.wait", "::warpgauge_emulator::ptx::cluster_wait()"},
     {"mapa.shared", "$0 = ::warpgauge_emulator::ptx::map_shared_address($1, $2)"},
     {"mapa",
      "$0 = T(::warpgauge_emulator::ptx::map_address(::warpgauge_emulator::ptx::generic($1), $2))"},
     {"getctarank.shared",
      "$0 = ::warpgauge_emulator::ptx::rank_of(::warpgauge_emulator::ptx::shared($1))"},
     {"getctarank",
      "$0 = ::warpgauge_emulator::ptx::rank_of(::warpgauge_emulator::ptx::generic($1))"}});

}  // namespace

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
      {"%cluster_ctarank", "::warpgauge_emulator::rank_in_cluster()"},
      {"%cluster_nctarank", "::warpgauge_emulator::blocks_of_cluster()"},
      {"%cluster_ctaid.x", "::warpgauge_emulator::block_in_cluster().x"},
      {"%cluster_ctaid.y", "::warpgauge_emulator::block_in_cluster().y"},
      {"%cluster_ctaid.z", "::warpgauge_emulator::block_in_cluster().z"},
      {"%cluster_nctaid.x", "::warpgauge_emulator::cluster_dimensions().x"},
      {"%cluster_nctaid.y", "::warpgauge_emulator::cluster_dimensions().y"},
      {"%cluster_nctaid.z", "::warpgauge_emulator::cluster_dimensions().z"},
      {"%clusterid.x", "::warpgauge_emulator::cluster_in_grid().x"},
      {"%clusterid.y", "::warpgauge_emulator::cluster_in_grid().y"},
      {"%clusterid.z", "::warpgauge_emulator::cluster_in_grid().z"},
      {"%nclusterid.x", "::warpgauge_emulator::clusters_of_grid().x"},
      {"%nclusterid.y", "::warpgauge_emulator::clusters_of_grid().y"},
      {"%nclusterid.z", "::warpgauge_emulator::clusters_of_grid().z"},
      {"%clock", "static_cast<unsigned>(clock64())"},
      {"%clock64", "clock64()"},
      {"%globaltimer", "clock64()"}};
  const auto found = kRegisters.find(name);
  return found == kRegisters.end() ? nullptr : found->second;
}

const char* ptx_pattern(const std::string& name) {
  const auto* const found = std::ranges::find(kPatterns, name, &Pattern::name);
  return found == kPatterns.end() ? nullptr : found->code;
}

const char* ptx_relation(const std::string& name) {
  static const std::map<std::string, const char*> kRelations = {
      {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
      {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};
  const auto found = kRelations.find(name);
  return found == kRelations.end() ? nullptr : found->second;
}

const char* ptx_element(const std::string& suffix) {
  static const std::map<std::string, const char*> kElements = {
      {"f16", "f16"}, {"bf16", "bf16"}, {"tf32", "tf32"}, {"f32", "f32"},   {"f64", "f64"},
      {"s8", "s8"},   {"u8", "u8"},     {"s32", "s32"},   {"e4m3", "e4m3"}, {"e5m2", "e5m2"}};
  const auto found = kElements.find(suffix);
  return found == kElements.end() ? nullptr : found->second;
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
