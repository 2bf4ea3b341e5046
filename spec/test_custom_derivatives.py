"""Custom functions differentiated: twice, by transforms, and mapped."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    one_of,
    sampled_from,
)
from gradspec.conformance.strategies.custom import cube, exponential, legendre, passing
from gradspec.conformance.truth.oracles.jets import Jet

pytestmark = pytest.mark.filterwarnings("ignore:.*should not be instantiated")

NO_WORKLOAD = "the chapter of examples times a function of one's own"

# ---- twice ---------------------------------------------------------------------------------------


@claim("FUN-69", about="custom", needs="backward custom gradients create_graph")
@given(
    x=arrays(), w=arrays(), v=arrays(), rule=sampled_from([cube, exponential, legendre, passing])
)
def test_custom_backward_is_differentiable(be, x, w, v, rule):
    """A backward written with differentiable operations on saved inputs and outputs is itself
    differentiated in a recorded pass; an input that is handed back is saved as the input it is.
    """
    leaf = be.leaf(x)
    (gradient,) = be.gradients(rule(be).apply(leaf), [leaf], be.tensor(w), create_graph=True)
    (second,) = be.gradients(gradient, [leaf], be.tensor(v))
    own = Jet.exact(x)
    first, derivative = {
        cube: (3 * own * own, 6 * own),
        exponential: (np.exp(own), np.exp(own)),
        legendre: (7.5 * own * own - 1.5, 15 * own),
        passing: (2 * own, 2 + 0 * own),
    }[rule]
    be.check(gradient, w * first)
    be.check(second, w * v * derivative)


@claim("FUN-68", about="custom", needs="backward custom gradients create_graph retain_graph")
@example(x=3.0, z=1.0, w=1.0)
@given(x=arrays(), z=arrays(), w=arrays())
def test_once_differentiable_is_not_differentiated_twice(be, x, z, w):
    """A gradient that comes from a backward marked once-differentiable is right, and is refused
    wherever it would be differentiated.
    """

    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return g * 2 * a

    leaf, factor = be.leaf(x), be.leaf(z)
    square = be.custom(forward, be.once_differentiable(backward)).apply(leaf)
    y = square * factor + leaf * leaf * leaf
    (gradient,) = be.gradients(y, [leaf], be.tensor(w), create_graph=True)
    be.check(gradient, Total.of(2 * w * x * z, 3 * w * x * x))
    for variable in (leaf, factor):
        with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
            be.gradients(gradient, [variable], be.tensor(w), retain_graph=True)


@claim("FUN-340", about="custom", needs="backward custom gradients create_graph", level="contract")
@given(x=arrays(), z=arrays(), w=arrays(), first=booleans())
def test_every_cotangent_of_a_rule_is_marked(be, x, z, w, first):
    """A gradient that comes from a backward marked once-differentiable refuses to be differentiated
    by the cotangent of any of several results, though those of the others are constant.
    """

    def forward(ctx, a):
        return 2 * a, 3 * a

    def backward(ctx, g, h):
        return 2 * g + 3 * h

    leaf, factor = be.leaf(x), be.leaf(z)
    results = be.custom(forward, be.once_differentiable(backward)).apply(leaf)
    one, other = results if first else results[::-1]
    (gradient,) = be.gradients(one * factor + other, [leaf], be.tensor(w), create_graph=True)
    be.check(gradient, Total.of(2 * w * z, 3 * w) if first else Total.of(3 * w * z, 2 * w))
    with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
        be.backward(gradient, w)


@claim("FUN-120", about="custom", needs="backward custom gradients create_graph", level="contract")
@given(x=arrays(), y=arrays(), z=arrays(), w=arrays(), asked=integers(0, 2))
def test_every_gradient_of_a_rule_is_marked(be, x, y, z, w, asked):
    """In a recorded pass a backward marked once-differentiable gives the right gradients, each of
    which refuses to be differentiated, for whichever of the inputs it is, though others have none.
    """

    def forward(ctx, *factors):
        *factors, number = factors
        ctx.save_for_backward(*factors)
        return factors[0] * factors[1] * factors[2] * number

    def backward(ctx, g):
        a, b, c = ctx.saved_tensors
        return g * b * c, g * a * c, g * a * b, None

    leaves, factor = [be.leaf(v) for v in (x, y, z)], be.leaf(w)
    product = be.custom(forward, be.once_differentiable(backward)).apply(*leaves, 1.0)
    found = be.gradients(product * factor, leaves, be.tensor(w), create_graph=True)
    others = [v for n, v in enumerate((x, y, z)) if n != asked]
    be.check(found[asked], w * w * others[0] * others[1])
    with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
        be.backward(found[asked], w)


# ---- set up apart --------------------------------------------------------------------------------


@claim(
    "FUN-720",
    about="lookup",
    needs="backward gradients create_graph retain_graph inplace exp mul_ torch",
    level="contract",
)
@given(
    x=arrays("written", layouts=DENSE),
    y=arrays(),
    v=arrays(),
    w=arrays(),
    u=arrays("written"),
    marked=booleans(),
    zeros=booleans(),
)
def test_a_context_may_be_set_up_apart(be, x, y, v, w, u, marked, zeros):
    """What the context is told where it is set up, after forward, counts as if forward told it: of
    inputs that were written, results that are constants or saved, gradients that are not to be made
    up. There too it knows which inputs need a gradient.
    """
    seen = []

    class Apart(be.lookup("torch.autograd:Function")):
        @staticmethod
        def forward(a, b, factor):
            return be.mul_(a, factor), be.exp(b), b * 0

        @staticmethod
        def setup_context(ctx, inputs, results):
            ctx.mark_dirty(inputs[0])
            if marked:
                ctx.mark_non_differentiable(results[2])
            ctx.set_materialize_grads(zeros)
            ctx.save_for_backward(results[1])
            ctx.factor = inputs[2]
            seen.append(ctx.needs_input_grad)

        @staticmethod
        def backward(ctx, g, h, _):
            seen.append((g is None, h is None))
            (power,) = ctx.saved_tensors
            return g if g is None else g * ctx.factor, h if h is None else h * power, None

    first, second = be.leaf(x), be.leaf(y)
    value = first * 1
    written, power, constant = Apart.apply(value, second, 3.0)
    assert written is value
    assert be.requires_grad(constant) is not marked
    (gradient,) = be.gradients(power, [second], w, create_graph=True)
    (again,) = be.gradients(gradient, [second], v, retain_graph=True)
    own = np.exp(Jet.exact(y))
    be.check(gradient, w * own)
    be.check(again, v * w * own)
    be.backward(value * value, u)
    be.check(value, 3 * x)
    be.check(be.grad(first), 18 * u * x)
    calls = [(not zeros, False), (not zeros, False), (False, not zeros)]
    assert seen == [(True, True, False), *calls]


# ---- by transforms -------------------------------------------------------------------------------


@claim("FUN-402", about="lookup", needs="backward vjp exp torch", level="contract")
@given(x=arrays(), w=arrays(), transformed=booleans())
def test_a_rule_may_be_called_vjp(be, x, w, transformed):
    """A rule whose backward is called vjp is differentiated as any other, by backward and by
    transforms. Where its context is set up, the result is what forward has returned.
    """

    class Growth(be.lookup("torch.autograd:Function")):
        @staticmethod
        def forward(a):
            return be.exp(a * 2)

        @staticmethod
        def setup_context(ctx, _, result):
            ctx.save_for_backward(result)

        @staticmethod
        def vjp(ctx, g):
            (grown,) = ctx.saved_tensors
            return g * (grown * 2)

    if transformed:
        _, pull = be.lookup("torch.func:vjp")(Growth.apply, be.tensor(x))
        (gradient,) = pull(be.tensor(w))
    else:
        leaf = be.leaf(x)
        be.backward(Growth.apply(leaf), w)
        gradient = be.grad(leaf)
    be.check(gradient, w * (np.exp(Jet.exact(x) * 2) * 2))


@claim("FUN-400", about="lookup", needs="vmap backward movedim torch", level="contract")
@example(
    x=np.ones((3, 2)), y=np.ones(3), w=np.ones((3, 2)), last=True, ruled=False, put=0, way="same"
)
@given(
    x=arrays("many", shape=(3, 2), layouts=DENSE),
    y=one_of(arrays("one", shape=()), arrays("each", shape=(3,))),
    w=arrays("cotangents", shape=(3, 2)),
    last=booleans(),
    ruled=booleans(),
    put=integers(0, 1),
    way=sampled_from(["error", "different", "same"]),
)
def test_a_rule_is_mapped(be, x, y, w, last, ruled, put, way):
    """A rule with a vmap of its own is mapped by it, which is told how many slices there are, along
    which axes, and what may be drawn, and tells the axis of each result, None where all slices
    share it; one that asks for it is mapped slice by slice. Either way values and gradients are
    those of its calls one by one, added up for what slices share.
    """
    told = []

    class Product(be.lookup("torch.autograd:Function")):
        generate_vmap_rule = not ruled

        @staticmethod
        def forward(a, b, factor=3.0):
            return a * b * factor, be.tensor(np.ones(2))

        @staticmethod
        def setup_context(ctx, inputs, _):
            *factors, ctx.factor = inputs
            ctx.save_for_backward(*factors)

        @staticmethod
        def backward(ctx, g, _):
            a, b = ctx.saved_tensors
            return g * b * ctx.factor, g * a * ctx.factor, None

    def rule(info, axes, a, b, factor):
        told.append((info.batch_size, info.randomness, axes))
        made, constant = Product.apply(be.movedim(a, axes[0], 0), b[..., None], factor)
        return (be.movedim(made, 0, put), constant), (put, None)

    if ruled:
        Product.vmap = staticmethod(rule)
    leaves = be.leaf(x.T if last else x), be.leaf(y)
    axes, factors = (int(last), 0 if y.ndim else None), y[..., None]
    mapped = be.lookup("torch.func:vmap")(Product.apply, in_dims=axes, randomness=way)
    result, constant = mapped(*leaves)
    be.check(result, 3 * x * factors)
    be.check(constant, np.ones((3, 2)))
    be.backward(result, w)
    first, second = 3 * w * factors, 3 * w * x
    be.check(be.grad(leaves[0]), first.T if last else first)
    be.check(be.grad(leaves[1]), Total.along(second if y.ndim else second.reshape(6), -1))
    assert told == ([(3, way, (*axes, None))] if ruled else [])


@claim("FUN-480", about="lookup", needs="vmap jvp exp torch", level="contract")
@example(
    x=np.eye(3), y=np.arange(3.0), v=np.arange(9.0).reshape(3, 3), u=np.ones(3), taken=1, put=0
)
@given(
    x=arrays("square", shape=(3, 3), layouts=DENSE),
    y=arrays("row", shape=(3,), layouts=DENSE),
    v=arrays("square", shape=(3, 3), layouts=DENSE),
    u=arrays("row", shape=(3,), layouts=DENSE),
    taken=integers(-2, 1),
    put=integers(-2, 1),
)
def test_a_mapped_rule_has_tangents(be, x, y, v, u, taken, put):
    """A rule with tangents that asks to be mapped slice by slice has those of its calls one by one,
    whichever axes slices are taken from and put to.
    """

    class Both(be.lookup("torch.autograd:Function")):
        generate_vmap_rule = True

        @staticmethod
        def forward(a, b):
            return be.exp(a), a * b

        @staticmethod
        def setup_context(ctx, inputs, results):
            ctx.save_for_forward(*inputs, results[0])

        @staticmethod
        def jvp(ctx, p, q):
            a, b, power = ctx.saved_tensors
            return p * power, p * b + a * q

    mapped = be.lookup("torch.func:vmap")(Both.apply, in_dims=(taken, 0), out_dims=put)
    given = [[be.tensor(each) for each in pair] for pair in ((x, y), (v, u))]
    values, tangents = be.lookup("torch.func:jvp")(mapped, *map(tuple, given))
    rows, ahead = (np.moveaxis(each, taken, 0) for each in (x, v))
    own, factors, along = Jet.exact(rows), y[:, None], u[:, None]
    powers, sums = ahead * np.exp(own), ahead * factors + own * along
    for found, true in zip(
        (*values, *tangents), (np.exp(own), own * factors, powers, sums), strict=True
    ):
        be.check(be.lookup("torch:movedim")(found, put, 0), true)
