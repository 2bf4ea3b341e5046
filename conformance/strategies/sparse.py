"""Tensors that store few of their entries, and programs on them beside those on whole tensors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import normalize_axis_tuple

from ..protocol.subject import Subject
from ..truth.oracles.backpropagation import pulled_back
from ..truth.oracles.jets import Jet, allowing
from .arrays import ANY, Array

Indices = npt.NDArray[Any]

LAYOUTS = ("coo", "csr", "csc", "bsr", "bsc")

ROWS, COLUMNS, WIDTH = 3, 4, 2
"""Sizes of the matrices that are multiplied, and of the dense ones beside them."""


def numbers(rng: np.random.Generator, *shape: int) -> Array:
    """Draw short binary fractions, many of them zero or ties."""
    return rng.choice(ANY, size=shape)


@dataclass(frozen=True)
class Stored:
    """Which entries of a tensor are stored, in which order, and what they are.

    An entry that is stored twice is the sum of both; one that is stored may be zero.
    """

    layout: str
    sizes: tuple[int, ...]
    at: tuple[Indices, ...]
    """Indices of what is stored, for each sparse axis: of blocks, where there are blocks."""
    values: Array
    block: tuple[int, int] = (1, 1)
    coalesced: bool = False
    """Whether the library is told that places are sorted, and none is there twice."""

    @property
    def places(self) -> tuple[Indices, ...]:
        """Where the values lie in the whole tensor: an index for each of the sparse axes."""
        if self.layout not in ("bsr", "bsc"):
            return self.at
        (rows, columns), (high, wide) = self.at, self.block
        return (
            (rows * high)[:, None, None] + np.arange(high)[:, None],
            (columns * wide)[:, None, None] + np.arange(wide),
        )

    def of(self, be: Subject, values: Any) -> Any:
        """Make the tensor of `be` that stores these values."""
        make = be.lookup(f"torch:sparse_{self.layout}_tensor")
        if self.layout == "coo":
            told = {"is_coalesced": True} if self.coalesced else {}
            at = be.tensor(np.stack(self.at))
            return make(at, values, self.sizes, check_invariants=True, **told)
        upright = self.layout in ("csc", "bsc")
        outer, inner = self.at[::-1] if upright else self.at
        count = self.sizes[upright] // self.block[upright]
        starts = np.cumsum([0, *np.bincount(outer, minlength=count)])
        # A sum lies in memory of its own, also without entries: PyTorch 2.11 takes no other.
        ends, places = be.tensor(starts), be.tensor(inner.copy()) + 0
        return make(ends, places, values, self.sizes, check_invariants=True)

    def spread(self, values: Any) -> Any:
        """Write values out in full, those of one place added up: arrays or jets."""
        whole: Any = np.zeros(self.sizes)
        if isinstance(values, Jet):
            whole = Jet.exact(whole, like=values)
        np.add.at(whole, self.places, values)
        return whole

    def gathered(self, whole: Array) -> Array:
        """Pick the entries of a whole tensor that are stored."""
        picked: Array = whole[self.places]
        return picked

    @property
    def there(self) -> Array:
        """Which entries of the whole tensor are stored."""
        return np.asarray(self.spread(np.ones_like(self.values)) > 0)


def stored(
    rng: np.random.Generator, layout: str, *, sizes: Sequence[int] = (), tail: Sequence[int] = ()
) -> Stored:
    """Draw what is stored of a tensor: nothing, something or all of it, whole rows left out.

    `sizes` are those of the sparse axes, which are drawn as well if there are none; `tail` those of
    the axes after them, along which all entries of a place are stored.
    """
    if layout == "coo":
        lengths = tuple(sizes) or tuple(rng.integers(1, 5, size=rng.integers(1, 4)).tolist())
        count = int(rng.integers(0, 8))
        at = np.stack([rng.integers(0, n, size=count) for n in lengths])
        told = bool(rng.integers(2))
        at = np.unique(at, axis=1) if told else at
        values = numbers(rng, at.shape[1], *tail)
        return Stored(layout, (*lengths, *tail), tuple(at), values, coalesced=told)
    blocks = (2, 2) if layout in ("bsr", "bsc") else (1, 1)
    rows, columns = sizes or (int(rng.integers(1, 4)) * blocks[0], int(rng.integers(1, 4)) * 2)
    there = rng.random((rows // blocks[0], columns // blocks[1])) < rng.choice([0.0, 0.4, 1.0])
    there[rng.integers(len(there))] &= bool(rng.integers(2))
    first, second = np.nonzero(there)
    if layout in ("csc", "bsc"):
        order = np.lexsort((first, second))
        first, second = first[order], second[order]
    inside = blocks if layout in ("bsr", "bsc") else ()
    values = numbers(rng, len(first), *inside, *tail)
    return Stored(layout, (rows, columns, *tail), (first, second), values, blocks)


def dense(x: Any) -> Any:
    """Write a tensor of the library out in full, if it is not."""
    return x if str(x.layout) == "torch.strided" else x.to_dense()


Program = Callable[..., Any]


@dataclass(frozen=True)
class Beside:
    """A program on tensors of which few entries are stored, and the same on whole ones.

    `program(be, *sparse, *leaves)` is run by the library, `whole(*tensors)` on jets.
    """

    sparse: tuple[Stored, ...]
    others: tuple[Array, ...]
    program: Program
    whole: Program
    seed: int

    @property
    def arrays(self) -> list[Array]:
        """What has gradients: the values that are stored, and the dense tensors."""
        return [*(each.values for each in self.sparse), *self.others]

    def _true(self, seeds: Sequence[Jet]) -> Jet:
        spread = [s.spread(jet) for s, jet in zip(self.sparse, seeds, strict=False)]
        made: Jet = self.whole(*spread, *seeds[len(self.sparse) :])
        return made

    def _result(self, be: Subject, leaves: Sequence[Any]) -> Any:
        made = [s.of(be, leaf) for s, leaf in zip(self.sparse, leaves, strict=False)]
        return dense(self.program(be, *made, *leaves[len(self.sparse) :]))

    def check(self, be: Subject, what: str) -> None:
        """Compare the result, and gradients for what is stored and for what is dense.

        Raises AssertionError.
        """
        seeds, leaves = Jet.seeds(self.arrays), [be.leaf(x) for x in self.arrays]
        true, result = self._true(seeds), self._result(be, leaves)
        be.check(result, true.total, what)
        w = numbers(np.random.default_rng(self.seed), *true.shape)
        found = be.gradients(result, leaves, be.tensor(w))
        for gradient, right in zip(found, pulled_back(true, w, seeds), strict=True):
            be.check(dense(gradient), right, f"gradient of {what}")

    def check_twice(self, be: Subject, what: str) -> None:
        """Compare second derivatives, of the sum of squares of the result by weights.

        Raises AssertionError.
        """
        rng = np.random.default_rng(self.seed)
        arrays = self.arrays
        tangents = [numbers(rng, *x.shape) for x in arrays]
        true = self._true(Jet.seeds(arrays, tangents=tangents))
        w = numbers(rng, *true.shape)
        slopes = (w * true * true).sum().numbers[:, 1, 1:]
        leaves = [be.leaf(x) for x in arrays]
        result = self._result(be, leaves)
        loss = be.sum(be.tensor(w) * result * result)
        first = be.gradients(loss, leaves, create_graph=True)
        paired = [be.sum(dense(g) * be.tensor(t)) for g, t in zip(first, tangents, strict=True)]
        found = be.gradients(sum(paired[1:], paired[0]), leaves)
        ends = np.cumsum([x.size for x in arrays])[:-1]
        for gradient, x, part in zip(found, arrays, np.split(slopes, ends, axis=1), strict=True):
            right = allowing(*part.reshape(2, *x.shape))
            be.check(dense(gradient), right, f"second derivative of {what}")


def _torch(name: str) -> Program:
    """Call a function of the library by its name."""
    return lambda be, *x, **options: be.lookup(f"torch{name}")(*x, **options)


# ---- products ------------------------------------------------------------------------------------

BOTH = {"beta": 0.5, "alpha": -2.0}

MATRIX: Mapping[str, tuple[Program, Program, tuple[tuple[int, ...], ...]]] = {
    "@": (_torch(":matmul"), lambda a, b: a @ b, ((COLUMNS, WIDTH),)),
    "mm": (_torch(":mm"), lambda a, b: a @ b, ((COLUMNS, WIDTH),)),
    "mv": (_torch(":mv"), lambda a, b: a @ b, ((COLUMNS,),)),
    "from the left": (
        lambda be, a, b: be.lookup("torch:matmul")(b, a),
        lambda a, b: b @ a,
        ((WIDTH, ROWS),),
    ),
    "addmm": (
        lambda be, a, c, b: be.lookup("torch:addmm")(c, a, b, **BOTH),
        lambda a, c, b: 0.5 * c + -2.0 * (a @ b),
        ((ROWS, WIDTH), (COLUMNS, WIDTH)),
    ),
    "linear": (
        lambda be, a, b: be.lookup("torch.nn.functional:linear")(b, a),
        lambda a, b: b @ a.T,
        ((WIDTH, COLUMNS),),
    ),
    "transposed": (
        lambda be, a, b: be.lookup("torch:matmul")(a.t(), b),
        lambda a, b: a.T @ b,
        ((ROWS, WIDTH),),
    ),
}
"""Products of a sparse matrix and what is dense, whose shapes come last."""

SPARSE_MM: Mapping[str, tuple[Program, Program, tuple[tuple[int, ...], ...]]] = {
    "mm": (_torch(".sparse:mm"), lambda a, b: a @ b, ((COLUMNS, WIDTH),)),
    "addmm": (
        lambda be, a, c, b: be.lookup("torch.sparse:addmm")(c, a, b, **BOTH),
        lambda a, c, b: 0.5 * c + -2.0 * (a @ b),
        ((ROWS, WIDTH), (COLUMNS, WIDTH)),
    ),
}
"""Products whose gradient for the sparse matrix is sparse as well."""


def product(seed: int, layout: str, way: str, *, masked: bool = False) -> Beside:
    """Choose a sparse matrix and what it is multiplied with."""
    rng = np.random.default_rng(seed)
    program, whole, shapes = (SPARSE_MM if masked else MATRIX)[way]
    matrix = stored(rng, layout, sizes=(ROWS, COLUMNS))
    others = tuple(numbers(rng, *shape) for shape in shapes)
    return Beside((matrix,), others, program, whole, seed)


def squared(seed: int, layout: str, *, by: str = "") -> Beside:
    """Choose two sparse matrices that are multiplied, in their own layout or by another."""
    rng = np.random.default_rng(seed)
    pair = stored(rng, layout, sizes=(3, 3)), stored(rng, layout, sizes=(3, 3))

    def program(be: Subject, *factors: Any) -> Any:
        turn = be.lookup(f"torch:Tensor.to_sparse_{by}") if by else lambda x: x
        return be.lookup("torch:matmul")(*map(turn, factors))

    return Beside(pair, (), program, lambda a, b: a @ b, seed)


def sampled(seed: int) -> Beside:
    """Choose factors of a product of which only the entries are asked that a matrix stores."""
    rng = np.random.default_rng(seed)
    matrix = stored(rng, "csr", sizes=(ROWS, COLUMNS))
    others = numbers(rng, ROWS, WIDTH), numbers(rng, WIDTH, COLUMNS)
    return Beside(
        (matrix,),
        others,
        lambda be, a, x, y: be.lookup("torch.sparse:sampled_addmm")(a, x, y, **BOTH),
        lambda a, x, y: 0.5 * a + -2.0 * (x @ y) * matrix.there,
        seed,
    )


# ---- entry by entry, along axes, and other layouts -----------------------------------------------

ENTRIES: Mapping[str, tuple[Program, Program]] = {
    "x * d": (_torch(":mul"), lambda x, d: x * d),
    "d * x": (lambda be, x, d: be.lookup("torch:mul")(d, x), lambda x, d: d * x),
    "d + x": (lambda be, x, d: be.lookup("torch:add")(d, x), lambda x, d: d + x),
    "d - 2 x": (lambda be, x, d: be.lookup("torch:sub")(d, x, alpha=2.0), lambda x, d: d - 2.0 * x),
    "d * d + 3 x": (
        lambda be, x, d: be.lookup("torch:add")(d * d, x, alpha=3.0),
        lambda x, d: d * d + 3.0 * x,
    ),
}
"""Sums and products of a sparse tensor and a dense one of its shape."""

AMONG: Mapping[str, tuple[Program, Program]] = {
    "x * 2": (lambda be, x: be.lookup("torch:mul")(x, 2.0), lambda x: 2.0 * x),
    "x / 4": (lambda be, x: be.lookup("torch:div")(x, 4.0), lambda x: 0.25 * x),
    "-x": (_torch(":neg"), lambda x: -x),
    "x + x": (lambda _be, x: x + x, lambda x: x + x),
    "x * x": (lambda _be, x: x * x, lambda x: x * x),
    "square": (_torch(":square"), lambda x: x * x),
    "x + y": (_torch(":add"), lambda x, y: x + y),
    "x - y / 2": (
        lambda be, x, y: be.lookup("torch:sub")(x, y, alpha=0.5),
        lambda x, y: x - 0.5 * y,
    ),
    "x * y": (_torch(":mul"), lambda x, y: x * y),
    "x * y + x": (lambda _be, x, y: x * y + x, lambda x, y: x * y + x),
}
"""Sums and products of sparse tensors and numbers; names say of how many tensors."""


def _tail(rng: np.random.Generator) -> tuple[int, ...]:
    return [(), (2,), (2, 3)][int(rng.integers(3))]


def beside_dense(seed: int, way: str) -> Beside:
    """Choose a sparse tensor and a dense one of its shape."""
    rng = np.random.default_rng(seed)
    tensor = stored(rng, "coo", tail=_tail(rng))
    return Beside((tensor,), (numbers(rng, *tensor.sizes),), *ENTRIES[way], seed)


def among_sparse(seed: int, way: str) -> Beside:
    """Choose two sparse tensors of one shape."""
    rng = np.random.default_rng(seed)
    tail = _tail(rng)
    first = stored(rng, "coo", tail=tail)
    pair = first, stored(rng, "coo", sizes=first.sizes[: len(first.at)], tail=tail)
    return Beside(pair[: 1 + ("y" in way)], (), *AMONG[way], seed)


def summed(seed: int) -> Beside:
    """Choose a sparse tensor and the axes along which it is added up."""
    rng = np.random.default_rng(seed)
    tensor = stored(rng, "coo", tail=_tail(rng))
    rank = len(tensor.sizes)
    axes = rng.permutation(rank)[: rng.integers(1, rank + 1)].tolist()
    axes = [int(n) - rank * int(rng.integers(2)) for n in axes]
    told: tuple[Any, ...] = [(axes,), (tuple(axes),), (axes[0],), ()][int(rng.integers(4))]
    gone = normalize_axis_tuple(told[0], rank) if told else tuple(range(rank))
    return Beside(
        (tensor,), (), lambda be, x: be.lookup("torch.sparse:sum")(x, *told), _over(gone), seed
    )


def _over(axes: tuple[int, ...]) -> Program:
    return lambda x: x.sum(axes)


def shares(seed: int, name: str, *, behind: bool) -> list[Beside]:
    """Choose a sparse tensor, along each axis of which `name`, a softmax, is taken.

    The axes are counted from the front, or from `behind`.
    """
    rng = np.random.default_rng(seed)
    tensor = stored(rng, "coo", tail=_tail(rng))
    rank = len(tensor.sizes)
    return [_shares_along(tensor, name, n - rank * behind, seed) for n in range(rank)]


def _shares_along(tensor: Stored, name: str, axis: int, seed: int) -> Beside:
    there = tensor.there

    def whole(x: Any) -> Any:
        powers = np.exp(x) * there
        sums = powers.sum(axis, keepdims=True) + ~there.any(axis, keepdims=True)
        return powers / sums if name == "softmax" else (x - np.log(sums)) * there

    return Beside(
        (tensor,), (), lambda be, x: be.lookup(f"torch.sparse:{name}")(x, axis), whole, seed
    )


def masked(seed: int) -> Beside:
    """Choose a dense tensor and the places of another one, at which it is looked at."""
    rng = np.random.default_rng(seed)
    mask = stored(rng, "coo", tail=_tail(rng))
    return Beside(
        (),
        (numbers(rng, *mask.sizes),),
        lambda be, d: be.lookup("torch:Tensor.sparse_mask")(
            d, mask.of(be, be.tensor(mask.values)).coalesce()
        ),
        lambda d: d * mask.there,
        seed,
    )


def turned(seed: int) -> Beside:
    """Choose a sparse tensor and two of its sparse axes to exchange, one from either end."""
    rng = np.random.default_rng(seed)
    tensor = stored(rng, "coo", tail=_tail(rng))
    one, other = (int(n) for n in rng.integers(len(tensor.at), size=2))
    one -= len(tensor.sizes) * int(rng.integers(2))
    return Beside(
        (tensor,),
        (),
        lambda be, x: be.lookup("torch:transpose")(x, one, other),
        _exchanged(one, other),
        seed,
    )


def _exchanged(one: int, other: int) -> Program:
    return lambda x: x.swapaxes(one, other)


def converted(seed: int) -> Beside:
    """Choose a sparse matrix, and layouts through which it goes one after the other."""
    rng = np.random.default_rng(seed)
    first, *others = rng.choice(LAYOUTS[:3], size=4).tolist()
    matrix = stored(rng, first, sizes=(ROWS, COLUMNS))

    def program(be: Subject, x: Any) -> Any:
        for layout in others:
            x = be.lookup(f"torch:Tensor.to_sparse_{layout}")(x)
        return x

    return Beside((matrix,), (), program, lambda x: x, seed)


# ---- dense tensors that become sparse ------------------------------------------------------------


@dataclass(frozen=True)
class Made:
    """A dense tensor, the method that makes a sparse one of it, and what that stores."""

    x: Array
    method: str
    told: tuple[Any, ...]
    there: Array

    def of(self, be: Subject, x: Any) -> Any:
        """Make the sparse tensor."""
        return be.lookup(f"torch:Tensor.{self.method}")(x, *self.told)


def made(seed: int) -> Made:
    """Choose a matrix, or more of them side by side, and a layout it gets."""
    rng = np.random.default_rng(seed)
    tail = _tail(rng)
    shape = (2 * int(rng.integers(1, 3)), 2 * int(rng.integers(1, 3)), *tail)
    x = numbers(rng, *shape) * (rng.random(shape) < 0.5)
    x[int(rng.integers(shape[0]))] *= rng.integers(2)
    layout = str(rng.choice(LAYOUTS))
    if layout == "coo":
        axes = int(rng.integers(1, x.ndim + 1))
        kept = (x != 0).any(tuple(range(axes, x.ndim)), keepdims=True)
        return Made(x, "to_sparse", (axes,), np.broadcast_to(kept, shape))
    kept = (x != 0).any(tuple(range(2, x.ndim)), keepdims=True)
    if layout in ("csr", "csc"):
        return Made(x, f"to_sparse_{layout}", (len(tail),), np.broadcast_to(kept, shape))
    blocks = kept.reshape(shape[0] // 2, 2, shape[1] // 2, 2).any((1, 3))
    there = blocks.repeat(2, 0).repeat(2, 1).reshape(*shape[:2], *[1] * len(tail))
    return Made(x, f"to_sparse_{layout}", ((2, 2), len(tail)), np.broadcast_to(there, shape))


def through_sparse(seed: int, layout: str) -> Beside:
    """Choose a dense matrix that is multiplied as a sparse one."""
    rng = np.random.default_rng(seed)
    x = numbers(rng, ROWS, COLUMNS) * (rng.random((ROWS, COLUMNS)) < 0.5)

    def program(be: Subject, a: Any, b: Any) -> Any:
        return be.lookup("torch:matmul")(be.lookup(f"torch:Tensor.to_sparse_{layout}")(a), b)

    return Beside((), (x, numbers(rng, COLUMNS, WIDTH)), program, lambda a, b: a @ b, seed)


def rectified(seed: int) -> Beside:
    """Choose two sparse matrices, the first of which is cut off at 0 before they are multiplied."""
    rng = np.random.default_rng(seed)
    pair = stored(rng, "coo", sizes=(3, 3)), stored(rng, "coo", sizes=(3, 3))
    return Beside(
        pair,
        (),
        lambda be, a, b: be.lookup("torch:matmul")(be.lookup("torch:relu")(a), b),
        lambda a, b: (a * (a.value > 0)) @ b,
        seed,
    )
