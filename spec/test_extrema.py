"""Extrema: the largest entries, their places, and who receives the gradient of a tie."""

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import arrays
from gradspec.conformance.strategies.shaping import axes

TIE = np.array([1.0, 3.0, 3.0])


@workload
def largest(be, leaf):
    """The largest of every four entries, sent back as their own cotangent."""
    value, pull = be.vjp(lambda x: be.amax(be.reshape(x, (-1, 4)), 1), leaf)
    return pull(value)[0]


@claim("OPS-80", about="max", needs="backward max argmax")
@example(x=np.array([[1.0, 3.0, np.nan], [2.0, 0.0, 1.0]]), dim=1)
@given(x=arrays(min_dims=1, min_size=1), dim=axes(min_dims=1, min_size=1))
def test_max_gives_values_and_places(be, x, dim):
    """max is the largest entry, or nan if there is one; along an axis it gives the largest entries
    and, as int64 without gradient, a place where each stands: the place that argmax gives, unless
    several tie. Along an axis without entries it is refused.
    """
    leaf = be.leaf(x)
    be.check(be.max(leaf), np.max(x))
    values, places = be.max(leaf, dim)
    be.check(values, np.max(x, dim))
    assert be.dtype_of(places) == "int64"
    assert be.requires_grad(values)
    assert not be.requires_grad(places)
    at = be.numpy(places)
    found = np.take_along_axis(x, np.expand_dims(at, dim), dim).squeeze(dim)
    assert np.array_equal(found, np.max(x, dim), equal_nan=True)
    single = (x == np.max(x, dim, keepdims=True)).sum(dim) == 1
    assert np.array_equal(be.numpy(be.argmax(leaf, dim))[single], at[single])
    be.check(be.max(be.tensor(np.zeros((0, 2))), 1)[0], np.zeros(0))
    with be.raises(ErrorKind.SHAPE):
        be.max(be.tensor(np.zeros((2, 0))), 1)


@claim("OPS-81", about="max amax", needs="vjp max amax reshape", level="convention")
@example(x=TIE, w=np.array(1.0), v=TIE, dim=0)
@given(
    x=arrays(min_dims=1, min_size=1),
    w=arrays("scalar", shape=()),
    v=arrays("weights", shape=(12,)),
    dim=axes(min_dims=1, min_size=1),
)
def test_ties_share_or_the_place_named_takes_all(be, x, w, v, dim):
    """Equal largest entries share the gradient of max over all entries, and that of amax, in equal
    parts; along an axis the gradient of max goes to the place that it names alone.
    """
    top = np.max(x, dim, keepdims=True)
    v = v[: top.size].reshape(top.shape)
    ties, all_ties = x == top, x == np.max(x)
    for function in (be.max, be.amax):
        _, pull = be.vjp(lambda z, function=function: function(z), x)
        be.check(pull(w)[0], w * all_ties / all_ties.sum())
    _, pull = be.vjp(lambda z: be.amax(z, dim, keepdim=True), x)
    be.check(pull(v)[0], v * ties / ties.sum(dim, keepdims=True))
    _, pull = be.vjp(lambda z: be.max(z, dim, keepdim=True)[0], x)
    named = np.zeros(x.shape)
    np.put_along_axis(named, be.numpy(be.max(be.tensor(x), dim, keepdim=True)[1]), v, dim)
    be.check(pull(v)[0], named)
    four = np.resize(x, 4)
    be.check(largest(be, be.tensor(four)), four * (four == max(four)) / (four == max(four)).sum())
