"""Editions: what the specification consists of at a time, so that scores can be counted against it.

`spec/edition-2026.12.toml` lists the sentence of every law, and the operations that laws over the
table are judged on. The file of a draft follows the specification. A released one is never changed:
whoever changes a law, or adds one, gives its claim the name of the next edition.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from ..protocol.errors import OptionError
from .catalogue import rooms_of_specification
from .claim import Claim, State

FILE = "edition-{}.toml"
"""How the file of an edition is called; it stands in `gradspec.spec`."""


@dataclass(frozen=True)
class Edition:
    """What one edition asks: its laws by id, each as its sentence, and its operations by name."""

    name: str
    draft: bool
    laws: Mapping[str, str]
    operations: frozenset[str]
    digest: str = ""
    """Of its file, SHA-256."""

    def asks(self, claim: str, operation: str | None) -> bool:
        """Whether a verdict on `claim`, for `operation`, counts in the scores of this edition."""
        return claim in self.laws and (operation is None or operation in self.operations)

    @property
    def title(self) -> str:
        """Its name, and whether it may still change."""
        return f"{self.name} (draft)" if self.draft else self.name

    def misfits(self, claims: Mapping[str, Claim]) -> Iterator[str]:
        """Say where the claims of the specification break what this edition has settled."""
        for identity, sentence in self.laws.items():
            claim = claims.get(identity)
            if claim is None:
                yield f"{identity} is gone: keep it, with state='deprecated'"
            elif claim.edition <= self.name and claim.law != sentence:
                yield f"{identity} says something else: give it the edition in which it does"
        for claim in claims.values():
            listed = claim.id in self.laws
            if claim.state is State.ACTIVE and claim.edition <= self.name and not listed:
                yield f"{claim.id} is new: give it the edition in which it enters"
        yield from (
            f"the operation {name} is gone"
            for name in sorted(self.operations - judged_in(claims.values()))
        )


def judged_in(claims: Iterable[Claim]) -> frozenset[str]:
    """Return the names of the operations that any of the claims is judged on."""
    return frozenset(operation.name for claim in claims for operation in claim.over)


@cache
def editions() -> Mapping[str, Edition]:
    """Read the files of all editions, by name, the oldest first."""
    return {
        edition.name: edition
        for room in rooms_of_specification()
        for edition in map(read_edition, sorted(room.glob(FILE.format("*"))))
    }


def current() -> Edition:
    """Return the newest edition."""
    return [*editions().values()][-1]


def edition_named(name: str) -> Edition:
    """Return an edition; raises OptionError if there is none of that name."""
    try:
        return editions()[name]
    except KeyError:
        known = ", ".join(editions())
        raise OptionError(f"--edition {name}: there is no such edition, only {known}") from None


def read_edition(path: Path) -> Edition:
    """Read the file of one edition."""
    text = path.read_text(encoding="utf-8")
    fields, digest = tomllib.loads(text), sha256(text.encode()).hexdigest()
    name = path.stem.removeprefix(FILE.format("").removesuffix(".toml"))
    return Edition(name, fields["draft"], fields["laws"], frozenset(fields["operations"]), digest)


def write_draft(claims: Mapping[str, Claim]) -> Path:
    """Write the file of the newest edition anew; raises OptionError if it is released."""
    import tomli_w  # noqa: PLC0415 - only where a file is written

    edition = current()
    if not edition.draft:
        raise OptionError(f"--write: edition {edition.name} is released; begin the next one")
    active = [claim for claim in claims.values() if claim.state is State.ACTIVE]
    fields = {
        "draft": True,
        "operations": sorted(judged_in(active)),
        "laws": {claim.id: claim.law for claim in sorted(active, key=lambda one: one.id)},
    }
    (room,) = rooms_of_specification()
    path = room / FILE.format(edition.name)
    path.write_text(tomli_w.dumps(fields), encoding="utf-8", newline="\n")
    editions.cache_clear()
    return path
