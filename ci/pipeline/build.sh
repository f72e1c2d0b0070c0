#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the gate and its suites where there is an nvcc and no GPU, and packs them for the machine
# that has one: build.tar. GPU_ARCHITECTURES says for which GPUs (default 90, as for an H200).
set -euo pipefail
source "$(dirname "$0")/../scripts/common.sh"
cd "$root"

command -v nvcc >/dev/null || die "nvcc is not on the PATH: the CUDA toolkit is needed, though no GPU"
ci/scripts/setup.sh page
configure ci -DWARPGAUGE_TESTS=OFF "-DCMAKE_CUDA_ARCHITECTURES=${GPU_ARCHITECTURES:-90}"
programs=(warpgauge suite_emulated suite_gpu)
step "Building ${programs[*]}" "Fix the error above." \
  cmake --build --preset ci --target "${programs[@]}"
# A tar file: artifacts forget who may execute what.
tar -cf build.tar -C "$build" "${programs[@]/#/bin/}"
