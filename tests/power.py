"""What the search alone finds of planted faults: `gradspec fuzz --measure`.

Each mutant that is about the semantics of programs meets random programs until one shows it, or its
time is up. Printed is the share that is found, and how long that takes. Those that no program can
show are listed in `power.toml`, with reasons: they are not tried, and count in the share of all.
"""

import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import numpy as np

from gradspec.conformance.programs.comparing import Comparison
from gradspec.conformance.run.loading import load
from mutation import HERE, Change, changed, read

CHAPTERS = """
accumulation backward clearing custom_functions detach dynamic_graphs freed_graphs gathering
grad_slot gradients graph higher_order hooks indexing inplace joining leaves no_grad programs
saved_values scatter shapes splitting views
"""
"""The chapters whose subjects are in the language of programs."""


@dataclass(frozen=True)
class Trial:
    """One mutant: after how many CPU-seconds and programs it was found, if it was."""

    chapter: str
    mutant: Change
    seconds: float
    programs: int
    sort: str

    @property
    def found(self) -> bool:
        """Whether a program has shown it."""
        return bool(self.sort)


def left_out() -> dict[str, str]:
    """Return the mutants that no program can show, each with the reason."""
    entries = tomllib.loads((HERE / "power.toml").read_text(encoding="utf-8"))["left_out"]
    return {name: entry["reason"] for entry in entries for name in entry["mutants"]}


def chosen(words: list[str]) -> Iterator[tuple[str, Change]]:
    """Name the mutants of the chapters, or those whose names hold one of the words."""
    for path in sorted((HERE / "mutants").glob("*.toml")):
        if path.stem not in CHAPTERS.split():
            continue
        for mutant in read(path, "mutant"):
            if not words or any(word in f"{path.stem}/{mutant.name}" for word in words):
                yield path.stem, mutant


def tried(chapter: str, mutant: Change, budget: float) -> Trial:
    """Run programs on a mutant until one shows it, or so many CPU-seconds are over."""
    with changed(mutant) as backend, np.errstate(all="ignore"):
        comparison = Comparison(backend)
        right = None if mutant.room == "reference" else Comparison(load(backend.name))
        if right is not None:
            comparison.defects = right.defects
        began, number = time.process_time(), 0
        while (spent := time.process_time() - began) < budget:
            program = comparison.drawn(0, number)
            number += 1
            try:
                found = comparison.difference(program)
            except Exception as error:  # an engine that breaks is found as well
                return Trial(chapter, mutant, spent, number, type(error).__name__)
            # What the library itself shows is no merit of the mutant.
            if found is not None and (right is None or right.difference(program) is None):
                return Trial(chapter, mutant, spent, number, found.what)
        return Trial(chapter, mutant, spent, number, "")


def summary(trials: list[Trial], without: int) -> Iterator[str]:
    """Tell what was found, chapter by chapter, and what was not; how many were not tried."""
    for chapter in [*dict.fromkeys(trial.chapter for trial in trials), ""]:
        of = [trial for trial in trials if chapter in ("", trial.chapter)]
        seconds = sorted(trial.seconds for trial in of if trial.found)
        share = len(seconds) / len(of)
        line = f"{chapter or 'all':20} {len(seconds):4} of {len(of):4} found ({share:.1%})"
        if len(seconds) > 1:
            tenths = quantiles(seconds, n=10)
            line += f", median {tenths[4]:.2f} s, 90th percentile {tenths[8]:.2f} s of CPU"
        yield line
    if without:
        count, every = sum(trial.found for trial in trials), len(trials) + without
        share = f"{count} of {every} ({count / every:.1%})"
        yield f"with the {without} that no program can show: {share}"
    for trial in trials:
        if not trial.found:
            yield f"not found: {trial.chapter}/{trial.mutant.name}: {trial.mutant.changes}"


def measure(budget: float, words: list[str]) -> None:
    """Try all mutants, and print what comes of it."""
    trials = []
    without = {} if words else left_out()
    for chapter, mutant in chosen(words):
        if f"{chapter}/{mutant.name}" in without:
            continue
        trial = tried(chapter, mutant, budget)
        trials.append(trial)
        told = f"{trial.seconds:6.2f} s, {trial.programs} programs: {trial.sort or 'not found'}"
        print(f"{chapter}/{mutant.name}: {told}", flush=True)  # noqa: T201
    for line in summary(trials, len(without)):
        print(line)  # noqa: T201


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    measure(float(sys.argv[1]), sys.argv[2:])
