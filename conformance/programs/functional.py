"""Programs as functions of their leaves, for libraries that differentiate functions."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from ..protocol.mode import Mode
from .comparing import REFERENCE, Comparison
from .instructions import Instructions
from .judging import Difference
from .kinds import kinds_of
from .language import Kind, Program
from .machine import Machine
from .ways import Way, copies, mapped, plain, pulled, pushed

WRITTEN = "gradients of what was written"
"""What is asked of programs that write, where there are pullbacks alone."""

WAYS: Mapping[str, Way] = {
    "gradients": pulled,
    "second derivatives": partial(pulled, order=2),
    WRITTEN: pulled,
    "tangents": pushed,
    "slices": mapped,
}
"""What is asked of programs, by what comes of them."""

WRITING = (WRITTEN, "tangents", "slices")
"""Where programs write what they have computed, if the library can; in its modes they do, too."""

FAMILIES = ("making", "looking")
"""What computes and looks, and changes nothing."""

OPEN = frozenset([ErrorKind.TRANSFORM, ErrorKind.NOT_DIFFERENTIABLE, ErrorKind.STALE_SAVED_VALUE])
"""What a transform may refuse: a write to what all slices share, an operation that has no rule,
which claims over the table speak of, and a value that it has saved where others save none."""

LEFT_OUT = """
laid_out_leaf cast contiguous chain zeros_like full_like as_strided overlapping
abs relu relu_ clamp clamp_ maximum minimum amax sqrt
squeeze
"""
"""Kinds that are about dtypes and memory or need no derivative, that have kinks where integers lie,
and that libraries refuse where PyTorch does nothing."""

MASKED = frozenset(["masked", "set_mask_number", "set_mask_tensor"])
"""Kinds whose results are as large as their masks say, which no compiler has to know beforehand."""

ALONG = frozenset(["transpose", "permute", "movedim", "softmax", "log_softmax", "cumsum"])
"""Kinds that take a scalar for a vector of one entry: that is a contract, and no law."""


class Functions(Comparison):
    """Programs on a backend and on the reference, as functions of their leaves."""

    daring: ClassVar[bool] = False  # what is refused is no function

    def __init__(
        self, backend: Backend, dtype: str, device: str, asked: str, mode: Mode | None = None
    ) -> None:
        self.mode, self.transforms = mode, mode is not None or asked in WRITING
        writes = self.transforms and (mode is None or mode.writes)
        writes = writes and Capability.INPLACE in backend.capabilities
        families = (*FAMILIES, "writing") if writes else FAMILIES
        super().__init__(backend, dtype, device, families, asked, mode.name if mode else "")
        self.tested.mode = mode
        self.tested.writes = self.known.writes = writes
        self.tested.sums = self.known.sums = mode is not None
        if not self.tested.copies:  # a copy is a result of what it was copied from
            self.tested.clone = lambda x: copies(self.tested, [x])[0]
        self.picks_copy = asked == WRITTEN
        self.way = WAYS[asked]

    def kinds_in(self, families: Iterable[str]) -> Mapping[str, Kind]:
        """Return the kinds of some families that are functions, and leaves."""
        kinds = kinds_of(self.backend, REFERENCE, families=families)
        out = {*LEFT_OUT.split(), *(MASKED if self.mode else ())}
        kept = {name: kind for name, kind in kinds.items() if name not in out}
        return {"leaf": kinds_of(REFERENCE)["leaf"], **kept}

    def compared(self, program: Program, got: Machine, expected: Machine) -> Difference | None:
        """Return what is different in a run on the reference, whose differences are judged.

        What a transform may refuse is no difference.
        """
        refused = {answer for _, what, answer in got.seen if what == "refused"}
        if self.transforms and not refused.isdisjoint(OPEN):
            return None
        return super().compared(program, got, expected)

    def judges(self, program: Program, expected: Machine) -> bool:
        """Whether the reference refuses nothing, and no scalar is taken for a vector.

        A library that does not check indices writes anywhere by those that the reference refuses.
        Where libraries with pullbacks alone write, nor may a scalar be picked that a write would
        show in, or not: NumPy copies it.
        """
        if any(what == "refused" for _, what, _ in expected.seen):
            return False
        shapes = [answer.shape for _, what, answer in expected.seen if what == "value"]
        makers = [each.kind for each in program for _ in range(each.results)]
        picked = (
            kind == "getitem" and not shape for kind, shape in zip(makers, shapes, strict=False)
        )
        return not (self.picks_copy and any(picked)) and not any(
            each.kind in ALONG and not shapes[number]
            for each in program
            for number in each.operands
        )

    def run(self, table: Instructions, program: Program) -> Machine:
        """Return a run that has seen values and derivatives, or why they are refused."""
        seen = Machine(table)
        one_dtype = tuple(
            each._replace(options=(*each.options[:2], False))
            if each.kind in {"leaf", "constant"}
            else each
            for each in program
        )
        try:
            for what, x in self.way(table, one_dtype):
                seen.note(what, None if x is None else plain(table, x))
        except Exception as error:
            seen.note("refused", table.reason(error))
        return seen


def comparison_of(backend: Backend, dtype: str, device: str) -> Comparison:
    """Return the comparison of all that a backend can do: of functions where it has no .grad."""
    if Capability.BACKWARD in backend.capabilities:
        return Comparison(backend, dtype, device)
    twice = Capability.CREATE_GRAPH in backend.capabilities
    return Functions(backend, dtype, device, "second derivatives" if twice else "gradients")
