"""A process that runs programs by their numbers, and says which it is about to run.

It writes the number into a file that it shares with the process that watches it, and what it has
found on lines of its output. It shrinks nothing, and survives nothing.
"""

import gc
import json
import mmap
import signal
import struct
import sys
import time
import warnings
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from ..run.loading import load_from_here
from .coverage import triples
from .functional import comparison_of
from .language import Program
from .machine import Machine
from .naming import rough_key

SAMPLE = 32
"""One in so many programs is looked at for what it reaches."""

BATCH = 16
"""So many programs are run on the reference before the backend runs them."""

PULSE = 0.5
"""Seconds between two reports."""

NUMBER = struct.Struct("qq")
"""The program at hand, and how many were run before it and not reported yet."""


class Worker:
    """The programs of one worker."""

    def __init__(self, words: dict[str, Any], out: Any) -> None:
        self.words = words
        self.out = out
        backend = load_from_here(words["backend"])
        self.backend = backend
        self.comparison = comparison_of(backend, words["dtype"], words["device"])
        self.reached: set[Any] = set()
        self.done = 0
        self.cpu = time.process_time()

    def program(self, number: int) -> Program:
        """Return the program of a number."""
        return self.comparison.drawn(self.words["seed"], number)

    def work(self) -> None:
        """Run every program that is this worker's."""
        words = self.words
        with Path(words["place"]).open("r+b") as file, mmap.mmap(file.fileno(), NUMBER.size) as now:
            self.tell(ready=self.backend.version)
            first, last, step = words["first"], words["last"], words["step"]
            numbers = iter(count(first, step) if last is None else range(first, last, step))
            pulse = time.monotonic() + PULSE
            # A library at a time: caches of processors like that.
            while batch := [*islice(numbers, BATCH)]:
                drawn = [(number, self.program(number)) for number in batch]
                known = [self.comparison.again(program) for _, program in drawn]
                for (number, program), expected in zip(drawn, known, strict=True):
                    NUMBER.pack_into(now, 0, number, self.done)
                    self.compare(number, program, expected)
                if time.monotonic() > pulse:
                    self.report(batch[-1] + step)
                    pulse = time.monotonic() + PULSE
            self.report(last)
            self.tell(end=True)

    def compare(self, number: int, program: Program, expected: Machine) -> None:
        """Run a program, and tell of a difference or of what is new about it."""
        found = self.comparison.difference_from(expected, program)
        self.done += 1
        if found is not None:
            self.tell(failed=number, rough=rough_key(program, found))
        elif number % SAMPLE == 0:
            new = triples(program, self.comparison.known) - self.reached
            if new:
                self.reached |= new
                self.tell(number=number, reached=sorted(new))

    def report(self, number: int) -> None:
        """Tell how much was done since the last time."""
        cpu = time.process_time()
        self.tell(
            done=self.done, cpu=cpu - self.cpu, next=number, unjudged=self.comparison.unjudged
        )
        self.done, self.cpu = 0, cpu
        self.comparison.unjudged.clear()

    def tell(self, **message: Any) -> None:
        """Write a message."""
        print(json.dumps(message), file=self.out, flush=True)


def main() -> None:
    """Work as the command line says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who watches decides when it ends
    warnings.simplefilter("ignore")
    out, sys.stdout = sys.stdout, sys.stderr
    worker = Worker(json.loads(sys.argv[1]), out)
    gc.collect()
    gc.freeze()  # what a library has imported is not looked through again and again
    with np.errstate(all="ignore"), worker.backend.on_threads(1):
        worker.work()


if __name__ == "__main__":
    main()
