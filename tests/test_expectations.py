"""Known defects: replayed by their witness, and never allowed to go stale."""

import pytest

from bench import ABORTING, DOUBLED, SINES, SQUARED, WRONG, complaint
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run import expectations
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.loading import load

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
    told = "*the witness of TST-03 no longer fails*remove the entry in line 2 of *.toml"
    result.stdout.fnmatch_lines([told])
    assert bench.verdicts()["TST-03"].status is Status.UNEXPECTED_PASS


def test_what_fails_sometimes_may_pass(bench, expecting):
    bench.chapter(WRONG, DOUBLED)
    expecting(ENTRY + HARMLESS + "sometimes = true\n").assert_outcomes(xfailed=1, passed=1)
    assert bench.verdicts()["TST-03"].status is Status.EXPECTED_FAILURE
    expecting(ENTRY + WITNESS + "sometimes = true\n").assert_outcomes(xfailed=1, passed=1)
    # But not fail in another way than the entry names.
    another = ENTRY + WITNESS + 'status = "error"\nsometimes = true\n'
    expecting(another).assert_outcomes(failed=1, passed=1)


def test_an_entry_speaks_of_its_device_and_dtype_alone(bench, expecting):
    bench.chapter(WRONG)
    expecting(ENTRY + WITNESS + 'dtype = "float32"\n').assert_outcomes(failed=1)
    expecting(ENTRY + WITNESS + 'device = "cuda"\n').assert_outcomes(failed=1)
    expecting(ENTRY + WITNESS + 'dtype = "float64"\ndevice = "cpu"').assert_outcomes(xfailed=1)
    expecting(ENTRY + WITNESS + 'dtype = "float32 float64"\n').assert_outcomes(xfailed=1)
    expecting(ENTRY + WITNESS + 'dtype = "float16 float32"\n').assert_outcomes(failed=1)


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


def test_entries_are_read_again_where_their_file_has_changed_and_nowhere_else(
    tmp_path, monkeypatch
):
    path, backend, read = tmp_path / "mine.toml", load("reference"), []
    usual = expectations.read_expectations
    monkeypatch.setattr(expectations, "file_of", lambda _: path)
    monkeypatch.setattr(
        expectations, "read_expectations", lambda *given: read.append(given) or usual(*given)
    )
    assert expectations_of(backend) == []
    path.write_text(ENTRY + WITNESS, encoding="utf-8")
    expectations_of(backend).clear()
    assert [each.claim for each in expectations_of(backend)] == ["TST-03"]
    assert len(read) == 1
    path.write_text(ENTRY + WITNESS + ENTRY.replace("03", "01") + WITNESS, encoding="utf-8")
    assert [each.claim for each in expectations_of(backend)] == ["TST-03", "TST-01"]
    assert len(read) == 2
    path.unlink()
    assert expectations_of(backend) == []


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
        (ENTRY + WITNESS + "search = true", "not both"),
        (ENTRY + 'dtype = "flaot32"', "dtype must match pattern ^(float16|float32|"),
        (ENTRY + 'device = "gpu"', "device must be one of ['cpu', 'cuda']"),
        (
            ENTRY + 'kind = "bug"',
            "kind must be one of ['defect', 'difference', 'missing', 'parity']",
        ),
        (ENTRY + 'version = "two"', "version = 'two' is no range"),
        (ENTRY + 'version = ">=2"', "'numpy-"),
        (ENTRY.replace("TST-03", "TST-03[") + WITNESS, "'TST-03[' is no claim"),
        (ENTRY.replace("TST-03", "TST-03 TST-03") + WITNESS, "two entries speak of the same"),
        (ENTRY + WITNESS + ENTRY + WITNESS, "two entries speak of the same failure of TST-03"),
        (
            f'{ENTRY}{WITNESS}dtype = "float16 float32"\n{ENTRY}{WITNESS}dtype = "float32 float64"',
            "two entries speak of the same failure of TST-03",
        ),
    ],
)
def test_a_malformed_file_is_refused_by_name(expecting, text, fault):
    result = expecting(text)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "mine.toml: " in complaint(result)
    assert fault in complaint(result)


NUMBERED = "version = '2.13.0+cpu'"


@pytest.mark.parametrize(
    ("version", "outcome"),
    [(">=2.11,<2.14", "xfailed"), ("==2.13.0", "xfailed"), (">=2.14", "failed"), ("<2", "failed")],
)
def test_an_entry_speaks_of_its_versions_alone(bench, version, outcome):
    bench.chapter(WRONG)
    bench.write("mine.toml", f'{ENTRY}{WITNESS}version = "{version}"\n')
    bench.run(backend=bench.adapter(NUMBERED)).assert_outcomes(**{outcome: 1})


def test_an_entry_of_what_is_not_declared_is_stale(bench, expecting):
    bench.chapter(WRONG.replace('about="mul"', 'about="mul", needs="torch"'))
    expecting(ENTRY + WITNESS).assert_outcomes(failed=1)
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.ERROR
    assert verdict.reason.startswith("the entry of TST-03 is stale: mine does not declare torch")


def test_an_adapter_for_several_releases_may_not_declare_what_an_entry_is_about(bench):
    """An older one does not have it."""
    bench.chapter(WRONG.replace('about="mul"', 'about="mul", needs="torch"'))
    bench.write("mine.toml", ENTRY + WITNESS)
    adapter = bench.adapter(f"{NUMBERED}\noldest = '2.11'")
    bench.run(backend=adapter).assert_outcomes(skipped=1)


@pytest.mark.parametrize(("named", "outcome"), [("", "skipped"), ('dtype = "float64"', "failed")])
def test_an_entry_is_stale_if_it_names_a_dtype_without_the_function(bench, named, outcome):
    """One that names none speaks of the dtypes that have it."""
    bench.chapter(WRONG.replace('about="mul"', 'about="mul", needs="exp"'))
    bench.write("mine.toml", f"{ENTRY}{WITNESS}{named}\n")
    adapter = bench.adapter("def lacking(self, dtype, device):\n    return frozenset({'exp'})")
    bench.run(backend=adapter).assert_outcomes(**{outcome: 1})


def test_an_entry_of_an_operation_that_is_not_judged_is_refused(bench, expecting):
    bench.chapter(WRONG)
    result = expecting(ENTRY.replace("TST-03", "TST-03[sin]") + WITNESS)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "on TST-03 names the operation sin" in complaint(result)


@pytest.mark.parametrize("kind", ["difference", "parity"])
def test_what_is_no_fault_is_told_from_a_defect_and_is_never_of_a_law(bench, expecting, kind):
    bench.chapter(WRONG.replace('about="mul"', 'about="mul", level="contract"'))
    expecting(ENTRY + WITNESS).assert_outcomes(xfailed=1)
    assert bench.verdicts()["TST-03"].expected == "defect"
    expecting(f'{ENTRY}{WITNESS}kind = "{kind}"\n').assert_outcomes(xfailed=1)
    assert bench.verdicts()["TST-03"].expected == kind
    bench.chapter(WRONG)
    expecting(f'{ENTRY}{WITNESS}kind = "{kind}"\n').assert_outcomes(failed=1)
    assert f"calls a law a {kind}" in bench.verdicts()["TST-03"].reason


def test_what_is_missing_has_to_be_refused(bench, expecting):
    entry = f'{ENTRY}{WITNESS}kind = "missing"\n'
    bench.chapter(WRONG)
    expecting(entry).assert_outcomes(failed=1)
    verdict = bench.verdicts()["TST-03"]
    assert (verdict.status, verdict.expected) == (Status.FAIL, None)
    assert "calls this missing, but the library gives an answer" in verdict.reason
    bench.chapter(WRONG.replace("be.check(", "raise NotImplementedError(", 1))
    expecting(entry + 'status = "error"\n').assert_outcomes(xfailed=1)
    assert bench.verdicts()["TST-03"].expected == "missing"


def test_a_claim_may_tell_of_a_refusal_in_its_own_words(bench, expecting):
    told = "from gradspec.conformance.protocol.errors import Refused; raise Refused("
    bench.chapter(WRONG.replace("be.check(", told, 1))
    expecting(f'{ENTRY}{WITNESS}kind = "missing"\n').assert_outcomes(xfailed=1)


def test_what_is_searched_for_is_looked_for_at_corners_as_well(bench, expecting):
    law = 'assert str(call.corner) != "narrow contiguous"'
    bench.chapter(SINES.replace('assert call.operation.name == "{right}"', law))
    entry = ENTRY.replace("TST-03", "TST-02[sin] TST-02[cos]")
    expecting(f"{entry}search = true\n").assert_outcomes(xfailed=2)


def test_what_a_library_asserts_itself_is_a_refusal(bench):
    bench.chapter(WRONG)
    adapter = bench.adapter("""
        def __init__(self):
            super().__init__()
            self.product = self.functions["mul"]
            self.functions = {**self.functions, "mul": self.refused}

        def refused(self, x, y):
            assert self.numpy(x).shape != (1,), "one entry is not multiplied"
            return self.product(x, y)
    """)
    bench.write("mine.toml", f'{ENTRY}{WITNESS}kind = "missing"\n')
    bench.run(backend=adapter).assert_outcomes(xfailed=1)


def test_what_has_no_witness_is_searched_for(bench, expecting):
    bench.chapter(WRONG, DOUBLED)
    expecting(ENTRY + "search = true\n").assert_outcomes(xfailed=1, passed=1)
    bench.chapter(SQUARED.replace("TST-02", "TST-03"))
    expecting(ENTRY + "search = true\n").assert_outcomes(failed=1)
    assert bench.verdicts()["TST-03"].status is Status.UNEXPECTED_PASS


def test_a_crash_may_be_expected(bench):
    bench.chapter(ABORTING, DOUBLED)
    adapter = bench.adapter("")
    bench.write("mine.toml", f'{ENTRY}status = "crash"\n')
    result = bench.run_apart("--isolate", backend=adapter)
    result.assert_outcomes(xfailed=1, passed=1)
    assert result.ret == pytest.ExitCode.OK
    assert bench.verdicts()["TST-03"].status is Status.EXPECTED_FAILURE
    bench.run(backend=adapter).assert_outcomes(skipped=1, passed=1)
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.NOT_RUN
    assert "--isolate" in verdict.reason


@pytest.mark.long
def test_what_fails_sometimes_may_end_the_process(bench):
    bench.chapter(ABORTING, DOUBLED)
    adapter = bench.adapter("")
    bench.write("mine.toml", ENTRY)
    bench.run_apart("--isolate", backend=adapter).assert_outcomes(failed=1, passed=1)
    bench.write("mine.toml", f"{ENTRY}sometimes = true\n")
    bench.run_apart("--isolate", backend=adapter).assert_outcomes(xfailed=1, passed=1)
