// SPDX-License-Identifier: Apache-2.0
// Matrices of a warp in fragments, by the names of nvcuda::wmma. A fragment's layout is CUDA's own
// business; here a lane has what mma.sync gives it, each element once. Accesses are those that nvcc
// makes for sm_90. Products are as those of mma.sync (matrix.h). Elements of 4 bits and of one are
// refused.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "../abi.h"
#include "../inline_ptx.h"
#include "matrix.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
}  // namespace precision

namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

// What a register of it is, and what lies in memory.
namespace detail {

template <class T>
struct Element {
  using Type = T;
};
template <>
struct Element<precision::tf32> {
  using Type = float;
};

template <class T>
constexpr bool kIsNarrow = std::is_same_v<T, experimental::precision::u4> ||
                           std::is_same_v<T, experimental::precision::s4> ||
                           std::is_same_v<T, experimental::precision::b1>;

template <class T>
inline double number(const T& value) {
  if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}
template <class T>
inline double factor(const T& value, bool tf32) {
  if constexpr (std::is_same_v<T, float>) {
    const auto bits = ::warpgauge_emulator::with_bits_of<std::uint32_t>(value);
    if (tf32) return ::warpgauge_emulator::with_bits_of<float>(bits & 0xffffe000U);
  }
  return number(value);
}
template <class T>
inline T rounded(double value) {
  if constexpr (std::is_same_v<T, int>) {
    return static_cast<int>(static_cast<long long>(value));
  } else if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
    return T(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return ::warpgauge_emulator::truncated(value);
  } else {
    return value;
  }
}

// As rounded, but what is not finite becomes the greatest number of its sign, or 0.
template <class T>
inline T saturated(double value) {
  if constexpr (std::is_same_v<T, int>) {
    constexpr double kLeast = std::numeric_limits<int>::min();
    constexpr double kGreatest = std::numeric_limits<int>::max();
    return static_cast<int>(std::fmin(std::fmax(value, kLeast), kGreatest));
  } else {
    const T result = rounded<T>(value);
    const double given = number(result);
    if (std::isnan(given)) return T(0.0F);
    if (!std::isinf(given)) return result;
    const auto greatest = [] {
      if constexpr (std::is_same_v<T, __half>) return T(65504.0F);
      if constexpr (std::is_same_v<T, __nv_bfloat16>) return T(0x1.fep127F);
      if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::max();
    }();
    return given > 0 ? greatest : T(-greatest);
  }
}

// Element i of a lane, of Major lines of Minor elements each: lane l has line l / 4 of eight, and
// of each 4 words of a line one.
template <unsigned Major, unsigned Minor, unsigned InWord>
struct Layout {
  static constexpr bool kByWord = Major % 8 == 0 && Minor % (4 * InWord) == 0;
  static constexpr unsigned major(unsigned lane, unsigned i) {
    return kByWord ? lane / 4 + i / InWord % (Major / (kByWord ? 8 : Major)) * 8
                   : (i * 32 + lane) / Minor;
  }
  static constexpr unsigned minor(unsigned lane, unsigned i) {
    return kByWord ? lane % 4 * InWord + i % InWord +
                         i / InWord / (Major / (kByWord ? 8 : Major)) * 4 * InWord
                   : (i * 32 + lane) % Minor;
  }
};

template <class Use, int M, int N, int K>
struct Extents;
template <int M, int N, int K>
struct Extents<matrix_a, M, N, K> {
  static constexpr unsigned kRows = M, kColumns = K;
};
template <int M, int N, int K>
struct Extents<matrix_b, M, N, K> {
  static constexpr unsigned kRows = K, kColumns = N;
};
template <int M, int N, int K>
struct Extents<accumulator, M, N, K> {
  static constexpr unsigned kRows = M, kColumns = N;
};

// One access of `Elements` neighbours. Each of a fragment's accesses has its own pretended depth,
// as the merge distinguishes requests by place and depth of the call.
inline ::warpgauge_emulator::CallSite numbered(::warpgauge_emulator::CallSite site, unsigned i) {
  return {site.return_address, static_cast<char*>(site.frame) - (i + 1) * 16};
}

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Order = void>
class fragment {
  static_assert(!detail::kIsNarrow<T>, "the emulator has no matrix elements of 4 bits or of one");
  using Size = detail::Extents<Use, M, N, K>;
  static constexpr bool kByColumn = std::is_same_v<Order, col_major>;

 public:
  // Lines of memory, and elements of each.
  static constexpr unsigned kMajor = kByColumn ? Size::kColumns : Size::kRows;
  static constexpr unsigned kMinor = kByColumn ? Size::kRows : Size::kColumns;

  using element_type = T;
  using storage_element_type = typename detail::Element<T>::Type;
  static constexpr int num_elements = static_cast<int>(Size::kRows * Size::kColumns / 32);
  static constexpr int num_storage_elements = num_elements;

  storage_element_type x[num_elements];

  // For the emulator's own functions. Neighbours in memory that are one word in a register:
  static constexpr unsigned kInWord = std::is_same_v<Use, accumulator> ? 2
                                      : sizeof(x[0]) < 4               ? 4 / sizeof(x[0])
                                                                       : 1;
  using Layout = detail::Layout<kMajor, kMinor, kInWord>;
  static constexpr unsigned row(unsigned lane, unsigned i) {
    return kByColumn ? Layout::minor(lane, i) : Layout::major(lane, i);
  }
  static constexpr unsigned column(unsigned lane, unsigned i) {
    return kByColumn ? Layout::major(lane, i) : Layout::minor(lane, i);
  }
};

template <class Use, int M, int N, int K, class T, class Order>
inline void fill_fragment(
    fragment<Use, M, N, K, T, Order>& to,
    const typename fragment<Use, M, N, K, T, Order>::storage_element_type& v) {
  for (auto& element : to.x) element = v;
}

inline float __float_to_tf32(float value) {
  const auto bits = ::warpgauge_emulator::with_bits_of<std::uint32_t>(value);
  if ((bits & 0x7f800000U) == 0x7f800000U) return value;
  return ::warpgauge_emulator::with_bits_of<float>((bits + 0x1000U) & 0xffffe000U);
}

namespace detail {

// What a GPU moves at once: neighbours, in registers and in memory.
template <class Fragment>
struct Moves {
  unsigned step;  // elements
  unsigned line;
  bool by_column;

  WARPGAUGE_OF_VALUES Moves(unsigned between_lines, layout_t layout)
      : step(1), line(between_lines), by_column(layout == mem_col_major) {
    constexpr unsigned kInWord = Fragment::Layout::kByWord ? Fragment::kInWord : 1;
    if (kInWord > 1 && offset(1) == offset(0) + 1 && line % kInWord == 0) step = kInWord;
  }
  WARPGAUGE_OF_VALUES unsigned offset(unsigned i) const {
    const unsigned lane = ::warpgauge_emulator::lane_index();
    const unsigned row = Fragment::row(lane, i);
    const unsigned column = Fragment::column(lane, i);
    return by_column ? column * line + row : row * line + column;
  }
};

template <class Fragment, class T>
WARPGAUGE_DEVICE_CALL void load_by_word(Fragment& to, const T* from, unsigned line, layout_t layout,
                                        ::warpgauge_emulator::CallSite site) {
  const Moves<Fragment> moves(line, layout);
  for (unsigned i = 0; i < Fragment::num_elements; i += moves.step) {
    const T* place = from + moves.offset(i);
    ::warpgauge_emulator::record_access(place, static_cast<unsigned>(moves.step * sizeof(T)),
                                        ::warpgauge_emulator::AccessKind::load, numbered(site, i));
    __builtin_memcpy(static_cast<void*>(&to.x[i]), place, moves.step * sizeof(T));
  }
}

// By ldmatrix: each group of eight lines' 16 bytes is a matrix of it.
template <class Fragment, class T>
WARPGAUGE_DEVICE_CALL void load_by_matrix(Fragment& to, const T* from, unsigned line,
                                          ::warpgauge_emulator::CallSite site) {
  constexpr unsigned kWords = sizeof to.x / 4;
  constexpr unsigned kAtOnce = kWords < 4 ? kWords : 4;
  constexpr unsigned kBlocks = Fragment::kMajor / 8;
  const unsigned lane = ::warpgauge_emulator::lane_index();
  for (unsigned first = 0; first < kWords; first += kAtOnce) {
    const unsigned matrix = first + lane / 8 % kAtOnce;
    const T* row = from + std::size_t{matrix % kBlocks * 8 + lane % 8} * line +
                   matrix / kBlocks * (16 / sizeof(T));
    unsigned words[4];
    ::warpgauge_emulator::load_matrices_at<kAtOnce, false>(row, words, numbered(site, first));
    __builtin_memcpy(reinterpret_cast<char*>(to.x) + first * 4, words, kAtOnce * 4);
  }
}

// Of shared memory: what nvcc takes ldmatrix for.
template <class Use, class T, class Order>
constexpr bool kHasMatrixLoads =
    std::is_same_v<T, __half> ||
    (sizeof(T) == 1 &&
     std::is_same_v<Order,
                    std::conditional_t<std::is_same_v<Use, matrix_a>, row_major, col_major>>);

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Order, class From>
WARPGAUGE_DEVICE_CALL void load_matrix_sync(fragment<Use, M, N, K, T, Order>& to, const From* from,
                                            unsigned line) {
  static_assert(!std::is_void_v<Order>, "an accumulator is loaded with its layout");
  if constexpr (detail::kHasMatrixLoads<Use, T, Order>) {
    const bool aligned = (reinterpret_cast<std::uintptr_t>(from) | line * sizeof(T)) % 16 == 0;
    if (aligned && ::warpgauge_emulator::in_shared_memory(from)) {
      return detail::load_by_matrix(to, from, line, WARPGAUGE_CALL_SITE);
    }
  }
  detail::load_by_word(to, from, line,
                       std::is_same_v<Order, col_major> ? mem_col_major : mem_row_major,
                       WARPGAUGE_CALL_SITE);
}
template <int M, int N, int K, class T, class From>
WARPGAUGE_DEVICE_CALL void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const From* from,
                                            unsigned line, layout_t layout) {
  detail::load_by_word(to, from, line, layout, WARPGAUGE_CALL_SITE);
}

template <int M, int N, int K, class T, class To>
WARPGAUGE_DEVICE_CALL void store_matrix_sync(To* to, const fragment<accumulator, M, N, K, T>& from,
                                             unsigned line, layout_t layout) {
  const ::warpgauge_emulator::CallSite site = WARPGAUGE_CALL_SITE;
  const detail::Moves<fragment<accumulator, M, N, K, T>> moves(line, layout);
  for (unsigned i = 0; i < from.num_elements; i += moves.step) {
    To* place = to + moves.offset(i);
    ::warpgauge_emulator::record_access(place, static_cast<unsigned>(moves.step * sizeof(To)),
                                        ::warpgauge_emulator::AccessKind::store,
                                        detail::numbered(site, i));
    __builtin_memcpy(static_cast<void*>(place), &from.x[i], moves.step * sizeof(To));
  }
}

namespace detail {

template <class D, class A, class B, class C>
struct Product : ::warpgauge_emulator::WarpWork {
  D* d = nullptr;
  const A* a = nullptr;
  const B* b = nullptr;
  const C* c = nullptr;
  bool saturated = false;
};

template <int M, int N, int K, class D, class A, class B, class C>
void multiply(::warpgauge_emulator::WarpWork* const* lanes) {
  using Part = Product<D, A, B, C>;
  constexpr bool kTf32 = std::is_same_v<typename A::element_type, precision::tf32>;
  double a[M][K];
  double b[K][N];
  double c[M][N];
  const auto part = [&](unsigned lane) -> Part& { return *static_cast<Part*>(lanes[lane]); };
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < A::num_elements; ++i) {
      a[A::row(lane, i)][A::column(lane, i)] = factor(part(lane).a->x[i], kTf32);
    }
    for (unsigned i = 0; i < B::num_elements; ++i) {
      b[B::row(lane, i)][B::column(lane, i)] = factor(part(lane).b->x[i], kTf32);
    }
    for (unsigned i = 0; i < C::num_elements; ++i) {
      c[C::row(lane, i)][C::column(lane, i)] = number(part(lane).c->x[i]);
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < D::num_elements; ++i) {
      const unsigned row = D::row(lane, i);
      const unsigned column = D::column(lane, i);
      double sum = c[row][column];
      for (unsigned k = 0; k < K; ++k) sum = std::fma(a[row][k], b[k][column], sum);
      using Element = typename D::storage_element_type;
      part(lane).d->x[i] = part(lane).saturated ? saturated<Element>(sum) : rounded<Element>(sum);
    }
  }
}

}  // namespace detail

// saturated: to finite numbers, and integers do not wrap around.
template <int M, int N, int K, class D, class A, class B, class C, class OrderA, class OrderB>
WARPGAUGE_DEVICE_CALL void mma_sync(fragment<accumulator, M, N, K, D>& d,
                                    const fragment<matrix_a, M, N, K, A, OrderA>& a,
                                    const fragment<matrix_b, M, N, K, B, OrderB>& b,
                                    const fragment<accumulator, M, N, K, C>& c,
                                    bool saturated = false) {
  using Part =
      detail::Product<std::remove_reference_t<decltype(d)>, fragment<matrix_a, M, N, K, A, OrderA>,
                      fragment<matrix_b, M, N, K, B, OrderB>, fragment<accumulator, M, N, K, C>>;
  Part part;
  part.run =
      &detail::multiply<M, N, K, std::remove_reference_t<decltype(d)>,
                        fragment<matrix_a, M, N, K, A, OrderA>,
                        fragment<matrix_b, M, N, K, B, OrderB>, fragment<accumulator, M, N, K, C>>;
  part.d = &d;
  part.a = &a;
  part.b = &b;
  part.c = &c;
  part.saturated = saturated;
  ::warpgauge_emulator::warp_together(part, "mma_sync", WARPGAUGE_CALL_SITE);
}

}  // namespace wmma
}  // namespace nvcuda
