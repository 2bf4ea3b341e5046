"""Tangents: given by hand within a level, carried by rules, and by transforms."""

from contextlib import suppress

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, one_of, sampled_from
from gradspec.conformance.strategies.indices import VALUE_FORMS, mixed_keys, value_for
from gradspec.conformance.strategies.modes import Escape
from gradspec.conformance.strategies.shaping import keys
from gradspec.conformance.strategies.transforms import quadratics
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "forward mode is measured by operation"


@claim(
    "TRF-170", about="lookup", needs="jvp inplace views mul_ detach data torch", level="contract"
)
@given(x=arrays(layouts=DENSE), v=arrays(layouts=DENSE))
def test_tangents_live_as_long_as_their_level(be, x, v):
    """In a dual level a tensor that was given a tangent passes one on to what is computed from it,
    viewed and written, and to nothing that is detached or has no derivative. Levels do not nest,
    outside of one there is nothing to give tangents to, and they are gone once theirs has ended.
    """
    ad = be.lookup("torch.autograd.forward_ad")
    point, direction = be.tensor(x), be.tensor(v)
    with pytest.raises(RuntimeError, match="no level exists"):
        ad.make_dual(point, direction)
    with suppress(Escape), ad.dual_level():
        raise Escape
    with ad.dual_level():
        dual = ad.make_dual(point, direction)
        assert be.shares_memory(ad.unpack_dual(dual).primal, point) or not x.size
        y = dual * dual
        be.mul_(y[...], 3)
        for made in (y, y[...]):
            value, tangent = ad.unpack_dual(made)
            be.check(value, 3 * x * x)
            be.check(tangent, 6 * x * v)
        for constant in (point * 2, be.detach(y), y > 0, *ad.unpack_dual(y)):
            assert ad.unpack_dual(constant).tangent is None
        with pytest.raises(RuntimeError, match="Nested forward mode"), ad.dual_level():
            pass
        with pytest.raises(RuntimeError, match="different size"):
            ad.make_dual(point, direction[None])
        be.check(ad.unpack_dual(dual * 2).tangent, 2 * v)
    with ad.dual_level():
        assert ad.unpack_dual(dual).tangent is ad.unpack_dual(y).tangent is None
    assert ad.unpack_dual(dual).tangent is ad.unpack_dual(y).tangent is None


@claim("TRF-351", about="setitem", needs="jvp inplace torch", level="contract")
@given(
    x=arrays("written", layouts=DENSE, min_dims=1, min_size=1),
    u=arrays("written", layouts=DENSE, min_dims=1, min_size=1),
    values=arrays("values", layouts=DENSE, shape=(48,)),
    along=arrays("values", layouts=DENSE, shape=(48,)),
    key=one_of(keys("written", min_dims=1), mixed_keys("written", distinct=True)),
    form=integers(0, VALUE_FORMS - 1),
    moves=booleans(),
)
def test_what_is_assigned_brings_its_tangent(be, x, u, values, along, key, form, moves):
    """What is assigned by a key brings its tangent to the entries that the key selects, whether
    what it is written to has one or not; the others keep theirs.
    """
    value, pace = (value_for(each, x[key].shape, form) for each in (values, along))
    lifted = tuple(be.tensor(item) if isinstance(item, np.ndarray) else item for item in key)

    def assigned(old, new):
        written = be.mul(old if moves else be.tensor(x), 1.0)
        be.setitem(written, lifted, new)
        return written

    want, tangent = x.copy(), u * moves
    want[key], tangent[key] = value, pace
    found, moved = be.jvp(assigned, [x, value], [u, pace])
    be.check(found, want)
    be.check(moved, tangent)


@claim("TRF-380", about="compile", needs="jvp torch", level="contract")
@example(x=np.array([1.0, -2.0]), v=np.array([3.0, 5.0]), compiler="aot_eager")
@example(x=np.array([1.0, -2.0]), v=np.array([3.0, 5.0]), compiler="inductor")
def test_compiled_functions_pass_tangents_on(be, x, v, compiler):
    """In a dual level a compiled function passes tangents on as it does without a compiler."""
    ad, square = be.lookup("torch.autograd.forward_ad"), be.compile(lambda t: t * t, compiler)
    with ad.dual_level():
        value, tangent = ad.unpack_dual(square(ad.make_dual(be.tensor(x), be.tensor(v))))
        be.check(value, x * x)
        assert tangent is not None
        be.check(tangent, 2 * x * v)


@claim("FUN-170", about="lookup", needs="jvp backward torch", level="contract")
@given(
    x=arrays(layouts=DENSE),
    y=arrays(layouts=DENSE),
    v=arrays(layouts=DENSE),
    w=arrays(layouts=DENSE),
)
def test_a_rule_may_have_a_forward_mode(be, x, y, v, w):
    """An operation that is given a jvp has that as its derivative in forward mode, with what was
    saved for it and None for what is no tensor; one that is given none is refused there.
    """
    function = be.lookup("torch.autograd:Function")

    class Plain(function):
        @staticmethod
        def forward(a, b, factor):
            return a * b * factor

        @staticmethod
        def setup_context(ctx, inputs, _):
            *factors, ctx.factor = inputs
            ctx.save_for_backward(*factors)
            ctx.save_for_forward(*factors)

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            return g * b * 7, g * a * 11, None

    class Ruled(Plain):
        @staticmethod
        def jvp(ctx, to_a, to_b, nothing):
            assert nothing is None
            a, b = ctx.saved_tensors
            return to_a * b * ctx.factor + to_b * a * 5

    value, tangent = be.jvp(lambda a, b: Ruled.apply(a, b, 3.0), [x, y], [v, w])
    be.check(value, 3 * x * y)
    be.check(tangent, Total.of(3 * v * y, 5 * w * x))
    with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
        be.jvp(lambda a, b: Plain.apply(a, b, 3.0), [x, y], [v, w])
    leaves = be.leaf(x), be.leaf(y)
    be.backward(Ruled.apply(*leaves, 3.0), w)
    be.check(be.grad(leaves[0]), 7 * w * y)
    be.check(be.grad(leaves[1]), 11 * w * x)


@claim("FUN-460", about="pulled pushed", needs="transforms torch", level="contract")
@given(
    x=arrays("x", shape=(3,), layouts=DENSE),
    v=arrays("v", shape=(3,), layouts=DENSE),
    w=arrays("w", shape=(3,), layouts=DENSE),
)
def test_a_rule_with_a_forward_mode_is_differentiated_twice(be, x, v, w):
    """An operation with a backward and a jvp has its second derivatives by either mode of
    transforms over either, where both are written with differentiable operations.
    """

    class Cube(be.lookup("torch.autograd:Function")):
        @staticmethod
        def forward(a):
            return a * a * a

        @staticmethod
        def setup_context(ctx, inputs, _):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return g * (3 * (a * a))

        @staticmethod
        def jvp(ctx, t):
            (a,) = ctx.saved_tensors
            return t * (3 * (a * a))

    at, along, weights = map(be.tensor, (x, v, w))

    def back(a):
        return be.pulled(Cube.apply, [a], along)[0]

    def ahead(a):
        return be.pushed(Cube.apply, [a], [along])

    true = w * (v * (6 * Jet.exact(x)))
    for inner, name in ((back, "reverse"), (ahead, "forward")):
        be.check(be.pulled(inner, [at], weights)[0], true, f"reverse over {name}")
        be.check(be.pushed(inner, [at], [weights]), true, f"forward over {name}")


# ---- of transforms -------------------------------------------------------------------------------


@claim("TRF-220", about="linearize", needs="linearize", level="contract")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2), layouts=DENSE),
    y=arrays("y", shape=(2, 2), layouts=DENSE),
    v=arrays("v", shape=(2, 2), layouts=DENSE),
)
def test_what_is_linearized_is_computed_once(be, f, x, y, v):
    """The linear part of a function does not call the function again."""
    calls, other = [], be.tensor(y)

    def counted(a):
        calls.append(None)
        return f.of(a, other)

    _, push = be.linearize(counted, be.tensor(x))
    before = len(calls)
    for _ in range(2):
        be.check(push(be.tensor(v)), f.along(v, x, y))
    assert len(calls) == before


@claim("TRF-480", about="linearize", needs="linearize inplace mul_", level="contract")
@given(
    x=arrays("x", shape=(2, 2), layouts=DENSE),
    y=arrays("y", shape=(2, 2), layouts=DENSE),
    v=arrays("v", shape=(2, 2), layouts=DENSE),
)
def test_what_is_carried_is_read_at_each_call(be, x, y, v):
    """The linear part of a function takes a tangent as it stands at the call, though the same
    tensor had other entries at the call before, and a pullback its cotangent.
    """
    other, carried = be.tensor(y), be.tensor(v)
    _, push = be.linearize(lambda a: a * a * other, be.tensor(x))
    _, pull = be.vjp(lambda a: a * a * other, be.tensor(x))
    for factor in (1, 2, -8):
        be.mul_(carried, factor)
        v = v * factor
        be.check(push(carried), 2 * x * y * v, "tangent")
        be.check(pull(carried)[0], 2 * x * y * v, "gradient")


@claim("TRF-221", about="pulled pushed", needs="transforms")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2), layouts=DENSE),
    y=arrays("y", shape=(2, 2), layouts=DENSE),
    w=arrays("w", shape=(2, 2), layouts=DENSE),
    v=arrays("v", shape=(2, 2), layouts=DENSE),
)
def test_transforms_are_linear_in_what_they_carry(be, f, x, y, w, v):
    """A directional derivative is differentiated by its direction, which gives the gradient, and a
    gradient by its cotangent, which gives the directional derivative.
    """
    at, other, weights, direction = map(be.tensor, (x, y, w, v))

    def along(z):
        return be.pushed(lambda a: f.of(a, other), [at], [z])

    def back(z):
        return be.pulled(lambda a: f.of(a, other), [at], z)[0]

    gradient, tangent = f.gradients(w, x, y)[0], f.along(v, x, y)
    be.check(be.pulled(along, [direction], weights)[0], gradient, "reverse over forward")
    be.check(be.pushed(along, [at], [direction]), tangent, "forward over forward")
    be.check(be.pulled(back, [weights], direction)[0], tangent, "reverse over reverse")
    be.check(be.pushed(back, [at], [weights]), gradient, "forward over reverse")


@claim("TRF-280", about="lookup", needs="torch no_grad", level="contract")
@given(
    x=arrays("x", shape=(3,)),
    y=arrays("y", shape=(3,)),
    which=sampled_from([0, 1, -1, (0,), (1, 0), (-1, 0)]),
    quiet=booleans(),
)
def test_grad_makes_a_function(be, x, y, which, quiet):
    """torch.func.grad makes of a function with a scalar result that of its gradients by the chosen
    arguments, which are counted from either end, under no_grad too, with the value or with what
    else it returns if that is asked for.
    """
    grad, both = (be.lookup(f"torch.func:{name}") for name in ("grad", "grad_and_value"))
    a, b = be.tensor(x), be.tensor(y)

    def function(a, b):
        return be.sum(a * a * b)

    with be.no_grad() if quiet else be.enable_grad():
        found = [grad(function, which)(a, b)]
        gradients, value = both(function, which)(a, b)
        others, beside = grad(lambda a, b: (function(a, b), a * b), which, has_aux=True)(a, b)
        again, (total, aux) = both(lambda a, b: (function(a, b), a * b), which, has_aux=True)(a, b)
        second = grad(lambda a, b: be.sum(grad(function)(a, b)))(a, b)
    for each in (*found, gradients, others, again):
        parts = each if isinstance(which, tuple) else (each,)
        for part, place in zip(parts, np.atleast_1d(which), strict=True):
            be.check(part, (2 * x * y, x * x)[place])
            assert not be.requires_grad(part)
    for each in (value, total):
        be.check(each, Total.along(x * x * y, 0))
    be.check(second, 2 * y)
    for each in (beside, aux):
        be.check(each, x * y)
        assert not be.lookup("torch:_C._functorch.is_gradtrackingtensor")(each)
    with pytest.raises(RuntimeError, match="scalar"):
        grad(lambda a: a * a)(a)
