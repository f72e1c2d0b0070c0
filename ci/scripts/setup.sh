#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the build and the tests need, from the distribution's packages. Does nothing when
# all is there. nvcc is not installed: without it the suite for GPUs is not built.
set -euo pipefail
source "$(dirname "$0")/common.sh"

packages=(
  cmake g++ git ninja-build pkg-config
  libbenchmark-dev libboost-context-dev libboost-dev libboost-filesystem-dev libcli11-dev
  libdw-dev libeigen3-dev libelf-dev libfmt-dev libgtest-dev libpq-dev libpugixml-dev libsoci-dev
  libsqlite3-dev libtomlplusplus-dev libvalijson-dev libxxhash-dev libzstd-dev nlohmann-json3-dev
  libcmark-gfm-dev libcmark-gfm-extensions-dev libxml2-utils locales mandoc
  clang-format-14 clang-tidy-14 shellcheck
)

command -v dpkg-query >/dev/null ||
  die "needs Debian 12 or Ubuntu 24.04, or these packages under their names here: ${packages[*]}"

installed() {
  [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]
}

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done

# For the HTML report, for its tests in a browser, for fuzzing, and for the tests of shards on Slurm and
# of the history with PostgreSQL.
# All else builds and runs without; who has them from elsewhere is asked for nothing.
optional=()
command -v npm >/dev/null || optional+=(nodejs npm)
if ! command -v chromium google-chrome-stable google-chrome >/dev/null; then
  # Ubuntu's package is no browser but asks for a snap.
  if grep -qx 'ID=ubuntu' /etc/os-release; then
    printf 'There is no chromium: the HTML report is not tested in a browser. Ubuntu packages none; google-chrome will do.\n'
  else
    optional+=(chromium)
  fi
fi
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || optional+=(postgresql)
# Of Ubuntu 24.04's C++ library clang 14 is not known to take all.
command -v clang++-14 >/dev/null || grep -qx 'ID=ubuntu' /etc/os-release ||
  optional+=(clang-14 libclang-rt-14-dev)
PATH=$PATH:/usr/sbin command -v slurmctld >/dev/null ||
  optional+=(munge slurm-client slurmctld slurmd)
((${#missing[@]} + ${#optional[@]})) || exit 0

without_optional() {
  printf 'Going on without %s: there is no HTML report, or it is not tested in a browser, or the readers are not fuzzed, or shards are not tested on Slurm, or the history is not tested with PostgreSQL.\n' "${optional[*]}"
}

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    ((${#missing[@]} == 0)) ||
      die "these packages are missing; have an administrator install them: ${missing[*]} ${optional[*]}"
    without_optional
    exit 0
  fi
  as_root=(sudo)
fi
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y --no-install-recommends "$@"
}
hint="Check the network and the package sources, or install by hand: ${missing[*]} ${optional[*]}"
if ((${#missing[@]})); then
  step "Fetching package lists" "$hint" "${as_root[@]}" apt-get -o Acquire::Retries=3 update
  step "Installing ${#missing[@]} packages" "$hint" install "${missing[@]}"
fi
if ((${#optional[@]})); then
  (
    ((${#missing[@]})) || step "Fetching package lists" "$hint" "${as_root[@]}" apt-get -o Acquire::Retries=3 update
    step "Installing ${optional[*]}" "$hint" install "${optional[@]}"
  ) || without_optional
fi
