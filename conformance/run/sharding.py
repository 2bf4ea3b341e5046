"""One run in several parts: each shard takes its share of the claims, and a small core of them all.

Every shard collects everything and deals it out by the same rule, so that nothing has to be agreed
on. The core, the first claim of each chapter, is there to be compared: parts that differ in it were
not run alike.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import pytest

from ..results.reading import RunRead
from ..results.shard import Shard
from ..results.verdict import Verdict
from .question import key_of, meant
from .session import session_of

Seconds = Mapping[str, Mapping[str, float]]
"""Measured times: by claim, then by backend."""

PLAN = pytest.StashKey[dict[str, Any]]()


@pytest.hookimpl(trylast=True)  # what -k and -m leave is what there is to share
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the share of this shard, and note what all of them were to run."""
    # A test may be there several times, to be repeated: it gives one verdict.
    names = {"\t".join(key) for item in items if (key := key_of(item))}
    if not names:
        return
    session = session_of(config)
    if session.shard:
        seconds = times_of(session.baseline.run) if session.baseline else durations()
        taken = _share(items, session.shard, seconds)
        config.hook.pytest_deselected(items=[i for i in items if i.nodeid not in taken])
        items[:] = [item for item in items if item.nodeid in taken]
    digest = hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()
    config.stash[PLAN] = {"here": len(names), "all": len(names), "digest": digest}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note what is to be run here: --last-failed leaves tests out when all else is decided."""
    if plan := session.config.stash.get(PLAN, None):
        plan["here"] = len({key for item in session.items if (key := key_of(item))})


def _share(items: Sequence[pytest.Item], shard: Shard, seconds: Seconds) -> set[str]:
    """Return the ids of the tests that `shard` runs."""
    core = set()
    costs = {}
    chapters = set()
    for item in items:
        if found := meant(item):
            claim, subject, _ = found
            costs[item.nodeid] = cost(claim.id, subject.library, seconds)
            if (claim.chapter, subject.id) not in chapters:
                chapters.add((claim.chapter, subject.id))
                core.add(item.nodeid)
        else:
            costs[item.nodeid] = 0.0
    return core | deal(costs, shard.count)[shard.number - 1]


def deal(costs: Mapping[str, float], count: int) -> list[set[str]]:
    """Deal tests out into `count` parts of about the same cost: the dearest first, to the least."""
    parts: list[set[str]] = [set() for _ in range(count)]
    sums = [0.0] * count
    for name in sorted(costs, key=lambda n: (-costs[n], n)):
        least = min(range(count), key=lambda i: (sums[i], len(parts[i]), i))
        parts[least].add(name)
        sums[least] += costs[name]
    return parts


def cost(claim: str, backend: str, seconds: Seconds) -> float:
    """Return what a claim took on a backend, or what comes near: on others, or any claim."""
    measured = seconds.get(claim)
    if not measured:
        known = [value for each in seconds.values() for value in each.values()]
        return sum(known) / len(known) if known else 1.0
    return measured.get(backend, sum(measured.values()) / len(measured))


def times_of(run: RunRead) -> Seconds:
    """Return the mean times of a run."""
    return mean_times(run.verdicts)


def mean_times(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float]]:
    """Return the mean wall time of what was run, by claim and backend, to the millisecond."""
    found: dict[str, dict[str, list[float]]] = {}
    for verdict in verdicts:
        if verdict.drawn:
            found.setdefault(verdict.claim, {}).setdefault(verdict.library, []).append(
                verdict.seconds
            )
    return {
        claim: {name: round(sum(s) / len(s), 3) for name, s in sorted(each.items())}
        for claim, each in sorted(found.items())
    }


@cache
def durations() -> Seconds:
    """Return the times that are shipped, for a run without an earlier one to go by."""
    text = resources.files(__package__).joinpath("durations.json").read_text(encoding="utf-8")
    table: Seconds = json.loads(text)
    return table
