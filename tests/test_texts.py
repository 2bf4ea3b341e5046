"""What comes from outside is told in text that every terminal, file and machine takes."""

import sys
import tempfile
from pathlib import Path

import pytest

from gradspec.conformance.texts import first_line, message_of, safe, without_places


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
