"""The part of the protocol that only measurements use: clocks, memory, transfers, compilers.

This text is normative, as that of `Backend`, which inherits it. Sizes are in bytes, times in
seconds.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from .capabilities import Capability, part_of


class Memory(NamedTuple):
    """What a piece of work held at most, and what it left held, in bytes beyond what was held."""

    peak: int
    kept: int


class ProfilingApi:
    """What a backend tells of its devices when it is measured."""

    def threads(self) -> int | None:
        """Return how many threads the library computes with on the CPU, or None if unknown."""
        return None

    def driver(self, device: str) -> str | None:
        """Name the driver and the runtime behind `device`, if there is one."""
        return None

    def condition(self, device: str) -> str | None:
        """Say how fast and how warm `device` is now, and what slows it down; None if unknown."""
        return None

    def free_memory(self, device: str) -> int | None:
        """Return how much memory of `device` is free, or None for that of the host."""
        return None

    def cache_size(self, device: str) -> int | None:
        """Return the size of the last cache before the memory of `device`, or None if unknown."""
        return None

    def full_precision(self) -> AbstractContextManager[object]:
        """Forbid, for a block, arithmetic of less precision than the dtype says, such as TF32."""
        return nullcontext()

    @part_of(Capability.EVENTS)
    def device_seconds(self, work: Callable[[], object], device: str) -> float:
        """Call `work`; return the time `device` took for it, by the device's own clock.

        All of it is finished on return.
        """
        raise NotImplementedError

    @part_of(Capability.MEMORY)
    def memory(self, work: Callable[[], object], device: str) -> Memory:
        """Call `work`; return what it held on `device`.

        What is kept is counted while the result of `work` is still referred to.
        """
        raise NotImplementedError

    @part_of(Capability.TRANSFER)
    def moved(self, x: Any, device: str, *, wait: bool = True) -> Any:
        """Return `x` on `device`: itself if it is there, else a copy, recorded as any operation.

        Without `wait`, the call may return before the copy is made.
        """
        raise NotImplementedError

    @part_of(Capability.TRANSFER)
    def pinned(self, x: Any) -> Any:
        """Return a copy of `x`, which is on the host, in page-locked memory."""
        raise NotImplementedError

    @part_of(Capability.REPLICAS)
    def replicated(self, layer: Any, count: int) -> Any:
        """Return a callable that splits a batch over copies of `layer` on `count` devices."""
        raise NotImplementedError

    @part_of(Capability.FUSION)
    def fused(self, function: Callable[..., Any], device: str) -> Callable[..., Any]:
        """Return `function` as the library's own compiler optimises it for `device`.

        Raises NotImplementedError with the reason if the compiler does not work on this machine.
        """
        raise NotImplementedError
