"""Views: how a tensor was made from the tensor whose memory it shares.

A view remembers its base (never itself a view) and the steps from there, the first of which take
back what `t_` and the like have done to the base since. That is enough for the two things in-place
operations need. Writing *through* a view changes the base, whose history then
says so (`inplace.py`). And once the base's memory was written, by whatever alias, the node of
every view is out of date: it is rebuilt by replaying the steps on the base, when next asked for.
"""

# ruff: noqa: FBT001, FBT002  (an internal flag may be a positional argument)

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import (
    AutogradError,
    CustomViewInplace,
    MultiOutputViewInplace,
    NoGradViewInplace,
)
from .modes import state
from .tensor import Array, Tensor

if TYPE_CHECKING:
    from .primitives import Primitive

Steps = tuple[tuple["Primitive", dict[str, Any]], ...]

MADE: dict[type[AutogradError], str] = {
    NoGradViewInplace: "a view made under no_grad",
    MultiOutputViewInplace: "one of several views returned by one function",
    CustomViewInplace: "an input that a Function returned",
}
"""How a view was made whose history cannot be rewritten, by the refusal of a write to it."""


class View:
    """The base, the steps from it, and the version of the memory the view's node belongs to."""

    __slots__ = ("base", "own", "refusal", "seen", "turns")

    def __init__(
        self, base: Tensor, steps: Steps, refusal: type[AutogradError] | None, seen: int
    ) -> None:
        self.base = base
        self.own = steps  # from the base as it is now, after so many turns
        self.turns = len(base.turns)
        # Which error a write meets in grad mode: such a view's history cannot be rewritten.
        self.refusal = refusal
        self.seen = seen

    @property
    def steps(self) -> Steps:
        """The steps from the base as it is when asked."""
        later = self.base.turns[self.turns :]
        return (*reversed(later), *self.own) if later else self.own

    @staticmethod
    def of(source: Tensor, primitive: Primitive, attributes: dict[str, Any]) -> View:
        """How `primitive(source)` is a view of the base of `source`."""
        step = (primitive, attributes)
        refusal = None if state.recording else NoGradViewInplace
        seen = source.version.count
        if source.origin is None:
            return View(source, (step,), refusal, seen)
        former = source.origin
        return View(former.base, (*former.steps, step), refusal or former.refusal, seen)

    def refuse(self) -> None:
        """Raise if the history of this view cannot be rewritten."""
        if self.refusal is not None:
            made = MADE[self.refusal]
            raise self.refusal(f"{made}, or its base, is modified in place while recording")

    def refresh(self, tensor: Tensor) -> None:
        """Bring the node of `tensor`, whose view this is, up to date with the base."""
        if self.seen == tensor.version.count:
            return
        if self.base.requires_grad:
            self.refuse()
            former, state.recording = state.recording, True
            try:
                fresh = replay(self.steps, self.base)
            finally:
                state.recording = former
            from .leaves import set_edge  # noqa: PLC0415  (leaves build on tensors, views below)

            set_edge(tensor, fresh.edge)
        self.seen = tensor.version.count


def replay(steps: Steps, source: Any, lenient: bool = False) -> Any:
    """Take the steps on another array or tensor; `lenient` if its layout may be another one."""
    for primitive, attributes in steps:
        action = primitive.lenient if lenient and primitive.lenient else primitive
        source = action(source, **attributes)
    return source


def places(steps: Steps, shape: tuple[int, ...]) -> Array:
    """Which elements of a base of this shape the view consists of, as a boolean array."""
    mask = np.zeros(shape, dtype=bool)
    numbers = replay(steps, np.arange(mask.size).reshape(shape), lenient=True)
    mask.reshape(-1)[numbers] = True
    return mask


def as_one_of_several(views: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Mark views returned together: writing one would have to rewrite the history of all."""
    for each in views:
        if each.origin is not None and each.origin.refusal is None:
            each.origin.refusal = MultiOutputViewInplace
    return views
