#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the build and the tests need, from the distribution's packages. Does nothing when
# all is there. nvcc is not installed: without it the suite for GPUs is not built.
set -euo pipefail
source "$(dirname "$0")/common.sh"

packages=(
  cmake g++ git ninja-build pkg-config
  libbenchmark-dev libboost-context-dev libboost-dev libboost-filesystem-dev libcli11-dev
  libdw-dev libelf-dev libfmt-dev libgtest-dev libpugixml-dev libtomlplusplus-dev libvalijson-dev
  libxxhash-dev nlohmann-json3-dev
  libcmark-gfm-dev libcmark-gfm-extensions-dev libxml2-utils
  clang-format-14 clang-tidy-14 shellcheck
)

command -v dpkg-query >/dev/null ||
  die "needs Debian 12 or Ubuntu 24.04, or these packages under their names here: ${packages[*]}"

missing=()
for package in "${packages[@]}"; do
  [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] ||
    missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    die "these packages are missing; have an administrator install them: ${missing[*]}"
  as_root=(sudo)
fi
hint="Check the network and the package sources, or install by hand: ${missing[*]}"
step "Fetching package lists" "$hint" "${as_root[@]}" apt-get update
step "Installing ${#missing[@]} packages" "$hint" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends "${missing[@]}"
