// SPDX-License-Identifier: Apache-2.0
// mma.sync: the product of matrices whose elements the lanes of a warp hold.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "profiling/emulator/include/warpgauge_emulator/low_precision/narrow_float.h"
#include "profiling/emulator/include/warpgauge_emulator/warp/matrix.h"

namespace warpgauge_emulator {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kMostColumns = 32;  // k
constexpr unsigned kMostRows = 16;     // m

using Words = unsigned long long;

struct Product : WarpWork {
  const MatrixShape* shape = nullptr;
  const Words* a = nullptr;
  const Words* b = nullptr;
  const Words* c = nullptr;
  Words* d = nullptr;
};

unsigned bits_of(MatrixElement element) {
  switch (element) {
    case MatrixElement::f64:
      return 64;
    case MatrixElement::f32:
    case MatrixElement::tf32:
    case MatrixElement::s32:
      return 32;
    case MatrixElement::f16:
    case MatrixElement::bf16:
      return 16;
    default:
      return 8;
  }
}

// Of a register.
unsigned elements_of(MatrixElement element) {
  return std::max(32U, bits_of(element)) / bits_of(element);
}

double value(MatrixElement element, Words word, unsigned index) {
  const Words bits = word >> (index * bits_of(element));
  constexpr std::uint32_t kTf32 = 0xffffe000U;
  switch (element) {
    case MatrixElement::f64:
      return with_bits_of<double>(word);
    case MatrixElement::f32:
      return with_bits_of<float>(static_cast<std::uint32_t>(word));
    case MatrixElement::tf32:
      return with_bits_of<float>(static_cast<std::uint32_t>(word) & kTf32);
    case MatrixElement::s32:
      return static_cast<std::int32_t>(word);
    case MatrixElement::f16:
      return decode<HalfFormat>(static_cast<unsigned short>(bits));
    case MatrixElement::bf16:
      return decode<Bfloat16Format>(static_cast<unsigned short>(bits));
    case MatrixElement::e4m3:
      return decode<E4m3Format>(static_cast<unsigned char>(bits));
    case MatrixElement::e5m2:
      return decode<E5m2Format>(static_cast<unsigned char>(bits));
    case MatrixElement::s8:
      return static_cast<std::int8_t>(bits);
    case MatrixElement::u8:
      return static_cast<std::uint8_t>(bits);
  }
  return 0;
}

Words encoded(MatrixElement element, double number, bool saturated) {
  switch (element) {
    case MatrixElement::f64:
      return with_bits_of<Words>(number);
    case MatrixElement::f16:
      return encode<HalfFormat>(number);
    case MatrixElement::s32: {
      if (saturated) {
        number = std::clamp(number, double{std::numeric_limits<std::int32_t>::min()},
                            double{std::numeric_limits<std::int32_t>::max()});
      }
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(number));
    }
    default:
      return with_bits_of<std::uint32_t>(truncated(number));
  }
}

struct Place {
  unsigned row = 0;
  unsigned column = 0;
};

// Lane l has row l / 4, and of each 4 registers' columns those of one.
Place of_a(const MatrixShape& shape, unsigned lane, unsigned word, unsigned index) {
  const unsigned in_word = elements_of(shape.a);
  const unsigned blocks = shape.m / 8;
  return {lane / 4 + 8 * (word % blocks),
          lane % 4 * in_word + index + 4 * in_word * (word / blocks)};
}
Place of_b(const MatrixShape& shape, unsigned lane, unsigned word, unsigned index) {
  const unsigned in_word = elements_of(shape.b);
  return {lane % 4 * in_word + index + 4 * in_word * word, lane / 4};
}
// element: the lane's so-manieth.
Place of_c(unsigned lane, unsigned element) {
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

void multiply(WarpWork* const* lanes) {
  const MatrixShape& shape = *static_cast<const Product*>(lanes[0])->shape;
  std::array<std::array<double, kMostColumns>, kMostRows> a{};
  std::array<std::array<double, 8>, kMostColumns> b{};
  const auto gather = [&](MatrixElement element, unsigned count, const Words* Product::*words,
                          auto&& put) {
    const unsigned in_word = elements_of(element);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Words* mine = static_cast<const Product*>(lanes[lane])->*words;
      for (unsigned i = 0; i < count / kLanes; ++i) {
        put(lane, i / in_word, i % in_word, value(element, mine[i / in_word], i % in_word));
      }
    }
  };
  gather(shape.a, shape.m * shape.k, &Product::a,
         [&](unsigned lane, unsigned word, unsigned index, double x) {
           const Place place = of_a(shape, lane, word, index);
           a[place.row][place.column] = x;
         });
  gather(shape.b, shape.k * shape.n, &Product::b,
         [&](unsigned lane, unsigned word, unsigned index, double x) {
           const Place place = of_b(shape, lane, word, index);
           b[place.row][place.column] = x;
         });
  const unsigned in_word = elements_of(shape.d);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto& mine = *static_cast<const Product*>(lanes[lane]);
    for (unsigned i = 0; i < shape.m * shape.n / kLanes; ++i) {
      const Place place = of_c(lane, i);
      const unsigned of_c_word = elements_of(shape.c);
      double sum = value(shape.c, mine.c[i / of_c_word], i % of_c_word);
      for (unsigned k = 0; k < shape.k; ++k) {
        sum = std::fma(a[place.row][k], b[k][place.column], sum);
      }
      Words& word = mine.d[i / in_word];
      if (i % in_word == 0) word = 0;
      word |= encoded(shape.d, sum, shape.saturated) << (i % in_word * bits_of(shape.d));
    }
  }
}

}  // namespace

void multiply_matrices_at(const MatrixShape& shape, const unsigned long long* a,
                          const unsigned long long* b, const unsigned long long* c,
                          unsigned long long* d, CallSite site) {
  Product product;
  product.run = &multiply;
  product.shape = &shape;
  product.a = a;
  product.b = b;
  product.c = c;
  product.d = d;
  warp_together(product, "mma.sync", site);
}

}  // namespace warpgauge_emulator
