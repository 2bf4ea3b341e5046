"""A results file in less space: the same verdicts, without what has begun.

What was not looked at says the same of many claims, which the header and the declarations of a
backend explain: it is told together.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from ..protocol.errors import OptionError
from .reading import RunRead
from .verdict import UNCHECKED, Verdict, dump

APART = ("claim", "chapter", "level", "dtype", "operation")
"""In what verdicts differ that are told together."""


def shorten(run: RunRead) -> None:
    """Write the file of a whole run anew; raises OptionError if that is impossible."""
    beside = run.path.with_name(f".{run.path.name}.{os.getpid()}")
    try:
        beside.write_text("".join(_lines(run)), encoding="utf-8", newline="\n")
        beside.replace(run.path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise OptionError(f"{run.path}: cannot be written ({error.strerror})") from None


def _lines(run: RunRead) -> Iterator[str]:
    yield dump({"header": run.header})
    groups: dict[tuple[tuple[str, Any], ...], list[Verdict]] = {}
    for verdict in run.verdicts:
        fields = verdict.to_json()
        if verdict.status in UNCHECKED:
            shared = tuple((name, value) for name, value in fields.items() if name not in APART)
            groups.setdefault(shared, []).append(verdict)
        else:
            yield dump({"verdict": fields})
    for shared, group in groups.items():
        yield dump({"unchecked": {"verdict": dict(shared), "claims": [*_claims(group)]}})
    yield dump({"footer": run.footer})


def _claims(group: Sequence[Verdict]) -> Iterator[list[Any]]:
    """Put together what is of one claim: operations that were asked in the same dtypes."""
    dtypes: dict[tuple[str, str, str, str | None], list[str]] = {}
    for verdict in group:
        about = (verdict.claim, verdict.chapter, str(verdict.level), verdict.operation)
        dtypes.setdefault(about, []).append(verdict.dtype)
    together: dict[tuple[Any, ...], list[str]] = {}
    for (*claim, operation), asked in dtypes.items():
        names = together.setdefault((*claim, tuple(asked), operation is None), [])
        names += [operation] if operation is not None else []
    for (*claim, asked, _), names in together.items():
        yield [*claim, [*asked], names]
