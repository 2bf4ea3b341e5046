"""The command `gradspec`: what can be done with results files, without a run.

A command is a function that prints, takes what argparse has read, and returns the exit status; it
stands in `COMMANDS` with its arguments.
"""

import argparse
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .comparison import Baseline, Comparison
from .conventions import place, write
from .errors import OptionError
from .loading import load
from .merging import merged
from .results import BrokenRun, read_run
from .sharding import mean_times
from .skeleton import class_name, file_name, skeleton
from .speed.slower import BY, changes, percentage
from .standings import markdown, put, standings
from .subject import Subject
from .summary import summary
from .table.measuring import measure
from .texts import printable
from .writing import ResultsFile

GREEN, RED, USAGE = 0, 1, 2
"""Exit statuses: all is well, something is not, the command could not be carried out."""


@dataclass(frozen=True)
class Command:
    """One word after `gradspec`."""

    does: Callable[[argparse.Namespace], int]
    help: str
    arguments: Sequence[tuple[tuple[str, ...], dict[str, Any]]]


def say(lines: Iterable[str]) -> None:
    """Print lines that may hold what came from a file."""
    for line in lines:
        print(printable(line))  # noqa: T201


def compare(words: argparse.Namespace) -> int:
    """Print what changed from one run to another."""
    new = read_run(words.new)
    comparison = Comparison(Baseline(read_run(words.old)), new.header, new.verdicts)
    say(comparison.lines())
    return RED if comparison.failures else GREEN


def new_backend(words: argparse.Namespace) -> int:
    """Write the beginning of an adapter beside the caller."""
    path = file_name(words.module)
    if path.exists():
        raise OptionError(f"{path} is there already; nothing is overwritten: move it away")
    path.write_text(skeleton(words.module), encoding="utf-8", newline="\n")
    adapter = f"{path.stem}:{class_name(words.module)}"
    say([f"{path} is written; fill it in: pytest --pyargs gradspec.spec --backend {adapter}"])
    return GREEN


def merge(words: argparse.Namespace) -> int:
    """Write the parts of a run into one file."""
    run = merged([read_run(path) for path in words.parts])
    file = ResultsFile(words.output, run.header, option="--output")
    for verdict in run.verdicts:
        file.add(verdict)
    file.close(run.footer["exit_status"], run.footer["planned"])
    say([f"{len(run.verdicts)} verdicts in {words.output}"])
    return GREEN


def summarize(words: argparse.Namespace) -> int:
    """Print a run as Markdown."""
    run = read_run(words.results)
    comparison = None
    if words.baseline:
        comparison = Comparison(Baseline(read_run(words.baseline)), run.header, run.verdicts)
    # Not `say`: its lines may hold line breaks, and have been made harmless already.
    print("\n".join(summary(run, comparison)))  # noqa: T201
    return GREEN


def compare_libraries(words: argparse.Namespace) -> int:
    """Print libraries side by side, or write them into a page."""
    paths = [path for place in words.files for path in _results_in(place, ".jsonl")]
    lines = [*markdown(standings([read_run(path) for path in paths]))]
    if words.into:
        put(words.into, lines)
    else:
        say(lines)
    return GREEN


def durations(words: argparse.Namespace) -> int:
    """Print how long each claim took, as shards are balanced by."""
    verdicts = [verdict for path in words.results for verdict in read_run(path).verdicts]
    say(json.dumps(mean_times(verdicts), indent=1).splitlines())
    return GREEN


def conventions(words: argparse.Namespace) -> int:
    """Measure what a backend answers at kinks, and put it on record."""
    backend = load(words.backend)
    path = place(Path(inspect.getfile(type(backend))))
    with np.errstate(all="ignore"):
        measured, refused = measure(Subject(backend, "cpu", backend.dtypes[-1]))
    write(path, backend.version.partition("+")[0], measured)
    say(f"not on record: {kink}: {error!r}" for kink, error in refused.items())
    say([f"{len(measured)} kinks of {backend.name} {backend.version} in {path}"])
    return GREEN


def slower(words: argparse.Namespace) -> int:
    """Print which workloads got slower from one record of times to another."""
    found, lines = changes(words.old, words.new, words.by)
    say(lines)
    return RED if found else GREEN


def report(words: argparse.Namespace) -> int:
    """Write the page that people look at."""
    try:
        from .report.page import page_of  # noqa: PLC0415 - needs the extra of its name
    except ImportError as error:
        raise OptionError(f"report: {error}; run `pip install gradspec[report]`") from None
    text = page_of(
        [path for place in words.files for path in _results_in(place, ".jsonl", ".json")]
    )
    try:
        words.output.parent.mkdir(parents=True, exist_ok=True)
        words.output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OptionError(
            f"--output {words.output}: cannot be written ({error.strerror})"
        ) from None
    say([f"{words.output}: {len(text.encode()) / 1e6:.2f} MB"])
    return GREEN


def _results_in(place: Path, *suffixes: str) -> list[Path]:
    """Return a file itself, or the results files of a folder."""
    if not place.is_dir():
        return [place]
    return sorted(path for path in place.iterdir() if path.suffix in suffixes)


COMMANDS = {
    "compare": Command(
        compare,
        "compare two results files; exit status 1 if the newer one has failures of its own",
        [(("old",), {"type": Path}), (("new",), {"type": Path})],
    ),
    "conventions": Command(
        conventions,
        "measure a backend's gradients at kinks, and record them beside its adapter",
        [(("backend",), {"help": "a known name, or module:Class"})],
    ),
    "new-backend": Command(
        new_backend,
        "write the beginning of an adapter for an installed library",
        [(("module",), {"help": "the module that its functions are in"})],
    ),
    "merge": Command(
        merge,
        "put the parts of a run made with --shard together",
        [
            (("parts",), {"type": Path, "nargs": "+"}),
            (("--output",), {"type": Path, "required": True, "metavar": "FILE"}),
        ],
    ),
    "summary": Command(
        summarize,
        "print a run as Markdown, for $GITHUB_STEP_SUMMARY and its like",
        [
            (("results",), {"type": Path}),
            (("--baseline",), {"type": Path, "metavar": "FILE"}),
        ],
    ),
    "standings": Command(
        compare_libraries,
        "print a table of libraries from results files, or from folders of them, as Markdown",
        [
            (("files",), {"type": Path, "nargs": "+"}),
            (
                ("--into",),
                {"type": Path, "metavar": "PAGE", "help": "put it between the marks of a page"},
            ),
        ],
    ),
    "durations": Command(
        durations,
        "print the times of runs, by claim and backend",
        [(("results",), {"type": Path, "nargs": "+"})],
    ),
    "report": Command(
        report,
        "write one HTML page of results (.jsonl) and measured times (.json), or of folders of them",
        [
            (("files",), {"type": Path, "nargs": "+"}),
            (("--output",), {"type": Path, "default": Path("gradspec.html"), "metavar": "FILE"}),
        ],
    ),
    "slower": Command(
        slower,
        "compare two records of measured times; exit status 1 if a workload got slower",
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line; return the exit status."""
    parser = argparse.ArgumentParser("gradspec", description="Work with results of gradspec.")
    chosen = parser.add_subparsers(required=True, metavar="command")
    for name, command in COMMANDS.items():
        sub = chosen.add_parser(name, help=command.help, description=command.help)
        for flags, options in command.arguments:
            sub.add_argument(*flags, **options)
        sub.set_defaults(does=command.does)
    words = parser.parse_args(arguments)
    try:
        return int(words.does(words))
    except (BrokenRun, OptionError) as error:
        print(f"gradspec: {printable(str(error))}", file=sys.stderr)  # noqa: T201
        return USAGE
