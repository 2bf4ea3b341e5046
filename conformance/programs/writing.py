"""Statements that overwrite a tensor in place, through whatever view it is."""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

import operator
from collections.abc import Callable, Mapping
from typing import Any

from . import keys
from .forms import as_method, numbers, template
from .indexing import bind_scattered, bools, mask, scattered, scattered_text
from .language import Kind, Statement
from .reading import TRACKED, Reader, broadcast

ARITHMETIC = "add_ sub_ mul_ div_"
UNARY = "neg_ exp_ sin_ tanh_ sigmoid_ relu_ zero_"
NUMBERS = (2, -1, 3, 0)


def _arithmetic(name: str, weight: int) -> Kind:
    """Make the kind of x op= y."""

    def read(d: Reader) -> Statement | None:
        x = d.target()
        if x < 0:
            return None
        y = d.source(x)
        if y < 0:
            return None
        if name != "copy_" and d.chance(6):
            y = x  # one tensor in two places
        d.wrote(x, y)
        if name in {"mul_", "div_"}:
            d.saves(y)
        return Statement(name, (x, y))

    bind = _bind_copied if name == "copy_" else _bind_written(name)
    return Kind(name, read, bind, as_method(name), (name, "inplace"), weight)


def _bind_written(name: str) -> Any:
    def bind(b: Any) -> Any:
        function = b.functions[name]
        return lambda m, x, o: m.same(x[0], function(x[0], m.apart(*x)))

    return bind


def _bind_copied(b: Any) -> Any:
    copy_ = b.functions["copy_"]
    # A tensor that is copied to itself need not be written at all.
    return lambda m, x, o: m.same(x[0], copy_(x[0], _tensor(m, x, o)))


def _writes(name: str) -> Any:
    """Call the function of this name, which returns what it has written."""

    def bind(b: Any) -> Any:
        function = b.functions[name]
        return lambda m, x, o: m.same(x[0], function(x[0], *o))

    return bind


SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
}


def _augmented(d: Reader) -> Statement | None:
    x = d.target()
    if x < 0:
        return None
    y = d.source(x)
    if y < 0:
        return None
    sign = d.pick((*SIGNS,))
    d.wrote(x, y)
    if sign == "*=":
        d.saves(y)
    return Statement("augmented", (x, y), (sign,))


def _bind_augmented(b: Any) -> Any:
    return lambda m, x, o: m.same(x[0], SIGNS[o[0]](x[0], m.apart(*x)))


def _by_number(name: str) -> Kind:
    """Make the kind of x op= a number."""
    told = f"{name}number"

    def read(d: Reader) -> Statement | None:
        x = d.target()
        if x < 0:
            return None
        d.wrote(x)
        return Statement(told, (x,), (d.pick(NUMBERS[:2] if name == "div_" else NUMBERS),))

    return Kind(told, read, _writes(name), as_method(name), (name, "inplace"), 3)


def _unary(name: str) -> Kind:
    """Make the kind of a function that overwrites its argument."""

    def read(d: Reader) -> Statement | None:
        x = d.target()
        if x < 0:
            return None
        d.wrote(x)
        if name not in {"neg_", "zero_", "sin_"}:
            d.saves(x)
        return Statement(name, (x,))

    return Kind(name, read, _writes(name), as_method(name), (name, "inplace"), 2)


def _clamp(d: Reader) -> Statement | None:
    x = d.target()
    if x < 0:
        return None
    d.wrote(x)
    return Statement("clamp_", (x,), (-1, d.pick((2, 1, 0))))


def _turned(name: str) -> Kind:
    """Make the kind of a change of shape in place."""

    def read(d: Reader) -> Statement | None:
        x = d.target((lambda s: len(s) <= 2) if name == "t_" else None)
        if x < 0 or not (d.recording or not d.marks[x] & TRACKED):
            return None
        shape = d.shapes[x]
        options: tuple[int, ...] = ()
        if name == "t_":
            d.shapes[x] = shape[::-1]
        elif name == "squeeze_":
            d.shapes[x] = tuple(n for n in shape if n != 1)
        else:
            options = (d.byte() % (len(shape) + 1),)
            d.shapes[x] = (*shape[: options[0]], 1, *shape[options[0] :])
        return Statement(name, (x,), options)

    return Kind(name, read, _bind_turned(name), as_method(name), (name, "inplace"), 2)


def _bind_turned(name: str) -> Any:
    def bind(b: Any) -> Any:
        function, requires_grad, recording = b.functions[name], b.requires_grad, b.is_grad_enabled

        def run(m: Any, x: Any, o: Any) -> None:
            # What becomes of a history whose tensor has got another shape unseen is said nowhere,
            # nor what becomes of a gradient of the former shape, of hooks that saw it, or of what
            # was packed as it was.
            tracked = requires_grad(x[0])
            if m.packs_as_is or (m.retains(x[0]) if tracked else b.grad(x[0]) is not None):
                return
            if m.has_hooks(x[0]):
                return
            if recording() or not tracked:
                m.same(x[0], function(x[0], *o))

        return run

    return bind


def _fill(d: Reader) -> Statement | None:
    x = d.target()
    y = d.operand(lambda s: not s)
    if x < 0 or y < 0:
        return None
    d.wrote(x, y)
    return Statement("fill_", (x, y))


def _set_number(d: Reader) -> Statement | None:
    x = d.target()
    if x < 0:
        return None
    d.wrote(x)
    return Statement("set_number", (x,), (keys.read(d, d.shapes[x]), d.pick(NUMBERS)))


def _set_tensor(d: Reader) -> Statement | None:
    x = d.target()
    if x < 0:
        return None
    key = keys.read(d, d.shapes[x])
    shape = keys.shape_of(key, d.shapes[x])
    y = d.operand(lambda s: broadcast(s, shape) == shape)
    if y < 0:
        return None
    d.wrote(x, y)
    return Statement("set_tensor", (x, y), (key,))


def _set_mask_number(d: Reader) -> Statement | None:
    x = d.target()
    if x < 0:
        return None
    d.wrote(x)
    shape = d.shapes[x]
    return Statement("set_mask_number", (x,), (mask(d, shape), shape, d.pick(NUMBERS)))


def _set_mask_tensor(d: Reader) -> Statement | None:
    x = d.target()
    if x < 0:
        return None
    shape = d.shapes[x]
    chosen = mask(d, shape)
    y = d.operand(lambda s: s in ((), (1,), (sum(chosen),)))
    if y < 0:
        return None
    d.wrote(x, y)
    return Statement("set_mask_tensor", (x, y), (chosen, shape))


def _set_mixed(d: Reader) -> Statement | None:
    x = d.target(lambda s: len(s) > 0 and 0 not in s)
    if x < 0:
        return None
    shape = d.shapes[x]
    key = keys.mixed(d, shape)
    if not keys.names_each_once(key, shape):  # which of two writes to one entry stays is no promise
        return None
    selected = keys.places_of(key, shape).shape
    y = d.operand(lambda s: broadcast(s, selected) == selected)
    if y < 0:
        return None
    d.wrote(x, y)
    return Statement("set_mixed", (x, y), (key,))


def _set_rows(d: Reader) -> Statement | None:
    x = d.target(lambda s: len(s) > 0 and s[0] > 0)
    if x < 0:
        return None
    shape = d.shapes[x]
    first, count = d.byte(), 1 + d.byte() % 2
    rows = tuple((first + 3 * i) % shape[0] for i in range(count))
    if len(set(rows)) < count:  # which of two writes to one row stays is no promise
        rows = rows[:1]
    selected = (len(rows), *shape[1:])
    y = d.operand(lambda s: broadcast(s, selected) == selected)
    if y < 0:
        return None
    d.wrote(x, y)
    return Statement("set_rows", (x, y), (rows,))


def _out(d: Reader) -> Statement | None:
    x = d.operand()
    y = d.partner(x)
    shape = broadcast(d.shapes[x], d.shapes[y])
    if shape is None:
        return None
    into = d.operand(lambda s: s == shape)
    if into < 0:
        return None
    return Statement("out", (x, y, into), (d.pick(("add", "mul")),))


def _bind_out(b: Any) -> Any:
    table = {name: b.functions[name] for name in ("add", "mul")}

    def run(m: Any, x: Any, o: Any) -> None:
        table[o[0]](x[0], x[1], out=x[2])

    return run


def _run_set(key: Any, value: Any) -> Any:
    def bind(b: Any) -> Any:
        setitem = b.setitem

        def run(m: Any, x: Any, o: Any) -> None:
            setitem(x[0], key(b, m, o), value(m, x, o))

        return run

    return bind


def _basic(b: Any, m: Any, o: Any) -> Any:
    return keys.made(o[0])


def _by_mask(b: Any, m: Any, o: Any) -> Any:
    return b.tensor(numbers(o[0], o[1], bool), "bool", m.table.device)


def _by_arrays(b: Any, m: Any, o: Any) -> Any:
    return keys.with_tensors(b, m, o[0])


def _by_rows(b: Any, m: Any, o: Any) -> Any:
    return b.tensor(numbers(o[0], (-1,)), "int64", m.table.device)


def _tensor(m: Any, x: Any, o: Any) -> Any:
    return m.table.clone(x[1]) if x[1] is x[0] else m.apart(x[0], x[1])


def _told(m: Any, x: Any, o: Any) -> Any:
    return o[-1]


def _set_text(key: Any, value: Any) -> Any:
    return lambda n, o: f"{n[0]}[{key(o)}] = {value(n, o)}"


def _key_text(o: Any) -> str:
    return keys.text(o[0])


def _mask_text(o: Any) -> str:
    return bools(*o[:2])


def _rows_text(o: Any) -> str:
    return f"torch.tensor({list(o[0])})"


def _told_text(n: Any, o: Any) -> str:
    return str(o[-1])


def _operand_text(n: Any, o: Any) -> str:
    return str(n[1])


def _setting(name: str, read: Any, key: Any, value: Any, text: Any, weight: int) -> Kind:
    return Kind(name, read, _run_set(key, value), text, ("inplace", "getitem"), weight)


_MASK_NUMBER = _set_text(_mask_text, _told_text)
_MASK_TENSOR = _set_text(_mask_text, _operand_text)

KINDS = (
    *(_arithmetic(name, 8) for name in ARITHMETIC.split()[:3]),
    _arithmetic("div_", 2),
    _arithmetic("copy_", 6),
    *map(_by_number, ("add_", "mul_", "sub_", "div_", "fill_")),
    *map(_unary, UNARY.split()),
    Kind("augmented", _augmented, _bind_augmented, template("{0} {a} {1}"), ("inplace",), 4),
    Kind("clamp_", _clamp, _writes("clamp_"), as_method("clamp_"), ("clamp_", "inplace"), 2),
    Kind("fill_", _fill, _bind_written("fill_"), as_method("fill_"), ("fill_", "inplace"), 4),
    *map(_turned, ("t_", "squeeze_", "unsqueeze_")),
    _setting("set_number", _set_number, _basic, _told, _set_text(_key_text, _told_text), 4),
    _setting("set_tensor", _set_tensor, _basic, _tensor, _set_text(_key_text, _operand_text), 10),
    _setting("set_mask_number", _set_mask_number, _by_mask, _told, _MASK_NUMBER, 3),
    _setting("set_mask_tensor", _set_mask_tensor, _by_mask, _tensor, _MASK_TENSOR, 4),
    _setting("set_mixed", _set_mixed, _by_arrays, _tensor, _set_text(_key_text, _operand_text), 2),
    _setting("set_rows", _set_rows, _by_rows, _tensor, _set_text(_rows_text, _operand_text), 4),
    Kind(
        "scatter_", scattered("scatter_", inplace=True, dense=True), bind_scattered("scatter_"),
        scattered_text("scatter_"), ("scatter_", "inplace"), 2,
    ),
    Kind(
        "scatter_add_", scattered("scatter_add_", inplace=True, dense=False),
        bind_scattered("scatter_add_"), scattered_text("scatter_add_"),
        ("scatter_add_", "inplace"), 3,
    ),
    Kind("out", _out, _bind_out, template("torch.{a}({0}, {1}, out={2})"), ("out",), 2),
)  # fmt: skip
