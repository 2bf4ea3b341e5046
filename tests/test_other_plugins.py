"""Beside the plugins that most projects have, all of them at once: neither side notices the other.

They are installed by `tox run -e plugins`, and nowhere else.
"""

from importlib.metadata import PackageNotFoundError, distribution

import pytest
from test_unrelated import OWN_FIXTURES, project, told_by_us  # noqa: F401 - a fixture

from bench import DOUBLED, SQUARED

PLUGINS = """
anyio pytest-asyncio pytest-benchmark pytest-cov pytest-env pytest-html pytest-httpx
pytest-instafail pytest-isolate pytest-metadata pytest-mock pytest-order pytest-playwright
pytest-randomly pytest-repeat pytest-rerunfailures pytest-socket pytest-split pytest-subtests
pytest-sugar pytest-timeout pytest-xdist syrupy
"""


@pytest.fixture(autouse=True)
def others():
    """See that all of them are there."""
    for name in PLUGINS.split():
        try:
            distribution(name)
        except PackageNotFoundError:
            pytest.skip(f"not run: {name} is not installed")


ASKING = """
async def test_waiting():
    pass

def test_mocked(mocker, socket_disabled, snapshot):
    pass
"""
"""A test for each of some plugins, which take options of names that we have as well."""


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_a_project_that_has_them_all_is_left_alone(project, workers):  # noqa: F811
    words = ["--asyncio-mode", "auto", "--device", "iPhone 13", "--isolate", *workers]
    result = project(*words, test_theirs=OWN_FIXTURES, test_others=ASKING)
    result.assert_outcomes(passed=8)
    assert not told_by_us(result)


@pytest.mark.parametrize("workers", [[], ["-n", "2"], ["--gradspec-isolate"]], ids=" ".join)
def test_claims_are_judged_beside_them_all(bench, workers):
    bench.chapter(DOUBLED, SQUARED)
    bench.write("test_theirs.py", OWN_FIXTURES)
    result = bench.run_apart("--gradspec-device", "cpu", *workers)
    result.assert_outcomes(passed=8)
    assert {name: v.status for name, v in bench.verdicts().items()} == {
        "TST-01": "pass",
        "TST-02": "pass",
    }
