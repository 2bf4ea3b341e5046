"""The words of the command `gradspec`: what each command is for, and what it is told."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .protocol.backend import DEVICES
from .speed.slower import BY, percentage


@dataclass(frozen=True)
class Command:
    """One word after `gradspec`: a line of help, and its arguments as argparse takes them."""

    help: str
    arguments: Sequence[tuple[tuple[str, ...], dict[str, Any]]]


def count(word: str) -> int:
    """Read a number of at least one."""
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word!r} is no number of 1 or more")
    return int(word)


def seconds(word: str) -> float:
    """Read a time in seconds."""
    try:
        found = float(word)
    except ValueError:
        found = -1.0
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(f"{word!r} is no number of seconds")
    return found


def shape(word: str) -> tuple[int, ...]:
    """Read a shape, such as 3x4; a scalar is 0d."""
    parts = word.split("x") if word != "0d" else []
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{word!r} is no shape: write 3x4, or 0d for a scalar")
    return tuple(map(int, parts))


ALLOW_LOST = (
    ("--allow-lost",),
    {
        "action": "store_true",
        "help": "do not fail for what the newer run does not look at any more: what vanished, is "
        "no longer supported or was not run, or if no subject is in both",
    },
)


COMMANDS = {
    "check": Command(
        "put a function of your own to what is asked of an operation; exit status 1 if something "
        "does not hold",
        [
            (("function",), {"metavar": "module:function"}),
            (("--backend",), {"default": "torch", "metavar": "NAME", "help": "or module:Class"}),
            (
                ("--shape",),
                {
                    "type": shape,
                    "action": "append",
                    "metavar": "3x4",
                    "help": "of an argument, which is drawn; once for each (default: 2x3)",
                },
            ),
            (
                ("--inputs",),
                {"metavar": "module:name", "help": "a tuple of arguments, or what returns one"},
            ),
            (
                ("--twin",),
                {"metavar": "module:function", "help": "what computes the same in numpy"},
            ),
            (
                ("--mode",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "NAME",
                    "help": "what it is run through as well: vmap, compile",
                },
            ),
            (("--seed",), {"type": int, "default": 0, "metavar": "S"}),
            (
                ("--no-scripts",),
                {"action": "store_true", "help": "do not write scripts of what fails"},
            ),
        ],
    ),
    "compare": Command(
        "compare two results files; exit status 1 if the newer one has failures of its own, or "
        "looks at less",
        [(("old",), {"type": Path}), (("new",), {"type": Path}), ALLOW_LOST],
    ),
    "conventions": Command(
        "measure a backend's gradients at kinks, and record them beside its adapter",
        [
            (("backend",), {"help": "a known name, or module:Class"}),
            (("--device",), {"default": "cpu", "help": "where to measure (default: cpu)"}),
        ],
    ),
    "new-backend": Command(
        "write an adapter for an installed library by trying what it has, and run it",
        [
            (
                ("modules",),
                {"nargs": "+", "metavar": "module", "help": "what its functions are in"},
            ),
            (("--no-run",), {"action": "store_true", "help": "write it, and no more"}),
        ],
    ),
    "merge": Command(
        "put together the parts of a run made with --shard, or files of times of one machine",
        [
            (("parts",), {"type": Path, "nargs": "+"}),
            (("--output",), {"type": Path, "required": True, "metavar": "FILE"}),
        ],
    ),
    "summary": Command(
        "print a run as Markdown, for $GITHUB_STEP_SUMMARY and its like",
        [
            (("results",), {"type": Path}),
            (("--baseline",), {"type": Path, "metavar": "FILE"}),
            ALLOW_LOST,
        ],
    ),
    "standings": Command(
        "print a table of libraries from results files, or from folders of them, as Markdown",
        [
            (("files",), {"type": Path, "nargs": "+"}),
            (
                ("--into",),
                {"type": Path, "metavar": "PAGE", "help": "put it between the marks of a page"},
            ),
            (
                ("--edition",),
                {"metavar": "NAME", "help": "what is counted against (default: the newest)"},
            ),
        ],
    ),
    "editions": Command(
        "list the editions of the specification",
        [(("--write",), {"action": "store_true", "help": "write the draft anew from its claims"})],
    ),
    "submit": Command(
        "write results and what they rest on into one file, which others can verify",
        [
            (("results",), {"type": Path}),
            (("--backend",), {"required": True, "metavar": "NAME", "help": "or module:Class"}),
            (("--output",), {"type": Path, "required": True, "metavar": "FILE"}),
        ],
    ),
    "verify": Command(
        "see whether a submission is true: it is whole, rests on what is here, and a sample comes "
        "out the same; exit status 1 if something speaks against it",
        [
            (("submission",), {"type": Path}),
            (
                ("--sample",),
                {"type": count, "default": 40, "metavar": "N", "help": "how much is run again"},
            ),
        ],
    ),
    "operations": Command(
        "print a table of operations by claims: what holds, what is known to fail, what is red or "
        "lacking, by dtype where they differ",
        [
            (("results",), {"type": Path}),
            (("--backend",), {"metavar": "NAME", "help": "where the run has several"}),
            (
                ("--claim",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "ID",
                    "help": "or how its id begins, such as GEN; once for each (default: all)",
                },
            ),
            (
                ("--only",),
                {"choices": ["RED", "known", "lacks"], "help": "rows in which this occurs"},
            ),
        ],
    ),
    "durations": Command(
        "print the times of runs, by claim and backend",
        [(("results",), {"type": Path, "nargs": "+"})],
    ),
    "report": Command(
        "write one HTML page of results (.jsonl) and measured times (.json), or of folders of them",
        [
            (("files",), {"type": Path, "nargs": "+"}),
            (("--output",), {"type": Path, "default": Path("gradspec.html"), "metavar": "FILE"}),
        ],
    ),
    "site": Command(
        "write a static site of results (.jsonl) and measured times (.json), or of folders of them",
        [
            (("files",), {"type": Path, "nargs": "+"}),
            (
                ("--output",),
                {"type": Path, "default": Path("gradspec-site"), "metavar": "DIR"},
            ),
            (
                ("--older",),
                {
                    "type": Path,
                    "nargs": "+",
                    "default": [],
                    "metavar": "FILE",
                    "help": "results to tell what changed since, or folders of them",
                },
            ),
            (
                ("--checkout",),
                {
                    "type": Path,
                    "metavar": "DIR",
                    "help": "a checkout of gradspec, which has the mutants and the scripts of "
                    "defects (default: the one that gradspec runs from, if it does)",
                },
            ),
        ],
    ),
    "fuzz": Command(
        "run random programs on a backend and on the reference; exit status 1 if they differ in a "
        "way that is not known",
        [
            (("--backend",), {"default": "torch", "metavar": "NAME", "help": "or module:Class"}),
            (("--device",), {"default": "cpu", "choices": DEVICES}),
            (("--dtype",), {"default": "float64", "choices": ("float64", "float32")}),
            (
                ("--seconds",),
                {"type": seconds, "metavar": "N", "help": "how long (default: 60, or no limit)"},
            ),
            (("--programs",), {"type": count, "metavar": "N", "help": "how many"}),
            (("--seed",), {"type": int, "default": 0, "metavar": "S"}),
            (
                ("--deadline",),
                {
                    "type": seconds,
                    "default": 20.0,
                    "metavar": "SECONDS",
                    "help": "a program that takes longer hangs (default: 20)",
                },
            ),
            (("--workers",), {"type": count, "default": 1, "metavar": "N"}),
            (
                ("--corpus",),
                {
                    "type": Path,
                    "metavar": "DIR",
                    "help": "what is interesting, to go on there",
                },
            ),
            (
                ("--output",),
                {"type": Path, "metavar": "FILE", "help": "write what was found as JSON lines"},
            ),
            (
                ("--measure",),
                {
                    "nargs": "*",
                    "metavar": "MUTANT",
                    "help": "in a checkout: what the search finds of the planted faults, --seconds "
                    "of CPU for each",
                },
            ),
        ],
    ),
    "history": Command(
        "run the specification on several releases of a library, each in an environment of its "
        "own, and tell what came and what went in which; exit status 3 if one could not be run",
        [
            (("library",), {"help": "the name of a backend"}),
            (("releases",), {"nargs": "*", "metavar": "RELEASE", "help": "such as 1.8.0"}),
            (
                ("--results",),
                {
                    "type": Path,
                    "action": "append",
                    "default": [],
                    "metavar": "FILE",
                    "help": "results of a release that was run elsewhere (repeatable)",
                },
            ),
            (("--output",), {"type": Path, "metavar": "FILE", "help": "keep it as JSON"}),
            (
                ("--cache",),
                {
                    "type": Path,
                    "default": Path(".gradspec/history"),
                    "metavar": "DIR",
                    "help": "where environments and results are kept (default: .gradspec/history)",
                },
            ),
            (("--package",), {"metavar": "NAME", "help": "what pip calls the library"}),
            (("--profile",), {"default": "quick", "help": "of Hypothesis (default: quick)"}),
            (("--seed",), {"type": int, "default": 0, "metavar": "S"}),
            (("--processes",), {"default": "auto", "metavar": "N", "help": "as pytest's -n"}),
            (
                ("--words",),
                {
                    "nargs": argparse.REMAINDER,
                    "default": [],
                    "help": "everything after it goes to pytest, such as --claim GEN-04",
                },
            ),
        ],
    ),
    "script": Command(
        "write a script in the library's own words that shows a failing verdict; it is tried in a "
        "fresh interpreter first",
        [
            (("results",), {"type": Path}),
            (("verdict",), {"help": "such as GEN-04[sin], or with its subject as it is reported"}),
            (("--output",), {"type": Path, "metavar": "FILE", "help": "write it there"}),
        ],
    ),
    "slower": Command(
        "compare two records of measured times; exit status 1 if a workload got slower, or none is "
        "in both",
        [
            (("old",), {"type": Path}),
            (("new",), {"type": Path}),
            (
                ("--by",),
                {
                    "type": percentage,
                    "default": BY,
                    "metavar": "PERCENT",
                    "help": f"the least change told of (default: {100 * BY:g})",
                },
            ),
        ],
    ),
}
