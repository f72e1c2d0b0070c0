#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_fields.sh SOURCE FIELD_TABLES
#
# The tables of fields in docs/formats.md are those of the schemas.
set -euo pipefail
cd "$1"
diff docs/formats.md <("$2" . docs/formats.md) || {
  printf 'docs/formats.md is out of date; take the right side: %s . docs/formats.md\n' "$2"
  exit 1
}
