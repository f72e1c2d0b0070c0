#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""keep.py FOLDER FILE: what is kept of a run of the ladder, as recorded data.

FOLDER is what run.sh wrote. A row is what a gate said of a kernel of a rung, with the times of the pairs of
processes by which it said so."""
import collections
import json
import pathlib
import sys


def figures(file):
    """Nanoseconds of each process, by id."""
    found = collections.defaultdict(list)
    for entry in json.loads(file.read_text())["benchmarks"]:
        told = entry.get("warpgauge", {})
        if told.get("pass") == "time" and told.get("time_ns"):
            found[told["id"]].append(round(told["time_ns"], 2))
    return found


def rows(folder, after_file):
    """What the gate of the folder said of times; nothing where it was cut short."""
    files = [folder / name for name in ("verdict.json", "against.json", after_file)]
    if not all(file.exists() for file in files):
        return
    before, after = figures(files[1]), figures(files[2])
    for benchmark in json.loads(files[0].read_text())["benchmarks"]:
        for metric in benchmark["metrics"]:
            if metric["metric"] == "time" and after[benchmark["id"]]:
                yield {"id": benchmark["id"], "units": int(folder.name.split("-")[1]),
                       "verdict": metric["verdict"], "floor": metric.get("floor"),
                       "before": before[benchmark["id"]], "after": after[benchmark["id"]]}


def main():
    root, target = map(pathlib.Path, sys.argv[1:])
    every = []
    for pattern, after_file in (("rung-*", "results.json"), ("gate-*", "in_turns.json")):
        for folder in root.glob(pattern):
            every += rows(folder, after_file)
    every.sort(key=lambda row: (row["id"], row["units"], len(row["after"])))
    told = json.loads(next(root.glob("rung-*/results.json")).read_text())["context"]["warpgauge"]
    measured = {"device": told["device"]["name"], "driver": told["device"]["driver"],
                "cuda": told["toolchain"]["cuda"], "created": told["created"]}
    lines = ",\n".join(" " + json.dumps(row, separators=(",", ":")) for row in every)
    target.write_text('{"measured":' + json.dumps(measured) + ',"kernels":[\n' + lines + "\n]}\n")


main()
