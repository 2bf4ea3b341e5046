"""Garbage is not looked for while claims are collected, and is when tests run."""

import gc

import pytest

from bench import DOUBLED

TELLS = """
import gc
import pytest

@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems():
    print("collecting:", gc.isenabled())

def pytest_runtestloop(session):
    print("running:", gc.isenabled())
"""


def told(result, word):
    """What a run says of a time, and whether the collector works when it is over."""
    (line,) = [each for each in result.outlines if each.startswith(f"{word}: ")]
    assert gc.isenabled()
    return line.endswith("True")


def test_it_waits_until_claims_are_collected(bench, pytester):
    pytester.makeconftest(TELLS)
    bench.chapter(DOUBLED)
    result = bench.run()
    assert (told(result, "collecting"), told(result, "running")) == (False, True)


def test_it_works_where_there_are_no_claims(pytester):
    pytester.makeconftest(TELLS)
    pytester.makepyfile("def test_theirs(): pass")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    assert (told(result, "collecting"), told(result, "running")) == (True, True)


@pytest.mark.parametrize("words", [("--claim", "NO-1"), ("--dtype", "int3"), ("--collect-only",)])
def test_it_works_after_a_run_that_ends_early(bench, words):
    bench.chapter(DOUBLED)
    bench.run(*words)
    assert gc.isenabled()


def test_it_stays_away_where_somebody_has_sent_it(bench, pytester):
    pytester.makeconftest(f"{TELLS}\ngc.disable()\n")
    bench.chapter(DOUBLED)
    try:
        (line,) = [each for each in bench.run().outlines if each.startswith("running: ")]
    finally:
        gc.enable()
    assert line == "running: False"
