"""The command `gradspec` in the hands of shells: pipes, devices, terminals, and wrong words."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gradspec.conformance.cli import main
from written import FAILED, PASSED, write_run

POSIX = pytest.mark.skipif(os.name != "posix", reason="not run: there are no such files here")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to be in, with a red run in it."""
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "run.jsonl", PASSED, replace(FAILED, reason="Grüße: 1 ≠ 2"))
    return tmp_path


def start(*words, **options):
    """Carry out a command in a process of its own."""
    command = [sys.executable, "-m", "gradspec.conformance", *words]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)  # noqa: S603


# ---- where the output goes -----------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["summary", "run.jsonl"], 1),
        (["compare", "run.jsonl", "run.jsonl"], 0),
        (["standings", "run.jsonl"], 1),
        (["durations", "run.jsonl"], 1),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_whoever_stops_reading_has_seen_enough(folder, words, status):
    read, write = os.pipe()
    os.close(read)
    done = start(*words, stdout=write)
    os.close(write)
    assert done.returncode == status
    assert all(line.startswith("gradspec: run.jsonl: red: ") for line in done.stderr.splitlines())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not run: there is no such device")
def test_a_full_disk_is_told_in_one_line(folder):
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        done = start("summary", "run.jsonl", stdout=full)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line == "gradspec: the output cannot be written (No space left on device)"


def test_a_terminal_that_lacks_letters_shows_their_numbers(folder):
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = start("compare", "run.jsonl", "run.jsonl", stdout=subprocess.PIPE, env=plain)
    assert (done.returncode, done.stderr) == (0, "")
    write_run(folder / "good.jsonl", PASSED, replace(PASSED, claim=FAILED.claim))
    done = start("compare", "good.jsonl", "run.jsonl", stdout=subprocess.PIPE, env=plain)
    assert r"Gr\xfc\xdfe: 1 \u2260 2" in done.stdout


# ---- files that are none -------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/dev/urandom", ".", "pipe", "a\0b"])
@pytest.mark.parametrize(
    "command", ["summary", "standings", "report", "operations", "durations", "site"]
)
def test_what_is_no_file_on_a_disk_is_not_read(folder, capsys, command, name):
    os.mkfifo("pipe")
    words = [command, name] if command != "report" else [command, name, "--output", "page.html"]
    if name == "." and command in {"standings", "report", "site"}:
        return  # they read folders
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gradspec: ")
    assert "is no file, but a folder, a device or a pipe" in line or "null" in line


@POSIX
@pytest.mark.parametrize("name", ["/dev/zero", "none.json", "pipe", "."])
def test_times_are_read_from_files_alone(folder, capsys, name):
    os.mkfifo("pipe")
    assert main(["slower", name, name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is no file" in line or "cannot be read" in line


def test_a_folder_without_results_is_told(folder, capsys):
    (folder / "empty").mkdir()
    for words in (["standings", "empty"], ["report", "empty"], ["site", "empty"]):
        assert main(words) == 2
        assert capsys.readouterr().err == "gradspec: empty: no results files are in it\n"


@pytest.mark.parametrize("command", ["merge", "report"])
def test_no_file_is_written_over_that_is_read(folder, capsys, command):
    write_run(folder / "run.jsonl", PASSED, shard="1/1")
    before = (folder / "run.jsonl").read_bytes()
    assert main([command, "run.jsonl", "--output", "./run.jsonl"]) == 2
    assert "is one of the files to be read" in capsys.readouterr().err
    assert (folder / "run.jsonl").read_bytes() == before


@POSIX
@pytest.mark.parametrize("name", ["/dev/zero", "pipe", ".", "none.md"])
def test_a_table_is_put_into_files_alone(folder, capsys, name):
    os.mkfifo("pipe")
    assert main(["standings", "run.jsonl", "--into", name]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith(f"gradspec: --into {name}: ")
    assert "is no file" in told or "cannot be read" in told


def test_a_page_that_is_no_text_is_refused(folder, capsys):
    (folder / "page.md").write_bytes(b"\xff\xfe")
    assert main(["standings", "run.jsonl", "--into", "page.md"]) == 2
    assert "--into page.md: is no text in UTF-8" in capsys.readouterr().err.splitlines()[-1]


# ---- a new adapter -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", ["", " ", "../evil", "/evil", "a b", ".x", "os.", "1x", "class", "json\n", "a\0b"]
)
def test_what_names_no_module_begins_no_adapter(folder, capsys, word):
    before = sorted(folder.parent.rglob("*"))
    assert main(["new-backend", word]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "is no name of a module; name an installed one, such as torch" in line
    assert sorted(folder.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise ValueError('bad')", "ValueError: bad"),
        ("1 +", "SyntaxError: "),
        ("import nothing_of_this_name", "No module named 'nothing_of_this_name'"),
        ("def __getattr__(name):\n    raise RuntimeError(name)", "RuntimeError: "),
    ],
)
def test_a_module_that_cannot_be_looked_at_begins_no_adapter(
    folder, capsys, monkeypatch, text, told
):
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "broken_library", raising=False)
    (folder / "broken_library.py").write_text(text, encoding="utf-8")
    assert main(["new-backend", "broken_library"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "new-backend broken_library: cannot be imported" in line
    assert told in line
    assert not list(folder.glob("*_adapter.py"))


def test_nothing_is_overwritten_by_a_new_adapter(folder, capsys):
    (folder / "json_adapter.py").write_text("mine", encoding="utf-8")
    assert main(["new-backend", "json", "--no-run"]) == 2
    assert "json_adapter.py is there already" in capsys.readouterr().err
    assert (folder / "json_adapter.py").read_text(encoding="utf-8") == "mine"


@POSIX
def test_a_new_adapter_does_not_follow_a_link_that_leads_elsewhere(folder, capsys):
    (folder / "json_adapter.py").symlink_to(folder / "elsewhere.py")
    assert main(["new-backend", "json", "--no-run"]) == 2
    assert "json_adapter.py is there already" in capsys.readouterr().err
    assert not (folder / "elsewhere.py").exists()


@POSIX
def test_a_folder_that_cannot_be_written_is_told(folder, capsys, monkeypatch):
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()
    assert main(["new-backend", "json", "--no-run"]) == 2
    assert "json_adapter.py: cannot be written" in capsys.readouterr().err
