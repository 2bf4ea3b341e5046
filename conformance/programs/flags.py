"""Statements that change flags, history and .grad of a tensor."""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

from typing import Any

from .forms import asks, template
from .language import Kind, Statement
from .reading import LEAF, TRACKED, VIEW, Reader


def _require(d: Reader) -> Statement:
    flag = d.pick((True, True, False))
    x = d.operand(None, 0, TRACKED) if flag else d.operand(None, d.pick((LEAF, LEAF, TRACKED)))
    x = max(x, 0)
    if flag and not d.marks[x] & TRACKED:
        d.marks[x] |= TRACKED | LEAF
    elif not flag and d.marks[x] & LEAF:
        d.marks[x] &= ~(TRACKED | LEAF)
    return Statement("requires_grad_", (x,), (flag,))


def _bind_require(b: Any) -> Any:
    require = b.set_requires_grad

    def run(m: Any, x: Any, o: Any) -> None:
        # What becomes of views, also of those that were told by themselves, is said nowhere.
        if not m.has_views(x[0], tracked=bool(o[0])):
            m.same(x[0], require(x[0], *o))

    return run


def _detached(name: str) -> Any:
    def read(d: Reader) -> Statement:
        x = d.operand()
        d.alias(x)
        if name == "data":  # its writes are not counted: it may be written though a node keeps it
            d.memory[-1] = len(d.memory) - 1
        return Statement(name, (x,), (), 1)

    return read


def _detach_(d: Reader) -> Statement:
    x = max(d.operand(None, TRACKED, 0 if d.chance(6) else VIEW), 0)
    d.marks[x] &= ~(TRACKED | LEAF)
    return Statement("detach_", (x,))


def _bind_detach_(b: Any) -> Any:
    detach_ = b.detach_

    def run(m: Any, x: Any, o: Any) -> None:
        # What becomes of views, of hooks, or of a gradient that is retained, is said nowhere.
        if not m.has_views(x[0]) and not m.retains(x[0]) and not m.has_hooks(x[0]):
            m.same(x[0], detach_(x[0]))

    return run


def _set_data(d: Reader) -> Statement:
    x = d.operand()
    shape = d.shapes[x]
    y = d.operand(lambda s: s == shape)
    d.other[x], d.memory[x] = d.other[y], d.memory[y]
    return Statement("set_data", (x, y))


def _bind_set_data(b: Any) -> Any:
    set_data = b.set_data

    def run(m: Any, x: Any, o: Any) -> None:
        fits = m.table.form(x[0]) == m.table.form(x[1]) and not m.has_views(x[0])
        if fits and b.is_leaf(x[0]) and b.base(x[0]) is None:
            set_data(*x)

    return run


def _leaf(name: str) -> Any:
    def read(d: Reader) -> Statement:
        x = max(d.operand(None, LEAF), 0)
        return Statement(name, (x,))

    return read


def _grad(d: Reader) -> Statement:
    x = max(d.operand(None, LEAF), 0)
    d.result(d.shapes[x])
    return Statement("grad", (x,), (), 1)


def _bind_grad(b: Any) -> Any:
    clone = b.functions["clone"]

    def run(m: Any, x: Any, o: Any) -> Any:
        # A clone, because the next pass adds to the gradient itself at a moment that nobody
        # promises. None where there is none: whoever names it is skipped.
        g = b.grad(x[0])
        return None if g is None else clone(g)

    return run


def _write_grad(d: Reader) -> Statement:
    x = max(d.operand(None, LEAF), 0)
    return Statement("write_grad", (x,), (d.pick((0, 2)),))


def _bind_write_grad(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        g = b.grad(x[0])
        if g is not None:
            b.setitem(g, ..., g * o[0])

    return run


def _set_grad(d: Reader) -> Statement:
    x = max(d.operand(None, LEAF), 0)
    shape, other = d.shapes[x], d.other[x]
    y = d.operand(lambda s: s == shape)
    if d.other[y] != other:
        y = d.operand(lambda s: s == shape)
    if d.chance(16):
        y = d.operand()
    return Statement("set_grad_of", (x, y), d.pick(GIVEN))


GIVEN: tuple[tuple[str, ...], ...] = ((), (), (), ("turned",), (), (), (), ("itself",))
"""How a tensor becomes a .grad: as a copy, as one in another order of axes, or as its own."""


def _bind_set_grad(b: Any) -> Any:
    clone, transpose = b.functions["clone"], b.functions["transpose"]
    contiguous = b.functions.get("contiguous", clone)

    def run(m: Any, x: Any, o: Any) -> None:
        if "itself" in o:
            b.set_grad(x[0], x[0])
            return
        # A clone, for the reason above.
        g = b.detach(x[1])
        turned = "turned" in o and m.table.shape(g)
        if turned:
            b.set_grad(x[0], transpose(contiguous(clone(transpose(g, 0, -1))), 0, -1))
        else:
            b.set_grad(x[0], clone(g))

    return run


def _set_grad_text(n: Any, o: Any) -> str:
    if "itself" in o:
        return f"{n[0]}.grad = {n[0]}"
    by = "transpose(0, -1)" if o else ""
    return f"{n[0]}.grad = {n[1]}.detach()" + (
        f".{by}.clone().contiguous().{by}" if o else ".clone()"
    )


def _hold(d: Reader) -> Statement:
    return Statement("hold", (max(d.operand(None, LEAF), 0),))


def _bind_hold(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        g = b.grad(x[0])
        if g is not None:
            m.held.append((m.operands[0], g, m.version_of(g)))

    return run


def _forget(d: Reader) -> Statement:
    return Statement("forget", (d.operand(),))


def _bind_forget(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        m.variables[m.operands[0]] = None

    return run


def _retain(d: Reader) -> Statement:
    x = max(d.operand(None, TRACKED, LEAF), 0)
    return Statement("retain_grad", (x,))


def _bind_retain(b: Any) -> Any:
    retain = b.retain_grad

    def run(m: Any, x: Any, o: Any) -> None:
        retain(x[0])
        m.retained.add(m.operands[0])

    return run


KINDS = (
    Kind(
        "requires_grad_", _require, _bind_require, template("{0}.requires_grad_({a})"),
        ("backward",),
    ),
    Kind("detach", _detached("detach"), asks("detach"), template("{0}.detach()"), ("detach",), 6),
    Kind("detach_", _detach_, _bind_detach_, template("{0}.detach_()"), ("detach",), 2),
    Kind("data", _detached("data"), asks("data"), template("{0}.data"), ("data",), 6),
    Kind("set_data", _set_data, _bind_set_data, template("{0}.data = {1}"), ("data",), 2),
    Kind(
        "clear_grad", _leaf("clear_grad"), asks("clear"), template("{0}.grad = None"),
        ("backward",), 2,
    ),
    Kind("grad", _grad, _bind_grad, template("{0}.grad.clone()"), ("backward", "clone")),
    Kind(
        "write_grad", _write_grad, _bind_write_grad, template("{0}.grad[...] = {0}.grad * {a}"),
        ("backward", "inplace"), 3,
    ),
    Kind(
        "set_grad_of", _set_grad, _bind_set_grad, _set_grad_text,
        ("grad_assign", "clone", "transpose"), 3,
    ),
    Kind("hold", _hold, _bind_hold, lambda n, o: f"held = {n[0]}.grad", ("backward",), 5),
    Kind("forget", _forget, _bind_forget, template("del {0}"), (), 2),
    Kind("retain_grad", _retain, _bind_retain, template("{0}.retain_grad()"), ("hooks",)),
)  # fmt: skip
