# SPDX-License-Identifier: Apache-2.0
"""python_test.py PACKAGE [INJECTION]: ranges of the Python package go to whoever records them.

INJECTION is libwarpgauge_inject.so, which needs no GPU to take ranges; absent: it was not built.
"""
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

PACKAGE = sys.argv.pop(1)
INJECTION = sys.argv.pop(1) if len(sys.argv) > 1 else ""
sys.path.insert(0, PACKAGE)


def fresh():
    sys.modules.pop("warpgauge", None)
    return importlib.import_module("warpgauge")


class Ranges(unittest.TestCase):
    def setUp(self):
        self.calls = []
        for name in ("CUDA_INJECTION64_PATH", "WARPGAUGE_LAUNCH_RECORDS"):
            os.environ.pop(name, None)
        for name in ("nvtx", "torch", "cupy"):
            sys.modules.pop(name, None)

    def fake_nvtx(self):
        module = types.ModuleType("nvtx")
        module.push_range = lambda name: self.calls.append(("push", name))
        module.pop_range = lambda: self.calls.append(("pop",))
        sys.modules["nvtx"] = module

    def test_do_nothing_where_nobody_records(self):
        with fresh().range("a"):
            self.calls.append("ran")
        self.assertEqual(self.calls, ["ran"])

    def test_go_to_nvtx_where_it_is_imported(self):
        self.fake_nvtx()
        warpgauge = fresh()
        with self.assertRaises(ValueError):
            with warpgauge.range("a"):
                raise ValueError
        self.assertEqual(self.calls, [("push", "a"), ("pop",)])

        @warpgauge.range("b")
        def decorated():
            self.calls.append("ran")

        decorated()
        self.assertEqual(self.calls[2:], [("push", "b"), "ran", ("pop",)])

    def test_go_to_warpgauge_alone_where_it_records(self):
        if not INJECTION:
            self.skipTest("built without CUDA")
        self.fake_nvtx()
        with tempfile.TemporaryDirectory() as folder:
            os.environ["CUDA_INJECTION64_PATH"] = INJECTION
            os.environ["WARPGAUGE_LAUNCH_RECORDS"] = folder
            with fresh().range("mesure \u00b5s"):
                self.calls.append("ran")
        self.assertEqual(self.calls, ["ran"])

    def test_are_around_each_test_of_pytest_without_its_fixtures(self):
        pytest = shutil.which("pytest-3") or shutil.which("pytest")
        self.assertIsNotNone(pytest, "there is no pytest; run ci/scripts/setup.sh test")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "nvtx.py").write_text(
                "def push_range(name): print('push', name)\n"
                "def pop_range(): print('pop')\n", encoding="utf-8")
            (folder / "bench").mkdir()
            (folder / "bench/test_norm.py").write_text(
                "import nvtx, pytest\n"
                "@pytest.fixture\n"
                "def rows(): print('fixture'); yield 4; print('end')\n"
                "class TestNorm:\n"
                "    @pytest.mark.parametrize('n', [512])\n"
                "    def test_norm(self, n, rows): print('ran', n, rows)\n", encoding="utf-8")
            run = subprocess.run(
                [pytest, "-q", "-s", "-p", "no:cacheprovider", "bench"],
                cwd=folder, capture_output=True, text=True, check=False,
                env={**os.environ, "PYTHONPATH": f"{PACKAGE}:{folder}",
                     "PYTEST_PLUGINS": "warpgauge.pytest_plugin"})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stdout.splitlines()[:4],
                         ["fixture", "push bench/test_norm.py/TestNorm/test_norm[512]",
                          "ran 512 4", "pop"])


if __name__ == "__main__":
    unittest.main()
