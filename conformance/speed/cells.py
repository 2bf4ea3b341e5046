"""One measured cell: a workload at a size on a subject, resident or with transfer both ways."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import cycle
from math import ceil, prod
from statistics import quantiles
from time import perf_counter
from typing import Any

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from ..protocol.backend import Native
from ..protocol.capabilities import Capability
from ..protocol.errors import AdapterError, ErrorKind
from ..protocol.subject import Subject
from ..untrusted.texts import first_line
from . import machine
from .clock import Clock, check_events, check_finished
from .findings import FEWEST, Interval, median_interval
from .workloads import Operand, Workload

PLENTY = 100
"""Rounds after which another one adds nothing."""

ENOUGH = 0.25
"""Seconds of rounds after which another one adds nothing, if there are FEWEST."""

SETS = 32
"""Sets of operands at the most: what is so small that these fit into a cache runs from there."""

CALLS = FEWEST + 3
"""Calls at the least: to warm up, the rounds, and one to see that they were waited for."""

OVERHEAD = 1e-3
"""Seconds below which a time says nothing of the next size."""

NEAR = 4
"""An expected time may be wrong by this factor."""

FOOTPRINT = 6
"""How many times its operands a workload is expected to hold at once, at the most."""


class Part(StrEnum):
    """What of a program's way was timed."""

    KERNEL = "kernel"
    """The program alone, its operands on the device."""
    END_TO_END = "end-to-end"
    """The operands' way to the device, the program, and the result's way back."""


@dataclass(frozen=True)
class Cell:
    """Where a figure belongs: no two of a run agree in all of this."""

    chapter: str
    workload: str
    size: int
    part: Part
    backend: str
    device: str
    dtype: str


@dataclass(frozen=True)
class Measurement:
    """What was measured in a cell; times in seconds, memory in bytes, None where not measured.

    `median` lies within `low` and `high` as `median_interval` says, `q1` and `q3` are quartiles.
    `launch` is the time until the call returned, without waiting. `peak` and `kept` are memory held
    at most and left held by one call; `moved` is what its operands and its result hold, the
    least a device has to read and write; `flops` its arithmetic. `sets` of operands were used in
    turn, `cold` if together they exceed the cache. `event_gap` is how far the device's own clock
    differed, relatively. `mean` is that of the entries of the result. `limit` is bytes or flops if
    the workload is there to find the limit of that. A cell with `left_out` has no figures but that
    reason.
    """

    cell: Cell
    left_out: str | None = None
    median: float | None = None
    low: float | None = None
    high: float | None = None
    q1: float | None = None
    q3: float | None = None
    rounds: int = 0
    sets: int = 0
    cold: bool = False
    launch: tuple[float, float, float] | None = None
    peak: int | None = None
    kept: int | None = None
    moved: int | None = None
    flops: float | None = None
    limit: str | None = None
    event_gap: float | None = None
    mean: float | None = None

    @property
    def time(self) -> Interval:
        """The median, for cells that have one."""
        assert self.median is not None
        assert self.low is not None
        assert self.high is not None
        what = f"{self.cell.workload}({self.cell.size}) on {self.cell.device}"
        if self.cell.part is Part.END_TO_END:
            what += " with transfer"
        return Interval(self.median, self.low, self.high, what)


def cell_of(be: Subject, workload: Workload, size: int, part: Part) -> Cell:
    """Say where the figure of a workload belongs."""
    place = (workload.chapter, workload.name, size, part)
    return Cell(*place, be.backend.name, be.device, be.dtype)


class LeftOut(Exception):
    """A cell cannot be measured within the memory, the time or the offer there is."""


@dataclass
class Stopwatch:
    """Measures cells, and remembers how long they took so as not to start what will not end.

    `budget` is in seconds for a cell.
    """

    budget: float
    known: dict[Cell, dict[int, float]] = field(default_factory=dict)

    def measure(
        self, benchmark: BenchmarkFixture, be: Subject, workload: Workload, size: int, part: Part
    ) -> Measurement:
        """Time one cell; raises AssertionError if nothing was timed, or was not waited for."""
        cell = cell_of(be, workload, size, part)
        try:
            with be.backend.full_precision():
                return self._measure(benchmark, be, workload, cell)
        except LeftOut as reason:
            return Measurement(cell, left_out=str(reason))
        except Exception as error:
            if be.backend.error_kind(error) is not ErrorKind.MEMORY:
                raise
            return Measurement(cell, left_out=f"no room: {first_line(error)}")

    def _measure(
        self, benchmark: BenchmarkFixture, be: Subject, workload: Workload, cell: Cell
    ) -> Measurement:
        _see_what_lacks(be, workload, cell.part)
        self._foresee(workload, cell)
        try:
            bench = Bench(be, workload, cell.size, cell.part)
            seconds = self._try_out(bench)
        except (AdapterError, NotImplementedError) as error:
            raise LeftOut(
                f"{be.backend.name} does not offer it: {error or 'no such method'}"
            ) from None
        rounds = max(FEWEST, min(PLENTY, ceil(ENOUGH / seconds)))
        benchmark.pedantic(  # type: ignore[no-untyped-call]
            bench.call, setup=bench.next_round, rounds=rounds, warmup_rounds=1
        )
        assert benchmark.stats is not None, "nothing was timed: benchmarks are disabled"
        times: list[float] = list(benchmark.stats.stats.data)
        assert len(times) == rounds, f"an empty measurement: {len(times)} of {rounds} rounds"
        assert min(times) > 0, f"an empty measurement: {workload.name} took no time at all"
        check_finished(be, bench.clock, bench.run)
        q1, _, q3 = quantiles(times)
        middle = median_interval(times)
        self.learn(cell, middle.value)
        on_kernel = cell.part is Part.KERNEL
        gap = check_events(be, bench.clock, bench.run, middle.value) if on_kernel else None
        launch = bench.launch(rounds) if on_kernel and be.device != "cpu" else None
        memory = bench.memory() if on_kernel else None
        return Measurement(
            cell,
            median=middle.value,
            low=middle.low,
            high=middle.high,
            q1=q1,
            q3=q3,
            rounds=rounds,
            sets=len(bench.sets),
            cold=bench.cold,
            launch=launch,
            peak=memory.peak if memory else None,
            kept=memory.kept if memory else None,
            moved=bench.moved,
            flops=workload.flops(cell.size) if workload.flops else None,
            limit=workload.limit,
            event_gap=gap,
            mean=bench.mean,
        )

    def learn(self, cell: Cell, seconds: float) -> None:
        """Remember how long a call takes."""
        self.known.setdefault(_key(cell), {})[cell.size] = seconds

    def _foresee(self, workload: Workload, cell: Cell) -> None:
        """Leave a size out that would take too long, to judge by the next smaller one."""
        known = self.known.get(_key(cell), {})
        smaller = [size for size in known if size < cell.size and workload.work(size) > 0]
        if not smaller:
            return
        size = max(smaller)
        seconds = known[size]
        expected = seconds * workload.work(cell.size) / workload.work(size)
        # Small ones are all overhead and tell nothing of larger ones; and where it is a near thing,
        # one call will show.
        if seconds > OVERHEAD:
            self._afford(expected / NEAR, f"is expected to take {expected:.2g} s")

    def _try_out(self, bench: "Bench") -> float:
        """Call to warm up, and to see how long it takes."""
        seconds = min(bench.timed() for _ in range(2))
        self._afford(seconds, f"takes {seconds:.2g} s")
        return seconds

    def _afford(self, seconds: float, how: str) -> None:
        if CALLS * seconds > self.budget:
            raise LeftOut(f"a call {how}, and {CALLS} of them more than {self.budget:g} s")


class Bench:
    """A workload at a size, set up on a subject: operands by the set, and the call to be timed."""

    def __init__(self, be: Subject, workload: Workload, size: int, part: Part) -> None:
        self.be = be
        self.workload = workload
        self.part = part
        self.clock = Clock(be)
        be.begin(watch=False)
        self.sets: list[list[Any]]
        self.moved: int | None = None
        self.mean: float | None = None
        self.cold = False
        if workload.operands is not None:
            self.sets = [list(workload.operands(be, size))]
        else:
            self.sets = self._sets(workload.arrays(size))
        self._turn = cycle(self.sets)
        self._operands = self.sets[0]

    def _sets(self, operands: Sequence[Operand]) -> list[list[Native]]:
        be = self.be
        held = sum(x.size * np.dtype(be.dtype if x.floats else x.dtype).itemsize for x in operands)
        host = machine.free_memory()
        free = min(host, be.backend.free_memory(be.device) or host)
        if FOOTPRINT * held > free:
            raise LeftOut(
                f"{FOOTPRINT * held / 1e9:.1f} GB are needed, and {free / 1e9:.1f} GB are free"
            )
        cache = be.backend.cache_size(be.device) or machine.cache_size()
        count = max(1, min(SETS, free // FOOTPRINT // held, ceil(cache / held) + 1))
        self.cold = count * held > cache
        self.moved = held
        place = "cpu" if self.part is Part.END_TO_END else be.device
        arrays = [(x.make(), be.dtype if x.floats else x.dtype) for x in operands]
        return [[be.backend.tensor(a, dtype, place) for a, dtype in arrays] for _ in range(count)]

    # ---- the call --------------------------------------------------------------------------------

    def next_round(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Take the next set of operands, without gradients; the form is pytest-benchmark's."""
        self.be.begin(watch=False)
        self._operands = next(self._turn)
        if self.part is Part.KERNEL:
            names = self.workload.parameters
            self._operands[:] = map(self._fresh, self._operands, names)
        return tuple(self._operands), {}

    def _fresh(self, x: Native, name: str) -> Native:
        # A program may have cut its leaf off, or made it a result: it begins with a leaf each time.
        if name not in self.workload.leaves:
            return x
        self.be.backend.clear(x)
        return self.be.backend.set_requires_grad(x)

    def call(self, *operands: Any) -> Native:
        """Run the program, with the transfers if they are part of it."""
        be = self.be
        if self.part is Part.KERNEL:
            return self.workload.program(be, *operands)
        there = [be.backend.moved(x, be.device) for x in operands]
        for x, name in zip(there, self.workload.parameters, strict=False):
            if name in self.workload.leaves:
                be.backend.set_requires_grad(x)
        return be.backend.moved(self.workload.program(be, *there), "cpu")

    def run(self) -> Native:
        """Take the next operands and call."""
        return self.call(*self.next_round()[0])

    def timed(self) -> float:
        """Call once; return the seconds, and note what the result is."""
        operands, _ = self.next_round()
        start = self.clock()
        result = self.call(*operands)
        seconds = self.clock() - start
        assert result is not None, f"{self.workload.name} returned nothing that could be waited for"
        if self.mean is None:
            # Whole numbers have a sum, but no mean of their own.
            total = float(self.be.numpy(self.be.sum(result)).real)
            self.mean = total / max(1, prod(result.shape))
            self.moved = self._moved(result)
        return seconds

    def _moved(self, result: Native) -> int | None:
        """Return what operands and result hold; None if the result is a part of an operand."""
        be = self.be
        if self.moved is None or Capability.VIEWS not in be.backend.capabilities:
            return self.moved
        if any(be.backend.shares_memory(result, x) for x in self._operands):
            return None
        size = np.dtype(be.backend.dtype_of(result)).itemsize
        return self.moved + size * int(prod(result.shape))

    def launch(self, rounds: int) -> tuple[float, float, float]:
        """Time calls until they return, without waiting for what they have queued."""
        times = []
        for _ in range(rounds):
            operands, _ = self.next_round()
            self.clock()
            start = perf_counter()
            self.call(*operands)
            times.append(perf_counter() - start)
        middle = median_interval(times)
        return middle.value, middle.low, middle.high

    def memory(self) -> Any:
        """Return the memory of one call, if the backend can tell."""
        if self.be.lacks([Capability.MEMORY]):
            return None
        operands, _ = self.next_round()
        return self.be.backend.memory(lambda: self.call(*operands), self.be.device)


def _key(cell: Cell) -> Cell:
    """Return the place that all sizes of a workload share."""
    return replace(cell, size=0)


def _see_what_lacks(be: Subject, workload: Workload, part: Part) -> None:
    if workload.on == "cpu" and be.device != "cpu":
        raise LeftOut("it is work of the CPU")
    if workload.on == "gpu" and be.device == "cpu":
        raise LeftOut("it is work for a device besides the CPU")
    needs = [*workload.needs, *([Capability.BACKWARD] if workload.leaves else [])]
    if part is Part.END_TO_END:
        needs.append(Capability.TRANSFER)
        if workload.operands is not None:
            raise LeftOut("its operands are not arrays that could be transferred")
    if lacking := be.lacks(needs):
        raise LeftOut(f"{be.id} does not declare {', '.join(map(str, lacking))}")
