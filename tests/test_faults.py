"""A library that cannot be set up costs its own verdicts, and the run says so and is red."""

import os
import sys
from itertools import cycle
from textwrap import dedent

import pytest

from bench import DOUBLED, complaint
from gradspec.conformance.results.reading import read
from gradspec.conformance.results.verdict import Status

PLACES = {
    "import": "",
    "init": "def __init__(self):\n    {}\n    super().__init__()",
    "version": "@property\ndef version(self):\n    {}\n    return '1'",
    "devices": "def devices(self):\n    {}\n    return ('cpu',)",
    "device_model": "def device_model(self, device):\n    {}\n    return device",
    "state": "def state(self):\n    {}\n    return {{}}",
}
"""Where a library may go wrong before any claim is run."""

SILENT = "the process ended without a word"

DEADLY = {
    "crash": ("ctypes.string_at(0)", "Fatal Python error: Segmentation fault"),
    "exit_0": ("os._exit(0)", SILENT),
    "exit_1": ("os._exit(1)", SILENT),
    "hang": ("time.sleep(1000)", "it had not ended after 0:00:04, its deadline"),
}
"""What takes the process with it, and what is said of it."""

LOUD = {
    "leave": ("sys.exit(0)", "SystemExit: 0"),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "base": ("raise BaseException('from below')", "BaseException: from below"),
    "speechless": ("raise Speechless", "its __str__ raised"),
    "odd": ("raise OSError('half a \\ud800 pair \\x1b[31m')", r"half a \ud800 pair \x1b[31m"),
    "quit": ("__import__('pytest').exit('enough', 0)", "enough"),
}
"""What is raised, and what is said of it."""

MODULE = """
import ctypes, os, sys, time
from gradspec.conformance.backends.reference import Reference


class Speechless(Exception):
    def __str__(self):
        raise SystemExit("nothing to say")

{top}

class Mine(Reference):
    name = "{name}"

{body}
"""


PAIRS = [
    (place, deed)
    for place, deadly in zip(PLACES, cycle(DEADLY), strict=False)
    for deed in (deadly, *LOUD)
]
"""Each place with all that is loud, and with the deadly deeds in turn."""


@pytest.fixture
def hostile(bench):
    """Write an adapter for each pair of a place and a deed; return what names them."""

    def write(chosen):
        for place, deed in chosen:
            act = (DEADLY | LOUD)[deed][0]
            body = PLACES[place].format(act) or "pass"
            text = MODULE.format(
                name=f"{place}-{deed}",
                top=act if place == "import" else "",
                body="\n".join(f"    {line}" for line in body.splitlines()),
            )
            bench.write(f"{place}_{deed}.py", text)
        return [f"{place}_{deed}:Mine" for place, deed in chosen]

    return write


def judged(bench, hostile, chosen, *words):
    """Run the reference beside hostile adapters; return what is said of each of them."""
    given = [word for name in hostile(chosen) for word in ("--backend", name)]
    result = bench.run_apart("--deadline", "4", *given, *words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1)
    header, verdicts = read(bench.results)
    assert [(v.backend, v.status) for v in verdicts] == [("reference", Status.PASS)]
    told = {fault["backend"]: fault["reason"] for fault in header["faults"]}
    for name in told:
        result.stdout.fnmatch_lines([f"fault: {name} *"])
    return told


def is_told(chosen, told):
    """Whether each pair is named, with what went wrong there."""
    assert set(told) == {f"{place}_{deed}:Mine" for place, deed in chosen}
    for place, deed in chosen:
        assert (DEADLY | LOUD)[deed][1] in told[f"{place}_{deed}:Mine"]
    return True


@pytest.mark.long
@pytest.mark.parametrize("words", [[], ["-n", "2"]], ids=["isolated", "two workers"])
def test_a_hostile_library_costs_itself_alone(bench, hostile, words):
    """In a worker, whose successor leaves out what it did not survive."""
    chosen = PAIRS if not words else [pair for pair in PAIRS if pair[0] in ("import", "state")]
    assert is_told(chosen, judged(bench, hostile, chosen, *words))


@pytest.mark.long
def test_a_hostile_library_costs_itself_alone_in_a_single_process(bench, hostile):
    """Where it is tried in another process first."""
    chosen = [("import", "crash"), ("init", "exit_0"), ("state", "hang"), ("version", "interrupt")]
    chosen += [("import", "leave"), ("devices", "speechless")]
    assert is_told(chosen, judged(bench, hostile, chosen, "-n", "0"))


@pytest.mark.skipif(os.name != "posix", reason="there is no fork elsewhere")
@pytest.mark.parametrize("words", [[], ["-n", "0"], ["--no-isolate"]], ids=" ".join)
def test_a_copy_that_a_library_forks_runs_nothing(bench, words):
    bench.write("forks.py", MODULE.format(name="forks", top="os.fork()", body="    pass"))
    result = bench.run_apart("--backend", "forks:Mine", *words)
    result.assert_outcomes(passed=2)
    assert result.stdout.str().count("test session starts") == 1
    assert len(bench.all_verdicts()) == 2


@pytest.mark.long
def test_if_no_backend_is_left_nothing_runs(bench, hostile):
    for words in ([], ["-n", "0"]):
        result = bench.run_apart(*words, backend=hostile([("import", "base")])[0])
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "import_base:Mine: cannot be imported (BaseException: from" in complaint(result)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("words", [[], ["-n", "2"], ["-n", "0"]], ids=" ".join)
@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("torhc", "unknown backend; did you mean 'torch'?; known are "),
        ("nowhere:Mine", "cannot import nowhere: there is no such module here"),
        ("mine:Yours", "mine has no Yours; name a class that is there"),
        ("mine:Mine", "Mine lacks numpy, though every adapter has one: implement it"),
    ],
)
def test_a_wrong_word_is_refused_before_anything_runs(bench, words, word, told):
    bench.adapter("numpy = Backend.numpy")
    result = bench.run_apart(*words, "--backend", word)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--backend {word}: {told}" in complaint(result)
    assert not bench.results.exists()


# ---- a PyTorch that is not there, and one that does not work -------------------------------------

BROKEN = {
    "oserror": "raise OSError('libcudart.so.13: cannot open shared object file')",
    "part": "import nothing_of_this_name",
    "part of its own": "from torch import nothing",
    "crash": "import os; os.abort()",
    "empty": "",
}


@pytest.fixture
def library(bench, monkeypatch):
    """Put a module where Python looks first."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)

    def write(name, text):
        bench.path.joinpath("first").mkdir()
        bench.path.joinpath("first", name).write_text(dedent(text), encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(bench.path / "first"))

    return write


def run_by_default(bench, *words):
    words = ["-p", "no:cacheprovider", "--dtype", "float64", *words]
    return bench.pytester.runpytest_subprocess(*words, timeout=120)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", [[], ["-n", "1"]], ids=["alone", "worker"])
@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_torch_makes_the_default_run_red(bench, library, text, words):
    if words and text not in (BROKEN["oserror"], BROKEN["crash"]):
        return
    library("torch.py", text)
    result = run_by_default(bench, *words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["fault: torch cannot be *"])
    assert [f["backend"] for f in read(bench.results)[0]["faults"]] == ["torch"]


ABSENT = """
import importlib.abc, importlib.metadata, sys

class Nothing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, Nothing())
found = importlib.metadata.distribution

def distribution(name):
    if name == "torch":
        raise importlib.metadata.PackageNotFoundError(name)
    return found(name)

importlib.metadata.distribution = distribution
"""


def test_without_torch_the_default_run_says_what_it_left_out(bench, library):
    library("sitecustomize.py", ABSENT)
    result = run_by_default(bench)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["not checked: torch is not installed"])
    assert "faults" not in read(bench.results)[0]


def test_without_torch_a_run_that_names_it_is_red(bench, library):
    library("sitecustomize.py", ABSENT)
    result = run_by_default(bench, "--backend", "torch", "--backend", "reference")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["fault: torch cannot be imported (*No module named 'torch'*"])


@pytest.mark.long
def test_a_folder_where_pytest_is_called_is_no_library(bench):
    bench.path.joinpath("torch").mkdir()
    bench.path.joinpath("torch", "__init__.py").write_text("raise OSError('not torch at all')")
    # Neither Python nor pytest puts the folder first.
    words = ["-I", "-m", "pytest", "--import-mode=importlib", "-p", "no:cacheprovider"]
    result = bench.pytester.run(sys.executable, *words, "--dtype", "float64", timeout=120)
    result.assert_outcomes(passed=2)
    assert {v.backend for v in bench.all_verdicts()} == {"reference", "torch"}


def test_an_adapter_where_pytest_is_called_is_found(bench):
    bench.run_apart(backend=bench.adapter("")).assert_outcomes(passed=1)


ONCE = """
def __init__(self):
    import os
    if os.path.exists("been here"):
        {deed}
    super().__init__()

def tensor(self, array, *rest):
    import os
    open("been here", "w").close()
    os.abort()
"""


@pytest.mark.long
@pytest.mark.parametrize("deed", ["os.abort()", "raise OSError('gone')"], ids=["abort", "raise"])
def test_what_cannot_be_set_up_again_costs_its_own_claims(bench, deed):
    """Also after claims have been dealt out by number."""
    two = DOUBLED.replace("TST-01", "TST-02").replace("TST-11", "TST-03").replace("led", "led_too")
    bench.chapter(DOUBLED, two)
    words = ["--backend", bench.adapter(ONCE.format(deed=deed))]
    bench.run_apart(*words).assert_outcomes(passed=2, failed=2)
    found = {(v.claim, v.backend): v for v in bench.all_verdicts()}
    ids = ("TST-01", "TST-02")
    assert {found[claim, "reference"].status for claim in ids} == {Status.PASS}
    assert {found[claim, "mine"].status for claim in ids} == {Status.CRASH, Status.ERROR}
    (told,) = [v.reason for v in found.values() if v.status is Status.ERROR]
    assert told.startswith("mine could be set up once and no more: it cannot be set up")


# ---- between the set-up and the claims -----------------------------------------------------------

UNFIT = """
def tensor(self, array, *rest):
    import os, sys, time
    {deed}
    return super().tensor(array, *rest)
"""


@pytest.mark.parametrize(
    ("deed", "told"),
    [("os.abort()", "Fatal Python error: Aborted"), ("sys.exit(0)", "SystemExit")],
    ids=["abort", "leave"],
)
def test_a_smoke_check_that_ends_the_process_does_so_once(bench, deed, told):
    two = DOUBLED.replace("TST-01", "TST-02").replace("TST-11", "TST-03").replace("led", "led_too")
    bench.chapter(DOUBLED, two)
    result = bench.run_apart(backend=bench.adapter(UNFIT.format(deed=deed)))
    result.assert_outcomes(failed=2)
    assert result.stdout.str().count("replacing crashed worker") == (deed == "os.abort()")
    assert all(told in v.reason for v in bench.all_verdicts())
