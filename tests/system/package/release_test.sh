#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release_test.sh SOURCE BUILD
#
# What ci/release.sh packs of BUILD, installed in each of its three forms without a network, runs with
# nothing but glibc: in a root of its own where root can make one. docs/guide/install.md says how large it
# is and what it takes.
set -euo pipefail
source_root=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
complain() {
  printf '%s\n' "$1"
  failed=1
}

if ! grep -q '^WARPGAUGE_LINKED_IN:BOOL=ON$' "$build/CMakeCache.txt"; then
  echo "not tested: this build takes libraries from the machine"
  exit 77
fi
[[ -e $build/build.ninja ]] || { echo "not tested: what is in a release is read from a build of ninja"; exit 77; }
for tool in dpkg-deb ninja objdump python3; do
  command -v "$tool" >/dev/null || { echo "not tested: there is no $tool"; exit 77; }
done

# Packed twice, under another umask, zone and language, of files with other dates.
pack() {
  local out=$1
  shift
  env SOURCE_DATE_EPOCH=1700000001 "$@" "$source_root/ci/release.sh" --of "$build" --out "$out" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; exit 1; }
}
# An earlier release is replaced; what others put there stays, and gets no sum.
mkdir "$scratch/out"
touch "$scratch/out/warpgauge-notes.txt" "$scratch/out/warpgauge_1.map" "$scratch/out/warpgauge-0.0.1-linux-any.tar.gz"
(umask 077 && pack "$scratch/first" TZ=Asia/Tokyo LC_ALL=C) &
pack "$scratch/out" TZ=UTC
wait $! || exit 1
rm "$scratch/out/warpgauge-notes.txt" "$scratch/out/warpgauge_1.map" || complain "it deletes files of others"
diff -r "$scratch/first" "$scratch/out" || complain "two packings of one build differ"
cd "$scratch/out"
sha256sum --check --quiet SHA256SUMS
[[ $(wc -l <SHA256SUMS) == 4 ]] || complain "not four files have a sum: $(<SHA256SUMS)"
for tarball in warpgauge-*.tar.gz; do :; done
for package in warpgauge_*.deb; do :; done
for wheel in warpgauge-*.whl; do :; done
! tar -tvzf "$tarball" | grep -v ' 0/0 .* 2023-11-14 ' || complain "the tarball has owners or dates of this machine"
tar -tzf "$tarball" | LC_ALL=C sort -c || complain "the tarball is not sorted"
# Whoever looks for the folder of the build finds nothing.
mkdir "$scratch/a place"
tar -xzf "$tarball" -C "$scratch/a place"
for unpacked in "$scratch/a place"/*; do :; done
! grep -rl -e "$source_root/" -e "$build/" "$unpacked" || complain "these name a folder of the build"

# What is linked in is listed, with its licence.
python3 - "$unpacked" warpgauge-*.spdx.json "$build/bin/warpgauge.map" <<'PYTHON' || failed=1
import json, os, re, sys
unpacked, listed, link_map = sys.argv[1:]
document = json.load(open(listed))
assert document["spdxVersion"] == "SPDX-2.3" and document["creationInfo"]["created"] == "2023-11-14T22:13:21Z"
packages = {package["name"]: package for package in document["packages"]}
assert len(packages) == len(document["packages"]), "a package is listed twice"
identifiers = {package["SPDXID"] for package in document["packages"]} | {"SPDXRef-DOCUMENT"}
for relation in document["relationships"]:
    assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= identifiers, relation
text = open(link_map, errors="replace").read()
known = {"libsoci_core": "soci", "libsqlite3": "sqlite3", "libre2": "re2", "libzstd": "libzstd", "liblz4": "lz4",
         "libpugixml": "pugixml", "libstdc++": "gcc-", "linked_in_fmt": "fmtlib", "linked_in_tomlplusplus": "tomlplusplus"}
for library, package in known.items():
    assert library in text, f"{library} is not linked in: this test looks for the wrong name"
    found = [name for name in packages if name.startswith(package)]
    assert found, f"the list lacks {package}"
    assert os.path.getsize(f"{unpacked}/share/doc/warpgauge/licenses/{found[0]}"), f"{package} has no licence along"
for name in ("cli11", "nlohmann-json3"):
    assert name in packages, f"the list lacks {name}, of which only headers are taken"
assert not any(name in packages for name in ("glibc", "benchmark", "googletest")), "it lists what is not in it"
PYTHON

# Which libraries the machine brings. Without CUDA there are none of its own.
needed=$(for file in "$unpacked"/bin/* "$unpacked"/lib/*; do
  [[ ! -e $file ]] || objdump -p "$file" | awk '/NEEDED/ { print $2 }'
done |
  grep -v '^ld-linux\|^libcupti' | sort -u | tr '\n' ' ')
[[ $needed == 'libc.so.6 libm.so.6 ' ]] || complain "the release takes $needed from the machine"

# within TEXT ACTUAL: whether the guide's "**N MB**" of what TEXT begins is right to a tenth.
guide=$source_root/docs/guide/install.md
within() {
  local said
  said=$(sed -n "s/^| $1.*| \([0-9.]*\) MB |.*/\1/p" "$guide")
  awk -v said="${said:-0}" -v is="$2" 'BEGIN { exit !(said * 1e6 > is * 0.9 && said * 1e6 < is * 1.1) }' ||
    complain "docs/guide/install.md says that $1 is ${said:-?} MB large; it is $2 bytes"
}
if [[ -e $unpacked/bin/warpgauge_doctor ]] && grep -q '^WARPGAUGE_PAGE:BOOL=ON$' "$build/CMakeCache.txt"; then
  within "tarball" "$(stat -c %s "$tarball")"
  within "Debian package" "$(stat -c %s "$package")"
  within "wheel" "$(stat -c %s "$wheel")"
  within "unpacked" "$(find "$unpacked" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')"
fi

# Two files of Google Benchmark: by one of them it got slower.
mkdir "$scratch/project"
python3 - "$scratch/project" <<'PYTHON'
import json, sys
for name, time in (("before", 100.0), ("after", 150.0)):
    entries = [{"name": "sum/1", "run_name": "sum/1", "run_type": "iteration", "repetitions": 5, "repetition_index": i,
                "threads": 1, "iterations": 100, "real_time": time + i / 10, "cpu_time": time + i / 10,
                "time_unit": "ns"} for i in range(5)]
    json.dump({"context": {"num_cpus": 1}, "benchmarks": entries}, open(f"{sys.argv[1]}/{name}.json", "w"))
PYTHON

offline=()
! unshare -n true 2>/dev/null || offline=(unshare -n)
# run STATUS TEXT COMMAND...: without an environment and without a network.
run() {
  local status=$1 text=$2 output got=0
  shift 2
  output=$(cd "$scratch/project" && "${offline[@]}" env -i "$@" 2>&1 </dev/null) || got=$?
  [[ $got == "$status" && $output == *"$text"* ]] ||
    complain "$* ended with $got instead of $status, or does not say '$text': $output"
}
# works PROGRAM...: how it is called.
works() {
  run 0 "warpgauge 0." "$@" --version
  [[ ! -e $build/bin/libwarpgauge_inject.so ]] || run 0 "any program  yes: " "$@" --version
  run 0 "pass: 1 same of 1 benchmark" "$@" compare before.json before.json
  run 1 "regressed: 1 regressed of 1 benchmark" "$@" compare before.json after.json
}
works "$unpacked/bin/warpgauge"

dpkg -x "$package" "$scratch/root"
[[ $(dpkg-deb -f "$package" Depends) =~ ^libc6\ \(\>=\ 2\.[0-9]+\)$ ]] || complain "the package depends on more than glibc"
works "$scratch/root/usr/bin/warpgauge"
chroot=$(PATH=$PATH:/usr/sbin command -v chroot || true)
if [[ $chroot ]] && "$chroot" / true 2>/dev/null; then
  # The loader and two libraries are all that is there; /proc is not, by which it finds what lies beside it.
  while read -r library; do
    install -D "$library" "$scratch/root/$library"
  done < <(ldd "$scratch/root/usr/bin/warpgauge" | grep -o '/[^ ]*')
  cp "$scratch/project"/*.json "$scratch/root/"
  run 0 "pass: 1 same of 1 benchmark" "$chroot" "$scratch/root" /usr/bin/warpgauge compare before.json before.json
  run 1 "regressed: 1 regressed of 1 benchmark" "$chroot" "$scratch/root" /usr/bin/warpgauge compare before.json after.json
  run 0 "PostgreSQL   no: there is no libpq.so.5" "$chroot" "$scratch/root" /usr/bin/warpgauge --version
  run 0 "GPU          no: no NVIDIA driver is loaded" "$chroot" "$scratch/root" /usr/bin/warpgauge --version
  run 0 "git          no: " "$chroot" "$scratch/root" /usr/bin/warpgauge --version
  run 4 "a history on a server needs PostgreSQL's client library: libpq.so.5 cannot be loaded" \
    "$chroot" "$scratch/root" /usr/bin/warpgauge history list --history postgresql://here/there
else
  echo "not run in a root of its own: this takes root"
fi

if python3 -m pip --version >/dev/null 2>&1; then
  "${offline[@]}" python3 -m pip install --quiet --no-index --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$scratch/site" "$wheel" >"$scratch/log" 2>&1 || { cat "$scratch/log"; failed=1; }
  works "$scratch/site/bin/warpgauge"
  python=$(python3 -c 'import sys; print(sys.executable)')
  run 0 "from-the-wheel" PYTHONPATH="$scratch/site" "$python" -c \
    "import warpgauge; assert warpgauge.__file__.startswith('$scratch/site/')
with warpgauge.range('a'): print('from-the-wheel')"
else
  echo "the wheel is not installed: there is no pip"
fi
exit "$failed"
