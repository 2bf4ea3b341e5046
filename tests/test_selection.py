"""Which claims run, and what an exit status of zero is worth."""

import pytest

from bench import DOUBLED, SQUARED, WRONG
from gradspec.conformance.plugin import BLOCK
from gradspec.conformance.results.verdict import Status

BOTH = ("--dtype", "float32")
"""Adds the second dtype to the bench's own."""


def names(result):
    """Return the ids of the tests that ran, in order."""
    return [line.split()[0].partition("::")[2] for line in result.outlines if "::" in line]


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (["--claim", "TST-01"], ["doubled"]),
        (["--claim", "TST-11"], ["doubled"]),
        (["--claim", "TST-02", "--claim", "TST-11"], ["doubled", "squared"]),
        (["-k", "TST-02"], ["squared"]),
        (["-k", "TST-11"], ["doubled"]),
        (["-k", "not TST-02"], ["doubled"]),
        (["-m", "planted"], ["doubled", "squared"]),
        (["-m", "law"], ["doubled"]),
        (["-m", "contract"], ["squared"]),
        (["-m", "cpu and contract"], ["squared"]),
        (["-k", "TST-02", "--claim", "TST-02"], ["squared"]),
    ],
    ids=" ".join,
)
def test_claims_are_selected_by_id_keyword_and_mark(bench, words, chosen):
    bench.chapter(DOUBLED, SQUARED)
    result = bench.run("-v", "--strict-markers", *words)
    assert result.ret == pytest.ExitCode.OK
    assert names(result) == [f"test_{name}[reference-cpu-float64]" for name in chosen]


SPREAD = SQUARED.replace('about="mul", level="contract"', "over=TABLE")
"""A claim that is judged for every operation."""


def test_what_is_not_chosen_is_not_spread_over_operations(bench):
    """Thousands of tests of other claims would take longer to make than the chosen one to run."""
    table = "from gradspec.conformance.table import TABLE"
    bench.chapter(table, DOUBLED, SPREAD)
    bench.run("--claim", "TST-01", dtype=None).assert_outcomes(passed=2, deselected=1)


def test_claims_of_the_same_operations_follow_each_other(bench):
    """What is true of their calls is found once, and kept as long as it is asked for."""
    table = "from gradspec.conformance.table import TABLE"
    other = SPREAD.replace("TST-02", "TST-03").replace("test_squared", "test_again")
    bench.chapter(table, SPREAD, other)
    found = names(bench.run("--collect-only", "-q"))
    firsts = [name for name in found if name.startswith("test_squared")][:BLOCK]
    assert len(firsts) == BLOCK
    assert found[:BLOCK] == firsts
    assert found[BLOCK : 2 * BLOCK] == [name.replace("squared", "again") for name in firsts]


def test_a_claim_left_out_by_a_mark_is_not_called_unknown(bench):
    result = bench.run("-m", "contract", "--claim", "TST-01")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.no_fnmatch_line("*no collected claim*")


def test_subjects_are_named_by_backend_device_and_dtype(bench):
    result = bench.run("-v", *BOTH)
    assert names(result) == [f"test_doubled[reference-cpu-{d}]" for d in ("float32", "float64")]
    result.stdout.re_match_lines(["chapter +claims +reference-cpu-float32 +reference-cpu-float64"])


def test_marking_cuda_without_cuda_says_so_and_is_not_green(bench):
    result = bench.run("-m", "cuda")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["no claim ran: no cuda device is seen by reference *"])


ON_CUDA = SQUARED.replace('level="contract"', 'device="cuda"')
ON_THE_HOST = SQUARED.replace('level="contract"', 'device="cpu"').replace("squared", "hosted")


def test_a_claim_that_a_device_alone_can_show_is_not_run_without_it(bench):
    bench.chapter(DOUBLED, ON_CUDA)
    result = bench.run("-v")
    assert result.ret == pytest.ExitCode.OK
    assert names(result)[1] == "test_squared[reference-cuda-float64]"
    result.stdout.re_match_lines(["planted +2 +1/1 +not run", "1 passed, 1 not run"])
    verdict = bench.verdicts()["TST-02"]
    assert (verdict.subject, verdict.status) == ("reference-cuda-float64", Status.NOT_RUN)
    assert verdict.reason.startswith("no cuda device is seen by reference ")
    assert verdict.drawn == 0


def test_a_run_of_absent_devices_alone_is_not_green(bench):
    bench.chapter(DOUBLED, ON_CUDA)
    assert bench.run("-m", "cuda").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_claim_on_a_device_that_is_there_runs_on_it_alone(bench):
    bench.chapter(DOUBLED, ON_CUDA, ON_THE_HOST.replace("TST-02", "TST-03"))
    two = bench.adapter("def devices(self):\n    return ('cpu', 'cuda')")
    assert bench.run(backend=two).ret == pytest.ExitCode.OK
    ran = {(v.claim, v.device) for v in bench.all_verdicts() if v.status is Status.PASS}
    assert ran == {("TST-01", "cpu"), ("TST-01", "cuda"), ("TST-02", "cuda"), ("TST-03", "cpu")}
    assert bench.run("--device", "cpu", backend=two).ret == pytest.ExitCode.OK
    assert bench.verdicts()["TST-02"].reason == "--device leaves cuda out"


def test_a_backend_that_lacks_what_a_device_claim_needs_is_unsupported_where_it_is(bench):
    bench.chapter(DOUBLED, ON_CUDA.replace('about="mul"', 'about="mul", needs="nn"'))
    assert bench.run().ret == pytest.ExitCode.OK
    assert bench.verdicts()["TST-02"].subject == "reference-cpu-float64"


def test_a_run_in_which_all_is_unsupported_is_not_green(bench):
    bench.chapter(SQUARED.replace('about="mul"', 'about="mul", needs="nn torch"'))
    result = bench.run()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["0 passed, 1 unsupported", "0 cases checked, *"])
    assert bench.verdicts()["TST-02"].reason == "reference does not declare nn, torch"


def test_one_red_claim_makes_the_run_red(bench):
    bench.chapter(DOUBLED, WRONG, SQUARED)
    result = bench.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["planted * 2/3 1 RED", "2 passed, 1 fail"])


def test_tests_that_are_no_claims_are_left_alone(bench):
    bench.write(
        "test_ordinary.py",
        """
        import sys

        import hypothesis

        def test_ordinary():
            assert hypothesis.settings().max_examples == 100
            assert hypothesis.settings().database is not None or "CI" in __import__("os").environ
            assert "torch" not in sys.modules
        """,
    )
    result = bench.pytester.runpytest_subprocess("test_ordinary.py", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    assert not bench.results.parent.exists()
    assert "gradspec" not in "".join(line for line in result.outlines if "plugins:" not in line)


def test_an_ordinary_test_may_have_a_fixture_of_the_same_name(bench):
    bench.write(
        "test_ordinary.py",
        """
        import pytest

        @pytest.fixture
        def be():
            return "mine"

        def test_ordinary(be):
            assert be == "mine"
        """,
    )
    assert names(bench.run("-v", "test_ordinary.py")) == ["test_ordinary"]
