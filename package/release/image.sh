#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image.sh PACKAGE OUT: an OCI image of Debian 12 with that Debian package in it, and with what a pipeline's steps
# take: a shell, git, curl, Python and libpq. Needs root and a mirror of Debian; of the same packages in the mirror
# comes the same image. Its date is SOURCE_DATE_EPOCH.
set -euo pipefail
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
