"""Measured laws: statements about speed and memory, written as comparisons.

    @measured("SPD-04", on="gpu")
    def large_products_gain(lab):
        "The larger two square matrices are, the more of the time of their product a GPU saves."
        gain = lab.gain(product)
        return (gain.trend > 0.6) & (gain.last > 1)

The docstring is the law, as with a claim; but a law of this kind binds nobody. A run answers it:
supported, refuted or inconclusive, with the intervals that say so, or unmeasured for a reason.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isclose
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from ..claims.catalogue import chapters_of
from ..claims.claim import SOURCES, Source, source_of
from .cells import Measurement, Part
from .findings import Answer, Comparison, Curve, Finding, Interval, Unmeasured
from .workloads import On, Program, workload_of

Law = Callable[["Lab"], Finding]
L = TypeVar("L", bound=Law)

SAME = 1e-3
"""How far the means of two devices' results may be apart, relatively, to be of the same work.

Means of at most some 1e9 terms between 1 and 2 in float32 agree to about 1e-5; what is computed
in another precision, or is something else, does not.
"""


@dataclass(frozen=True)
class MeasuredLaw:
    """One law, with what is known about it before any run.

    It is answered for the CPU (`on` = cpu), for each other device (gpu), or for all (any).
    """

    id: str
    law: str
    chapter: str
    on: On
    sources: tuple[Source, ...]
    judge: Law

    @property
    def rows(self) -> tuple[str, ...]:
        """The ids of the statements it settles: its own, then the merged ones."""
        return tuple(source.row for source in self.sources)

    @property
    def program(self) -> str:
        """The source of the law, from its `def` line on."""
        source = inspect.getsource(self.judge)
        return source[source.index("def ") :].rstrip()


def measured(*rows: str, on: On) -> Callable[[L], L]:
    """Make a function a measured law.

    `rows` are ids of `sources.toml` beside the chapter, the first being the id of the law. Raises
    ValueError for an unknown id, or if the law is not said.
    """

    def decorate(judge: L) -> L:
        path = Path(inspect.getfile(judge))
        law = " ".join(inspect.cleandoc(judge.__doc__ or "").split())
        if not law:
            raise ValueError(f"{judge.__name__} has no docstring to be its law")
        judge.__dict__["measured"] = MeasuredLaw(
            id=rows[0],
            law=law,
            chapter=path.stem.removeprefix("test_"),
            on=on,
            sources=tuple(source_of(row, path.with_name(SOURCES)) for row in rows),
            judge=judge,
        )
        return judge

    return decorate


def laws_in(chapter: ModuleType) -> Iterator[MeasuredLaw]:
    """Return the measured laws of a chapter, in the order they stand."""
    for value in vars(chapter).values():
        if isinstance(law := getattr(value, "measured", None), MeasuredLaw):
            yield law


def laws_of(specification: ModuleType) -> dict[str, MeasuredLaw]:
    """Import every chapter of a package and return its measured laws by id."""
    return {law.id: law for chapter in chapters_of(specification) for law in laws_in(chapter)}


@dataclass(frozen=True)
class Judgement:
    """One law on one device of one backend: the answer, what was compared, or why nothing was."""

    law: str
    rows: tuple[str, ...]
    text: str
    chapter: str
    backend: str
    device: str
    answer: Answer
    comparisons: tuple[Comparison, ...] = ()
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)


class Lab:
    """The figures of one run on one device of one backend, as a law asks for them.

    All methods take a workload and raise Unmeasured if what they are to return is not there.
    """

    def __init__(
        self,
        measurements: Sequence[Measurement],
        backend: str,
        device: str,
        absent: str = "it was not part of this run",
    ) -> None:
        self.device = device
        self._absent = absent
        self._all = [m for m in measurements if m.cell.backend == backend]

    def times(self, program: Program) -> Curve:
        """Return how long it takes by size, its operands on the device."""
        return self._times(program, self.device, Part.KERNEL)

    def launches(self, program: Program) -> Curve:
        """Return by size how long it takes until the call returns, the work being queued."""
        found = {
            size: Interval(*m.launch, f"launch of {m.time.what}")
            for size, m in self._cells(program, self.device, Part.KERNEL).items()
            if m.launch is not None
        }
        return Curve(found, f"launch of {program.__name__} on {self.device}")

    def gain(self, program: Program) -> Curve:
        """Return by size the time on the CPU over the time of the round trip."""
        return self._gain(program, Part.END_TO_END)

    def kernel_gain(self, program: Program) -> Curve:
        """Return by size the time on the CPU over the time on the device, operands being there."""
        return self._gain(program, Part.KERNEL)

    def ratio(self, program: Program, other: Program) -> Curve:
        """Return by size how many times as long as the other it takes to the same result."""
        here, there = (self._cells(p, self.device, Part.KERNEL) for p in (program, other))
        self._same(program, here, there)
        return self.times(program) / self.times(other)

    def peak(self, program: Program, size: int) -> Interval:
        """Return how much memory one call holds at most, in bytes."""
        return self._memory(program, size, "peak")

    def kept(self, program: Program, size: int) -> Interval:
        """Return how much memory one call leaves held, in bytes."""
        return self._memory(program, size, "kept")

    def _gain(self, program: Program, part: Part) -> Curve:
        there = self._cells(program, self.device, part)
        here = self._cells(program, "cpu", Part.KERNEL)
        self._same(program, here, there)
        return self._times(program, "cpu", Part.KERNEL) / self._times(program, self.device, part)

    def _same(
        self, program: Program, one: dict[int, Measurement], other: dict[int, Measurement]
    ) -> None:
        for size in one.keys() & other.keys():
            a, b = one[size].mean, other[size].mean
            if a is None or b is None or not isclose(a, b, rel_tol=SAME):
                raise Unmeasured(
                    f"results of {program.__name__}({size}) differ, {a} and {b} in the mean: times "
                    "of different work are not compared"
                )

    def _times(self, program: Program, device: str, part: Part) -> Curve:
        found = {size: m.time for size, m in self._cells(program, device, part).items()}
        way = " with transfer" if part is Part.END_TO_END else ""
        return Curve(found, f"{program.__name__} on {device}{way}")

    def _memory(self, program: Program, size: int, kind: str) -> Interval:
        found = self._cells(program, self.device, Part.KERNEL).get(size)
        what = f"{kind} memory of {program.__name__}({size}) on {self.device}"
        value = getattr(found, kind, None)
        if value is None:
            raise Unmeasured(f"{what} was not measured")
        return Interval.exact(value, what)

    def _cells(self, program: Program, device: str, part: Part) -> dict[int, Measurement]:
        workload = workload_of(program)
        place = (workload.chapter, workload.name, device, part)
        cells = [
            m
            for m in self._all
            if (m.cell.chapter, m.cell.workload, m.cell.device, m.cell.part) == place
        ]
        found = {m.cell.size: m for m in cells if m.left_out is None}
        if not found:
            reasons = sorted({f"{m.left_out}" for m in cells}) or [self._absent]
            raise Unmeasured(f"{workload.name} on {device}: {'; '.join(reasons)}")
        return found


def judge(
    law: MeasuredLaw,
    measurements: Sequence[Measurement],
    backend: str,
    devices: Sequence[str],
    absent: Mapping[str, str] | None = None,
) -> list[Judgement]:
    """Answer a law for each of the `devices` it speaks of; of `absent` ones say why they are."""
    there = {
        "cpu": [d for d in devices if d == "cpu"],
        "gpu": [d for d in devices if d != "cpu"],
        "any": list(devices),
    }[law.on]
    answers = [_answer(law, Lab(measurements, backend, d), backend, d) for d in there]
    missed = {d: why for d, why in (absent or {}).items() if law.on in {"gpu", d}}
    return answers + [
        _answer(law, Lab(measurements, backend, d, why), backend, d) for d, why in missed.items()
    ]


def _answer(law: MeasuredLaw, lab: Lab, backend: str, device: str) -> Judgement:
    words = (law.id, law.rows, law.law, law.chapter, backend, device)
    try:
        finding = law.judge(lab)
    except Unmeasured as reason:
        return Judgement(*words, Answer.UNMEASURED, reason=str(reason))
    return Judgement(*words, finding.answer, finding.comparisons)
