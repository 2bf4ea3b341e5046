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

FORMS = (
    *[""] * 25,
    "none",
    "none",
    "tracked",
    "tracked",
    "other",
    "whole",
    "one",
    "flat",
    "axis",
    "number",
)
"""Of which form its cotangent is: none, one with a history, of another dtype, what seldom fits."""

TWICE = (*[""] * 9, "single", "none", "later none", "other")
"""And what a pass from two roots is given besides: one cotangent, or none for the second root."""


def _formed(d: Reader, options: Any, forms: Any = FORMS) -> Any:
    """Add the form of cotangents to what a pass is told, where it is not the plain one."""
    form = d.pick(forms)
    if form == "tracked" and ("create_graph", True) not in options:
        form = ""  # a gradient may be the cotangent itself, with its history
    return (*options, ("cotangent", form)) if form else options


def given_to(m: Any, roots: Any, seed: int, form: str) -> Any:
    """Return the cotangents of a pass, in a list as there are several."""
    if form == "none":
        return None if len(roots) == 1 else [None] * len(roots)
    if form == "single":
        return m.cotangent(seed, roots[0])
    if form == "number":
        return 2.0
    if form == "tracked":
        return m.cotangent(seed, roots[0]) * roots[0]
    form, later = ("", None) if form == "later none" else (form, m.cotangent)
    made = [m.cotangent(seed, roots[0], form)]
    made += [later and later(seed + i, y, form) for i, y in enumerate(roots[1:], 1)]
    return made[0] if len(roots) == 1 else made


def _given_text(n: Any, seed: int, form: str) -> str:
    if form == "number":
        return "2.0"
    if form == "tracked":
        return f"cotangent({seed}, {n[0]}) * {n[0]}"
    if form == "none":
        return "None" if len(n) == 1 else f"[{', '.join(['None'] * len(n))}]"
    last = f", {form!r}" if form not in {"", "single", "later none"} else ""
    made = [f"cotangent({seed + i}, {x}{last})" for i, x in enumerate(n)]
    if form == "later none":
        made[1:] = ["None"] * (len(made) - 1)
    return made[0] if len(n) == 1 or form == "single" else f"[{', '.join(made)}]"


def _backward(name: str) -> Any:
    def read(d: Reader) -> Statement | None:
        roots = [d.operand(None, TRACKED)]
        if d.chance(6):
            roots.append(d.operand(None, TRACKED))
        options = _formed(d, d.pick(OPTIONS), FORMS if len(roots) == 1 else TWICE)
        seed = d.byte()
        inputs = [d.operand(None, LEAF)] if d.chance(6) else []
        if inputs and d.chance(3):
            inputs.append(d.operand(None, LEAF))
        elif not inputs and d.chance(16):
            options = (*options, ("inputs", ()))
        if min((*roots, *inputs)) < 0:
            return None
        return Statement(name, (*roots, *inputs), (len(roots), seed, options))

    return read


def _bind_backward(b: Any) -> Any:
    backward, is_leaf = b.backward, b.is_leaf

    def run(m: Any, x: Any, o: Any) -> None:
        count, seed, options = o
        named = dict(options)
        form = named.pop("cotangent", "")
        if len(x) > count:
            inputs = [each for each in x[count:] if is_leaf(each)]
            if not inputs or any(map(m.retains, x[:count])):
                return
            named["inputs"] = inputs
            m.roots = x[:count]
        try:
            roots = list(x[:count])
            backward(roots[0] if count == 1 else roots, given_to(m, roots, seed, form), **named)
        finally:
            m.roots = []

    return run


def _backward_text(n: Any, o: Any) -> str:
    count, seed, options = o
    words = [f"{name}={value}" for name, value in options if name != "cotangent"]
    if len(n) > count:
        words.append(f"inputs=[{', '.join(n[count:])}]")
    roots = n[0] if count == 1 else f"[{', '.join(n[:count])}]"
    given = _given_text(n[:count], seed, dict(options).get("cotangent", ""))
    return f"torch.autograd.backward({', '.join([roots, given, *words])})"


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


UNUSED = ("allow_unused", "allow_unused", "materialize_grads", "allow_unused", "")


def _gradients(name: str, count: int) -> Any:
    """Read a call for gradients of one root, or of two."""

    def read(d: Reader) -> Statement | None:
        roots = [d.operand(None, TRACKED) for _ in range(count)]
        inputs = [d.operand(None, TRACKED)]
        if d.chance(3):
            inputs.append(inputs[0] if d.chance(4) else d.operand(None, TRACKED))
        options = _formed(d, d.pick(OPTIONS), FORMS if count == 1 else TWICE)
        unused = d.pick(UNUSED)
        if min((*roots, *inputs)) < 0:
            return None
        if unused:
            options = (*options, (unused, True))
        created = ("create_graph", True) in options
        for x in inputs:
            d.made(d.shapes[x], d.other[x], TRACKED if created else 0)
        return Statement(name, (*roots, *inputs), (d.byte(), options), len(inputs))

    return read


def _bind_gradients(count: int) -> Any:
    def bind(b: Any) -> Any:
        gradients, clone = b.gradients, b.functions["clone"]
        contiguous = b.functions.get("contiguous", clone)

        def run(m: Any, x: Any, o: Any) -> Any:
            roots, inputs = list(x[:count]), list(x[count:])
            if any(map(m.retains, roots)) or any(map(m.is_part, inputs)):
                return None
            named = dict(o[1])
            form = named.pop("cotangent", "")
            m.roots = roots
            try:
                given = given_to(m, roots, o[0], form)
                found = gradients(roots[0] if count == 1 else roots, inputs, given, **named)
            finally:
                m.roots = []
            # They may be the cotangent itself, or each other: nobody says which, nor how they lie.
            return [None if g is None else contiguous(clone(g)) for g in found]

        return run

    return bind


def _gradients_text(count: int) -> Any:
    def text(n: Any, o: Any) -> str:
        words = "".join(f", {name}={value}" for name, value in o[1] if name != "cotangent")
        roots = n[0] if count == 1 else f"[{', '.join(n[:count])}]"
        given = _given_text(n[:count], o[0], dict(o[1]).get("cotangent", ""))
        call = f"torch.autograd.grad({roots}, [{', '.join(n[count:])}], {given}{words})"
        return f"[g if g is None else g.clone().contiguous() for g in {call}]"

    return text


def _twice(d: Reader) -> Statement | None:
    operands = d.operand(None, TRACKED), d.operand(None, LEAF), d.operand(None, LEAF)
    return Statement("twice", operands, (d.byte(),)) if min(operands) >= 0 else None


def _bind_twice(b: Any) -> Any:
    backward, grad, requires_grad = b.backward, b.grad, b.requires_grad

    def run(m: Any, x: Any, o: Any) -> None:
        root, *leaves = x
        backward(root, m.cotangent(o[0], root), create_graph=True)
        found = [grad(leaf) for leaf in leaves]
        found = [g for g in found if g is not None and requires_grad(g)]
        if found:
            backward(found, [m.cotangent(o[0] + 1, g) for g in found])

    return run


def _twice_text(n: Any, o: Any) -> str:
    return f"twice({n[0]}, [{', '.join(n[1:])}], {o[0]})"


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
    Kind(
        "gradients",
        _gradients("gradients", 1),
        _bind_gradients(1),
        _gradients_text(1),
        ("gradients", "clone"),
        14,
    ),
    Kind(
        "gradients_of_two",
        _gradients("gradients_of_two", 2),
        _bind_gradients(2),
        _gradients_text(2),
        ("gradients", "clone"),
        4,
    ),
    Kind("twice", _twice, _bind_twice, _twice_text, ("backward", "create_graph"), 6),
    Kind("checkpoint", _checkpoint, _bind_checkpoint, _checkpoint_text, ("checkpoint",), 2),
)
