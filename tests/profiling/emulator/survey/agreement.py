#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agreement.py REPORTS MEASURED JUDGED [DOCUMENT]

Holds what the emulator counted of public programs against what a GPU counted, kernel by kernel: the
first launch of each, where both had the same grid and block.

  REPORTS   a folder with PROGRAM.json for each program: its report, of WARPGAUGE_REPORT=PROGRAM.json
  MEASURED  a folder with PROGRAM.csv, of `ncu --csv --page raw --print-kernel-base mangled
            --kernel-name-base mangled --kernel-id :::1 --metrics ...` (METRICS below), PROGRAM.2.csv
            and so on, of the same once more, and PROGRAM.sass.gz, of `nvdisasm -g` of its machine
            code, which says why they differ. Where a GPU differs from itself, there is no one answer.
  JUDGED    PROGRAM, KERNEL and WHY, a line each with tabs between: what the machine code does not say
  DOCUMENT  Markdown, whose table between its marks is replaced; else the table is printed
"""
import csv
import glob
import gzip
import json
import os
import re
import subprocess
import sys

METRICS = [
    "smsp__sass_inst_executed_op_shared_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_inst_executed_op_shared_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_inst_executed_op_global_ld.sum",
    "smsp__sass_inst_executed_op_global_st.sum",
]
BEGIN, END = "<!-- public: begin -->", "<!-- public: end -->"
ACCESSES = [("shared_load", "LDS"), ("shared_store", "STS"), ("global_load", "LDG"), ("global_store", "STG")]


def demangled(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return text.stdout.split("\n")


def measured(path):
    """By kernel: (figures, grid, block, mangled name)."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if line.startswith('"')))
    kernels = {}
    for row in rows[2:]:
        column = dict(zip(rows[0], row))
        figures = [column[metric].replace(",", "") for metric in METRICS]
        if "nan" in figures:
            continue  # the program was ended early
        shape = [tuple(int(x) for x in re.findall(r"\d+", column[of])) for of in ("Grid Size", "Block Size")]
        name = column["Kernel Name"]
        kernels.setdefault(name, (tuple(int(x) for x in figures), *shape, name))
    return dict(zip(demangled(kernels), kernels.values()))


def without_one_answer(program, folder):
    """The kernels whose figures differ from one measurement of the GPU to another."""
    first = measured(f"{folder}/{program}.csv")
    changed = set()
    for path in glob.glob(f"{folder}/{program}.[0-9].csv"):
        again = measured(path)
        changed |= {name for name in first.keys() & again.keys() if first[name] != again[name]}
    return changed


def figures_of(lines):
    def total(access, what):
        return sum(line.get(what, 0) for line in lines if line["access"] == access)

    return (
        total("shared_load", "requests"),
        total("shared_load", "wavefronts"),
        total("shared_store", "requests"),
        total("shared_store", "wavefronts"),
        total("global_load", "requests"),
        total("global_store", "requests"),
    )


def instructions(path):
    """By mangled kernel: [(file:line, opcode)]."""
    kernels, place, here = {}, "", None
    if not os.path.exists(path):
        return kernels
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            if section := re.search(r"\.section\s+\.text\.([^,\s]+)", line):
                here = kernels.setdefault(section[1], [])
            elif source := re.search(r'//## File "([^"]+)", line (\d+)', line):
                place = f"{os.path.basename(source[1])}:{source[2]}"
            elif opcode := re.search(r"\*/\s+(?:@!?U?P\w+\s+)?((?:LDS|STS|LDG|STG|ATOMS|LD|ST)\b[.\w]*)", line):
                if here is not None:
                    here.append((place, opcode[1]))
    return kernels


def width(opcode):
    for part, size in ((".128", 16), (".64", 8), (".U16", 2), (".S16", 2), (".U8", 1), (".S8", 1)):
        if part in opcode:
            return size
    return 4


def reason(access, mnemonic, lines, code, emulated, on_gpu):
    """Why the machine code makes another number of these accesses; empty: it does not say."""
    ours, written = {}, {}
    for line in lines:
        if line["access"] == access:
            place = f"{os.path.basename(line['file'])}:{line['line']}"
            ours[place] = max(ours.get(place, 0), line["bytes"])
            written[place] = written.get(place, 0) + 1
    theirs = {}
    for place, opcode in code:
        if opcode.split(".")[0] == mnemonic:
            theirs.setdefault(place, []).append(opcode)
    if on_gpu > emulated:
        if mnemonic == "LDS" and any("ATOMS.CAS" in opcode for _, opcode in code):
            return "an atomic operation is a loop of `LDS` and `ATOMS.CAS`"
        others = [place for place in theirs if place not in ours]
        if others:
            return f"`{mnemonic}` for {others[0]}, where the source has no such access"
        copied = [place for place in ours if len(theirs.get(place, [])) > written[place]]
        if copied:
            most = max(copied, key=lambda place: len(theirs[place]) / written[place])
            return (
                f"unrolled: {len(theirs[most])} `{mnemonic}` for {most}, and lanes that leave the loop after "
                "different rounds are at different ones"
            )
        return ""
    merged = [place for place in ours if any(width(opcode) > ours[place] for opcode in theirs.get(place, []))]
    if merged:
        kinds = sorted({opcode for opcode in theirs[merged[0]] if width(opcode) > ours[merged[0]]})
        return f"merged, {merged[0]}: `{kinds[-1]}`"
    absent = [place for place in ours if place not in theirs]
    if absent:
        return f"no `{mnemonic}` for {absent[0]}"
    fewer = sorted(ours, key=lambda place: len(theirs[place]))
    return f"{sum(map(len, theirs.values()))} `{mnemonic}`, as at {fewer[0]}" if fewer else ""


def without_parameters(kernel):
    """`void f<(K)1>(int, float)` is `f<(K)1>`."""
    depth = 0
    for at in range(len(kernel) - 1, -1, -1):
        depth += (kernel[at] == ")") - (kernel[at] == "(")
        if depth == 0:
            return kernel[:at].removeprefix("void ")
    return kernel


def judgements(path):
    """By program and kernel."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return {(program, kernel): why for program, kernel, why in rows}


def compare(program, reports, folder, judged):
    kernels = measured(f"{folder}/{program}.csv")
    changed = without_one_answer(program, folder)
    code = instructions(f"{folder}/{program}.sass.gz")
    with open(f"{reports}/{program}.json", encoding="utf-8") as file:
        observed = json.load(file)["kernels"]
    named = {kernel["first_launch"]["symbol"] for kernel in observed}
    left = [name for name in kernels if name not in named]
    for entry in observed:
        first = entry["first_launch"]
        name = first["symbol"]
        if name not in kernels:
            # A template that was called without its arguments: those of its name, in their order.
            base = re.escape(entry["name"].split("<")[0])
            name = next((each for each in left if re.search(rf"\b{base}<", each)), None)
            if name is None:
                continue
            left.remove(name)
        on_gpu, grid, block, mangled = kernels[name]
        if not first["completed"] or (tuple(first["grid"]), tuple(first["block"])) != (grid, block):
            continue
        ours = figures_of(first["lines"])
        why = []
        for (access, mnemonic), at in zip(ACCESSES, (0, 2, 4, 5)):
            if ours[at] != on_gpu[at]:
                why.append(reason(access, mnemonic, first["lines"], code.get(mangled, []), ours[at], on_gpu[at]))
        kernel = without_parameters(name)
        yield {
            "program": program,
            "kernel": kernel,
            "emulated": ours,
            "measured": on_gpu,
            "one_answer": name not in changed,
            "why": [text for text in why if text],
            "judged": judged.get((program, kernel)),
        }


def cell(ours, theirs):
    return f"{ours:,}" if ours == theirs else f"**{ours:,} / {theirs:,}**"


def named(rows):
    return ", ".join(f"{row['program']} `{row['kernel']}`" for row in rows)


def counted(part, whole):
    return f"{len(part)} ({100 * len(part) / max(len(whole), 1):.0f} %)"


def table(every):
    rows = [row for row in every if row["one_answer"]]
    shared = [row for row in rows if any(row["emulated"][:4]) or any(row["measured"][:4])]
    equal = [row for row in rows if row["emulated"] == row["measured"]]
    equal_shared = [row for row in shared if row["emulated"][:4] == row["measured"][:4]]
    differ = [row for row in rows if row["emulated"] != row["measured"]]
    judged = [row for row in differ if row["judged"]]
    explained = [row for row in differ if row["why"] and not row["judged"]]
    equal_in_shared = [row for row in rows if row["emulated"][:4] == row["measured"][:4]]
    text = (
        f"{len(rows)} kernels of {len({row['program'] for row in rows})} programs, and {len(every) - len(rows)} "
        f"that have no one answer. {counted(equal_in_shared, rows)} are equal in the four figures of shared memory, "
        f"{counted(equal, rows)} in all six; {len(explained)} of the other {len(differ)} differ as the machine code "
        f"says, {len(judged)} for a reason that was found by reading. Of the {len(shared)} that use shared memory, "
        f"{counted(equal_shared, shared)} are equal in its four figures.\n\n"
        "| program | kernel | load requests | load wavefronts | store requests | store wavefronts "
        "| global loads | global stores | why they differ |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n"
    )
    for row in differ:
        cells = [cell(ours, theirs) for ours, theirs in zip(row["emulated"], row["measured"])]
        why = row["judged"] or "; ".join(row["why"]) or "not by machine code"
        text += f"| {row['program']} | `{row['kernel']}` | {' | '.join(cells)} | {why} |\n"
    text += f"\nEqual: {named(equal)}.\n"
    others = [row for row in every if not row["one_answer"]]
    if others:
        text += f"\nNo one answer, since the GPU counted otherwise when it was asked again: {named(others)}.\n"
    return text


def main(arguments):
    if len(arguments) not in (3, 4):
        sys.exit(__doc__)
    reports, folder = arguments[:2]
    judged = judgements(arguments[2])
    rows = []
    for path in sorted(glob.glob(f"{folder}/*.csv")):
        program = os.path.basename(path)[:-4]
        if re.search(r"\.[0-9]$", program):
            continue
        if os.path.exists(f"{reports}/{program}.json"):
            rows += compare(program, reports, folder, judged)
    text = table(rows)
    if len(arguments) == 3:
        print(text, end="")
        return
    with open(arguments[3], encoding="utf-8") as file:
        document = file.read()
    begin, end = document.index(BEGIN) + len(BEGIN), document.index(END)
    with open(arguments[3], "w", encoding="utf-8") as file:
        file.write(f"{document[:begin]}\n\n{text}\n{document[end:]}")


if __name__ == "__main__":
    main(sys.argv[1:])
