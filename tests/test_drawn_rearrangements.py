"""Joins, cuts, products and reads by index: each interesting point is drawn often enough."""

import numpy as np
from test_drawn_calls import shares

from gradspec.conformance.strategies.indices import copying_keys, selections
from gradspec.conformance.strategies.products import PAIRED, contractions, products
from gradspec.conformance.strategies.programs import clashes
from gradspec.conformance.strategies.rearrangements import lines, pieces

OFTEN = 0.04


def test_pieces_differ_along_one_axis_and_some_are_empty():
    ragged, empty, scalars, alone, negative = shares(
        pieces(min_dims=0),
        lambda p: len({array.shape for array in p.arrays}) > 1,
        lambda p: any(array.size == 0 for array in p.arrays),
        lambda p: p.arrays[0].ndim == 0,
        lambda p: len(p.arrays) == 1,
        lambda p: p.dim < 0,
    )
    assert ragged > 0.3
    assert min(empty, scalars, alone, negative) > OFTEN
    assert shares(
        pieces(0, ragged=2), lambda p: len({a.shape for a in p.arrays if a.ndim == 1}) > 1
    ) == [0]


def test_lines_leave_rests_and_divide():
    divisible, empty, long, negative = shares(
        lines(),
        lambda line: line.size % line.sections == 0,
        lambda line: line.size == 0,
        lambda line: line.size > 5,
        lambda line: line.dim < 0,
    )
    assert divisible == 1
    assert min(empty, long, negative) > OFTEN


def test_products_broadcast_and_take_vectors():
    vector, batch, broadcast, empty = shares(
        products(vectors=True),
        lambda p: p.x.ndim == 1 or p.y.ndim == 1,
        lambda p: p.x.ndim > 2,
        lambda p: p.x.ndim > 2 and p.y.ndim > 2 and p.x.shape[:-2] != p.y.shape[:-2],
        lambda p: p.w.size == 0 or p.x.size == 0,
    )
    assert min(vector, batch, broadcast, empty) > OFTEN
    assert shares(products(PAIRED), lambda p: p.x.shape[:-2] == p.y.shape[:-2]) == [1]


def test_contractions_sum_transpose_and_take_diagonals():
    diagonal, implicit, scalar, several, broadcast = shares(
        contractions(),
        lambda c: any(len(set(names)) < len(names) for names in c.names),
        lambda c: "->" not in c.equation,
        lambda c: c.w.ndim == 0,
        lambda c: len(c.names) == 3,
        lambda c: 1 in c.operands[0].shape and c.names[0][0] != "j",
    )
    assert min(diagonal, implicit, scalar, several, broadcast) > OFTEN


def test_selections_repeat_places_and_count_from_the_end():
    for form in ("slices", "flat", "along"):
        repeated, none, negative = shares(
            selections(form),
            lambda s: len(np.unique(s.index)) < s.index.size,
            lambda s: s.index.size == 0,
            lambda s: (s.index < 0).any(),
        )
        assert min(repeated, none) > OFTEN
        assert (negative > 0.3) is (form != "slices")


def test_keys_hold_lists_arrays_masks_and_bools():
    found = shares(
        copying_keys(),
        lambda key: any(isinstance(item, list) and isinstance(item[0], int) for item in key),
        lambda key: any(isinstance(item, np.ndarray) and item.dtype == bool for item in key),
        lambda key: any(isinstance(item, np.ndarray) and item.ndim == 2 for item in key),
        lambda key: isinstance(key[0], bool),
        lambda key: key[0] is Ellipsis,
    )
    assert min(found) > OFTEN


def test_clashes_clash():
    def broadcast(pair):
        try:
            np.broadcast_shapes(*(array.shape for array in pair))
        except ValueError:
            return False
        return True

    assert shares(clashes(), broadcast) == [0]
