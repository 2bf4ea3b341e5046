"""Workloads: programs of the specification at size, to measure what a device gains.

    @workload
    def accumulate(be, leaf):
        "Two backward passes added into one .grad."

A workload takes a subject and a leaf (a vector) that is already on the device, and returns the
tensor whose value ends the work. The claim it belongs to calls the same program.

Work on a device is queued: a clock is read only after `Backend.synchronize`, before and after.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TypeVar

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from .backend import Native
from .catalogue import chapters_of
from .subject import Subject

Program = Callable[[Subject, Native], Native]
P = TypeVar("P", bound=Program)

SIZES = (100, 10_000, 1_000_000, 10_000_000)
"""Elements of the leaf, from tiny to large."""


def workload(program: P) -> P:
    """Name `program` as the workload of its chapter."""
    program.__dict__["workload"] = True
    return program


def workloads_of(specification: ModuleType) -> list[Program]:
    """Import every chapter of a package and return its workloads."""
    return [
        value
        for chapter in chapters_of(specification)
        for value in vars(chapter).values()
        if "workload" in getattr(value, "__dict__", {})
    ]


@dataclass(frozen=True)
class Measurement:
    """The time of one workload on one subject: median and spread of `rounds`, in seconds.

    `transfer` tells whether moving the leaf to the device and the result back was part of it.
    """

    chapter: str
    workload: str
    size: int
    transfer: bool
    backend: str
    device: str
    dtype: str
    median: float
    spread: float
    rounds: int


def measure(
    benchmark: BenchmarkFixture, be: Subject, program: Program, size: int, *, transfer: bool
) -> Measurement:
    """Time `program` on a leaf of `size` elements; raises AssertionError if nothing was timed."""
    # Values in [1, 2): no workload meets a kink, an overflow or a subnormal number.
    array = 1 + np.random.default_rng(0).random(size)
    leaf = be.leaf(array)

    def resident() -> None:
        be.begin(watch=False)
        be.backend.clear(leaf)
        program(be, leaf)
        be.synchronize(be.device)

    def moved() -> None:
        be.begin(watch=False)
        be.numpy(program(be, be.leaf(array)))

    be.synchronize(be.device)
    benchmark(moved if transfer else resident)
    assert benchmark.stats is not None, "nothing was timed: benchmarks are disabled"
    stats = benchmark.stats.stats
    return Measurement(
        chapter=program.__module__.rpartition("test_")[2],
        workload=program.__name__,
        size=size,
        transfer=transfer,
        backend=be.backend.name,
        device=be.device,
        dtype=be.dtype,
        median=stats.median,
        spread=stats.iqr,
        rounds=stats.rounds,
    )


def speedups(measurements: Sequence[Measurement]) -> Iterator[str]:
    """Return lines of a table: time on the CPU over time on each other device, by size."""
    others = sorted({m.device for m in measurements} - {"cpu"})
    cpu = {key(m): m for m in measurements if m.device == "cpu"}
    yield (
        f"{'chapter':16}{'workload':20}{'backend':12}"
        f"{'size':>10}  {'timed':14}{'cpu':>11}  speed-up"
    )
    for place, base in cpu.items():
        gains = [
            f"{device} {base.median / m.median:.2f}"
            for device in others
            for m in measurements
            if m.device == device and key(m) == place
        ]
        yield (
            f"{base.chapter:16}{base.workload:20}{base.backend:12}{base.size:>10}  "
            f"{'with transfer' if base.transfer else 'resident':14}{1e3 * base.median:>8.3f} ms  "
            f"{', '.join(gains) or 'unmeasured'}"
        )
    if not others:
        yield "speed-up unmeasured: no device other than the CPU was timed"


def key(m: Measurement) -> tuple[str, str, str, int, bool]:
    """What two measurements have to share to be compared."""
    return m.workload, m.backend, m.dtype, m.size, m.transfer
