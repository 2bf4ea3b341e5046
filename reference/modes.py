"""Whether operations are recorded, and how values are kept for backward.

Both are properties of the running thread, not of tensors: a new thread starts out recording, with
no saved-tensor hooks. The rules are those of PyTorch's "Locally disabling gradient computation".
"""

# ruff: noqa: FBT001, N801  (names and signatures are PyTorch's)

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, Self, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
Pack = Callable[[Any], Any]


class _State(threading.local):
    recording: bool = True
    packing: tuple[tuple[Pack, Pack], ...] = ()


state = _State()


def is_grad_enabled() -> bool:
    """Whether operations on tracked tensors are being recorded in this thread."""
    return state.recording


class _Mode:
    """A context manager and decorator that sets the mode and puts the former one back.

    One object may be entered several times, also recursively: it keeps a stack of former modes.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._former: list[bool] = []

    def __enter__(self) -> Self:
        self._former.append(state.recording)
        state.recording = self.mode
        return self

    def __exit__(self, *error: object) -> None:
        state.recording = self._former.pop()

    def __call__(self, function: F) -> F:
        """Decorate: the mode holds while `function` runs, for a generator while its body runs."""
        mode = self.mode
        if inspect.isgeneratorfunction(function):
            return cast("F", _generator_in_mode(mode, function))

        @functools.wraps(function)
        def in_mode(*arguments: Any, **options: Any) -> Any:
            with _Mode(mode):
                return function(*arguments, **options)

        return cast("F", in_mode)


def _generator_in_mode(
    mode: bool, function: Callable[..., Generator[Any, Any, Any]]
) -> Callable[..., Generator[Any, Any, Any]]:
    @functools.wraps(function)
    def in_mode(*arguments: Any, **options: Any) -> Generator[Any, Any, Any]:
        generator = function(*arguments, **options)
        step: Callable[[], Any] = functools.partial(next, generator)
        while True:
            # The mode is set only while the body runs: at a `yield` the caller has its own mode.
            try:
                with _Mode(mode):
                    produced = step()
            except StopIteration as stop:
                return stop.value
            try:
                received = yield produced
            except BaseException as error:
                step = functools.partial(generator.throw, error)
            else:
                step = functools.partial(generator.send, received)

    return in_mode


class no_grad(_Mode):
    """Record nothing: `with no_grad():`, `@no_grad()` or `@no_grad`."""

    records = False

    def __new__(cls, function: Any = None) -> Any:
        """An instance, or with `@no_grad` on a function that function in the mode."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: Any = None) -> None:
        del function  # only ever None here
        super().__init__(self.records)


class enable_grad(no_grad):
    """Record again, inside `no_grad`. Usable in the same three ways."""

    records = True


class set_grad_enabled(_Mode):
    """Set the mode at once; as a context manager or decorator, put the former one back."""

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))
        # Called as a statement it must act without being entered; entering restores from here.
        self._at_creation: bool | None = state.recording
        state.recording = self.mode

    def __enter__(self) -> Self:
        super().__enter__()
        if self._at_creation is not None:
            self._former[-1], self._at_creation = self._at_creation, None
        return self

    def __call__(self, function: F) -> F:
        """Decorate, without acting now."""
        if self._at_creation is not None:
            state.recording, self._at_creation = self._at_creation, None
        return super().__call__(function)
