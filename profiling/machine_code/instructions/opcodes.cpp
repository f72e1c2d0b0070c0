// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/instructions/opcodes.hpp"

#include <algorithm>
#include <iterator>

namespace warpgauge::machine_code {
namespace {

constexpr std::uint64_t kOpcodeBits = 0x1ff;

constexpr Opcode kOpcodes[] = {
    {0x002, "MOV", OpcodeKind::other},          {0x003, "P2R", OpcodeKind::other},
    {0x004, "R2P", OpcodeKind::other},          {0x005, "CS2R", OpcodeKind::other},
    {0x006, "VOTE", OpcodeKind::other},         {0x007, "SEL", OpcodeKind::other},
    {0x008, "FSEL", OpcodeKind::floating},      {0x009, "FMNMX", OpcodeKind::floating},
    {0x00b, "FSETP", OpcodeKind::floating},     {0x00c, "ISETP", OpcodeKind::integer},
    {0x010, "IADD3", OpcodeKind::integer},      {0x011, "LEA", OpcodeKind::integer},
    {0x012, "LOP3", OpcodeKind::integer},       {0x013, "IABS", OpcodeKind::integer},
    {0x016, "PRMT", OpcodeKind::integer},       {0x017, "IMNMX", OpcodeKind::integer},
    {0x019, "SHF", OpcodeKind::integer},        {0x01c, "PLOP3", OpcodeKind::other},
    {0x020, "FMUL", OpcodeKind::floating},      {0x021, "FADD", OpcodeKind::floating},
    {0x023, "FFMA", OpcodeKind::multiply_add},  {0x024, "IMAD", OpcodeKind::integer},
    {0x025, "IMAD", OpcodeKind::integer},       {0x026, "IDP", OpcodeKind::integer},
    {0x027, "IMAD", OpcodeKind::integer},       {0x028, "DMUL", OpcodeKind::floating},
    {0x029, "DADD", OpcodeKind::floating},      {0x02a, "DSETP", OpcodeKind::floating},
    {0x02b, "DFMA", OpcodeKind::multiply_add},  {0x030, "HADD2", OpcodeKind::floating},
    {0x031, "HFMA2", OpcodeKind::multiply_add}, {0x032, "HMUL2", OpcodeKind::floating},
    {0x035, "HFMA2", OpcodeKind::multiply_add}, {0x036, "VIADD", OpcodeKind::integer},
    {0x037, "IMMA", OpcodeKind::tensor},        {0x03b, "LDSM", OpcodeKind::memory},
    {0x03c, "HMMA", OpcodeKind::tensor},        {0x03e, "F2FP", OpcodeKind::conversion},
    {0x03f, "DMMA", OpcodeKind::tensor},        {0x040, "HMNMX2", OpcodeKind::floating},
    {0x045, "I2FP", OpcodeKind::conversion},    {0x046, "VIADDMNMX", OpcodeKind::integer},
    {0x048, "VIMNMX", OpcodeKind::integer},     {0x082, "UMOV", OpcodeKind::other},
    {0x086, "VOTEU", OpcodeKind::other},        {0x087, "USEL", OpcodeKind::other},
    {0x08c, "UISETP", OpcodeKind::integer},     {0x090, "UIADD3", OpcodeKind::integer},
    {0x091, "ULEA", OpcodeKind::integer},       {0x092, "ULOP3", OpcodeKind::integer},
    {0x096, "UPRMT", OpcodeKind::integer},      {0x099, "USHF", OpcodeKind::integer},
    {0x09c, "UPLOP3", OpcodeKind::other},       {0x0a4, "UIMAD", OpcodeKind::integer},
    {0x0a5, "UIMAD", OpcodeKind::integer},      {0x0b9, "ULDC", OpcodeKind::constant_load},
    {0x0bd, "UFLO", OpcodeKind::integer},       {0x0ca, "R2UR", OpcodeKind::other},
    {0x100, "FLO", OpcodeKind::integer},        {0x101, "BREV", OpcodeKind::integer},
    {0x102, "FCHK", OpcodeKind::floating},      {0x105, "F2I", OpcodeKind::conversion},
    {0x106, "I2F", OpcodeKind::conversion},     {0x107, "FRND", OpcodeKind::floating},
    {0x108, "MUFU", OpcodeKind::floating},      {0x109, "POPC", OpcodeKind::integer},
    {0x110, "F2F", OpcodeKind::conversion},     {0x111, "F2I", OpcodeKind::conversion},
    {0x112, "I2F", OpcodeKind::conversion},     {0x113, "FRND", OpcodeKind::floating},
    {0x118, "NOP", OpcodeKind::other},          {0x119, "S2R", OpcodeKind::other},
    {0x11a, "DEPBAR", OpcodeKind::barrier},     {0x11b, "ENDCOLLECTIVE", OpcodeKind::barrier},
    {0x11c, "B2R", OpcodeKind::other},          {0x11d, "BAR", OpcodeKind::barrier},
    {0x141, "BSYNC", OpcodeKind::branch},       {0x142, "BREAK", OpcodeKind::branch},
    {0x143, "CALL", OpcodeKind::branch},        {0x144, "CALL", OpcodeKind::branch},
    {0x145, "BSSY", OpcodeKind::branch},        {0x146, "YIELD", OpcodeKind::branch},
    {0x147, "BRA", OpcodeKind::branch},         {0x148, "WARPSYNC", OpcodeKind::barrier},
    {0x149, "BRX", OpcodeKind::branch},         {0x14d, "EXIT", OpcodeKind::branch},
    {0x14e, "LEPC", OpcodeKind::other},         {0x150, "RET", OpcodeKind::branch},
    {0x155, "BMOV", OpcodeKind::other},         {0x156, "BMOV", OpcodeKind::other},
    {0x15c, "BPT", OpcodeKind::branch},         {0x15d, "NANOSLEEP", OpcodeKind::other},
    {0x160, "TEX", OpcodeKind::memory},         {0x180, "LD", OpcodeKind::memory},
    {0x181, "LDG", OpcodeKind::memory},         {0x182, "LDC", OpcodeKind::constant_load},
    {0x183, "LDL", OpcodeKind::memory},         {0x184, "LDS", OpcodeKind::memory},
    {0x185, "ST", OpcodeKind::memory},          {0x186, "STG", OpcodeKind::memory},
    {0x187, "STL", OpcodeKind::memory},         {0x188, "STS", OpcodeKind::memory},
    {0x189, "SHFL", OpcodeKind::other},         {0x18a, "ATOM", OpcodeKind::memory},
    {0x18c, "ATOMS", OpcodeKind::memory},       {0x18d, "ATOMS", OpcodeKind::memory},
    {0x18e, "RED", OpcodeKind::memory},         {0x18f, "CCTL", OpcodeKind::other},
    {0x192, "MEMBAR", OpcodeKind::barrier},     {0x199, "SULD", OpcodeKind::memory},
    {0x19d, "SUST", OpcodeKind::memory},        {0x1a1, "MATCH", OpcodeKind::other},
    {0x1a3, "ATOMG", OpcodeKind::memory},       {0x1a6, "RED", OpcodeKind::memory},
    {0x1a8, "ATOMG", OpcodeKind::memory},       {0x1a9, "ATOMG", OpcodeKind::memory},
    {0x1ab, "ERRBAR", OpcodeKind::barrier},     {0x1ae, "LDGSTS", OpcodeKind::memory},
    {0x1af, "LDGDEPBAR", OpcodeKind::barrier},  {0x1c2, "R2UR", OpcodeKind::other},
    {0x1c3, "S2UR", OpcodeKind::other},         {0x1c4, "REDUX", OpcodeKind::other},
    {0x1c7, "UCGABAR", OpcodeKind::barrier},
};

constexpr bool is_learned(int architecture) {
  return architecture == 80 || architecture == 86 || architecture == 89 || architecture == 90;
}

// Where an opcode names registers: 1: bits 16 to 23, 2: 24 to 31, 4: 32 to 39, 8: 64 to 71.
//
// Of those opcodes alone that nvdisasm was asked about, bit by bit: see fields.tsv of the tests. In
// others these bits may say what is done, as the table of PLOP3 does.
struct Fields {
  std::uint64_t bits = 0;  // of the opcode
  unsigned registers = 0;
};
constexpr Fields kFields[] = {
    {0x002, 0x5}, {0x007, 0x7}, {0x008, 0x7}, {0x009, 0x7}, {0x00b, 0x6}, {0x00c, 0x6},
    {0x010, 0xf}, {0x011, 0xf}, {0x012, 0xf}, {0x013, 0x5}, {0x017, 0x7}, {0x019, 0xf},
    {0x020, 0x7}, {0x021, 0x7}, {0x023, 0xf}, {0x024, 0xf}, {0x025, 0xf}, {0x026, 0xf},
    {0x027, 0xf}, {0x028, 0x7}, {0x029, 0xb}, {0x02a, 0x6}, {0x02b, 0xf}, {0x030, 0x7},
    {0x031, 0xf}, {0x032, 0x7}, {0x037, 0xf}, {0x03c, 0xf}, {0x03e, 0x7}, {0x03f, 0xf},
    {0x040, 0x7}, {0x087, 0x7}, {0x08c, 0x6}, {0x090, 0xf}, {0x091, 0x7}, {0x092, 0xf},
    {0x099, 0xf}, {0x0a4, 0xf}, {0x0a5, 0xf}, {0x0bd, 0x5}, {0x100, 0x5}, {0x101, 0x5},
    {0x102, 0x6}, {0x105, 0x5}, {0x106, 0x5}, {0x107, 0x5}, {0x108, 0x5}, {0x109, 0x5},
    {0x110, 0x5}, {0x111, 0x5}, {0x112, 0x5}, {0x113, 0x5}, {0x11c, 0x1}, {0x143, 0x2},
    {0x148, 0x4}, {0x14e, 0x1}, {0x155, 0x1}, {0x156, 0x4}, {0x187, 0x6}, {0x188, 0x6},
    {0x18c, 0x7}, {0x18d, 0xf}, {0x1a1, 0x3}, {0x1a9, 0xf}, {0x1c2, 0x3}, {0x1c4, 0x3}};

unsigned registers_of(const Opcode& opcode) {
  const auto* const found =
      std::lower_bound(std::begin(kFields), std::end(kFields), opcode.bits,
                       [](const Fields& each, std::uint64_t wanted) { return each.bits < wanted; });
  return found != std::end(kFields) && found->bits == opcode.bits ? found->registers : 0;
}

// Bits 9 to 11: which kind the second operand is of. 1: a register, in bits 32 to 39.
bool second_is_a_register(std::uint64_t low) { return (low >> 9 & 7) == 1; }

// Replaces a register's name in these 8 bits. The last one is no register but zero: R255, or UR63
// of uniform ones.
std::uint64_t without_register(std::uint64_t half, unsigned shift, std::uint64_t zero) {
  const std::uint64_t mask = std::uint64_t{0xff} << shift;
  const std::uint64_t name = half >> shift & 0xff;
  return name == zero ? half : half & ~mask;
}

}  // namespace

const Opcode* find_opcode(std::uint64_t low, int architecture) {
  if (!is_learned(architecture)) return nullptr;
  const std::uint64_t bits = low & kOpcodeBits;
  const auto* const found =
      std::lower_bound(std::begin(kOpcodes), std::end(kOpcodes), bits,
                       [](const Opcode& each, std::uint64_t wanted) { return each.bits < wanted; });
  return found != std::end(kOpcodes) && found->bits == bits ? found : nullptr;
}

Halves without_names(Halves instruction, const Opcode& opcode) {
  constexpr std::uint64_t kScheduling = ~std::uint64_t{0} << 41;  // bits 105 to 127
  constexpr std::uint64_t kBranchLow = 0xffffffff'0000'0000;      // an address, in bits 32 to 81
  constexpr std::uint64_t kBranchHigh = 0x3ffff;
  Halves rest{instruction.low, instruction.high & ~kScheduling};
  const unsigned registers = registers_of(opcode);
  if (opcode.kind == OpcodeKind::branch) {
    rest.low &= ~kBranchLow;
    rest.high &= ~kBranchHigh;
    if ((registers & 2) != 0) rest.low = without_register(rest.low, 24, 0xff);
    return rest;
  }
  const bool uniform = opcode.mnemonic[0] == 'U';
  const std::uint64_t zero = uniform ? 0x3f : 0xff;
  if ((registers & 1) != 0) rest.low = without_register(rest.low, 16, zero);
  if ((registers & 2) != 0) rest.low = without_register(rest.low, 24, zero);
  if ((registers & 4) != 0 && second_is_a_register(rest.low)) {
    rest.low = without_register(rest.low, 32, zero);
  }
  if ((registers & 8) != 0) rest.high = without_register(rest.high, 0, zero);
  return rest;
}

}  // namespace warpgauge::machine_code
