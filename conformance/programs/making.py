"""Statements that make tensors: leaves, constants, and operations that write into nothing."""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

from typing import Any

from . import indexing
from .forms import (
    Read,
    as_float,
    as_function,
    as_method,
    calls,
    numbers,
    same_shape,
    template,
)
from .indexing import bools, mask
from .language import Kind, Shape, Statement
from .reading import OVERLAP, TRACKED, Reader, broadcast, without

SHAPES: tuple[Shape, ...] = (
    (2, 3), (3,), (2,), (), (3, 2), (1, 3), (2, 1), (1,), (2, 2), (2, 3), (3,), (0,), (2, 1, 3),
)  # fmt: skip
"""The shapes that leaves and constants have."""

UNARY = "neg abs relu sigmoid tanh exp sin sqrt"
"""Functions of one tensor, entry by entry."""

KEEPING = {"abs", "sin", "sqrt"}
"""Those whose gradient is computed from what they were given."""

NUMBERS = (2, -1, 3, 0, 0.5)


def _tensor(name: str) -> Read:
    def read(d: Reader) -> Statement:
        shape = d.pick(SHAPES)
        other = d.chance(24)
        d.made(shape, other, 3 if name == "leaf" else 0)
        return Statement(name, (), (d.entries(shape), shape, other), 1)

    return read


def _tensor_text(n: Any, o: Any) -> str:
    return f"torch.tensor({as_float(*o[:2])}, dtype={'OTHER' if o[2] else 'DTYPE'})"


def _leaf_text(n: Any, o: Any) -> str:
    return _tensor_text(n, o)[:-1] + ", requires_grad=True)"


LAYOUTS = ("turned", "gapped")
"""How the entries of a leaf may lie: with its axes in the other order, or apart."""


def _laid_out(d: Reader) -> Statement:
    shape = d.pick(SHAPES)
    d.made(shape, False, 3)
    return Statement("laid_out_leaf", (), (d.entries(shape), shape, d.pick(LAYOUTS)), 1)


def _bind_laid_out(b: Any) -> Any:
    transpose, getitem, stack = (b.functions[each] for each in ("transpose", "getitem", "stack"))

    def run(m: Any, x: Any, o: Any) -> Any:
        entries, shape, layout = o
        made = m.constant(entries, shape, False)
        if layout == "gapped":
            made = getitem(stack([made, made], -1), (..., 0))
        elif shape:
            made = transpose(m.table.clone(transpose(made, 0, -1)), 0, -1)
        m.laid_out.add(len(m.variables))
        return b.set_requires_grad(b.detach(made), True)

    return run


def _laid_out_text(n: Any, o: Any) -> str:
    made = f"torch.tensor({as_float(*o[:2])}, dtype=DTYPE)"
    if o[2] == "gapped":
        made = f"torch.stack([{made}] * 2, -1)[..., 0]"
    elif o[1]:
        made += ".transpose(0, -1).clone().transpose(0, -1)"
    return f"{made}.detach().requires_grad_()"


def _bind_leaf(b: Any) -> Any:
    return lambda m, x, o: b.set_requires_grad(m.constant(*o), True)


def _factory(name: str) -> Kind:
    def read(d: Reader) -> Statement | None:
        x = d.operand()
        d.made(d.shapes[x], d.other[x])
        return Statement(name, (x,), (d.pick(NUMBERS[:4]),) if name == "full_like" else (), 1)

    return Kind(name, read, calls(name), as_function(name), (name,), 1)


def _unary(name: str) -> Kind:
    def read(d: Reader) -> Statement | None:
        x = d.operand()
        d.result(d.shapes[x], x)
        if name in KEEPING:
            d.saves(x)
        elif name != "neg":
            d.saves(len(d.shapes) - 1)
        return Statement(name, (x,), (), 1)

    return Kind(name, read, calls(name), as_method(name), (name,))


def _contiguous(d: Reader) -> Statement:
    x = d.operand()
    d.view(x, d.shapes[x])
    return Statement("contiguous", (x,), (), 1)


def _binary(name: str, sign: str, weight: int) -> Kind:
    def read(d: Reader) -> Statement:
        x = d.operand()
        y = d.partner(x)
        d.result(broadcast(d.shapes[x], d.shapes[y]) or d.shapes[x], x, y)
        if name not in {"add", "sub"}:
            d.saves(x, y)
        return Statement(name, (x, y), (), 1)

    text = template(f"{{0}} {sign} {{1}}") if sign else as_function(name)
    return Kind(name, read, calls(name), text, (name,), weight)


def _number(name: str, told: str, text: str, choices: tuple[float, ...], weight: int) -> Kind:
    def read(d: Reader) -> Statement:
        x = d.operand()
        d.result(d.shapes[x], x)
        if name in {"pow", "clamp"}:
            d.saves(x)
        options = (d.pick(choices),) if name != "clamp" else (-1, d.pick(choices))
        return Statement(told, (x,), options, 1)

    return Kind(told, read, calls(name), template(text), (name,), weight)


def _where(d: Reader) -> Statement:
    x = d.operand()
    y = d.partner(x)
    shape = broadcast(d.shapes[x], d.shapes[y]) or d.shapes[x]
    d.result(shape, x, y)
    return Statement("where", (x, y), (mask(d, shape), shape), 1)


def _bind_where(b: Any) -> Any:
    where = b.functions["where"]

    def run(m: Any, x: Any, o: Any) -> Any:
        return where(b.tensor(numbers(o[0], o[1], bool), "bool", m.table.device), x[0], x[1])

    return run


def _reduction(name: str, keeps: bool) -> Kind:  # noqa: FBT001
    def read(d: Reader) -> Statement | None:
        x = d.operand(None if name in {"sum", "mean"} else lambda s: 0 not in s)
        if x < 0:
            return None
        shape = d.shapes[x]
        options: tuple[int, ...] = ()
        if shape and d.byte() & 1:
            options = (d.dim(shape),)
        elif name in {"amax", "amin"} and not shape:
            options = (0,)
        d.result(without(shape, options[0]) if options and shape else (), x)
        if keeps:
            d.saves(x)
        return Statement(name, (x,), options, 1)

    return Kind(name, read, calls(name), as_function(name), (name,))


def _along(name: str) -> Kind:
    def read(d: Reader) -> Statement | None:
        x = d.operand(lambda s: len(s) > 0 and 0 not in s)
        if x < 0:
            return None
        d.result(d.shapes[x], x)
        return Statement(name, (x,), (d.dim(d.shapes[x]),), 1)

    return Kind(name, read, calls(name), as_function(name), (name,), 2)


def _matmul(d: Reader) -> Statement | None:
    x = d.operand(lambda s: len(s) == 2)
    if x < 0:
        return None
    a = d.shapes[x]
    y = d.operand(lambda s: len(s) == 2 and s[0] == a[1])
    if y < 0:
        return None
    d.result((a[0], d.shapes[y][1]), x, y)
    d.saves(x, y)
    return Statement("matmul", (x, y), (), 1)


def _stack(d: Reader) -> Statement:
    x = d.operand()
    shape = d.shapes[x]
    y = d.operand(lambda s: s == shape)
    d.result((2, *shape), x, y)
    return Statement("stack", (x, y), (), 1)


def _cat(d: Reader) -> Statement | None:
    x = d.operand(lambda s: len(s) > 0)
    if x < 0:
        return None
    rest = d.shapes[x][1:]
    y = d.operand(lambda s: len(s) > 0 and s[1:] == rest)
    d.result((d.shapes[x][0] + d.shapes[y][0], *rest), x, y)
    return Statement("cat", (x, y), (), 1)


def _bind_joined(name: str) -> Any:
    def bind(b: Any) -> Any:
        join = b.functions[name]
        return lambda m, x, o: join(list(x))

    return bind


def _flip(d: Reader) -> Statement | None:
    x = d.operand(lambda s: len(s) > 0)
    if x < 0:
        return None
    d.result(d.shapes[x], x)
    return Statement("flip", (x,), ((d.dim(d.shapes[x]),),), 1)


def _cast(d: Reader) -> Statement:
    x = max(d.operand(None, 0, OVERLAP), 0)  # how a copy of what overlaps lies is open
    same = d.chance(4)
    if same:
        d.view(x, d.shapes[x])
    else:
        d.result(d.shapes[x], x)
        d.other[-1] = not d.other[x]
    return Statement("cast", (x,), (d.other[-1],), 1)


def _bind_cast(b: Any) -> Any:
    cast = b.functions["cast"]
    return lambda m, x, o: cast(x[0], m.table.other if o[0] else m.table.dtype)


def _chain(d: Reader) -> Statement:
    x = d.operand(None, TRACKED)
    x = max(x, 0)
    d.result(d.shapes[x], x)
    return Statement(
        "chain", (x,), (d.pick((3, 20, 3, 3, 20, 3, 3, 20, 3, 3, 3, 20, 3, 3, 3, 1200)),), 1
    )


def _bind_chain(b: Any) -> Any:
    neg = b.functions["neg"]

    def run(m: Any, x: Any, o: Any) -> Any:
        made = neg(x[0])
        for _ in range(o[0] - 1):
            made = neg(made)
        return made

    return run


KINDS = (
    Kind("leaf", _tensor("leaf"), _bind_leaf, _leaf_text, ("backward",), 12),
    Kind(
        "constant",
        _tensor("constant"),
        lambda b: lambda m, x, o: m.constant(*o),
        _tensor_text,
        (),
        10,
    ),
    Kind(
        "laid_out_leaf",
        _laid_out,
        _bind_laid_out,
        _laid_out_text,
        ("views", "detach", "transpose", "getitem", "stack"),
        2,
    ),
    *map(_factory, ("zeros_like", "full_like")),
    *map(_unary, UNARY.split()),
    Kind("clone", same_shape("clone"), calls("clone"), as_method("clone"), ("clone",)),
    Kind("contiguous", _contiguous, calls("contiguous"), as_method("contiguous"), ("contiguous",)),
    _binary("add", "+", 6),
    _binary("sub", "-", 4),
    _binary("mul", "*", 12),
    _binary("div", "/", 3),
    _binary("maximum", "", 3),
    _binary("minimum", "", 2),
    _number("mul", "times", "{0} * {a}", NUMBERS, 12),
    _number("pow", "power", "{0} ** {a}", (2, 3, 1), 4),
    _number("clamp", "clamp", "{0}.clamp({a}, {b})", (2, 1, 0), 3),
    Kind(
        "where",
        _where,
        _bind_where,
        lambda n, o: f"torch.where({bools(*o)}, {n[0]}, {n[1]})",
        ("where",),
    ),
    _reduction("sum", keeps=False),
    _reduction("mean", keeps=False),
    _reduction("prod", keeps=True),
    _reduction("amax", keeps=True),
    *map(_along, ("softmax", "log_softmax", "cumsum")),
    Kind("matmul", _matmul, calls("matmul"), template("{0} @ {1}"), ("matmul",)),
    Kind("stack", _stack, _bind_joined("stack"), template("torch.stack([{0}, {1}])"), ("stack",)),
    Kind("cat", _cat, _bind_joined("cat"), template("torch.cat([{0}, {1}])"), ("cat",)),
    Kind("flip", _flip, calls("flip"), as_method("flip"), ("flip",)),
    Kind(
        "cast",
        _cast,
        _bind_cast,
        lambda n, o: f"{n[0]}.to({'OTHER' if o[0] else 'DTYPE'})",
        ("cast",),
        3,
    ),
    *indexing.KINDS,
    Kind("chain", _chain, _bind_chain, lambda n, o: f"chain({n[0]}, {o[0]})", ("neg",), 1),
)
