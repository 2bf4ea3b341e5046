"""Defects found in libraries: each script shows its own, where the library is installed."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent.parent / "results" / "findings").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_defect_is_still_there(script):
    library = script.stem.partition("-")[0]
    if find_spec(library) is None:
        pytest.skip(f"not run: {library} is not installed")
    command = [sys.executable, str(script)]
    done = subprocess.run(  # noqa: S603 - our own scripts
        command, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1, f"{done.stdout}{done.stderr}: mended? then take its entry out"
    assert "expected" in done.stdout
    assert "got" in done.stdout
