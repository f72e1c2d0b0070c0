# SPDX-License-Identifier: Apache-2.0
"""A wheel of a staged release: the Python package, and the programs as scripts, so that pip puts them where
an environment has its programs. The injection library lies beside them, where `warpgauge` looks first."""
import base64
import hashlib
import os
import time
import zipfile


def metadata(version):
    return (f"Metadata-Version: 2.1\nName: warpgauge\nVersion: {version}\n"
            "Summary: A performance gate for CUDA kernels\nLicense: Apache-2.0\nRequires-Python: >=3.8\n")


def members(stage, version, tag):
    """(name in the wheel, text or path, whether it is executable)"""
    info, data = f"warpgauge-{version}.dist-info", f"warpgauge-{version}.data"
    for folder, _, files in os.walk(stage):
        for file in files:
            path = os.path.join(folder, file)
            name = os.path.relpath(path, stage)
            if name.startswith(("bin/", "lib/")):
                yield f"{data}/scripts/{file}", path, True
            else:
                yield f"{data}/data/{name}", path, False
            package = "share/warpgauge/python/"
            if name.startswith(package):
                yield name[len(package):], path, False
    yield f"{info}/METADATA", metadata(version).encode(), False
    text = f"Wheel-Version: 1.0\nGenerator: warpgauge-release\nRoot-Is-Purelib: false\nTag: {tag}\n"
    yield f"{info}/WHEEL", text.encode(), False
    yield f"{info}/entry_points.txt", b"[pytest11]\nwarpgauge.pytest_plugin = warpgauge.pytest_plugin\n", False


def write(out, stage, version, glibc, machine, epoch):
    """Equal bytes from equal input: sorted, of one date, without an owner. glibc: the oldest that will do."""
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{machine}"
    path = os.path.join(out, f"warpgauge-{version}-{tag}.whl")
    date = time.gmtime(epoch)[:6]
    record = ""
    with zipfile.ZipFile(path, "w") as wheel:
        def add(name, content, executable):
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, content, compresslevel=9)

        for name, content, executable in sorted(members(stage, version, tag), key=lambda member: member[0]):
            if isinstance(content, str):
                with open(content, "rb") as file:
                    content = file.read()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
            add(name, content, executable)
        info = f"warpgauge-{version}.dist-info/RECORD"
        add(info, f"{record}{info},,\n".encode(), False)
