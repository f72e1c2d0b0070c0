# SPDX-License-Identifier: Apache-2.0
"""Makes each test a range by its node id, so that `warpgauge gate -- pytest bench/` judges each test.

What fixtures launch is not the test's. Does nothing where no one records.
"""
import pytest

import warpgauge


def range_name(node_id):
    """bench/test_norm.py::test_norm[512] is bench/test_norm.py/test_norm[512]: a path of an id."""
    return node_id.replace("::", "/")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    with warpgauge.range(range_name(item.nodeid)):
        yield
