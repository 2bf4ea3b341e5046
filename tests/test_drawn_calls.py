"""Calls of scatter and in-place programs: each interesting point is drawn often enough."""

from collections import Counter

import pytest
from hypothesis import Phase, given, seed, settings

from gradspec.conformance.strategies.indices import misfits, scatters, strays
from gradspec.conformance.strategies.programs import programs

EXAMPLES = 400


def shares(strategy, *conditions):
    """Return how many of the values drawn meet each condition, as a share of all."""
    count = Counter()

    @seed(0)
    @settings(max_examples=EXAMPLES, database=None, deadline=None, phases=[Phase.generate])
    @given(strategy)
    def draw(value):
        count["all"] += 1
        for n, condition in enumerate(conditions):
            count[n] += bool(condition(value))

    draw()
    return [count[n] / count["all"] for n in range(len(conditions))]


def meetings(call):
    """How many positions name a place that an earlier one names."""
    places = [place for _, place in call.writes()]
    return len(places) - len(set(places))


CALLS = {
    "an index smaller than src": lambda c: c.index.shape != c.src.shape,
    "an index that leaves places out": lambda c: c.index.size and not c.hit.all(),
    "an empty index": lambda c: c.index.size == 0,
    "a scalar": lambda c: c.x.ndim == 0,
    "three dimensions": lambda c: c.x.ndim == 3,
    "a dimension counted from the end": lambda c: c.dim < 0,
    "an index of int32": lambda c: c.index.dtype == "int32",
    "a receiver with a stride of zero": lambda c: c.x.size > 1 and 0 in c.x.strides,
}


@pytest.mark.parametrize("targets", ["distinct", "any"])
def test_every_point_is_drawn(targets):
    """Each point makes up 4 % of all calls at least."""
    found = dict(zip(CALLS, shares(scatters(targets), *CALLS.values()), strict=True))
    assert min(found.values()) >= 0.04, found


def test_targets_meet_as_asked():
    assert shares(scatters("distinct"), meetings) == [0]
    assert shares(scatters("shared", min_dims=1, min_size=1), meetings) == [1]
    often, longer = shares(
        scatters(), meetings, lambda c: c.x.ndim and c.index.shape[c.dim] > c.x.shape[c.dim]
    )
    assert often > 0.3
    assert longer > 0.1


def test_ill_formed_calls_are_ill_formed():
    def stray(call):
        return ((call.index < 0) | (call.index >= call.x.shape[call.dim])).sum() == 1

    def misfit(call):
        fits = all(n <= m for n, m in zip(call.index.shape, call.src.shape, strict=True))
        fits &= call.index.ndim == call.x.ndim and all(
            n <= m
            for axis, (n, m) in enumerate(zip(call.index.shape, call.x.shape, strict=True))
            if axis != call.dim % call.x.ndim
        )
        return not fits

    assert shares(strays(), stray) == [1]
    assert shares(misfits(), lambda c: c.index.ndim != c.src.ndim or misfit(c)) == [1]


def test_programs_write_views_and_save_operands():
    views, products, several = shares(
        programs(),
        lambda p: any(step.part for step in p.steps),
        lambda p: any(step.name == "mul" and step.register is not None for step in p.steps),
        lambda p: len(p.steps) > 2,
    )
    assert views > 0.5
    assert products > 0.2
    assert several > 0.4
