"""Files that may come from anybody: read within bounds, and described by schemas.

Nothing in them is believed or executed. What is wrong with one is raised as a ValueError; whoever
reads a file adds which one it is.
"""

import json
import stat
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO


class Unreadable(ValueError):
    """A file could not be read at all, whatever stands in it."""


CHECKER = "fastjsonschema"
"""What holds data against a schema. A run on the libraries that we know goes without it."""

SHIPPED = frozenset({Path(__file__).parents[1] / "backends"})
"""Where tables lie that our own tests have checked."""

LARGEST = 32 * 2**20
"""Bytes beyond which nobody's table or record goes, and reading one would only cost memory."""


@contextmanager
def opened(path: Path, largest: int) -> Iterator[BinaryIO]:
    """Open a file that has no more than `largest` bytes.

    What is no file on a disk is refused: reading a device or a pipe may never end.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("is no file, but a folder, a device or a pipe")
        if found.st_size > largest:
            raise Unreadable(f"has {found.st_size} bytes, more than such a file ever has")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise Unreadable(f"cannot be read ({error.strerror})") from None


def bytes_of(path: Path) -> bytes:
    """Read a file as it is."""
    with opened(path, LARGEST) as file:
        # A file may grow, and some files of the system do not tell their size.
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Unreadable(f"has more than {LARGEST} bytes, more than such a file ever has")
    return data


def read_json(path: Path, schema: str) -> Any:
    """Read a file of JSON that fits a schema."""
    data = parse_json(bytes_of(path))
    check(schema, data)
    return data


def read_toml(path: Path, schema: str) -> dict[str, Any]:
    """Read a file of TOML that fits a schema."""
    text = bytes_of(path).decode("utf-8")
    try:
        data = tomllib.loads(text)
        if path.parent not in SHIPPED or find_spec(CHECKER):
            check(schema, data)
    except RecursionError:
        raise ValueError("it is nested without end") from None
    return data


def parse_json(data: bytes) -> Any:
    """Read JSON as its standard has it: without nan and infinities."""
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested without end") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def check(schema: str, data: Any) -> None:
    """Hold data against a schema; the message names the place at fault."""
    try:
        _checker(schema)(data)
    except RecursionError:
        raise ValueError("it is nested without end") from None
    except ValueError as error:
        raise ValueError(str(error).replace("data", "it", 1)) from None


@cache
def schema_of(name: str) -> dict[str, Any]:
    """Return a published schema."""
    file = resources.files("gradspec.conformance").joinpath("schemas", f"{name}.schema.json")
    made: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return made


@cache
def _checker(name: str) -> Callable[[Any], Any]:
    try:
        import fastjsonschema  # noqa: PLC0415 - only where a file is read
    except ImportError:
        raise Unreadable(f"cannot be checked: run `pip install {CHECKER}`") from None
    made: Callable[[Any], Any] = fastjsonschema.compile(schema_of(name))
    return made
