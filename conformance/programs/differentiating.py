"""Statements that differentiate: passes, with all their options, and what recomputes."""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

import threading
from typing import Any

from .language import Kind, Statement
from .reading import LEAF, TRACKED, Reader

OPTIONS = (
    (("retain_graph", True),),
    (),
    (("retain_graph", True),),
    (("create_graph", True),),
    (("retain_graph", False), ("create_graph", True)),
    (("retain_graph", True), ("create_graph", True)),
)
"""What a pass is told."""


def _backward(name: str) -> Any:
    def read(d: Reader) -> Statement | None:
        roots = [d.operand(None, TRACKED)]
        if d.chance(6):
            roots.append(d.operand(None, TRACKED))
        options = d.pick(OPTIONS)
        seed = d.byte()
        inputs = [d.operand(None, LEAF)] if d.chance(6) else []
        if inputs and d.chance(3):
            inputs.append(d.operand(None, LEAF))
        if min((*roots, *inputs)) < 0:
            return None
        return Statement(name, (*roots, *inputs), (len(roots), seed, options))

    return read


def _bind_backward(b: Any) -> Any:
    backward, is_leaf = b.backward, b.is_leaf

    def run(m: Any, x: Any, o: Any) -> None:
        count, seed, options = o
        named = dict(options)
        if len(x) > count:
            inputs = [each for each in x[count:] if is_leaf(each)]
            if not inputs or any(map(m.retains, x[:count])):
                return
            named["inputs"] = inputs
            m.roots = x[:count]
        try:
            if count == 1:
                backward(x[0], m.cotangent(seed, x[0]), **named)
            else:
                roots = list(x[:count])
                backward(roots, [m.cotangent(seed + i, y) for i, y in enumerate(roots)], **named)
        finally:
            m.roots = []

    return run


def _backward_text(n: Any, o: Any) -> str:
    count, seed, options = o
    words = [f"{name}={value}" for name, value in options]
    if len(n) > count:
        words.append(f"inputs=[{', '.join(n[count:])}]")
    cotangents = ", ".join(f"cotangent({seed + i}, {x})" for i, x in enumerate(n[:count]))
    given = f"[{', '.join(n[:count])}], [{cotangents}]"
    return f"torch.autograd.backward({', '.join([given, *words])})"


def _bind_thread(b: Any) -> Any:
    run = _bind_backward(b)

    def in_thread(m: Any, x: Any, o: Any) -> None:
        raised: list[BaseException] = []

        def work() -> None:
            try:
                run(m, x, o)
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if raised:
            raise raised[0]

    return in_thread


def _gradients(d: Reader) -> Statement | None:
    root = d.operand(None, TRACKED)
    inputs = [d.operand(None, TRACKED)]
    if d.chance(3):
        inputs.append(d.operand(None, TRACKED))
    options = d.pick(OPTIONS)
    unused = d.pick(("allow_unused", "allow_unused", "materialize_grads", "allow_unused", ""))
    if root < 0 or min(inputs) < 0:
        return None
    if unused:
        options = (*options, (unused, True))
    created = ("create_graph", True) in options
    for x in inputs:
        d.made(d.shapes[x], d.other[x], TRACKED if created else 0)
    return Statement("gradients", (root, *inputs), (d.byte(), options), len(inputs))


def _bind_gradients(b: Any) -> Any:
    gradients, clone = b.gradients, b.functions["clone"]

    def run(m: Any, x: Any, o: Any) -> Any:
        if m.retains(x[0]) or any(map(m.is_part, x[1:])):
            return None
        m.roots = x[:1]
        try:
            found = gradients(x[0], list(x[1:]), m.cotangent(o[0], x[0]), **dict(o[1]))
        finally:
            m.roots = []
        # Gradients may be the cotangent itself, or each other: nobody says which.
        return [None if g is None else clone(g) for g in found]

    return run


def _gradients_text(n: Any, o: Any) -> str:
    words = "".join(f", {name}={value}" for name, value in o[1])
    call = f"torch.autograd.grad({n[0]}, [{', '.join(n[1:])}], cotangent({o[0]}, {n[0]}){words})"
    return f"[g if g is None else g.clone() for g in {call}]"


def _checkpoint(d: Reader) -> Statement | None:
    x = d.operand(None, TRACKED)
    if x < 0:
        return None
    shape = d.shapes[x]
    y = d.operand(lambda s: s == shape)
    d.result(shape, x, y)
    d.saves(x, y)
    return Statement("checkpoint", (x, y), (), 1)


def recomputed(x: Any, y: Any) -> Any:
    """What is computed again in the pass."""
    return x * y * x


def _bind_checkpoint(b: Any) -> Any:
    return lambda m, x, o: b.checkpoint(recomputed, *x)


def _checkpoint_text(n: Any, o: Any) -> str:
    call = f"lambda x, y: x * y * x, {n[0]}, {n[1]}, use_reentrant=False"
    return f"torch.utils.checkpoint.checkpoint({call})"


KINDS = (
    Kind("backward", _backward("backward"), _bind_backward, _backward_text, ("backward",), 14),
    Kind(
        "thread",
        _backward("thread"),
        _bind_thread,
        lambda n, o: f"in_thread(lambda: {_backward_text(n, o)})",
        ("backward",),
        1,
    ),
    Kind("gradients", _gradients, _bind_gradients, _gradients_text, ("gradients", "clone"), 14),
    Kind("checkpoint", _checkpoint, _bind_checkpoint, _checkpoint_text, ("checkpoint",), 2),
)
