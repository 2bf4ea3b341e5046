"""Axes: counted from either end, named in any order, more than a few, and long."""

from functools import partial

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import NONZERO, arrays, integers, sampled_from
from gradspec.conformance.table import ALONG, OF_MANY_AXES, along, crowded, renamed

LONG = 4099
"""A prime above the sizes at which libraries go to work in blocks."""

COUNT = np.arange(LONG)
ROW = (1291.0 * COUNT) % LONG - 2049
"""Whole numbers in an order without pattern, no two of which are equal."""

WEIGHTS = COUNT % 5 - 2.0

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


@claim("OPS-210", needs="vjp", over=ALONG, level="contract", widest=True)
@given(call=along())
def test_axes_have_several_names(be, call):
    """An axis is the same one from whichever end it is counted, and several may be named in any
    order where none is meant: results and gradients are the same.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    found, true = [value, *pull(call.cotangent)], [call.value(), *call.gradients()]
    for other in renamed(call):
        same, push = be.vjp(other.on(be), *other.tensors)
        for again, one, each in zip([same, *push(call.cotangent)], found, true, strict=True):
            first = np.zeros(each.value.shape) if one is None else be.numpy(one)
            be.check_gradient(again, Total.again([first], [each]))


@claim(
    "OPS-562",
    about="sum mean amax amin prod cumsum cumprod logsumexp logcumsumexp softmax log_softmax",
    needs="vjp sum mean amax amin prod cumsum cumprod logsumexp logcumsumexp softmax log_softmax"
    " torch",
    level="contract",
)
@given(x=arrays(shape=(), values=NONZERO), w=arrays("weights", shape=()), dim=integers(-1, 0))
def test_a_number_has_one_axis(be, x, w, dim):
    """Along the axis 0 or -1 of a number an operation has the value and the gradient that it has
    along that of one entry.
    """
    sums = ("sum", "mean", "prod", "cumsum", "cumprod", "logsumexp", "logcumsumexp")
    for name in ("amax", "amin", *sums):
        value, pull = be.vjp(lambda z, n=name: getattr(be, n)(z, dim), x)
        be.check(value, x, name)
        be.check_gradient(*pull(w), w, f"gradient of {name}")
    for name, share in (("softmax", 1.0), ("log_softmax", 0.0)):
        value, pull = be.vjp(lambda z, n=name: getattr(be, n)(z, dim), x)
        be.check(value, np.array(share), name)
        be.check_gradient(*pull(w), np.zeros(()), f"gradient of {name}")


@claim(
    "OPS-750",
    about="gather index_select index_add index_copy scatter scatter_add scatter_reduce sort topk "
    "median mode kthvalue cummax flip vector_norm unfold_axis",
    needs="vjp gather index_select index_add index_copy scatter scatter_add scatter_reduce sort "
    "topk median mode kthvalue cummax flip vector_norm unfold_axis torch",
    level="contract",
)
@given(
    x=arrays(shape=(2,), values=NONZERO),
    w=arrays("weights", shape=()),
    dim=integers(-1, 0),
    place=sampled_from([np.zeros((), int), np.zeros(1, int)]),
)
def test_a_number_is_read_and_written_along_its_axis(be, x, w, dim, place):
    """Along the axis 0 or -1 of a number, entries are chosen, put in order and written over by
    another number as those of a vector of one entry are, and have the same gradients.
    """
    functions = {
        "gather": lambda z, _, at: be.gather(z, dim, at),
        "index_select": lambda z, _, at: be.index_select(z, dim, at),
        "index_add": lambda z, y, at: be.index_add(z, dim, at, y),
        "index_copy": lambda z, y, at: be.index_copy(z, dim, at, y),
        "scatter": lambda z, y, at: be.scatter(z, dim, at, y),
        "scatter_add": lambda z, y, at: be.scatter_add(z, dim, at, y),
        "scatter_reduce": lambda z, y, at: be.scatter_reduce(z, dim, at, y, "prod"),
        "sort": lambda z, *_: be.sort(z, dim)[0],
        "topk": lambda z, *_: be.topk(z, 1, dim)[0],
        "median": lambda z, *_: be.median(z, dim)[0],
        "mode": lambda z, *_: be.mode(z, dim)[0],
        "kthvalue": lambda z, *_: be.kthvalue(z, 1, dim, keepdim=False)[0],
        "cummax": lambda z, *_: be.cummax(z, dim)[0],
        "flip": lambda z, *_: be.flip(z, (dim,)),
        "vector_norm": lambda z, *_: be.vector_norm(z, 3.0, dim),
        "unfold_axis": lambda z, *_: be.unfold_axis(z, dim, 1, 1),
    }
    for name, function in functions.items():
        found = []
        for shape, at in (((), place), ((1,), np.zeros(1, int))):
            tensors, index = x.reshape((2, *shape)), be.tensor(at)
            value, pull = be.vjp(lambda z, y, f=function, i=index: f(z, y, i), *tensors)
            gradients = pull(np.full(be.numpy(value).shape, w))
            assert all(g is None or be.numpy(g).shape == shape for g in gradients), name
            found.append([value, *gradients])
        for one, row in zip(*found, strict=True):
            assert (one is None) == (row is None), name
            if row is not None:
                be.check(be.reshape(one, (1,)), be.numpy(be.reshape(row, (1,))), name)


@claim("GEN-220", needs="vjp", over=OF_MANY_AXES, level="contract", widest=True)
@given(call=crowded())
def test_axes_may_be_many(be, call):
    """Of tensors with four axes or five, in whatever layout, an operation has the values and the
    gradients that it is defined to have.
    """
    call.check(be, call.on(be)(*map(be.tensor, call.tensors)))
    if call.operation.differentiable:
        _, pull = be.vjp(call.on(be), *call.tensors)
        for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
            be.check_gradient(gradient, true)


@claim(
    "OPS-228",
    about="sum mean amax softmax cumsum flip narrow transpose",
    needs="vjp sum mean prod amax var std var_mean std_mean softmax log_softmax logsumexp cumsum"
    " cumprod flip roll narrow transpose permute unsqueeze select clamp sort topk norm torch",
    level="contract",
)
@given(
    x=arrays("cube", shape=(2, 3, 2), values=NONZERO),
    w=arrays("weights", shape=(12,)),
    dim=sampled_from([1, -1, 0]),
)
def test_options_have_names(be, x, w, dim):
    """An option given by its name means what it means in its place, in results and in gradients."""

    def valued(function, in_place, by_name, z):
        result = function(z, *in_place, **by_name)
        # Some give places as well.
        return result[0] if isinstance(result, tuple) else result

    for name, options in (
        *((name, {"dim": dim, "keepdim": True}) for name in ("sum", "mean", "prod", "amax")),
        *((name, {"dim": dim}) for name in ("softmax", "log_softmax", "cumsum", "cumprod")),
        *(
            (name, {"dim": dim, "unbiased": False, "keepdim": True})
            for name in ("var", "std", "var_mean", "std_mean")
        ),
        ("logsumexp", {"dim": dim, "keepdim": True}),
        ("flip", {"dims": (dim,)}),
        ("roll", {"shifts": 1, "dims": dim}),
        ("narrow", {"dim": dim, "start": 1, "length": 1}),
        ("transpose", {"dim0": dim, "dim1": 2}),
        ("permute", {"dims": (dim, *sorted({0, 1, 2} - {dim % 3}))}),
        ("unsqueeze", {"dim": dim}),
        ("select", {"dim": dim, "index": 1}),
        ("clamp", {"min": -1.0, "max": 2.0}),
        ("sort", {"dim": dim, "descending": True}),
        ("topk", {"k": 1, "dim": dim, "largest": False}),
        ("norm", {"p": 3, "dim": dim, "keepdim": True}),
    ):
        found = []
        for in_place, by_name in (((), options), ((*options.values(),), {})):
            value = partial(valued, getattr(be, name), in_place, by_name)
            result, pull = be.vjp(value, x)
            found.append((result, *pull(np.resize(w, be.numpy(result).shape))))
        for one, other in zip(*found, strict=True):
            be.same(one, other, name)


# ---- long ones -----------------------------------------------------------------------------------


@claim(
    "OPS-226",
    about="sum mean amax prod cumsum flip cat gather matmul softmax",
    needs="vjp sum mean amax prod cumsum flip cat gather matmul softmax",
    widest=True,
)
@example(weight=3.0)
@given(weight=sampled_from([1.0, -0.5]))
def test_axes_may_be_long(be, weight):
    """Along thousands of entries operations compute what they compute along a few, and each of the
    entries has its gradient.
    """
    few, powers = np.where(COUNT % 1000 == 7, 2.0, 1.0), np.exp(ROW / 1024)
    shares, several = powers / powers.sum(), weight * (COUNT % 5 - 2.0)
    bent = shares * (several - (several * shares).sum())
    rest = several[::-1].cumsum()[::-1]
    order = ((ROW + 2049) % LONG).astype(int)
    back = np.empty(LONG)
    back[order] = several
    one, mean = np.full(LONG, weight), Total(ROW.mean(), np.abs(ROW).mean(), LONG)

    def about(numbers):
        return Total(numbers, np.ones(LONG), LONG)

    for name, function, x, want, cotangent, gradient in (
        ("sum", be.sum, ROW, ROW.sum(), weight, one),
        ("mean", be.mean, ROW, mean, weight, about(one / LONG)),
        ("amax", be.amax, ROW, ROW.max(), weight, one * (ROW.max() == ROW)),
        ("prod", be.prod, few, 2.0**5, weight, one * 2.0**5 / few),
        ("cumsum", lambda z: be.cumsum(z, 0), ROW, ROW.cumsum(), several, rest),
        ("flip", lambda z: be.flip(z, (0,)), ROW, ROW[::-1], several, several[::-1]),
        ("cat", lambda z: be.cat([z, z]), ROW, np.tile(ROW, 2), np.tile(several, 2), 2 * several),
        ("gather", lambda z: be.gather(z, 0, order), ROW, ROW[order], several, back),
        ("matmul", lambda z: be.matmul(z, be.tensor(few)), ROW, ROW @ few, weight, weight * few),
        ("softmax", lambda z: be.softmax(z, 0), ROW / 1024, about(shares), several, about(bent)),
    ):
        value, pull = be.vjp(function, x)
        be.check(value, want, name)
        be.check(*pull(cotangent), gradient, f"gradient of {name}")
