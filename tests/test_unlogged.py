"""What libraries log is captured for those who may want it, and costs nobody else anything."""

import pytest

from bench import DOUBLED

TELLS = """
def pytest_runtestloop(session):
    print("captures:", session.config.pluginmanager.has_plugin("logging-plugin"))
"""

READS = """
import pytest

@pytest.fixture(autouse=True)
def quiet(caplog):
    yield
    assert not caplog.records
"""
"""A fixture that every test is given, also those of claims."""

LOGGED = """
import logging

def test_logged(caplog):
    logging.getLogger("somebody").warning("heard")
    assert "heard" in caplog.text
"""


def captures(result):
    """Whether a run that ended well had what captures logs."""
    assert result.ret == pytest.ExitCode.OK
    (told,) = [line for line in result.outlines if line.startswith("captures: ")]
    return told == "captures: True"


def test_nothing_is_captured_for_claims_alone(bench, pytester):
    pytester.makeconftest(TELLS)
    bench.chapter(DOUBLED)
    assert not captures(bench.run("-s"))


@pytest.mark.parametrize(
    "words", [["--log-level=INFO"], ["--log-cli-level=INFO"], ["-o", "log_cli=true"]], ids=str
)
def test_whoever_asks_for_logs_has_them(bench, pytester, words):
    pytester.makeconftest(TELLS)
    bench.chapter(DOUBLED)
    assert captures(bench.run("-s", *words))


def test_a_fixture_may_read_the_logs_of_claims(bench, pytester):
    pytester.makeconftest(TELLS + READS)
    bench.chapter(DOUBLED)
    assert captures(bench.run("-s"))


def test_tests_beside_claims_keep_their_logs(bench, pytester):
    pytester.makeconftest(TELLS)
    bench.chapter(DOUBLED)
    pytester.makepyfile(test_theirs=LOGGED)
    result = bench.run("-s")
    assert captures(result)
    result.assert_outcomes(passed=2)
