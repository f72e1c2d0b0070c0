# SPDX-License-Identifier: Apache-2.0
"""Changes that planted.py plants in this suite, one at a time.

A change of text: the text must stand in the file once, so that an edit of the kernels cannot leave a
change unplanted unnoticed. A change of flags: of nvcc (`gpu`) or of the host's compiler (`host`), for the
families that it names. A change of a CMakeLists.txt: CMake makes the commands, and the families are those
that are built by them. `name` says what a reader would call it; the truth is looked up, not said here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    kind: str  # source, header, flags, cmake, launch, host, none
    name: str
    file: str = ""
    old: str = ""
    new: str = ""
    families: tuple = ()  # of flags; of text those that include the file
    gpu: tuple = ()
    host: tuple = ()
    quick: bool = False  # one of the few that each build checks


def _text(kind, file, *rows):
    return [Change(kind, name, file, old, new, quick="quick" in more) for name, old, new, *more in rows]


_SUITE = "warpgauge_add_benchmark(suite SOURCES ${families} GPU_LIBRARIES CUDA::cublas warpgauge_warnings)\n"


def _cmake(*rows):
    """Edits of the suite's CMakeLists.txt, from which CMake makes other commands for all families."""
    return [Change("cmake", name, "benchmarks/CMakeLists.txt", old, new, families, quick="quick" in more)
            for name, families, old, new, *more in rows]


CHANGES = [
    *_text(
        "source",
        "kernels/reverse.cuh",
        ("a copy through volatile memory", "mirror[0] = v.w;", "*static_cast<volatile int*>(mirror) = v.w;"),
        ("vectors narrowed",
         "*reinterpret_cast<int4*>(out + (n - 4 - i)) = make_int4(v.w, v.z, v.y, v.x);",
         "out[n - 4 - i] = v.w; out[n - 3 - i] = v.z; out[n - 2 - i] = v.y; out[n - 1 - i] = v.x;", "quick"),
        ("fewer vectors a thread", "kReverseVectors = 4;", "kReverseVectors = 2;"),
        ("another test of alignment", "} else if (n % 4 == 0) {", "} else if (n % 8 == 0) {"),
        ("chars before ints in shared memory",
         "int* ints = reinterpret_cast<int*>(doubles + length);",
         "int* ints = reinterpret_cast<int*>(doubles + kReverseBlock);"),
        ("the tail backwards", "for (std::size_t j = i; j < n; ++j) out[n - 1 - j] = in[j];",
         "for (std::size_t j = n; j-- > i;) out[n - 1 - j] = in[j];"),
        ("a word more of shared memory",
         "reverse_static_shared(const int* in, int* out, std::size_t n) {\n  __shared__ int words[kReverseBlock];",
         "reverse_static_shared(const int* in, int* out, std::size_t n) {\n  __shared__ int words[kReverseBlock + 32];\n"
         "  if (n == 0) words[kReverseBlock] = 1;"),
    ),
    *_text(
        "header",
        "kernels/reverse.cuh",
        ("a smaller block", "kReverseBlock = 256;", "kReverseBlock = 128;", "quick"),
        ("a helper's type", "return left < kReverseBlock ? static_cast<unsigned>(left) : kReverseBlock;",
         "return static_cast<unsigned>(left < kReverseBlock ? left : kReverseBlock);"),
        ("more bytes than needed", "return length * (sizeof(double) + sizeof(int) + sizeof(char));",
         "return length * (sizeof(double) + sizeof(int) + sizeof(int));"),
    ),
    *_text(
        "none",
        "kernels/reverse.cuh",
        ("a comment", "inline constexpr unsigned kReverseVectors", "// So many.\ninline constexpr unsigned kReverseVectors"),
        ("lines moved", "#pragma once\n", "#pragma once\n\n\n\n"),
        ("a variable renamed",
         "const int4 v = held[k];\n    if (i + 4 > n) {", "const int4 v = held[k];\n    if (n < i + 4) {"),
        ("a constant that nobody uses", "inline constexpr unsigned kReverseVectors",
         "inline constexpr unsigned kReverseUnused = 3;\ninline constexpr unsigned kReverseVectors", "quick"),
    ),
    *_text(
        "launch",
        "benchmarks/reverse.cu",
        ("half the block's shared memory more", "kReverseBlock * sizeof(int));\n}\nVARIANT_OF",
         "kReverseBlock * sizeof(int) + 512);\n}\nVARIANT_OF", "quick"),
        ("a block too many", "static_cast<unsigned>(parts_of(n_, elements_per_block)),",
         "static_cast<unsigned>(parts_of(n_, elements_per_block) + (n_ > 5000 ? 1 : 0)),"),
        ("launched twice", "{ reverse(reverse_grid_wide); }", "{ reverse(reverse_grid_wide); reverse(reverse_grid_wide); }"),
        ("another kernel", "{ reverse(reverse_static_shared); }",
         "{ reverse(reverse_dynamic_shared, kReverseBlock, kReverseBlock * sizeof(int)); }"),
        ("another tile", "reverse(reverse_vectorized, kReverseTile)", "reverse(reverse_vectorized, kReverseTile / 2)"),
    ),
    *_text(
        "host",
        "benchmarks/reverse.cu",
        ("other work", "const double bytes = static_cast<double>(n_ * sizeof(int));",
         "const double bytes = static_cast<double>(n_ * sizeof(int)) + 0;"),
        ("other sizes", ".emulated = {{4096}, {5003}}", ".emulated = {{4096}, {5004}}", "quick"),
        ("a variant renamed", "VARIANT_OF(Reverse, vectorized, WholeReverse)", "VARIANT_OF(Reverse, vectors, WholeReverse)"),
        ("a variant removed", "VARIANT_OF(Reverse, grid_wide, WholeReverse) { reverse(reverse_grid_wide); }\n", "\n"),
    ),
    *_text(
        "source",
        "kernels/transpose.cuh",
        ("a padding of two", "tile[kTransposeTile][kTransposeTile + Padding]", "tile[kTransposeTile][kTransposeTile + 2 * Padding]"),
        ("no swizzle of the loads", "tile[j][threadIdx.x ^ j] = in[row * columns + column];",
         "tile[j][threadIdx.x ^ (j & 15)] = in[row * columns + column];"),
        ("loads that stay in the caches", "Streaming ? __ldcs(from) : *from", "*from"),
        ("stores that stay in the caches", "__stcs(reinterpret_cast<float4*>(row + column), vector);",
         "*reinterpret_cast<float4*>(row + column) = vector;"),
        ("a division more", "const std::size_t tile_row = blockIdx.x / tiles_across * kTransposeWideTile;",
         "const std::size_t tile_row = (blockIdx.x % gridDim.x) / tiles_across * kTransposeWideTile;"),
        ("columns and rows swapped in the test", "if (row < rows && column < columns) out[row * columns + column] = in[row * columns + column];",
         "if (column < columns && row < rows) out[row * columns + column] = in[row * columns + column];"),
        ("other padding of wide tiles", "row * (kTransposeWideTile + 3)", "row * (kTransposeWideTile + 1)"),
    ),
    *_text(
        "header",
        "kernels/transpose.cuh",
        ("fewer rows a block", "kTransposeRows = 8;", "kTransposeRows = 4;"),
        ("fewer threads of wide tiles", "kTransposeWideThreads = 16;", "kTransposeWideThreads = 8;"),
        ("rounding up by a shift", "return (extent + tile - 1) / tile;", "return extent / tile + (extent % tile != 0 ? 1 : 0);"),
    ),
    *_text(
        "none",
        "kernels/transpose.cuh",
        ("the order of a sum", "const std::size_t row = first_row + j;\n    if (row < rows && column < columns) out[column * rows + row]",
         "const std::size_t row = j + first_row;\n    if (row < rows && column < columns) out[column * rows + row]"),
        ("a template that nobody uses", "inline constexpr int kTransposeWideTile = 64;",
         "template <int N>\n__global__ void transpose_unused(float* out) {\n  out[0] = N;\n}\n\ninline constexpr int kTransposeWideTile = 64;"),
    ),
    *_text(
        "launch",
        "benchmarks/transpose.cu",
        ("no padding", "transpose(transpose_tiled<1>)", "transpose(transpose_tiled<0>)"),
        ("blocks the other way", "move(transpose_wide, kTransposeWideTile, dim3(kTransposeWideThreads, kTransposeWideThreads));",
         "move(transpose_wide, kTransposeWideTile, dim3(kTransposeWideThreads, kTransposeWideThreads, 1));"),
        ("a block too many", "launch(kernel, static_cast<unsigned>(tiles), block,", "launch(kernel, static_cast<unsigned>(tiles) + 1, block,"),
        ("rows for columns", "in_.data(), out_.data(), rows_, columns_);", "in_.data(), out_.data(), rows_ + 0, columns_);"),
    ),
    *_text(
        "host",
        "benchmarks/transpose.cu",
        ("checked twice", "Check check(Coverage coverage) const override {",
         "Check check(Coverage coverage) const override {\n    (void)coverage;"),
        ("more rows", ".emulated = {{256, 192}, {257, 191}}", ".emulated = {{256, 192}, {258, 191}}"),
        ("a helper inlined", "return i % rows_ * columns_ + i / rows_;", "return columns_ * (i % rows_) + i / rows_;"),
    ),
    *_text(
        "source",
        "kernels/stencil.cuh",
        ("rounds unrolled", "#pragma unroll 1  // one round for most warps, two for the first\n", ""),
        ("a test more", "words[word] = j < n ? in[j] : 0;", "words[word] = j < n && word < kWords ? in[j] : 0;"),
        ("a sum in the other order", "for (int offset = 0; offset <= 2 * Radius; ++offset) sum += words[threadIdx.x + offset];",
         "for (int offset = 2 * Radius; offset >= 0; --offset) sum += words[threadIdx.x + offset];"),
        ("loads that stay in the caches", "if (j < n) sum += in[j];", "if (j < n) sum += __ldg(in + j);"),
        ("a vector narrowed", "if (i + 4 <= n && i < n) return *reinterpret_cast<const int4*>(in + i);",
         "if (i + 4 <= n && i < n) return make_int4(in[i], in[i + 1], in[i + 2], in[i + 3]);"),
        ("a division more", "const std::size_t block = std::size_t{blockIdx.x} *", "const std::size_t block = std::size_t{blockIdx.x % gridDim.x} *"),
    ),
    *_text(
        "header",
        "kernels/stencil.cuh",
        ("a smaller block", "kStencilBlock = 256;", "kStencilBlock = 128;"),
        ("more groups", "kStencilGroups = 1;", "kStencilGroups = 2;"),
    ),
    *_text("none", "kernels/stencil.cuh",
           ("a comment", "inline constexpr unsigned kStencilGroups", "/* in flight */ inline constexpr unsigned kStencilGroups"),
           ("a cast written out", "const std::size_t tile = blockIdx.x * kStencilTile;", "const std::size_t tile = std::size_t{blockIdx.x} * kStencilTile;")),
    *_text(
        "launch",
        "benchmarks/stencil.cu",
        ("another radius", "constexpr int kRadius = 3;", "constexpr int kRadius = 2;"),
        ("a tile as large as a block", "add(stencil_vectorized<kRadius>, kStencilTile)", "add(stencil_vectorized<kRadius>, kStencilTile / 4)"),
    ),
    *_text("host", "benchmarks/stencil.cu",
           ("another reference", "const std::size_t first = i < kRadius ? 0 : i - kRadius;",
            "const std::size_t first = i <= kRadius ? 0 : i - kRadius;")),
    *_text(
        "source",
        "kernels/struct_access.cuh",
        ("a word of padding too many", "float padding;", "float padding[2];"),
        ("no barrier of the warp", "__syncwarp();  // keeps the field in memory: the compiler may not hold it in a register\n", "\n"),
        ("a vector's word left out", "return make_float4(v.x + 1.0F, v.y + 1.0F, v.z + 1.0F, v.w + 1.0F);",
         "return make_float4(v.x + 1.0F, v.y + 1.0F, v.z + 1.0F, 1.0F + v.w);"),
        ("doubles", "float sum = 0;\n  for (int round", "double sum = 0;\n  for (int round"),
        ("only the clock's kernel", "if (threadIdx.x == 0) *cycles = {end - empty, empty - begin};",
         "if (threadIdx.x == 1) *cycles = {end - empty, empty - begin};"),
    ),
    *_text("header", "kernels/struct_access.cuh",
           ("fewer rounds", "kStructRounds = 64;", "kStructRounds = 32;"),
           ("larger blocks", "kStructBlock = 128;", "kStructBlock = 64;")),
    *_text(
        "launch",
        "benchmarks/struct_access.cu",
        ("another field", "constexpr int kField = 5;", "constexpr int kField = 6;"),
        ("another stride", "StridedAccess<32>) { read(); }", "StridedAccess<16>) { read(); }"),
        ("launched twice", "VARIANT_OF(StructAccess, stride_1, StridedAccess<1>) { read(); }",
         "VARIANT_OF(StructAccess, stride_1, StridedAccess<1>) { read(); read(); }"),
    ),
    *_text("host", "benchmarks/struct_access.cu",
           ("more warming up", "warm_up < 3;", "warm_up < 5;"),
           ("a looser check", "kStructRounds * 0x1p-24", "kStructRounds * 0x1p-23")),
    *_text("none", "kernels/struct_access.cuh",
           ("a name in a comment", "// as above", "// as there"),
           ("braces", "if (i < n) out[i] = structs[threadIdx.x].field[field];\n}\n\n// 128 and",
            "if (i < n) { out[i] = structs[threadIdx.x].field[field]; }\n}\n\n// 128 and")),
    *_text(
        "source",
        "kernels/adjacent_sum.cuh",
        ("a read more", "if (i < n) out[i] = i == 0 ? in[0] : in[i] + in[i - 1];", "if (i < n) out[i] = in[i] + (i == 0 ? 0 : in[i - 1]);"),
        ("shared memory twice", "if (i < n) out[i] = words[word] + words[word - 1];\n}\n\n// Times",
         "if (i < n) out[i] = words[word - 1] + words[word];\n}\n\n// Times"),
        ("a barrier of the block", "__syncwarp();  // keeps the reads in the loop\n    if", "__syncthreads();\n    if"),
        ("a vector's store narrowed", "*reinterpret_cast<int4*>(out + i) = sums;",
         "out[i] = sums.x; out[i + 1] = sums.y; out[i + 2] = sums.z; out[i + 3] = sums.w;"),
        ("another condition", "if (first_lane && i > 0 && i < n) before[k] = in[i - 1];",
         "if (first_lane && i < n && i > 0) before[k] = in[i - 1];"),
    ),
    *_text("header", "kernels/adjacent_sum.cuh",
           ("fewer rounds", "kAdjacentRounds = 16;", "kAdjacentRounds = 8;"),
           ("more vectors", "kAdjacentVectors = 4;", "kAdjacentVectors = 8;")),
    *_text("launch", "benchmarks/adjacent_sum.cu",
           ("another tile", "add(adjacent_vectorized, kAdjacentTile)", "add(adjacent_vectorized, kAdjacentTile / 4)"),
           ("the kernel of another variant", "VARIANT(AdjacentSum, shared) { add(adjacent_shared); }",
            "VARIANT(AdjacentSum, shared) { add(adjacent_global); }")),
    *_text("host", "benchmarks/adjacent_sum.cu",
           ("a copy to the host more", "Check check(Coverage coverage) const override {\n    return compare(",
            "Check check(Coverage coverage) const override {\n    (void)out_.to_host();\n    return compare("),
           ("the same data", "in_ = random_buffer<int>(n_, seed());", "in_ = random_buffer<int>(n_, seed() + 0);")),
    *_text("host", "benchmarks/softmax.cu",
           ("other data", "constexpr std::int64_t kMagnitude = 16;", "constexpr std::int64_t kMagnitude = 12;")),
    *_text("none", "kernels/adjacent_sum.cuh",
           ("a variable less", "const unsigned word = 1 + threadIdx.x;\n  if (i < n) words[word] = in[i];",
            "const unsigned word = threadIdx.x + 1;\n  if (i < n) words[word] = in[i];")),
    *_text(
        "source",
        "kernels/bandwidth.cuh",
        ("a vector a thread more", "kBandwidthOneWayVectors = 4;", "kBandwidthOneWayVectors = 2;"),
        ("without a fused operation", "left.x + factor * right.x,", "__fadd_rn(left.x, __fmul_rn(factor, right.x)),"),
        ("the sum another way", "word ^= held[k].x ^ held[k].y ^ held[k].z ^ held[k].w;",
         "word ^= held[k].w ^ held[k].z ^ held[k].y ^ held[k].x;"),
        ("a test of the other side", "if (i < vectors) out[i] = in[i];", "if (i >= vectors) return;\n  out[i] = in[i];"),
        ("a write through the caches", "if (i < vectors) out[i] = value;", "if (i < vectors) __stcs(out + i, value);"),
    ),
    *_text("header", "kernels/bandwidth.cuh",
           ("a larger block", "kBandwidthBlock = 128;", "kBandwidthBlock = 256;"),
           ("a smaller one-way block", "kBandwidthOneWayBlock = 512;", "kBandwidthOneWayBlock = 256;")),
    *_text("launch", "benchmarks/bandwidth.cu",
           ("another factor", "constexpr float kFactor = 0.5F;", "constexpr float kFactor = 0.25F;"),
           ("a block too many", "return static_cast<unsigned>(parts_of(vectors_, kBandwidthBlock));",
            "return static_cast<unsigned>(parts_of(vectors_, kBandwidthBlock)) + 1;"),
           ("copied twice", "launch(bandwidth_copy, blocks(), kBandwidthBlock, in(), out(), vectors_);",
            "launch(bandwidth_copy, blocks(), kBandwidthBlock, in(), out(), vectors_);\n"
            "  launch(bandwidth_copy, blocks(), kBandwidthBlock, in(), out(), vectors_);")),
    *_text("host", "benchmarks/bandwidth.cu",
           ("other figures of work", ".operations = static_cast<double>(8 * vectors_)", ".operations = static_cast<double>(2 * vectors_)")),
    *_text("source", "kernels/dot.cuh",
           ("more in flight", "kDotInFlight = 2;", "kDotInFlight = 4;"),
           ("a sum in the other order", "return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);",
            "return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;"),
           ("a fence less", "__threadfence();\n    last", "last")),
    *_text("launch", "benchmarks/dot.cu",
           ("few blocks", "kDotInFlight * DotVector<Case>::kElements);", "kDotInFlight * DotVector<Case>::kElements * 64);")),
    *_text("source", "kernels/histogram.cuh",
           ("fewer copies", "kHistogramCopies = 32;", "kHistogramCopies = 16;"),
           ("no test of the count", "if (count > 0) atomicAdd(&bins[threadIdx.x], count);", "atomicAdd(&bins[threadIdx.x], count);")),
    *_text("launch", "benchmarks/histogram.cu",
           ("cleared twice", "launch(histogram_clear, 1, kHistogramBins, bins_.data());",
            "launch(histogram_clear, 1, kHistogramBins, bins_.data());\n    launch(histogram_clear, 1, kHistogramBins, bins_.data());")),
    *_text("source", "kernels/scan.cuh",
           ("a step more", "step < kScanTile;", "step <= kScanTile;"),
           ("a sum without a branch", "if (lane >= step) value += before;", "value += lane >= step ? before : 0;")),
    *_text("source", "kernels/reduction.cuh",
           ("fewer in flight", "kReductionInFlight = 4;", "kReductionInFlight = 2;"),
           ("one kernel alone", "if (thread % (2 * step) == 0) sums[thread]", "if ((thread & (2 * step - 1)) == 0) sums[thread]")),
    Change("flags", "registers limited", families=("reverse",), gpu=("-maxrregcount=16",), quick=True),
    Change("flags", "registers limited", families=("stencil",), gpu=("-maxrregcount=24",)),
    Change("flags", "fast mathematics", families=("bandwidth",), gpu=("--use_fast_math",)),
    Change("flags", "fast mathematics", families=("transpose",), gpu=("--use_fast_math",)),
    Change("flags", "no fused operations", families=("bandwidth",), gpu=("-fmad=false",)),
    Change("flags", "no optimization", families=("adjacent_sum",), gpu=("-Xptxas", "-O0")),
    Change("flags", "less optimization", families=("struct_access",), gpu=("-Xptxas", "-O1")),
    Change("flags", "no caching of loads", families=("reverse",), gpu=("-Xptxas", "-dlcm=cg")),
    Change("flags", "compressed", families=("adjacent_sum",), gpu=("--compress-mode=size",)),
    *_cmake(
        ("registers limited for one suite", ("reverse",), "--no-compress)", "--no-compress -maxrregcount=16)"),
        ("another architecture", ("stencil",), "${architecture})\n    list", "${architecture})\n    set(architecture 80)\n    list"),
        ("an option for one family", ("bandwidth", "reverse"), "-fatbin ${flags}",
         "-fatbin ${flags} $<$<STREQUAL:${family},bandwidth.cu>:-fmad=false>"),
        ("a definition that renames a kernel", ("reverse",), _SUITE,
         _SUITE + "target_compile_definitions(suite_gpu PRIVATE reverse_grid_wide=reverse_grid)\n"
         "target_compile_definitions(suite_emulated PRIVATE reverse_grid_wide=reverse_grid)\n"),
        ("a definition that nobody uses", ("transpose",), _SUITE,
         _SUITE + "target_compile_definitions(suite_gpu PRIVATE NOBODY_USES_THIS=1)\n"
         "target_compile_definitions(suite_emulated PRIVATE NOBODY_USES_THIS=1)\n"),
        ("a debug build of the host", ("reverse",), _SUITE,
         _SUITE + "target_compile_options(suite_emulated PRIVATE -UNDEBUG)\n"),
    ),
]
