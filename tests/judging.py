"""Claims that are judged on a device, in a test's own process."""

from contextlib import suppress

import pytest

from gradspec import spec
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run

RED = (Status.FAIL, Status.ERROR)
"""Statuses of what is refuted."""


def holds(name, subject, profile="quick", **more):
    """Run a claim, which raises what refutes it, and say whether its verdict is a pass."""
    run = Run(claims_of(spec)[name], subject, PROFILES[profile], seed=0, **more)
    run.execute(run.test)
    return run.verdict().status is Status.PASS


def judged(claim, subject, operation=None, profile="quick"):
    """Run a claim, and return its verdict."""
    run = Run(claim, subject, PROFILES[profile], seed=0, operation=operation)
    with suppress(Exception):
        run.execute(run.test)
    return run.verdict()


def over(names, *claims):
    """Pair claims over the table with those of its operations that are named."""
    known = claims_of(spec)
    return [
        pytest.param(known[claim], operation, id=f"{claim}-{operation.name}")
        for claim in claims
        for operation in known[claim].over
        if operation.name in names.split()
    ]
