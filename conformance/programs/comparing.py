"""One library beside the reference: programs are read, run on both, and judged."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from ... import reference
from ..backends.reference import Reference
from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.conventions import agree
from ..protocol.errors import ErrorKind
from ..protocol.subject import Subject
from ..table.kinks import KINKS
from ..table.measuring import measure
from . import perturbing
from .decoding import Decoder, drawn_bytes
from .instructions import Instructions
from .judging import Difference, judge
from .kinds import FAMILIES, kinds_of
from .known import detoured, known_of, left
from .language import Kind, Program
from .machine import Machine


class Comparison:
    """A backend in one dtype on one device, and what the reference makes of the same programs."""

    daring: ClassVar[bool] = True  # whether refusals are drawn on purpose

    def __init__(
        self,
        backend: Backend,
        dtype: str = "float64",
        device: str = "cpu",
        families: Iterable[str] = FAMILIES,
        asked: str = "",
        mode: str = "",
    ) -> None:
        self.backend = backend
        self.defects = known_of(backend, dtype, asked, mode)
        self.dtype, self.device = dtype, device
        # Kinds that are not drawn are in what is known.
        self.kinds = self.kinds_in(families)
        self.decoder = Decoder(left(self.kinds, self.defects), daring=self.daring)
        self.tested = Instructions(backend, self.kinds, dtype, device)
        self.known = Instructions(REFERENCE, self.kinds, dtype, "cpu")
        # What only one side can count is not compared.
        self.known.counts = self.tested.counts
        self.unjudged: Counter[str] = Counter()

    def kinds_in(self, families: Iterable[str]) -> Mapping[str, Kind]:
        """Return the kinds of some families that both sides can run, and mean the same by.

        Where writes are not counted, whether .data shares the memory that a node has saved is open.
        """
        open_to_choice = answered_otherwise(self.backend, self.dtype, self.device)
        if Capability.VERSION_COUNTER not in self.backend.capabilities:
            open_to_choice |= {Capability.DATA}
        return {
            name: kind
            for name, kind in kinds_of(self.backend, REFERENCE, families=families).items()
            if open_to_choice.isdisjoint(word.rstrip("_") for word in kind.needs)
        }

    def drawn(self, seed: int, number: int) -> Program:
        """Return the program of a number: it goes round what is known."""
        return detoured(self.decoder.read(drawn_bytes(seed, number)), self.defects)

    def covers(self, key: str) -> bool:
        """Whether a shrunk program of this key shows what is known."""
        return any(each.covers(key) for each in self.defects)

    def difference(self, program: Program) -> Difference | None:
        """Run a program on both sides, and return the first difference that is judged."""
        return self.difference_from(self.again(program), program)

    def difference_from(self, expected: Machine, program: Program) -> Difference | None:
        """Run a program on the backend, unless what the reference saw of it is not judged."""
        if not self.judges(program, expected):
            return None
        return self.compared(program, self.trial(program), expected)

    def trial(self, program: Program) -> Machine:
        """Run a program on the backend that is tested."""
        return self.run(self.tested, program)

    def again(self, program: Program) -> Machine:
        """Run a program on the reference."""
        return self.run(self.known, program)

    def run(self, table: Instructions, program: Program) -> Machine:
        """Return a run of a program on either side."""
        machine = Machine(table)
        machine.run(program)
        return machine

    def compared(self, program: Program, got: Machine, expected: Machine) -> Difference | None:
        """Return what is different in a run on the reference, whose differences are judged."""
        if got.seen == expected.seen:
            return None
        allowed = partial(perturbing.allowed, partial(self.again, program), reference, expected)
        found = judge(got, expected, program, allowed, self.again)
        self.unjudged += found.unjudged
        return found.difference

    def judges(self, program: Program, expected: Machine) -> bool:  # noqa: ARG002 - some do not
        """Whether any difference from this run on the reference is judged.

        Where writes are not counted, nothing shows that a saved value is stale.
        """
        return self.tested.counts or not any(
            isinstance(answer, str) and answer == ErrorKind.STALE_SAVED_VALUE
            for _, _, answer in expected.seen
        )


def answered_otherwise(backend: Backend, dtype: str, device: str) -> frozenset[str]:
    """Name the operations whose gradients at kinks are not the reference's: each may choose."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        ours, _ = measure(Subject(REFERENCE, "cpu", dtype))
        theirs, _ = measure(Subject(backend, device, dtype))
    return frozenset(
        kink.operation
        for kink in KINKS
        if kink.name in ours.keys() & theirs.keys()
        and not agree(theirs[kink.name], ours[kink.name], dtype)
    )


REFERENCE = Reference()
