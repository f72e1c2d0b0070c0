#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_tables.sh SOURCE PROGRAMS
#
# Puts the tables into a copy of docs/kernels.md without them, and compares.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/docs"
cp "$1"/docs/kernels{.md,-h200.json} "$scratch/docs"
cd "$scratch"
sed -i '/^<!-- tables: begin -->$/,/^<!-- tables: end -->$/{/^<!-- tables:/!d}' docs/kernels.md
"$2/warpgauge" table docs/kernels-h200.json --into docs/kernels.md
diff "$1/docs/kernels.md" docs/kernels.md
