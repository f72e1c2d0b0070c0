#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cheats_test.sh SOURCE SUITE RECORDED: what the emulator caught of the cheats is still caught, and
# no honest benchmark is accused.
set -euo pipefail
source_root=$1
suite=$2
recorded=$source_root/tests/museum/recorded/$3
known() { cut -f3,4 | sort; }
now=$(python3 "$source_root/tests/museum/cheats/run.py" "$suite" emulated after | known)
before=$(grep -P '^emulated\tafter\t' "$recorded" | known)
diff <(printf '%s\n' "$before") <(printf '%s\n' "$now")
if grep -P '/honest\S*\t(?!ok)' <<<"$now"; then exit 1; fi
