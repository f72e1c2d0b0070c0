#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a release of Warpgauge ready in a pipeline, and prints the folder of its programs. One that is installed is
# taken as it is; else the tarball is downloaded once, and unpacked if it has the sum that was given.
#
#   PATH="$(install.sh):$PATH"
#
# From the environment: WARPGAUGE_URL and WARPGAUGE_SHA256, the address of a release's tarball and its sum;
# WARPGAUGE_HOME, where both are kept (default: .warpgauge in the current folder), which a cache may hold.
set -euo pipefail

die() {
  printf 'warpgauge: %s\n' "$*" >&2
  exit 4
}

if [[ -z ${WARPGAUGE_URL:-} ]]; then
  [[ -z ${WARPGAUGE_SHA256:-} ]] || die "WARPGAUGE_SHA256 is given, and WARPGAUGE_URL names no release that has it: give both, or neither"
  there=$(command -v warpgauge) || die "it is not installed here, and WARPGAUGE_URL names no release: install one, or give the address of its tarball and WARPGAUGE_SHA256"
  dirname "$there"
  exit 0
fi
[[ ${WARPGAUGE_SHA256:-} =~ ^[0-9a-f]{64}$ ]] ||
  die "WARPGAUGE_SHA256 is no SHA-256 sum: copy the tarball's from SHA256SUMS of the release"

home=${WARPGAUGE_HOME:-$PWD/.warpgauge}
mkdir -p "$home"
home=$(cd "$home" && pwd)
tarball=$home/$WARPGAUGE_SHA256.tar.gz
is_right() { [[ -f $tarball ]] && echo "$WARPGAUGE_SHA256  $tarball" | sha256sum --check --status; }
if ! is_right; then
  curl --fail --silent --show-error --location --retry 3 --output "$tarball.part" "$WARPGAUGE_URL" ||
    die "$WARPGAUGE_URL cannot be downloaded"
  mv "$tarball.part" "$tarball"
  if ! is_right; then
    rm -f "$tarball"
    die "what lies at $WARPGAUGE_URL has another SHA-256 sum than WARPGAUGE_SHA256: take the sum from SHA256SUMS of that release"
  fi
fi
# From the tarball each time: a cache may have been written to by others.
unpacked=$(mktemp -d "$home/release-XXXXXX")
tar -xzf "$tarball" --strip-components=1 -C "$unpacked"
[[ -x $unpacked/bin/warpgauge ]] || die "$WARPGAUGE_URL is no release: it has no bin/warpgauge"
echo "$unpacked/bin"
