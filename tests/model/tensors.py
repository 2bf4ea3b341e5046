"""Tensors of the model: cells of a memory, what they have in common, and the steps behind them."""

from dataclasses import dataclass, field

import numpy as np

from .cells import ONE, Scalar, array, same


class Unmodelled(Exception):
    """A statement that the model does not speak of."""


class Refused(Exception):
    """A statement that is refused, by the word for it."""

    def __init__(self, *words):
        super().__init__(words[0])
        self.words = words


@dataclass(eq=False)
class Memory:
    """Numbers, and how often they were written, as each counter has it."""

    numbers: list


@dataclass(eq=False, repr=False)
class Step:
    """One recorded step: the steps before it, what it keeps, and whether it keeps anything."""

    before: tuple
    keeps: tuple = ()  # pairs of a counter and its reading
    once: bool = False
    done: bool = False
    leaf: object = None
    made_at: int | None = None  # of what a recorded pass has made: after how many changes


@dataclass(eq=False)
class History:
    """What a base and its views have in common: the scalars in the cells, and the last step."""

    cells: dict = field(default_factory=dict)
    unrecorded: dict = field(default_factory=dict)
    last: Step | None = None
    first: Step | None = None  # of a leaf: where its gradient is added
    leaf: bool = False


@dataclass(eq=False)
class Tensor:
    """Cells of a memory in some shape."""

    memory: Memory
    places: np.ndarray
    history: History
    counter: list
    base: object = None
    source: object = None  # of a view: what it was made of,
    origins: tuple = ()  # and which of its positions
    lost: str = ""  # why its history cannot be written, nor found again after a write
    recorded: bool = True  # of a view: whether it was made of what requires grad, and recorded
    cut: bool = False  # of a view: whether it was made, or its source, while nothing was recorded
    seen: int = 0  # of a view: at which count of writes it was made
    grad: list | None = None
    own: dict = field(default_factory=dict)  # of a view: its scalars, each one of the base's
    own_at: int = -1  # at which count of writes
    own_step: Step | None = None

    @property
    def dead(self):
        """Whether nothing leads from it to what it is a view of."""
        return self.cut or (not self.recorded and self.current)

    @property
    def leads(self):
        """Whether a pass may come to it: it has a step of its own."""
        return self.recorded or not self.dead

    @property
    def current(self):
        """Whether nothing was written since it was made; else a view is made anew of its base."""
        return bool(self.lost) or self.counter[0] == self.seen

    @property
    def tracked(self):
        return self.history.leaf or self.history.last is not None

    def scalars(self):
        """Return the scalars in its cells, in its shape."""
        flat = [self.scalar(*each) for each in enumerate(self.places.reshape(-1))]
        return array([*flat], self.places.shape)

    def scalar(self, position, place):
        number = self.memory.numbers[place]
        if self.dead:
            return (
                self.kept().setdefault(position, Scalar(number))
                if self.recorded
                else Scalar(number)
            )
        if self.base is None or not self.tracked:
            return self.below(place)
        as_made = self.counter[0] == self.seen
        found = self.source.scalar_at(self.origins[position]) if as_made else self.below(place)
        return self.kept().setdefault(position, Scalar(number, [(found, ONE)]))

    def kept(self):
        """Return the scalars of a view, which are new ones after each write."""
        if self.own_at != self.counter[0]:
            self.own, self.own_step, self.own_at = {}, None, self.counter[0]
        return self.own

    def scalar_at(self, position):
        """Return the scalar at a position, in row-major order."""
        return self.scalar(position, self.places.reshape(-1)[position])

    def below(self, place):
        """Return the scalar in a cell of the base."""
        number = self.memory.numbers[place]
        known = self.history.cells.get(place)
        if not self.tracked:
            return Scalar(number)
        if known is None:
            known = self.history.cells[place] = Scalar(number)
        if same(known.number, number):
            return known
        # What was written while nothing was recorded: another number, the same history.
        written = self.history.unrecorded.get(place)
        if written is None or not same(written.number, number):
            written = self.history.unrecorded[place] = Scalar(number, [(known, ONE)])
        return written

    def scalars_recorded(self):
        """Return the scalars that its history speaks of."""
        flat = [*self.scalars().reshape(-1)]
        if self.base is None:
            cells = self.history.cells
            flat = [cells.get(p, x) for p, x in zip(self.places.reshape(-1), flat, strict=True)]
        return flat


def below(starts):
    """Return every step that these lead to, themselves among them."""
    seen, stack = {}, [*starts]
    while stack:
        step = stack.pop()
        if id(step) not in seen:
            seen[id(step)] = step
            stack += step.before
    return [*seen.values()]


def run_by(starts, wanted):
    """Return the steps that a pass runs: all, or those on a way to something wanted below them."""
    steps = below(starts)
    if wanted is None:
        return steps
    goals = {id(step) for step in wanted if step is not None}
    return [step for step in steps if any(id(each) in goals for each in below(step.before))]
