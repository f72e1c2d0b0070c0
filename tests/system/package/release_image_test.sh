#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release_image_test.sh SOURCE BUILD
#
# The image that ci/release.sh makes of BUILD, unpacked, runs in a root of its own: the program, and what a
# pipeline's steps call.
set -euo pipefail
source_root=$1
build=$2
for tool in mmdebstrap umoci; do
  command -v "$tool" >/dev/null || { echo "not tested: there is no $tool"; exit 77; }
done
((EUID == 0)) || { echo "not tested: an image takes root"; exit 77; }
"$source_root/package/release/image.sh" --check || exit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$source_root/ci/release.sh" --of "$build" --image --out "$scratch/out" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
(cd "$scratch/out" && sha256sum --check --quiet SHA256SUMS && grep -q 'oci\.tar$' SHA256SUMS)
mkdir "$scratch/image"
tar -xf "$scratch"/out/warpgauge-*-oci.tar -C "$scratch/image"
umoci unpack --image "$scratch/image:latest" "$scratch/bundle"
inside=$scratch/bundle/rootfs
for command in "warpgauge --version" "bash -c true" "git --version" "curl --version" "python3 -c pass"; do
  # shellcheck disable=SC2086  # words
  env -i PATH=/usr/bin:/bin /usr/sbin/chroot "$inside" $command >"$scratch/log" 2>&1 || { echo "$command fails: $(<"$scratch/log")"; exit 1; }
done
told=$(env -i PATH=/usr/bin:/bin /usr/sbin/chroot "$inside" warpgauge --version)
for line in "PostgreSQL   yes: " "git          yes: "; do
  [[ $told == *"$line"* ]] || { printf 'it does not say "%s":\n%s\n' "$line" "$told"; exit 1; }
done
sum=$(sha256sum "$inside/usr/bin/warpgauge")
tar -xzf "$scratch"/out/warpgauge-*.tar.gz -C "$scratch"
[[ $(sha256sum "$scratch"/warpgauge-*/bin/warpgauge) == "${sum%% *}"* ]] || { echo "the image has another program"; exit 1; }
