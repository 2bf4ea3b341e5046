"""Trees of scopes that switch recording on and off, some of which end by an exception.

`modelled` says which mode a tree has at each point in the order in which it runs; `observed` runs
the tree on a subject and looks.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ..protocol.backend import Native
from ..protocol.subject import Subject

FORMS = ("block", "function", "generator", "thread")
"""A with-block, a decorated function, a decorated generator, and a new thread."""


class Scope(NamedTuple):
    """One scope and those inside it; a thread has no mode of its own to set."""

    form: str
    recording: bool
    fails: bool
    inner: tuple["Scope", ...]


@cache
def scopes() -> st.SearchStrategy[tuple[Scope, ...]]:
    """Draw up to six scopes, up to three deep: one byte each, in the order in which they open."""
    return st.binary(min_size=1, max_size=6).map(lambda codes: _nested(list(codes), 0))


def _nested(codes: list[int], depth: int) -> tuple[Scope, ...]:
    level = []
    while codes and codes[0] // 16 % 3 >= depth:
        code = codes.pop(0)
        inner = _nested(codes, depth + 1)
        level.append(Scope(FORMS[code % 4], bool(code & 4), bool(code & 8), inner))
    return tuple(level)


def modelled(scopes: tuple[Scope, ...], *, recording: bool = True) -> Iterator[bool]:
    """Yield the mode before the first scope, within each one, and after it."""
    yield recording
    for scope in scopes:
        yield from modelled(scope.inner, recording=scope.form == "thread" or scope.recording)
        if scope.form == "generator":
            yield recording
        yield recording


def observed(be: Subject, leaf: Native, scopes: tuple[Scope, ...]) -> list[bool]:
    """Run a tree and return the modes seen: both what `be` reports and what happens to a product.

    Raises AssertionError where the two disagree.
    """
    tour = Tour(be, leaf)
    tour.play(scopes)
    return tour.seen


class Escape(BaseException):
    """Raised to leave a scope as an interrupt would; nothing but who raises it catches it."""


class Tour:
    """One way through a tree. A method for each form of scope opens it, and does its work."""

    def __init__(self, be: Subject, leaf: Native) -> None:
        self.be = be
        self.leaf = leaf
        self.seen: list[bool] = []

    def look(self) -> None:
        """Note the mode there is now."""
        recorded = self.be.requires_grad(self.leaf * self.leaf)
        assert self.be.is_grad_enabled() == recorded, f"mode and product disagree after {self.seen}"
        self.seen.append(recorded)

    def play(self, scopes: tuple[Scope, ...]) -> None:
        """Go through `scopes` one after another."""
        self.look()
        for scope in scopes:
            with suppress(Escape):
                mode = self.be.enable_grad() if scope.recording else self.be.no_grad()
                getattr(self, scope.form)(scope, mode)
            self.look()

    def work(self, scope: Scope) -> None:
        """Do what happens inside a scope."""
        self.play(scope.inner)
        if scope.fails:
            raise Escape

    def block(self, scope: Scope, mode: Any) -> None:
        """Work in a with-block."""
        with mode:
            self.work(scope)

    def function(self, scope: Scope, mode: Any) -> None:
        """Work in a decorated function."""
        mode(self.work)(scope)

    def generator(self, scope: Scope, mode: Any) -> None:
        """Work in a decorated generator, whose consumer looks before it ends or fails."""
        for _ in mode(self.item)(scope):
            self.look()

    def item(self, scope: Scope) -> Iterator[None]:
        """Hand out one item, after the work inside."""
        self.play(scope.inner)
        yield
        if scope.fails:
            raise Escape

    def thread(self, scope: Scope, _: Any) -> None:
        """Work in a new thread, and raise here what is raised there."""
        with ThreadPoolExecutor(1) as threads:
            threads.submit(self.work, scope).result()
