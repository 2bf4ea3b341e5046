"""What libraries, files and errors say, made fit for terminals, files and other machines.

Nothing that comes from outside is trusted to be text: an exception may raise when it is asked for
its message, a name may hold escape sequences, half a surrogate pair cannot be written anywhere.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

LINE = re.compile(r"[^\n\t]+")
"""What stands between line breaks and tabs."""


def printable(text: str) -> str:
    """Return `text` in one line, in which no character does anything but show."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def safe(text: str) -> str:
    """Return `text` with its line breaks and tabs; no other character does anything but show."""
    return LINE.sub(lambda part: printable(part[0]), text.replace("\r\n", "\n"))


def make_safe(value: Any) -> Any:
    """Return what a report holds, in lists and objects of any depth, with every text made safe.

    Objects are changed, and stay what they are.
    """
    if isinstance(value, str):
        return safe(value)
    if type(value) in (list, tuple):
        return type(value)(map(make_safe, value))
    if hasattr(value, "__dict__"):
        vars(value).update({name: make_safe(each) for name, each in vars(value).items()})
    return value


def message_of(error: BaseException) -> str:
    """Return what `error` says, whatever happens when it is asked, without paths of this machine.

    Of an exception that says nothing, its type is what there is to tell.
    """
    try:
        text = str(error)
    except BaseException as fault:  # also what would end the process
        text = f"(no message: its __str__ raised {type(fault).__name__})"
    return without_places(safe(text)) or type(error).__name__


def first_line(error: BaseException) -> str:
    """Return the first line of what `error` says that is not empty."""
    return next((line for line in message_of(error).splitlines() if line.strip()), "").strip()


def in_a_line(error: BaseException) -> str:
    """Return the type of `error` and the first line of what it says, if it says anything."""
    name, line = printable(type(error).__name__), first_line(error)
    return name if line in ("", name) else f"{name}: {line}"


def without_places(text: str) -> str:
    """Take out of `text` where on this machine something lies: installed packages, folders."""
    try:
        here = os.getcwd()  # noqa: PTH109 - of each verdict, and a Path takes ten times as long
    except OSError:  # it may be gone
        here = ""
    pattern, words = _places(here)
    return pattern.sub(lambda found: words[found[0]], text)


@lru_cache(maxsize=8)
def _places(here: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Make the pattern that finds folders of this machine, and say what stands for each."""
    words: dict[str, str] = {}
    for place, word in ((here, "."), *_folders()):
        for real in (place, os.path.realpath(place) if place else ""):
            bare = real.rstrip("/\\")
            # Within the text of a value a backslash is written twice.
            for spelling in (bare, bare.replace("\\", "/"), bare.replace("\\", "\\\\")):
                words.setdefault(spelling, word)
    # The root of a drive is in every path.
    known = sorted((place for place in words if len(place) > 3), key=len, reverse=True)
    alternatives = "|".join(map(re.escape, known))
    return re.compile(rf"(?<![\w.~-])(?:{alternatives})(?![\w-]|\.\w)"), words


def _folders() -> Iterator[tuple[str, str]]:
    with suppress(RuntimeError):
        yield str(Path.home()), "~"
    yield tempfile.gettempdir(), "<temporary>"
    yield sys.base_prefix, "<python>"
    yield sys.prefix, "<environment>"
    for folder in sys.path:
        if folder.endswith(("site-packages", "dist-packages")):
            yield folder, "<packages>"
    yield str(Path(__file__).parents[2]), "gradspec"
