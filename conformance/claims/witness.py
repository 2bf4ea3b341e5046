"""Witnesses: the values of one example, written down as TOML and read back.

Numbers, texts and truth values stand for themselves, and a call of an operation by its name; the
rest is a table:

    { array = [[1.0, 2.0]] }                                  an array of float64
    { array = [1, 2], dtype = "int64" }                       of another dtype
    { array = [], shape = [0, 3] }                            an empty one
    { array = [1.0], shape = [2, 2], strides = [0, 0] }       in memory of its own, in elements
    { literal = "(1, None)" }                                 a literal of Python
    { tuple = [{ array = [1.0] }, 2] }                        a tuple, or a list, of such values
    { record = "indices.Scatter", dim = 0, ... }              a record of gradspec's strategies

What is none of these (a function, say) has no witness; an entry says `search = true`.
"""

import ast
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.layout import layout_of
from ..table.operation import Call

Array = npt.NDArray[Any]
FIELDS = {"array", "dtype", "shape", "strides", "offset"}
SEQUENCES = {"tuple": tuple, "list": list}
RECORDS = "gradspec.conformance.strategies."
"""The modules that records come from."""

LARGEST = 2**128
"""More than any integer that claims draw."""

ENTRIES = 10**6
"""More than an array has that claims draw: with strides of 0 a few numbers make one of any size."""


def encode(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """Write down the values of an example, or None if one of them cannot be."""
    try:
        return {name: _written(value) for name, value in values.items()}
    except (TypeError, ValueError, SyntaxError):
        return None


def decode(witness: Mapping[str, Any]) -> dict[str, Any]:
    """Read the values of an example; raises ValueError for what is no witness.

    How one is written, `expectations.schema.json` says; whether it makes sense shows here.
    """
    found = {}
    for name, value in witness.items():
        try:
            found[name] = _read(value)
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"the witness of {name}: {error}") from None
    return found


def _written(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _written_array(value)
    if type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Call):
        return value.name
    if is_dataclass(value) and type(value).__module__.startswith(RECORDS):
        name = f"{type(value).__module__.removeprefix(RECORDS)}.{type(value).__name__}"
        own = {each.name: _written(getattr(value, each.name)) for each in fields(value)}
        return {"record": name, **own}
    # Sets have no order to be written in, and what prints like a literal need not be one.
    if type(value) in (tuple, list, dict, type(None)) and _is_literal(value):
        return {"literal": repr(value)}
    if type(value) in (tuple, list):
        return {type(value).__name__: [_written(each) for each in value]}
    raise TypeError(f"{value!r} cannot be written")


def _is_literal(value: Any) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False


def _written_array(array: Array) -> dict[str, Any]:
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{array.dtype} cannot be written")
    fields: dict[str, Any] = {"array": array.tolist() if array.ndim else [array.item()]}
    if array.dtype != np.float64:
        fields["dtype"] = array.dtype.name
    if array.ndim == 0 or array.size == 0:
        fields["shape"] = list(array.shape)
    elif not array.flags.c_contiguous:
        memory, shape, strides, offset = layout_of(array)
        fields |= {"array": memory.tolist(), "shape": list(shape), "strides": list(strides)}
        fields |= {"offset": offset} if offset else {}
    return fields


def _read(value: Any) -> Any:
    if not isinstance(value, Mapping):
        _see_numbers(value)
        return value
    if value.keys() == {"literal"} and isinstance(value["literal"], str):
        try:
            found = ast.literal_eval(value["literal"])
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            raise ValueError(f"{value['literal']!r:.60} is no literal") from None
        _see_numbers(found)
        return found
    if "record" in value:
        return _read_record(**value)
    if len(value) == 1 and (make := SEQUENCES.get(next(iter(value)))):
        (entries,) = value.values()
        return make(map(_read, entries))
    if "array" not in value or value.keys() - FIELDS:
        raise ValueError(
            "a witness value is a plain one, { array = [...] }, or a table with literal, tuple, "
            "list or record"
        )
    with np.errstate(over="raise"):
        memory = np.array(value["array"], np.dtype(value.get("dtype", "float64")))
    shape = value.get("shape")
    if "strides" not in value:
        return memory if shape is None else memory.reshape(shape)
    if shape is None:
        raise ValueError("a witness array with strides has a shape too")
    return _laid_out(memory, tuple(shape), tuple(value["strides"]), value.get("offset", 0))


def _see_numbers(value: Any) -> None:
    if isinstance(value, int) and abs(value) >= LARGEST:
        raise ValueError("an integer is larger than any number that claims draw")
    if isinstance(value, Mapping):
        _see_numbers([*value, *value.values()])
    elif isinstance(value, tuple | list | set):
        for entry in value:
            _see_numbers(entry)


def _read_record(record: str, **values: Any) -> Any:
    module, _, name = record.partition(".")
    try:
        made = getattr(import_module(RECORDS + module), name, None)
    except ImportError:
        made = None
    if isinstance(made, type) and is_dataclass(made) and made.__module__ == RECORDS + module:
        return made(**decode(values))
    raise ValueError(f"{record!r} is no record that claims draw")


def _laid_out(
    memory: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> Array:
    """Lay an array over `memory`; raises ValueError if it would reach beyond."""
    if prod(shape) > ENTRIES:
        raise ValueError(f"a witness array has {prod(shape)} entries, more than any")
    steps = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    first = offset + sum(min(step, 0) for step in steps)
    last = offset + sum(max(step, 0) for step in steps)
    if memory.ndim != 1 or min(shape) < 1 or not 0 <= first <= last < memory.size:
        raise ValueError("a witness array does not lie in its memory")
    places = [stride * memory.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(memory[offset:], shape, places)
