"""Defects found in libraries: each script shows its own, where the library is installed."""

import io
import multiprocessing
import re
import runpy
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gradspec.conformance import backends
from gradspec.conformance.run.loading import load

SCRIPTS = sorted((Path(__file__).parent.parent / "results" / "findings").glob("*.py"))

BACKENDS = Path(backends.__file__).parent

ELSEWHERE = 77
"""How a script ends that this processor cannot show: the status of skipped tests in Automake."""

SLOW = re.compile(r"\.compile\(|subprocess")
"""What compiles, or starts an interpreter of its own, takes seconds."""

FORKING = "forkserver" in multiprocessing.get_all_start_methods()
FRESH = multiprocessing.get_context("forkserver" if FORKING else "spawn")
"""Starts processes in which nothing has run yet. Imports are most of what a script does."""

if FORKING:
    # What compiles is imported where derivatives are mapped or pushed forward, too.
    OFTEN = ["pytest", "torch", "torch._dynamo", "gradspec.conformance.run.loading"]
    FRESH.set_forkserver_preload(OFTEN)


def played(script, sender):
    """Run a script as its reader would, and send what it says and its exit status."""
    said, status = io.StringIO(), 0
    with redirect_stdout(said), redirect_stderr(said):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as end:
            status = end.code
    sender.send((said.getvalue(), status))


def statuses(script, library):
    """What a script may end with: 1, or 0 if all entries that refer to it end before this version.

    Of a version before they begin they say nothing.
    """
    files = [BACKENDS / f"{library}{end}" for end in (".toml", ".programs.toml")]
    ranges = [
        entry.get("version", "")
        for path in files
        if path.exists()
        for entries in tomllib.loads(path.read_text(encoding="utf-8")).values()
        for entry in entries
        if entry["link"].endswith(f"/{script.name}")
    ]
    version = Version(load(library).version)
    if not ranges or any(SpecifierSet(r).contains(version, prereleases=True) for r in ranges):
        return {1}
    return {0} if all("<" in each for each in ranges) else {0, 1}


def scripts():
    """Return every script; those that take seconds are for the long run."""
    for script in SCRIPTS:
        slow = SLOW.search(script.read_text(encoding="utf-8"))
        yield pytest.param(script, id=script.stem, marks=[pytest.mark.long] if slow else [])


@pytest.mark.parametrize("script", scripts())
def test_the_defect_is_still_there(script, monkeypatch):
    # The new process imports this module by its name, and looks where this one looks.
    monkeypatch.syspath_prepend(Path(__file__).parent.parent)
    library = script.stem.partition("-")[0]
    if find_spec(library) is None:
        pytest.skip(f"not run: {library} is not installed")
    receiver, sender = FRESH.Pipe(duplex=False)
    process = FRESH.Process(target=played, args=(script, sender))
    process.start()
    sender.close()
    assert receiver.poll(600), f"{script.name} says nothing for ten minutes"
    said, status = receiver.recv()
    process.join()
    if status == ELSEWHERE:
        pytest.skip(f"not run: {said}")
    allowed = statuses(script, library)
    assert status in allowed, f"{said}: mended? then its entry says in which version"
    assert "expected" in said
    assert "got" in said
