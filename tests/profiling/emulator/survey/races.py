#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""races.py run [OPTION...] CASES RESULTS
races.py section RESULTS JUDGED

Holds the races that the emulator reports against what others say of kernels: a collection's own
labels. Knows no collection: the list of cases says how each kernel is run.

  CASES    a line a case, with tabs between: collection, case, truth (`racy` or `race-free`), why it
           is out of scope (or nothing), and a command for bash, which builds and runs a program
  RESULTS  a line a case: collection, case, truth, outcome, why. The outcome is `found`, `remarked`
           (several threads write one value, which is no error) or `missed` of a racy one, `silent`
           or `false` of a race-free one, or `out of scope`
  JUDGED   a line for what was missed or false, read one by one: collection, cases (a pattern as in
           a shell), outcome, judged, why. What is judged `out of scope` is counted there

  -j N          cases at once (1)
  --seconds N   at most, for each (60)
  --only TEXT   the cases with TEXT in collection/case; the others' results stay
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile

RACE = re.compile(r"(shared|global) memory race: ")
SAME_VALUE = re.compile(r"same value written by several threads: ")
OUTCOMES = {"racy": {"race": "found", "same value": "remarked", "none": "missed"},
            "race-free": {"race": "false", "same value": "silent", "none": "silent"}}
ORDER = ["found", "remarked", "missed", "silent", "false"]


def read(path, columns):
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip()]
    for row in rows:
        if len(row) != columns:
            sys.exit(f"races.py: {path}: {columns} columns, not {len(row)}: {row}")
    return rows


# --- running them ---------------------------------------------------------------------------------


def one_line(text):
    """Without folders, which say where somebody keeps the collection."""
    text = re.sub(r"/?(?:[\w.+-]+/)+([\w.+-]+:\d+)", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()[:160]


def reported(report):
    """(`race`, `same value` or `none`, the places of the first, else the first error)."""
    findings = [each for kernel in report["kernels"] for each in kernel["findings"]]
    errors = [each["text"] for each in findings if each["severity"] == "error"]
    for what, pattern, texts in [("race", RACE, errors),
                                 ("same value", SAME_VALUE, [each["text"] for each in findings])]:
        told = [text for text in texts if pattern.match(text)]
        if told:
            places = re.findall(r" at \S*?([^/\s]+:\d+)", told[0])
            return what, ", ".join(dict.fromkeys(places))
    return "none", one_line((errors + [""])[0])


def why_no_report(said):
    """What a program without a report says, as its class and the text."""
    for what, pattern in [("the emulator lacks it", r"the emulator has no ([^;(]*[^;( ])"),
                          ("does not link", r"(undefined reference to .*|multiple definition .*)"),
                          ("does not compile", r"error: (.*)")]:
        found = re.search(pattern, said)
        if found:
            return f"{what}: {one_line(found[1])}"
    return "no report: " + one_line((said.strip().split("\n") or [""])[-1])


def outcome_of(truth, command, seconds):
    """(outcome, why) of one case."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        environment = dict(os.environ, WARPGAUGE_REPORT=path, WARPGAUGE_ON_ERROR="continue")
        done = subprocess.run(
            ["timeout", "-k", "5", str(seconds), "bash", "-c", command], cwd=folder,
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", check=False)
        if not os.path.exists(path):
            return "out of scope", why_no_report(done.stderr)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    what, why = reported(report)
    if what == "none" and not report["kernels"]:
        return "out of scope", "launches nothing: " + one_line(done.stdout + done.stderr)
    if what == "none" and done.returncode in (124, 137):
        return "out of scope", "time-out"
    if what == "none" and any(kernel["unfinished"] for kernel in report["kernels"]):
        return "out of scope", "another error ends it first: " + why
    return OUTCOMES[truth][what], why


def run(arguments):
    results = {}
    if os.path.exists(arguments.results):
        results = {tuple(row[:2]): row for row in read(arguments.results, 5)}
    cases = read(arguments.cases, 5)

    def result(case):
        collection, name, truth, scope, command = case
        if scope:
            return [collection, name, truth, "out of scope", scope]
        outcome, why = outcome_of(truth, command, arguments.seconds)
        return [collection, name, truth, outcome, why.replace(os.path.basename(name) + ".cu:", "")]

    chosen = [case for case in cases if arguments.only in f"{case[0]}/{case[1]}"]
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        for row in pool.map(result, chosen):
            results[tuple(row[:2])] = row
            print("\t".join(row)[:200], file=sys.stderr)
    with open(arguments.results, "w", encoding="utf-8") as file:
        for case in cases:
            if tuple(case[:2]) in results:
                file.write("\t".join(results[tuple(case[:2])]) + "\n")


# --- the section of the page ----------------------------------------------------------------------


def judged_rows(results, judged):
    """The results, with what was judged out of scope counted there; and the judgements that some
    result has, with their number."""
    rows, used = [], collections.Counter()
    for collection, case, truth, outcome, why in results:
        for index, (of, pattern, when, verdict, reason) in enumerate(judged):
            if of == collection and when == outcome and fnmatch.fnmatchcase(case, pattern):
                used[index] += 1
                if verdict == "out of scope":
                    outcome, why = "out of scope", reason
                break
        rows.append((collection, case, truth, outcome, why))
    return rows, used


def table(headers, rows):
    print("| " + " | ".join(headers) + " |")
    print("|---" * len(headers) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
    print()


def counts(rows):
    total = collections.defaultdict(collections.Counter)
    for collection, _, _, outcome, _ in rows:
        for name in (collection, "all"):
            total[name][outcome] += 1
            total[name]["kernels"] += 1
    names = [name for name in total if name != "all"] + ["all"]
    return [[name, total[name]["kernels"], *(total[name][each] for each in ORDER),
             total[name]["out of scope"]] for name in names]


def section(arguments):
    judged = read(arguments.judged, 5)
    rows, used = judged_rows(read(arguments.results, 5), judged)
    print("Of what is in scope:\n")
    table(["collection", "kernels", "racy: found", "remarked", "missed", "race-free: silent",
           "false", "out of scope"], counts(rows))
    reasons = collections.Counter(
        (row[0], row[4] if row[4].startswith("the ") else re.sub(r": .*", "", row[4]))
        for row in rows if row[3] == "out of scope")
    print("Out of scope, and why:\n")
    table(["collection", "why", "kernels"],
          [[*key, count] for key, count in sorted(reasons.items())])
    print("What was missed or false at first, read one by one:\n")
    table(["collection", "kernels", "cases", "label and report", "judged", "why"],
          [[of, used[index], f"`{pattern}`", outcome, verdict, why]
           for index, (of, pattern, outcome, verdict, why) in enumerate(judged)])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run", usage=__doc__)
    runs.add_argument("cases")
    runs.add_argument("results")
    runs.add_argument("-j", type=int, default=1)
    runs.add_argument("--seconds", type=int, default=60)
    runs.add_argument("--only", default="")
    runs.set_defaults(what=run)
    prints = commands.add_parser("section", usage=__doc__)
    prints.add_argument("results")
    prints.add_argument("judged")
    prints.set_defaults(what=section)
    arguments = parser.parse_args()
    arguments.what(arguments)


if __name__ == "__main__":
    main()
