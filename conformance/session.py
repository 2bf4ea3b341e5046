"""What one pytest session knows: its subjects, their known defects, its seed and profile."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings

from .claims import Claim
from .comparison import Baseline, baseline_at
from .database import Database, database_of
from .errors import OptionError
from .expectations import Expectation, expectations_of
from .options import Shard, absence, seed_of, shard_of, subjects_for
from .profiles import profile
from .results import Verdict
from .runner import Run
from .smoke import smoke
from .subject import Subject


@dataclass
class Session:
    """The state shared by all claims of a session."""

    subjects: list[Subject]
    expectations: dict[str, list[Expectation]]
    profile: str
    seed: int
    faults: dict[str, str | None] = field(default_factory=dict)
    baseline: Baseline | None = None
    shard: Shard | None = None
    database: Database | None = None
    spoiled: dict[tuple[str, str], str] = field(default_factory=dict)
    """What an earlier claim has spoiled for good, by backend and device."""

    def subjects_of(self, claim: Claim) -> list[Subject]:
        """Return the subjects that `claim` speaks of: all, or those on its own device.

        Where that device is absent, they are made all the same: their verdict is `not-run`. A
        backend that declares too little stays on the devices that it has, where it is unsupported.
        """
        if claim.device is None:
            return self.subjects
        chosen = {s.id: s for s in self.subjects}
        made = [
            s if s.lacks(claim.needs) else Subject(s.backend, claim.device, s.dtype)
            for s in self.subjects
        ]
        return list({s.id: chosen.get(s.id, s) for s in made}.values())

    def absence(self, subject: Subject) -> str | None:
        """Say why nothing runs on `subject`, if it is none of the session's own."""
        if subject in self.subjects:
            return None
        if subject.device in subject.backend.devices():
            return f"--device leaves {subject.device} out"
        return absence(subject.device, [subject.backend])

    def fault(self, subject: Subject) -> str | None:
        """What the smoke check finds wrong with the adapter of `subject`; looked at once."""
        if subject.id not in self.faults:
            self.faults[subject.id] = smoke(subject)
        return self.faults[subject.id]

    @property
    def settings(self) -> settings:
        """How long Hypothesis looks, and what it remembers."""
        chosen = profile(self.profile)
        return self.database.used_by(chosen) if self.database else chosen

    def excuse(self, verdict: Verdict) -> str | None:
        """Say why a red verdict is to leave the run green."""
        return self.baseline.excuse(verdict) if self.baseline else None

    def spoil(self, run: Run) -> None:
        """Note what `run` has left behind."""
        devices = run.subject.backend.devices() if run.lasting else [run.subject.device]
        if reason := run.lasting or run.lost_device:
            for device in devices:
                self.spoiled[run.subject.backend.name, device] = f"{run.claim.id} left {reason}"


KEY = pytest.StashKey[Session]()


def session_of(config: pytest.Config) -> Session:
    """Return the state of the session, made when the first claim asks for it."""
    if KEY not in config.stash:
        # An adapter named as module:Class may lie where pytest was called.
        sys.path.insert(0, str(config.invocation_params.dir))
        try:
            config.stash[KEY] = open_session(config)
        except OptionError as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[KEY]


def open_session(config: pytest.Config) -> Session:
    """Read the options; raises OptionError naming the one that cannot be honoured."""
    subjects = subjects_for(config)
    return Session(
        subjects=subjects,
        expectations={s.backend.name: expectations_of(s.backend) for s in subjects},
        profile=config.getoption("--hypothesis-profile", None) or "default",
        seed=seed_of(config),
        database=database_of(config.getoption("--database")),
        shard=shard_of(config.getoption("--shard")),
        baseline=baseline_at(Path(word)) if (word := config.getoption("--baseline")) else None,
    )
