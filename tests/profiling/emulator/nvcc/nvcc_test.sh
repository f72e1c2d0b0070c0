#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nvcc_test.sh PROGRAM
#
# PROGRAM, warpgauge-nvcc, builds ./project by its own Makefile; its program runs its kernel on the
# emulator. What the emulator has not is refused in one line.
set -euo pipefail
nvcc=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=tests/helpers/expect.sh
source "$here/../../../helpers/expect.sh"

# Spaces in the path; a toolkit whose headers must not be taken.
cp -r "$here/project" "$scratch/a project"
cd "$scratch/a project"
mkdir -p toolkit/include
echo '#error "of the toolkit"' | tee toolkit/include/cuda_runtime.h >toolkit/include/cuda_runtime_api.h
expect 0 "" make NVCC="$nvcc" CUDA_PATH=toolkit
expect 0 "0 wrong" ./program
[[ $output == *"reverse: 1 launch, 128 barriers"* || $output == *"reverse(int const*, int*, int): 1 launch"* || $output == *"reverse: 1 launch"* ]] ||
  { printf 'no report of the kernel:\n%s\n' "$output"; exit 1; }
[[ $output == *"kernels.cu:13 "*"shared store"* ]] || { printf 'no line of the kernel:\n%s\n' "$output"; exit 1; }
# -MD: a header makes its sources anew.
expect 0 "is up to date" make NVCC="$nvcc" CUDA_PATH=toolkit program
touch include/kernels.cuh
expect 0 "kernels.cu" make -n NVCC="$nvcc" CUDA_PATH=toolkit program

# All at once, the sources in one command.
expect 0 "" "$nvcc" -std=c++17 -Iinclude -DFACTOR=4 main.cu kernels.cu library/scale.cu host.cpp -o whole
expect 0 "0 wrong" ./whole

# refused TEXT: of refused.cu, that line and no other.
refused() {
  expect 1 "$1" "$nvcc" -c refused.cu
  [[ $output != *$'\n'* ]] || { printf 'more than one line:\n%s\n' "$output"; exit 1; }
}
printf '#include "middle.h"\n' >refused.cu
printf '#pragma once\n#include <cub/cub.cuh>\n' >middle.h
refused 'refused.cu:1: the emulator has no CUB (cub/cub.cuh)'
printf '\n#include <thrust/device_vector.h>\n' >refused.cu
refused 'refused.cu:2: the emulator has no Thrust (thrust/device_vector.h)'
printf '\n#include <cublas_v2.h>\n' >refused.cu
refused 'refused.cu:2: the emulator has no cuBLAS (cublas_v2.h)'
printf '\n\n__global__ void k(cudaTextureObject_t t, float* f) { *f = tex2Dgather<float4>(t, 0, 0).x; }\n' >refused.cu
refused 'refused.cu:3: the emulator has no textures of this kind (tex2Dgather)'
printf '#include <cuda/std/chrono>\n' >refused.cu
refused 'refused.cu:1: the emulator has no libcu++ header of this name (cuda/std/chrono)'
printf '#include <curand_kernel.h>\n__global__ void k(curandStateSobol32* s) {}\n' >refused.cu
refused 'refused.cu:2: the emulator has no quasi-random numbers of cuRAND, nor MTGP32 in kernels (curandStateSobol32)'
printf '#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k() {\n  fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> a;\n  (void)a;\n}\n' >refused.cu
refused 'refused.cu:4: the emulator has no matrix elements of 4 bits or of one'
printf '#include <cuda/barrier>\n__device__ cuda::barrier<cuda::thread_scope_device>* b;\n__global__ void k() { b->arrive_and_wait(); }\n' >refused.cu
refused 'refused.cu:3: the emulator has no cuda::barrier but of a block'
groups=$'#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n'
printf '%s%s\n' "$groups" '__global__ void k() { thread_group g = tiled_partition<64>(this_thread_block()); g.sync(); }' >refused.cu
refused 'refused.cu:3: the emulator has no thread_group of a tile wider than a warp, as CUDA has none'
printf '%s%s\n' "$groups" '__global__ void k() { auto g = this_grid(); auto t = g.barrier_arrive(); g.barrier_wait(std::move(t)); }' >refused.cu
refused "refused.cu:3: the emulator has no arrival at a grid's barrier apart from the wait"
printf '\n__cluster_dims__(2, 1, 1) __global__ void k();\n' >refused.cu
refused 'refused.cu:2: the emulator has no __cluster_dims__ of a declaration without the body (__cluster_dims__)'
printf 'int main() { return cudaLaunchAttributeClusterSchedulingPolicyPreference; }\n' >refused.cu
refused 'refused.cu:1: the emulator has no scheduling policies of clusters (cudaLaunchAttributeClusterSchedulingPolicyPreference)'
printf '%s%s\n' "$groups" '__global__ void __cluster_dims__(2) k(int* p) { *p = this_cluster().num_blocks(); }
int main() { int* p; cudaMallocManaged(&p, 4); k<<<4, 1>>>(p); cudaDeviceSynchronize(); return *p == 2 ? 0 : 1; }' >cluster.cu
expect 0 '' "$nvcc" cluster.cu -o cluster
printf '#include <cuda/barrier>\n__device__ cuda::barrier<cuda::thread_scope_block>* b;\n__global__ void k() { (void)cuda::device::barrier_arrive_tx(*b, 1, 4); }\n' >refused.cu
refused 'refused.cu:3: the emulator has no barriers with transactions (barrier_arrive_tx)'
printf '#include <curand.h>\nint main() { return 0; }\n' >random.cu
expect 0 'other numbers than the library' "$nvcc" -Werror all-warnings random.cu -o random -lcurand
printf '#include <cuda/std/span>\n' >refused.cu
expect 1 'from C++20 on; compile with -std=c++20' "$nvcc" -c refused.cu
expect 0 '' "$nvcc" -std=c++20 -c refused.cu
# The program's own mistakes are g++'s to tell.
printf 'int main() { return texture_of_mine; }\n' >refused.cu
expect 1 "'texture_of_mine' was not declared" env LC_ALL=C "$nvcc" -c refused.cu
printf '#include "none.h"\n' >refused.cu
expect 1 "none.h: No such file" "$nvcc" -c refused.cu

expect 1 "warpgauge-nvcc: --ptx: the emulator makes no machine code for a GPU" "$nvcc" --ptx main.cu
expect 1 "warpgauge-nvcc: the option --no-such-thing is not known" "$nvcc" --no-such-thing main.cu
expect 1 "warpgauge-nvcc: no input files" "$nvcc"
expect 0 "Cuda compilation tools, release 13.0" "$nvcc" --version
