// SPDX-License-Identifier: Apache-2.0
// Bit-level functions of the device.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpgauge_emulator {

template <class To, class From>
inline To same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace warpgauge_emulator

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __float_as_int(float x) { return ::warpgauge_emulator::same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return ::warpgauge_emulator::same_bits<unsigned>(x); }
inline float __int_as_float(int x) { return ::warpgauge_emulator::same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return ::warpgauge_emulator::same_bits<float>(x); }
inline long long __double_as_longlong(double x) {
  return ::warpgauge_emulator::same_bits<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return ::warpgauge_emulator::same_bits<double>(x);
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1U) << (31 - bit);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  return std::uint64_t{__brev(static_cast<unsigned>(x))} << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

// The upper half of a product.
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(std::uint64_t{x} * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

// The lower 32 bits of the product of the lower 24 bits.
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffU) * (y & 0xffffffU); }
inline int __mul24(int x, int y) {
  const auto sign_extended = [](int value) {
    return static_cast<unsigned>(static_cast<int>(static_cast<unsigned>(value) << 8) >> 8);
  };
  return static_cast<int>(sign_extended(x) * sign_extended(y));
}

inline unsigned __sad(int x, int y, unsigned z) {
  const long long difference = static_cast<long long>(x) - y;
  return z + static_cast<unsigned>(difference < 0 ? -difference : difference);
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }

// Averages, without overflow.
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((std::uint64_t{x} + y + 1) >> 1);
}

// Four bytes of the eight of (y, x), each by a digit of the selector; its fourth bit asks for
// copies of the byte's sign (PTX ISA, "prmt").
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned digit = selector >> (4 * i) & 0xfU;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (digit & 7U))) & 0xffU;
    if ((digit & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// The upper (l) or lower (r) 32 bits of (high, low) shifted by shift modulo 32, or at most 32 (c).
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31U) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31U));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
