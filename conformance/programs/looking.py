"""Statements that look at a tensor in another form: views, most of them."""

# ruff: noqa: ARG001, ARG005  (a statement is told more than it needs)

from typing import Any

from . import keys
from .forms import as_method, calls
from .language import Kind, Shape, Statement
from .reading import FROZEN, ODD, OVERLAP, Reader, size, without


def spoilt(d: Reader, options: Any) -> Any:
    """Change what a statement is told once in a while, so that it may have to be refused."""
    byte = d.byte()
    if byte < ODD or not options or not d.daring:
        return options
    first, *rest = options
    if type(first) is not tuple:
        place = byte % len(options)
        by = (-7, 7, -1, 1, 3)[byte - ODD]
        return (*options[:place], options[place] + by, *options[place + 1 :])
    if not first:
        return ((1, 2), *rest)
    others = first[:-1], (*first, first[0]), (*first[:-1], first[-1] + 1), (*first[:-1], -1)
    return (others[byte % 4], *rest)


def _one(name: str, choose: Any, weight: int = 5) -> Kind:
    """Make the kind of a function of one tensor whose options and shape `choose` chooses."""

    def read(d: Reader) -> Statement | None:
        x = d.operand()
        chosen = choose(d, d.shapes[x])
        if chosen is None:
            return None
        options, shape = chosen
        if name != "getitem":
            options = spoilt(d, options)
        d.view(
            x, shape, OVERLAP if name in {"expand", "overlapping"} and shape != d.shapes[x] else 0
        )
        return Statement(name, (x,), options, 1)

    return Kind(name, read, calls(name), as_method(name), (name,), weight)


def _several(name: str, choose: Any) -> Kind:
    """Make the kind of a function with several results."""

    def read(d: Reader) -> Statement | None:
        x = d.operand(lambda s: len(s) > 0 and 0 not in s)
        if x < 0:
            return None
        options, shapes = choose(d, d.shapes[x])
        options = spoilt(d, options)
        for shape in shapes:
            d.view(x, shape, FROZEN)
        return Statement(name, (x,), options, len(shapes))

    return Kind(name, read, calls(name), as_method(name), (name,), 3)


def _getitem(d: Reader, shape: Shape) -> Any:
    key = keys.read(d, shape)
    return (key,), keys.shape_of(key, shape)


def _select(d: Reader, shape: Shape) -> Any:
    if not shape or 0 in shape:
        return None
    dim = d.dim(shape)
    return (dim, d.byte() % shape[dim]), without(shape, dim)


def _narrow(d: Reader, shape: Shape) -> Any:
    if not shape:
        return None
    dim = d.dim(shape)
    axis = dim % len(shape)
    start = d.byte() % (shape[axis] + 1)
    length = d.byte() % (shape[axis] - start + 1)
    return (dim, start, length), (*shape[:axis], length, *shape[axis + 1 :])


def _transpose(d: Reader, shape: Shape) -> Any:
    x, y = d.dim(shape), d.dim(shape)
    made = list(shape)
    if made:
        made[x], made[y] = made[y], made[x]
    return (x, y), tuple(made)


def _permute(d: Reader, shape: Shape) -> Any:
    turn = d.byte() % max(1, len(shape))
    dims = [*range(len(shape))]
    dims = dims[turn:] + dims[:turn]
    if d.byte() & 1:
        dims.reverse()
    return (tuple(dims),), tuple(shape[i] for i in dims)


def _movedim(d: Reader, shape: Shape) -> Any:
    if not shape:
        return None
    x, y = d.dim(shape), d.dim(shape)
    made = list(shape)
    made.insert(y % len(shape), made.pop(x % len(shape)))
    return (x, y), tuple(made)


def _reshape(d: Reader, shape: Shape) -> Any:
    count = size(shape)
    forms: list[Shape] = [(count,), (1, count), (count, 1), tuple(reversed(shape))]
    if count % 2 == 0 and count:
        forms += [(2, count // 2), (count // 2, 2)]
    made = d.pick(forms)
    return (made,), made


def _expand(d: Reader, shape: Shape) -> Any:
    to = d.pick((2, 3))
    made = tuple(to if n == 1 else n for n in shape)
    if d.byte() & 1 or not shape:
        made = (2, *made)
    return (made,), made


def _squeeze(d: Reader, shape: Shape) -> Any:
    if not shape or d.byte() & 1:
        return (), tuple(n for n in shape if n != 1)
    dim = d.dim(shape)
    return (dim,), without(shape, dim) if shape[dim] == 1 else shape


def _unsqueeze(d: Reader, shape: Shape) -> Any:
    dim = d.byte() % (len(shape) + 1)
    return (dim,), (*shape[:dim], 1, *shape[dim:])


def _t(d: Reader, shape: Shape) -> Any:
    return ((), shape[::-1]) if len(shape) <= 2 else None


def _flatten(d: Reader, shape: Shape) -> Any:
    return (), (size(shape),)


def _diagonal(d: Reader, shape: Shape) -> Any:
    if len(shape) < 2:
        return None
    offset = d.pick((0, 1, -1))
    rows, columns = shape[0] + min(offset, 0), shape[1] - max(offset, 0)
    return (offset,), (*shape[2:], max(0, min(rows, columns)))


def _as_strided(d: Reader, shape: Shape) -> Any:
    """Choose windows over memory that is mostly in one piece."""
    count = size(shape)
    if count < 2:
        return None
    forms: list[tuple[Shape, Shape, int]] = [
        ((count // 2,), (2,), 0),
        ((count // 2,), (2,), count % 2),
        ((count - 1,), (1,), 1),
        ((2, count // 2), (count // 2, 1), 0),
        ((count // 2, 2), (1, count // 2), 0),
    ]
    made, strides, offset = d.pick(forms)
    return (made, strides, offset), made


def _overlapping(d: Reader, shape: Shape) -> Any:
    """Windows that share entries, or all are one entry."""
    count = size(shape)
    if count < 2:
        return None
    made, strides = d.pick((((2, count - 1), (1, 1)), ((count,), (0,)), ((count - 1, 2), (1, 1))))
    return (made, strides, 0), made


def _unbind(d: Reader, shape: Shape) -> Any:
    dim = d.dim(shape)
    return (dim,), [without(shape, dim)] * shape[dim]


def _pieces(shape: Shape, dim: int, step: int) -> list[Shape]:
    axis, n = dim % len(shape), shape[dim]
    sizes = [min(step, n - start) for start in range(0, n, step)]
    return [(*shape[:axis], k, *shape[axis + 1 :]) for k in sizes]


def _split(d: Reader, shape: Shape) -> Any:
    dim = d.dim(shape)
    step = 1 + d.byte() % shape[dim]
    return (step, dim), _pieces(shape, dim, step)


def _chunk(d: Reader, shape: Shape) -> Any:
    dim = d.dim(shape)
    chunks = 1 + d.byte() % 3
    return (chunks, dim), _pieces(shape, dim, -(-shape[dim] // chunks))


def _bind_getitem(b: Any) -> Any:
    getitem = b.functions["getitem"]
    return lambda m, x, o: getitem(x[0], keys.made(o[0]))


def _spread(name: str) -> Any:
    """Give sizes one by one, where there are any."""

    def bind(b: Any) -> Any:
        function = b.functions[name]
        return lambda m, x, o: function(x[0], *(o[0] or o))

    return bind


_VIEW, _EXPAND = _one("view", _reshape), _one("expand", _expand)
_GETITEM = _one("getitem", _getitem)
_OVERLAPPING = _one("overlapping", _overlapping)

KINDS = (
    Kind(
        "getitem", _GETITEM.read, _bind_getitem, lambda n, o: f"{n[0]}[{keys.text(o[0])}]",
        ("getitem",), 20,
    ),
    _one("select", _select),
    _one("narrow", _narrow, 8),
    _one("transpose", _transpose, 8),
    _one("permute", _permute, 3),
    _one("movedim", _movedim, 2),
    _one("reshape", _reshape),
    Kind("view", _VIEW.read, _spread("view"), as_method("view"), ("view",), 8),
    Kind("expand", _EXPAND.read, _spread("expand"), as_method("expand"), ("expand",), 6),
    _one("squeeze", _squeeze),
    _one("unsqueeze", _unsqueeze),
    _one("t", _t, 3),
    _one("flatten", _flatten, 3),
    _one("diagonal", _diagonal, 3),
    _one("as_strided", _as_strided, 3),
    Kind(
        "overlapping", _OVERLAPPING.read, calls("as_strided"), as_method("as_strided"),
        ("as_strided",), 1,
    ),
    _several("unbind", _unbind),
    _several("split", _split),
    _several("chunk", _chunk),
)  # fmt: skip
