"""What a claim does to its process costs that claim, and no other."""

import ctypes
import os
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.processes import copies
from gradspec.conformance.processes.copies import how_it_ends
from gradspec.conformance.processes.supervision import cause, stack
from gradspec.conformance.results.reading import BrokenRun, read
from gradspec.conformance.results.verdict import Status, lines

HURT = """
@claim("TST-03", about="is_leaf")
@given(x=arrays())
def test_hurt(be, x):
    "A leaf is a leaf."
    assert be.is_leaf(be.leaf(x))
"""

RECORDED = """
@claim("TST-12", about="mul")
def test_recorded(be):
    "What is computed from a leaf requires grad."
    assert be.requires_grad(be.mul(be.leaf([1.0]), 2.0))
"""

HURTFUL = """
seen = 0

def is_leaf(self, x):
    import ctypes, os, sys, time
    type(self).seen += 1
    if self.seen == 3:
        {deed}
    return super().is_leaf(x)
"""
"""An adapter that does its `deed` in the third example of HURT."""

LIBC = 'ctypes.PyDLL(None if os.name == "posix" else "kernel32")'
HANG = f'({LIBC}.sleep if os.name == "posix" else {LIBC}.Sleep)(10**5)'
"""A call into C that does not return and does not let go of the interpreter."""

LEAK = "self.library.set_grad_enabled(False)"
STUBBORN = HURTFUL + "\ndef restore(self, state):\n    pass\n"
"""An adapter that puts nothing back."""

DEVICE = """
lost = False

def devices(self):
    return ("cpu", "cuda")

def synchronize(self, device):
    if device == "cuda" and self.lost:
        raise RuntimeError("CUDA error: device-side assert triggered\\nand more")

def leaf(self, array, dtype, device):
    self.synchronize(device)
    return super().leaf(array, dtype, device)

def is_leaf(self, x):
    type(self).lost = True
    self.synchronize("cuda")
"""
"""An adapter of a device whose context does not survive HURT."""


@pytest.fixture
def hurt(bench):
    """Run a chapter in which HURT comes second, on an adapter that does a deed."""

    def run(deed, *words, adapter=HURTFUL):
        bench.write("sources.toml", bench.sources("TST-01", "TST-02", "TST-03", "TST-11", "TST-12"))
        bench.chapter(DOUBLED, HURT, SQUARED, RECORDED)
        return bench.run_apart(*words, backend=bench.adapter(adapter.replace("{deed}", deed)))

    return run


def others_passed(bench):
    return {name for name, v in bench.verdicts().items() if v.status is Status.PASS} == {
        "TST-01",
        "TST-02",
        "TST-12",
    }


@pytest.mark.long
@pytest.mark.parametrize(
    ("deed", "status", "reason"),
    [
        ("os.abort()", Status.CRASH, "Fatal Python error: Aborted"),
        ("ctypes.string_at(0)", Status.CRASH, "Fatal Python error: Segmentation fault"),
        ("os._exit(0)", Status.CRASH, "the process ended without a word"),
        (HANG, Status.TIMEOUT, "it had not ended after 0:00:12, its deadline"),
        (LEAK, Status.FAIL, "global state changed: grad mode from True to False"),
    ],
    ids=["abort", "segfault", "exit", "hang", "leak"],
)
def test_one_claim_is_the_whole_cost(bench, hurt, deed, status, reason):
    # Long enough for any claim on a busy machine, and no longer.
    result = hurt(deed, "--isolate", *(["--deadline", "12"] if deed == HANG else []))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=3, failed=1)
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is status
    assert verdict.reason.startswith(reason)
    assert "rerun: pytest " in verdict.reproduction
    assert ("\nvalues:\n    x = np.array(" in verdict.reproduction) == (deed != LEAK)
    assert others_passed(bench)
    result.stdout.fnmatch_lines(["*TST-03 on mine-cpu-float64: A leaf *", f"3 passed, 1 {status}"])


@pytest.mark.parametrize("words", [["-n", "2"], ["-n", "1", "--dist", "worksteal"]])
def test_workers_of_any_number_are_supervised(bench, hurt, words):
    hurt("os.abort()", *words).assert_outcomes(passed=3, failed=1)
    assert bench.verdicts()["TST-03"].status is Status.CRASH
    assert others_passed(bench)


def test_the_place_of_a_crash_is_shown(bench, hurt):
    result = hurt("os.abort()", "--isolate")
    result.stdout.re_match_lines(
        ["_+ test_hurt.*_+", "crash: Fatal Python error: Aborted", ".*in is_leaf"]
    )
    assert 'mine.py", line' in bench.verdicts()["TST-03"].reproduction


ENDS = """
@claim("TST-03", about="add")
{drawn}
    "This is the end."
    os.abort()
"""

AT_LAST = """
SEEN = []

def counted(n):
    SEEN.append(n)
    return os.abort() if len(SEEN) > 3 else float(n)
"""
"""What ends the process while a fourth example is drawn."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("drawn", "values"),
    [
        ("@given(x=arrays(min_size=1))\ndef test_it(be, x):", "x = np.array([0.0"),
        ("@example(n='\\x1b\\ud8')\n@given(n=integers())\ndef test_it(be, n):", "n = '\\x1b\\ud8'"),
        ("@example(n='n' * 10**6)\n@given(n=integers())\ndef test_it(be, n):", "n = 'nnn"),
        ("def test_it(be):", None),
    ],
    ids=["array", "odd text", "long text", "none"],
)
def test_a_crash_shows_the_values_it_was_given(bench, drawn, values):
    bench.chapter(ENDS.format(drawn=drawn.replace("ud8", "ud800")), DOUBLED)
    bench.run_apart("--isolate")
    text = bench.verdicts()["TST-03"].reproduction
    assert ("values:" in text) == (values is not None)
    assert values is None or f"values:\n    {values.replace('ud8', 'ud800')}" in text
    assert len(text) < 100_000


@pytest.mark.long
def test_values_of_an_example_that_is_over_are_not_shown(bench):
    drawing = HURT.replace("arrays()", "integers(1, 100).map(counted)")
    bench.chapter(AT_LAST, drawing, DOUBLED)
    bench.run_apart("--isolate")
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.CRASH
    assert "values:" not in verdict.reproduction


@pytest.mark.long
def test_what_restore_does_not_put_back_costs_a_process_and_no_claim(bench, hurt):
    result = hurt(LEAK, "--isolate", adapter=STUBBORN)
    result.assert_outcomes(passed=3, failed=1)
    assert others_passed(bench)
    result.stdout.fnmatch_lines(["replacing crashed worker *"])
    assert "broken run" not in result.stdout.str()


def test_without_isolation_a_spoiled_process_judges_nothing_more(bench, hurt):
    hurt(LEAK, "--no-isolate", adapter=STUBBORN).assert_outcomes(passed=1, failed=3)
    verdict = bench.verdicts()["TST-12"]
    assert verdict.status is Status.ERROR
    left = "TST-03 left grad mode from True to False: run with --isolate"
    assert verdict.reason == left


@pytest.mark.long
def test_a_device_that_no_longer_answers_costs_a_process_and_one_claim(bench, hurt):
    result = hurt("", "--isolate", "--device", "cuda", adapter=DEVICE)
    result.assert_outcomes(passed=3, failed=1)
    assert others_passed(bench)
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.CRASH
    told = "cuda does not answer after it: RuntimeError: CUDA error: device-side assert triggered"
    assert verdict.reason == told


@pytest.mark.long
def test_more_crashes_than_xdist_would_bear(bench):
    crashing = HURT.replace("assert be.is_leaf(be.leaf(x))", "be.is_leaf(be.leaf(x)); os.abort()")
    rows = [f"TST-{n}" for n in range(20, 26)]
    bench.write("sources.toml", bench.sources("TST-01", "TST-11", *rows))
    bench.chapter(*(crashing.replace("TST-03", r).replace("hurt", r[4:]) for r in rows), DOUBLED)
    bench.run_apart("--isolate").assert_outcomes(passed=1, failed=6)
    assert [bench.verdicts()[row].status for row in rows] == [Status.CRASH] * 6


@pytest.mark.long
def test_verdicts_are_the_same_in_a_process_of_their_own(bench):
    bench.chapter(DOUBLED, WRONG, SQUARED)
    bench.run()
    here = list(lines(bench.all_verdicts()))
    bench.run_apart("--isolate")
    assert list(lines(bench.all_verdicts())) == here


def test_a_crash_without_isolation_is_named_by_what_is_left(bench, hurt):
    hurt("os.abort()", "--no-isolate")
    with pytest.raises(BrokenRun, match="broken off in TST-03 on mine-cpu-float64"):
        read(bench.results)


@pytest.mark.long
def test_a_deadline_holds_without_isolation_if_one_is_given(bench, hurt):
    result = hurt(HANG, "--deadline", "12", "--no-isolate")
    result.stderr.fnmatch_lines(["Timeout (0:00:12)!", "*in is_leaf"])
    with pytest.raises(BrokenRun, match="broken off in TST-03"):
        read(bench.results)


HANGS_AT_TIMES = """
[[expected]]
claim = "TST-03"
reason = "asking takes for ever"
link = "https://example.org"
sometimes = true

[expected.witness]
x = 1.0
"""


@pytest.mark.long
def test_a_witness_that_may_hang_is_one_example_to_wait_for(bench, hurt):
    bench.write("mine.toml", HANGS_AT_TIMES)
    words = ["--deadline", "120", "--no-isolate"]
    result = hurt(HANG, *words, adapter=HURTFUL.replace("== 3", "== 1"))
    result.stderr.fnmatch_lines(["Timeout (0:00:12)!", "*in is_leaf"])


KNOWN_TO_CRASH = """
[[expected]]
claim = "TST-03"
reason = "it ends the process"
link = "https://example.org"
status = "crash"
"""

BY_WITNESS, BY_SEARCH = "witness = { x = 1.0 }\n", "search = true\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("found", [BY_WITNESS, BY_SEARCH], ids=["witness", "search"])
def test_a_known_crash_is_tried_in_a_copy_of_the_process(bench, hurt, found):
    bench.write("mine.toml", KNOWN_TO_CRASH + found)
    result = hurt("os.abort()", "--isolate", adapter=HURTFUL.replace("== 3", "== 1"))
    result.assert_outcomes(passed=3, xfailed=1)
    assert bench.verdicts()["TST-03"].status is Status.EXPECTED_FAILURE
    assert bench.verdicts()["TST-03"].reason == "it ends the process (https://example.org)"
    replaced = "replacing crashed worker" in result.stdout.str()
    assert replaced == (sys.platform != "linux")


@pytest.mark.long
def test_what_crashes_at_times_is_left_to_the_copy(bench, hurt):
    """It may have written where it may not: the next claims are not to bear that."""
    bench.write("mine.toml", f"{KNOWN_TO_CRASH}{BY_WITNESS}sometimes = true\n")
    note = "open('seen', 'a').write(f'{os.getpid()} ')"
    hurt(note, "--isolate", adapter=HURTFUL.replace("== 3", "== 1"))
    assert bench.verdicts()["TST-03"].status is Status.EXPECTED_FAILURE
    assert others_passed(bench)
    assert len(Path("seen").read_text(encoding="utf-8").split()) == 1


@pytest.mark.long
def test_what_is_searched_in_a_copy_in_vain_is_judged_in_the_process(bench, hurt):
    bench.write("mine.toml", f"{KNOWN_TO_CRASH}{BY_SEARCH}sometimes = true\n")
    hurt("open('seen', 'a').write(f'{os.getpid()} ')", "--isolate")
    assert others_passed(bench)
    assert len({*Path("seen").read_text(encoding="utf-8").split()}) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("deed", "status"),
    [("pass", Status.UNEXPECTED_PASS), ("os._exit(0)", Status.EXPECTED_FAILURE)],
    ids=["mended", "exit"],
)
def test_what_does_not_crash_in_a_copy_is_tried_in_the_process(bench, hurt, deed, status):
    bench.write("mine.toml", KNOWN_TO_CRASH + BY_WITNESS)
    result = hurt(deed, "--isolate", adapter=HURTFUL.replace("== 3", "== 1"))
    assert bench.verdicts()["TST-03"].status is status
    assert ("replacing crashed worker" in result.stdout.str()) == (deed != "pass")


@pytest.mark.skipif(sys.platform != "linux", reason="a process is not copied elsewhere")
def test_a_copy_tells_by_which_signal_it_crashed(monkeypatch):
    monkeypatch.setattr(copies, "PATIENCE", 0.5)
    assert how_it_ends(os.abort) == "SIGABRT"
    assert how_it_ends(partial(ctypes.string_at, 0)) == "SIGSEGV"
    assert how_it_ends(list) == ""
    assert how_it_ends(partial(sys.exit, 3)) is None
    assert how_it_ends(partial(os._exit, 0)) is None
    assert how_it_ends(partial(time.sleep, 60)) is None


APART = DOUBLED.replace(
    "    leaf =",
    '    import os\n    assert "PYTEST_XDIST_WORKER" in os.environ\n    leaf =',
    1,
)
"""A claim that holds in a process beside pytest's."""


@pytest.mark.long
@pytest.mark.parametrize(("library", "apart"), [("mygrad", True), ("torch", False)])
def test_libraries_that_may_end_a_process_are_isolated(bench, monkeypatch, library, apart):
    """Whether the library is installed or not: what is asked is where the reference is judged."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    bench.chapter(APART)
    bench.run_apart("--backend", library)
    judged = {verdict.backend: verdict.status for verdict in bench.all_verdicts()}
    assert judged["reference"] is (Status.PASS if apart else Status.FAIL)


@pytest.mark.long
@pytest.mark.parametrize(
    ("visible", "words", "apart"),
    [
        ("0", [], True),
        ("", [], False),
        ("0", ["--device", "cpu"], False),
        ("0", ["-n", "0"], False),
    ],
)
def test_beside_a_gpu_claims_are_isolated(bench, monkeypatch, visible, words, apart):
    """A kernel that fails takes the device away from its process, and from every claim after it."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    bench.chapter(APART)
    result = bench.run_apart(*words, backend="torch")
    result.assert_outcomes(passed=int(apart), failed=int(not apart))


def test_workers_that_never_begin_are_not_started_for_ever(bench, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    bench.write("conftest.py", "import os\nif 'PYTEST_XDIST_WORKER' in os.environ: os._exit(3)")
    result = bench.run_apart("--isolate")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(["*3 workers died before their first test*-n 0*"])


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--isolate", "--pdb"], "--pdb needs the claims in this process"),
        (["--isolate", "--benchmark-only"], "--benchmark-only needs"),
        (["--isolate", "-p", "no:xdist"], "let it be loaded"),
        (["--deadline", "0"], "give a number of seconds above 0"),
        (["--deadline", "nan"], "give a number of seconds above 0"),
    ],
    ids=lambda value: value[1] if isinstance(value, list) else "",
)
def test_what_cannot_be_isolated_is_refused(bench, words, remedy):
    result = bench.run_apart(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert remedy in complaint(result)


def test_last_words_are_read():
    first, last = (f"Thread 0x{n} (most recent call first):\n  File {n}\n\n" for n in (2, 1))
    words = f"Timeout (0:01:00)!\n{first}{last}"
    assert cause(words) == "it had not ended after 0:01:00, its deadline"
    assert "File 1" in stack(words)
    assert cause("").startswith("the process ended without a word")
