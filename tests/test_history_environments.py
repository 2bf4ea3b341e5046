"""Environments for releases: a made-up library in two releases, and a third that is none."""

import re
import subprocess
import sys
from textwrap import dedent

import pytest

from gradspec.conformance.cli import main
from gradspec.conformance.history.environments import digest, package_of
from gradspec.conformance.protocol.errors import OptionError

ADAPTER = dedent(
    """
    from gradspec.conformance.backends.reference import Reference

    class Library(Reference):
        name = "madeup"
        version = "{version}"

        def __init__(self):
            super().__init__()
            self.functions = {{**self.functions, "sin": self.functions["{means}"]}}
    """
)


def wheel(folder, version, means):
    """Build a release of a library that is the reference under another name."""
    source = folder / version
    source.mkdir()
    source.joinpath("madeup.py").write_text(
        ADAPTER.format(version=version, means=means), encoding="utf-8"
    )
    source.joinpath("pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "madeup"\nversion = "{version}"\n[tool.setuptools]\n'
        'py-modules = ["madeup"]\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), source]
    subprocess.run(command, check=True)  # noqa: S603


@pytest.mark.long
def test_releases_are_run_each_in_its_own_environment(tmp_path, monkeypatch, capsys):
    wheel(tmp_path, "1.0", "sin")
    wheel(tmp_path, "2.0", "cos")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    words = ["history", "madeup:Library", "3.0", "2.0", "1.0", "--package", "madeup"]
    words += ["--cache", str(tmp_path / "kept"), "--output", str(tmp_path / "history.json")]
    words += ["--processes", "0", "--words", "--gradspec-claim", "GEN-01", "-k", "sin or cos"]
    # There is no third: it alone is left out, and that is told by the exit status.
    assert main(words) == 3
    told = capsys.readouterr()
    assert "3.0: left out: madeup-3.0: " in told.err
    assert "madeup==3.0" in told.err
    assert re.search(r"## Came in 2\.0: it held before\n\n- .*GEN-01\[sin\]", told.out)
    assert "GEN-01[cos]" not in told.out
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("kept/*.jsonl")}
    assert len(kept) == 2
    # What was run is not run again.
    words.remove("3.0")
    assert main(words) == 0
    assert kept == {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("kept/*.jsonl")}


def test_the_extras_say_what_to_install():
    assert package_of("autograd") == "autograd[scipy]"
    assert package_of("paddle") == "paddlepaddle"
    with pytest.raises(OptionError, match="--package"):
        package_of("report of nobody")


def test_the_profile_and_the_seed_make_another_run():
    assert digest("a", "quick", "0") == digest("a", "quick", "0")
    assert len({digest("a", "quick", "0"), digest("a", "quick", "1"), digest("a", "quick0")}) == 3
