"""What a statement is, how one is read off bytes, carried out and written, and programs as text."""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..protocol.backend import Backend
from ..protocol.errors import OptionError

if TYPE_CHECKING:
    from .machine import Machine
    from .reading import Reader

Shape = tuple[int, ...]


class Statement(NamedTuple):
    """One statement: its kind, the numbers of its operands, and what else it is told.

    It makes `results` variables, which are numbered on from those before. All of it is plain data:
    numbers, texts, None, and tuples of them.
    """

    kind: str
    operands: tuple[int, ...] = ()
    options: tuple[Any, ...] = ()
    results: int = 0


Program = tuple[Statement, ...]

Run = Callable[["Machine", Sequence[Any], tuple[Any, ...]], Any]
"""Carries a statement out: takes its operands and options, returns what it makes, if anything."""


@dataclass(frozen=True)
class Kind:
    """One kind of statement.

    `read` reads its operands and options off a reader; None where no variable fits. `bind` makes of
    a backend what carries it out there. `text` writes it in PyTorch's API, given the names of its
    operands: an expression if it has results, else a statement. `needs` are the capabilities and
    functions without which a backend cannot run it; `weight` says how often it is drawn, beside
    others. `extent` is 1 if it opens a block, -1 if it ends one.
    """

    name: str
    read: Callable[["Reader"], Statement | None]
    bind: Callable[[Backend], Run]
    text: Callable[[Sequence[str], tuple[Any, ...]], str]
    needs: tuple[str, ...] = ()
    weight: int = 4
    extent: int = 0


# ---- programs as text ----------------------------------------------------------------------------

LINE = re.compile(
    r"(?:(?P<made>v\d+(?:, v\d+)*) = )?(?P<kind>\w+)\((?P<given>[^;]*)(?:; (?P<told>.*))?\)"
)


def lines_of(program: Program) -> list[str]:
    """Write a program, a statement a line: `v2 = mul(v0, v1)`, `v3 = select(v2; 0, 1)`."""
    lines, count = [], 0
    for kind, operands, options, results in program:
        made = ", ".join(f"v{count + i}" for i in range(results))
        count += results
        given = ", ".join(f"v{number}" for number in operands)
        told = f"; {', '.join(map(repr, options))}" if options else ""
        lines.append(f"{made}{' = ' if made else ''}{kind}({given}{told})")
    return lines


def program_of(lines: Iterable[str]) -> Program:
    """Read a program that `lines_of` has written. Raises OptionError."""
    program, count = [], 0
    for line in lines:
        found = LINE.fullmatch(line.strip())
        if found is None:
            raise OptionError(f"{line!r} is no statement: expected `v1 = kind(v0; option, ...)`")
        made = [int(name[1:]) for name in (found["made"] or "").split(", ") if name]
        if made != [*range(count, count + len(made))]:
            raise OptionError(f"{line!r} makes v{count} if it makes anything: it is the next")
        operands = [int(name.strip()[1:]) for name in found["given"].split(",") if name.strip()]
        if any(number >= count for number in operands):
            raise OptionError(f"{line!r} uses what is not made yet")
        count += len(made)
        try:
            options = ast.literal_eval(f"({found['told']},)") if found["told"] else ()
        except (SyntaxError, ValueError):
            raise OptionError(f"{line!r}: what follows the semicolon is no plain data") from None
        program.append(Statement(found["kind"], tuple(operands), options, len(made)))
    return tuple(program)
