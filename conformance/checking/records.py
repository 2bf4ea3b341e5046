"""What was found: an answer to each question, and a report of all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """What came of a question."""

    HOLDS = "holds"
    FAILS = "fails"
    NOT_ASKED = "not asked"


@dataclass(frozen=True)
class Failure:
    """What fails, on the smallest case that was found: a script tells it without gradspec.

    `script` is empty where none can be written or none shows the failure; `unwritten` says why.
    """

    what: str
    inputs: Sequence[str]
    script: str = ""
    unwritten: str = ""


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    `cases` counts the cases it was asked on, `judged` the comparisons, `open` the derivatives that
    no difference decides, at kinks and jumps; `reason` says why it was not asked, or was not asked
    on some of the cases.
    """

    question: str
    law: str
    status: Status
    reason: str = ""
    cases: int = 0
    judged: int = 0
    open: int = 0
    failure: Failure | None = None


@dataclass(frozen=True)
class Report:
    """The answers about one function, on one library. `calls` and `saved` are of one pullback.

    `saved` counts the bytes that are kept for it, and is None where the library does not tell.
    """

    function: str
    library: str
    seed: int
    answers: Sequence[Answer]
    calls: int
    saved: int | None
    notes: Sequence[str] = field(default=())

    @property
    def holds(self) -> bool:
        """Whether nothing fails, and something was asked."""
        return self.asked and not self.failures

    @property
    def asked(self) -> bool:
        """Whether any question was asked: of what is not deterministic, none is."""
        return any(answer.status is not Status.NOT_ASKED for answer in self.answers)

    @property
    def failures(self) -> Sequence[Answer]:
        """The answers that are wrong."""
        return [answer for answer in self.answers if answer.status is Status.FAILS]

    def __str__(self) -> str:
        return "\n".join(lines_of(self))


def lines_of(report: Report) -> list[str]:
    """Write a report for a terminal: the table, then each failure with its script."""
    saved = "" if report.saved is None else f", {report.saved} bytes saved for backward"
    calls = f"{report.calls} call{'s' * (report.calls != 1)} for a gradient{saved}"
    lines = [f"{report.function} on {report.library}, seed {report.seed}: {calls}"]
    lines += [*report.notes, ""]
    width = max(len(answer.question) for answer in report.answers)
    for answer in report.answers:
        told = f"{answer.question:<{width}}  {answer.status:<9}  "
        if answer.status is Status.NOT_ASKED:
            told += answer.reason
        elif answer.failure is not None:
            told += answer.failure.what
        else:
            told += f"{answer.judged} comparisons on {answer.cases} cases"
            told += f", {answer.open} open at kinks" * bool(answer.open)
            told += f" (not all: {answer.reason})" * bool(answer.reason)
        lines.append(told.rstrip())
    for answer in report.failures:
        failure = answer.failure
        assert failure is not None
        lines += ["", f"{answer.question}: {answer.law}", f"  {failure.what}"]
        lines += [f"  {line}" for line in failure.inputs]
        if failure.script:
            lines += ["", *(f"    {line}".rstrip() for line in failure.script.splitlines())]
        else:
            lines.append(f"  no script: {failure.unwritten}")
    count = {status: sum(a.status is status for a in report.answers) for status in Status}
    return [*lines, "", ", ".join(f"{number} {status}" for status, number in count.items())]
