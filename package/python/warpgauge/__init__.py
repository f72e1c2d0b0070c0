# SPDX-License-Identifier: Apache-2.0
"""Names parts of a program, whose kernels `warpgauge gate -- python3 program.py` then judges apart.

    import warpgauge

    with warpgauge.range("forward"):
        model(batch)

Needs nothing installed beside it. Outside of Warpgauge a range is one of NVTX, for Nsight's tools, where
PyTorch, CuPy or the package nvtx is imported already, and nothing otherwise.
"""
import contextlib
import ctypes
import os
import sys

__version__ = "0.1.0"
__all__ = ["range"]


def _of_warpgauge():
    """What records this program, as (push, pop); None: Warpgauge does not."""
    path = os.environ.get("CUDA_INJECTION64_PATH", "")
    if not os.environ.get("WARPGAUGE_LAUNCH_RECORDS") or not path:
        return None
    try:
        library = ctypes.CDLL(path)
        push, pop = library.warpgauge_push_range, library.warpgauge_pop_range
    except (OSError, AttributeError):
        return None
    push.argtypes, push.restype = [ctypes.c_char_p], None
    pop.argtypes, pop.restype = [], None
    return (lambda name: push(name.encode("utf-8", "replace"))), pop


def _of_nvtx():
    """The same of whichever library with NVTX is imported; never imports one itself."""
    modules = sys.modules
    if "nvtx" in modules:
        return modules["nvtx"].push_range, modules["nvtx"].pop_range
    if "torch" in modules and modules["torch"].cuda.is_available():
        nvtx = modules["torch"].cuda.nvtx
        return nvtx.range_push, nvtx.range_pop
    if "cupy" in modules:
        nvtx = modules["cupy"].cuda.nvtx
        return nvtx.RangePush, nvtx.RangePop
    return None


_recorded = _of_warpgauge()


@contextlib.contextmanager
def range(name):  # pylint: disable=redefined-builtin
    """A range of this name around what is launched within it; ranges nest, as `outer/inner`.

    Also a decorator: `@warpgauge.range("forward")`.
    """
    ways = _recorded or _of_nvtx()
    if ways is None:
        yield
        return
    push, pop = ways
    push(str(name))
    try:
        yield
    finally:
        pop()
