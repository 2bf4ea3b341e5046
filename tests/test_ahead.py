"""What Hypothesis would draw is tried ahead of it: with it or without, the verdict is the same."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import Verbosity, currently_in_test_context, settings
from hypothesis.database import InMemoryExampleDatabase

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.loading import load
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.table import TABLE
from gradspec.conformance.table.drawn import FromBytes

CLAIMS = claims_of(spec)
NAMED = {operation.name: operation for operation in TABLE}
DEFAULT = PROFILES["default"]


@dataclass
class Watched(Run):
    """A run that notes its cases and how many Hypothesis made; it is red where it is told to be."""

    met: list = field(default_factory=list)
    asked: int = 0
    red: object = None

    def _case(self, **values):
        (value,) = values.values()
        self.asked += currently_in_test_context()
        self.met.append(getattr(value, "codes", None) or str(value))
        if self.red and self.red(value):
            self.drawn += 1
            self.values = values
            self.failure = AssertionError("as it was told"), values
            raise self.failure[0]
        super()._case(**values)


def run(claim="GEN-05", operation="exp", chosen=DEFAULT, seed=0, *, statistics, red=None):
    subject = Subject(load("reference"), "cpu", "float64")
    made = Watched(
        CLAIMS[claim], subject, chosen, seed, NAMED[operation], statistics=statistics, red=red
    )
    try:
        made.execute(made.test)
    except (Exception, pytest.fail.Exception):
        assert made.error
    return made


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize(
    "claim", ["GEN-01", "GEN-05", "GEN-11", "EXT-01", "EXT-03"], ids=lambda name: name
)
def test_the_same_calls_are_met(claim, seed):
    ahead, asked = (run(claim, seed=seed, statistics=asking) for asking in (False, True))
    assert ahead.met == asked.met
    assert ahead.drawn == asked.drawn == len(ahead.met)
    assert ahead.reached == asked.reached
    assert replace(ahead.verdict(), seconds=0, cpu_seconds=0) == replace(
        asked.verdict(), seconds=0, cpu_seconds=0
    )


def drawn(value):
    """Whether a call is none of the corners, nor the simplest of all."""
    return value.corner is None and value.codes[0] > 1


def test_what_fails_is_made_smaller_by_hypothesis():
    ahead, asked = (run(statistics=asking, red=drawn) for asking in (False, True))
    assert ahead.verdict().status is asked.verdict().status is Status.FAIL
    assert [*map(str, ahead.values.values())] == [*map(str, asked.values.values())]
    assert ahead.values["call"].codes.count(0) > len(ahead.values["call"].codes) / 2
    assert ahead.drawn == asked.drawn


def test_what_fails_once_is_red_and_says_so():
    once = []
    made = run(statistics=False, red=lambda value: drawn(value) and not once and not once.append(1))
    assert made.verdict().status is Status.FAIL
    assert "as it was told; it did not repeat" in made.verdict().reason


@pytest.mark.parametrize(
    "chosen",
    [
        settings(DEFAULT, database=InMemoryExampleDatabase()),
        settings(DEFAULT, deadline=100_000),
        settings(DEFAULT, verbosity=Verbosity.verbose),
    ],
    ids=["database", "deadline", "verbosity"],
)
def test_hypothesis_is_asked_where_it_keeps_times_or_says_something(chosen):
    assert run(chosen=chosen, statistics=False).asked
    assert run(statistics=True).asked
    assert not run(statistics=False).asked


def test_each_claim_over_the_table_draws_one_thing():
    for claim in CLAIMS.values():
        if claim.over:
            assert len(claim.drawn) == 1, claim.id
            (each,) = claim.drawn.values()
            assert isinstance(each, FromBytes) == bool(claim.strategies(claim.over[0]))
