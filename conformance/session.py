"""What one pytest session knows: its subjects, their known defects, its seed and profile."""

import sys
from dataclasses import dataclass, field

import pytest

from .expectations import Expectation, expectations_of
from .options import subjects_for
from .profiles import DEFAULT_SEED
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

    def fault(self, subject: Subject) -> str | None:
        """What the smoke check finds wrong with the adapter of `subject`; looked at once."""
        if subject.id not in self.faults:
            self.faults[subject.id] = smoke(subject)
        return self.faults[subject.id]


KEY = pytest.StashKey[Session]()


def session_of(config: pytest.Config) -> Session:
    """Return the state of the session, made when the first claim asks for it."""
    if KEY not in config.stash:
        # An adapter named as module:Class may lie where pytest was called.
        sys.path.insert(0, str(config.invocation_params.dir))
        subjects = subjects_for(config)
        seed = config.getoption("--hypothesis-seed", None)
        config.stash[KEY] = Session(
            subjects=subjects,
            expectations={s.backend.name: expectations_of(type(s.backend)) for s in subjects},
            profile=config.getoption("--hypothesis-profile", None) or "default",
            seed=DEFAULT_SEED if seed is None else int(seed),
        )
    return config.stash[KEY]
