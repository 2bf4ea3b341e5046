"""What a run leaves out on purpose, so that it is not missed beside a baseline.

Claims that -k, -m, --claim or --shard left out were collected, and so are known. What was never
collected is missed if nothing kept pytest from where it was: then it is not there any more. A path
that is given keeps it from other files, and --last-failed from what passed.
"""

from collections.abc import Set as AbstractSet
from typing import Any

import pytest

from ..claims.catalogue import rows_of_specification
from ..claims.claim import claim_of
from ..protocol.mode import EAGER
from ..results.verdict import UNCHECKED, Key, Verdict
from .commandline import given
from .question import key_of
from .session import session_of

MISSED = pytest.StashKey[list[Key]]()
"""What of the baseline this run does not have, though it was to have it."""

TOLD, POINTED = "gradspec missed", "gradspec pointed"
"""Keys under which a worker tells that to its controller, and is told whether paths were given."""

SUBJECTS = ("device", "dtype")
"""Options that choose subjects by what a verdict names as well."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Compare what was collected, before anything is left out of it, with the baseline."""
    found = {item: claim for item in items if (claim := claim_of(item))}
    baseline = session_of(config).baseline if found else None
    if baseline is None:
        return
    collected = {key_of(item) for item in found}
    chapters = {claim.chapter for claim in found.values()}
    # Of single tests nothing else of their chapter was collected.
    apart = config.getoption("lf", False) or any("::" in word for word in config.args)
    skipping = apart or config.getoption("ignore", None) or config.getoption("ignore_glob", None)
    folders = not skipping and any(not session.isinitpath(item.path) for item in found)
    ours = rows_of_specification()
    own = folders and not ours.isdisjoint(claim.id for claim in found.values())

    backends = {subject.backend.name for subject in session_of(config).subjects}

    def expected(verdict: Verdict) -> bool:
        if verdict.chapter in chapters:
            return not apart
        return own if verdict.claim in ours else folders and not _pointed(config)

    config.stash[MISSED] = [
        verdict.key
        for verdict in baseline.verdicts.values()
        if verdict.status not in UNCHECKED
        and verdict.key not in collected
        and expected(verdict)
        and not left_out(config, backends, verdict)
    ]


def left_out(config: pytest.Config, backends: AbstractSet[str], verdict: Verdict) -> bool:
    """Whether an option leaves the subject of an earlier verdict out of a run on `backends`."""
    if given(config, "backend") and verdict.backend not in backends:
        return True
    if (verdict.mode or EAGER) not in (given(config, "mode") or [EAGER]):
        return True
    chosen = {name: given(config, name) for name in SUBJECTS}
    return any(words and getattr(verdict, name) not in words for name, words in chosen.items())


def _pointed(config: pytest.Config) -> bool:
    """Whether paths were given; a worker of xdist is always given some, by its controller."""
    if worker := getattr(config, "workerinput", None):
        return bool(worker[POINTED])
    return config.args_source is config.ArgsSource.ARGS


# ---- between a worker and its controller ---------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker."""
    node.workerinput[POINTED] = _pointed(node.config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the controller, which collects nothing."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None and MISSED in session.config.stash:
        output[TOLD] = [list(key) for key in session.config.stash[MISSED]]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object | None) -> None:
    """Take down what a worker tells."""
    told = None if error else getattr(node, "workeroutput", {}).get(TOLD)
    if told is not None:
        node.config.stash[MISSED] = [tuple(key) for key in told]
