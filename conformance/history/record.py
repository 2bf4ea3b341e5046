"""The history of a library as a file: JSON, described by `history.schema.json`."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..protocol.errors import OptionError
from ..results.reading import BrokenRun
from ..untrusted.files import Unreadable, bytes_of, parse_json, read_json
from ..untrusted.texts import printable, without_places
from .courses import Course, History, Release

FORMAT = 1
KIND = "history"


def write(path: Path, history: History) -> None:
    """Write a history, an entry of a list in a line; raises OptionError if it cannot be written."""
    plain = asdict(history)
    for course in plain["courses"]:
        course["reason"] = without_places(course["reason"])
    head = {"format": FORMAT, "kind": KIND, "library": history.library}
    lines = [f'"{name}": {json.dumps(value)}' for name, value in head.items()]
    for name in ("releases", "courses"):
        entries = ",\n  ".join(json.dumps(entry) for entry in plain[name])
        lines.append(f'"{name}": [\n  {entries}\n ]' if entries else f'"{name}": []')
    lines.append(f'"conventions": {json.dumps(plain["conventions"])}')
    text = "{\n " + ",\n ".join(lines) + "\n}\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OptionError(f"--output {path}: cannot be written ({error.strerror})") from None


def is_history(path: Path) -> bool:
    """Whether a file of JSON says that it is one; what cannot be read says nothing."""
    try:
        whole = parse_json(bytes_of(path))
    except ValueError:
        return False
    return isinstance(whole, dict) and whole.get("kind") == KIND


def read(path: Path) -> History:
    """Read a history; raises BrokenRun for what is none."""
    try:
        whole = read_json(path, KIND)
        history = _history(whole)
    except Unreadable as error:
        raise BrokenRun(f"{path}: {error}") from None
    except ValueError as error:
        raise BrokenRun(
            f"{path}: not a history of releases ({printable(str(error))[:200]}); "
            "`gradspec history` writes one"
        ) from None
    return history


def _history(whole: Mapping[str, Any]) -> History:
    releases = [Release(**fields) for fields in whole["releases"]]
    courses = [Course(**fields) for fields in whole["courses"]]
    answers = whole["conventions"]
    for told in (*(course.letters for course in courses), *answers.values()):
        if len(told) != len(releases):
            raise ValueError(f"{len(releases)} releases have {len(told)} letters or answers")
    return History(whole["library"], releases, courses, answers)
