#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each benchmark of the suite of cheats and writes what the harness says of it.

  run.py SUITE DEVICE SIDE [PASS...] > rows.tsv

A row: device, side (`first`: with the detectors as the cheats met them; `after`), benchmark, what it
was called (`ok`, `remark`, or a status), and the words. Of several passes the gravest counts. A cheat
that is late by the clock is in time where the host stalls: it is tried up to five times.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LATE_BY_THE_CLOCK = ["wave/later/", "wave/later_thread/"]
GRAVITY = ["ok", "remark", "crashed", "hung", "error", "wrong_result"]


def called(record):
    outcome = record.get("outcome", {})
    status = outcome.get("status", "ok")
    if status != "ok":
        return status, outcome["message"]
    remarks = record.get("remarks", [])
    return ("remark", remarks[0]) if remarks else ("ok", "")


def run(suite, of_pass, ids, folder):
    """Gives (id, status, words) of each; a process ends at the first that it refuses."""
    left = list(ids)
    while left:
        journal = folder / "journal"
        journal.unlink(missing_ok=True)
        (folder / "select").write_text("\n".join(left) + "\n")
        try:
            subprocess.run(
                [suite, f"--warpgauge_pass={of_pass}", f"--warpgauge_select={folder}/select",
                 f"--warpgauge_record={journal}"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=90, check=False,
                env={**os.environ, "WARPGAUGE_INSPECT_ALL": "1"})
            died = "crashed"
        except subprocess.TimeoutExpired:
            died = "hung"
        started = None
        for line in journal.read_text().splitlines() if journal.exists() else []:
            entry = json.loads(line)
            if "started" in entry:
                started = entry["started"]
                left.remove(started)
            else:
                yield (started, *called(entry["finished"]))
                started = None
        if started is not None:
            yield started, died, ""
        elif not journal.exists():
            sys.exit(f"{suite} runs nothing")


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: run.py SUITE DEVICE SIDE [PASS...]")
    suite, device, side, *passes = sys.argv[1:]
    try:
        described = json.loads(subprocess.check_output([suite, "--warpgauge_describe"]))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"{error}; build it: cmake --build --preset ci --target {pathlib.Path(suite).name}")
    ids = [entry["id"] for entry in described["benchmarks"]]
    worst = {each: ("ok", "") for each in ids}
    with tempfile.TemporaryDirectory() as folder:
        passes = passes or [described["passes"][0]]
        for of_pass, again in [(each, False) for each in passes] + [(passes[0], True)] * 4:
            left = [each for each in ids if not again or
                    worst[each][0] == "ok" and each.startswith(tuple(LATE_BY_THE_CLOCK))]
            for each, status, words in run(suite, of_pass, left, pathlib.Path(folder)):
                if GRAVITY.index(status) > GRAVITY.index(worst[each][0]):
                    worst[each] = status, words
    for each, (status, words) in sorted(worst.items()):
        name = "/".join(each.split("/")[:2])
        print(device, side, name, status, words.replace("\n", " ").replace("\t", " "), sep="\t")


if __name__ == "__main__":
    main()
