"""Expected failures written from a run, beside the adapter: `--update-expectations`."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import Any

import pytest

from ..claims.witness import in_toml, is_call
from ..protocol.errors import OptionError
from ..protocol.mode import EAGER
from ..results.verdict import VERDICT, Key, Status, Verdict, settled
from ..untrusted.texts import printable, without_places
from .commandline import spelled
from .expectations import FAILING
from .session import session_of

WITNESS = "gradspec witness"
ENTRY = "gradspec entry"
"""User properties of a test report: the values with which a claim failed, fit for TOML, and the
place of an entry that is stale, with the address by which it spoke of the claim."""

PLACEHOLDER = "TODO"
"""What stands for a reason or a link that only a person can give."""

START = re.compile(r"(?m)^(?=\[\[expected\]\])")
CLAIM = re.compile(r'(?ms)^claim *= *("""|"|\'\'\'|\')(.*?)\1[^\n]*\n?')
"""Where an entry begins, and what it speaks of."""

NUMBERS = re.compile(r"\[\n\s+([^\[\]{}\"']*?),?\n\s*\]")
"""An array of numbers, one to a line."""

WIDTH = 88
"""Characters of a line of claims, or of numbers."""


class Updater:
    """Collects what a run refuted, and writes entries for it when the run is over."""

    def __init__(self, config: pytest.Config) -> None:
        if find_spec("tomli_w") is None:
            raise OptionError(
                f"{spelled(config, 'update-expectations')}: writes with tomli-w, which is not "
                "installed; run `pip install tomli-w`"
            )
        self.config = config
        self.verdicts: dict[Key, Verdict] = {}
        self.witnesses: dict[Key, Mapping[str, Any]] = {}
        self.stale: dict[str, dict[tuple[int, str], str]] = {}
        self.told: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        given: dict[str, Any] = dict(report.user_properties)
        if VERDICT in given:
            verdict = Verdict.from_json(given[VERDICT])
            before = self.verdicts.get(verdict.key, verdict)
            self.verdicts[verdict.key] = settled([before, verdict])
            if given.get(WITNESS) is not None:
                self.witnesses[verdict.key] = given[WITNESS]
            if given.get(ENTRY) is not None:
                found = self.stale.setdefault(verdict.backend, {})
                found[tuple(given[ENTRY])] = verdict.address

    def pytest_sessionfinish(self) -> None:
        for name, file in session_of(self.config).told.files.items():
            verdicts = [v for v in self.verdicts.values() if v.backend == name]
            try:
                self.told += self._update(name, Path(file), verdicts)
            except OptionError as error:
                pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for line in self.told:
            terminalreporter.write_line(printable(line))

    def _update(self, backend: str, path: Path, verdicts: Sequence[Verdict]) -> Iterator[str]:
        stale = self.stale.get(backend, {})
        # What is wrong with an old entry says nothing yet of the claim.
        told = [verdict for verdict in verdicts if verdict.address not in stale.values()]
        entries = new_entries(told, self.witnesses)
        if not stale and not entries:
            return
        head, *blocks = START.split(path.read_text(encoding="utf-8") if path.exists() else "")
        kept = [
            without(block, {address for place, address in stale if place == at})
            for at, block in enumerate(blocks)
        ]
        # As a table: an array of short ones would be written in one line, which no header ends.
        added = [f"\n{_text_of(entry)}" for entry in entries]
        try:
            path.write_text("".join([head, *kept, *added]).lstrip("\n"), encoding="utf-8")
        except OSError as error:
            raise OptionError(
                f"--update-expectations: {path} cannot be written ({error.strerror}); "
                "run it on an adapter of your own"
            ) from None
        yield f"{path}: {len(entries)} expected failures added, {len(stale)} removed"
        if entries:
            yield f"say why in each, and where it is reported: {PLACEHOLDER} stands for it"


def without(block: str, addresses: AbstractSet[str]) -> str:
    """Take claims out of the text of an entry; nothing is left where it speaks of no other."""
    words = tomllib.loads(block)["expected"][0]["claim"].split()
    left = [word for word in words if word not in addresses]
    if len(left) == len(words):
        return block
    text = _toml({"claim": _lines(left)})
    return CLAIM.sub(lambda _: text, block, count=1) if left else ""


def _text_of(entry: Mapping[str, Any]) -> str:
    """Write an entry, and the calls in its witness in lines that are read at a glance."""
    given = entry.get("witness", {})
    plain = {name: value for name, value in given.items() if not is_call(value)}
    fields = {**entry, "witness": plain} if plain else {**entry}
    if given and not plain:
        del fields["witness"]
    text = _toml({"expected": fields}).replace("[expected]", "[[expected]]", 1)
    return text + in_toml(given, "expected.witness")


def _toml(fields: Mapping[str, Any]) -> str:
    import tomli_w  # noqa: PLC0415 - only where a file is written

    return NUMBERS.sub(_in_lines, tomli_w.dumps(fields, multiline_strings=True))


def _in_lines(numbers: re.Match[str]) -> str:
    text = " ".join(numbers[1].split())
    if len(text) <= WIDTH:
        return f"[{text}]"
    return f"[\n{fill(text, WIDTH, initial_indent='    ', subsequent_indent='    ')},\n]"


def new_entries(
    verdicts: Sequence[Verdict], witnesses: Mapping[Key, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Make entries for what failed: one for a claim, or for each device and dtype it failed on.

    Claims that the same call of an operation refutes share one.
    """
    groups: dict[tuple[str, str | None], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.drawn or verdict.status in FAILING:
            groups.setdefault((verdict.claim, verdict.operation), []).append(verdict)
    entries: dict[str, dict[str, Any]] = {}
    addresses: dict[str, list[str]] = {}
    for (claim, operation), ran in sorted(groups.items(), key=str):
        red = [v for v in ran if v.status in FAILING]
        for conditions, chosen in _conditions(red, ran, witnesses):
            entry: dict[str, Any] = {"claim": "", **conditions}
            entry |= {"reason": _reason(chosen), "link": PLACEHOLDER}
            if chosen.status is not Status.FAIL:
                entry["status"] = chosen.status.value
            witness = witnesses.get(chosen.key)
            entry |= {"search": True} if witness is None else {"witness": dict(witness)}
            alike = str([operation or claim, {**entry, "reason": ""}])
            entries.setdefault(alike, entry)
            addresses.setdefault(alike, []).append(chosen.address)
    return [{**entry, "claim": _lines(addresses[alike])} for alike, entry in entries.items()]


def _lines(addresses: Sequence[str]) -> str:
    """Write addresses one after the other, in lines if they are many."""
    text = " ".join(addresses)
    return text if len(text) <= WIDTH else f"{fill(text, WIDTH, break_on_hyphens=False)}\n"


def _conditions(
    red: Sequence[Verdict], ran: Sequence[Verdict], witnesses: Mapping[Key, Mapping[str, Any]]
) -> Iterator[tuple[dict[str, str], Verdict]]:
    """Say on which subjects a claim failed, in as few words as are true.

    Subjects on which the same values have not failed in the same way do not share an entry: what
    fails on one need not fail on the other.
    """
    if not red:
        return

    def alike(verdicts: Sequence[Verdict]) -> bool:
        return len({(v.status, str(witnesses.get(v.key))) for v in verdicts}) == 1

    if alike(red) and len(red) == len(ran):
        # Where no claim ran as the library runs by itself, nothing is known of that.
        modes = " ".join(dict.fromkeys(v.mode for v in ran if v.mode))
        yield {"mode": modes} if all(v.mode for v in ran) else {}, red[0]
        return
    for field in ("dtype", "device", "mode"):
        values: dict[str, list[Verdict]] = {}
        for verdict in red:
            values.setdefault(getattr(verdict, field) or EAGER, []).append(verdict)
        if all(map(alike, values.values())) and len(red) == sum(
            (getattr(v, field) or EAGER) in values for v in ran
        ):
            yield from (({field: value}, same[0]) for value, same in values.items())
            return
    yield from (
        ({"device": v.device, "dtype": v.dtype, **({"mode": v.mode} if v.mode else {})}, v)
        for v in red
    )


def _reason(verdict: Verdict) -> str:
    return printable(f"{PLACEHOLDER}: {without_places(str(verdict.reason))}")[:300]
