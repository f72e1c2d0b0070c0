# SPDX-License-Identifier: Apache-2.0
"""Kernels of a cubin, told apart by the bytes of their sections: no NVIDIA tool, and none of
Warpgauge's own readers, which are what is on trial."""

import hashlib
import struct
import subprocess

SHT_SYMTAB, SHT_RELA, SHT_REL, SHT_NOBITS = 2, 4, 9, 8
STT_FUNC = 2
# .nv.info holds, for each function: how many registers, how large a frame and a stack.
PER_FUNCTION = {0x2F: "registers", 0x11: "frame", 0x12: "least stack", 0x23: "most stack"}


def _text(strings, at):
    return strings[at : strings.index(b"\0", at)].decode()


class _Section:
    def __init__(self, image, header):
        (self.name_at, self.type, _, _, self.offset, self.size, self.link, self.info, _, self.entry) = header
        self.bytes = b"" if self.type == SHT_NOBITS else image[self.offset : self.offset + self.size]


def _sections(image):
    (table,) = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    all_of_them = [_Section(image, struct.unpack_from("<IIQQQQIIQQ", image, table + i * size)) for i in range(count)]
    for section in all_of_them:
        section.name = _text(all_of_them[names].bytes, section.name_at)
    return all_of_them


def _symbols(sections):
    table = next(each for each in sections if each.type == SHT_SYMTAB)
    strings = sections[table.link].bytes
    symbols = []
    for at in range(0, len(table.bytes), 24):
        name, info, other, section, _, _ = struct.unpack_from("<IBBHQQ", table.bytes, at)
        symbols.append((_text(strings, name), info & 15, other, section))
    return symbols


def _relocations(section, symbols):
    size = 24 if section.type == SHT_RELA else 16
    for at in range(0, len(section.bytes), size):
        place, info = struct.unpack_from("<QQ", section.bytes, at)
        addend = struct.unpack_from("<q", section.bytes, at + 16)[0] if size == 24 else 0
        yield place, info & 0xFFFFFFFF, symbols[info >> 32][0], addend


def _figures(sections, symbols):
    figures = {}
    info = next((each.bytes for each in sections if each.name == ".nv.info"), b"")
    at = 0
    while at + 4 <= len(info):
        kind, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if kind != 4:
            continue
        if attribute in PER_FUNCTION and size == 8:
            symbol, value = struct.unpack_from("<II", info, at)
            figures.setdefault(symbols[symbol][0], []).append((PER_FUNCTION[attribute], value))
        at += size
    return figures


def kernels_of(path):
    """A hash of each kernel, by its name as written in C++."""
    image = path.read_bytes()
    sections = _sections(image)
    symbols = _symbols(sections)
    figures = _figures(sections, symbols)
    hashes = {}
    for name, kind, _, index in symbols:
        if kind != STT_FUNC or index >= len(sections) or sections[index].name != f".text.{name}":
            continue
        digest = hashlib.sha256(sections[index].bytes)
        digest.update(repr(sorted(figures.get(name, []))).encode())
        for section in sections:
            if section.name.startswith(".nv.constant") and not section.name.startswith(".nv.constant0"):
                if section.info == index or section.name.endswith("." + name):
                    digest.update(section.name.split(".")[2].encode() + section.bytes)
            elif section.name == f".nv.shared.{name}":
                digest.update(f"shared {section.size}".encode())
            elif section.type in (SHT_RELA, SHT_REL) and section.info == index:
                digest.update(repr(list(_relocations(section, symbols))).encode())
        hashes[name] = digest.hexdigest()
    names = subprocess.run(["c++filt"], input="\n".join(hashes), capture_output=True, text=True, check=True).stdout
    return dict(zip(names.splitlines(), hashes.values()))
