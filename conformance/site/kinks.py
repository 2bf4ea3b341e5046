"""Kinks of an operation: its value and its slope beside the point, and what libraries answer."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from ..results.standings import Standing
from ..table import TABLE
from ..table.arguments import Arguments
from ..table.generalized import AtKink, Kink
from ..table.kinks import KINKS
from ..table.operation import Operation
from . import addresses
from .material import Material
from .pages import short

STEPS = np.linspace(0.02, 1.0, 25)
"""How far from the kink curves are looked at, on either side."""

HIGHEST = 8.0
"""A curve is left out where it runs away further than this."""

WORDS = {"nan": "NaN", "inf": "Infinity", "'none'": "null"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"

Curve = list[list[float]]


def kinks_of(material: Material, name: str) -> list[dict[str, Any]]:
    """Return what is to be told of every kink of an operation."""
    operations = {operation.name: operation for operation in TABLE}
    return [_kink(material, kink, operations[name]) for kink in KINKS if kink.operation == name]


def _kink(material: Material, kink: Kink, operation: Operation) -> dict[str, Any]:
    drawn, tensor, at = _drawn(kink, operation)
    return {**drawn, "answers": [*_answers(material, drawn["name"], tensor, at)]}


@cache
def _drawn(kink: Kink, operation: Operation) -> tuple[dict[str, Any], int, int]:
    """Return what no result changes: the curves along one entry of one tensor, and which."""
    call = kink.of(operation)
    entries = [(i, j) for i, x in enumerate(call.tensors) for j in range(x.size)]
    drawn = [(entry, *_curves(call, *entry)) for entry in entries]
    # Along the entry where the slope breaks most, of those along which most is defined.
    (tensor, at), value, slope = max(drawn, key=lambda one: (_extent(one[1]), _break(one[2])))
    told = {
        "name": call.name,
        "open": kink.open,
        "along": _along(call, tensor, at),
        "point": float(call.tensors[tensor].reshape(-1)[at]),
        "value": value,
        "slope": slope,
    }
    return told, tensor, at


def _along(call: AtKink, tensor: int, at: int) -> str:
    """Say which entry of which argument moves."""
    argument = f"argument {tensor + 1}" if len(call.tensors) > 1 else "the argument"
    return argument if call.tensors[tensor].ndim == 0 else f"entry {at} of {argument}"


def _curves(call: AtKink, tensor: int, at: int) -> tuple[list[Curve], list[Curve]]:
    """Return value and slope on the left and on the right."""
    sides = [-STEPS[::-1], STEPS]
    points = [[_beside(call, tensor, at, step) for step in side] for side in sides]
    here = [(x, value) for x, value, _ in [_beside(call, tensor, at, 0.0)]]
    left, right = ([(x, value) for x, value, _ in side] for side in points)
    value = [_kept(left + here), _kept(here + right)]
    return value, [_kept([(x, slope) for x, _, slope in side]) for side in points]


def _beside(call: AtKink, tensor: int, at: int, step: float) -> tuple[float, float, float]:
    tensors = [x.copy() for x in call.tensors]
    tensors[tensor].reshape(-1)[at] += step
    arguments = Arguments(tuple(tensors), call.arguments.options, call.arguments.named)
    moved = AtKink(call.operation, arguments, call.weights, name=call.name)
    with np.errstate(all="ignore"):
        value = float((moved.cotangent * moved.result).sum())
        slope = float(moved.gradients()[tensor].value.reshape(-1)[at])
    return float(tensors[tensor].reshape(-1)[at]), value, slope


def _kept(points: list[tuple[float, float]]) -> Curve:
    return [[round(x, 4), round(y, 4)] for x, y in points if abs(y) <= HIGHEST]


def _extent(sides: list[Curve]) -> int:
    return sum(map(len, sides))


def _break(sides: list[Curve]) -> float:
    left, right = sides
    return abs(left[-1][1] - right[0][1]) if left and right else 0.0


# ---- what libraries answer -----------------------------------------------------------------------


def answered(material: Material, kink: str) -> Mapping[str, list[Standing]]:
    """Return the answers at a kink, each with the libraries that give it."""
    found: dict[str, list[Standing]] = {}
    for one in material.libraries:
        if kink in one.answers:
            found.setdefault(one.answers[kink], []).append(one)
    return found


def _answers(material: Material, kink: str, tensor: int, at: int) -> Iterator[dict[str, Any]]:
    for n, (answer, libraries) in enumerate(answered(material, kink).items()):
        yield {
            "letter": LETTERS[n % len(LETTERS)],
            "gradient": short(answer),
            "at": entry_of(answer, tensor, at),
            "libraries": [
                {"text": short(one.library), "address": addresses.library(one.library)}
                for one in libraries
            ],
        }


def entry_of(answer: str, tensor: int, at: int) -> float | str | None:
    """Read one entry of the gradients that a verdict tells: nan and infinities are texts.

    None is what cannot be read, or is not there.
    """
    text = re.sub("|".join(map(re.escape, WORDS)), lambda word: WORDS[word[0]], answer)
    try:
        gradient = json.loads(text)[tensor]
        if gradient is None:
            return None
        number = float(np.asarray(gradient, np.float64).reshape(-1)[at])
    except (ValueError, TypeError, IndexError, KeyError, RecursionError, OverflowError):
        return None
    return round(number, 6) if np.isfinite(number) else str(number)
