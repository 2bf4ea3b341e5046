"""From a verdict in a results file to the values with which its claim fails, and to a script."""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis

from ..checking.scripts import Unwritten, shows
from ..claims.catalogue import SPECIFICATION, claims_of
from ..protocol.errors import OptionError
from ..protocol.subject import Subject
from ..results.reading import RunRead, read_any
from ..results.verdict import GREEN, Status, Verdict
from ..run.commandline import LONG
from ..run.expectations import Expectation, expectations_of
from ..run.loading import load_from_here
from ..run.profiles import profile
from ..run.runner import Run
from ..untrusted.texts import first_line, printable
from .page import nested
from .recorder import Recorder, Seen

BACKEND = re.compile(rf"{LONG}backend (\S+)")
"""Where a reproduction says which adapter was meant."""

WIDTH = 96


@dataclass(frozen=True)
class Failure:
    """A claim that fails on a subject with some values, and what it raises."""

    run: Run
    values: Mapping[str, Any]
    error: BaseException


def chosen(run: RunRead, name: str) -> Verdict:
    """Return the failing verdict of that name, such as `GEN-04[sin]` or one with its subject.

    Raises OptionError if there is none.
    """
    failing = {*Status} - GREEN | {Status.EXPECTED_FAILURE}
    found = [verdict for verdict in run.verdicts if verdict.status in failing]
    for verdict in found:
        if name in (verdict.name, verdict.address):
            return verdict
    known = any(name in (verdict.name, verdict.address) for verdict in run.verdicts)
    why = "does not fail" if known else "is not"
    examples = ", ".join(verdict.name for verdict in found[:3])
    raise OptionError(
        f"{name} {why} in {run.path}"
        + (f"; what fails is, for instance, {examples}" if found else ", in which nothing fails")
    )


def failure_of(verdict: Verdict, header: Mapping[str, Any]) -> Failure:
    """Run the claim again, with the seed of its run, and return how it fails.

    Raises OptionError if it is no claim of gradspec's own, or does not fail here.
    """
    told = BACKEND.search(verdict.reproduction or "")
    backend = load_from_here(told[1] if told else verdict.backend)
    subject = Subject(backend, verdict.device, verdict.dtype)
    if verdict.mode:
        raise OptionError(f"{verdict.name}: scripts are written of what runs eagerly")
    claim = claims_of(import_module(SPECIFICATION)).get(verdict.claim)
    if claim is None:
        raise OptionError(f"{verdict.claim} is no claim of gradspec's own: no script is written")
    # The same name means another record where a claim is over complex numbers.
    operation = next((each for each in claim.over if each.name == verdict.operation), None)
    entries = expectations_of(backend) if verdict.status is Status.EXPECTED_FAILURE else []
    covers = (each for each in entries if each.covers(claim, subject, verdict.operation))
    entry: Expectation | None = next(covers, None)
    settings = hypothesis.settings(profile(header["profile"]), database=None)
    run = Run(claim, subject, settings, header["seed"], operation, entry)
    try:
        run.execute(run.test)
    except Exception as error:
        failed, values = run.failure or (error, run.values)
        return Failure(run, values, failed)
    version = backend.version
    raise OptionError(f"{verdict.name} does not fail here, on {backend.name} {version}")


def written(failure: Failure) -> str:
    """Write a failure as a script; raises Unwritten."""
    run = failure.run
    recorder = Recorder(run.subject)
    try:
        with run.subject.backend.on_threads(1):
            run.claim.test(recorder, **failure.values)
    except Unwritten:
        raise
    except Exception as error:
        told = error
    else:
        raise Unwritten("the claim holds when what it asks is written down")
    return "\n".join(_lines(failure, recorder, first_line(told))) + "\n"


def _lines(failure: Failure, recorder: Recorder, told: str) -> list[str]:
    run, words, seen = failure.run, recorder.words, recorder.seen
    backend = run.subject.backend
    law = f"Rule: {run.claim.law} ({run.claim.id}) Found with {backend.name} {backend.version}."
    body = recorder.page.lines
    wanted = ["import sys", "import numpy as np", *words.imports, *recorder.spelling.imports]
    imports = [line for line in dict.fromkeys(wanted) if line]
    lines = [
        '"""' + textwrap.fill(printable(told).replace("\\", "/"), WIDTH),
        "",
        textwrap.fill(printable(" ".join(law.split())), WIDTH),
        '"""',
        "",
        *(line for line in imports if line.startswith(("import ", "from "))),
        "",
        *(line for line in imports if not line.startswith(("import ", "from "))),
        "",
        "def array(x):",
        f"    return None if x is None else {words.array}",
        "",
        "",
        *recorder.spelling.definitions,
    ]
    if seen is not None:
        return [*lines, *body, *_ending(seen)]
    if not body:
        raise Unwritten("it fails before anything is asked of the library")
    *before, last = body
    indented = (f"    {line}" for line in last.splitlines())
    failing = ["except Exception as error:", '    print("raised", repr(error))', "    sys.exit(1)"]
    return [*lines, *before, "try:", *indented, *failing]


def _ending(seen: Seen) -> list[str]:
    """Compare what is seen with what is expected, entry by entry."""
    return [
        f"got = {seen.got}",
        f"expected = np.array({nested(seen.want)})",
        f"allowed = np.array({nested(seen.allowed)})",
        'print("expected", expected)',
        'print("got     ", got)',
        "if got is None:",
        "    sys.exit(bool((abs(expected) > allowed).any()))",
        "if got.shape != expected.shape:",
        "    sys.exit(1)",
        *([f'if got.dtype != "{seen.dtype}":', "    sys.exit(1)"] if seen.dtype else []),
        "same = (got == expected) | (got != got) & (expected != expected)",
        "with np.errstate(all='ignore'):",
        "    same |= abs(got - expected) <= allowed",
        "sys.exit(not same.all())",
    ]


def script_of(results: Path, name: str) -> str:
    """Write a script of a failing verdict, which was tried; raises OptionError if none shows it."""
    run = read_any(results)
    verdict = chosen(run, name)
    failure = failure_of(verdict, run.header)
    try:
        text = written(failure)
    except Unwritten as why:
        raise OptionError(f"{verdict.name}: no script can be written: {why}") from None
    if not shows(text):
        raise OptionError(
            f"{verdict.name}: what was written does not show it in a fresh interpreter, "
            "without gradspec around it"
        )
    return text
