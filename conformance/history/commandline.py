"""`gradspec history`: the specification on a list of releases of a library."""

import argparse
from collections.abc import Callable, Sequence

from ..protocol.errors import OptionError
from ..results.reading import BrokenRun, RunRead, read_run
from .courses import History, history_of
from .environments import Asked, Environment, package_of


def history(
    words: argparse.Namespace, complain: Callable[[str], None]
) -> tuple[History, list[str]]:
    """Run what has to be run; return the history, and what could not be run and why.

    A release that cannot be installed or run costs that release alone.
    """
    runs: list[RunRead] = [read_run(path) for path in words.results]
    asked = Asked(words.profile, words.seed, words.processes, words.words)
    failed = []
    for release in words.releases:
        package = words.package or package_of(words.library)
        environment = Environment(words.cache.resolve(), package, release)
        complain(f"{environment.called} ...")
        try:
            runs.append(read_run(environment.results(words.library, asked)))
        except (OptionError, BrokenRun) as error:
            failed.append(f"{release}: left out: {error}")
            complain(failed[-1])
    if not runs:
        raise OptionError(
            f"history of {words.library}: nothing could be run"
            if failed
            else "history: name releases to run, or files of --results"
        )
    return history_of(_name(words.library, runs), runs), failed


def _name(library: str, runs: Sequence[RunRead]) -> str:
    """Return what a backend calls itself that was asked for as `module:Class`."""
    names = {subject["backend"] for run in runs for subject in run.header["subjects"]}
    return names.pop() if ":" in library and len(names) == 1 else library
