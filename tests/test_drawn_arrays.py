"""Arrays: every interesting point is drawn with a stated probability, and examples stay simple."""

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from test_drawn_calls import shares

from gradspec.conformance.strategies import ANY, DENSE, NONZERO, POSITIVE, arrays, integers
from gradspec.conformance.strategies.arrays import SHAPES

QUIET = settings(deadline=None, database=None, max_examples=300)


def overlaps(x):
    """Whether two entries of `x` lie at one place."""
    return x.size > 1 and any(
        step == 0 < size - 1 for step, size in zip(x.strides, x.shape, strict=True)
    )


def gapped(x):
    """Whether the last dimension skips memory."""
    return x.size > 1 and x.shape[-1] > 1 and abs(x.strides[-1]) > x.itemsize and not is_fortran(x)


def is_fortran(x):
    """Whether memory is column-major and not row-major."""
    return x.flags.f_contiguous and not x.flags.c_contiguous


def ties(x):
    """Whether two entries are equal that are not one entry seen twice."""
    return not overlaps(x) and np.unique(x).size < x.size


POINTS = {
    "zero": (0.2, lambda x: 0 in x),
    "one": (0.15, lambda x: 1 in x),
    "minus one": (0.15, lambda x: -1 in x),
    "a half": (0.25, lambda x: 0.5 in x or -0.5 in x),
    "a tie": (0.15, ties),
    "no two entries equal": (0.1, lambda x: x.size > 1 and np.unique(x).size == x.size),
    "both signs": (0.4, lambda x: x.size and x.min() < 0 < x.max()),
    "a scalar": (0.03, lambda x: x.ndim == 0),
    "nothing": (0.05, lambda x: x.size == 0),
    "one entry": (0.05, lambda x: x.size == 1),
    "a dimension of size one": (0.2, lambda x: 1 in x.shape),
    "two dimensions of different sizes": (0.2, lambda x: x.ndim > 1 and len({*x.shape}) > 1),
    "three dimensions": (0.05, lambda x: x.ndim == 3),
    "row-major memory": (0.3, lambda x: x.flags.c_contiguous),
    "column-major memory": (0.03, is_fortran),
    "every second element": (0.06, gapped),
    "an offset into memory": (0.1, lambda x: x.base is not None and offset(x) > 0),
    "a stride of zero": (0.05, overlaps),
}
"""What has to be met, and in which share of all draws at least."""


def offset(x):
    """Return how far into its memory `x` starts, in bytes."""
    while isinstance(x.base, np.ndarray):
        start, x = x, x.base
    return start.ctypes.data - x.ctypes.data


@pytest.fixture(scope="module")
def measured():
    """The shares of all points, from one run."""
    return dict(zip(POINTS, shares(arrays(), *(hit for _, hit in POINTS.values())), strict=True))


@pytest.mark.parametrize("point", POINTS)
def test_arrays_meet(point, measured):
    least, _ = POINTS[point]
    assert measured[point] >= least


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape_of_the_pool_is_drawn(shape):
    """Each of the twelve makes up 2 % at least."""
    (share,) = shares(arrays(), lambda x: x.shape == shape)
    assert share >= 0.02


@pytest.mark.parametrize(
    ("strategy", "always"),
    [
        (arrays(), lambda x: x.dtype == "float64"),
        (arrays(), lambda x: np.all(x * 4 == np.round(x * 4)) and np.all(np.abs(x) <= 9)),
        (arrays(values=NONZERO), lambda x: np.all(x != 0)),
        (arrays(values=POSITIVE), lambda x: np.all(x > 0)),
        (arrays(layouts=DENSE), lambda x: not overlaps(x)),
        (arrays(min_dims=2), lambda x: x.ndim >= 2),
        (arrays(min_size=1), lambda x: x.size >= 1),
        (arrays(min_dims=1, min_size=2), lambda x: min(x.shape) >= 2),
        (arrays(shape=(5, 2)), lambda x: x.shape == (5, 2)),
        (st.tuples(arrays(), arrays(values=POSITIVE)), lambda xy: xy[0].shape == xy[1].shape),
        (st.tuples(arrays("a"), arrays("a")), lambda xy: xy[0].shape == xy[1].shape),
    ],
    ids=range(11),
)
def test_all_draws_keep_the_promise(strategy, always):
    assert shares(strategy, always) == [1]


def test_labels_are_independent():
    """Hypothesis likes to repeat what it drew, so that shapes meet more often than by chance."""
    pair = st.tuples(arrays("a"), arrays("b"))
    (share,) = shares(pair, lambda xy: xy[0].shape != xy[1].shape)
    assert share > 0.4


def test_arrays_of_one_label_share_no_memory_and_few_values():
    apart, different = shares(
        st.tuples(arrays(min_size=2), arrays(min_size=2)),
        lambda xy: not np.shares_memory(*xy),
        lambda xy: not np.array_equal(*xy),
    )
    assert apart == 1
    assert different > 0.6


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
def test_bounds_that_contradict_each_other_under_one_label_are_refused():
    with pytest.raises(InvalidArgument, match="'shape' need the same bounds"):
        shares(st.tuples(arrays(), arrays(min_dims=3)))


def test_numbers_reach_both_ends():
    """Each of four numbers makes up 10 % at least."""
    found = shares(integers(1, 4), *(lambda n, k=k: n == k for k in (1, 2, 3, 4)))
    assert min(found) >= 0.1
    assert sum(found) == pytest.approx(1)


def draws():
    """Collect what one seed draws."""
    seen = []
    shares(arrays(), lambda x: seen.append((x.shape, x.strides, x.tolist())))
    return seen


def test_the_same_seed_draws_the_same():
    assert draws() == draws()


@pytest.mark.parametrize(
    ("condition", "simplest"),
    [
        (lambda x: True, np.zeros(3)),
        (lambda x: x.ndim == 2, np.zeros((2, 3))),
        (lambda x: x.ndim == 0, np.zeros(())),
        (lambda x: x.size > 3, np.zeros((2, 3))),
        (np.any, None),
        (lambda x: ties(x) and x.max() == 2, None),
    ],
    ids=range(6),
)
def test_examples_shrink(condition, simplest):
    """The simplest is contiguous, and zero wherever the condition does not ask for more."""
    found = find(arrays(), condition, settings=QUIET)
    assert found.flags.c_contiguous
    assert np.count_nonzero(found) <= 1
    if simplest is not None:
        assert found.shape == simplest.shape
        assert np.array_equal(found, simplest)


@QUIET
@given(x=arrays(), y=arrays(), z=arrays())
def test_a_few_factors_and_terms_are_exact_in_float32(x, y, z):
    exact = x * y * z + x * y
    single = [a.astype("float32") for a in (x, y, z)]
    assert np.array_equal(single[0] * single[1] * single[2] + single[0] * single[1], exact)


def test_half_of_every_table_is_adversarial():
    special = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0]
    assert np.isin(ANY, special).mean() >= 0.5
    assert len(np.unique(ANY)) > 50
    assert not np.any(NONZERO == 0)
    assert np.all(POSITIVE > 0)
