#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_fields.sh SOURCE FIELD_TABLES
#
# The tables of fields in docs/reference/formats.md are those of the schemas.
set -euo pipefail
cd "$1"
diff docs/reference/formats.md <("$2" . docs/reference/formats.md) || {
  printf 'docs/reference/formats.md is out of date; take the right side: %s . docs/reference/formats.md\n' "$2"
  exit 1
}
