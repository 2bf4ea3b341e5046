"""The pytest plugin. It stays out of the way of tests that are not claims."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from . import sharding
from .backend import DEVICES
from .catalogue import rows_of_specification
from .claims import Claim, Level, claim_of
from .options import (
    OPTIONS,
    add_options,
    isolate,
    unknown_claim,
    unknown_expectation,
    unknown_profile,
)
from .pinning import Pinning, devices_present, pin
from .profiles import register
from .reporter import Reporter
from .results import GREEN, Status
from .runner import RUN, Run, meant
from .session import session_of
from .supervision import BEGUN, VERDICT, Supervisor
from .table.operation import Operation
from .updating import ENTRY, WITNESS, Updater
from .watchdog import DUMP, Watchdog, allowance
from .witness import encode


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)
    register()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        pin(worker)
    if refusal := unknown_profile(config):
        raise pytest.UsageError(refusal)
    for device in DEVICES:
        config.addinivalue_line("markers", f"{device}: claims on a {device} device")
    for level in Level:
        config.addinivalue_line("markers", f"{level}: claims of this level")
    if any(config.getoption(option) for option in OPTIONS):
        session_of(config)  # a bad option is refused before anything is collected
    config.pluginmanager.register(sharding, "gradspec-sharding")
    if worker is None:
        _control(config)
    seconds = config.getoption("--deadline")
    if worker or seconds:
        # Without a supervisor, whoever debugs a claim takes their time unless they say otherwise.
        name = config.getoption("--hypothesis-profile", None) or "default"
        dump = Path(worker[DUMP]) if worker and DUMP in worker else None
        config.pluginmanager.register(Watchdog(allowance(seconds, name), dump))


def _control(config: pytest.Config) -> None:
    """Set up what only the first process of a run does."""
    if refusal := isolate(config):
        raise pytest.UsageError(refusal)
    config.pluginmanager.register(Reporter(config), "gradspec-reporter")
    config.pluginmanager.register(Supervisor(config), "gradspec-supervisor")
    if config.getoption("dist", "no") != "no" and len(devices := devices_present()) > 1:
        config.pluginmanager.register(Pinning(devices), "gradspec-pinning")
    if config.getoption("--update-expectations"):
        config.pluginmanager.register(Updater(config))


# ---- collection ----------------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    config = metafunc.config
    claim: Claim | None = getattr(metafunc.function, "claim", None)
    if claim is None:
        return
    marks = [_mark(config, claim.chapter), _mark(config, claim.level.value)]
    subjects = session_of(config).subjects_of(claim)
    if not claim.over:
        metafunc.parametrize(
            "be",
            [pytest.param(s, id=s.id, marks=[*marks, _mark(config, s.device)]) for s in subjects],
        )
        return
    metafunc.parametrize(
        ("be", "operation"),
        [
            pytest.param(s, o, id=f"{s.id}-{o.name}", marks=[*marks, _mark(config, s.device)])
            for s in subjects
            for o in claim.over
        ],
    )


def _mark(config: pytest.Config, name: str) -> pytest.MarkDecorator:
    if name not in (line.split(":")[0] for line in config.getini("markers")):
        config.addinivalue_line("markers", f"{name}: claims of this chapter")
    mark: pytest.MarkDecorator = getattr(pytest.mark, name)
    return mark


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    # Before -k and -m: what they leave out is known all the same, and -k has to find the ids.
    timing = config.getoption("--benchmark-only", False)
    _select(config, items, lambda i: not _has(i, "be") or _has(i, "benchmark") == timing)
    wanted: list[str] = config.getoption("--claim") or []
    if refusal := _refusal(config, items, wanted):
        if not hasattr(config, "workerinput"):
            raise pytest.UsageError(refusal)
        # A worker of xdist has no voice of its own: this is what its controller stops with.
        session.shouldfail = refusal
        items.clear()
    for item in items:
        if claim := claim_of(item):
            item.extra_keyword_matches.update(claim.rows)
    if wanted:
        _select(
            config, items, lambda i: bool((c := claim_of(i)) and not set(wanted).isdisjoint(c.rows))
        )
    _gather(items)


def _refusal(config: pytest.Config, items: list[pytest.Item], wanted: list[str]) -> str | None:
    """Say which claim is chosen, or expected to fail, though there is none of that name."""
    found = {claim.id: claim for item in items if (claim := claim_of(item))}
    claims = found.values()
    rows = list(dict.fromkeys(row for claim in claims for row in claim.rows))
    for word in wanted:
        if word not in rows:
            return unknown_claim(word, rows)
    if claims:
        # Chapters may be left out of a run; what they settle still stands in the sources.
        known = {row for claim in claims for row in (*claim.neighbours, *rows_of_specification())}
        for name, expected in session_of(config).expectations.items():
            for entry in expected:
                if entry.claim not in known:
                    return unknown_expectation(name, entry.claim, sorted(known))
                for claim in (c for c in claims if entry.claim in c.rows):
                    judged: set[str | None] = {operation.name for operation in claim.over}
                    if entry.operation not in (judged or {None}):
                        return (
                            f"an expected failure of {name} on {entry.claim} names the operation "
                            f"{entry.operation}, which that claim is not judged for; correct it"
                        )
    return None


def _has(item: pytest.Item, fixture: str) -> bool:
    return fixture in getattr(item, "fixturenames", ())


def _select(
    config: pytest.Config, items: list[pytest.Item], keep: Callable[[pytest.Item], bool]
) -> None:
    dropped = [item for item in items if not keep(item)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if keep(item)]


def _gather(items: list[pytest.Item]) -> None:
    # What compiles keeps the latest of what it compiled: there, claims of one operation, which call
    # it with the same shapes, follow each other.
    places: dict[object, int] = {}
    for place, item in enumerate(items):
        places.setdefault(_group(item), place)
    items.sort(key=lambda item: places[_group(item)])


def _group(item: pytest.Item) -> object:
    match meant(item):
        case (_, subject, Operation() as operation) if subject.backend.pace > 1:
            return subject.backend.name, operation.name
    return item


# ---- running -------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    found = meant(item)
    if found is None:
        return
    claim, subject, operation = found
    session = session_of(item.config)
    name = operation.name if operation else None
    expected = session.expectations[subject.backend.name]
    run = item.stash[RUN] = Run(
        claim,
        subject,
        session.settings,
        session.seed,
        operation,
        next((e for e in expected if e.covers(claim, subject, name)), None),
        profile=session.profile,
    )
    run.unsupported = run.unmet()
    if run.unsupported:
        pytest.skip(f"unsupported: {run.unsupported}")
    run.absent = session.absence(subject) or run.dangerous(hasattr(item.config, "workerinput"))
    if run.absent:
        pytest.skip(f"not run: {run.absent}")
    # From here on Hypothesis's own plugin sees one of its tests: statistics and reports work.
    item.obj = run.test  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    __tracebackhide__ = True
    run = pyfuncitem.stash.get(RUN, None)
    if run is None:
        return None
    session = session_of(pyfuncitem.config)
    spoiled = session.spoiled.get((run.subject.backend.name, run.subject.device))
    if spoiled:
        run.fault = f"{spoiled}: run with --isolate"
    else:
        run.fault = session.fault(run.subject) or run.misfit()
    if run.fault:
        pytest.fail(run.fault, pytrace=False)
    try:
        run.execute(pyfuncitem.obj)
    except Exception as error:
        if run.expectation is None:
            error.add_note(run.reproduction())
            raise
        if run.verdict().status is Status.EXPECTED_FAILURE:
            # Without a traceback: pytest would format one for a tenth of a second, unseen.
            raise pytest.xfail.Exception(run.expectation.reason, pytrace=False) from None
        raise
    finally:
        session.spoil(run)
    if run.expectation is not None and run.expectation.sometimes:
        pytest.xfail(run.expectation.reason)
    if run.expectation is not None:
        pytest.fail(
            f"unexpected pass: the witness of {run.claim.id} no longer fails "
            f"({run.expectation.link}); remove the entry",
            pytrace=False,
        )
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    run = item.stash.get(RUN, None)
    if run is not None and report.when == "teardown":
        # What JUnit's file takes over: the properties of the last report of a test.
        report.user_properties.extend(run.verdict().properties().items())
    if run is not None and report.when == "setup" and report.passed:
        report.user_properties.append((BEGUN, run.last_word().to_json()))
    if run is not None and (
        report.when == "call" or (report.when == "setup" and not report.passed)
    ):
        if report.failed and run.verdict().status in GREEN:
            # Something outside of the claim broke; no verdict may be better than its report.
            run.fault = str(call.excinfo.value if call.excinfo else report.longrepr)
        verdict = run.verdict()
        report.user_properties.append((VERDICT, verdict.to_json()))
        if verdict.status not in GREEN and item.config.getoption("--update-expectations"):
            report.user_properties.append((WITNESS, encode(run.values)))
            known = run.expectation
            report.user_properties.append((ENTRY, known and [known.place, known.address]))
        excuse = session_of(item.config).excuse(verdict) if report.failed else None
        if excuse:
            report.outcome, report.wasxfail = "skipped", excuse
    return report
