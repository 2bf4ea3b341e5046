"""A family of functions with a backward of their own, written with operators alone.

So one text serves every library, and stands in scripts as it stands here.
"""

# ruff: noqa: ARG002, ARG005, D101, D102, N805  (each is its own description)

import inspect
from typing import Any

from .language import Kind, Shape, Statement
from .reading import FROZEN, TRACKED, Reader


class Double:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


class Square:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 2 * x


class SavesOutput:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 3
        ctx.save_for_backward(y)
        return y

    def backward(ctx: Any, g: Any) -> Any:
        (y,) = ctx.saved_tensors
        return g * y


class SavesNeither:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * x
        ctx.save_for_backward(y)
        return y * 2

    def backward(ctx: Any, g: Any) -> Any:
        (y,) = ctx.saved_tensors
        return g * y


class Itself:
    def forward(ctx: Any, x: Any) -> Any:
        return x

    def backward(ctx: Any, g: Any) -> Any:
        return g


class Part:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x[0]

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x * 0 + g


class TwoResults:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2, x * 3

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        return g * 2 + h * 3


class ItselfAndMore:
    def forward(ctx: Any, x: Any) -> Any:
        return x, x * 3

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        return g + h * 3


class Product:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        return x * y

    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y, g * x


class OneOfTwo:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x + y * 2

    def backward(ctx: Any, g: Any) -> Any:
        return None, g * 2


class Nothing:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return None


class Remembers:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.factor = x * 2
        return x * ctx.factor

    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.factor * 2


class AsNeeded:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x * 2 + y * 3

    def backward(ctx: Any, g: Any) -> Any:
        first, second = ctx.needs_input_grad
        return g * 2 if first else None, g * 3 if second else None


class LeavesOut:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        if g is None or h is None:
            return h if g is None else g
        return g * 2 + h * 3


class TooMany:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return g, g


class WrongShape:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return g[0]


class Column:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return g[..., None]


class SpareNone:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2, None


class ReturnsNumber:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return 2.0


class SavesNumber:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(2.0)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


class SavesAgain:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        ctx.save_for_backward(y)
        return x * y

    def backward(ctx: Any, g: Any) -> Any:
        (y,) = ctx.saved_tensors
        return g * y, g * y


class TellsNeeds:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        first, second = ctx.needs_input_grad
        return x * (2 + first) + y * (4 + second)

    def backward(ctx: Any, g: Any) -> Any:
        return g * 3, g * 5


class Once:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 2 * x


class Overwrites:
    def forward(ctx: Any, x: Any) -> Any:
        x[...] = x * 2
        ctx.mark_dirty(x)
        return x

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


class OverwritesOne:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        x[...] = x * y
        ctx.mark_dirty(x)
        ctx.save_for_backward(y)
        return y * 2, x

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        (y,) = ctx.saved_tensors
        return h * y, g * 2


class Unmarked:
    def forward(ctx: Any, x: Any) -> Any:
        y, z = x * 2, x * 3
        ctx.mark_non_differentiable(z)
        return y, z

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        return g * 2 + h


PLAIN: tuple[type, ...] = (
    Double, Square, SavesOutput, Itself, Itself, Part, Part, TwoResults, ItselfAndMore, OneOfTwo,
    Nothing, Remembers, AsNeeded, LeavesOut, Square, SavesNeither, Double, Product, SavesAgain,
    TellsNeeds, SpareNone, Square, Product, Double, TwoResults, SavesNumber, ReturnsNumber, Column,
    TooMany, WrongShape,
)  # fmt: skip
"""Functions that any library has with a backward of one's own; the last five are wrong."""

MARKED: tuple[type, ...] = (Overwrites, OverwritesOne, Unmarked)
"""Functions that mark what they do to their arguments and results."""

FUNCTIONS = {each.__name__: each for each in (*PLAIN, *MARKED, Once)}


def arity(function: type) -> int:
    """How many tensors a function takes."""
    return len(inspect.signature(function.__dict__["forward"]).parameters) - 1


ARITY = {name: arity(function) for name, function in FUNCTIONS.items()}
RESULTS = dict.fromkeys(
    ("TwoResults", "ItselfAndMore", "LeavesOut", "OverwritesOne", "Unmarked"), 2
)


def _read(kind: str, functions: tuple[type, ...]) -> Any:
    def read(d: Reader) -> Statement | None:
        name = d.pick(functions).__name__
        fits = (
            (lambda s: len(s) > 0 and s[0] > 1)
            if name in {"Part", "WrongShape", "Column"}
            else None
        )
        x = (
            d.target()
            if name.startswith("Overwrites")
            else d.operand(fits, 0 if d.byte() & 1 else TRACKED)
        )
        if x < 0:
            return None
        shape = d.shapes[x]
        operands = [x]
        if ARITY[name] == 2:
            operands.append(d.operand(lambda s: s == shape))
        _note(d, name, operands, shape)
        return Statement(kind, tuple(operands), (name,), RESULTS.get(name, 1))

    return read


def _note(d: Reader, name: str, operands: list[int], shape: Shape) -> None:
    """Tell the reader what comes of it."""
    x = operands[0]
    match name:
        case "Part":
            d.view(x, shape[1:], FROZEN)
            d.saves(x)
        case "Itself":
            d.view(x, shape, FROZEN if d.byte() & 1 else 0)
        case "ItselfAndMore":
            d.view(x, shape, FROZEN)
            d.result(shape, x)
        case "Overwrites" | "OverwritesOne":
            if name == "OverwritesOne":
                d.saves(operands[1])
                d.result(shape, operands[1])
            d.wrote(*operands)
            d.view(x, shape)
        case _:
            if name in {"Square", "Product", "SavesAgain", "Once"}:
                d.saves(*operands)
            for _ in range(RESULTS.get(name, 1)):
                d.result(shape, *operands)
            if name == "SavesOutput":
                d.saves(len(d.shapes) - 1)


def _bind(functions: tuple[type, ...]) -> Any:
    def bind(b: Any) -> Any:
        table = {}
        for each in functions:
            backward = each.__dict__["backward"]
            if each is Once:
                backward = b.once_differentiable(backward)
            table[each.__name__] = b.custom(each.__dict__["forward"], backward)
        return lambda m, x, o: table[o[0]].apply(*x)

    return bind


def _text(n: Any, o: Any) -> str:
    return f"{o[0]}.apply({', '.join(n)})"


def source(name: str) -> str:
    """Write the function of this name for PyTorch."""
    text = inspect.getsource(FUNCTIONS[name]).replace(": Any", "").replace(" -> Any", "")
    text = text.replace(f"class {name}:", f"class {name}(torch.autograd.Function):")
    text = text.replace("    def ", "    @staticmethod\n    def ")
    if name == "Once":
        once = (
            "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward"
        )
        text = text.replace("    @staticmethod\n    def backward", once)
    return text


KINDS = (
    Kind("own", _read("own", PLAIN), _bind(PLAIN), _text, ("custom",), 14),
    Kind("own_once", _read("own_once", (Once,)), _bind((Once,)), _text, ("custom",), 1),
    Kind("own_marked", _read("own_marked", MARKED), _bind(MARKED), _text, ("marks",), 4),
)
