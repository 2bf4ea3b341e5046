"""The pytest plugin of runs that have claims: what to collect, and how to run it.

It is registered when the first claim is met; until then there is `entry` alone.
"""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import asdict
from functools import partial

import pytest

from .claims.catalogue import rows_of_specification
from .claims.claim import Claim, Level, State, claim_of
from .claims.witness import encode
from .entry import NAME, listen
from .processes.copies import how_it_ends
from .processes.pinning import devices_present
from .processes.process import Alone, Worker
from .processes.repetition import RAN_AS, Repeater, ran_as, seconds_of
from .processes.supervision import ONLY, PLANNED, REFUSED, Supervisor
from .processes.watchdog import Watchdog, allowance
from .protocol.backend import DEVICES
from .protocol.errors import OptionError
from .results.verdict import BEGUN, GREEN, VERDICT, Status
from .run import narrowing, sharding, unlogged
from .run.blackbox import BOX
from .run.commandline import any_given, given, spelled
from .run.expectations import file_of, line_of
from .run.garbage import Unswept
from .run.options import deadline_of, isolate, profile_of, unknown_claim, unknown_expectation
from .run.ordering import Order
from .run.question import meant
from .run.reporter import Reporter
from .run.runner import RUN, Run
from .run.session import PLACE, REFUSAL, Session, session_of
from .run.sharding import PLAN
from .run.updating import ENTRY, WITNESS, Updater
from .run.workers import TOLD, distributed
from .speed import plugin as speed
from .speed.workloads import is_timed
from .table.operation import Operation
from .untrusted.texts import in_a_line, make_safe

WRITTEN = pytest.StashKey[Callable[..., None]]()
"""Where an item keeps the function of its claim as it was written."""

INTRODUCED = pytest.StashKey[bool]()
"""Whether a worker has told its controller what its claims are run on."""


def begin(config: pytest.Config) -> None:
    """Register all that a run with claims needs, in any of its processes."""
    for device in DEVICES:
        config.addinivalue_line("markers", f"{device}: claims on a {device} device")
    for level in Level:
        config.addinivalue_line("markers", f"{level}: claims of this level")
    manager = config.pluginmanager
    manager.register(sys.modules[__name__], NAME)
    manager.register(sharding, "gradspec-sharding")
    manager.register(unlogged, "gradspec-unlogged")
    if given(config, "baseline") is not None:
        manager.register(narrowing, "gradspec-narrowing")
    if names := given(config, "verdict"):
        manager.register(Order(names), "gradspec-order")
    try:
        if hasattr(config, "workerinput"):
            _run_here(config, Worker(config, allowance(deadline_of(config), profile_of(config))))
        else:
            _control(config)
    except OptionError as error:
        raise pytest.UsageError(str(error)) from None


def _run_here(config: pytest.Config, process: Alone | Worker) -> None:
    """Make this process one that runs claims."""
    config.stash[PLACE] = process
    config.pluginmanager.register(Unswept(), "gradspec-unswept")
    config.pluginmanager.register(process, "gradspec-process")
    config.pluginmanager.register(process.watchdog, "gradspec-watchdog")


def _control(config: pytest.Config) -> None:
    """Set up what only the first process of a run does."""
    manager = config.pluginmanager
    isolate(config, devices_present)
    speed.begin(config)
    if distributed(config):
        session_of(config)
        listener = listen(config)
        manager.register(Supervisor(config, listener.folder), "gradspec-supervisor")
    else:
        deadline, name = deadline_of(config), profile_of(config)
        # Without a supervisor, whoever debugs a claim takes their time unless they say otherwise.
        watchdog = Watchdog(config, deadline, None)
        careful = not given(config, "no-isolate")
        _run_here(config, Alone(config, watchdog, allowance(deadline, name) if careful else None))
        if any_given(config):
            session_of(config)  # a bad option is refused before anything is collected
    manager.register(Reporter(config), "gradspec-reporter")
    manager.register(Repeater(config, seconds_of(config)), "gradspec-repeater")
    if given(config, "update-expectations"):
        manager.register(Updater(config))


# ---- collection ----------------------------------------------------------------------------------


def generate(metafunc: pytest.Metafunc) -> None:
    """Say what a claim, or what times workloads, is run on."""
    config = metafunc.config
    claim: Claim | None = getattr(metafunc.function, "claim", None)
    session = None if REFUSAL in config.stash else _session(config, timing=claim is None)
    if claim is None:
        speed.generate(metafunc, session.subjects if session else [])
        return
    subjects, over = session.subjects_of(claim) if session else [], claim.over
    if not _asked_for(config, claim) and given(config, "baseline") is None:
        # Left out below, where it is told; one item is enough to know of it, unless what there was
        # earlier is looked for.
        subjects, over = subjects[:1], over[:1]
    common = [_mark(config, claim.chapter), _mark(config, claim.level.value)]
    marks = {s.id: [*common, _mark(config, s.device)] for s in subjects}
    if not claim.over:
        metafunc.parametrize(
            "be",
            [pytest.param(s, id=s.id, marks=marks[s.id]) for s in subjects],
        )
        return
    metafunc.parametrize(
        ("be", "operation"),
        [
            pytest.param(s, o, id=f"{s.id}-{o.name}", marks=marks[s.id])
            for s in subjects
            for o in over
        ],
    )


def _asked_for(config: pytest.Config, claim: Claim) -> bool:
    """Whether a claim is chosen by its id or a row of the sources, or all are."""
    wanted: list[str] = given(config, "claim") or []
    return not wanted or not set(wanted).isdisjoint(claim.rows)


def _session(config: pytest.Config, *, timing: bool) -> Session | None:
    """Return what claims are run on; None if that is refused, which what follows has to tell."""
    try:
        if timing and hasattr(config, "workerinput"):
            speed.see_room(config)
        return session_of(config)
    except (OptionError, pytest.UsageError) as error:
        config.stash[REFUSAL] = str(error)
        return None


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
    timing = speed.timing(config)
    _select(config, items, lambda i: not (is_timed(i) if not timing else claim_of(i)))
    _select(config, items, lambda i: speed.asked_for(config, i))
    wanted: list[str] = given(config, "claim") or []
    if refusal := config.stash.get(REFUSAL, None) or _refusal(config, items, wanted):
        if not hasattr(config, "workerinput"):
            raise pytest.UsageError(refusal)
        # A worker of xdist has no voice of its own: this is what its controller stops with.
        config.stash[REFUSAL] = refusal
        session.shouldfail = refusal
        items.clear()
    for item in items:
        if claim := claim_of(item):
            item.extra_keyword_matches.update(claim.rows)
    if wanted:
        _select(config, items, lambda i: bool((c := claim_of(i)) and _asked_for(config, c)))
    else:
        _select(config, items, lambda i: (c := claim_of(i)) is None or c.state is State.ACTIVE)
    _gather(items)
    speed.order(config, items)


def _refusal(config: pytest.Config, items: list[pytest.Item], wanted: list[str]) -> str | None:
    """Say which claim is chosen, or expected to fail, though there is none of that name."""
    found = {claim.id: claim for item in items if (claim := claim_of(item))}
    claims = found.values()
    rows = list(dict.fromkeys(row for claim in claims for row in claim.rows))
    for word in wanted:
        if word not in rows:
            return unknown_claim(spelled(config, "claim"), word, rows)
    if claims:
        # Chapters may be left out of a run; what they settle still stands in the sources.
        known = {row for claim in claims for row in (*claim.neighbours, *rows_of_specification())}
        by_row = {row: claim for claim in claims for row in claim.rows}
        for name, expected in session_of(config).expectations.items():
            for entry in expected:
                if entry.claim not in known:
                    return unknown_expectation(name, entry.claim, sorted(known))
                claim = by_row.get(entry.claim)
                if claim is not None and entry.operation not in claim.judged_for:
                    return (
                        f"an expected failure of {name} on {entry.claim} names the operation "
                        f"{entry.operation}, which that claim is not judged for; correct it"
                    )
    return None


def _select(
    config: pytest.Config, items: list[pytest.Item], keep: Callable[[pytest.Item], bool]
) -> None:
    dropped = [item for item in items if not keep(item)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if keep(item)]


BLOCK = 32
"""So many operations follow each other that what is true of their calls is found once for all."""


def _gather(items: list[pytest.Item]) -> None:
    # What claims of the same operations ask is alike, and computing it takes longer than asking.
    # Where each operation came first of all, the terminal would name another file in each line.
    numbers: dict[str, int] = {}
    places: dict[object, int] = {}
    for place, item in enumerate(items):
        places.setdefault(_group(item, numbers), place)
    items.sort(key=lambda item: places[_group(item, numbers)])


def _group(item: pytest.Item, numbers: dict[str, int]) -> object:
    match meant(item):
        case (_, subject, Operation() as operation) if subject.example_divisor > 1:
            # What compiles keeps the latest of what it compiled: operations come one by one.
            return subject.backend.name, subject.running_mode, operation.name
        case (_, _, Operation() as operation):
            return numbers.setdefault(operation.name, len(numbers)) // BLOCK
    return item


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the controller, which collects nothing, what there was to be run, or why nothing was."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        refusal = session.config.stash.get(REFUSAL, None)
        output[TOLD] = json.dumps({REFUSED: refusal}) if refusal else _introduction(session.config)


def _introduction(config: pytest.Config) -> str:
    """Say what claims are run on, what was to be run, and whether that is claims alone."""
    told = asdict(session_of(config).told)
    session = config.pluginmanager.get_plugin("session")
    only = all(claim_of(item) for item in getattr(session, "items", []))
    # As text: what libraries call texts may be what no worker can hand on.
    return json.dumps({**told, PLANNED: config.stash.get(PLAN, None), ONLY: only})


# ---- running -------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Report at once what a subject offers nothing for: most of what there is for a small one.

    Nothing is set up for it, and what its chapter has set up is left to the claim that follows.
    """
    run = _begin(item) if nextitem and nextitem.parent is item.parent else None
    if run is None or not run.unsupported:
        return None
    hooks, skip = item.ihook, partial(pytest.skip, f"unsupported: {run.unsupported}")
    # Of a worker, whose controller waits for every message, only the reports are asked.
    spoken = not hasattr(item.config, "workerinput")
    if spoken:
        hooks.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    begun: pytest.CallInfo[None] = pytest.CallInfo.from_call(skip, when="setup")
    ended: pytest.CallInfo[None] = pytest.CallInfo.from_call(lambda: None, when="teardown")
    for told in (begun, ended):
        report = hooks.pytest_runtest_makereport(item=item, call=told)
        hooks.pytest_runtest_logreport(report=report)
    if spoken:
        hooks.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _begin(item: pytest.Item) -> Run | None:
    """Bind a claim to its subject, for a run of it that is about to begin; None for other tests."""
    found = meant(item)
    if found is None:
        return None
    claim, subject, operation = found
    session = session_of(item.config)
    first, *others = session.known(claim, subject, operation) or (None,)
    run = item.stash[RUN] = Run(
        claim,
        subject,
        session.settings,
        session.seed,
        operation,
        first,
        tuple(others),
        profile=session.profile,
        box=item.config.stash.get(BOX, None),
        statistics=item.config.getoption("--hypothesis-show-statistics", False),
    )
    run.unsupported = run.unmet()
    return run


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # Anew, for a test that somebody repeats is set up again.
    run = _begin(item)
    if run is None:
        return
    if run.unsupported:
        pytest.skip(f"unsupported: {run.unsupported}")
    absence = session_of(item.config).absence(run.subject)
    run.absent = absence or run.dangerous(hasattr(item.config, "workerinput"))
    if run.absent:
        pytest.skip(f"not run: {run.absent}")
    # From here on Hypothesis's own plugin sees one of its tests: statistics and reports work.
    item.stash[WRITTEN] = item.obj  # type: ignore[attr-defined]
    item.obj = run.test  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    __tracebackhide__ = True
    run = pyfuncitem.stash.get(RUN, None)
    if run is None:
        return None
    session = session_of(pyfuncitem.config)
    spoiled = session.what_spoils(run.subject)
    run.fault = f"{spoiled}: run with --isolate" if spoiled else session.fault(run.subject)
    _judge(pyfuncitem, run, pyfuncitem.obj)
    last = run
    while (beyond := last.beyond()) and not session.what_spoils(run.subject):
        last = pyfuncitem.stash[RUN] = beyond
        _judge(pyfuncitem, beyond, beyond.test)
        run.include(beyond)
    pyfuncitem.stash[RUN] = run
    if run.expectation is not None:
        # Without a traceback: pytest would format one for a tenth of a second, unseen.
        raise pytest.xfail.Exception(run.expectation.reason, pytrace=False)
    return True


def _judge(item: pytest.Function, run: Run, test: Callable[[], None]) -> None:
    """Raise what is to be told, unless the claim holds, or fails as expected."""
    __tracebackhide__ = True
    session = session_of(item.config)
    run.fault = run.fault or run.mismatch()
    if run.fault:
        pytest.fail(run.fault, pytrace=False)
    if run.expectation is not None and run.expectation.left_out:
        return
    _try_elsewhere(item, run)
    assert session.place is not None
    try:
        with session.place.judging(f"{run.claim.id} on {run.subject.id}"):
            run.execute(test)
    except BaseException as error:
        if session.place.ends_the_run(error) or run.unsupported:
            raise
        if run.expectation is None:
            told = _contained(error)
            with suppress(Exception):  # of a stranger whose notes are none
                BaseException.add_note(told, run.reproduction())
            raise told from None
        if run.verdict().status is not Status.EXPECTED_FAILURE:
            raise
    else:
        if run.expectation is not None and not run.expectation.sometimes:
            pytest.fail(
                f"unexpected pass: the witness of {run.expectation.address} no longer fails "
                f"({run.expectation.link}); remove the entry{_line_of(run)}",
                pytrace=False,
            )
    finally:
        session.spoil(run)


def _line_of(run: Run) -> str:
    """Say where the entry stands that a run is expected to fail by."""
    path = file_of(type(run.subject.backend))
    line = line_of(path, run.expectation.place) if run.expectation else None
    return f" in line {line} of {path.name}" if line else ""


def _try_elsewhere(item: pytest.Function, run: Run) -> None:
    """Let a copy of a worker bear what is known to crash, or to write where it may not."""
    if run.expectation is None or not run.known_to_crash:
        return
    if hasattr(item.config, "workerinput"):
        run.crash = how_it_ends(partial(run.execute_unseen, item.obj))
    # What was searched in vain in a copy is judged here; a witness would do here what it did there.
    alike = run.expectation.sometimes and not run.expectation.search
    if run.crash or (run.crash is not None and alike):
        pytest.xfail(run.expectation.reason)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    # A test may be run again, and is to be found a claim again.
    if WRITTEN in item.stash:
        item.obj = item.stash[WRITTEN]  # type: ignore[attr-defined]


def _contained(error: BaseException) -> BaseException:
    """Return what a claim raised in a form that costs no other: only the user ends a run."""
    if not isinstance(error, KeyboardInterrupt | pytest.exit.Exception):
        return error
    return pytest.fail.Exception(in_a_line(error), pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    run = item.stash.get(RUN, None)
    if run is not None and report.when == "teardown":
        # What JUnit's file takes over: the properties of the last report of a test.
        report.user_properties.extend(run.verdict().properties().items())
    if run is not None and report.when == "setup" and not item.config.stash.get(INTRODUCED, False):
        item.config.stash[INTRODUCED] = True
        if hasattr(item.config, "workerinput"):
            report.user_properties.append((TOLD, _introduction(item.config)))
    if run is not None and report.when == "setup" and report.passed:
        report.user_properties.append((BEGUN, run.last_word().to_json()))
        report.user_properties.append((RAN_AS, ran_as(item, run)))
    if run is not None and (
        report.when == "call" or (report.when == "setup" and not report.passed)
    ):
        # What a library says reaches terminals and other machines by way of pytest as well.
        report.longrepr = make_safe(report.longrepr)
        report.sections = make_safe(report.sections)
        status = run.verdict().status
        if (report.failed and status in GREEN) or (report.skipped and status is Status.PASS):
            # Something outside of the claim broke; no verdict may be better than its report.
            run.fault = in_a_line(call.excinfo.value) if call.excinfo else str(report.longrepr)
        verdict = run.verdict()
        report.user_properties.append((VERDICT, verdict.to_json()))
        if verdict.status not in GREEN and given(item.config, "update-expectations"):
            report.user_properties.append((WITNESS, encode(run.values)))
            report.user_properties.append((ENTRY, run.stale_entry(verdict)))
        excuse = session_of(item.config).excuse(verdict) if report.failed else None
        if excuse:
            report.outcome, report.wasxfail = "skipped", excuse
    return report
