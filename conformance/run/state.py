"""What a claim leaves as it found it, besides what a backend names: the state of this process.

Looks are compared, changes told and put back. What costs next to nothing to look at is after every
example, the rest once in a claim.

A library may make itself at home when it is first used. What comes together with an import of
modules that are not Python's own is the import's doing, if it only adds to what was there:
variables of the environment, filters of warnings, entries of sys.path, threads. Threads of pools,
and the helper processes of multiprocessing, serve whoever comes next and are no change either.
"""

import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..untrusted.texts import in_a_line, printable

PATIENCE = 3.0
"""Seconds for which a thread or a process that may be about to end is waited for."""

MOST = 6
"""So many changes are told of one thing."""

ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


@dataclass(frozen=True)
class Thing:
    """Something that is the same for everybody in this process.

    `put` takes what `look` returned and makes it so again; `parts` names what was seen in words. An
    import may add to what `grows`; what is `passing` goes away by itself; what is a backend's `own`
    is no concern of others.
    """

    name: str
    look: Callable[[], Any]
    put: Callable[[Any], object] | None = None
    parts: Callable[[Any], Any] | None = None
    grows: bool = False
    passing: bool = False
    own: bool = False

    def changes(self, before: Any, *, imported: bool) -> str:
        """Say what is no longer as it was, and may not be so."""
        until = time.monotonic() + PATIENCE
        while True:
            after = self.look()
            if same(before, after):
                return ""
            old, new = (self.parts(seen) if self.parts else seen for seen in (before, after))
            if self.passing:
                old = _common(old, new)
            if self.grows and imported:
                new = _common(new, old)
            told = _told(self.name, old, new)
            if not told or not self.passing or time.monotonic() > until:
                return told
            time.sleep(PATIENCE / 50)


class Look(NamedTuple):
    """What was seen, and how many modules had been imported by then."""

    seen: list[Any]
    modules: int


def look(things: Sequence[Thing]) -> Look:
    """Look at things."""
    return Look([thing.look() for thing in things], len(sys.modules))


class Settled(NamedTuple):
    """What had changed, and what could not be put back: of the process, and of a backend."""

    told: str = ""
    left: str = ""
    lasting: str = ""


def settle(things: Sequence[Thing], before: Look) -> Settled:
    """Put things back as they were before; raises what a look raises."""
    if same(before.seen, look(things).seen):
        return Settled()
    told: list[str] = []
    left: list[str] = []
    lasting: list[str] = []
    modules = sys.stdlib_module_names
    imported = any(m.partition(".")[0] not in modules for m in [*sys.modules][before.modules :])
    for thing, seen in zip(things, before.seen, strict=True):
        if change := thing.changes(seen, imported=imported):
            told.append(change)
            still = change
            if thing.put is not None:
                try:
                    thing.put(seen)
                    still = thing.changes(seen, imported=imported)
                except Exception as error:
                    still += f", and putting it back raised {in_a_line(error)}"
            if still:
                (lasting if thing.own else left).append(still)
    return Settled(*map(", ".join, (told, left, lasting)))


# ---- comparing and telling -----------------------------------------------------------------------


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Say which entries of a state differ, and how; empty if none does."""
    told: list[str] = []
    for name in {**before, **after}:
        if name not in before:
            told.append(f"{name} added")
        elif name not in after:
            told.append(f"{name} removed")
        elif not same(before[name], after[name]):
            old, new = _brief(before[name]), _brief(after[name])
            told.append(f"{name} changed" if old == new else f"{name} from {old} to {new}")
    return _listed(told)


def _listed(told: Sequence[str]) -> str:
    """Put changes one after the other, each once, and only so many."""
    each = list(dict.fromkeys(told))
    more = [f"{len(each) - MOST} more"] if len(each) > MOST else []
    return ", ".join(each[:MOST] + more)


def _told(name: str, old: Any, new: Any) -> str:
    if isinstance(old, Mapping):
        old, new = ({f"{name} {key}".strip(): each[key] for key in each} for each in (old, new))
        return differences(old, new)
    if not isinstance(old, list):
        return differences({name: old}, {name: new})
    added = [f"{name} {_brief(each)} added" for each in new if each not in old]
    removed = [f"{name} {_brief(each)} removed" for each in old if each not in new]
    moved = [] if added or removed or old == new else [f"{name}: another order"]
    return _listed(added + removed + moved)


def _common(some: Any, others: Any) -> Any:
    """Return what of a list or a mapping is in another one as well."""
    if isinstance(some, Mapping):
        return {key: value for key, value in some.items() if key in others}
    return [each for each in some if each in others]


def same(old: Any, new: Any) -> bool:
    """Whether two looks saw the same, arrays and nan among it."""
    try:
        return old is new or bool(old == new) or bool(old != old and new != new)  # noqa: PLR0124
    except Exception:
        # Arrays have no truth of their own, and strangers raise what they like.
        with suppress(Exception):
            return np.array_equal(old, new, equal_nan=np.asarray(old).dtype.kind in "fc")
        return False


def _brief(value: Any) -> str:
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    text = printable(ADDRESS.sub("", text))
    # The state of a generator of random numbers is thousands of bytes.
    return text if len(text) < 80 else "..."
