"""Statements that choose and place entries by an index or a mask, and write into nothing."""

from typing import Any

from . import keys
from .forms import Read, numbers, written
from .language import Kind, Shape, Statement
from .reading import OVERLAP, Reader, broadcast, size


def mask(d: Reader, shape: Shape) -> tuple[int, ...]:
    """Choose zeros and ones."""
    seed = d.byte()
    return tuple((seed >> i % 8 & 1) ^ (i * seed >> 3 & 1) for i in range(size(shape)))


def bools(entries: Any, shape: Shape) -> str:
    """Write a mask."""
    return f"torch.tensor({written([bool(each) for each in entries], shape)}, dtype=torch.bool)"


def places(d: Reader, shape: Shape, extent: int) -> tuple[int, ...]:
    """Choose places below `extent` for a tensor of this shape; some of them twice."""
    seed = d.byte()
    return tuple((seed + 3 * i + (seed >> 5) * i * i) % extent for i in range(size(shape)))


def _gather(d: Reader) -> Statement | None:
    x = d.operand(lambda s: len(s) > 0 and 0 not in s)
    if x < 0:
        return None
    shape = d.shapes[x]
    dim = d.byte() % len(shape)
    d.result(shape, x)
    return Statement("gather", (x,), (dim, beyond(d, places(d, shape, shape[dim])), shape), 1)


BEYOND = 240
"""From here on, a byte asks for an index that is refused."""


def beyond(d: Reader, index: tuple[int, ...]) -> tuple[int, ...]:
    """Let the last place lie before the first one, or behind the last, once in a while."""
    byte = d.byte()
    return (*index[:-1], index[-1] + (9 if byte & 1 else -9)) if byte >= BEYOND else index


def scattered(name: str, *, inplace: bool, dense: bool) -> Read:
    """Read a scatter: of `dense` ones, each place is written once."""

    def read(d: Reader) -> Statement | None:
        fits = lambda s: len(s) > 0 and 0 not in s  # noqa: E731
        x = d.target(fits) if inplace else d.operand(fits, 0, OVERLAP)
        if x < 0:
            return None
        shape = d.shapes[x]
        y = d.operand(lambda s: s == shape)
        if y < 0:
            return None
        dim = d.byte() % len(shape)
        index = rotation(d, shape, dim) if dense else places(d, shape, shape[dim])
        if inplace:  # what a refused one has written by then is no promise
            d.wrote(x, y)
        else:
            index = beyond(d, index)
            d.result(shape, x, y)
        return Statement(name, (x, y), (dim, index, shape), 0 if inplace else 1)

    return read


def rotation(d: Reader, shape: Shape, dim: int) -> tuple[int, ...]:
    """Choose an index that names each place of `dim` once."""
    by = d.byte()
    inner = size(shape[dim + 1 :])
    return tuple((i // inner + by) % shape[dim] for i in range(size(shape)))


def bind_scattered(name: str) -> Any:
    """Carry out a gather or a scatter."""

    def bind(b: Any) -> Any:
        function = b.functions[name]

        def run(m: Any, x: Any, o: Any) -> Any:
            index = b.tensor(numbers(*o[1:3]), "int64", m.table.device)
            values = [m.table.clone(y) if y is x[0] else m.apart(x[0], y) for y in x[1:]]
            return function(x[0], o[0], index, *values)

        return run

    return bind


def scattered_text(name: str) -> Any:
    """Write a gather or a scatter."""

    def text(n: Any, o: Any) -> str:
        words = [str(o[0]), f"torch.tensor({written(*o[1:3])})", *n[1:]]
        return f"{n[0]}.{name}({', '.join(words)})"

    return text


def _taken(d: Reader) -> Statement | None:
    x = d.operand(lambda s: len(s) > 0 and s[0] > 0)
    if x < 0:
        return None
    shape = d.shapes[x]
    rows = places(d, (1 + d.byte() % 3,), shape[0])
    d.result((len(rows), *shape[1:]), x)
    return Statement("rows", (x,), (rows,), 1)


def _bind_taken(b: Any) -> Any:
    getitem = b.functions["getitem"]
    return lambda m, x, o: getitem(x[0], b.tensor(numbers(o[0], (-1,)), "int64", m.table.device))


def _mixed(d: Reader) -> Statement | None:
    x = d.operand(lambda s: len(s) > 0 and 0 not in s)
    if x < 0:
        return None
    key = keys.mixed(d, d.shapes[x])
    d.result(keys.places_of(key, d.shapes[x]).shape, x)
    return Statement("mixed", (x,), (key,), 1)


def _bind_mixed(b: Any) -> Any:
    getitem, contiguous = b.functions["getitem"], b.functions["contiguous"]
    # How the result lies is its own affair, and whether it is a view of it that a reshape makes.
    return lambda m, x, o: contiguous(getitem(x[0], keys.with_tensors(b, m, o[0])))


def _masked(d: Reader) -> Statement:
    x = d.operand()
    shape = d.shapes[x]
    chosen = mask(d, shape)
    d.result((sum(chosen),), x)
    return Statement("masked", (x,), (chosen, shape), 1)


def _bind_masked(b: Any) -> Any:
    getitem = b.functions["getitem"]
    return lambda m, x, o: getitem(
        x[0], b.tensor(numbers(o[0], o[1], bool), "bool", m.table.device)
    )


def _index_put(d: Reader) -> Statement | None:
    x = d.operand(lambda s: len(s) > 0 and s[0] > 0)
    if x < 0:
        return None
    shape = d.shapes[x]
    accumulate = d.chance(2)
    rows = places(d, (1 + d.byte() % 2,), shape[0])
    if len(set(rows)) < len(rows) and not accumulate:  # which of two writes stays is no promise
        rows = rows[:1]
    y = d.operand(lambda s: broadcast(s, (len(rows), *shape[1:])) == (len(rows), *shape[1:]))
    if y < 0:
        return None
    d.result(shape, x, y)
    return Statement("index_put", (x, y), (rows, accumulate), 1)


def _bind_index_put(b: Any) -> Any:
    index_put = b.functions["index_put"]

    def run(m: Any, x: Any, o: Any) -> Any:
        index = b.tensor(numbers(o[0], (-1,)), "int64", m.table.device)
        return index_put(x[0], (index,), x[1], o[1])

    return run


KINDS = (
    Kind("gather", _gather, bind_scattered("gather"), scattered_text("gather"), ("gather",)),
    Kind(
        "scatter",
        scattered("scatter", inplace=False, dense=True),
        bind_scattered("scatter"),
        scattered_text("scatter"),
        ("scatter",),
        2,
    ),
    Kind(
        "scatter_add",
        scattered("scatter_add", inplace=False, dense=False),
        bind_scattered("scatter_add"),
        scattered_text("scatter_add"),
        ("scatter_add",),
        2,
    ),
    Kind(
        "rows",
        _taken,
        _bind_taken,
        lambda n, o: f"{n[0]}[torch.tensor({list(o[0])})]",
        ("getitem",),
    ),
    Kind(
        "mixed",
        _mixed,
        _bind_mixed,
        lambda n, o: f"{n[0]}[{keys.text(o[0])}].contiguous()",
        ("getitem", "contiguous"),
        3,
    ),
    Kind("masked", _masked, _bind_masked, lambda n, o: f"{n[0]}[{bools(*o)}]", ("getitem",), 2),
    Kind(
        "index_put",
        _index_put,
        _bind_index_put,
        lambda n, o: f"{n[0]}.index_put((torch.tensor({list(o[0])}),), {n[1]}, {o[1]})",
        ("index_put",),
        2,
    ),
)
