"""A backend is set up in a process of its own first, where nobody supervises the one it is for.

A library that crashes, hangs or leaves while it is imported would take the run with it.
"""

import faulthandler
import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from ..protocol.errors import OptionError
from ..run.loading import Fault, load
from .children import end
from .last_words import cause

MARGIN = 5.0
"""Seconds that a process has to end itself after its deadline, before others do it."""

PROGRAM = f"""
import json, sys
folders, *words = json.loads(sys.argv[1])
sys.path[:] = folders
from {__name__} import answer
answer(*words)
"""


def probe(word: str, option: str, seconds: float) -> None:
    """Set up the backend called `word` elsewhere; raises as `load` does, or Fault if that dies."""
    with tempfile.TemporaryDirectory(prefix="gradspec-") as folder:
        path, words = Path(folder, "answer"), Path(folder, "words")
        given = json.dumps([sys.path, word, option, seconds, str(path)])
        with words.open("wb") as file:
            child = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", PROGRAM, given],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                start_new_session=True,
            )
            try:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(seconds + MARGIN)
            finally:
                end(child)
        if not path.exists():
            told = cause(words.read_text(encoding="utf-8", errors="replace"))
            raise Fault(word, f"cannot be set up: {told}", option)
        kind, text = json.loads(path.read_text(encoding="utf-8"))
    if kind == "fault":
        raise Fault(word, text, option)
    if kind == "refusal":
        raise OptionError(text)


def answer(word: str, option: str, seconds: float, path: str) -> None:
    """In the process of its own: set the backend up, and write down what came of it."""
    faulthandler.enable()
    faulthandler.dump_traceback_later(seconds, exit=True)
    told = ["", ""]
    try:
        load(word, option)
    except Fault as fault:
        told = ["fault", fault.reason]
    except OptionError as error:
        told = ["refusal", str(error)]
    Path(path).write_text(json.dumps(told), encoding="utf-8")
    # Whatever threads the library has begun.
    os._exit(0)
