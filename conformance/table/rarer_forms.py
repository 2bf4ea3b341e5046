"""Forms that few calls have: operands that broadcast elsewhere, single samples, orders and ends."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..truth.oracles.jets import Jet
from ..truth.oracles.special import sinc
from .arguments import Arguments, Drawing, products
from .attention import attended
from .convolutions import convolution, transposed
from .decompositions import in_norm, reflected, reflected_again, solved, turned
from .drawing import (
    HALVES,
    NONZERO,
    SMALL,
    Array,
    Draw,
    Shape,
)
from .layer_forms import last_of
from .linalg import add_product, dominant
from .matrix_forms import conditioned, size_of, wide
from .networks import normalised
from .normalizing import aside
from .operation import Operation
from .reducing_forms import norm_of
from .resampling import framed
from .shaping import shape_of
from .writing import put

# ---- products ------------------------------------------------------------------------------------


def summand(*pool: tuple[Shape, ...]) -> Drawing:
    """Draw a summand that broadcasts to a product, two factors, and what each is multiplied by."""

    def draw(d: Draw) -> Arguments:
        tensors = tuple(d.array(shape, SMALL) for shape in d.shapes(*pool))
        return Arguments(tensors, (), {"beta": d.pick(1.0, 0.5), "alpha": d.pick(1.0, -2.0)})

    return draw


TO_ADD = (
    ((1, 2), (3, 2), (2, 2)), ((3, 1), (3, 2), (2, 2)), ((2,), (3, 2), (2, 2)),
    ((), (2, 3), (3, 2)), ((1, 1), (2, 2), (2, 3)),
)  # fmt: skip
TO_ADD_TO_BATCHES = (
    ((1, 2, 2), (2, 2, 1), (2, 1, 2)), ((2, 2), (2, 2, 1), (2, 1, 2)),
    ((2, 1, 1), (2, 2, 2), (2, 2, 1)),
)  # fmt: skip
BATCHES = (
    ((1, 2, 3), (2, 3, 1)), ((2, 1, 3), (1, 3, 2)), ((3,), (2, 3, 1)), ((2, 2, 3), (3,)),
    ((1, 2, 2, 1), (2, 1, 1, 2)), ((2, 1, 2), (1, 1, 2, 1)),
)  # fmt: skip


def kronecker(x: Array, y: Array) -> Array:
    """Every entry of x times all of y, where axes that are missing come first."""
    rank = max(x.ndim, y.ndim)
    a, b = ((1,) * (rank - z.ndim) + z.shape for z in (x, y))
    left = x.reshape([n for size in a for n in (size, 1)])
    right = y.reshape([n for size in b for n in (1, size)])
    return (left * right).reshape([n * m for n, m in zip(a, b, strict=True)])


# ---- factors -------------------------------------------------------------------------------------


def high_powers(d: Draw) -> Arguments:
    """Draw matrices far from singular, and an exponent that is neither small nor positive."""
    return Arguments((dominant(d),), (d.pick(-2, -3, 4, 5),))


def fewer(d: Draw) -> Arguments:
    """Draw what reflections are stored as, and scales for the first of them only."""
    shape = d.shape((3, 2), (2, 2), (2, 3, 2), many=0)
    scales = np.array([2.0, -0.5, 3.0])
    return Arguments((d.array(shape, SMALL),
                      d.array((*shape[:-2], 1), np.resize(scales, 256))))  # fmt: skip


def of_few(formula: Callable[..., Array]) -> Callable[..., Array]:
    """Let what has no scale reflect nothing."""

    def forward(a: Array, scales: Array) -> Array:
        none = 0 * a[..., 0, scales.shape[-1] :]
        return formula(a, np.concatenate([scales, none], -1))

    return forward


def least(a: Array, b: Array) -> Array:
    """The shortest of the solutions, where there are more unknowns than equations."""
    return turned(a) @ solved(a @ turned(a), b)


# ---- places --------------------------------------------------------------------------------------


def from_ends(d: Draw) -> Arguments:
    """Draw a tensor, what is put into it, and places of which some are counted from the end."""
    shape = d.shape((3, 2), (2, 3), (4,), (2, 2, 2))
    add = d.pick(True, False)
    index = np.argsort(d.indices((shape[0],), 256), kind="stable")[:2]
    keys = (index - shape[0] * d.mask((2,)),)
    return Arguments((d.array(shape), d.array((2, *shape[1:]))), (keys, add))


def call_put(be: Any, x: Any, values: Any, keys: tuple[Array, ...], add: bool) -> Any:  # noqa: FBT001
    """Call it with keys that are constants."""
    return be.index_put_ends(x, tuple(map(be.tensor, keys)), values, accumulate=add)


BLOCKS = (((2, 2), ()), ((2,), (1, 2)), ((), (3,), (2, 1)), ((), ()))


def diagonally(*blocks: Array) -> Array:
    """Put rows and numbers on the diagonal of a matrix too."""
    rows = [each.reshape((1,) * (2 - each.ndim) + each.shape) for each in blocks]
    return np.concatenate([
        np.concatenate([each * (1.0 if n == m else 0.0) if n == m else
                        0 * (each[:, :1] @ other[:1]) for m, other in enumerate(rows)], 1)
        for n, each in enumerate(rows)
    ])  # fmt: skip


def backwards(d: Draw) -> Arguments:
    """Draw a tensor, and several of its axes, some counted from the end."""
    shape = d.shape((2, 3, 2), (3, 1, 2), (2, 2, 3))
    return Arguments((d.array(shape),), (d.pick((0, -1), (-1, -2), (-3, 1, -1)),))


def many_axes(d: Draw) -> Arguments:
    """Draw a tensor of four or six axes, and an order of them that is not its own inverse."""
    shape = d.shape((2, 1, 3, 2), (1, 2, 2, 3), (2, 1, 3, 1, 2, 1))
    orders: dict[int, tuple[tuple[int, ...], ...]] = {
        4: ((1, 2, 3, 0), (2, 0, 1, 3), (-1, 0, -3, -2), (3, 1, 0, 2)),
        6: ((1, 2, 3, 4, 5, 0), (4, 0, 1, 3, 5, 2), (-1, 0, -3, 1, -2, 2)),
    }
    order = d.pick(*orders[len(shape)])
    return Arguments((d.array(shape),), (order,))


def corners_too(d: Draw) -> Arguments:
    """Draw images, and how many entries go to each of their four sides."""
    shape = d.shape((1, 2, 3), (1, 1, 3, 4), (2, 3, 2))
    return Arguments((d.array(shape),), (d.pick((1, 1, 1, 1), (1, 0, 0, 1), (0, 1, 1, 0)),))


# ---- layers --------------------------------------------------------------------------------------


def single(call: Callable[..., Array]) -> Callable[..., Array]:
    """Compute it of one sample."""

    def forward(x: Array, *rest: Any) -> Array:
        result: Array = call(x[None], *rest)[0]
        return result

    return forward


def one_sample(d: Draw) -> Arguments:
    """Draw one sample, kernels, biases and options."""
    x, weight, bias = d.shapes(((2, 4), (2, 2, 2), (2,)), ((1, 5), (1, 1, 3), (1,)), many=0)
    options = d.pick((1, 0), (2, 1), (1, 1))
    return Arguments(tuple(d.array(s, SMALL) for s in (x, weight, bias)), options)


def with_part(x: Array, part: Array, kind: str) -> Array:
    """Multiply by weights, or add a bias."""
    return x * part if kind == "weight" else x + part


def halved(*shapes: Shape, own: Callable[[Shape], Shape], **options: tuple[Any, ...]) -> Drawing:
    """Draw a tensor, either weights or a bias, and options."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*shapes)
        named = {key: d.pick(*some) for key, some in options.items()}
        kind = {"kind": d.pick("bias", "weight")}
        return Arguments((d.array(shape, HALVES), d.array(own(shape), SMALL)), (), kind | named)

    return draw


def in_groups(x: Array, part: Array, kind: str, groups: int) -> Array:
    """Normalise each group of channels, and multiply or add."""
    off = normalised(x.reshape((x.shape[0], groups, -1)), (2,), 0.25).reshape(x.shape)
    return with_part(off, aside(part, x.ndim), kind)


def by_channels(x: Array, part: Array, kind: str) -> Array:
    """Normalise each channel by its own statistics, and multiply or add."""
    off = normalised(x, (0, *range(2, x.ndim)), 0.25)
    return with_part(off, aside(part, x.ndim), kind)


def biased(d: Draw) -> Arguments:
    """Draw queries, keys and values, and a bias of scores that broadcasts and is learned."""
    q, k, v, bias = d.shapes(
        ((1, 2, 2, 1), (1, 2, 3, 1), (1, 2, 3, 1), (2, 3)),
        ((2, 2, 2), (2, 2, 2), (2, 2, 1), (1, 2)),
        ((2, 2, 2), (2, 2, 2), (2, 2, 1), (2, 1, 2)),
        ((1, 2, 1), (1, 2, 1), (1, 2, 1), (1, 2, 2)),
        many=0,
    )
    tensors = (*(d.array(s, HALVES) for s in (q, k, v)), d.array(bias, SMALL))
    return Arguments(tensors, (), {"scale": d.pick(None, 0.5)})


# ---- antialiasing --------------------------------------------------------------------------------


def triangle(far: Any) -> Any:
    """Fall to zero along straight lines."""
    return np.maximum(0, 1 - far)


def cubic(far: Any) -> Any:
    """Fall below zero and rise to it, by two polynomials (Keys 1981, where a is -1/2)."""
    near = 1.5 * far**3 - 2.5 * far**2 + 1
    return np.where(far < 1, near, np.where(far < 2, -0.5 * (far - 1) * (far - 2) ** 2, 0))


def lanczos(far: Any) -> Any:
    """Swing as a sine over its angle does, within one such of three times the width."""
    return np.where(far < 3, sinc(far) * sinc(far / 3), 0)


def filtered(n: int, out: int, kernel: Callable[[Any], Any]) -> Jet:
    """How much each entry of an axis counts for each of another size, by how far it lies.

    The weights are computed as well, and off by what that rounds.
    """
    scale = n / out
    reach = max(scale, 1.0)
    middle = (np.arange(out) + 0.5) * scale
    made = kernel(Jet.given(np.abs(np.arange(n) + 0.5 - middle[:, None]) / reach))
    result: Jet = made / made.sum(1, keepdims=True)
    return result


def antialiased(kernel: Callable[[Any], Any]) -> Callable[..., Any]:
    """Give images another size, where all entries count that lie near."""

    def forward(x: Any, sizes: Shape) -> Any:
        for axis, out in enumerate(sizes, start=2):
            weights = filtered(x.shape[axis], out, kernel)
            matrix = weights if isinstance(x, Jet) else weights.value
            x = np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
        return x

    return forward


def shrinking(word: str, mode: str, kernel: Callable[[Any], Any], draw: Drawing) -> Operation:
    """Make the record of resizing with a filter."""
    name = f"interpolate_antialiased{word}"

    def call(be: Any, x: Any, sizes: Shape) -> Any:
        return getattr(be, name)(x, sizes, mode=mode, antialias=True)

    return Operation(name, antialiased(kernel), draw, linear=True, nondeterministic=True, call=call)


TO_SHRINK = ((1, 1, 4, 4), (2, 2)), ((1, 2, 4, 2), (1, 2)), ((2, 1, 2, 4), (2, 1))
TO_THIN = ((1, 1, 4, 1), (2, 1)), ((1, 2, 4, 2), (2, 1)), ((2, 1, 2, 4), (4, 1))
"""Images, with other sizes for them; and such that one column is left, of another height."""


def to_resize(*sizes: tuple[Shape, Shape]) -> Drawing:
    """Draw images, and other sizes for them."""

    def drawn(d: Draw) -> Arguments:
        shape, size = d.pick(*sizes)
        return Arguments((d.array(shape, SMALL),), (size,))

    return drawn


def empty_bags(d: Draw) -> Arguments:
    """Draw a table, indices, bags of which one is empty, and how rows are put together."""
    table = d.array(d.shape((3, 2), (2, 1)), SMALL)
    offsets = np.array(d.pick([0, 2, 2], [0, 0, 3], [0, 1, 4]))
    return Arguments((table,), (d.indices((4,), len(table)), offsets, d.pick("mean", "sum")))


def bagged(table: Array, index: Array, offsets: Array, mode: str) -> Array:
    """Put the rows of each bag together: zeros where there are none."""
    ends = [*offsets[1:], len(index)]
    rows = [(table[index[a:b]].sum(0), b - a) for a, b in zip(offsets, ends, strict=True)]
    return np.stack([row / max(1, n) if mode == "mean" else row for row, n in rows])


def call_layer(be: Any, x: Any, part: Any, kind: str) -> Any:
    """Call it with one of both."""
    return be.layer_norm_half(x, be.shape(part), **{kind: part}, eps=0.25)


RARER_FORMS = (
    Operation("addmm_wide", add_product, summand(*TO_ADD)),
    Operation("baddbmm_wide", add_product, summand(*TO_ADD_TO_BATCHES)),
    Operation("matmul_batches", np.matmul, products(*BATCHES, values=SMALL, many=40)),
    Operation("kron_wide", kronecker, products(
        ((2,), (2, 2)), ((1, 2), (3,)), ((), (2,)), ((2, 1, 2), (2, 1)), values=SMALL, many=0)),
    Operation("matrix_power_far", np.linalg.matrix_power, high_powers),
    Operation("norm_orders", norm_of, lambda d: Arguments(
        (d.array(d.shape((3,), (2, 3), (2, 2, 2)), NONZERO),),
        (d.pick(-1.0, -2.0, 0.5, 0.0), d.pick(0, -1, (0,), None), d.pick(False, True))),
        kinks="0 and ties", ties=True),
    Operation("matrix_norm_singular", size_of, conditioned("nuc", 2, -2)),
    Operation("householder_product_few", of_few(reflected), fewer,
              formulas=(of_few(reflected_again),)),
    Operation("pinv_wide", lambda a: turned(solved(a @ turned(a), a)), wide,
              formulas=(lambda a: in_norm(turned(solved(a @ turned(a), a))),)),
    Operation("lstsq_wide", least, lambda d: Arguments(
        (a := wide(d).tensors[0], d.array((*a.shape[:-1], 2), SMALL))),
        call=lambda be, a, b: be.lstsq_wide(a, b, driver="gelsd")[0]),
    Operation("index_put_ends", put, from_ends, call=call_put, linear=True, nondeterministic=True),
    Operation("block_diag_mixed", diagonally, lambda d: Arguments(
        tuple(map(d.array, d.pick(*BLOCKS)))), linear=True),
    shape_of("flip_ends", np.flip, backwards, "never"),
    shape_of("permute_four", np.transpose, many_axes, "always"),
    shape_of("pad_reflect_corners", framed("reflect"), corners_too, "never"),
    shape_of("pad_replicate_corners", framed("edge"), corners_too, "never"),
    Operation("conv1d_single", single(lambda x, w, b, stride, padding: convolution(
        x, w, b, stride, padding, 1, 1)), one_sample),
    Operation("conv_transpose1d_single", single(lambda x, w, b, stride, padding: transposed(
        x, w, b, stride, padding, 0, 1, 1)), one_sample),
    Operation("layer_norm_half", lambda x, part, kind: with_part(
        normalised(x, last_of(part.shape), 0.25), part, kind),
        halved((2, 4), (3, 2), (2, 2, 3), own=lambda s: s[-1:]), call=call_layer),
    Operation("group_norm_half", in_groups, halved(
        (2, 4, 1), (1, 2, 2), own=lambda s: s[1:2], groups=(2, 1)),
        call=lambda be, x, part, kind, groups: be.group_norm_half(
            x, groups, **{kind: part}, eps=0.25)),
    Operation("batch_norm_half", by_channels, halved((4, 2), (2, 2, 2), own=lambda s: s[1:2]),
              call=lambda be, x, part, kind: be.batch_norm_half(
                  x, None, None, training=True, eps=0.25, **{kind: part})),
    Operation("scaled_dot_product_attention_biased", lambda q, k, v, bias, scale=None: attended(
        q, k, v, bias + 0 * (q @ turned(k)), scale or 1 / math.sqrt(q.shape[-1])), biased,
        call=lambda be, q, k, v, bias, scale=None: be.scaled_dot_product_attention_biased(
            q, k, v, attn_mask=bias, scale=scale)),
    shrinking("", "bilinear", triangle, to_resize(*TO_SHRINK)),
    shrinking("_thin", "bilinear", triangle, to_resize(*TO_THIN)),
    shrinking("_cubic", "bicubic", cubic, to_resize(*TO_SHRINK)),
    shrinking("_lanczos", "lanczos", lanczos, to_resize(*TO_SHRINK)),
    Operation("embedding_bag_empty", bagged, empty_bags, nondeterministic=True,
              call=lambda be, table, index, offsets, mode: be.embedding_bag_empty(
                  be.tensor(index), table, be.tensor(offsets), mode=mode)),
)  # fmt: skip
"""Rarer forms."""
