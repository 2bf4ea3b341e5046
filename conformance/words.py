"""The commands of `gradspec`: the help and the arguments of each."""

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
        "help": "do not fail for claims that the newer run no longer has: removed, no longer "
        "supported or not run, or if no subject is in both",
    },
)


COMMANDS = {
    "check": Command(
        "check a function of your own as the specification checks an operation; exit status 1 if "
        "something does not hold",
        [
            (("function",), {"metavar": "module:function"}),
            (("--backend",), {"default": "torch", "metavar": "NAME", "help": "or module:Class"}),
            (
                ("--shape",),
                {
                    "type": shape,
                    "action": "append",
                    "metavar": "3x4",
                    "help": "shape of an argument to draw; once for each argument (default: 2x3)",
                },
            ),
            (
                ("--inputs",),
                {
                    "metavar": "module:name",
                    "help": "a tuple of arguments, or a function that returns one",
                },
            ),
            (
                ("--twin",),
                {
                    "metavar": "module:function",
                    "help": "the same function in numpy, to compare values with",
                },
            ),
            (
                ("--mode",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "NAME",
                    "help": "run it in this mode as well: vmap, compile",
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
        "compare two results files; exit status 1 if the newer one has new failures or lacks "
        "claims",
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
                {"nargs": "+", "metavar": "module", "help": "a module that has its functions"},
            ),
            (
                ("--no-run",),
                {"action": "store_true", "help": "only write it, do not run the specification"},
            ),
        ],
    ),
    "merge": Command(
        "combine the parts of a run made with --shard, or files of times of one machine",
        [
            (("parts",), {"type": Path, "nargs": "+"}),
            (("--output",), {"type": Path, "required": True, "metavar": "FILE"}),
        ],
    ),
    "summary": Command(
        "print a run as Markdown, for example for $GITHUB_STEP_SUMMARY",
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
                {
                    "type": Path,
                    "metavar": "PAGE",
                    "help": "write it between the markers in this page",
                },
            ),
            (
                ("--edition",),
                {
                    "metavar": "NAME",
                    "help": "the edition that scores are counted against (default: the newest)",
                },
            ),
        ],
    ),
    "editions": Command(
        "list the editions of the specification",
        [(("--write",), {"action": "store_true", "help": "regenerate the draft from the claims"})],
    ),
    "submit": Command(
        "write results and hashes of all they depend on into one file, which others can verify",
        [
            (("results",), {"type": Path}),
            (("--backend",), {"required": True, "metavar": "NAME", "help": "or module:Class"}),
            (("--output",), {"type": Path, "required": True, "metavar": "FILE"}),
        ],
    ),
    "verify": Command(
        "check a submission: that it is complete, matches the specification and adapter installed "
        "here, and that a sample can be reproduced; exit status 1 if not",
        [
            (("submission",), {"type": Path}),
            (
                ("--sample",),
                {"type": count, "default": 40, "metavar": "N", "help": "verdicts to rerun"},
            ),
        ],
    ),
    "operations": Command(
        "print a table of operations by claims: what holds, is known to fail, fails or is "
        "lacking, by dtype where they differ",
        [
            (("results",), {"type": Path}),
            (("--backend",), {"metavar": "NAME", "help": "required if the run has several"}),
            (
                ("--claim",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "ID",
                    "help": "or a prefix of ids, such as GEN; repeatable (default: all)",
                },
            ),
            (
                ("--only",),
                {"choices": ["RED", "known", "lacks"], "help": "only rows in which this occurs"},
            ),
        ],
    ),
    "shorten": Command(
        "write whole results files anew in less space: what was not looked at is told together, "
        "and what has begun is left out; the verdicts stay the same",
        [(("results",), {"type": Path, "nargs": "+", "help": "files, or folders of them"})],
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
                    "help": "older results to report changes against, or folders of them",
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
                    "help": "a program that takes longer counts as hanging (default: 20)",
                },
            ),
            (("--workers",), {"type": count, "default": 1, "metavar": "N"}),
            (
                ("--corpus",),
                {
                    "type": Path,
                    "metavar": "DIR",
                    "help": "keep programs that reach something new, and continue from them",
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
                    "help": "in a checkout: how many of the mutants the search finds, with "
                    "--seconds of CPU for each",
                },
            ),
        ],
    ),
    "history": Command(
        "run the specification on several releases of a library, each in an environment of its "
        "own, and report which failures appeared or were fixed in which; exit status 3 if one "
        "could not be run",
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
            (("--output",), {"type": Path, "metavar": "FILE", "help": "write it as JSON"}),
            (
                ("--cache",),
                {
                    "type": Path,
                    "default": Path(".gradspec/history"),
                    "metavar": "DIR",
                    "help": "where environments and results are kept (default: .gradspec/history)",
                },
            ),
            (("--package",), {"metavar": "NAME", "help": "the name of the library for pip"}),
            (("--profile",), {"default": "quick", "help": "Hypothesis profile (default: quick)"}),
            (("--seed",), {"type": int, "default": 0, "metavar": "S"}),
            (("--processes",), {"default": "auto", "metavar": "N", "help": "as pytest's -n"}),
            (
                ("--words",),
                {
                    "nargs": argparse.REMAINDER,
                    "default": [],
                    "help": "everything after it is passed to pytest, such as --claim GEN-04",
                },
            ),
        ],
    ),
    "script": Command(
        "write a script in the library's own API that reproduces a failing verdict; it is first "
        "run in a fresh interpreter",
        [
            (("results",), {"type": Path}),
            (("verdict",), {"help": "such as GEN-04[sin], or with its subject, as in a report"}),
            (("--output",), {"type": Path, "metavar": "FILE", "help": "write it to this file"}),
        ],
    ),
    "slower": Command(
        "compare two files of measured times; exit status 1 if a workload got slower, or none is "
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
                    "help": f"the smallest change reported (default: {100 * BY:g})",
                },
            ),
        ],
    ),
}
