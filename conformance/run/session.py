"""What one pytest session knows: its subjects, their known defects, its seed and profile."""

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest
from hypothesis import settings

from ..claims.claim import Claim
from ..protocol.backend import DEVICES
from ..protocol.errors import OptionError
from ..protocol.subject import Subject
from ..results.comparison import Baseline, baseline_at
from ..results.environment import described
from ..results.shard import Shard, shard_of
from ..results.verdict import Verdict, address_of
from ..table.operation import Operation
from ..untrusted.texts import first_line
from .commandline import given, spelled
from .database import Database, database_of
from .expectations import Expectation, expectations_of, file_of
from .options import (
    Backends,
    absence,
    backends_for,
    deadline_of,
    profile_of,
    seed_of,
    small_subjects_for,
    subjects_for,
)
from .profiles import profile
from .runner import Run
from .smoke import smoke
from .stand_in import StandIn, shape_of
from .workers import SLOT, distributed


class Place(Protocol):
    """The process in which claims run, and what it does around what may end it."""

    def setting_up(self, word: str, option: str) -> AbstractContextManager[None]:
        """Set up a backend within a block."""

    def checking(self, subject: str) -> AbstractContextManager[None]:
        """Check within a block whether a subject is fit for claims."""

    def judging(self, what: str) -> AbstractContextManager[None]:
        """Run a claim within a block."""

    def ends_the_run(self, error: BaseException) -> bool:
        """Whether what came out of a claim was meant for the run."""


@dataclass
class Told:
    """What there is to tell of the subjects of a session, as plain data.

    In the controller of xdist, which has no subjects, it is what the first worker has told.
    """

    subjects: list[dict[str, Any]] = field(default_factory=list)
    faults: list[dict[str, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Backends that nobody asked for and that are not installed."""
    absent: list[str] = field(default_factory=list)
    """Why there is nothing on a device."""
    files: dict[str, str] = field(default_factory=dict)
    """Where expected failures of a backend stand."""
    shapes: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What a backend declares, by the word that names it: enough to collect its claims."""


@dataclass
class Session:
    """The state shared by all claims of a session."""

    profile: str
    seed: int
    deadline: float | None
    subjects: list[Subject] = field(default_factory=list)
    small: list[Subject] = field(default_factory=list)
    """Subjects of 16 bits that only claims that say so speak of."""
    expectations: dict[str, list[Expectation]] = field(default_factory=dict)
    told: Told = field(default_factory=Told)
    unfit: dict[str, str | None] = field(default_factory=dict)
    baseline: Baseline | None = None
    shard: Shard | None = None
    database: Database | None = None
    spoiled: dict[tuple[str, str], str] = field(default_factory=dict)
    """What an earlier claim has spoiled for good, by backend and device."""
    place: Place | None = None
    _addressed: dict[str, dict[str, list[Expectation]]] = field(default_factory=dict)

    def known(
        self, claim: Claim, subject: Subject, operation: Operation | None
    ) -> tuple[Expectation, ...]:
        """Return what is known of `claim` on `subject`: what covers parts of it, then all of it."""
        backend, name = subject.backend.name, operation.name if operation else None
        if backend not in self._addressed:
            # There are some hundreds of entries, and thousands of claims look for theirs.
            addressed = self._addressed[backend] = {}
            for each in self.expectations[backend]:
                addressed.setdefault(each.address, []).append(each)
        entries = self._addressed[backend]
        found = [
            each
            for row in claim.rows
            for each in entries.get(address_of(row, name), ())
            if each.covers(claim, subject, name)
        ]
        parts, wholes = [e for e in found if e.only], [e for e in found if not e.only]
        return (*parts, *wholes[:1])

    def subjects_of(self, claim: Claim) -> list[Subject]:
        """Return the subjects that `claim` speaks of: all, or those on its own device.

        Where that device is absent, they are made all the same: their verdict is `not-run`. A
        backend that declares too little stays on the devices that it has, where it is unsupported.
        """
        subjects = [*self.subjects, *(self.small if claim.small else [])]
        if claim.device is None:
            return subjects
        chosen = {s.id: s for s in subjects}
        made = [
            s if s.lacks(claim.needs) else Subject(s.backend, claim.device, s.dtype, s.running_mode)
            for s in subjects
        ]
        return list({s.id: chosen.get(s.id, s) for s in made}.values())

    def absence(self, subject: Subject) -> str | None:
        """Say why nothing runs on `subject`, if it is none of the session's own."""
        if subject in self.subjects or subject in self.small:
            return None
        if subject.device in subject.backend.devices():
            return f"--device leaves {subject.device} out"
        return absence(subject.device, [subject.backend])

    def fault(self, subject: Subject) -> str | None:
        """What the smoke check finds wrong with the adapter of `subject`; looked at once."""
        if subject.id not in self.unfit:
            with self.place.checking(subject.id) if self.place else nullcontext():
                try:
                    self.unfit[subject.id] = smoke(subject)
                except BaseException as error:
                    if self.place and self.place.ends_the_run(error):
                        raise
                    name = type(subject.backend).__name__
                    self.unfit[subject.id] = (
                        f"adapter {name}: the smoke check met {type(error).__name__} "
                        f"({first_line(error)}); run one program by hand and mend the adapter"
                    )
        return self.unfit[subject.id]

    @property
    def settings(self) -> settings:
        """How long Hypothesis looks, and what it remembers."""
        chosen = profile(self.profile)
        return self.database.used_by(chosen) if self.database else chosen

    def excuse(self, verdict: Verdict) -> str | None:
        """Say why a red verdict is to leave the run green."""
        return self.baseline.excuse(verdict) if self.baseline else None

    def what_spoils(self, subject: Subject) -> str | None:
        """Say which earlier claim has spoiled what `subject` runs on, and how, if one has."""
        return self.spoiled.get((subject.backend.name, subject.device))

    def spoil(self, run: Run) -> None:
        """Note what `run` has left behind: for everybody, for its backend, or for its device."""
        own = run.subject
        if run.left:
            spoiled = [(each.backend.name, each.device) for each in [own, *self.subjects]]
        elif run.lasting:
            spoiled = [(own.backend.name, device) for device in own.backend.devices()]
        else:
            spoiled = [(own.backend.name, own.device)]
        if reason := run.left or run.lasting or run.lost_device:
            self.spoiled |= dict.fromkeys(spoiled, f"{run.claim.id} left {reason}")


KEY = pytest.StashKey[Session]()

REFUSAL = pytest.StashKey[str]()
"""Why nothing that was collected can be run."""

PLACE = pytest.StashKey[Place]()
"""Where claims run, if they run in this process."""


def session_of(config: pytest.Config) -> Session:
    """Return the state of the session, made when the first claim asks for it."""
    if KEY not in config.stash:
        try:
            config.stash[KEY] = open_session(config)
        except OptionError as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[KEY]


def open_session(config: pytest.Config) -> Session:
    """Read the options; raises OptionError naming the one that cannot be honoured.

    Backends are set up where claims run, and nowhere else.
    """
    word: str | None = given(config, "baseline")
    session = Session(
        profile=profile_of(config),
        seed=seed_of(config),
        deadline=deadline_of(config),
        database=database_of(given(config, "database"), spelled(config, "database")),
        shard=shard_of(given(config, "shard"), spelled(config, "shard")),
        baseline=baseline_at(word) if word is not None else None,
    )
    if distributed(config):
        return session
    session.place = config.stash[PLACE]
    # An adapter named as module:Class may lie where pytest was called, behind all that is there.
    folder = str(config.invocation_params.dir)
    if folder not in sys.path:
        sys.path.append(folder)
    worker = getattr(config, "workerinput", {}).get(SLOT, {})
    lost, shapes = worker.get("lost", {}), json.loads(worker.get("shapes", "{}"))
    chosen = backends_for(config, session.place.setting_up, lost, shapes)
    session.subjects = subjects_for(config, chosen)
    session.small = small_subjects_for(config, chosen)
    every = [*session.subjects, *session.small]
    session.unfit.update(worker.get("unfit", {}))
    reasons = {fault.backend: fault.reason for fault in chosen.faults}
    for word, backend in zip(chosen.words, chosen.found, strict=True):
        if isinstance(backend, StandIn):
            told = f"{backend.name} could be set up once and no more: it {reasons[word]}"
            session.unfit |= {s.id: told for s in every if s.backend is backend}
            session.expectations[backend.name] = []
        else:
            session.expectations[backend.name] = expectations_of(backend)
    session.told = _told(chosen, every)
    return session


def _told(chosen: Backends, subjects: list[Subject]) -> Told:
    backends = chosen.found
    return Told(
        subjects=described(subjects),
        faults=[{"backend": fault.backend, "reason": fault.reason} for fault in chosen.faults],
        left_out=chosen.left_out,
        absent=[
            absence(device, backends)
            for device in DEVICES
            if not any(device in backend.devices() for backend in backends)
        ]
        + [
            f"{backend.name} has not the mode, device and dtype that were asked for"
            for backend in backends
            if not any(subject.backend is backend for subject in subjects)
        ],
        files={
            backend.name: str(file_of(type(backend)))
            for backend in backends
            if not isinstance(backend, StandIn)
        },
        shapes={
            word: shape_of(backend) for word, backend in zip(chosen.words, backends, strict=True)
        },
    )
