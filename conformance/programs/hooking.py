"""Statements that hook into the passes to come.

What a hook was called with is written down for the tensor it belongs to. Hooks are written with
operators alone, as functions of one's own are.
"""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

from typing import Any

from .language import Kind, Statement
from .reading import LEAF, TRACKED, Reader


class Hurt(Exception):
    """Raised by a hook that is told to."""


def _watch(g: Any) -> None:
    """Do nothing."""


def _double(g: Any) -> Any:
    return g * 2


def _negate(g: Any) -> Any:
    return -g


def _same(g: Any) -> Any:
    return g


def _wrong_shape(g: Any) -> Any:
    return g[None][None]


def _number(g: Any) -> Any:
    return 2.0


def _hurt(g: Any) -> None:
    raise Hurt


ACTIONS = {
    "watch": _watch,
    "double": _double,
    "negate": _negate,
    "same": _same,
    "wrong_shape": _wrong_shape,
    "number": _number,
    "hurt": _hurt,
}
DRAWN = (
    "watch", "double", "watch", "negate", "watch", "double", "same", "nested", "tally", "negate",
    "watch", "double", "watch", "negate", "watch", "wrong_shape", "hurt", "double", "number",
    "negate", "double", "cast", "once",
)  # fmt: skip


def _hook(d: Reader) -> Statement | None:
    x = d.operand(None, TRACKED)
    if x < 0:
        return None
    d.hooked.add(x)
    return Statement("hook", (x,), (d.pick(DRAWN),))


def _bind_hook(b: Any) -> Any:
    register, requires_grad, recording = b.register_hook, b.requires_grad, b.is_grad_enabled

    def run(m: Any, x: Any, o: Any) -> None:
        action = o[0]
        log = m.calls_of(m.operands[0])
        at, is_left_behind = m.at, left_behind(m, b, x[0])
        do: Any = ACTIONS.get(action)
        if action == "nested":
            do = nested(b)
        elif action == "tally":
            do = tally(m, b, x[0])
        elif action == "cast":
            do = cast(m, b)

        def hook(g: Any) -> Any:
            if any(tensor is root for root in m.roots) or is_left_behind():
                return None  # whether it is called is not promised
            if g is None:
                return None  # none has come, of several results of one node
            log.append((at, m.at, m.of(g), requires_grad(g), recording()))
            return do(g)

        tensor = x[0]
        handle = register(tensor, hook)
        if action == "once":
            do = lambda _: handle.remove()  # noqa: E731
        m.hooked(handle)

    return run


def left_behind(m: Any, b: Any, x: Any) -> Any:
    """Return what says whether a view was written since, which gives it the history of its base."""
    if b.base(x) is None:
        return lambda: False
    count = m.version_of(x)
    return lambda: m.version_of(x) != count


def cast(m: Any, b: Any) -> Any:
    """Return the gradient in another dtype."""
    convert, table = b.functions["cast"], m.table
    return lambda g: convert(g, table.other if b.dtype_of(g) == table.dtype else table.dtype)


def nested(b: Any) -> Any:
    """Differentiate within the pass, a graph of one's own."""

    def hook(g: Any) -> Any:
        with b.enable_grad():
            x = b.set_requires_grad(b.detach(g))
            (made,) = b.gradients(x * x, [x], b.detach(g) * 0 + 1)
        return made

    return hook


def tally(m: Any, b: Any, x: Any) -> Any:
    """Write into something that is not part of the graph: add up what comes."""
    total = b.detach(x) * 0
    m.tallies.append(total)

    def hook(g: Any) -> None:
        with b.no_grad():
            total[...] = total + g

    return hook


def _hook_text(n: Any, o: Any) -> str:
    return f"hook({n[0]}, {o[0]!r})"


def _unhook(d: Reader) -> Statement | None:
    if not d.hooked:
        return None
    choices = sorted(d.hooked)
    return Statement("unhook", (choices[d.byte() % len(choices)],))


def _bind_unhook(b: Any) -> Any:

    def run(m: Any, x: Any, o: Any) -> None:
        m.unhook()

    return run


# ---- after a gradient was added, and at nodes ----------------------------------------------------

AFTER = ("watch", "clear", "watch", "double", "hurt")


def _after(d: Reader) -> Statement:
    x = max(d.operand(None, LEAF), 0)
    d.hooked.add(x)
    return Statement("after", (x,), (d.pick(AFTER),))


def _bind_after(b: Any) -> Any:
    register = b.register_post_accumulate_hook

    def run(m: Any, x: Any, o: Any) -> None:
        action = o[0]
        log = m.calls_of(m.operands[0])
        at = m.at

        def hook(leaf: Any) -> None:
            g = b.grad(leaf)
            # Whether it is called where nothing is added is said nowhere.
            if g is None or not b.requires_grad(leaf):
                return
            log.append((at, m.at, m.of(g), b.requires_grad(g)))
            match action:
                case "clear":
                    b.clear(leaf)
                case "double":
                    with b.no_grad():
                        g[...] = g * 2
                case "hurt":
                    raise Hurt

        m.hooked(register(x[0], hook))

    return run


NODES = ("watch", "double", "watch", "before", "before double")


def _node_hook(d: Reader) -> Statement | None:
    x = d.operand(None, TRACKED, LEAF)
    if x < 0:
        return None
    d.hooked.add(x)
    return Statement("node_hook", (x,), (d.pick(NODES),))


def _bind_node_hook(b: Any) -> Any:  # noqa: C901 - two hooks, in one view of what is left behind
    def run(m: Any, x: Any, o: Any) -> None:
        node = b.node(x[0])
        if node is None:
            return
        action = o[0]
        log = m.calls_of(m.operands[0])
        at, is_left_behind = m.at, left_behind(m, b, x[0])

        def seen(gradients: Any) -> Any:
            return tuple(None if g is None else m.of(g) for g in gradients)

        def doubled(gradients: Any) -> Any:
            if not action.endswith("double"):
                return None
            return tuple(None if g is None else g * 2 for g in gradients)

        def before(outputs: Any) -> Any:
            if is_left_behind():
                return None
            log.append((at, m.at, seen(outputs)))
            return doubled(outputs)

        def after(inputs: Any, outputs: Any) -> Any:
            if is_left_behind():
                return None
            log.append((at, m.at, seen(inputs), seen(outputs)))
            return doubled(inputs)

        if action.startswith("before"):
            m.hooked(b.register_node_hook(node, before, before=True))
        else:
            m.hooked(b.register_node_hook(node, after))

    return run


HOOKS = ("hooks", "detach", "no_grad", "gradients", "cast")

KINDS = (
    Kind("hook", _hook, _bind_hook, _hook_text, HOOKS, 10),
    Kind("unhook", _unhook, _bind_unhook, lambda n, o: "handles.pop().remove()", ("hooks",), 4),
    Kind("after", _after, _bind_after, lambda n, o: f"after({n[0]}, {o[0]!r})", ("leaf_hooks",), 3),
    Kind(
        "node_hook",
        _node_hook,
        _bind_node_hook,
        lambda n, o: f"node_hook({n[0]}, {o[0]!r})",
        ("node_hooks",),
        3,
    ),
)
