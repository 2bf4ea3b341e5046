"""What is known to be otherwise in a library, by its cause: many claims may show one defect."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .. import backends
from ..results.standings import Standing
from ..results.verdict import Known, Status, Verdict, cause_in
from ..untrusted.files import read_toml

ADDRESS = re.compile(r"https?://[^\s\"'<>\\]{1,500}")
"""What may become a link; anything else is text."""

REPORT = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")

WAYS = {
    "wrong": "wrong answer",
    "refusal": "refusal or exception",
    "crash": "ends the process",
    "timeout": "does not end",
    "unknown": "not on record",
}
"""In which way a library fails: the classes of defects."""


@dataclass(frozen=True)
class Cause:
    """One thing that is otherwise in a library, and every verdict that shows it."""

    kind: str
    """One of `Known`."""
    reason: str
    link: str
    verdicts: Sequence[Verdict]
    versions: Sequence[str]

    @property
    def is_defect(self) -> bool:
        """Whether it is one, and counts against the library."""
        return self.kind == Known.DEFECT

    @property
    def claims(self) -> Mapping[str, list[str]]:
        """The claims that show it, with their operations."""
        found: dict[str, dict[str, None]] = {}
        for verdict in self.verdicts:
            operations = found.setdefault(verdict.claim, {})
            if verdict.operation:
                operations[verdict.operation] = None
        return {claim: list(operations) for claim, operations in found.items()}

    @property
    def entry(self) -> Mapping[str, Any]:
        """The entry beside our adapter that tells of it; empty for adapters of others."""
        return _entries(self.verdicts[0].backend).get((self.reason, self.link), {})

    @property
    def way(self) -> str:
        """In which way the library fails, a key of `WAYS`."""
        status = self.entry.get("status")
        if status in (Status.CRASH.value, Status.TIMEOUT.value):
            return str(status)
        if status == Status.ERROR.value or any(verdict.kind for verdict in self.verdicts):
            return "refusal"
        return "wrong" if self.entry else "unknown"

    @property
    def upstream(self) -> dict[str, str]:
        """Say where it is reported or documented, as text and perhaps as a link."""
        if found := REPORT.fullmatch(self.link):
            return {"text": f"reported: {found[1]}#{found[2]}", "href": self.link}
        if ADDRESS.fullmatch(self.link):
            host = self.link.split("/")[2]
            return {
                "text": f"documented: {host}" if self.kind == Known.DIFFERENCE else host,
                "href": self.link,
            }
        return {"text": "not reported elsewhere that we know of"}


def causes_of(standing: Standing, every: Sequence[Standing] = ()) -> list[Cause]:
    """Group what is expected to fail by what is said of it, the most shown first.

    `every` standing is asked in which versions of the library the same was seen.
    """
    found = _expected(standing)
    versions = {
        one.version: _expected(one).keys() for one in every if one.library == standing.library
    }
    causes = [
        Cause(*key, verdicts, [version for version, keys in versions.items() if key in keys])
        for key, verdicts in found.items()
    ]
    order = [each.value for each in Known]
    return sorted(causes, key=lambda cause: (order.index(cause.kind), -len(cause.verdicts)))


def place_of(verdict: Verdict, causes: Sequence[Cause]) -> int | None:
    """Return the place that the cause of a verdict has among those of its library."""
    told = (verdict.expected or Known.DEFECT.value, *cause_in(verdict.reason or ""))
    for n, cause in enumerate(causes):
        if (cause.kind, cause.reason, cause.link) == told:
            return n
    return None


def name_of(place: int) -> str:
    """Return the id of a cause by its place among those of a library."""
    return f"cause-{place + 1}"


def _expected(standing: Standing) -> dict[tuple[str, str, str], list[Verdict]]:
    found: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in standing.verdicts:
        if verdict.status is Status.EXPECTED_FAILURE:
            reason, link = cause_in(verdict.reason or "")
            found.setdefault((verdict.expected or Known.DEFECT.value, reason, link), []).append(
                verdict
            )
    return found


@cache
def _entries(library: str) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return the entries beside our own adapter of a library, by reason and link."""
    for path in Path(backends.__file__).parent.glob("*.toml"):
        if path.name == f"{library}.toml":
            entries = read_toml(path, "expectations").get("expected", ())
            return {(entry["reason"], entry["link"]): entry for entry in entries}
    return {}
