"""A machine that has torch, numpy, pytest and its three plugins, and nothing else of ours."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
def bare(bench):
    """Take away what is not needed to run claims."""
    bench.write(
        "conftest.py",
        """
        import sys

        for name in ("fastjsonschema", "tomli_w", "jinja2", "matplotlib", "redis", "yaml"):
            sys.modules[name] = None
        """,
    )


@pytest.mark.long
@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["here", "in a worker"])
def test_claims_run(bench, words):
    result = bench.run_apart("--claim", "TST-01", *words, backend="torch")
    result.assert_outcomes(passed=1)


def test_what_others_wrote_is_not_believed_unchecked(bench):
    bench.write("mine.toml", "expected = []")
    result = bench.run_apart(backend=bench.adapter("pass"))
    result.stdout.fnmatch_lines(["*mine.toml*run `pip install fastjsonschema`*"])
    assert result.ret != 0


def test_a_baseline_is_refused_in_a_line(bench):
    bench.write("old.jsonl", "{}\n")
    result = bench.run_apart("--baseline", "old.jsonl")
    result.stderr.fnmatch_lines(["*old.jsonl*run `pip install fastjsonschema`*"])


def test_entries_are_not_promised_that_cannot_be_written(bench):
    result = bench.run_apart("--update-expectations")
    result.stderr.fnmatch_lines(["*--update-expectations: *run `pip install tomli-w`"])


@pytest.mark.parametrize(("words", "looked_at"), [("cuda", False), ("not cuda", True)])
def test_of_a_device_nothing_is_asked_that_only_the_instrument_needs(pytester, words, looked_at):
    own = Path(__file__).with_name("conftest.py").read_text("utf-8")
    pytester.makeconftest(own[: own.index("@pytest.fixture")])
    pytester.makepyfile("import what_no_machine_has")
    result = pytester.runpytest("-m", words)
    assert ("what_no_machine_has" in result.stdout.str()) is looked_at
