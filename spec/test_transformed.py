"""Transformed: bijections of random variables, and how much they stretch."""

import math

import numpy as np

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import arrays, booleans, integers, lists, sampled_from
from gradspec.conformance.strategies.constraints import EDGES, constrained
from gradspec.conformance.strategies.distributions import ABOVE, REAL, around, sampled
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.strategies.transformed import (
    BIJECTED,
    ONTO,
    REACHED,
    chained,
    constraint,
    share,
    transformed,
)
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "what a transform computes is what its operations do"

# ---- transforms ----------------------------------------------------------------------------------


@claim("DST-290", about="bijection", needs="distributions torch", level="contract")
@given(seed=integers(0, 2**32))
def test_transforms_are_what_they_are_made_of(be, seed):
    """Transforms that are composed, stacked, concatenated, reshaped or taken as independent make of
    a tensor what their parts do, and their inverse leads back. They foretell the shapes of both,
    and how many axes an event has before and after.
    """
    drawn = transformed(be, seed)
    made, y = drawn.made, drawn.made(be.tensor(drawn.x))
    be.check(y, drawn.value, f"of {made}")
    be.check(made.inv(y), drawn.back(drawn.x), f"inverse of {made}")
    assert made.inv.inv is made
    assert tuple(made.forward_shape(drawn.x.shape)) == tuple(y.shape)
    assert tuple(made.inverse_shape(y.shape)) == drawn.x.shape
    axes = drawn.part.inside, drawn.part.outside
    assert (made.domain.event_dim, made.codomain.event_dim) == axes
    assert (made.inv.codomain.event_dim, made.inv.domain.event_dim) == axes


@claim(
    "DST-291", about="bijection", needs="distributions backward gradients torch", level="contract"
)
@given(seed=integers(0, 2**32))
def test_transforms_tell_how_much_they_stretch(be, seed):
    """log_abs_det_jacobian is the logarithm of the determinant of the derivatives of each event, by
    the entries that are free, and minus that of the inverse. It is differentiated as they are.
    """
    drawn = transformed(be, seed)
    leaf, w = be.leaf(drawn.x), drawn.weights(seed)
    y = drawn.made(leaf)
    found = drawn.made.log_abs_det_jacobian(leaf, y)
    be.check(found, drawn.logarithm, f"logarithm of {drawn.made}")
    turned = drawn.made.inv.log_abs_det_jacobian(y, leaf)
    be.check(be.neg(turned), drawn.logarithm, f"logarithm of the inverse of {drawn.made}")
    wanted = be.requires_grad(found)
    (gradient,) = be.gradients(found, [leaf], be.tensor(w)) if wanted else (None,)
    be.check_gradient(gradient, drawn.gradient(w), f"gradient of {drawn.made}")


@claim("DST-724", about="lookup", needs="distributions torch log abs", level="contract")
@given(x=arrays(values=REAL, shape=(3,)), size=sampled_from([40.0, 80.0]))
def test_flat_parts_stretch_by_little_not_by_nothing(be, x, size):
    """Far out, where a transform is flat, the logarithm of its slope falls with the distance."""
    far = np.where(x < 0, -1.0, 1.0) * size + x
    for name, logarithm in (
        ("TanhTransform", math.log(4) - 2 * np.abs(far)),
        ("SigmoidTransform", -np.abs(far)),
        ("SoftplusTransform", np.minimum(far, 0.0)),
    ):
        made, point = be.lookup(f"torch.distributions.transforms:{name}")(), be.tensor(far)
        be.check(made.log_abs_det_jacobian(point, made(point)), around(logarithm, far), name)


@claim("DST-292", about="bijection", needs="distributions torch log abs", level="contract")
@example(x=np.zeros((2, 3)), scale=np.full(3, 2.0), wide=(), axes=1)
@example(x=np.zeros((2, 3)), scale=np.full(3, 2.0), wide=(3,), axes=1)
@given(
    x=arrays(values=REAL, shape=(2, 3)),
    scale=arrays(values=ABOVE, shape=(3,)),
    wide=sampled_from([(), (1,), (2, 1), (3,), (2, 3)]),
    axes=integers(0, 2),
)
def test_a_scale_stretches_each_entry(be, x, scale, wide, axes):
    """A scale that several entries of an event share stretches each of them."""
    factor = np.resize(scale, wide)
    made = be.bijection("AffineTransform", 0.0, be.tensor(factor), axes)
    each = np.broadcast_to(np.log(factor), x.shape).reshape(*x.shape[: 2 - axes], -1)
    y = made(be.tensor(x))
    found = made.log_abs_det_jacobian(be.tensor(x), y)
    sums = each.sum(-1) if axes else each
    be.check(found, around(sums.reshape(x.shape[: 2 - axes]), 4.0))


@claim("DST-721", about="bijection", needs="distributions torch", level="contract")
@given(x=arrays(values=REAL, shape=(2, 2)), axis=integers(-2, 1))
def test_what_is_stacked_is_transformed_part_by_part(be, x, axis):
    """Transforms that are stacked take one part each of what lies along the axis, whichever this
    is, and their inverses give it back.
    """
    parts = [be.bijection("ExpTransform"), be.bijection("AffineTransform", 0.5, 2.0)]
    made, (first, second) = be.bijection("StackTransform", parts, axis), np.moveaxis(x, axis, 0)
    value = np.stack([np.exp(first), 0.5 + 2 * second], axis)
    y = made(be.tensor(x))
    be.check(y, around(value, 1 + np.abs(value)))
    be.check(made.inv(y), around(x, 4 * (1 + np.abs(x))))


@claim("DST-293", about="bijection", needs="distributions torch", level="contract")
@example(x=np.zeros((2, 2)), axis=-1)
@given(x=arrays(values=REAL, shape=(2, 2)), axis=integers(-2, 1))
def test_what_is_stacked_stretches_events(be, x, axis):
    """Transforms that are stacked tell how much they stretch each event of their domain."""
    parts = [be.bijection("ExpTransform"), be.bijection("AffineTransform", 0.5, 2.0)]
    made = be.bijection("StackTransform", parts, axis)
    each = np.moveaxis(np.moveaxis(x, axis, 0) * [[1.0], [0.0]], 0, axis)
    each += np.moveaxis(np.array([[0.0, 0.0], [1.0, 1.0]]) * np.log(2), 0, axis)
    axes = made.domain.event_dim
    found = made.log_abs_det_jacobian(be.tensor(x), made(be.tensor(x)))
    be.check(found, around(each.reshape(*x.shape[: 2 - axes], -1).sum(-1) if axes else each, 4.0))


@claim(
    "DST-294", about="bijection", needs="distributions backward gradients torch", level="contract"
)
@given(seed=integers(0, 2**32))
def test_a_transform_keeps_its_last_result(be, seed):
    """With a cache a transform is the same, and returns the very tensor that it made last of one,
    or made one of. Gradients go through what is kept.
    """
    drawn = transformed(be, seed)
    made, leaf = drawn.made.with_cache(), be.leaf(drawn.x)
    y = made(leaf)
    assert made(leaf) is y, f"{made} computes again"
    assert made.inv(y) is leaf, f"{made} takes back what it knows"
    be.check(y, drawn.value, f"of {made}")
    again = made.inv.inv.with_cache()
    assert again is made
    found, w = made.log_abs_det_jacobian(made.inv(y), y), drawn.weights(seed)
    wanted = be.requires_grad(found)
    (gradient,) = be.gradients(found, [leaf], be.tensor(w)) if wanted else (None,)
    be.check_gradient(gradient, drawn.gradient(w), f"gradient of {made}")


# ---- what is not one to one, and constraints -----------------------------------------------------


@claim(
    "DST-295", about="bijection", needs="distributions backward gradients torch", level="contract"
)
@given(
    name=sampled_from(sorted(ONTO)),
    x=arrays(values=REAL, shape=(2, 3, 3)),
    w=arrays(shape=(2, 3, 3)),
)
def test_transforms_need_not_be_one_to_one(be, name, x, w):
    """Absolute values, softmax, and matrices that are made lower triangular or positive definite
    have the values and gradients of these functions. What is taken back and transformed again is
    what it was.
    """
    made, leaf = be.bijection(name), be.leaf(x if name != "AbsTransform" else x + 0.125)
    (jet,) = Jet.seeds([be.numpy(leaf).astype(float)])
    true = ONTO[name](jet)
    y = made(leaf)
    be.check(y, true.total, f"of {made}")
    size = 1 + np.abs(true.value).max() ** 2
    be.check(made(made.inv(y)), around(true.value, 16 * size))
    (gradient,) = be.gradients(y, [leaf], be.tensor(w))
    terms = (w * true.numbers[0, 0, 1:]).reshape(x.size, -1)
    allowed = around(terms.sum(-1), 4 * size * np.abs(terms).sum(-1))
    be.check_gradient(gradient, allowed.reshape(x.shape))
    assert not made.bijective


@claim("DST-296", about="lookup", needs="distributions torch", level="contract")
@every(name=REACHED)
@given(
    x=arrays(values=REAL, shape=(2, 3)),
    rows=arrays(values=REAL, shape=(2, 2, 2)),
)
def test_real_numbers_are_brought_into_constraints(be, name, x, rows):
    """transform_to and biject_to map real numbers into a constraint. What they reach is reached
    again from where their inverse leads, and biject_to is one to one: the inverse leads back.
    """
    onto = constraint(be, name)
    point = rows if name not in BIJECTED else x
    for registry in ("transform_to", "biject_to") if name in BIJECTED else ("transform_to",):
        made = be.lookup(f"torch.distributions:{registry}")(onto)
        y = made(be.tensor(point))
        assert np.all(be.numpy(onto.check(y))), f"{made} leaves {name}"
        value = be.numpy(y).astype(float)
        be.check(made(made.inv(y)), around(value, 64 * (1 + np.abs(value).max() ** 2)))
        assert made.codomain.event_dim == onto.event_dim or name == "stack"
        if registry == "biject_to":
            assert made.bijective
            be.check(made.inv(y), around(point, np.full(point.shape, 1024.0)))


@claim("DST-349", about="lookup", needs="distributions torch", level="contract")
@given(x=arrays(values=ABOVE, shape=(2, 3)), part=sampled_from([0.5, 2.0**-6, 2.0**-12]))
def test_shares_of_a_simplex_add_up_to_one(be, x, part):
    """The simplex holds shares that are not negative and add up to one: neither those whose sum is
    less or more, nor any with one below zero.
    """
    shares = x / x.sum(-1, keepdims=True)
    onto, over = constraint(be, "simplex"), (shares[:, :1] + part) * np.array([1.0, 0.0, -1.0])
    cases = (shares, True), (shares * (1 - part), False), (shares * (1 + part), False)
    for value, inside in (*cases, (shares + over[:, ::-1], False)):
        assert np.all(be.numpy(onto.check(be.tensor(value))) == inside), value


@claim("DST-825", about="lookup", needs="distributions torch", level="contract")
@every(name=list(EDGES))
@given(picks=lists(integers(0, 11), min_size=1, max_size=5))
def test_constraints_hold_at_their_bounds_and_not_beyond(be, name, picks):
    """A constraint tells of each event of a batch whether it lies in it, whatever the others are:
    at a bound that belongs to it an event does, and beyond it none.
    """
    _, inside, outside = EDGES[name]
    events = np.array([*inside, *outside])
    picked, whole = np.array(picks) % len(events), np.arange(len(events))
    for each in (*whole, whole, picked, np.stack([picked, picked[::-1]])):
        found = constrained(be, name).check(be.tensor(events[each]))
        assert np.array_equal(be.numpy(found), each < len(inside)), f"{name}: {events[each]}"


@claim("DST-299", about="bijection", needs="distributions torch", level="contract")
@given(seed=integers(0, 2**32))
def test_constraints_are_told_of_each_event(be, seed):
    """The domain and the codomain of a transform tell of each event whether it lies in them, as
    those do that go in and come out.
    """
    drawn = transformed(be, seed)
    x = be.tensor(drawn.x)
    for onto, value in ((drawn.made.domain, x), (drawn.made.codomain, drawn.made(x))):
        inside = be.numpy(onto.check(value))
        assert inside.shape == drawn.batch, f"{onto} of {drawn.made} tells {inside.shape}"
        assert np.all(inside), f"{onto} of {drawn.made} says no"


# ---- distributions -------------------------------------------------------------------------------


@claim(
    "DST-297",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@given(seed=integers(0, 2**32))
def test_what_is_transformed_has_a_density(be, seed):
    """The density of what is transformed is that of the event it came from, less the logarithm of
    how much this is stretched, with gradients by the parameters of what was transformed. Its events
    are those of the transform.
    """
    drawn, rng = transformed(be, seed), np.random.default_rng(seed)
    loc, scale = (rng.integers(1, 9, size=drawn.x.shape) / 4 for _ in range(2))
    leaves, y = [be.leaf(loc), be.leaf(scale)], drawn.made(be.tensor(drawn.x))
    base = be.distribution("Normal", *leaves)
    made = be.distribution("TransformedDistribution", base, [drawn.made], validate_args=False)
    assert tuple(made.batch_shape) == drawn.batch
    assert (*made.batch_shape, *made.event_shape) == tuple(y.shape)
    found, w = made.log_prob(y), drawn.weights(seed)
    be.check(found, drawn.density(loc, scale), f"density under {drawn.made}")
    gradients = be.gradients(found, leaves, be.tensor(w))
    for gradient, true in zip(gradients, drawn.moved(w, loc, scale), strict=True):
        be.check_gradient(gradient, true, f"gradient under {drawn.made}")


@claim("DST-298", about="distribution", needs="distributions vjp exp torch", level="contract")
@given(seed=integers(0, 2**32))
def test_what_is_transformed_has_shares(be, seed):
    """The share of what is transformed that lies below a result is that of the numbers below its
    origin, or above where the transform falls. It grows by the density, and its inverse leads back.
    """
    drawn = chained(be, seed)
    base = be.distribution("Normal", be.tensor(np.full(3, 0.25)), be.tensor(np.full(3, 2.0)))
    made = be.distribution("TransformedDistribution", base, drawn.made.parts)
    point = drawn.made(be.tensor(drawn.x))
    found, pull = be.vjp(made.cdf, point)
    size = drawn.logarithm.magnitude
    true = share(drawn.x, 0.25, 2.0)
    be.check(found, around(np.where(drawn.rising > 0, true, 1 - true), size))
    (slope,) = pull(be.tensor(np.ones(3)))
    density = be.numpy(be.exp(made.log_prob(point)))
    be.check_gradient(slope, around(density, density * size**2))
    again = be.numpy(point)
    be.check(made.icdf(found), around(again, size * (1 + np.abs(again) + 1 / density)))


@claim(
    "DST-380",
    about="distribution",
    needs="distributions random gradients torch",
    level="contract",
)
@example(loc=np.zeros(3), scale=np.full(3, 2.0), w=np.ones(3), seed=0, kept=True)
@given(
    loc=arrays(values=REAL, shape=(3,)),
    scale=arrays(values=ABOVE, shape=(3,)),
    w=arrays(shape=(3,)),
    seed=seeds(),
    kept=booleans(),
)
def test_what_was_drawn_has_a_density(be, loc, scale, w, seed, kept):
    """A sample has the density of any equal tensor, with its gradients by the parameters of the
    transform that it was drawn by, also where this has a cache.
    """
    leaves, ends = [be.leaf(loc), be.leaf(scale)], map(be.tensor, (np.zeros(3), np.ones(3)))
    transform = be.bijection("AffineTransform", *leaves)
    parts = [transform.with_cache() if kept else transform]
    made = be.distribution("TransformedDistribution", be.distribution("Normal", *ends), parts)
    y = sampled(be, seed, made.sample)
    found, off = made.log_prob(y), (be.numpy(y) - loc) / scale
    each = -off * off / 2 - np.log(scale) - np.log(2 * np.pi) / 2
    grown = 1 + (1 + np.abs(off)) * (1 + np.abs(loc) / scale + np.abs(off)) + np.abs(each)
    be.check(found, around(each, grown))
    slopes = w * off / scale, w * (off * off - 1) / scale
    for gradient, true in zip(be.gradients(found, leaves, w), slopes, strict=True):
        be.check_gradient(gradient, around(true, np.abs(w) * grown / scale))
