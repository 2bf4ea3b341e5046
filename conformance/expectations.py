"""Expected failures: known defects of a backend, each with a reason, a link and a witness.

They stand in a TOML file beside the adapter, under the adapter's name. An expected failure is not
searched for again: its witness, the values of one example, is replayed once. If the witness passes,
that is an error too, for then the entry is stale.
"""

import inspect
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .backend import Backend
from .claims import Claim
from .errors import OptionError
from .subject import Subject

FIELDS = {"claim", "operation", "reason", "link", "witness", "device", "dtype"}


@dataclass(frozen=True)
class Expectation:
    """One claim that a backend is known to fail, on the devices and dtypes named (or on all).

    Of a claim over many operations it names one.
    """

    claim: str
    reason: str
    link: str
    witness: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    dtype: str | None = None
    operation: str | None = None

    def covers(self, claim: Claim, subject: Subject, operation: str | None = None) -> bool:
        """Whether the entry speaks of `claim`, by any of its ids, on `subject`."""
        return (
            self.claim in claim.rows
            and self.operation == operation
            and self.device in (None, subject.device)
            and self.dtype in (None, subject.dtype)
        )


def expectations_of(backend: type[Backend]) -> list[Expectation]:
    """Read the entries beside the adapter; raises OptionError naming a malformed file."""
    path = Path(inspect.getfile(backend)).with_suffix(".toml")
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("expected", [])
        return [_entry(fields) for fields in entries]
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise OptionError(f"{path}: {error}; see the module text of expectations.py") from None


def _entry(fields: Mapping[str, Any]) -> Expectation:
    unknown = set(fields) - FIELDS
    if unknown:
        raise ValueError(f"unknown field {min(unknown)!r} in an expected failure")
    for name in (name for name in ("claim", "reason", "link") if name not in fields):
        raise ValueError(f"an expected failure has no {name!r}")
    for name in fields.keys() - {"witness"}:
        if not isinstance(fields[name], str):
            raise ValueError(f"{name} = {fields[name]!r} is not a text")  # noqa: TRY004
    given = fields.get("witness", {})
    if not isinstance(given, Mapping):
        raise ValueError(f"witness = {given!r} is not a table")  # noqa: TRY004
    witness = {name: _value(value) for name, value in given.items()}
    return Expectation(**{**fields, "witness": witness})


def _value(value: Any) -> Any:
    """Read a witness value; `{array = [...]}` stands for an array of float64."""
    if isinstance(value, Mapping):
        if value.keys() != {"array"}:
            raise ValueError("a witness value is a plain one or { array = [...] }")
        return np.array(value["array"], np.float64)
    return value
