"""`gradspec fuzz` finds what is wrong, whatever that does to a process, and goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from gradspec.conformance.programs.language import program_of
from gradspec.conformance.programs.searching import Child, Subject, script_fails
from gradspec.conformance.protocol.errors import OptionError

WRONG = """
def __init__(self):
    super().__init__()
    mul = self.functions["mul"]

    def wrong(x, y):
        import os, time
        {deed}

    self.functions = {{**self.functions, "mul": wrong}}
"""
"""An adapter whose products do a deed."""

HALVES = "return mul(x, 2)"
ON_THREE = "if isinstance(y, int) and y == 3: {deed}\n        return mul(x, y)"


NARROW = """
    from gradspec.conformance.backends.reference import Reference

    class Narrow(Reference):
        name = "narrow"
        dtypes = ("float64",)
"""


@pytest.fixture
def fuzz(bench):
    """Run the command on an adapter whose products do a deed, in the folder of the bench."""

    def run(deed, *words):
        backend = bench.adapter(WRONG.format(deed=deed)) if deed else "reference"
        return subprocess.run(  # noqa: S603 - our own command
            [*command("--backend", backend, "--output", "found.jsonl"), *words],
            cwd=bench.path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


def command(*words):
    return [sys.executable, "-m", "gradspec.conformance", "fuzz", *words]


def found(bench):
    """Read what a search has written: its header, the failures, its footer."""
    text = (bench.path / "found.jsonl").read_text(encoding="utf-8")
    header, *failures, footer = map(json.loads, text.splitlines())
    return header, failures, footer


def test_a_right_backend_leaves_nothing_to_report(bench, fuzz):
    done = fuzz("", "--programs", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    header, failures, footer = found(bench)
    assert (header["backend"], header["seed"], header["first"]) == ("reference", 0, 0)
    assert not failures
    assert footer["programs"] == 60
    assert footer["triples"] > 10
    assert "60 programs on reference" in done.stdout


def test_a_wrong_value_is_shrunk_to_what_shows_it(bench, fuzz):
    done = fuzz(HALVES, "--programs", "30")
    assert done.returncode == 1, done.stdout + done.stderr
    _, failures, _ = found(bench)
    programs = {failure["key"]: failure["program"] for failure in failures}
    assert "value: constant mul look_value" in programs, programs
    assert all(len(lines) < 8 for lines in programs.values())
    assert "new, " in done.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    ("deed", "sort", "words"),
    [
        ("os.abort()", "crash", []),
        ("os._exit(0)", "crash", []),
        ("time.sleep(1000)", "hang", ["--deadline", "5"]),
    ],
    ids=["abort", "exit", "hang"],
)
def test_a_program_that_costs_the_process_is_named(bench, fuzz, deed, sort, words):
    done = fuzz(ON_THREE.format(deed=deed), "--programs", "60", *words)
    assert done.returncode == 1, done.stdout + done.stderr
    _, failures, footer = found(bench)
    keys = {failure["key"] for failure in failures}
    # Few tries are made to shrink what costs seconds each time.
    assert keys
    assert all(key.startswith(f"{sort}: ") and key.endswith(" times") for key in keys)
    assert footer["programs"] == 60


KNOWN = """
[[known]]
key = "* constant *times*|* constant *mul*|* leaf *times*|* leaf *mul*"
reason = "half of it"
link = "https://example.org"
witness = ["v0 = constant(; (1,), (1,), False)", "v1 = times(v0; 3)"]
"""


def test_what_is_known_is_nothing_new(bench, fuzz):
    bench.write("mine.programs.toml", KNOWN)
    done = fuzz(HALVES, "--programs", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    _, (failure,), _ = found(bench)
    assert failure["known"] == "https://example.org"
    assert "half of it" in done.stdout


def test_what_is_known_and_gone_is_told(bench, fuzz):
    bench.write("mine.programs.toml", KNOWN)
    done = fuzz("return mul(x, y)", "--programs", "5")
    assert done.returncode == 1
    assert "gone: half of it" in done.stdout
    assert found(bench)[2]["gone"]


def test_what_breaks_in_us_is_no_failure_of_the_library(monkeypatch):
    child = Child(Subject("reference"))
    child.process = SimpleNamespace(poll=lambda: None)
    monkeypatch.setattr(child, "put", lambda question: None)
    monkeypatch.setattr(child, "answer", lambda patience: {"broken": "IndexError: x"})
    with pytest.raises(OptionError, match=r"gradspec breaks \(IndexError: x\) on v0 = leaf"):
        child.ask(program_of(["v0 = leaf(; (1,), (), False)"]))


@pytest.mark.parametrize("body", ["x = 1", "raise ValueError", "import sys; sys.exit(1)"])
def test_a_script_shows_a_defect_if_it_says_so_itself(body):
    assert script_fails(body) == ("exit" in body)


def test_a_malformed_entry_is_one_line(bench, fuzz):
    bench.write("mine.programs.toml", '[[known]]\nkey = "x"\n')
    done = fuzz("return mul(x, y)", "--programs", "5")
    assert done.returncode == 2
    assert "a known defect has no 'link'" in complaint(done)


@pytest.mark.long
def test_the_next_search_goes_on_where_one_has_ended(bench, fuzz):
    fuzz("", "--programs", "64", "--corpus", "corpus")
    kept = len(list((bench.path / "corpus").glob("*.program")))
    assert kept
    done = fuzz("", "--programs", "10", "--corpus", "corpus")
    assert done.returncode == 0
    assert found(bench)[0]["first"] == 64
    assert len(list((bench.path / "corpus").glob("*.program"))) >= kept


def test_the_same_programs_are_run_by_any_number_of_workers(bench, fuzz):
    def keys(*words):
        fuzz(HALVES, "--programs", "24", *words)
        return {failure["key"] for failure in found(bench)[1]}

    assert keys() == keys("--workers", "2")


@pytest.mark.parametrize(
    ("words", "complaint_of"),
    [
        (["--backend", "nobody:Nobody"], "nobody"),
        (["--backend", "reference", "--device", "cuda"], "no cuda device is seen by reference"),
        (["--backend", "narrow:Narrow", "--dtype", "float32"], "narrow has float64"),
        (["--programs", "0"], "'0' is no number of 1 or more"),
        (["--seconds", "-1"], "'-1' is no number of seconds"),
        (["--output", "no/such/folder/x"], "--output"),
        (["--corpus", "mine.py"], "--corpus"),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_what_cannot_be_done_is_refused_in_one_line(bench, fuzz, words, complaint_of):
    bench.write("mine.py", "")
    bench.write("narrow.py", NARROW)
    done = fuzz("", "--programs", "5", *words)
    assert done.returncode == 2
    assert complaint_of in complaint(done)


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_an_interrupted_search_tells_what_it_has(bench):
    words = command("--backend", "reference", "--seconds", "200", "--output", "found.jsonl")
    process = subprocess.Popen(  # noqa: S603 - our own command
        words, cwd=bench.path, stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if " s  " in process.stdout.readline():
            break
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    assert "interrupted" in text
    assert found(bench)[2]["programs"] > 0


def complaint(done):
    """Return the last line of a refusal, which has no traceback."""
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr.strip().splitlines()[-1]
