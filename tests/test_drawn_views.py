"""Shapes, axes and chains of views: each interesting point is drawn often enough."""

import numpy as np
import pytest
from hypothesis import strategies as st
from test_drawn_calls import shares

from gradspec.conformance.strategies import shaping
from gradspec.conformance.strategies.arrays import shapes

CHAINS = {
    "several steps": lambda shape, chain: len(chain.steps) > 1,
    "elements left out": lambda shape, chain: chain.of_array(np.empty(shape)).size < np.prod(shape),
    "axes reordered": lambda shape, chain: (
        {"permute", "transpose", "t", "movedim"} & {name for name, *_ in chain.steps}
    ),
}


@pytest.mark.parametrize("point", CHAINS)
def test_chains_reach(point):
    (share,) = shares(
        st.tuples(shapes(), shaping.chains(cut=True)), lambda drawn: CHAINS[point](*drawn)
    )
    assert share > 0.15


@pytest.mark.parametrize("possible", [True, False])
def test_requests_are_what_they_say(possible):
    """Whether strides can express the shape is numpy's judgement; all layouts take part."""
    agreed, strided = shares(
        shaping.requests(possible=possible),
        lambda r: possible == (np.shares_memory(r[0], r[0].reshape(r[1])) or r[0].size == 0),
        lambda r: not r[0].flags.c_contiguous,
    )
    assert agreed == 1
    assert strided > 0.4


@pytest.mark.parametrize(
    ("strategy", "fits"),
    [
        (shaping.targets(), lambda shape, sizes: np.prod(sizes) == np.prod(shape)),
        (shaping.of_another_size(), lambda shape, sizes: np.prod(sizes) != np.prod(shape)),
        (shaping.inferable(), lambda shape, sizes: sizes.count(-1) == 1),
        (shaping.uninferable(), lambda shape, sizes: min(sizes) < 0),
    ],
)
def test_sizes_fit_their_shape(strategy, fits):
    assert shares(st.tuples(shapes(), strategy), lambda drawn: fits(*drawn)) == [1]


def test_an_order_often_differs_from_its_inverse():
    """Only such an order tells a permutation from the opposite one."""
    (share,) = shares(
        shaping.orders(min_dims=2),
        lambda dims: list(np.argsort(turned := [d % len(dims) for d in dims])) != turned,
    )
    assert share > 0.05


def test_stretches_start_at_either_end():
    negative, empty, full = shares(
        st.tuples(shapes("shape", 1, 1), shaping.stretches(min_dims=1, min_size=1)),
        lambda drawn: drawn[1][1] < 0,
        lambda drawn: drawn[1][2] == 0,
        lambda drawn: drawn[1][2] == drawn[0][drawn[1][0]],
    )
    assert min(negative, empty, full) > 0.05
