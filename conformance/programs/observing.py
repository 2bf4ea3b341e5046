"""Statements that look: nothing is asked of a tensor that the program does not ask for."""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

from typing import Any

from .forms import template
from .language import Kind, Statement
from .reading import LEAF, Reader


def _reads(name: str, marks: int = 0) -> Any:
    def read(d: Reader) -> Statement:
        return Statement(name, (max(d.operand(None, marks), 0),))

    return read


def _node(b: Any) -> Any:
    return lambda m, x, o: m.note("node", b.node(x[0]) is not None)


def _flags(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        m.note("flags", (b.requires_grad(x[0]), b.is_leaf(x[0])))

    return run


def _version(b: Any) -> Any:
    return lambda m, x, o: m.note("version", m.written(m.operands[0], x[0]))


def _value(b: Any) -> Any:
    return lambda m, x, o: m.note("value", m.of(x[0]))


def _gradient(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        g = b.grad(x[0])
        m.note("grad", None if g is None else m.gradient(x[0], g))

    return run


def _strides(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        # How an operation lays out what it computes is its own affair, how a view lies in it not.
        base = b.base(x[0])
        if base is not None:
            m.note("strides", (m.layout(base), m.layout(x[0])))

    return run


def _grad_strides(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        g = b.grad(x[0]) if b.is_leaf(x[0]) else None
        if g is not None:
            m.note("strides", (m.layout(x[0]), m.layout(g)))

    return run


def _cotangents(b: Any) -> Any:
    return lambda m, x, o: m.note("cotangents", tuple(map(m.of, m.given)))


def _shared(d: Reader) -> Statement:
    return Statement("look_shared", (d.operand(), d.operand()))


def _bind_shared(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> None:
        if 0 not in (*m.table.shape(x[0]), *m.table.shape(x[1])):
            m.note("shared", b.shares_memory(x[0], x[1]))

    return run


KINDS = (
    Kind("look_node", _reads("look_node"), _node, template("{0}.grad_fn"), ("graph",), 3),
    Kind(
        "look_flags",
        _reads("look_flags"),
        _flags,
        template("{0}.requires_grad, {0}.is_leaf"),
        ("backward",),
        2,
    ),
    Kind(
        "look_version",
        _reads("look_version"),
        _version,
        template("{0}._version"),
        ("version_counter",),
        1,
    ),
    Kind("look_value", _reads("look_value"), _value, template("{0}.tolist()"), (), 1),
    Kind(
        "look_cotangents",
        lambda d: Statement("look_cotangents"),
        _cotangents,
        lambda n, o: "pass",
        ("backward",),
        1,
    ),
    Kind("look_grad", _reads("look_grad", LEAF), _gradient, template("{0}.grad"), ("backward",), 3),
    Kind(
        "look_strides",
        _reads("look_strides"),
        _strides,
        template("{0}.stride()"),
        ("views", "graph"),
        2,
    ),
    Kind(
        "look_grad_strides",
        _reads("look_grad_strides", LEAF),
        _grad_strides,
        template("{0}.grad.stride()"),
        ("views",),
        2,
    ),
    Kind(
        "look_shared",
        _shared,
        _bind_shared,
        template("{0}.data_ptr() == {1}.data_ptr()"),
        ("views",),
        2,
    ),
)
