#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cheats_test.sh SOURCE SUITE RECORDED: what the emulator caught of the cheats is still caught, and
# no honest benchmark is accused.
set -euo pipefail
source_root=$1
suite=$2
recorded=$source_root/tests/museum/recorded/$3
# `later` launches from a thread that a busy host may hold up until after the harness has looked at
# the result: it is refused for what changed later, or for the result that is missing.
known() { cut -f3,4 | sed -E 's/^(wave\/later\t)(error|wrong_result)$/\1refused/' | sort; }
now=$(python3 "$source_root/tests/museum/cheats/run.py" "$suite" emulated after | known)
before=$(grep -P '^emulated\tafter\t' "$recorded" | known)
diff <(printf '%s\n' "$before") <(printf '%s\n' "$now")
if grep -P '/honest\S*\t(?!ok)' <<<"$now"; then exit 1; fi
