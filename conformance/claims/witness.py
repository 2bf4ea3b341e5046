"""Witnesses: the values of one example, written down as TOML and read back.

Numbers, texts and truth values stand for themselves; the rest is a table:

    { array = [[1.0, 2.0]] }                                  an array of float64
    { array = [1, 2], dtype = "int64" }                       of another dtype
    { array = [1.0, nan], imaginary = [0.5, inf] }            of complex128
    { array = [], shape = [0, 3] }                            an empty one
    { array = [1.0], shape = [2, 2], strides = [0, 0] }       in memory of its own, in elements
    { literal = "(1, None)" }                                 a literal of Python
    { slice = "1::2" }                                        a slice
    { tuple = [{ array = [1.0] }, 2] }                        a tuple, or a list, of such values
    { record = "indices.Scatter", dim = 0, ... }              a record of gradspec's strategies

A call of an operation, which the entry names beside its claim, is a table as well:

    tensors = [{ array = [[1.0, 2.0], [3.0, 4.0]] }]          what may be differentiated by
    options = [1, { literal = "None" }]                       what follows the tensors, if anything
    named = { keepdim = true }                                what is given by name
    weights = [2.0, -1.0, "...", 0.5]                         see below; left out, they are ones
    which = 1                                                 which result, counting round from 0

`weights` are numbers that go round: a cotangent is filled with them from the first on, tangents
from the last on. There are 17; those that nothing is filled with are written as "...", and ones.

Two kinds of calls have names instead. Kinks, cuts and grids of points stand in gradspec's tables:
"prod([0, 2, 3])", "+0", "far:". And a call of more than some hundred numbers, which nobody would
read, is named by its corner, which says sizes and layouts, and by the bytes it is drawn from:
"long-2304 contiguous:5f82...". Such a name becomes another call once bytes are read otherwise.
(Small calls were named like that too, and these names are still read.)

What is none of these (a function, say) has no witness; an entry says `search = true`.
"""

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from itertools import groupby
from math import prod
from textwrap import TextWrapper
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.layout import layout_of
from ..table.arguments import Arguments, Told
from ..table.call import Call
from ..table.operation import WEIGHTS

Array = npt.NDArray[Any]
FIELDS = {"array", "imaginary", "dtype", "shape", "strides", "offset"}
NUMBERS = {"array", "imaginary", "dtype"}
CALL = {"tensors", "options", "named", "weights", "which"}
KINDS = "fiubc"
"""Kinds of dtypes that are written."""

UNUSED = "..."
"""What stands for weights that nothing is filled with."""

WIDTH = 96
"""Characters of a line of a call."""

SHORT = 32
"""Characters of a list that stays in one line."""

FIRM = "\0"
"""A space at which no line ends, while lines are made."""

LINES = TextWrapper(WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)

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
    except Exception:  # of a call, whatever the operation raises of it
        return None


def decode(witness: Mapping[str, Any]) -> dict[str, Any]:
    """Read the values of an example; raises ValueError for what is no witness.

    How one is written, `expectations.schema.json` says; whether it makes sense shows here.
    """
    return _each(witness, lambda value: _read_call(value) if is_call(value) else _read(value))


def is_call(value: Any) -> bool:
    """Whether a value of a witness is a call that is written as what it is."""
    return isinstance(value, Mapping) and "tensors" in value and "record" not in value


def in_toml(witness: Mapping[str, Any], table: str) -> str:
    """Write the calls of a witness as TOML, each in a table below the one of this name."""
    calls = {name: call for name, call in witness.items() if is_call(call)}
    return "".join(f"\n[{table}.{name}]\n{_in_lines(call)}" for name, call in calls.items())


def _in_lines(call: Mapping[str, Any]) -> str:
    fields: dict[str, Any] = {}
    for key, value in call.items():
        long = isinstance(value, Mapping) and len(key + _inline(value)) > WIDTH - len(" = ")
        fields |= {f"{key}.{name}": each for name, each in value.items()} if long else {key: value}
    return "".join(f"{_broken(key, value)}\n" for key, value in fields.items())


def _broken(key: str, value: Any) -> str:
    for short in (SHORT, 0):
        text = f"{key}{FIRM}={FIRM}{_inline(value, short)}"
        # What fits into a line needs no breaking, which takes longer than all the rest.
        text = (text if len(text) <= WIDTH else LINES.fill(text)).replace(FIRM, " ")
        if max(map(len, text.splitlines())) <= WIDTH:
            break
    return text


def _inline(value: Any, short: int = SHORT) -> str:
    """Write a value in one line of TOML, with plain spaces where it may be broken.

    Lists are not to be broken that are as `short`.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        return text.replace(" ", FIRM)
    if isinstance(value, Mapping):
        fields = (f"{key}{FIRM}={FIRM}{_inline(each, short)}" for key, each in value.items())
        # A table stands in one line, but for the lists in it.
        return f"{{{FIRM}{f',{FIRM}'.join(fields)}{FIRM}}}"
    if isinstance(value, list):
        text = f"[{', '.join(_inline(each, short) for each in value)}]"
        return text if len(text) > short else text.replace(" ", FIRM)
    return repr(value)


def _each(values: Mapping[str, Any], read: Callable[[Any], Any]) -> dict[str, Any]:
    found = {}
    for name, value in values.items():
        try:
            found[name] = read(value)
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise ValueError(f"the witness of {name}: {error}") from None
    return found


def _written(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _written_array(value)
    if type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Call):
        return value.name if value.is_named else _written_call(value)
    if isinstance(value, slice):
        return {"slice": ":".join(_bound(x) for x in (value.start, value.stop, value.step))}
    if is_dataclass(value) and type(value).__module__.startswith(RECORDS):
        name = f"{type(value).__module__.removeprefix(RECORDS)}.{type(value).__name__}"
        own = {each.name: _written(getattr(value, each.name)) for each in fields(value)}
        return {"record": name, **own}
    # Sets have no order to be written in, and what prints like a literal need not be one.
    if value is Ellipsis:
        return {"literal": "..."}
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


def _bound(bound: int | None) -> str:
    return "" if bound is None else str(bound)


def _written_call(call: Call) -> dict[str, Any]:
    given = call.arguments
    fields: dict[str, Any] = {"tensors": [*map(_written, given.tensors)]}
    fields |= {"options": [*map(_written, given.options)]} if given.options else {}
    fields |= {"named": {k: _written(v) for k, v in given.named.items()}} if given.named else {}
    weights = _written_weights(call)
    fields |= {"weights": weights} if weights else {}
    return fields | ({"which": call.which} if call.which else {})


def _written_weights(call: Call) -> list[Any]:
    """Write the weights without the longest gap of unused ones; nothing if the others are ones."""
    used = call.weighing
    weights = np.where(used, call.weights, 1.0)
    if (weights == 1).all():
        return []
    gaps = [[*run] for in_use, run in groupby(range(len(used)), used.__getitem__) if not in_use]
    if not gaps:
        return [*weights.tolist()]
    gap = max(gaps, key=len)
    return [*weights[: gap[0]].tolist(), UNUSED, *weights[gap[-1] + 1 :].tolist()]


def _written_array(array: Array) -> dict[str, Any]:
    if array.dtype.kind not in KINDS:
        raise TypeError(f"{array.dtype} cannot be written")
    memory, shape, strides, offset = layout_of(array)
    plain = np.empty(array.size, array.dtype).reshape(shape)
    own = memory.size != array.size or array.strides != plain.strides
    numbers = np.atleast_1d(array) if array.size and not own else memory
    fields: dict[str, Any] = {"array": numbers.real.tolist()}
    if array.dtype.kind == "c":
        fields["imaginary"] = numbers.imag.tolist()
    if array.dtype not in (np.float64, np.complex128):
        fields["dtype"] = array.dtype.name
    if own or array.ndim == 0 or array.size == 0:
        fields["shape"] = list(shape)
    if own:
        fields["strides"] = list(strides)
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
    if value.keys() == {"slice"}:
        return _read_slice(value["slice"])
    if "record" in value:
        return _read_record(**value)
    if len(value) == 1 and (make := SEQUENCES.get(next(iter(value)))):
        (entries,) = value.values()
        return make(map(_read, entries))
    if "array" not in value or value.keys() - FIELDS:
        raise ValueError(
            "a witness value is a plain one, { array = [...] }, or a table with literal, slice, "
            "tuple, list or record"
        )
    memory = _read_numbers(**{name: value[name] for name in value.keys() & NUMBERS})
    shape = value.get("shape")
    if "strides" not in value:
        return memory if shape is None else memory.reshape(shape)
    if shape is None:
        raise ValueError("a witness array with strides has a shape too")
    return _laid_out(memory, tuple(shape), tuple(value["strides"]), value.get("offset", 0))


def _read_numbers(array: Any, imaginary: Any = None, dtype: Any = None) -> Array:
    if dtype is None:
        dtype = "float64" if imaginary is None else "complex128"
    made = np.dtype(dtype)
    if made.kind not in KINDS:
        raise ValueError(f"{made.name:.60} is no dtype of numbers")
    if (made.kind == "c") != (imaginary is not None):
        raise ValueError("an array has imaginary parts if it is one of complex numbers")
    with np.errstate(over="raise"):
        if imaginary is None:
            return np.array(array, made)
        parts = [np.array(part, np.empty(0, made).real.dtype) for part in (array, imaginary)]
    if parts[0].shape != parts[1].shape:
        raise ValueError("an array of complex numbers has as many imaginary parts as real ones")
    memory = np.empty(parts[0].shape, made)
    memory.real, memory.imag = parts
    return memory


def _read_slice(text: Any) -> slice:
    bounds = [int(each) if each else None for each in str(text).split(":")]
    _see_numbers(bounds)
    if not 2 <= len(bounds) <= 3:
        raise ValueError(f"{text!r:.60} is no slice")
    return slice(*bounds)


def _read_call(call: Mapping[str, Any]) -> Told:
    """Read a call; of which operation it is, and whether that takes it, shows later."""
    if unknown := call.keys() - CALL:
        raise ValueError(f"a call has {', '.join(sorted(CALL))}, and no {', '.join(unknown)!r:.60}")
    tensors = tuple(map(_read, call["tensors"]))
    if not tensors or not all(isinstance(each, np.ndarray) for each in tensors):
        raise ValueError("the tensors of a call are arrays, at least one")
    which = call.get("which", 0)
    if type(which) is not int or not 0 <= which < 256:
        raise ValueError("the number of a result is one from 0 to 255, counting round")
    named = _each(call.get("named", {}), _read)
    options = call.get("options", [])
    if not isinstance(options, list):
        raise TypeError("the options of a call are a list")
    arguments = Arguments(tensors, tuple(map(_read, options)), named)
    return Told(arguments, _read_weights(call.get("weights", [UNUSED])), which)


def _read_weights(told: Any) -> Array:
    if not isinstance(told, list) or told.count(UNUSED) > 1:
        raise ValueError(f"weights are a list of numbers, with {UNUSED!r} once at the most")
    if UNUSED in told:
        gap = told.index(UNUSED)
        told = [*told[:gap], *[1.0] * (WEIGHTS + 1 - len(told)), *told[gap + 1 :]]
    if not all(type(each) in (int, float) for each in told):
        raise ValueError("weights are numbers")
    weights = np.array(told, np.float64)
    if len(weights) != WEIGHTS or not np.isfinite(weights).all():
        raise ValueError(f"weights are {WEIGHTS} finite numbers, or less and {UNUSED!r}")
    return weights


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
        return made(**_each(values, _read))
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
    inside = 0 in shape or 0 <= first <= last < memory.size
    if memory.ndim != 1 or min(shape, default=1) < 0 or not inside:
        raise ValueError("a witness array does not lie in its memory")
    places = [stride * memory.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(memory[offset:], shape, places)
