"""What programs have reached: kinds of statements, on operands in a state, in a mode.

It is taken from runs on the reference of their own, a sample of all programs, so that looking
changes nothing that is judged.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from .instructions import Instructions
from .language import Program, Statement
from .machine import Machine

Triple = tuple[str, str, str]

TAGS = {
    "split": "one of several",
    "chunk": "one of several",
    "unbind": "one of several",
    "detach": "detached",
    "data": "data",
    "own": "of an own function",
    "own_marked": "of an own function",
    "gradients": "a gradient",
    "gradients_of_two": "a gradient",
    "grad": "a gradient",
}
"""What is said of the results of some kinds."""

HOOKING = {"hook": "with a hook", "after": "with a hook", "node_hook": "with a hook"}
HOOKING["retain_grad"] = "retains its gradient"
"""What is said of the operand of some kinds from then on."""

KEEPING = """
mul div power prod matmul maximum minimum abs sin sqrt exp tanh sigmoid relu softmax log_softmax
amax clamp gather mul_ div_ exp_ tanh_ sigmoid_ sin_ checkpoint
"""
"""Kinds whose nodes keep operands or results."""

MODES = {
    "no_grad": "no_grad",
    "enable_grad": "grad",
    "inference_mode": "inference",
    "packing": "packing",
}
"""The modes that blocks make."""


class Scout(Machine):
    """A run that looks at the operands of each statement before it is carried out."""

    def __init__(self, table: Instructions) -> None:
        super().__init__(table)
        self.reached: set[Triple] = set()
        self.tags: dict[int, set[str]] = defaultdict(set)
        self.modes = ["grad"]

    def carry_out(self, statement: Statement) -> bool:
        """Look at the operands, then carry the statement out."""
        given = [(number, self.variables[number]) for number in statement.operands]
        known = [(number, x) for number, x in given if x is not None]
        mode = self.modes[-1]
        if not given:
            self.reached.add((statement.kind, "nothing", mode))
        for number, x in known:
            self.reached.add((statement.kind, self.state_of(number, x), mode))
        first = len(self.variables)
        done = super().carry_out(statement)
        if len(known) == len(given):
            self.learn(statement, range(first, len(self.variables)), known)
        return done

    def state_of(self, number: int, x: Any) -> str:
        """Name the state of a variable."""
        return ", ".join([self.place_of(x), *sorted(self.tags[number]), *self.marks_of(number, x)])

    def place_of(self, x: Any) -> str:
        """Say where a tensor stands in the graph."""
        b = self.backend
        try:
            base, tracked, leaf = b.base(x), b.requires_grad(x), b.is_leaf(x)
            if base is None:
                return "constant" if not tracked else "leaf" if leaf else "result"
            if not b.requires_grad(base):
                return "view of a constant"
            return "view of a leaf" if b.is_leaf(base) else "view of a result"
        except Exception:
            return "view that has lost its history"

    def marks_of(self, number: int, x: Any) -> Iterator[str]:
        """Say what else is to be seen of a tensor."""
        shape = self.table.shape(x)
        if any(n > 1 and not step for n, step in zip(shape, self.backend.strides(x), strict=True)):
            yield "expanded"
        if self.written(number, x):
            yield "written"

    def learn(self, statement: Statement, made: range, given: Sequence[tuple[int, Any]]) -> None:
        """Note what a statement that was carried out has made of its operands and results."""
        kind = statement.kind
        numbers = [number for number, _ in given]
        if kind in KEEPING.split():
            for number in (*numbers, *made):
                self.tags[number].add("kept by a node")
        if kind in HOOKING:
            self.tags[numbers[0]].add(HOOKING[kind])
        for number in made:
            if kind in TAGS:
                self.tags[number].add(TAGS[kind])
            if self.modes[-1] != "grad":
                self.tags[number].add(f"made in {self.modes[-1]}")
            if given and self.place_of(given[0][1]).startswith("view"):
                self.tags[number].add("through a view")
        self.switch(statement)

    def switch(self, statement: Statement) -> None:
        """Note a change of mode."""
        kind = statement.kind
        if kind == "leave" and len(self.modes) > 1:
            self.modes.pop()
        elif kind in MODES:
            self.modes.append(MODES[kind])
        elif kind == "set_grad_block":
            self.modes.append("grad" if statement.options[0] else "no_grad")
        elif kind == "set_grad":
            self.modes[-1] = "grad" if statement.options[0] else "no_grad"


def triples(program: Program, table: Instructions) -> set[Triple]:
    """Return what a program reaches."""
    scout = Scout(table)
    scout.run(program)
    return scout.reached
