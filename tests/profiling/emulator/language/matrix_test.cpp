// SPDX-License-Identifier: Apache-2.0
// Matrices of a warp: ldmatrix, stmatrix, mma.sync and nvcuda::wmma. Counts are those of an H200
// (CUDA 13.0, `smsp__sass_inst_executed_op_ldsm`, `..._wavefronts_mem_shared_op_ldsm` and the
// like).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>
#include <mma.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

constexpr unsigned kRows = 32;

// Row r holds 256 r + 0 to 7, in halves of 16 bits, at `stride` bytes from the one before.
template <unsigned Count, bool Transposed>
__global__ void load(unsigned stride, unsigned shared_by, unsigned* out) {
  __shared__ __align__(128) unsigned short rows[kRows * 64];
  for (unsigned i = 0; i < 8; ++i) {
    rows[threadIdx.x * stride / 2 + i] = static_cast<unsigned short>(threadIdx.x * 256 + i);
  }
  __syncwarp();
  const auto row =
      static_cast<unsigned>(__cvta_generic_to_shared(&rows[threadIdx.x / shared_by * stride / 2]));
  unsigned d[4] = {};
  if constexpr (Count == 1 && !Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\n" : "=r"(d[0]) : "r"(row));
  } else if constexpr (Count == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2];\n"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(row));
  } else if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(row));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(row));
  }
  for (unsigned i = 0; i < Count; ++i) out[threadIdx.x * 4 + i] = d[i];
}

TEST(MatrixLoads, GiveEachLaneTwoElementsOfARowOrAColumn) {
  const DeviceBuffer<unsigned> out(128);
  EXPECT_EQ(run(load<4, false>, 1, 32, 16U, 1U, out.data()).errors, std::vector<std::string>());
  const std::vector<unsigned> plain = out.to_host();
  EXPECT_EQ(run(load<4, true>, 1, 32, 16U, 1U, out.data()).errors, std::vector<std::string>());
  const std::vector<unsigned> transposed = out.to_host();
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = 8 * i + lane / 4;
      const unsigned column = lane % 4 * 2;
      EXPECT_EQ(plain[lane * 4 + i], (row * 256 + column) | (row * 256 + column + 1) << 16);
      const unsigned of_row = 8 * i + lane % 4 * 2;
      EXPECT_EQ(transposed[lane * 4 + i],
                (of_row * 256 + lane / 4) | ((of_row + 1) * 256 + lane / 4) << 16);
    }
  }
}

struct MatrixCount {
  void (*kernel)(unsigned, unsigned, unsigned*);
  unsigned stride;
  unsigned shared_by;
  unsigned wavefronts;
};

TEST(MatrixLoads, CountAPhaseForEachEightRows) {
  const DeviceBuffer<unsigned> out(128);
  for (const MatrixCount& each : {MatrixCount{load<1, false>, 16, 1, 1},
                                  {load<2, false>, 16, 1, 2},
                                  {load<4, false>, 16, 1, 4},
                                  {load<1, false>, 128, 1, 8},
                                  {load<4, false>, 128, 1, 32},
                                  {load<4, true>, 128, 1, 32},
                                  {load<4, false>, 64, 1, 16},
                                  {load<4, false>, 32, 1, 8},
                                  {load<4, false>, 48, 1, 4},
                                  // No two phases are one, though lanes share their rows.
                                  {load<4, false>, 16, 2, 4},
                                  {load<4, false>, 16, 32, 4},
                                  {load<2, false>, 16, 32, 2},
                                  {load<4, false>, 128, 2, 16}}) {
    const Observation did = run(each.kernel, 1, 32, each.stride, each.shared_by, out.data());
    EXPECT_EQ(did.errors, std::vector<std::string>());
    const Sums loads = sum(did, Access::shared_load);
    EXPECT_EQ(loads.requests, 1U);
    EXPECT_EQ(loads.moved, each.wavefronts) << each.stride << " " << each.shared_by;
  }
}

__global__ void partial_warp(unsigned* out) {
  __shared__ __align__(128) unsigned short rows[64];
  rows[threadIdx.x] = rows[threadIdx.x + 32] = 0;
  __syncwarp();
  if (threadIdx.x == 5) return;
  unsigned d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(d)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&rows[threadIdx.x % 8 * 8]))));
  out[threadIdx.x] = d;
}

TEST(MatrixLoads, NeedAllLanes) {
  const DeviceBuffer<unsigned> out(32);
  expect_error(
      run(partial_warp, 1, 32, out.data()),
      {"ldmatrix without all lanes: kernel partial_warp, block (0,0,0), thread (0,0,0) is at "
       "tests/profiling/emulator/language/matrix_test.cpp"});
}

// Stores what it has loaded elsewhere, in columns.
__global__ void store(unsigned stride, unsigned short* out) {
  __shared__ __align__(128) unsigned short rows[kRows * 64];
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(&rows[threadIdx.x * stride / 2]));
  const unsigned d = threadIdx.x * 0x00020002U + 0x00010000U;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(d), "r"(d + 0x01000100U), "r"(d + 0x02000200U), "r"(d + 0x03000300U)
               : "memory");
  __syncwarp();
  for (unsigned i = 0; i < 8; ++i) out[threadIdx.x * 8 + i] = rows[threadIdx.x * stride / 2 + i];
}

TEST(MatrixStores, WriteRowsAndCountAPhaseForEachEight) {
  const DeviceBuffer<unsigned short> out(256);
  for (const auto& [stride, wavefronts] : {std::pair{16U, 4U}, {64U, 16U}, {128U, 32U}}) {
    const Observation did = run(store, 1, 32, stride, out.data());
    EXPECT_EQ(did.errors, std::vector<std::string>());
    EXPECT_EQ(sum(did, Access::shared_store).requests, 1U);
    EXPECT_EQ(sum(did, Access::shared_store).moved, wavefronts);
    const std::vector<unsigned short> rows = out.to_host();
    for (unsigned i = 0; i < 256; ++i) {
      const unsigned lane = i / 8 % 8 * 4 + i % 8 / 2;
      EXPECT_EQ(rows[i], lane * 2 + i % 2 + i / 64 * 0x100);
    }
  }
}

int small(unsigned i) { return static_cast<int>(i * 37 % 17) - 8; }

// A (16×16, rows) and B (16×8, columns) through ldmatrix, as GEMMs do it.
__global__ void multiply_halves(const __half* a, const __half* b, float* d) {
  __shared__ __align__(128) __half rows[16 * 16];
  __shared__ __align__(128) __half columns[8 * 16];
  for (unsigned i = threadIdx.x; i < 256; i += 32) rows[i] = a[i];
  for (unsigned i = threadIdx.x; i < 128; i += 32) columns[i] = b[i];
  __syncwarp();
  const unsigned lane = threadIdx.x;
  const auto row =
      static_cast<unsigned>(__cvta_generic_to_shared(&rows[lane % 16 * 16 + lane / 16 * 8]));
  const auto column =
      static_cast<unsigned>(__cvta_generic_to_shared(&columns[lane % 8 * 16 + lane / 8 % 2 * 8]));
  unsigned x[4], y[2];
  float sum[4] = {};
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(y[0]), "=r"(y[1])
               : "r"(column));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (unsigned i = 0; i < 4; ++i) {
    d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
  }
}

TEST(MatrixProducts, OfHalvesAreThoseOfTheMatrices) {
  std::vector<__half> a(256);
  std::vector<__half> b(128);
  for (unsigned i = 0; i < 256; ++i) a[i] = __float2half(static_cast<float>(small(i)));
  for (unsigned i = 0; i < 128; ++i) b[i] = __float2half(static_cast<float>(small(i * 3 + 1)));
  const DeviceBuffer<__half> rows(a);
  const DeviceBuffer<__half> columns(b);
  const DeviceBuffer<float> out(128);
  EXPECT_EQ(run(multiply_halves, 1, 32, rows.data(), columns.data(), out.data()).errors,
            std::vector<std::string>());
  const std::vector<float> d = out.to_host();
  for (unsigned m = 0; m < 16; ++m) {
    for (unsigned n = 0; n < 8; ++n) {
      int sum = 0;
      for (unsigned k = 0; k < 16; ++k) sum += small(m * 16 + k) * small((n * 16 + k) * 3 + 1);
      EXPECT_EQ(d[m * 8 + n], static_cast<float>(sum));
    }
  }
}

// Lane and register name the elements by the tables of the PTX ISA.
__global__ void multiply_bytes(const signed char* a, const signed char* b, int* d) {
  const unsigned lane = threadIdx.x;
  unsigned x[4], y[2];
  for (unsigned word = 0; word < 4; ++word) {
    x[word] = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + word % 2 * 8;
      const unsigned column = lane % 4 * 4 + i + word / 2 * 16;
      x[word] |= unsigned{static_cast<unsigned char>(a[row * 32 + column])} << (8 * i);
    }
  }
  for (unsigned word = 0; word < 2; ++word) {
    y[word] = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane % 4 * 4 + i + word * 16;
      y[word] |= unsigned{static_cast<unsigned char>(b[lane / 4 * 32 + row])} << (8 * i);
    }
  }
  int sum[4];
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
      : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(1000));
  for (unsigned i = 0; i < 4; ++i) {
    d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
  }
}

TEST(MatrixProducts, OfBytesAreExact) {
  std::vector<signed char> a(512);
  std::vector<signed char> b(256);
  for (unsigned i = 0; i < 512; ++i) a[i] = static_cast<signed char>(i * 91 + i / 7);
  for (unsigned i = 0; i < 256; ++i) b[i] = static_cast<signed char>(i * 57 + i / 5);
  const DeviceBuffer<signed char> rows(a);
  const DeviceBuffer<signed char> columns(b);
  const DeviceBuffer<int> out(128);
  EXPECT_EQ(run(multiply_bytes, 1, 32, rows.data(), columns.data(), out.data()).errors,
            std::vector<std::string>());
  const std::vector<int> d = out.to_host();
  for (unsigned m = 0; m < 16; ++m) {
    for (unsigned n = 0; n < 8; ++n) {
      int sum = 1000;
      for (unsigned k = 0; k < 32; ++k) sum += a[m * 32 + k] * b[n * 32 + k];
      EXPECT_EQ(d[m * 8 + n], sum);
    }
  }
}

// Of three kinds more, lane 7's registers and what an H200 gave. Every element of A is the lane's
// number, of B two more.
__global__ void multiply_others(float* out) {
  const unsigned lane = threadIdx.x;
  float d[4];
  const auto x = __float_as_uint(static_cast<float>(lane));
  const auto y = __float_as_uint(static_cast<float>(lane + 2) + 0.0001F);  // tf32 has no such bits
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%6, %6, %6, %6};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(x), "r"(y), "f"(0.5F));
  out[lane * 4] = d[0];
  double e[2];
  const double of_a = lane, of_b = lane + 2, of_c = 0.25;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
               : "=d"(e[0]), "=d"(e[1])
               : "d"(of_a), "d"(of_b), "d"(of_c));
  out[lane * 4 + 1] = static_cast<float>(e[1]);
  const __nv_bfloat162 pair = __floats2bfloat162_rn(static_cast<float>(lane), 1.0F);
  const auto bits = *reinterpret_cast<const unsigned*>(&pair);
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %4}, {%4}, {%5, %5, %5, %5};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(bits), "f"(0.0F));
  out[lane * 4 + 2] = d[3];
}

TEST(MatrixProducts, OfTf32DoubleAndBfloat16) {
  const DeviceBuffer<float> out(128);
  EXPECT_EQ(run(multiply_others, 1, 32, out.data()).errors, std::vector<std::string>());
  // Lane 7: row 1 of A, whose lanes are 4 to 7; of its second element, column 7 of B: lanes 28 to
  // 31. Column 6: lanes 24 to 27.
  float tf32 = 0.5F;
  double doubles = 0.25;
  float bfloats = 0;
  for (unsigned i = 0; i < 4; ++i) {
    tf32 += 2 * static_cast<float>((4 + i) * (24 + i + 2));
    doubles += (4 + i) * (28 + i + 2);
    bfloats += static_cast<float>((4 + i) * (28 + i)) + 1.0F;
  }
  const std::vector<float> d = out.to_host();
  EXPECT_EQ(d[7 * 4], tf32);
  EXPECT_EQ(d[7 * 4 + 1], static_cast<float>(doubles));
  EXPECT_EQ(d[7 * 4 + 2], bfloats);
}

using namespace nvcuda;

template <class T, class Sum, class OrderA, class OrderB, unsigned PadA, unsigned PadB>
__global__ void multiply_tiles(const T* a, const T* b, Sum* d) {
  __shared__ __align__(128) T rows[16 * (16 + PadA)];
  __shared__ __align__(128) T columns[16 * (16 + PadB)];
  __shared__ __align__(128) Sum sums[256];
  for (unsigned i = threadIdx.x; i < 256; i += 32) rows[i / 16 * (16 + PadA) + i % 16] = a[i];
  for (unsigned i = threadIdx.x; i < 256; i += 32) columns[i / 16 * (16 + PadB) + i % 16] = b[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, OrderA> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, OrderB> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  wmma::fill_fragment(sum, Sum(1));
  wmma::load_matrix_sync(x, rows, 16 + PadA);     // A
  wmma::load_matrix_sync(y, columns, 16 + PadB);  // B
  wmma::mma_sync(sum, x, y, sum);
  for (auto& element : sum.x) element = element + element;
  wmma::store_matrix_sync(sums, sum, 16, wmma::mem_row_major);  // D
  __syncwarp();
  for (unsigned i = threadIdx.x; i < 256; i += 32) d[i] = sums[i];
}

template <class T, class Sum, class OrderA, class OrderB, unsigned PadA, unsigned PadB>
Observation expect_product() {
  std::vector<T> a(256);
  std::vector<T> b(256);
  for (unsigned i = 0; i < 256; ++i) {
    a[i] = static_cast<T>(static_cast<float>(small(i)));
    b[i] = static_cast<T>(static_cast<float>(small(i * 3 + 1)));
  }
  const DeviceBuffer<T> x(a);
  const DeviceBuffer<T> y(b);
  const DeviceBuffer<Sum> out(256);
  Observation did = run(multiply_tiles<T, Sum, OrderA, OrderB, PadA, PadB>, 1, 32, x.data(),
                        y.data(), out.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  constexpr bool kRowsOfA = std::is_same_v<OrderA, wmma::row_major>;
  constexpr bool kRowsOfB = std::is_same_v<OrderB, wmma::row_major>;
  const std::vector<Sum> d = out.to_host();
  for (unsigned m = 0; m < 16; ++m) {
    for (unsigned n = 0; n < 16; ++n) {
      int sum = 1;
      for (unsigned k = 0; k < 16; ++k) {
        sum += small(kRowsOfA ? m * 16 + k : k * 16 + m) *
               small((kRowsOfB ? k * 16 + n : n * 16 + k) * 3 + 1);
      }
      EXPECT_EQ(static_cast<float>(d[m * 16 + n]), static_cast<float>(2 * sum)) << m << " " << n;
    }
  }
  return did;
}

// What the fragments' lines alone do.
Sums sum_at(const Observation& did, Access access, const std::string& comment) {
  Observation there;
  const std::string place = own_line(comment);
  for (const SourceLine& line : did.lines) {
    if (line.file + ":" + std::to_string(line.line) == place) there.lines.push_back(line);
  }
  return sum(there, access);
}

TEST(WarpMatrices, AreMultipliedAndCountedAsNvccLoadsThem) {
  using wmma::col_major;
  using wmma::row_major;
  Observation did = expect_product<__half, float, row_major, col_major, 0, 8>();
  EXPECT_EQ(sum_at(did, Access::shared_load, "A"), (Sums{1, 8, 4}));
  EXPECT_EQ(sum_at(did, Access::shared_load, "B"), (Sums{1, 4, 4}));
  EXPECT_EQ(sum_at(did, Access::shared_store, "D"), (Sums{4, 16, 8}));
  did = expect_product<__half, __half, col_major, row_major, 0, 8>();
  EXPECT_EQ(sum_at(did, Access::shared_load, "A"), (Sums{1, 8, 4}));
  EXPECT_EQ(sum_at(did, Access::shared_store, "D"), (Sums{4, 8, 4}));
  did = expect_product<__nv_bfloat16, float, row_major, row_major, 0, 8>();
  EXPECT_EQ(sum_at(did, Access::shared_load, "A"), (Sums{4, 8, 4}));
  EXPECT_EQ(sum_at(did, Access::shared_load, "B"), (Sums{4, 4, 4}));
  did = expect_product<signed char, int, row_major, col_major, 0, 16>();
  EXPECT_EQ(sum_at(did, Access::shared_load, "A"), (Sums{1, 2, 2}));
  EXPECT_EQ(sum_at(did, Access::shared_load, "B"), (Sums{1, 4, 2}));
}

// All elements of each matrix are one number.
template <class T, class Sum>
__global__ void multiply_and_saturate(T a, T b, Sum c, bool saturates, Sum* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  wmma::fill_fragment(x, a);
  wmma::fill_fragment(y, b);
  wmma::fill_fragment(sum, c);
  wmma::mma_sync(sum, x, y, sum, saturates);
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

template <class T, class Sum>
Sum product_of(T a, T b, Sum c, bool saturates) {
  const DeviceBuffer<Sum> out(256);
  const Observation did = run(multiply_and_saturate<T, Sum>, 1, 32, a, b, c, saturates, out.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  return out.to_host()[100];
}

TEST(WarpMatrices, SaturateWhereTheyAreAskedTo) {
  constexpr int kGreatest = std::numeric_limits<int>::max();
  constexpr int kLeast = std::numeric_limits<int>::min();
  const signed char one = 1;
  const signed char least = -128;
  EXPECT_EQ(product_of(one, one, kGreatest - 20, true), kGreatest - 4);
  EXPECT_EQ(product_of(one, one, kGreatest - 4, true), kGreatest);
  EXPECT_EQ(product_of(one, one, kGreatest - 4, false), kLeast + 11) << "wraps around";
  EXPECT_EQ(product_of(one, least, kLeast + 5, true), kLeast);

  const __half large = 240.0F;
  const auto of_halves = [&](float a, float c, bool saturates) {
    return static_cast<float>(product_of(__half(a), large, __half(c), saturates));
  };
  EXPECT_EQ(of_halves(2, 0, true), 7680);
  EXPECT_EQ(of_halves(20, 0, true), 65504);
  EXPECT_EQ(of_halves(-20, 0, true), -65504);
  EXPECT_TRUE(std::isinf(of_halves(20, 0, false)));
  EXPECT_EQ(of_halves(1, std::numeric_limits<float>::quiet_NaN(), true), 0);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(product_of(large, large, infinity, true), std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace warpgauge::emulator
