"""The command `gradspec`: what can be done with results files, without a run.

A command is a function that prints, takes what argparse has read, and returns the exit status; its
arguments stand in `words`.
"""

import argparse
import errno
import inspect
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from .claims.catalogue import SPECIFICATION, claims_of
from .claims.editions import edition_named, editions, write_draft
from .history.courses import History
from .history.record import is_history
from .history.record import read as read_history
from .history.record import write as write_history
from .protocol.conventions import place, record_name, write
from .protocol.errors import OptionError
from .protocol.subject import Subject
from .results.comparison import Comparison, baseline_of
from .results.merging import merged
from .results.operations import by_operation
from .results.reading import BrokenRun, NotWhole, RunRead, read_any, read_run
from .results.shortening import shorten
from .results.standings import markdown, put, standings
from .results.summary import summary
from .results.writing import ResultsFile
from .run.loading import load_from_here
from .run.sharding import mean_times
from .speed.laws import laws_of
from .speed.parts import merged as merged_times
from .speed.parts import put_off
from .speed.record import RecordRead
from .speed.record import read as read_record
from .speed.record import write as write_record
from .speed.slower import changes
from .table.measuring import measure
from .untrusted.texts import first_line, printable
from .words import COMMANDS

GREEN, RED, USAGE, NOT_WHOLE = 0, 1, 2, 3
"""Exit statuses: all is well; something in the results is red, or new; the command could not be
carried out; a run is not whole.
"""


def say(lines: Iterable[str]) -> None:
    """Print lines that may hold what came from a file."""
    put_out("\n".join(map(printable, lines)))


def put_out(text: str) -> None:
    """Print what was asked for; raises OptionError if it cannot be written.

    Whoever reads it may stop when they have seen enough, as `head` does.
    """
    try:
        print(text, flush=True)  # noqa: T201
    except OSError as error:
        # Whatever is still held back goes nowhere, else the interpreter tries again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # On Windows the end of a pipe is an invalid argument.
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise OptionError(f"the output cannot be written ({error.strerror})") from None


def complain(text: str) -> None:
    """Print a line that is not part of what was asked for."""
    print(f"gradspec: {printable(text)}", file=sys.stderr)  # noqa: T201


def whole(paths: Iterable[Path]) -> tuple[list[RunRead], int]:
    """Read whole runs; say which of them are red, and with which exit status that ends."""
    runs = [read_run(path) for path in paths]
    red = [run for run in runs if run.red]
    for run in red:
        complain(f"{run.path}: red: {run.red}")
    return runs, RED if red else GREEN


def sorted_out(
    paths: Sequence[Path],
) -> tuple[list[RunRead], list[RecordRead], list[History], int]:
    """Read files of every kind; complain of what is red, and return the status of that."""
    runs, status = whole(path for path in paths if path.suffix != ".json")
    others = [path for path in paths if path.suffix == ".json"]
    told = {path for path in others if is_history(path)}
    records = [read_record(path) for path in others if path not in told]
    for record in (each for each in records if each.red):
        complain(f"{record.path}: red: {record.red}")
        status = RED
    return runs, records, [read_history(path) for path in others if path in told], status


def compare(words: argparse.Namespace) -> int:
    """Print what changed from one run to another."""
    new = read_run(words.new)
    comparison = Comparison(baseline_of(words.old), new.header, new.verdicts, new.alarms)
    say(comparison.lines())
    return RED if comparison.red(allow_lost=words.allow_lost) else GREEN


def new_backend(words: argparse.Namespace) -> int:
    """Write an adapter beside the caller, and run the specification on it."""
    from .adopting.starting import begin, run  # noqa: PLC0415 - nobody else needs it

    found, told = begin(words)
    say(told)
    if words.no_run:
        return GREEN
    return RED if found.wanting else run(found)


def merge(words: argparse.Namespace) -> int:
    """Write the parts of a run, or of a measurement, into one file."""
    _spare(words.output, words.parts)
    if {path.suffix for path in words.parts} == {".json"}:
        return _merge_times(words.parts, words.output)
    run = merged([read_run(path) for path in words.parts])
    file = ResultsFile(words.output, run.header, option="--output")
    for verdict in run.verdicts:
        file.add(verdict)
    file.close(run.footer["exit_status"], run.footer["planned"])
    # What is red stays so in the whole, and is for its readers to tell.
    red = f"; red: {run.red}" if run.red else ""
    say([f"{len(run.verdicts)} verdicts in {words.output}{red}"])
    return GREEN


def _merge_times(paths: Sequence[Path], output: Path) -> int:
    parts = [read_record(path, broken_off=True) for path in paths]
    record = merged_times(parts, laws_of(import_module(SPECIFICATION)).values())
    write_record(output, record, "--output")
    timed = sum(m.left_out is None for m in record.measurements)
    later = sum(map(put_off, record.measurements))
    rest = f"; {later} are not measured yet" if later else ""
    say([f"{timed} cells timed in {output}{rest}"])
    return GREEN


def summarize(words: argparse.Namespace) -> int:
    """Print a run as Markdown."""
    run = read_any(words.results)
    comparison = None
    if words.baseline is not None:
        comparison = Comparison(baseline_of(words.baseline), run.header, run.verdicts, run.alarms)
    # Not `say`: its lines may hold line breaks, and have been made harmless already.
    put_out("\n".join(summary(run, comparison)))
    if run.trouble:
        complain(f"{run.path}: {run.trouble}")
        return NOT_WHOLE
    if comparison:
        return RED if comparison.red(allow_lost=words.allow_lost) else GREEN
    if run.red:
        complain(f"{run.path}: red: {run.red}")
    return RED if run.red else GREEN


def compare_libraries(words: argparse.Namespace) -> int:
    """Print libraries side by side, or write them into a page."""
    paths = [path for place in words.files for path in _results_in(place, ".jsonl")]
    runs, status = whole(paths)
    edition = edition_named(words.edition) if words.edition else None
    lines = [*markdown(standings(runs, edition))]
    if words.into:
        put(words.into, lines)
    else:
        say(lines)
    return status


def list_editions(words: argparse.Namespace) -> int:
    """Print the editions, or write the draft anew."""
    if words.write:
        write_draft(claims_of(import_module(SPECIFICATION)))
    say(
        f"{one.title}: {len(one.laws)} laws, {len(one.operations)} operations"
        for one in editions().values()
    )
    return GREEN


def submit(words: argparse.Namespace) -> int:
    """Write a submission."""
    from .submitting.bundle import manifest_of, write  # noqa: PLC0415 - nobody else needs it

    run, backend = read_run(words.results), load_from_here(words.backend)
    data = words.results.read_bytes()
    write(words.output, manifest_of(run, data, words.backend, backend), data)
    say([f"{words.output} is written; see it as others do: gradspec verify {words.output}"])
    return GREEN


def verify(words: argparse.Namespace) -> int:
    """Tell whether a submission is true."""
    from .submitting.verifying import verify as against  # noqa: PLC0415 - nobody else needs it

    told, again = against(words.submission, words.sample)
    say(
        [*told, f"{again} verdicts were run again"]
        if told
        else [f"holds: {again} verdicts came out the same again"]
    )
    return RED if told else GREEN


def list_operations(words: argparse.Namespace) -> int:
    """Print what a library comes to, operation by operation."""
    (run,), status = whole([words.results])
    names = sorted({verdict.backend for verdict in run.verdicts})
    chosen = words.backend or (names[0] if len(names) == 1 else None)
    if chosen not in names:
        raise OptionError(f"--backend: {words.results} has {', '.join(names)}; name one of them")
    verdicts = [verdict for verdict in run.verdicts if verdict.backend == chosen]
    say(by_operation(verdicts, words.claim, words.only))
    return status


def shorten_results(words: argparse.Namespace) -> int:
    """Write results files anew in less space."""
    runs, status = whole(path for place in words.results for path in _results_in(place, ".jsonl"))
    for run in runs:
        shorten(run)
    return status


def durations(words: argparse.Namespace) -> int:
    """Print how long each claim took, as shards are balanced by."""
    runs, status = whole(words.results)
    verdicts = [verdict for run in runs for verdict in run.verdicts]
    say(json.dumps(mean_times(verdicts), indent=1).splitlines())
    return status


def conventions(words: argparse.Namespace) -> int:
    """Measure what a backend answers at kinks, and put it on record."""
    backend = load_from_here(words.backend)
    if words.device not in backend.devices():
        raise OptionError(
            f"--device {words.device}: {backend.name} has {', '.join(backend.devices())} here"
        )
    path = place(Path(inspect.getfile(type(backend))))
    with np.errstate(all="ignore"):
        measured, refused = measure(Subject(backend, words.device, backend.dtypes[-1]))
    write(path, record_name(backend.version, words.device), measured)
    say(f"not on record: {kink}: {first_line(error)}" for kink, error in refused.items())
    say([f"{len(measured)} kinks of {backend.name} {backend.version} in {path}"])
    return GREEN


def fuzz(words: argparse.Namespace) -> int:
    """Search for programs on which a backend and the reference differ."""
    from .programs.commandline import fuzz as search  # noqa: PLC0415 - nobody else needs it

    return search(words)


def check(words: argparse.Namespace) -> int:
    """Print what holds of a function that somebody has written."""
    from .checking.commandline import checked  # noqa: PLC0415 - nobody else needs it
    from .checking.records import lines_of  # noqa: PLC0415

    report = checked(words)
    say(lines_of(report))
    if not report.asked:
        complain(f"{words.function}: nothing could be asked; the table says why")
    return GREEN if report.holds else RED


def history(words: argparse.Namespace) -> int:
    """Tell what came and what went in the releases of a library."""
    from .history.commandline import history as told_of  # noqa: PLC0415 - nobody else needs it
    from .history.telling import lines_of  # noqa: PLC0415

    found, failed = told_of(words, complain)
    if words.output:
        write_history(words.output, found)
    put_out("\n".join(lines_of(found)))
    return NOT_WHOLE if failed else GREEN


def script(words: argparse.Namespace) -> int:
    """Print a script that shows what fails."""
    from .scripting.verdicts import script_of  # noqa: PLC0415 - nobody else needs it

    text = script_of(words.results, words.verdict)
    if words.output is None:
        put_out(text.rstrip())
        return GREEN
    try:
        words.output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OptionError(
            f"--output {words.output}: cannot be written ({error.strerror})"
        ) from None
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
    paths = [path for place in words.files for path in _results_in(place, ".jsonl", ".json")]
    _spare(words.output, paths)
    runs, records, _, status = sorted_out(paths)
    # What cannot be written in any encoding, half a surrogate pair, is shown as it is escaped.
    text = page_of(runs, records).encode("utf-8", "backslashreplace")
    try:
        words.output.parent.mkdir(parents=True, exist_ok=True)
        words.output.write_bytes(text)
    except OSError as error:
        raise OptionError(
            f"--output {words.output}: cannot be written ({error.strerror})"
        ) from None
    say([f"{words.output}: {len(text) / 1e6:.2f} MB"])
    return status


def site(words: argparse.Namespace) -> int:
    """Write the site: a page for everything that somebody may look up."""
    try:
        from .site.building import write as write_site  # noqa: PLC0415 - needs an extra
        from .site.changes import comparisons_of  # noqa: PLC0415
        from .site.checkout import checkout_at  # noqa: PLC0415
        from .site.material import Material  # noqa: PLC0415
    except ImportError as error:
        raise OptionError(f"site: {error}; run `pip install gradspec[report]`") from None
    checkout = checkout_at(words.checkout)
    paths = [path for place in words.files for path in _results_in(place, ".jsonl", ".json")]
    runs, records, histories, status = sorted_out(paths)
    old = [path for place in words.older for path in _results_in(place, ".jsonl")]
    comparisons = comparisons_of([read_run(path) for path in old], runs)
    if old and not comparisons:
        raise OptionError("--older: no subject of these files is in the others; nothing to compare")
    files, size = write_site(
        Material(runs, records, comparisons, checkout, histories), words.output
    )
    say([f"{words.output / 'index.html'}: {files} files, {size / 1e6:.1f} MB"])
    return status


def _spare(output: Path, paths: Iterable[Path]) -> None:
    """Refuse to write over what is read; raises OptionError."""
    if any(path.exists() and output.exists() and output.samefile(path) for path in paths):
        raise OptionError(f"--output {output}: is one of the files to be read; name another one")


def _results_in(place: Path, *suffixes: str) -> list[Path]:
    """Return a file itself, or the results files of a folder."""
    if not place.is_dir():
        return [place]
    found = sorted(path for path in place.iterdir() if path.suffix in suffixes)
    if not found:
        raise OptionError(f"{place}: no results files are in it")
    return found


DOES: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "check": check,
    "compare": compare,
    "conventions": conventions,
    "new-backend": new_backend,
    "merge": merge,
    "summary": summarize,
    "standings": compare_libraries,
    "editions": list_editions,
    "submit": submit,
    "verify": verify,
    "operations": list_operations,
    "shorten": shorten_results,
    "durations": durations,
    "report": report,
    "site": site,
    "fuzz": fuzz,
    "history": history,
    "script": script,
    "slower": slower,
}
"""What carries a command out: it prints, and returns the exit status."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line; return the exit status."""
    parser = argparse.ArgumentParser("gradspec", description="Work with results of gradspec.")
    chosen = parser.add_subparsers(required=True, metavar="command")
    for name, command in COMMANDS.items():
        sub = chosen.add_parser(name, help=command.help, description=command.help)
        for flags, options in command.arguments:
            sub.add_argument(*flags, **options)
        sub.set_defaults(does=DOES[name])
    words = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has every letter
    try:
        return int(words.does(words))
    except NotWhole as error:
        complain(str(error))
        return NOT_WHOLE
    except (BrokenRun, OptionError) as error:
        complain(str(error))
        return USAGE
