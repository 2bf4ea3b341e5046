"""`gradspec check`: a function named on the command line, put to every question."""

import argparse
import inspect
import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np

from ..protocol.errors import OptionError
from ..run.loading import load
from ..untrusted.texts import in_a_line
from .asking import check
from .records import Report

SHAPE = (2, 3)
"""Of an argument whose shape is not given."""


def checked(words: argparse.Namespace) -> Report:
    """Carry out the command; raises OptionError naming the word at fault."""
    # First of all: an adapter may have to set something before its library is imported.
    backend = load(words.backend, "--backend")
    function = found(words.function, "the function")
    if not callable(function):
        raise OptionError(
            f"the function is a {type(function).__name__}: give something that can be called"
        )
    twin = found(words.twin, "--twin") if words.twin else None
    if words.inputs and words.shape:
        raise OptionError("--inputs and --shape: give one of them")
    if words.inputs:
        inputs = found(words.inputs, "--inputs")
        inputs = called(inputs, "--inputs") if callable(inputs) else inputs
        if not isinstance(inputs, tuple | list):
            raise OptionError(
                f"--inputs {words.inputs}: is a {type(inputs).__name__}; give a tuple of arguments"
            )
    else:
        inputs = drawn(words.shape or [SHAPE] * arguments_of(function, words.function), words.seed)
    return check(
        function,
        *inputs,
        backend=backend,
        modes=words.mode,
        twin=twin,
        seed=words.seed,
        scripts=not words.no_scripts,
    )


def found(word: str, option: str) -> Any:
    """Import what `module:name` names; the current directory is looked at first."""
    module, colon, name = word.partition(":")
    if not (module and colon and name):
        raise OptionError(f"{option} {word}: write module:name")
    here = os.getcwd()  # noqa: PTH109 - an entry of sys.path is a text
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        value = import_module(module)
    except ModuleNotFoundError as error:
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise OptionError(f"{option} {word}: there is no module {error.name} here") from None
        raise OptionError(f"{option} {word}: {in_a_line(error)}; install what it needs") from None
    except BaseException as error:
        raise OptionError(
            f"{option} {word}: cannot be imported ({in_a_line(error)}); mend it"
        ) from error
    for part in name.split("."):
        if not hasattr(value, part):
            raise OptionError(f"{option} {word}: {module} has no {name}; name what is there")
        value = getattr(value, part)
    return value


def called(function: Callable[[], Any], option: str) -> Any:
    """Call what makes inputs."""
    try:
        return function()
    except Exception as error:
        raise OptionError(f"{option}: making inputs raises {in_a_line(error)}; mend it") from error


def arguments_of(function: Any, word: str) -> int:
    """Count the arguments that a function needs; raises OptionError if it does not say."""
    forward = getattr(function, "forward", None)
    by_hand = isinstance(function, type) or isinstance(getattr(function, "__self__", None), type)
    if by_hand and forward is None:
        forward = getattr(function.__self__, "forward", None)
    try:
        signature = inspect.signature(function if forward is None else forward)
    except (TypeError, ValueError):
        raise OptionError(
            f"{word} does not say how many arguments it takes: give --shape for each"
        ) from None
    needed = [
        p
        for p in signature.parameters.values()
        if p.default is p.empty and p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}
    ]
    # The first argument of a forward written by hand is where it keeps things.
    count = len(needed) - (by_hand and not _sets_up_elsewhere(function))
    if not count:
        raise OptionError(f"{word} needs no argument: give --shape for each that it takes")
    return count


def _sets_up_elsewhere(function: Any) -> bool:
    """Whether what is kept is not forward's own affair: one base class has a form of both."""
    bases = (function if isinstance(function, type) else function.__self__).__mro__
    nearest = {
        name: next((n for n, base in enumerate(bases) if name in vars(base)), len(bases))
        for name in ("forward", "setup_context")
    }
    return nearest["setup_context"] <= nearest["forward"] < len(bases)


def drawn(shapes: Iterable[tuple[int, ...]], seed: int) -> list[Any]:
    """Draw arrays of different numbers, none of them near zero."""
    chance = np.random.default_rng(seed)
    made = []
    for shape in shapes:
        count = int(np.prod(shape))
        sizes = 0.5 + chance.permutation(count) / 4 + chance.integers(0, 8, count) / 64
        made.append((sizes * chance.choice([-1.0, 1.0], count)).reshape(shape))
    return made
