// SPDX-License-Identifier: Apache-2.0
// Matrices that the lanes of a warp hold together: ldmatrix, stmatrix and mma.sync of PTX. All 32
// lanes take part. The layouts of fragments are those of the PTX ISA, "Warp-level matrix
// instructions".
#pragma once

#include <cstring>

#include "../abi.h"

namespace warpgauge_emulator {

enum class MatrixElement : std::uint8_t { f16, bf16, tf32, f32, f64, s8, u8, s32, e4m3, e5m2 };

struct MatrixShape {
  unsigned m;
  unsigned n;
  unsigned k;
  MatrixElement a;
  MatrixElement b;
  MatrixElement c;
  MatrixElement d;
  bool saturated;  // integers that overflow stay at the largest
};

struct MatrixRows : WarpWork {
  static constexpr unsigned kRowElements = 8;
  unsigned count = 0;  // of matrices
  bool transposed = false;
  unsigned* words = nullptr;  // two elements of each matrix
  unsigned short row[kRowElements] = {};
};

// Lane l has elements 2(l % 4) and the next of row l / 4; transposed: of column l / 4.
template <class Visit>
inline void for_each_matrix_element(WarpWork* const* lanes, Visit visit) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto& mine = *static_cast<MatrixRows*>(lanes[lane]);
    for (unsigned i = 0; i < mine.count * 2; ++i) {
      const unsigned major = lane / 4;
      const unsigned minor = lane % 4 * 2 + i % 2;
      const unsigned row = i / 2 * 8 + (mine.transposed ? minor : major);
      auto& holder = *static_cast<MatrixRows*>(lanes[row]);
      visit(mine.words[i / 2], i % 2 * 16, holder.row[mine.transposed ? major : minor]);
    }
  }
}
inline void distribute_rows(WarpWork* const* lanes) {
  for_each_matrix_element(lanes, [](unsigned& word, unsigned shift, unsigned short& element) {
    word = (word & ~(0xffffU << shift)) | unsigned{element} << shift;
  });
}
inline void collect_rows(WarpWork* const* lanes) {
  for_each_matrix_element(lanes, [](unsigned& word, unsigned shift, unsigned short& element) {
    element = static_cast<unsigned short>(word >> shift);
  });
}

// row: of 16 bytes; of the first 8 * Count lanes.
template <unsigned Count, bool Transposed>
WARPGAUGE_DEVICE_CALL void load_matrices_at(const void* row, unsigned* words, CallSite site) {
  MatrixRows work;
  work.run = &distribute_rows;
  work.count = Count;
  work.transposed = Transposed;
  work.words = words;
  if (lane_index() < 8 * Count) {
    record_access(row, sizeof work.row, AccessKind::matrix_load, site);
    __builtin_memcpy(work.row, row, sizeof work.row);
  }
  warp_together(work, "ldmatrix", site);
}
template <unsigned Count, bool Transposed>
WARPGAUGE_DEVICE_CALL void load_matrices(const void* row, unsigned* words) {
  load_matrices_at<Count, Transposed>(row, words, WARPGAUGE_CALL_SITE);
}
template <unsigned Count, bool Transposed>
WARPGAUGE_DEVICE_CALL void store_matrices(void* row, unsigned* words) {
  MatrixRows work;
  work.run = &collect_rows;
  work.count = Count;
  work.transposed = Transposed;
  work.words = words;
  warp_together(work, "stmatrix", WARPGAUGE_CALL_SITE);
  if (lane_index() < 8 * Count) {
    record_access(row, sizeof work.row, AccessKind::store, WARPGAUGE_CALL_SITE);
    __builtin_memcpy(row, work.row, sizeof work.row);
  }
}

// d = a * b + c, each lane's registers. Sums are made in double and rounded once, to float toward
// zero: integers are exact, floating point is approximate, as a GPU rounds in between.
void multiply_matrices_at(const MatrixShape& shape, const unsigned long long* a,
                          const unsigned long long* b, const unsigned long long* c,
                          unsigned long long* d, CallSite site);
WARPGAUGE_DEVICE_CALL void multiply_matrices(const MatrixShape& shape, const unsigned long long* a,
                                             const unsigned long long* b,
                                             const unsigned long long* c, unsigned long long* d) {
  multiply_matrices_at(shape, a, b, c, d, WARPGAUGE_CALL_SITE);
}

}  // namespace warpgauge_emulator
