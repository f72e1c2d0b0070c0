# SPDX-License-Identifier: Apache-2.0
"""What is linked into the programs of a build: archives by the linker's maps, headers by the compiler's
lists, the page's packages by npm's lock file. Each is a package with its version and licence."""
import json
import os
import re
import subprocess

# By the source package; what is not here has the text of its licence along and no name.
LICENCES = {
    "boost1.74": "BSL-1.0", "boost-defaults": "BSL-1.0", "cli11": "BSD-3-Clause", "eigen3": "MPL-2.0",
    "fmtlib": "MIT", "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "libpqxx": "BSD-3-Clause",
    "lz4": "BSD-2-Clause", "libzstd": "BSD-3-Clause", "nlohmann-json3": "MIT", "postgresql-15": "PostgreSQL",
    "pugixml": "MIT", "re2": "BSD-3-Clause", "soci": "BSL-1.0", "sqlite3": "blessing",
    "tomlplusplus": "MIT", "xxhash": "BSD-2-Clause",
}
# Of the machine that it runs on: its headers leave no code, and its libraries are not linked in.
OF_THE_MACHINE = ("glibc", "linux")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def build_inputs(build, program):
    """Files outside the build that `program` is made of: archives, objects and headers."""
    # By either name of a folder that a link leads to; the program itself may be a link that ninja makes.
    folder, file = os.path.split(program)
    name = os.path.relpath(os.path.join(os.path.realpath(folder), file), os.path.realpath(build))
    made_of = output("ninja", "-C", build, "-t", "inputs", name).splitlines()
    made_of = [line for line in made_of if not line.startswith("ninja: ")]
    objects = [file for file in made_of if file.endswith(".o")]
    used = set()
    for line in output("ninja", "-C", build, "-t", "deps", *objects).splitlines():
        if line.startswith("    /"):
            used.add(os.path.normpath(line.strip()))
    # "/usr/lib/x86_64-linux-gnu/libfmt.a(format.o)" begins the line of each member that is linked in.
    with open(program + ".map", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("Discarded input sections") or line.startswith("Memory Configuration"):
                break
            member = re.match(r"(/[^(\s]+\.a)\(", line)
            if member:
                used.add(os.path.normpath(member.group(1)))
    return used


def owners(files):
    """{binary package: its files}, and what no package owns."""
    found, asked = {}, {}
    for file in files:
        # /lib is a link to /usr/lib, and packages are listed by either.
        for path in {file, os.path.realpath(file), re.sub("^/usr/lib/", "/lib/", os.path.realpath(file))}:
            asked[path] = file
    ordered = sorted(asked)
    for at in range(0, len(ordered), 500):
        answer = subprocess.run(["dpkg-query", "--search", *ordered[at:at + 500]], check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        for line in answer.splitlines():
            package, _, path = line.partition(": ")
            if path in asked and not line.startswith("diversion "):
                found.setdefault(package.split(",")[0].split(":")[0], set()).add(asked[path])
    owned = set().union(*found.values()) if found else set()
    return found, set(files) - owned


def of_distribution(files):
    """A component a source package, and what no package owns."""
    found, rest = owners(files)
    if not found:
        return [], rest
    form = "${Package}\t${source:Package}\t${source:Version}\n"
    sources = {}
    for line in output("dpkg-query", "-W", "-f", form, *sorted(found)).splitlines():
        package, source, version = line.split("\t")
        if source not in OF_THE_MACHINE:
            sources.setdefault((source, version), []).append(package)
    system = dict(line.rstrip("\n").split("=", 1) for line in open("/etc/os-release", encoding="utf-8")
                  if "=" in line)["ID"].strip('"')
    return [{
        "name": source, "version": version, "licence": LICENCES.get(source, "NOASSERTION"),
        "url": f"pkg:deb/{system}/{source}@{version}?arch=source",
        "copyright": f"/usr/share/doc/{sorted(packages)[0]}/copyright",
    } for (source, version), packages in sorted(sources.items())], rest


def of_cuda(files):
    """NVIDIA's runtime library and headers, which no package of the distribution has."""
    for file in sorted(files):
        folder = re.match(r"(.*/cuda[^/]*)/", os.path.realpath(file)) or re.match(r"(.*/cuda[^/]*)/", file)
        if folder:
            text = output(os.path.join(folder.group(1), "bin/nvcc"), "--version")
            return [{"name": "cuda-cudart", "version": re.search(r"V([0-9.]+)", text).group(1),
                     "licence": "LicenseRef-NVIDIA-CUDA-EULA", "url": "pkg:generic/cuda-cudart",
                     "copyright": os.path.join(folder.group(1), "EULA.txt")}]
    return []


def of_page(lock_file, build):
    """What npm bundles into the page: all but what only the build takes."""
    with open(lock_file, encoding="utf-8") as text:
        packages = json.load(text)["packages"]
    made = []
    for path, package in sorted(packages.items()):
        if path and not package.get("dev") and not package.get("optional"):
            name = path.rpartition("node_modules/")[2]
            folder = os.path.join(build, "ci/report/page", path)
            texts = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
            texts = [text for text in texts if text.upper().startswith("LICEN")]
            made.append({"name": name, "version": package["version"],
                         "licence": package.get("license", "NOASSERTION"),
                         "url": "pkg:npm/" + name.replace("@", "%40") + "@" + package["version"],
                         "copyright": os.path.join(folder, texts[0]) if texts else ""})
    return made


def contents(source, build):
    """The components of all programs in BUILD/released.txt, sorted, each once."""
    used = set()
    with open(os.path.join(build, "released.txt"), encoding="utf-8") as lines:
        for program in lines.read().splitlines():
            used |= build_inputs(build, program)
    inside = tuple(os.path.realpath(folder) + os.sep for folder in (source, build))
    used = {file for file in used if not os.path.realpath(file).startswith(inside)}
    made, rest = of_distribution(used)
    made += of_cuda(rest)
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        if "WARPGAUGE_PAGE:BOOL=ON\n" in cache.read():
            made += of_page(os.path.join(source, "ci/report/page/package-lock.json"), build)
    return made
