#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compression.py SOURCE BUILD FATBINARY

Whether the whole suite's machine code is read alike in all modes in which nvcc compresses it: the cubins
that the build made are put into fatbins again, by the step of nvcc that compresses. Ends with 77 where that
step has no modes.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

# Without the first, most modes compress PTX alone.
MODES = {mode: ["--compress-all", f"--compress-mode={mode}"] for mode in ("default", "size", "speed", "balance")}
MODES["none"] = ["-compress=false"]
FATBIN = 0xBA55ED50
A_CUBIN = 2
OF_ONE_ARCHITECTURE = 0x100000  # a flag: sm_90a
SKIPPED = 77


def cubins_in(fatbin):
    """Architecture and bytes of each cubin of an uncompressed fatbin."""
    at = 0
    while at < len(fatbin):
        magic, _, header, size = struct.unpack_from("<IHHQ", fatbin, at)
        if magic != FATBIN:
            raise RuntimeError(f"no fatbin at byte {at}")
        entry, at = at + header, at + header + size
        while entry < at:
            kind, _, length, payload = struct.unpack_from("<HHIQ", fatbin, entry)
            (architecture,) = struct.unpack_from("<I", fatbin, entry + 28)
            (flags,) = struct.unpack_from("<I", fatbin, entry + 40)
            if kind == A_CUBIN:
                suffix = "a" if flags & OF_ONE_ARCHITECTURE else ""
                yield f"{architecture}{suffix}", fatbin[entry + length : entry + length + payload]
            entry += length + payload


def kernels_of(warpgauge, place):
    answer = subprocess.run([warpgauge, "static", place, "--json"], check=True, capture_output=True, text=True)
    return sorted(json.dumps(each, sort_keys=True) for each in json.loads(answer.stdout)["kernels"])


def has_modes(fatbinary):
    answer = subprocess.run([fatbinary, "--help"], check=False, capture_output=True, text=True)
    return "--compress-mode" in answer.stdout + answer.stderr


def main():
    source, build, fatbinary = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    if not has_modes(fatbinary):
        print(f"not tested: {fatbinary} knows no --compress-mode")
        return SKIPPED
    warpgauge = build / "bin" / "warpgauge"
    whole = kernels_of(warpgauge, build / "bin" / "suite_machine_code")
    assert len(whole) > 100, f"{len(whole)} kernels are no whole suite"
    sizes, failed = {}, False
    with tempfile.TemporaryDirectory(prefix="warpgauge_compression_") as scratch:
        scratch = pathlib.Path(scratch)
        images = []
        # A build may still have fatbins of families that are gone.
        for family in sorted(each.name for each in (source / "benchmarks").glob("*.cu")):
            for architecture, cubin in cubins_in((build / "benchmarks" / f"{family}.fatbin").read_bytes()):
                place = scratch / f"{family}.{architecture}.cubin"
                place.write_bytes(cubin)
                images.append((place, architecture))
        for mode, options in MODES.items():
            folder = scratch / mode
            folder.mkdir()
            for place, architecture in images:
                out = folder / f"{place.stem}.fatbin"
                image = f"--image3=kind=elf,sm={architecture},file={place}"
                subprocess.run([fatbinary, f"--create={out}", "-64", *options, image], check=True)
            sizes[mode] = sum(each.stat().st_size for each in folder.iterdir())
            kernels = kernels_of(warpgauge, folder)
            same = kernels == whole
            print(f"{mode}: {len(images)} images, {sizes[mode]} bytes, {len(kernels)} kernels" + ("" if same else ": OTHER"))
            failed |= not same
    # Else nothing was compressed, and nothing is shown.
    failed |= any(sizes[mode] >= sizes["none"] for mode in MODES if mode != "none")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
