# SPDX-License-Identifier: Apache-2.0
# cmake -D FROM=project -D INTO=folder -P slowdowns.cmake
#
# Copies kernels/ and benchmarks/ and plants six slowdowns there, in a family each. Results stay
# right, and lines keep their numbers.
cmake_minimum_required(VERSION 3.25)

file(COPY ${FROM}/kernels ${FROM}/benchmarks DESTINATION ${INTO} PATTERN CMakeLists.txt EXCLUDE)

include(${CMAKE_CURRENT_LIST_DIR}/plant.cmake)

# Padding lost: the lanes of a warp read a column of the tile, all from one bank.
plant(benchmarks/transpose.cu "transpose(transpose_tiled<1>)" "transpose(transpose_tiled<0>)")

# Padding of one word too many: neighbouring lanes meet in every second bank.
plant(kernels/struct_access.cuh "float padding;" "float padding[2];")

# Vectorisation lost: four stores of a word instead of one of four.
plant(kernels/reverse.cuh
  "*reinterpret_cast<int4*>(out + (n - 4 - i)) = make_int4(v.w, v.z, v.y, v.x);"
  "out[n - 4 - i] = v.w; out[n - 3 - i] = v.z; out[n - 2 - i] = v.y; out[n - 1 - i] = v.x;")

# More work: a tenth step, in which nothing is left to add.
plant(kernels/scan.cuh "step < kScanTile;" "step <= kScanTile;")

# Launch shape: so few blocks that a GPU has little in flight. What is counted becomes less by it.
plant(benchmarks/dot.cu
  "kDotInFlight * DotVector<Case>::kElements"
  "kDotInFlight * DotVector<Case>::kElements * 64")

# A little, of which nothing is counted: a division before the first load, of which only we know that
# it leaves the number as it is.
plant(kernels/stencil.cuh
  "std::size_t block = std::size_t{blockIdx.x} *"
  "std::size_t block = std::size_t{blockIdx.x % gridDim.x} *")
