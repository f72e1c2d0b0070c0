#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rungs.py FOLDER...: which rung makes each kernel slower by about 0.5, 1 and 2 %.

Reads results.json and against.json of each rung's FOLDER, named rung-UNITS, prints how much slower each
kernel is to standard error, and to standard output a line for each rung to be gated: UNITS and a regular
expression of the ids of its kernels."""
import collections
import json
import math
import pathlib
import sys

TARGETS = (0.005, 0.01, 0.02)


def times(file):
    """Means over processes, in nanoseconds, by id."""
    figures = collections.defaultdict(list)
    for entry in json.loads(file.read_text())["benchmarks"]:
        told = entry.get("warpgauge", {})
        if told.get("pass") == "time" and told.get("time_ns"):
            figures[told["id"]].append(told["time_ns"])
    return {name: sum(each) / len(each) for name, each in figures.items()}


slower = collections.defaultdict(dict)  # by id and units
for folder in map(pathlib.Path, sys.argv[1:]):
    before = times(folder / "against.json")
    for name, time in times(folder / "results.json").items():
        if name in before:
            slower[name][int(folder.name.removeprefix("rung-"))] = time / before[name] - 1

chosen = collections.defaultdict(set)  # ids by units
for name, by_units in sorted(slower.items()):
    row = "  ".join(f"{units}: {100 * by_units[units]:+.2f} %" for units in sorted(by_units))
    print(f"{name:45s}{row}", file=sys.stderr)
    for target in TARGETS:
        near = {u: abs(math.log(s / target)) for u, s in by_units.items() if s > target / 2}
        if near:
            chosen[min(near, key=near.get)].add(name)

# What is smallest first: it is what is least known.
for units in sorted(chosen):
    print(units, "^(" + "|".join(sorted(chosen[units])) + ")$")
