"""The command `gradspec new-backend`: look, write, and run for the first time."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from pkgutil import iter_modules

from ..protocol.errors import OptionError
from ..untrusted.texts import first_line, printable
from .looking import CLOSED
from .writing import OPEN, Found, files

PATIENCE = 60
"""Seconds that one try may take, and the import of the library with the first of them."""

LIVES = 60
"""How many processes may look: the last tries nothing that was not tried before."""


def begin(words: argparse.Namespace) -> tuple[Found, list[str]]:
    """Write the files of a new adapter beside the caller; return what was found, and what to say.

    Raises OptionError if a module cannot be imported, or if a file is there already.
    """
    if "" not in sys.path:
        sys.path.append("")  # the folder at hand, whether it is still there or not
    for module in words.modules:
        _see(module)
    adapter = Path(f"{Found(words.modules).file}.py")
    if not _written(adapter, ""):
        raise OptionError(f"{adapter} is there already; nothing is overwritten: move it away")
    try:
        found = look(words.modules)
    finally:
        adapter.unlink()
    written = [path for path, text in files(found).items() if _written(path, text)]
    return found, [*(f"{path} is written" for path in written), *told(found)]


def _see(module: str) -> None:
    if not all(word.isidentifier() and not iskeyword(word) for word in module.split(".")):
        raise OptionError(
            f"new-backend {module!r}: is no name of a module; name an installed one, such as torch"
        )
    try:
        dir(import_module(module))
        hasattr(import_module(module), "__version__")
    except (Exception, SystemExit) as error:  # which some modules end themselves by
        name = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
        raise OptionError(
            f"new-backend {module}: cannot be imported ({name}{first_line(error)}); "
            "name an installed module"
        ) from None


def look(modules: list[str]) -> Found:
    """Look at a library in processes beside this one, as many as it ends."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder, "journal.jsonl")
        journal.touch()
        command = [sys.executable, "-m", f"{__package__}.looking", str(journal), *modules]
        for left in reversed(range(LIVES)):
            if not left:
                # What was found so far is worth having.
                with journal.open("a", encoding="utf-8", newline="\n") as file:
                    file.write(json.dumps({CLOSED: True}) + "\n")
            before = journal.stat().st_size
            last = _live(command, journal)
            *_, line = journal.read_text(encoding="utf-8").splitlines() or ["{}"]
            if "found" in (told := json.loads(line)):
                return Found.from_json(told["found"])
            if journal.stat().st_size == before:
                break
    raise OptionError(
        f"new-backend {' '.join(modules)}: cannot be looked at, as each process that tries it "
        f"ends: {last}"
    )


def _live(command: list[str], journal: Path) -> str:
    """Let a process look until it ends, or notes nothing for too long; return its last words."""
    words = journal.with_suffix(".txt")
    with (
        words.open("wb") as errors,
        subprocess.Popen(  # noqa: S603
            command, stdout=subprocess.DEVNULL, stderr=errors, stdin=subprocess.DEVNULL
        ) as process,
    ):
        while process.poll() is None:
            before = journal.stat().st_size
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                if journal.stat().st_size == before:
                    process.kill()
    lines = words.read_text(encoding="utf-8", errors="replace").splitlines()
    return printable(lines[-1]) if lines else f"with status {process.returncode}"


def _written(path: Path, text: str) -> bool:
    """Write a file, unless there is one: that is kept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise OptionError(f"{path}: cannot be written ({error.strerror})") from None
    return True


def told(found: Found) -> Iterator[str]:
    """Say what was found, and what is left to its author."""
    unsure = [lent.name for lent in found.functions if not lent.sure]
    yield f"found: {len(found.sure)} functions that agree on every call they were tried on"
    if unsure:
        yield f"unsure, each with a question beside it: {', '.join(unsure)}"
    for name, wanted in OPEN.items():
        if not getattr(found, name):
            yield f"not found: {name}: {wanted}"
    if found.tensor and not found.vjp:
        yield "no derivative is looked at before vjp is written and declared"
    if found.why:
        yield f"the likeliest way ended in an exception: {found.why}"
    if wanting := found.wanting:
        then = " ".join(["pytest", *_words(found)])
        yield f"nothing is run before {found.file}.py has {', '.join(wanting)}; then: {then}"
    if not found.tensor and (others := _submodules(found.modules)):
        yield f"modules that were not looked at, and may be named as well: {', '.join(others)}"


def _words(found: Found) -> list[str]:
    return ["--pyargs", "gradspec.spec", "--backend", f"{found.file}:{found.cls}", "-q"]


def _submodules(modules: list[str]) -> list[str]:
    """Name the public modules in those named, without importing them."""
    return [
        f"{name}.{each.name}"
        for name in modules
        for each in iter_modules(getattr(sys.modules[name], "__path__", ()))
        if not each.name.startswith("_") and f"{name}.{each.name}" not in modules
    ]


def run(found: Found) -> int:
    """Run the specification on the new adapter for the first time, and sum up what came of it."""
    words = _words(found)
    results = f"{found.name}-first.jsonl"
    options = ["--hypothesis-profile", "quick", "--tb", "no", "-r", "N", "--results", results]
    command = [sys.executable, "-m", "pytest", *words, *options]
    return subprocess.run(command, check=False).returncode  # noqa: S603
