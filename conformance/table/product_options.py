"""Sums of products, by all options at once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments
from .decompositions import chained, listed, powers
from .drawing import SMALL, Array, Draw, Shape
from .matrix_forms import crossed
from .matrix_options import led
from .operation import Operation
from .optional import calling

EQUATIONS: tuple[tuple[str, tuple[Shape, ...]], ...] = (
    ("...ij,...jk->...ik", ((2, 3), (2, 3, 2))),
    ("...ij,...jk->...ik", ((1, 2, 3), (2, 3, 2))),
    ("...i,...i->...", ((2, 3), (2, 1, 3))),
    ("...i,...ij->...j", ((2, 2, 3), (2, 3, 2))),
    ("i...->...", ((2, 3),)),
    ("...ii->...i", ((2, 3, 3),)),
    ("...ij->...ji", ((2, 2, 3),)),
    ("...,...", ((3,), (2, 3))),
    ("i...j,jk", ((2, 2, 3), (3, 2))),
    ("ij,jk", ((2, 3), (3, 2))),
    ("ba", ((2, 3),)),
    ("ii", ((3, 3),)),
    ("ii,i->i", ((3, 3), (3,))),
    ("ii,jj->ij", ((2, 2), (3, 3))),
    ("iij,j->i", ((2, 2, 3), (3,))),
    ("ij,ij->ij", ((2, 1), (1, 3))),
    ("ij,jk->ik", ((2, 1), (3, 2))),
    ("bij,bjk->bik", ((1, 2, 3), (2, 3, 2))),
    ("ij,jk,kl->il", ((2, 3), (3, 2), (2, 2))),
    ("i,i,i->", ((3,), (3,), (1,))),
    ("ij,k->ik", ((2, 3), (2,))),
    ("ij,k->", ((2, 2), (3,))),
    ("ij,jk->kji", ((2, 3), (3, 2))),
    ("ija,jb->bia", ((2, 3, 2), (3, 2))),
    ("abc,adc->bda", ((2, 2, 2), (2, 3, 2))),
    ("ij,,k->kij", ((2, 2), (), (2,))),
    ("ab,cd,ac->bd", ((2, 3), (2, 2), (2, 2))),
)
"""Sums of products: with dots, without an arrow, with names that are repeated or left alone."""


def summed(d: Draw) -> Arguments:
    """Draw a sum of products in Einstein's notation."""
    equation, shapes = d.pick(*EQUATIONS)
    return Arguments(tuple(d.array(s, SMALL) for s in shapes), (), {"equation": equation})


def spelled_out(*x: Array, equation: str) -> Array:
    """Add up products, once every axis has a name, what is not said is, and no axis has size 1."""
    inputs, arrow, kept = equation.replace(" ", "").partition("->")
    names, more = inputs.split(","), "ZYXW"
    rank = max(each.ndim - len(own.replace("...", "")) for each, own in zip(x, names, strict=True))
    rank *= "..." in inputs
    if not arrow:
        once = {k for k in inputs if k.isalpha() and inputs.count(k) == 1}
        kept = "..." * ("..." in inputs) + "".join(sorted(once))
    full = []
    for each, own in zip(x, names, strict=True):
        count = each.ndim - len(own.replace("...", ""))
        full.append(own.replace("...", more[rank - count : rank]))
    kept = kept.replace("...", more[:rank])
    sizes = {k: max(each.shape[own.index(k)] for each, own in zip(x, full, strict=True) if k in own)
             for k in "".join(full)}  # fmt: skip
    slim, short = [], []
    for each, own in zip(x, full, strict=True):
        lone = [sizes[k] > n == 1 for k, n in zip(own, each.shape, strict=True)]
        slim.append(each[tuple(0 if alone else slice(None) for alone in lone)])
        short.append("".join(k for k, alone in zip(own, lone, strict=True) if not alone))
    result: Array = np.einsum(f"{','.join(short)}->{kept}", *slim)
    return result


PAIRED: tuple[tuple[Shape, Shape, Any], ...] = (
    ((2, 3), (3, 2), 1), ((2, 3, 2), (3, 2), 2), ((2,), (3,), 0), ((2, 3), (2, 3), None),
    ((2, 2, 3), (3, 2), ([-1, 0], [0, 1])), ((2, 3), (3, 2), ([-2], [1])),
    ((2, 3, 2), (2, 2, 3), ([0, 2], [0, 1])), ((2, 3), (2, 2), ([], [])),
    ((2, 3, 2), (2, 3, 2), ([2, 1, 0], [2, 1, 0])), ((3,), (3,), ([0], [0])),
)  # fmt: skip
"""Shapes, and how many axes or which ones are summed over."""


def contracted(d: Draw) -> Arguments:
    """Draw two tensors, and what is summed over."""
    x, y, dims = d.pick(*PAIRED)
    return Arguments((d.array(x, SMALL), d.array(y, SMALL)), (), {"dims": dims})


def summed_over(x: Array, y: Array, dims: Any) -> Array:
    """Sum products along pairs of axes."""
    count = 2 if dims is None else dims
    first, second = (range(-count, 0), range(count)) if isinstance(count, int) else count
    rest, other = (
        [a for a in range(each.ndim) if a not in {b % each.ndim for b in known}]
        for each, known in ((x, first), (y, second))
    )
    a = np.transpose(x, (*rest, *(n % x.ndim for n in first)))
    b = np.transpose(y, (*(n % y.ndim for n in second), *other))
    return np.tensordot(a, b, len(first))


CHAINS: tuple[tuple[Shape, ...], ...] = (
    ((2, 3), (3, 2)), ((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 3), (3, 1), (1, 2)),
    ((1, 2), (2, 3), (3, 3)), ((3,), (3, 2), (2,)), ((2, 3), (3, 2), (2, 1), (1, 3)),
    ((2,), (2, 3), (3, 1), (1, 2)), ((1, 3), (3, 2), (2, 2), (2,)),
    ((2, 1), (1, 3), (3, 2), (2, 2), (2, 1)), ((2,), (2, 2), (2, 1), (1, 3), (3,)),
)  # fmt: skip
"""Shapes of two to five matrices that can be multiplied, vectors at either end."""


def chain(d: Draw) -> Arguments:
    """Draw matrices that can be multiplied."""
    return Arguments(tuple(d.array(shape, SMALL) for shape in d.pick(*CHAINS)))


def crossing(d: Draw) -> Arguments:
    """Draw tensors of three entries along an axis, which broadcast, and perhaps that axis."""
    x, y, dim = d.pick(((2, 3), (2, 3), None), ((3,), (3,), None), ((3, 2), (3, 1), 0),
                       ((2, 3), (1, 3), 1), ((2, 1, 3), (1, 2, 3), None), ((3, 3), (3, 3), -2),
                       ((2, 3, 3), (2, 3, 3), 1))  # fmt: skip
    return Arguments((d.array(x, SMALL), d.array(y, SMALL)), (), {"dim": dim})


def dotted(d: Draw) -> Arguments:
    """Draw two tensors that broadcast, and perhaps the axis along which they are multiplied."""
    x, y, dim = d.pick(((2, 3), (2, 3), None), ((2, 3), (3,), None), ((2, 3), (1, 3), 0),
                       ((2, 2, 3), (2, 3), 1), ((3,), (2, 3), -1), ((2, 3), (2, 1), 0),
                       ((2, 1, 3), (2, 3), -2))  # fmt: skip
    dim = None if dim is not None and len(x) != len(y) and dim >= 0 else dim
    return Arguments((d.array(x, SMALL), d.array(y, SMALL)), (), {"dim": dim})


def with_summand(*pool: tuple[Shape, ...]) -> Callable[[Draw], Arguments]:
    """Draw a summand that broadcasts, two factors, and what each side is multiplied by."""

    def draw(d: Draw) -> Arguments:
        tensors = tuple(d.array(shape, SMALL) for shape in d.pick(*pool))
        return Arguments(tensors, (), {"beta": d.pick(None, 0.0, 0.5),
                                       "alpha": d.pick(None, 0.0, -2.0)})  # fmt: skip

    return draw


def summed_with(product: Callable[..., Any]) -> Callable[..., Any]:
    """Add a product to a summand, each times a number."""

    def forward(c: Array, a: Array, b: Array, beta: float | None, alpha: float | None) -> Any:
        both = product(a, b) * (1.0 if alpha is None else alpha)
        return c * (1.0 if beta is None else beta) + both

    return forward


SUMS: tuple[tuple[Any, ...], ...] = (
    ("addmm_options", np.matmul, ((2, 2), (2, 3), (3, 2)), ((2,), (2, 3), (3, 2)),
     ((2, 1), (2, 3), (3, 2)), ((), (1, 2), (2, 3))),
    ("baddbmm_options", np.matmul, ((2, 2, 2), (2, 2, 3), (2, 3, 2)),
     ((2, 1), (2, 2, 3), (2, 3, 2)), ((2, 1, 2), (2, 2, 1), (2, 1, 2)), ((), (1, 2, 2), (1, 2, 1))),
    ("addbmm_options", lambda a, b: (a @ b).sum(0), ((2, 2), (2, 2, 3), (2, 3, 2)),
     ((2,), (3, 2, 1), (3, 1, 2)), ((2, 1), (1, 2, 2), (1, 2, 3))),
    ("addmv_options", np.matmul, ((2,), (2, 3), (3,)), ((), (2, 3), (3,)), ((1,), (3, 2), (2,))),
    ("addr_options", np.outer, ((2, 3), (2,), (3,)), ((3,), (2,), (3,)), ((2, 1), (2,), (3,)),
     ((), (1,), (2,))),
)  # fmt: skip
"""Sums of a tensor and a product, and shapes in which they fit."""


PRODUCT_OPTIONS = (
    Operation(
        "einsum_options",
        spelled_out,
        summed,
        call=lambda be, *x, equation: be.einsum_options(equation, *x),
    ),
    Operation("tensordot_options", summed_over, contracted, call=calling("tensordot_options")),
    *(
        Operation(name, summed_with(product), with_summand(*pool), call=calling(name))
        for name, product, *pool in SUMS
    ),
    Operation("multi_dot_options", chained, chain, call=listed("multi_dot_options")),
    Operation("cross_options", lambda x, y, dim: crossed(
        x, y, -1 if dim is None else dim), crossing, call=calling("cross_options")),
    Operation(
        "vecdot_options",
        lambda x, y, dim: (x * y).sum(-1 if dim is None else dim),
        dotted,
        call=calling("vecdot_options"),
    ),
    Operation(
        "matrix_power_options",
        np.linalg.matrix_power,
        lambda d: Arguments(
            (led(d, d.shape((2, 2), (2, 2, 2), (3, 3), many=0)) / 2,),
            (d.pick(2, 0, 1, 3, 4, 5, 6, 7, -1, -2, -3),),
        ),
        call=lambda be, x, n: be.matrix_power_options(x, n),
    ),
    Operation(
        "vander_options",
        lambda x, **named: powers(x, named["N"] or x.shape[-1]),
        lambda d: Arguments(
            (d.array(d.shape((3,), (2, 2), (4,)), SMALL),), (), {"N": d.pick(None, 2, 3, 5)}
        ),
        call=calling("vander_options"),
    ),
)  # fmt: skip
"""Products of matrices and of tensors."""
