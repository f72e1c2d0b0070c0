#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""planted.py SOURCE BUILD [--quick] [--jobs N] [--kind KIND] [--report FILE]

Whether `warpgauge affected` finds what a change can have touched. Plants the changes of changes.py
one at a time, builds of each family that one touches the machine code and the emulator's suite,
asks `affected`, and holds its answer against the truth. That is looked up by a route of its own:
the sections of the cubins, read here, and what the emulator's suite launched and counted, and on
what input.

Ends with 0 if no benchmark is missed whose machine code, launches, counts or input changed, and at
most 5 % of the benchmarks are named in vain.
"""

import argparse
import concurrent.futures
import copy
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from changes import CHANGES  # noqa: E402
from cubin import kernels_of  # noqa: E402

MOST_IN_VAIN = 0.05


def run(command, may_end_with=(0,), **more):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode not in may_end_with:
        raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Recipes:
    """How the build makes a suite and its machine code, asked of ninja, for one family at a time."""

    def __init__(self, source, build):
        self.source, self.build = source, build
        lines = run(["ninja", "-C", build, "-t", "commands", "suite_emulated", "suite_machine_code"])
        self.lines = lines.splitlines()

    def of(self, tree):
        """Those that CMake makes of that tree, for what is built already."""
        folder = tree / "configured"
        folder.mkdir()
        cache = (self.build / "CMakeCache.txt").read_text()
        cache = cache.replace(str(self.build), str(folder)).replace(str(self.source), str(tree))
        (folder / "CMakeCache.txt").write_text(cache)
        for compilers in (self.build / "CMakeFiles").glob("[0-9]*"):
            shutil.copytree(compilers, folder / "CMakeFiles" / compilers.name)
        run(["cmake", "-S", tree, "-B", folder])
        lines = run(["ninja", "-C", folder, "-t", "commands", "suite_emulated", "suite_machine_code"])
        other = copy.copy(self)
        other.lines = lines.replace(str(folder), str(self.build)).replace(str(tree), str(self.source)).splitlines()
        return other

    def _line(self, *parts):
        found = [line for line in self.lines if all(part in line for part in parts)]
        if len(found) != 1:
            raise RuntimeError(f"{len(found)} commands of the build have {parts}: a build by ninja "
                               "with the emulator and nvcc is needed")
        return found[0]

    def machine_code(self, family, tree, out, flags):
        """For the first architecture alone: a cubin."""
        line = self._line(f"-o {self.build}/benchmarks/{family}.cu.fatbin", "-fatbin")
        line = re.search(r"(\S*nvcc .*?) -o ", line).group(1)
        architecture = re.search(r"code=(sm_\w+)", line).group(1)
        line = re.sub(r"--generate-code=\S+", "", line).replace("-fatbin", f"-cubin -arch={architecture}")
        line = line.replace(f"{self.source}/benchmarks/{family}.cu", f"{tree}/benchmarks/{family}.cu")
        line = line.replace(f"-I{self.source} ", f"-I{tree} -I{self.source} ", 1)
        run(["bash", "-c", f"{line} {' '.join(flags)} -o {out}"])

    def suite(self, family, tree, folder, flags):
        unit = f"suite_emulated.sources/{family}.cpp"
        compiled = self._line(f"-c {self.build}/benchmarks/{unit}")
        text = (self.build / "benchmarks" / unit).read_text()
        text = text.replace(f"{self.source}/benchmarks", f"{tree}/benchmarks")
        (folder / f"{family}.cpp").write_text(text)
        place = folder / f"{family}.cpp.o"
        compiled = re.sub(r"-MD -MT \S+ -MF \S+ -o \S+ -c \S+",
                          lambda _: f"{' '.join(flags)} -o {place} -c {folder}/{family}.cpp", compiled)
        compiled = compiled.replace("ccache ", "", 1)
        compiled = compiled.replace(f"-I{self.source} ", f"-I{tree} -I{self.source} ", 1)
        compiled = compiled.replace("-ffile-prefix-map=", f"-ffile-prefix-map={tree}/= -ffile-prefix-map=", 1)
        run(["bash", "-c", compiled], cwd=self.build)
        linked = self._line("-o bin/suite_emulated ")
        linked = re.sub(r"-DOBJECTS=[^\"]*", lambda _: f"-DOBJECTS={place}", linked)
        linked = linked.replace(f"{self.build}/benchmarks/suite_emulated.shared_arrays", f"{folder}/shared_arrays")
        linked = re.sub(r" benchmarks/CMakeFiles/suite_emulated\.dir/\S+\.o", "", linked)
        linked = linked.replace("-o bin/suite_emulated ", f"{place} -o {folder}/suite ")
        run(["bash", "-c", linked], cwd=self.build)
        return folder / "suite"


class Side:
    """A family as one tree has it: machine code and what its suite did."""

    def __init__(self, recipes, family, tree, folder, gpu=(), host=()):
        folder.mkdir(parents=True)
        self.cubin = folder / f"{family}.cubin"
        self.results = folder / "results.json"
        recipes.machine_code(family, tree, self.cubin, gpu)
        self.suite = suite = recipes.suite(family, tree, folder, host)
        # 4: a benchmark failed, as where the change makes its result wrong.
        run([recipes.build / "bin" / "warpgauge", "run", "--suite", suite, "--out", self.results, "--quiet"],
            may_end_with=(0, 4), cwd=recipes.source)
        self.kernels = kernels_of(self.cubin)
        self.benchmarks = {}
        for entry in json.loads(self.results.read_text())["benchmarks"]:
            own = entry.get("warpgauge")
            if own:
                self.benchmarks[own.get("id", entry["name"])] = (entry, own)
        self.inputs = inputs_of(suite, folder, self.benchmarks)


def inputs_of(suite, folder, names):
    """Digests of what each benchmark works on. A suite ends at an error, so the rest is asked for again."""
    digests, left, rounds = {}, set(names), 0
    while left:
        rounds += 1
        select, record = folder / f"select{rounds}", folder / f"record{rounds}.jsonl"
        select.write_text("".join(f"{name}\n" for name in sorted(left)))
        subprocess.run([suite, "--warpgauge_launches", f"--warpgauge_select={select}",
                        f"--warpgauge_record={record}"], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = [json.loads(line) for line in record.read_text().splitlines()]
        digests |= {line["finished"]["id"]: line["finished"].get("input_digest")
                    for line in lines if "finished" in line}
        begun = {line["started"] for line in lines if "started" in line}
        if not begun & left:
            raise RuntimeError(f"{suite} runs none of {sorted(left)}")
        left -= begun
    return digests


def launches_of(side, name):
    return side.benchmarks[name][1].get("launches", [])


def counts_of(side, name):
    """What the emulator counted, and whether it failed."""
    entry, own = side.benchmarks[name]
    figures = {key: value for key, value in entry.items() if key.endswith(("_requests", "_wavefronts", "_sectors"))
               or key == "barriers"}
    figures["outcome"] = own.get("outcome")
    return figures


def truth(before, after):
    """The benchmarks that the change touched: for certain by code and launches, or by counts and input."""
    touched, counted = set(), set()
    for name in set(before.benchmarks) | set(after.benchmarks):
        if name not in before.benchmarks or name not in after.benchmarks:
            touched.add(name)
            continue
        launches = [launches_of(side, name) for side in (before, after)]
        kernels = {each["kernel"] for side in launches for each in side}
        unknown = kernels - set(before.kernels) - set(after.kernels)
        if unknown:
            raise RuntimeError(f"{name} launches {unknown}, which is in no cubin by that name")
        if launches[0] != launches[1] or any(
            before.kernels.get(kernel) != after.kernels.get(kernel) for kernel in kernels):
            touched.add(name)
        elif counts_of(before, name) != counts_of(after, name) or before.inputs.get(name) != after.inputs.get(name):
            counted.add(name)
    return touched, counted


def affected(recipes, before, after):
    answer = json.loads(run([
        recipes.build / "bin" / "warpgauge", "affected", "--before", before.cubin, "--after", after.cubin,
        "--suite-before", before.suite, "--suite", after.suite, "--json", "--quiet"], cwd=recipes.source))
    return {each["id"] for each in answer["benchmarks"]} | set(answer["removed"])


def families_of(source, change):
    if change.families:
        return change.families
    name = pathlib.Path(change.file).name
    if change.file.startswith("benchmarks/") and name.endswith(".cu"):
        return (name.removesuffix(".cu"),)
    # Kernels include no other family.
    return tuple(path.stem for path in sorted((source / "benchmarks").glob("*.cu"))
                 if f'"{change.file}"' in path.read_text())


def planted(source, change, tree):
    if change.kind == "cmake":
        def beside_the_source(folder, names):
            return [each for each in names if each in (".git", "build", "results")] if folder == str(source) else []

        shutil.copytree(source, tree, ignore=beside_the_source, symlinks=True, dirs_exist_ok=True)
    else:
        for folder in ("kernels", "benchmarks"):
            shutil.copytree(source / folder, tree / folder)
    if not change.file:
        return
    place = tree / change.file
    text = place.read_text()
    if text.count(change.old) != 1:
        raise RuntimeError(f"{change.file}: '{change.old}' stands there {text.count(change.old)} times: "
                           f"say in tests/system/affected/changes.py what '{change.name}' replaces now")
    place.write_text(text.replace(change.old, change.new))


class Trial:
    def __init__(self, recipes, scratch, before):
        self.recipes, self.scratch, self.before = recipes, scratch, before

    def __call__(self, number_and_change):
        number, change = number_and_change
        tree = self.scratch / f"change{number}"
        tree.mkdir()
        row = {"kind": change.kind, "name": change.name, "file": change.file or " ".join(change.gpu + change.host),
               "benchmarks": 0, "touched": [], "missed": [], "counted": [], "in_vain": []}
        planted(self.recipes.source, change, tree)
        recipes = self.recipes.of(tree) if change.kind == "cmake" else self.recipes
        for family in families_of(self.recipes.source, change):
            before = self.before[family]
            after = Side(recipes, family, tree, tree / "build" / family, change.gpu, change.host)
            touched, counted = truth(before, after)
            named = affected(self.recipes, before, after)
            row["benchmarks"] += len(set(before.benchmarks) | set(after.benchmarks))
            row["touched"] += sorted(touched)
            row["counted"] += sorted(counted)
            row["missed"] += sorted((touched | counted) - named)
            row["in_vain"] += sorted(named - touched - counted)
        shutil.rmtree(tree)
        print(f"{number + 1}: {change.kind}: {change.name} ({row['file']}): {len(row['touched'])} of "
              f"{row['benchmarks']} touched" + "".join(f"; {what} {row[key]}" for what, key in
              (("MISSED", "missed"), ("in vain", "in_vain")) if row[key]), flush=True)
        return row


def outcome(rows, all_benchmarks):
    missed = sum(len(row["missed"]) for row in rows)
    vain = sum(len(row["in_vain"]) for row in rows)
    asked = sum(row["benchmarks"] for row in rows)
    touched = sum(len(row["touched"]) for row in rows)
    counted = sum(len(row["counted"]) for row in rows)
    effective = sum(bool(row["touched"] or row["counted"]) for row in rows)
    print(f"{len(rows)} changes, of which {effective} touch a benchmark: {touched} benchmarks touched in code or "
          f"launches, {counted} in input or counts alone, {missed} missed; {vain} "
          f"of {asked} benchmarks of the families built named in vain ({100 * vain / asked:.2f} %), "
          f"of {len(rows) * all_benchmarks} in all {100 * vain / len(rows) / all_benchmarks:.3f} %")
    return missed == 0 and vain <= MOST_IN_VAIN * asked


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kind")
    parser.add_argument("--report", type=pathlib.Path)
    options = parser.parse_args()
    recipes = Recipes(options.source.resolve(), options.build.resolve())
    chosen = [change for change in CHANGES
              if (change.quick or not options.quick) and options.kind in (None, change.kind)]
    families = sorted({family for change in chosen for family in families_of(recipes.source, change)})
    with tempfile.TemporaryDirectory(prefix="warpgauge affected ".replace(" ", "_")) as folder:
        scratch = pathlib.Path(folder)
        base = scratch / "base"
        base.mkdir()
        for each in ("kernels", "benchmarks"):
            shutil.copytree(recipes.source / each, base / each)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            sides = pool.map(lambda family: Side(recipes, family, base, base / "build" / family), families)
            before = dict(zip(families, sides))
            rows = list(pool.map(Trial(recipes, scratch, before), enumerate(chosen)))
    if options.report:
        options.report.write_text(json.dumps(rows, indent=1))
    all_benchmarks = run([recipes.build / "bin" / "suite_emulated", "--benchmark_list_tests"]).splitlines()
    return 0 if outcome(rows, len(all_benchmarks)) else 1


if __name__ == "__main__":
    sys.exit(main())
