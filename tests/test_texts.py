"""What comes from outside is told in text that every terminal, file and machine takes."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from gradspec import conformance
from gradspec.conformance.untrusted import texts
from gradspec.conformance.untrusted.texts import first_line, message_of, safe, without_places


class Mute(Exception):
    def __str__(self):
        raise ValueError("no")


class Odd(Exception):
    def __str__(self):
        return 3  # noqa: PLE0307


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("plain"), "plain"),
        (ValueError(), "ValueError"),
        (Mute(), "(no message: its __str__ raised ValueError)"),
        (Odd(), "(no message: its __str__ raised TypeError)"),
        (ValueError("\x1b[31mred \ud800"), r"\x1b[31mred \ud800"),
        (ValueError("two\r\nlines\rback"), "two\nlines\\rback"),
    ],
)
def test_a_message_is_text_whatever_the_exception_does(error, text):
    assert message_of(error) == text
    message_of(error).encode()


def test_the_first_line_that_says_something_counts():
    assert first_line(ValueError("\n\n  not here\nbut there")) == "not here"
    assert first_line(ValueError("\n")) == ""


def test_line_breaks_and_tabs_are_kept_in_what_has_several_lines():
    assert safe("a\n\tb\x07") == "a\n\tb\\x07"


def test_where_something_lies_on_this_machine_is_not_told():
    here = [Path(sys.prefix) / "lib", Path.home() / "x", Path(tempfile.gettempdir()) / "y"]
    text = without_places(" ".join(map(str, here)))
    for place in (sys.prefix, str(Path.home()), tempfile.gettempdir()):
        assert f"{place}/" not in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{home}/x.py", "~/x.py"),
        ("{home}", "~"),
        ('File "{home}/x.py", line 3', 'File "~/x.py", line 3'),
        ("file://{home}/x", "file://~/x"),
        ("({home}:3)", "(~:3)"),
        ("{home}x/y", "{home}x/y"),
        ("{home}.old/y", "{home}.old/y"),
        ("/mnt{home}/y", "/mnt{home}/y"),
        ("{home}/a {home}/b", "~/a ~/b"),
        ("{cwd}/test_x.py", "./test_x.py"),
        ("{cwd}", "."),
        ("{real}/y", "./y"),
        ("{packages}/numpy/x.py", "<packages>/numpy/x.py"),
        ("{ours}/cli.py", "gradspec/conformance/cli.py"),
    ],
)
def test_a_place_is_a_whole_path(text, told, tmp_path, monkeypatch):
    link = tmp_path / "link"
    (tmp_path / "real").mkdir()
    if os.name == "posix":
        link.symlink_to(tmp_path / "real")
    else:
        link = tmp_path / "real"
    monkeypatch.chdir(link)
    places = {
        "home": str(Path.home()),
        "cwd": str(Path.cwd()),
        "real": str((tmp_path / "real").resolve()),
        "packages": next(p for p in sys.path if p.endswith("site-packages")),
        "ours": str(Path(conformance.__file__).parent),
    }
    assert without_places(text.format(**places)) == told.format(**places)


def test_the_working_directory_is_that_of_now(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert without_places(str(tmp_path / name / "x")) == "./x"


@pytest.mark.skipif(os.name != "posix", reason="not run: nothing removes where somebody is")
def test_a_working_directory_that_is_gone_is_no_matter(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert without_places(f"{Path.home()}/x") == "~/x"


def test_somebody_without_a_home_is_no_matter(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert without_places("text") == "text"


def test_paths_of_windows_are_known_in_every_spelling(monkeypatch):
    monkeypatch.setattr(texts, "_folders", lambda: iter([(r"C:\Users\jo", "~")]))
    texts._places.cache_clear()
    for text in (r"C:\Users\jo\x", "C:/Users/jo\\x", r"'C:\\Users\\jo\\x'"):
        assert "Users" not in without_places(text)
    texts._places.cache_clear()
