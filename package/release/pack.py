# SPDX-License-Identifier: Apache-2.0
"""pack.py SOURCE BUILD STAGE OUT VERSION REVISION: what ci/release.sh has staged as a tarball, a Debian
package and a wheel in OUT, with the list of what is in them. The date of all is SOURCE_DATE_EPOCH."""
import os
import platform
import re
import shutil
import subprocess
import sys

import contents
import spdx
import wheel


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def oldest_glibc(stage):
    """The version of glibc that the programs and libraries below ask for."""
    versions = {(2, 17)}
    for place, _, files in os.walk(stage):
        for name in files if os.path.basename(place) in ("bin", "lib") else []:
            told = output("objdump", "-T", os.path.join(place, name))
            versions |= {(int(major), int(minor))
                         for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", told)}
    return ".".join(map(str, max(versions)))


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def set_dates_and_modes(folder, epoch):
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            executable = name in folders or place.endswith("/bin")
            os.chmod(path, 0o755 if executable else 0o644)
            os.utime(path, (epoch, epoch))
    os.chmod(folder, 0o755)
    os.utime(folder, (epoch, epoch))


def tarball(out, name, folder, epoch):
    """folder: named as what the tarball unpacks to."""
    path = os.path.join(out, name + ".tar.gz")
    run("tar", "--sort=name", "--format=gnu", f"--mtime=@{epoch}", "--owner=0", "--group=0",
        "--numeric-owner", "--use-compress-program=gzip -9n", "-cf", path,
        "-C", os.path.dirname(folder), os.path.basename(folder))


def size_in_kib(folder):
    total = 0
    for place, folders, files in os.walk(folder):
        total += sum((os.path.getsize(os.path.join(place, file)) + 1023) // 1024 for file in files)
        total += len(folders)
    return total


def debian_package(out, scratch, stage, version, glibc, epoch):
    root = os.path.join(scratch, "debian")
    shutil.copytree(stage, os.path.join(root, "usr"))
    documents = os.path.join(root, "usr/share/doc/warpgauge")
    os.rename(os.path.join(documents, "LICENSE"), os.path.join(documents, "copyright"))
    architecture = output("dpkg", "--print-architecture").strip()
    size = size_in_kib(root)
    write(os.path.join(root, "DEBIAN/control"), f"""Package: warpgauge
Version: {version}
Architecture: {architecture}
Maintainer: The authors of Warpgauge <warpgauge@invalid>
Section: devel
Priority: optional
Installed-Size: {size}
Depends: libc6 (>= {glibc})
Recommends: git
Suggests: libpq5, python3
Description: performance gate for CUDA kernels
 Holds what kernels do, as time, bank conflicts, traffic, registers and machine code,
 against a baseline, and says which change made them worse, and where.
""")
    set_dates_and_modes(root, epoch)
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root,
        os.path.join(out, f"warpgauge_{version}_{architecture}.deb"))


def main(source, build, stage, out, version, revision):
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    components = contents.contents(source, build)
    documents = os.path.join(stage, "share/doc/warpgauge")
    for each in components:
        if os.path.exists(each.get("copyright", "")):
            os.makedirs(os.path.join(documents, "licenses"), exist_ok=True)
            name = each["name"].replace("/", "-")
            shutil.copyfile(each["copyright"], os.path.join(documents, "licenses", name))
    listed = spdx.document(version, revision, epoch, components)
    write(os.path.join(documents, "warpgauge.spdx.json"), listed)
    os.makedirs(out, exist_ok=True)
    name = f"warpgauge-{version}-linux-{platform.machine()}"
    write(os.path.join(out, name + ".spdx.json"), listed)
    scratch = os.path.dirname(stage)
    folder = os.path.join(scratch, name)
    shutil.copytree(stage, folder)
    set_dates_and_modes(folder, epoch)
    tarball(out, name, folder, epoch)
    glibc = oldest_glibc(stage)
    debian_package(out, scratch, stage, version, glibc, epoch)
    wheel.write(out, stage, version, glibc, platform.machine(), epoch)


main(*sys.argv[1:])
