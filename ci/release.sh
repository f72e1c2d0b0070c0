#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes what others install: one build of the command line, which takes from the machine no library but
# glibc, as a tarball, a Debian package and a Python wheel, with SHA-256 sums and a list of what is linked in
# (SPDX). They are the same to the byte wherever and whenever the same commit is built with the same
# packages.
#
#   ci/release.sh [--of BUILD] [--image] [--out FOLDER]
#
# --of: what was built there already, in place of a build of its own in build/release.
# --image: also an image for containers, of Debian's packages; takes root and a mirror.
# --out: where they go (default: build/release/packages); what is there of an earlier release is replaced.
set -euo pipefail
source "$(dirname "$0")/scripts/common.sh"

built=
image=
out=
while (($#)); do
  case $1 in
  --of | --out)
    [[ ${2:-} ]] || die "$1 needs a folder" 64
    if [[ $1 == --of ]]; then
      built=$(cd "$2" 2>/dev/null && pwd) || die "--of: there is no folder $2" 64
    else
      out=$(realpath -m "$2")
    fi
    shift
    ;;
  --image) image=yes ;;
  *) die "unknown argument '$1'; there are --of, --image and --out" 64 ;;
  esac
  shift
done
cd "$root"

if [[ ! $built ]]; then
  ci/scripts/setup.sh release
  built=$root/build/release
  configure release
  step "Building a release" "Fix the error above." cmake --build --preset release
fi
out=${out:-$root/build/release/packages}
grep -qs '^WARPGAUGE_LINKED_IN:BOOL=ON$' "$built/CMakeCache.txt" ||
  die "$built takes libraries from the machine: configure it with -DWARPGAUGE_LINKED_IN=ON, which needs them as archives"

told=$("$built/bin/warpgauge" --version)
[[ $told =~ ^warpgauge\ ([0-9.]+) ]] || die "$built/bin/warpgauge does not say its version"
version=${BASH_REMATCH[1]}
trust_checkout
revision=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8 TZ=UTC
umask 022

# written: the names of what is written to $out, and of no file of others.
written() {
  local name
  for name in "$out"/warpgauge-*-linux-*.{tar.gz,spdx.json} "$out"/warpgauge_*_*.deb "$out"/warpgauge-*-py3-none-*.whl \
    "$out"/warpgauge-*-oci.tar; do
    [[ ! -f $name ]] || printf '%s\n' "${name##*/}"
  done
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"
step "Collecting what is released" "Build the target 'release' first." \
  cmake --install "$built" --component release --strip --prefix "$scratch/stage"
(cd "$out" && { written && echo SHA256SUMS; } | xargs -d '\n' rm -f --)
step "Packing warpgauge $version" "Is all of ci/scripts/setup.sh release there?" \
  python3 package/release/pack.py "$root" "$built" "$scratch/stage" "$out" "$version" "$revision"
if [[ $image ]]; then
  for package in "$out"/warpgauge_*.deb; do
    step "Making an image" "It takes root, mmdebstrap, umoci and a mirror of Debian." \
      package/release/image.sh "$package" "$out/warpgauge-$version-oci.tar"
  done
fi
(cd "$out" && written | sort | xargs -d '\n' sha256sum -- >SHA256SUMS)
(cd "$out" && written | xargs -d '\n' ls -l --block-size=1 SHA256SUMS --)
