"""A machine that has torch, numpy, pytest and its three plugins, and nothing else of ours."""

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
