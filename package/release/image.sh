#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image.sh PACKAGE OUT: an OCI image of Debian 12 with that Debian package in it, and with what a pipeline's steps
# take: a shell, git, curl, Python and libpq. Needs root and a mirror of Debian; of the same packages in the mirror
# comes the same image. Its date is SOURCE_DATE_EPOCH.
#
# image.sh --check: whether it can be made here. Where it cannot, either says why and ends with 77.
set -euo pipefail

system=$(. /etc/os-release && echo "${ID:-} ${VERSION_ID:-}") || system="an unknown one"
[[ $system == "debian 12" ]] ||
  { echo "no image is made: it is of Debian 12, what is built here is of another system ($system)"; exit 77; }
# The one that mmdebstrap takes, with those of its updates, unless it is told one.
mirror=http://deb.debian.org/debian
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
# As apt asks, by its proxy if it has one.
timeout 60 /usr/lib/apt/apt-helper -o Acquire::Retries=0 -o Acquire::http::Timeout=20 \
  download-file "$mirror/dists/bookworm/Release" "$answer" >/dev/null 2>&1 || true
[[ -s $answer ]] || { echo "no image is made: $mirror does not answer"; exit 77; }
rm "$answer"
[[ $1 != --check ]] || exit 0

package=$(realpath "$1")
out=$(realpath -m "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
created=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)

cp "$package" "$scratch/warpgauge.deb"
# shellcheck disable=SC2016  # mmdebstrap gives its hooks the folder as $1
mmdebstrap --quiet --mode=root --variant=minbase --include=ca-certificates,curl,git,libpq5,python3-minimal \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*/changelog*' \
  --customize-hook="copy-in $scratch/warpgauge.deb /tmp" \
  --customize-hook='chroot "$1" dpkg --install /tmp/warpgauge.deb && rm "$1"/tmp/warpgauge.deb' \
  bookworm "$scratch/root.tar"

umoci init --layout "$scratch/image"
umoci new --image "$scratch/image:latest"
umoci raw add-layer --image "$scratch/image:latest" --history.created "$created" --history.created_by mmdebstrap "$scratch/root.tar"
umoci config --image "$scratch/image:latest" --no-history --created "$created" --config.cmd /bin/bash \
  --config.env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --config.label org.opencontainers.image.title=warpgauge
umoci gc --layout "$scratch/image"
tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
  -cf "$out" -C "$scratch/image" .
