"""What libraries, files and errors say, made fit for terminals, files and other machines.

Nothing that comes from outside is trusted to be text: an exception may raise when it is asked for
its message, a name may hold escape sequences, half a surrogate pair cannot be written anywhere.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path


def printable(text: str) -> str:
    """Return `text` in one line, in which no character does anything but show."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def safe(text: str) -> str:
    """Return `text` with its line breaks and tabs; no other character does anything but show."""
    return "".join(c if c in "\n\t" else printable(c) for c in text.replace("\r\n", "\n"))


def message_of(error: BaseException) -> str:
    """Return what `error` says, whatever happens when it is asked, without paths of this machine.

    Of an exception that says nothing, its type is what there is to tell.
    """
    try:
        text = str(error)
    except Exception as fault:
        text = f"(no message: its __str__ raised {type(fault).__name__})"
    return without_places(safe(text)) or type(error).__name__


def first_line(error: BaseException) -> str:
    """Return the first line of what `error` says that is not empty."""
    return next((line for line in message_of(error).splitlines() if line.strip()), "").strip()


def without_places(text: str) -> str:
    """Take out of `text` where on this machine something lies: installed packages, folders."""
    for place, word in _places():
        text = text.replace(place, word)
    return text


@cache
def _places() -> tuple[tuple[str, str], ...]:
    """Name folders of this machine, and what stands for each, the longest first."""
    found = {place.rstrip("/\\"): word for place, word in _folders() if len(place) > 3}
    return tuple(sorted(found.items(), key=lambda each: -len(each[0])))


def _folders() -> Iterator[tuple[str, str]]:
    yield str(Path.home()), "~"
    yield tempfile.gettempdir(), "<temporary>"
    yield sys.base_prefix, "<python>"
    yield sys.prefix, "<environment>"
    for folder in sys.path:
        if folder.endswith(("site-packages", "dist-packages")):
            yield folder, "<packages>"
    yield os.fspath(Path(__file__).parents[1]), "gradspec"
    yield str(Path.cwd()), "."
