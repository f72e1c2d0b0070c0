#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cheats_test.sh SOURCE SUITE: what the emulator caught of the cheats is still caught, and no
# honest benchmark is accused.
set -euo pipefail
source_root=$1
suite=$2
known() { cut -f3,4 | sort; }
now=$(python3 "$source_root/tests/museum/cheats/run.py" "$suite" emulated after | known)
recorded=$(grep -P '^emulated\tafter\t' "$source_root/tests/museum/recorded/cheats.tsv" | known)
diff <(printf '%s\n' "$recorded") <(printf '%s\n' "$now")
if grep -P '/honest\S*\t(?!ok)' <<<"$now"; then exit 1; fi
