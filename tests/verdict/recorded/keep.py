#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""keep.py RESULTS FILE.json.zst: what is kept of a session, as recorded data. Needs zstd.

RESULTS is the results.json of a gate that timed everything (`gate --all`) or of `run`. Kept are the session, each
benchmark's code, launches, input and counters, each process's time, and of its samples sixteen, spread evenly over
all of them: other tools' rules need them. Source lines, what the device did meanwhile and counters that differ from
run to run are left out."""
import json
import pathlib
import subprocess
import sys

SAMPLES = 16
OF_ENTRY = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time",
            "cpu_time", "time_unit", "warpgauge"}
OF_CONTEXT = {"date", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "library_build_type", "warpgauge"}
NOISY = {"dram_read_bytes", "dram_write_bytes", "l2_hit_rate", "occupancy"}
LEFT_OUT = {"device_state", "sampling", "kernels", "counters", "inspection"}


def read(file):
    if file.suffix == ".zst":
        return json.loads(subprocess.run(["zstd", "-dcq", file], check=True, capture_output=True).stdout)
    return json.loads(file.read_text())


def spread(samples):
    if len(samples) <= SAMPLES:
        return samples
    return [samples[i * len(samples) // SAMPLES] for i in range(SAMPLES)]


def kept(entry, first):
    """Counters and code once: they are of the benchmark. The span is a time."""
    told = {key: value for key, value in entry["warpgauge"].items()
            if key not in LEFT_OUT and (first or key not in ("machine_code", "launches"))}
    told.update(lines=[], not_measured={})
    if "samples_ns" in told:
        told["samples_ns"] = [int(each) if each == int(each) else each for each in spread(told["samples_ns"])]
    if "time_ns" in told:
        told["time_ns"] = round(told["time_ns"], 2)
    slim = {key: value for key, value in entry.items()
            if key in OF_ENTRY or key == "span" or (first and key not in NOISY and isinstance(value, float))}
    slim["real_time"] = round(entry["real_time"], 5)
    slim["cpu_time"] = 0
    slim["warpgauge"] = told
    return slim


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    results = read(source)
    context = {key: value for key, value in results["context"].items() if key in OF_CONTEXT}
    seen = set()
    entries = []
    for entry in results["benchmarks"]:
        if "warpgauge" not in entry:
            continue
        identity = entry["warpgauge"].get("id")
        entries.append(kept(entry, identity not in seen))
        seen.add(identity)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) for entry in entries)
    text = '{"context":' + json.dumps(context) + ',"benchmarks":[\n' + lines + "\n]}\n"
    whole = text.encode()
    subprocess.run(["zstd", "-19", "-q", "-f", f"--stream-size={len(whole)}", "-o", target], input=whole, check=True)


main()
