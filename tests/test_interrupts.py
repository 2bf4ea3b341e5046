"""Who ends a run: its user, and nobody else; and what is left of what was ended."""

import os
import signal
import subprocess
import sys
import time

import pytest

from bench import DOUBLED, SQUARED
from gradspec.conformance.results.reading import read_run
from gradspec.conformance.results.verdict import Status

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are not sent like this there")

WAITING = """
@claim("TST-03", about="is_leaf")
def test_waiting(be):
    "A leaf is a leaf."
    assert be.is_leaf(be.leaf([1.0]))
"""

DEED = """
def is_leaf(self, x):
    import ctypes, os, signal, sys, threading, time, pytest
    {deed}
    return super().is_leaf(x)
"""
"""An adapter that does a deed in WAITING, which comes second."""

FORK = "if os.fork() == 0: "


@pytest.fixture
def deed(bench):
    """Run a chapter in the middle of which an adapter does a deed."""

    def run(text, *words):
        bench.chapter(DOUBLED, WAITING, SQUARED)
        return bench.run_apart(*words, backend=bench.adapter(DEED.format(deed=text)))

    return run


def statuses(bench):
    return {name: str(verdict.status) for name, verdict in bench.verdicts().items()}


ALL = {"TST-01": "pass", "TST-02": "pass"}

KILL = "os.kill(os.getpid(), signal.{})"

KILLED = {
    "SIGKILL": (KILL.format("SIGKILL"), "crash", "the process ended without a word"),
    "SIGTERM": (KILL.format("SIGTERM"), "crash", "the process ended without a word"),
    "SIGSEGV": (KILL.format("SIGSEGV"), "crash", "Fatal Python error: Segmentation fault"),
    "SIGSTOP": (KILL.format("SIGSTOP"), "timeout", "it no longer answered, and was ended after"),
    "SIGINT": (KILL.format("SIGINT") + "; time.sleep(9)", "error", ""),
    "interrupt": ("raise KeyboardInterrupt", "error", ""),
    "leave": ("sys.exit(0)", "error", ""),
    "exit": ("os._exit(0)", "crash", "the process ended without a word"),
    "quit": ("pytest.exit('enough', 0)", "error", "enough"),
    "copy holds on": (
        FORK + "time.sleep(600)",
        "fail",
        "global state changed: child process python added",
    ),
    "copy then crash": (FORK + "time.sleep(600)\n    os.abort()", "crash", "Fatal Python error"),
}
"""What a claim does to its worker, the status it gets, and how its reason begins."""


@pytest.mark.long
@pytest.mark.parametrize(("text", "status", "reason"), KILLED.values(), ids=KILLED)
def test_what_happens_to_a_worker_costs_one_claim(bench, deed, text, status, reason):
    result = deed(text, "--deadline", "10" if "SIGSTOP" in text else "60")
    assert statuses(bench) == ALL | {"TST-03": status}
    assert result.ret == (status != "pass")
    assert reason in (bench.verdicts()["TST-03"].reason or "")
    assert read_run(bench.results).footer["exit_status"] == int(result.ret)


ALONE = {
    "interrupt": ("raise KeyboardInterrupt", "error"),
    "leave": ("sys.exit(0)", "error"),
    "quit": ("pytest.exit('enough', 0)", "error"),
    "copy that returns": ("os.fork()", "pass"),
    "copy that raises": (FORK + "raise ValueError", "pass"),
}


@pytest.mark.parametrize(("text", "status"), ALONE.values(), ids=ALONE)
def test_in_a_single_process_no_claim_ends_the_run(bench, deed, text, status):
    result = deed(text, "--no-isolate")
    assert statuses(bench) == ALL | {"TST-03": status}
    assert result.ret == (status != "pass")
    assert result.stdout.str().count("test session starts") == 1


def test_a_single_process_that_is_left_says_so_and_is_not_green(bench, deed):
    result = deed("os._exit(0)", "--no-isolate")
    assert result.ret == 3
    told = "gradspec: TST-03 on mine-cpu-float64 left the process by os._exit(0)"
    result.stderr.fnmatch_lines([told])


def test_a_process_that_a_claim_starts_may_leave_as_it_likes(bench, deed):
    """Which is what those do that the library has forked for its own ends."""
    text = FORK + "os._exit(0)\n    assert os.wait()[1] == 0"
    assert deed(text, "--no-isolate").ret == pytest.ExitCode.OK


@pytest.mark.sampled(5)
@pytest.mark.parametrize("words", [[], ["--no-isolate"], ["-n", "2"]], ids=" ".join)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("group", [False, True], ids=["process", "group"])
def test_the_user_ends_the_run_at_once(bench, words, number, group):
    if group and number == signal.SIGTERM:
        return
    bench.chapter(DOUBLED, WAITING, SQUARED)
    adapter = bench.adapter(DEED.format(deed="open('begun', 'w').close(); time.sleep(600)"))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly"]
    command += ["--backend", adapter, "--dtype", "float64", *words]
    env = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    process = subprocess.Popen(  # noqa: S603
        command,
        cwd=bench.path,
        env=env,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    # The claim may begin before the process that writes the file hears of it.
    for _ in range(3000):
        if (bench.path / "begun").exists() and bench.results.exists():
            break
        time.sleep(0.1)
    (os.killpg if group else os.kill)(process.pid, number)
    # A busy machine takes its time; the claim would take ten minutes.
    out = process.communicate(timeout=120)[0].decode()
    if number == signal.SIGTERM:
        # Nobody is there to write an end: the file lacks it, and is no whole run.
        assert process.returncode == -signal.SIGTERM
        assert "footer" not in bench.results.read_text()
    else:
        assert process.returncode == pytest.ExitCode.INTERRUPTED, out
        assert '"exit_status": 2' in bench.results.read_text().splitlines()[-1]


@pytest.mark.long
def test_a_whole_run_is_the_same_whoever_runs_it(bench):
    bench.chapter(DOUBLED, WAITING, SQUARED)
    found = []
    for words in (["--no-isolate"], ["-n", "2"], []):
        bench.run_apart(*words, backend=bench.adapter(""))
        found.append([v.to_json() | {"seconds": 0, "cpu_seconds": 0} for v in bench.all_verdicts()])
    first, *others = (sorted(each, key=str) for each in found)
    assert all(other == first for other in others)
    assert {v["status"] for v in first} == {Status.PASS}
