"""Arrays that cross, expressions and strides: each interesting point is drawn often enough."""

import numpy as np
import pytest
from test_drawn_calls import shares

from gradspec.conformance.strategies import factories, interchange

EXPRESSIONS = {
    "integers": lambda e: e.expected().dtype.kind == "i",
    "three operands": lambda e: len(e.operands) == 3,
    "a reduction or product": lambda e: e.reading[:3] in ("sum", "ama", "ami") or "@" in e.reading,
    # Aligned on the left, the first operand would broadcast to other values.
    "a row": lambda e: e.operands[0].shape == (3,) and len(set(e.operands[0])) > 1,
}

LAYOUTS = {
    "gaps or repeats": lambda s: not s.compact,
    "compact, more than one entry": lambda s: s.compact and s.extent > 1,
    "nothing in it": lambda s: s.extent == 0,
}


@pytest.mark.parametrize("point", EXPRESSIONS)
def test_expressions_reach(point):
    (share,) = shares(interchange.expressions(), EXPRESSIONS[point])
    assert share > 0.08


@pytest.mark.parametrize("point", LAYOUTS)
def test_strides_reach(point):
    (share,) = shares(factories.strides(), LAYOUTS[point])
    assert share > 0.1


def test_strides_are_those_of_numpy():
    """Where entries lie, and whether they are compact, is numpy's judgement too."""

    def agrees(s):
        memory = np.arange(max(1, s.extent), dtype=np.int64)
        array = np.ndarray(s.sizes, memory.dtype, memory, strides=[8 * step for step in s.steps])
        return np.array_equal(array, s.places) and array.flags.c_contiguous == s.compact

    assert shares(factories.strides(), agrees) == [1]


def test_arrays_to_be_carried_come_in_every_dtype_and_order():
    reordered, unsigned = shares(
        interchange.carried(layouts=interchange.STRIDED, min_dims=2, min_size=1),
        lambda a: not np.array_equal(a, a.ravel("K").reshape(a.shape)),
        lambda a: a.dtype in ("uint8", "bool"),
    )
    assert reordered > 0.15
    assert unsigned > 0.1
