#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a purpose takes, from the distribution's packages. Does nothing when all is there. nvcc
# is not installed: without it the suite for GPUs is not built.
#
#   ci/scripts/setup.sh [gate|page|release|test|nightly]
#
# gate (default): compilers and libraries, to build and to measure
# page: also npm, for the report as an HTML page
# release: also what ci/release.sh packs with, npm, and what makes an image
# test: also what ci/test.sh takes: test libraries, linters, a browser, PostgreSQL's programs
# nightly: also what ci/test.sh --nightly takes: clang and Slurm
set -euo pipefail
source "$(dirname "$0")/common.sh"

purpose=${1:-gate}
(($# < 2)) || die "one purpose at a time, not '$*'" 64
[[ " gate page release test nightly " == *" $purpose "* ]] ||
  die "unknown purpose '$purpose'; there are gate, page, release, test and nightly" 64
# of PURPOSE: whether what that one takes is taken.
of() {
  case $1 in
  page) [[ $purpose != gate ]] ;;
  release) [[ $purpose == release || $purpose == test || $purpose == nightly ]] ;;
  image) [[ $purpose == release || $purpose == nightly ]] ;;
  test) [[ $purpose == test || $purpose == nightly ]] ;;
  nightly) [[ $purpose == nightly ]] ;;
  esac
}

packages=(
  cmake g++ git ninja-build pkg-config
  libbenchmark-dev libboost-context-dev libboost-dev libcli11-dev
  libdw-dev libeigen3-dev libelf-dev libfmt-dev liblz4-dev libpq-dev libpugixml-dev libre2-dev
  libsoci-dev libsqlite3-dev libtomlplusplus-dev libxxhash-dev libzstd-dev nlohmann-json3-dev
)
# Of these all but python3 is there already wherever the above is.
! of release || packages+=(binutils dpkg gzip python3 tar)
! of test || packages+=(
  libcmark-gfm-dev libcmark-gfm-extensions-dev libgtest-dev libvalijson-dev libxml2-utils locales mandoc
  clang-format-14 clang-tidy-14 jq python3-pytest shellcheck
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

# All else builds and runs without these; who has them from elsewhere is asked for nothing.
optional=()
! of page || command -v npm >/dev/null || optional+=(nodejs npm)
if of test && ! command -v chromium google-chrome-stable google-chrome >/dev/null; then
  # Ubuntu's package is no browser but asks for a snap.
  if grep -qx 'ID=ubuntu' /etc/os-release; then
    printf 'There is no chromium: the HTML report is not tested in a browser. Ubuntu packages none; google-chrome will do.\n'
  else
    optional+=(chromium)
  fi
fi
! of image || command -v mmdebstrap >/dev/null || optional+=(mmdebstrap)
! of image || command -v umoci >/dev/null || optional+=(umoci)
! of test || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || optional+=(postgresql)
# Of Ubuntu 24.04's C++ library clang 14 is not known to take all.
! of nightly || command -v clang++-14 >/dev/null || grep -qx 'ID=ubuntu' /etc/os-release ||
  optional+=(clang-14 libclang-rt-14-dev)
! of nightly || PATH=$PATH:/usr/sbin command -v slurmctld >/dev/null ||
  optional+=(munge slurm-client slurmctld slurmd)
((${#missing[@]} + ${#optional[@]})) || exit 0

without_optional() {
  printf 'Going on without %s: what takes them is left out, and says so.\n' "${optional[*]}"
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
printf 'To be installed: %s\n' "${missing[*]} ${optional[*]}"

# Tests start PostgreSQL and Slurm themselves: installing them starts no service and leaves none enabled.
policy=/usr/sbin/policy-rc.d
keep_services_off() {
  [[ ! -e $policy ]] || return 0
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod +x "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
}
disable_services() {
  ! command -v systemctl >/dev/null || "${as_root[@]}" systemctl --quiet disable "$@" 2>/dev/null || true
}

install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y --no-install-recommends "$@"
}
hint="Check the network and the package sources, or install by hand: ${missing[*]} ${optional[*]}"
fetch_lists() {
  step "Fetching package lists" "$hint" "${as_root[@]}" apt-get -o Acquire::Retries=3 update
}
if ((${#missing[@]})); then
  fetch_lists
  step "Installing ${#missing[@]} packages" "$hint" install "${missing[@]}"
fi
if ((${#optional[@]})); then
  keep_services_off
  (
    ((${#missing[@]})) || fetch_lists
    step "Installing ${optional[*]}" "$hint" install "${optional[@]}"
  ) || without_optional
  [[ " ${optional[*]} " != *" postgresql "* ]] || disable_services postgresql
  [[ " ${optional[*]} " != *" munge "* ]] || disable_services munge slurmctld slurmd
fi
