"""Statements that switch recording, or how values are kept, for a block or for good."""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

import threading
from typing import Any

from .language import Kind, Statement
from .reading import Reader


def _block(name: str, needs: str, weight: int) -> Kind:
    """Make the kind that enters a block; it ends with the next `leave`, or with the program."""
    recording = name == "enable_grad"

    def read(d: Reader) -> Statement | None:
        if len(d.modes) > 2:
            return None
        d.enter(recording)
        return Statement(name)

    def bind(b: Any) -> Any:
        enter = getattr(b, name)

        def run(m: Any, x: Any, o: Any) -> None:
            m.infers = m.infers or name == "inference_mode"
            m.enter(enter())

        return run

    return Kind(name, read, bind, lambda n, o: f"with torch.{name}():", (needs,), weight, 1)


def _leave(d: Reader) -> Statement | None:
    if not d.modes:
        return None
    d.recording = d.modes.pop()
    return Statement("leave")


def _set_grad(name: str, extent: int) -> Kind:
    def read(d: Reader) -> Statement:
        flag = bool(d.byte() & 1)
        if extent:
            d.modes.append(d.recording)
        d.recording = flag
        return Statement(name, (), (flag,))

    def bind(b: Any) -> Any:
        switch = b.set_grad_enabled
        if extent:
            return lambda m, x, o: m.enter(switch(*o))
        return lambda m, x, o: m.keep(switch(*o))

    text = "with torch.set_grad_enabled({}):" if extent else "torch.set_grad_enabled({})"
    return Kind(name, read, bind, lambda n, o: text.format(*o), ("switches",), 2, extent)


PACKINGS = ("same", "copied", "numbered")


def _packing(d: Reader) -> Statement | None:
    if len(d.modes) > 2:
        return None
    d.enter(d.recording)
    return Statement("packing", (), (d.pick(PACKINGS),))


def same(x: Any) -> Any:
    """Keep a value as it is."""
    return x


def _bind_packing(b: Any) -> Any:
    clone = b.functions["clone"]

    def copied(x: Any) -> Any:
        return clone(b.detach(x))

    def bind(m: Any, x: Any, o: Any) -> None:
        if o[0] == "numbered":
            kept: list[Any] = []

            def number(x: Any) -> int:
                kept.append(copied(x))
                return len(kept) - 1

            m.enter(b.saved_tensors_hooks(number, kept.__getitem__))
        else:
            m.packs_as_is = m.packs_as_is or o[0] == "same"
            m.enter(b.saved_tensors_hooks(same if o[0] == "same" else copied, same))

    return bind


PACKING_TEXT = {
    "same": "lambda x: x, lambda x: x",
    "copied": "lambda x: x.detach().clone(), lambda x: x",
    "numbered": "lambda x: kept.append(x.detach().clone()) or len(kept) - 1, kept.__getitem__",
}


def _packing_text(n: Any, o: Any) -> str:
    return f"with torch.autograd.graph.saved_tensors_hooks({PACKING_TEXT[o[0]]}):"


# ---- within a function that is decorated ---------------------------------------------------------


def _doubled(x: Any) -> Any:
    return x * 2


def _part(x: Any) -> Any:
    return x[...]


def _overwritten(x: Any) -> Any:
    x[...] = x * 2
    return x[...]


ACTIONS = {"doubled": _doubled, "part": _part, "overwritten": _overwritten}
WAYS = ("no_grad", "enable_grad", "no_grad generator", "enable_grad generator")


def _decorated(d: Reader) -> Statement | None:
    way, action = d.pick(WAYS), d.pick((*ACTIONS,))
    d.enter(way.startswith("enable"))
    x = d.target() if action == "overwritten" else d.operand()
    if x < 0:
        d.recording = d.modes.pop()
        return None
    if action == "doubled":
        d.result(d.shapes[x], x)
    else:
        if action == "overwritten":
            d.wrote(x)
        d.view(x, d.shapes[x])
    d.recording = d.modes.pop()
    return Statement("decorated", (x,), (way, action), 1)


def _bind_decorated(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> Any:
        way, action = o
        function = ACTIONS[action]
        mode = (b.enable_grad if way.startswith("enable") else b.no_grad)()
        if not way.endswith("generator"):
            return mode(function)(x[0])

        def generator(x: Any) -> Any:
            yield function(x)

        return next(mode(generator)(x[0]))

    return run


def _decorated_text(n: Any, o: Any) -> str:
    mode, _, generator = o[0].partition(" ")
    given = f"generating({o[1]})" if generator else o[1]
    call = f"torch.{mode}()({given})({n[0]})"
    return f"next({call})" if generator else call


# ---- in a thread of its own ----------------------------------------------------------------------


def _aside(d: Reader) -> Statement:
    x = d.operand()
    flag = d.pick((None, True, False))
    recording, d.recording = d.recording, flag is not False
    d.result(d.shapes[x], x)
    d.recording = recording
    return Statement("aside", (x,), (flag,), 1)


def _bind_aside(b: Any) -> Any:
    def run(m: Any, x: Any, o: Any) -> Any:
        made: list[Any] = []
        raised: list[BaseException] = []

        def work() -> None:
            try:
                if o[0] is not None:
                    b.set_grad_enabled(o[0])
                made.append(x[0] * 2)
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if raised:
            raise raised[0]
        return made[0]

    return run


KINDS = (
    _block("no_grad", "no_grad", 5),
    _block("enable_grad", "no_grad", 3),
    _block("inference_mode", "inference", 2),
    Kind("leave", _leave, lambda b: lambda m, x, o: m.leave(), lambda n, o: "", (), 12, -1),
    _set_grad("set_grad_block", 1),
    _set_grad("set_grad", 0),
    Kind("packing", _packing, _bind_packing, _packing_text, ("packing", "clone"), 2, 1),
    Kind("decorated", _decorated, _bind_decorated, _decorated_text, ("no_grad", "inplace"), 3),
    Kind(
        "aside",
        _aside,
        _bind_aside,
        lambda n, o: f"aside({n[0]}, {o[0]})",
        ("switches",),
        1,
    ),
)
