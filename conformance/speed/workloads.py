"""Workloads: programs of the specification at size.

    @workload
    def accumulate(be, leaf):
        "The gradient of a cube, added to .grad."

A workload takes a subject and operands, and returns the tensor whose value ends the work. A
chapter's own takes a leaf, a vector of one of SIZES; the claim it belongs to calls the same
program. Others say what they take at which sizes.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from types import ModuleType
from typing import Any, Literal, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ..claims.catalogue import chapters_of
from ..protocol.backend import Native
from ..protocol.subject import Subject

Array = npt.NDArray[Any]
Program = Callable[..., Native]
On = Literal["cpu", "gpu", "any"]
P = TypeVar("P", bound=Program)

SIZES = (100, 10_000, 1_000_000, 10_000_000)
"""Elements of the leaf, from tiny to large."""


@dataclass(frozen=True)
class Operand:
    """An array that is yet to be made, so that its size is known before there is memory for it."""

    shape: tuple[int, ...]
    dtype: str
    make: Callable[[], Array]

    @property
    def size(self) -> int:
        """The number of entries."""
        return prod(self.shape)

    @property
    def floats(self) -> bool:
        """Whether it takes the dtype of the subject."""
        return self.dtype.startswith("float")


@dataclass(frozen=True)
class Workload:
    """A program, and what it is to be given at which sizes.

    `arrays(size)` describes operands that lie on the host before they are moved to the device;
    those named in `leaves` require grad. `operands(be, size)`, if given, makes operands of any kind
    instead, and transfer is not measured. `flops(size)` counts the arithmetic. `limit` says that
    the workload is there to find how many "bytes" or "flops" a device can do in a second. It is run
    `on` the CPU alone, on other devices alone, or on any.
    """

    program: Program
    sizes: tuple[int, ...]
    arrays: Callable[[int], Sequence[Operand]]
    operands: Callable[[Subject, int], Sequence[Any]] | None
    leaves: frozenset[str]
    needs: tuple[str, ...]
    flops: Callable[[int], float] | None
    limit: str | None
    on: On

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.__name__

    @property
    def chapter(self) -> str:
        """The chapter it stands in."""
        return self.program.__module__.rpartition("test_")[2]

    @property
    def law(self) -> str:
        """What the program does, in a sentence."""
        return " ".join(inspect.cleandoc(self.program.__doc__ or "").split())

    @property
    def parameters(self) -> list[str]:
        """The names of its operands."""
        return list(inspect.signature(self.program).parameters)[1:]

    def work(self, size: int) -> float:
        """Return a figure in proportion to which the time is expected to grow at the least."""
        return self.flops(size) if self.flops else float(size)


def values(*shape: int) -> Operand:
    """Describe float32 in [1, 2): no workload meets a kink, an overflow or a subnormal number.

    Large ones repeat a block of a million values; drawing them anew would take longer than the
    work.
    """

    def make() -> Array:
        count = min(prod(shape), 1_000_000)
        return np.resize(1 + np.random.default_rng(0).random(count, np.float32), shape)

    return Operand(shape, "float32", make)


def shuffled(count: int, among: int | None = None) -> Operand:
    """Describe places as int64, in an order of chance.

    They are 0 to count - 1, once each, or so many times as it takes `among` fewer ones.
    """

    def make() -> Array:
        return np.random.default_rng(0).permutation(count) % (among or count)

    return Operand((count,), "int64", make)


def constant(be: Subject, *shape: int) -> Native:
    """Return `values` as a constant on the device of `be`."""
    return be.tensor(values(*shape).make())


def host(be: Subject, *shape: int) -> Native:
    """Return `values` as a constant on the host, whatever the device of `be`."""
    return be.backend.tensor(values(*shape).make(), be.dtype, "cpu")


@overload
def workload(program: P) -> P: ...
@overload
def workload(
    *,
    sizes: Sequence[int] = ...,
    arrays: Callable[[int], Sequence[Operand]] = ...,
    operands: Callable[[Subject, int], Sequence[Any]] | None = ...,
    leaves: str | None = ...,
    needs: str = ...,
    flops: Callable[[int], float] | None = ...,
    limit: str | None = ...,
    on: On = ...,
) -> Callable[[P], P]: ...
def workload(
    program: Any = None,
    *,
    sizes: Sequence[int] = SIZES,
    arrays: Callable[[int], Sequence[Operand]] = lambda size: [values(size)],
    operands: Callable[[Subject, int], Sequence[Any]] | None = None,
    leaves: str | None = None,
    needs: str = "",
    flops: Callable[[int], float] | None = None,
    limit: str | None = None,
    on: On = "any",
) -> Any:
    """Make a program a workload; see `Workload`.

    `leaves` are names of operands, separated by spaces: by default the first one of `arrays`, and
    none of `operands`. `needs` lists capabilities and functions as a claim's does.
    """

    def decorate(program: P) -> P:
        first = "" if operands else list(inspect.signature(program).parameters)[1]
        program.__dict__["workload"] = Workload(
            program=program,
            sizes=tuple(sizes),
            arrays=arrays,
            operands=operands,
            leaves=frozenset((first if leaves is None else leaves).split()),
            needs=tuple(needs.split()),
            flops=flops,
            limit=limit,
            on=on,
        )
        return program

    return decorate(program) if program else decorate


@dataclass(frozen=True)
class Timed:
    """What says of a test that it times workloads: those it names, or all that a function makes."""

    workloads: Callable[[], Sequence[Workload]] | None = None


def timed(test: P) -> P:
    """Make a test one that times workloads: on each device, with `--benchmark-only` alone.

    It is given a stopwatch, a subject `be` and a `part`.
    """
    test.__dict__["timed"] = Timed()
    return test


def timed_over(workloads: Callable[[], Sequence[Workload]]) -> Callable[[P], P]:
    """Make a test one that times workloads that are made, each at all its sizes.

    They are many: it takes `--speed-operations`. The test is given `program` and `size` besides.
    """

    def decorate(test: P) -> P:
        test.__dict__["timed"] = Timed(workloads)
        return test

    return decorate


def timed_by(item: object) -> Timed | None:
    """Return what a collected test times; None if it times nothing."""
    found = getattr(getattr(item, "function", item), "timed", None)
    return found if isinstance(found, Timed) else None


def is_timed(item: object) -> bool:
    """Whether a collected test times workloads."""
    return timed_by(item) is not None


def workload_of(program: Program) -> Workload:
    """Return the workload that a program was made; raises ValueError if it was made none."""
    found: Workload | None = getattr(program, "workload", None)
    if found is None:
        raise ValueError(f"{program.__name__} is no workload: mark it with @workload")
    return found


def workloads_of(specification: ModuleType) -> list[Workload]:
    """Import every chapter of a package and return its workloads."""
    return [
        made
        for chapter in chapters_of(specification)
        for value in vars(chapter).values()
        # A chapter may use another one's; it belongs to where it was written.
        if isinstance(made := getattr(value, "workload", None), Workload)
        and value.__module__ == chapter.__name__
    ]
