"""Known defects: replayed by their witness, and never allowed to go stale."""

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.results import Status

ENTRY = """
[[expected]]
claim = "TST-03"
reason = "squares are not squared"
link = "https://example.org/1"
"""

WITNESS = "witness = { x = { array = [3.0] }, times = 2 }\n"
HARMLESS = "witness = { x = { array = [1.0] }, times = 2 }\n"


@pytest.fixture
def expecting(bench):
    """Run an adapter with this file of expected failures beside it."""

    def run(text):
        adapter = bench.adapter("")
        bench.write("mine.toml", text)
        return bench.run(backend=adapter)

    return run


def test_a_witness_that_fails_is_an_expected_failure_replayed_once(bench, expecting):
    bench.chapter(WRONG, DOUBLED)
    result = expecting(ENTRY + WITNESS)
    result.assert_outcomes(xfailed=1, passed=1)
    assert result.ret == pytest.ExitCode.OK
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.EXPECTED_FAILURE
    assert verdict.drawn == 1
    assert verdict.reason == "squares are not squared (https://example.org/1)"


def test_a_witness_that_passes_is_an_unexpected_pass(bench, expecting):
    bench.chapter(WRONG, DOUBLED)
    result = expecting(ENTRY + HARMLESS)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*the witness of TST-03 no longer fails*remove the entry"])
    assert bench.verdicts()["TST-03"].status is Status.UNEXPECTED_PASS


def test_an_entry_speaks_of_its_device_and_dtype_alone(bench, expecting):
    bench.chapter(WRONG)
    expecting(ENTRY + WITNESS + 'dtype = "float32"\n').assert_outcomes(failed=1)
    expecting(ENTRY + WITNESS + 'device = "cuda"\n').assert_outcomes(failed=1)
    expecting(ENTRY + WITNESS + 'dtype = "float64"\ndevice = "cpu"').assert_outcomes(xfailed=1)


def test_an_entry_may_name_a_merged_row(bench, expecting):
    bench.chapter(WRONG.replace('"TST-03"', '"TST-03", "TST-11"'))
    expecting(ENTRY.replace("TST-03", "TST-11") + WITNESS).assert_outcomes(xfailed=1)


def test_a_refusal_of_a_known_kind_is_an_expected_failure(bench, expecting):
    bench.chapter(
        WRONG.replace("    be.check(be.mul(leaf, leaf), x)", "    be.backward(leaf * 2.0)")
    )
    result = expecting(ENTRY + "witness = { x = { array = [1.0, 2.0] }, times = 1 }\n")
    result.assert_outcomes(xfailed=1)


@pytest.mark.parametrize(
    "witness", ["", "witness = { x = { array = [3.0] } }", "witness = { times = 1, y = 2 }"]
)
def test_a_witness_of_other_values_than_the_claim_draws_is_an_error(bench, expecting, witness):
    bench.chapter(WRONG, DOUBLED)
    result = expecting(ENTRY + witness)
    result.assert_outcomes(failed=1, passed=1)
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.ERROR
    assert "the claim draws times, x" in verdict.reason


def test_a_witness_that_reaches_nothing_is_vacuous(bench, expecting):
    bench.chapter(WRONG.replace('about="mul"', 'about="cumsum"'))
    expecting(ENTRY + HARMLESS).assert_outcomes(failed=1)
    assert bench.verdicts()["TST-03"].status is Status.VACUOUS


def test_an_unknown_claim_is_refused_and_the_nearest_proposed(bench, expecting):
    result = expecting(ENTRY.replace("TST-03", "TST-33"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "an expected failure of mine names the claim TST-33" in complaint(result)
    assert "did you mean 'TST-03'?" in complaint(result)


def test_a_claim_that_is_not_collected_is_no_unknown_one(bench, expecting):
    bench.chapter(SQUARED)
    expecting(ENTRY).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[[expected]", "mine.toml"),
        ("expected = 3", "int"),
        ("expected = [1]", "int"),
        (ENTRY.replace("reason", "raison"), "unknown field 'raison'"),
        ('[[expected]]\nclaim = "TST-03"\nreason = "so"', "has no 'link'"),
        (ENTRY + "witness = 3", "witness = 3 is not a table"),
        (ENTRY + "device = 3", "device = 3 is not a text"),
        (ENTRY + "witness = { x = { arr = [3.0] } }", "{ array = [...] }"),
        (ENTRY + 'witness = { x = { array = "three" } }', "three"),
    ],
)
def test_a_malformed_file_is_refused_by_name(expecting, text, fault):
    result = expecting(text)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "mine.toml: " in complaint(result)
    assert fault in complaint(result)
