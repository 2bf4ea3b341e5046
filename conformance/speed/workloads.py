"""Workloads: programs of the specification at size.

    @workload
    def accumulate(be, leaf):
        "The gradient of a cube, added to .grad."

A workload takes a subject and operands, and returns the tensor whose value ends the work. A chapter's
own takes a leaf, a vector of one of SIZES; the claim it belongs to calls the same program. Others say
what they take at which sizes.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ..backend import Native
from ..catalogue import chapters_of
from ..subject import Subject

Array = npt.NDArray[Any]
Program = Callable[..., Native]
P = TypeVar("P", bound=Program)

SIZES = (100, 10_000, 1_000_000, 10_000_000)
"""Elements of the leaf, from tiny to large."""


@dataclass(frozen=True)
class Workload:
    """A program, and what it is to be given at which sizes.

    `arrays(size)` are operands that lie on the host before they are moved to the device, float32 or
    integers; those named in `leaves` require grad. `operands(be, size)`, if given, makes operands
    of any kind instead, and transfer is not measured. `flops(size)` counts the arithmetic.
    `limit` says that the workload is there to find how many "bytes" or "flops" a device can do.
    """

    program: Program
    sizes: tuple[int, ...]
    arrays: Callable[[int], Sequence[Array]]
    operands: Callable[[Subject, int], Sequence[Any]] | None
    leaves: frozenset[str]
    needs: tuple[str, ...]
    flops: Callable[[int], float] | None
    limit: str | None

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


def values(*shape: int) -> Array:
    """Return an array of float32 in [1, 2): no workload meets a kink, an overflow or a subnormal.

    Large ones repeat a block of a million values; drawing them anew would take longer than the work.
    """
    count = int(np.prod(shape))
    block = 1 + np.random.default_rng(0).random(min(count, 1_000_000), np.float32)
    return np.resize(block, shape)


@overload
def workload(program: P) -> P: ...
@overload
def workload(
    *,
    sizes: Sequence[int] = ...,
    arrays: Callable[[int], Sequence[Array]] = ...,
    operands: Callable[[Subject, int], Sequence[Any]] | None = ...,
    leaves: str | None = ...,
    needs: str = ...,
    flops: Callable[[int], float] | None = ...,
    limit: str | None = ...,
) -> Callable[[P], P]: ...
def workload(
    program: Any = None,
    *,
    sizes: Sequence[int] = SIZES,
    arrays: Callable[[int], Sequence[Array]] = lambda size: [values(size)],
    operands: Callable[[Subject, int], Sequence[Any]] | None = None,
    leaves: str | None = None,
    needs: str = "",
    flops: Callable[[int], float] | None = None,
    limit: str | None = None,
) -> Any:
    """Make a program a workload; see `Workload`.

    `leaves` are names of operands, separated by spaces: by default the first one, where `arrays`
    are used. `needs` lists capabilities and functions as a claim's does.
    """

    def decorate(program: P) -> P:
        first = list(inspect.signature(program).parameters)[1]
        program.__dict__["workload"] = Workload(
            program=program,
            sizes=tuple(sizes),
            arrays=arrays,
            operands=operands,
            leaves=frozenset((first if leaves is None else leaves).split()),
            needs=tuple(needs.split()),
            flops=flops,
            limit=limit,
        )
        return program

    return decorate(program) if program else decorate


def workload_of(program: Program) -> Workload:
    """Return the workload that a program was made; raises ValueError if it was made none."""
    found = getattr(program, "workload", None)
    if not isinstance(found, Workload):
        raise ValueError(f"{program.__name__} is no workload: mark it with @workload")
    return found


def workloads_of(specification: ModuleType) -> list[Workload]:
    """Import every chapter of a package and return its workloads; raises ValueError for twins."""
    found: dict[str, Workload] = {}
    for chapter in chapters_of(specification):
        for value in vars(chapter).values():
            made = getattr(value, "workload", None)
            # A chapter may use another one's; it belongs to where it was written.
            if isinstance(made, Workload) and value.__module__ == chapter.__name__:
                if made.name in found:
                    raise ValueError(f"two workloads are called {made.name}: rename one")
                found[made.name] = made
    return list(found.values())
