"""Runs a program on a backend, and writes down everything that can be seen of it."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ..protocol.backend import Native
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from .instructions import Instructions, Value
from .language import Program, Statement
from .reading import VALUES, size

SEVERAL = (tuple, list)
"""What functions of several results return."""

MIDWAY = frozenset(
    [
        "hurt",
        ErrorKind.FREED_GRAPH,
        ErrorKind.STALE_SAVED_VALUE,
        ErrorKind.DETACHED_SAVED_VALUE,
        ErrorKind.INVALID_GRADIENT,
        ErrorKind.NOT_DIFFERENTIABLE,
        ErrorKind.MOVED_LEAF,
        ErrorKind.ARGUMENT,
    ]
)
"""Refusals in the middle of a pass: what it has done until then is in no order that is promised."""

GRADIENTS = {"gradients": 1, "gradients_of_two": 2}
"""Kinds that return gradients, and of how many roots."""

PASSES = frozenset([*GRADIENTS, "backward", "thread", "twice"])

UNFIT = frozenset(
    [
        ErrorKind.INDEX_RANGE,
        ErrorKind.SHAPE,
        ErrorKind.DIMENSION,
        ErrorKind.INPLACE_SHAPE,
        ErrorKind.ARGUMENT,
    ]
)
"""Refusals of indices that do not fit."""

BY_INDEX = frozenset(["set_mixed", "set_rows", "scatter_", "scatter_add_"])
"""Kinds that write entry by entry: PyTorch has written those before an index that does not fit."""

SINGLY = 3
"""How many results are differentiated each by itself where all together are refused."""

NAMES = [f"v{number}" for number in range(200)]
RETAINED = {"retain_graph": True}
UNUSED = {"retain_graph": True, "allow_unused": True}


Root = tuple[str, int, Native]
"""What is differentiated at the end: its name, the seed of its cotangent, and the tensor."""

Seen = tuple[int, str, Any]
"""What was seen at one place of a run: the number of the statement, what about, the answer."""


def is_midway(kind: str, reason: str) -> bool:
    """Whether nobody promises what a statement of this kind has done before it was refused so."""
    return (kind in PASSES and reason in MIDWAY) or (kind in BY_INDEX and reason in UNFIT)


class Machine:
    """One run of one program on one backend: its variables, hooks and modes, and what is seen.

    Nothing is asked of a tensor that the program does not ask for, until it ends: to look changes
    what some libraries do. What changes nothing is the count of its writes.
    """

    def __init__(self, table: Instructions) -> None:
        self.table = table
        self.backend = table.backend
        self.variables: list[Native | None] = []
        self.starts: list[int] = []  # the count of writes that each was made at
        self.seen: list[Seen] = []
        self.also: dict[int, tuple[str, ...]] = {}
        self.at = 0
        self.operands: tuple[int, ...] = ()
        self.blocks: list[AbstractContextManager[object]] = []
        self.kept: list[object] = []
        self.infers = False
        self.packs_as_is = False
        self.writes = 0
        self.retained: set[int] = set()
        self.laid_out: set[int] = set()
        self.parts: set[int] = set()
        self.handles: list[tuple[int, Any]] = []
        self.calls: dict[tuple[int, int], list[Any]] = {}
        self.tallies: list[Native] = []
        self.held: list[tuple[int, Native, int]] = []  # with its count of writes
        self.roots: Sequence[Native] = ()  # of a pass to some inputs
        self.given: list[Native] = []  # cotangents

    # ---- what statements are made of -------------------------------------------------------------

    def constant(self, entries: Sequence[int], shape: tuple[int, ...], other: bool) -> Native:  # noqa: FBT001
        """Make a constant: a copy of one that was made before, where that can be copied."""
        table = self.table
        key = entries, shape, other
        found = table.constants.get(key)
        if found is None:
            array = np.array(entries, np.float64).reshape(shape)
            dtype = table.other if other else table.dtype
            found = self.backend.tensor(array, dtype, table.device)
            if table.copies and not self.infers:
                table.constants[key] = found
        return table.clone(found) if table.copies else found

    def cotangent(self, seed: int, x: Native, form: str = "") -> Native:
        """Return small integers in the shape and dtype of a result, as a tensor of its own.

        Or in another form: as one entry, flat, with an axis more, or in another dtype.
        """
        table = self.table
        dtype, shape = table.form(x)
        if form:
            dtype, shape = table.formed(form, dtype, shape)
        key = seed & 15, dtype, shape
        found = table.cotangents.get(key)
        if found is None:
            entries = [VALUES[(seed + i) & 15] for i in range(size(shape))]
            array = np.array(entries, dtype).reshape(shape)
            found = table.cotangents[key] = self.backend.tensor(array, dtype, table.device)
        given = table.clone(found)
        self.given.append(given)
        return given

    def of(self, x: Native) -> Value:
        """Return the value of a tensor."""
        return self.table.value(x)

    def gradient(self, x: Native, gradient: Native) -> tuple[Value, bool]:
        """Return the value of .grad, and for a leaf whether it requires grad."""
        b = self.backend
        return self.of(gradient), b.is_leaf(x) and b.requires_grad(gradient)

    def layout(self, x: Native) -> tuple[int, ...]:
        """Return the strides of a tensor along axes that have any."""
        shape = self.table.shape(x)
        if 0 in shape:
            return ()
        steps = self.backend.strides(x)
        return tuple(step if n > 1 else 0 for n, step in zip(shape, steps, strict=True))

    def note(self, what: str, answer: Any) -> None:
        """Write down what was seen in the statement at hand."""
        self.seen.append((self.at, what, answer))

    def calls_of(self, number: int) -> list[Any]:
        """Return where calls of a tensor's hooks are written down, until it is written."""
        return self.calls.setdefault((number, self.writes), [])

    def hooked(self, handle: Any) -> None:
        """Keep what takes a hook away."""
        self.handles.append((self.operands[0], handle))

    def unhook(self) -> None:
        """Take the last hook of a tensor away, if there is one."""
        for place in reversed(range(len(self.handles))):
            if self.handles[place][0] == self.operands[0]:
                self.handles.pop(place)[1].remove()
                return

    def same(self, x: Native, returned: object) -> None:
        """Note a write that does not return what it has written."""
        if returned is not x:
            self.note("returned another object", True)

    def enter(self, block: AbstractContextManager[object]) -> None:
        """Begin a block."""
        block.__enter__()
        self.blocks.append(block)

    def leave(self) -> None:
        """End the innermost block."""
        if self.blocks:
            self.blocks.pop().__exit__(None, None, None)

    def keep(self, what: object) -> None:
        """Keep an object until the program ends: what it is good for ends with it."""
        self.kept.append(what)

    def apart(self, x: Native, y: Native) -> Native:
        """Return what is written into x: y, or a copy if it shares some of the memory of x.

        In what order one is read while the other is written is nobody's promise.
        """
        table = self.table
        if table.shares is None or y is x or not table.shares(x, y) or 0 in table.shape(x):
            return y
        return table.clone(y)

    def is_part(self, x: Native) -> bool:
        """Whether a tensor is one of several results: they may have one node, or one each."""
        return any(self.variables[number] is x for number in self.parts)

    def retains(self, x: Native) -> bool:
        """Whether a tensor was told to retain its gradient."""
        return any(self.variables[number] is x for number in self.retained)

    def has_hooks(self, x: Native) -> bool:
        """Whether a hook was put on a tensor that is no leaf."""
        hooked = any(self.variables[number] is x for number, _ in self.calls)
        return hooked and not self.backend.is_leaf(x)

    def has_views(self, x: Native, *, tracked: bool = False) -> bool:
        """Whether a variable is a view of this tensor, or one of those that require grad."""
        b = self.backend
        if Capability.GRAPH not in b.capabilities:
            return False
        views = (y for y in self.variables if y is not None and b.base(y) is x)
        return any(not tracked or b.requires_grad(y) for y in views)

    def written(self, number: int, x: Native) -> int:
        """How often a variable was written since it was made: what was done in making it is not."""
        return self.version_of(x) - self.starts[number]

    def version_of(self, x: Native) -> int:
        """Return the count of writes, 0 where they are not counted."""
        if not self.table.counts or (self.infers and self.backend.is_inference(x)):
            return 0
        return self.backend.version_of(x)

    # ---- the run ---------------------------------------------------------------------------------

    def run(self, program: Program) -> list[Seen]:
        """Carry out all statements, then look at everything."""
        try:
            for at, statement in enumerate(program):
                self.at = at
                if not self.carry_out(statement):
                    self.look_at_mode()
                    break
            else:
                self.at = len(program)
                self.look_at_mode()
                self.leave_blocks()
                self.look_at_all()
        finally:
            self.leave_blocks()
        return self.seen

    def carry_out(self, statement: Statement) -> bool:
        """Carry out a statement; whether it is known afterwards what has been done."""
        kind, operands, options, results = statement
        variables = self.variables
        given = []
        for number in operands:
            x = variables[number]
            if x is None:
                break
            given.append(x)
        made: Any = ()
        if len(given) == len(operands):
            self.operands = operands
            try:
                made = self.table.run[kind](self, given, options)
            except Exception as error:
                if not self.refused(kind, error):
                    return False
                made = ()
        if results:
            parts = made if type(made) in SEVERAL else (made,)
            # A tensor whose shape a refused statement has left alone may have more or fewer parts
            # than the program says.
            if results > 1 and kind not in GRADIENTS:
                self.parts.update(range(len(variables), len(variables) + results))
            for place in range(results):
                self.add(parts[place] if place < len(parts) else None)
        elif kind in self.table.writing:
            self.writes += 1
        return True

    def refused(self, kind: str, error: Exception) -> bool:
        """Note a refusal; whether it is known what was done before it."""
        reason = self.table.reason(error)
        self.note("refused", reason)
        if also := getattr(error, "also", ()):
            self.also[self.at] = also
        return not is_midway(kind, reason)

    def add(self, x: Native | None) -> None:
        """Number a variable, and note at which count of writes it begins."""
        self.variables.append(x)
        self.starts.append(0 if x is None else self.version_of(x))

    def leave_blocks(self) -> None:
        """Leave every block that is still open, the innermost first, and record again."""
        while self.blocks:
            self.leave()
        if self.kept:
            self.kept.clear()
            self.backend.set_grad_enabled(True)

    # ---- what is seen at the end -----------------------------------------------------------------

    def look_at_mode(self) -> None:
        """See whether operations are recorded."""
        if self.table.switches:
            self.note("recording", self.backend.is_grad_enabled())

    def look_at_all(self) -> None:
        """Read every variable, differentiate all results together, and read every .grad."""
        b, table, at = self.backend, self.table, self.at
        roots, ends = [], []
        for number, x in enumerate(self.variables):
            if x is None:
                continue
            try:
                value = table.value(x)
                tracked, leaf = b.requires_grad(x), b.is_leaf(x)
            except Exception as error:
                self.note(f"v{number} refused", table.reason(error))
                continue
            self.seen.append((at, NAMES[number], (value, tracked, leaf, self.written(number, x))))
            if tracked:
                roots.append((NAMES[number], 3 * number, x))
            if leaf or number in self.retained:
                ends.append((number, x))
        self.look_at_gradients(ends)
        roots += self.recorded(ends)
        if roots:
            self.differentiate(roots, ends)
        self.look_at_what_was_kept()

    def recorded(self, ends: Sequence[tuple[int, Native]]) -> Iterator[Root]:
        """List every .grad of a leaf that a recorded pass has left: it is a result like any other.

        Whether one that a result retains leads anywhere is open.
        """
        b = self.backend
        for number, x in ends:
            if (g := b.grad(x)) is not None and b.is_leaf(x) and b.requires_grad(g):
                yield f"{NAMES[number]}.grad", 3 * number + 1, g

    def look_at_what_was_kept(self) -> None:
        """Read gradients that were held, sums that hooks have made, and what hooks were told."""
        for number, gradient, count in self.held:
            written = self.version_of(gradient) - count
            self.note(f"held of v{number}", (self.of(gradient), written))
        for number, total in enumerate(self.tallies):
            self.note(f"tally {number}", self.of(total))
        for (number, writes), calls in self.calls.items():
            self.note(f"hooks of v{number} after {writes} writes", tuple(calls))

    def look_at_gradients(self, ends: Sequence[tuple[int, Native]], when: str = "") -> None:
        """Read every .grad."""
        b = self.backend
        for number, x in ends:
            gradient = b.grad(x)
            if gradient is not None:
                self.note(f"v{number}{when}.grad", self.gradient(x, gradient))
                if number in self.laid_out:
                    self.note(f"v{number}{when}.strides", (self.layout(x), self.layout(gradient)))

    def differentiate(self, roots: Sequence[Root], ends: Sequence[tuple[int, Native]]) -> None:
        """Differentiate all results in one pass; some by themselves if that is refused."""
        cotangents = [self.cotangent(seed, x) for _, seed, x in roots]
        try:
            self.backend.backward([x for *_, x in roots], cotangents, **RETAINED)
        except Exception as error:
            self.note("last", self.table.reason(error))
            # In what order that was found is not promised, nor what hooks have seen by then.
            self.calls.clear()
            self.tallies.clear()
            self.held.clear()
            if self.table.returns:
                self.differentiate_singly(roots[-SINGLY:], ends)
        else:
            self.look_at_gradients(ends, ".last")

    def differentiate_singly(
        self, roots: Sequence[Root], ends: Sequence[tuple[int, Native]]
    ) -> None:
        """Differentiate results each by itself, with nothing left behind."""
        b = self.backend
        leaves = [x for number, x in ends if number not in self.retained and b.requires_grad(x)]
        if not leaves:
            return
        for name, seed, x in roots:
            if self.retains(x):
                continue
            self.roots = (x,)
            try:
                found = b.gradients(x, leaves, self.cotangent(seed, x), **UNUSED)
            except Exception as error:
                answer: Any = self.table.reason(error)
            else:
                answer = tuple(None if g is None else self.of(g) for g in found)
            self.note(f"gradients of {name}", answer)
        self.calls.clear()
