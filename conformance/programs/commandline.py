"""The command that searches at length, and writes down what it found."""

import argparse
import json
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from ..protocol.errors import OptionError
from ..untrusted.texts import printable
from .corpus import Corpus
from .fuzzing import Fuzzer
from .searching import Subject


def fuzz(words: argparse.Namespace) -> int:
    """Search as a command line says, and return its exit status: 1 if something is new."""
    if words.measure is not None:
        measure(words.seconds or 20.0, words.measure)
        return 0
    subject = Subject(words.backend, words.dtype, words.device)
    fuzzer = Fuzzer(
        subject,
        seed=words.seed,
        seconds=60.0 if words.seconds is None and words.programs is None else words.seconds,
        programs=words.programs,
        workers=words.workers,
        corpus=Corpus(words.corpus),
        deadline=words.deadline,
        say=spoken,
    )
    if words.output is not None:
        write(words.output, fuzzer.records())
    try:
        fuzzer.search()
    except KeyboardInterrupt:
        spoken("interrupted")
    if words.output is not None:
        write(words.output, fuzzer.records())
    for line in fuzzer.summary():
        spoken(line)
    return int(bool(fuzzer.new or fuzzer.gone))


def measure(seconds: float, mutants: list[str]) -> None:
    """Print what the search finds of planted faults, which stand with the tests of a checkout."""
    tests = Path(__file__).parents[2] / "tests"
    if not (tests / "power.py").exists():
        raise OptionError("--measure: needs a checkout: the faults are planted by its tests")
    sys.path.append(str(tests))
    import_module("power").measure(seconds, mutants)


def write(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write records as JSON lines."""
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for record in records:
                file.write(json.dumps(record) + "\n")
    except OSError as error:
        raise OptionError(f"--output {path}: cannot be written ({error.strerror})") from None


def spoken(line: str) -> None:
    """Print a line that may hold what a library said."""
    print(printable(line), flush=True)  # noqa: T201
