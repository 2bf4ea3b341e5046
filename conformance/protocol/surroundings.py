"""The part of the protocol about what stands around tensors: numpy, random numbers, defaults.

This text is normative, as that of `Backend`, which inherits it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy.typing as npt

from .capabilities import Capability, part_of

Native = Any


class Surroundings:
    """What a backend shares with numpy, draws at random, and takes where nothing is said."""

    # ---- defaults and names ----------------------------------------------------------------------

    @part_of(Capability.TORCH)
    def traced(self, function: Callable[[Native], Native], x: Native) -> Callable[[Native], Native]:
        """Return what `function` does to `x`, operation by operation, to be replayed on others."""
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def compile(self, function: Callable[..., Any], compiler: str = "eager") -> Callable[..., Any]:
        """Return `function` as the library's own compiler captures it, and `compiler` runs that.

        Raises Undeclared with the reason if that does not work on this machine.
        """
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def variable(self, x: Native, **options: Any) -> Native:
        """Return `Variable(x)`, with `requires_grad` or `volatile` as `options`."""
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def defaults(
        self, dtype: str | None = None, device: str | None = None
    ) -> AbstractContextManager[object]:
        """Set, for a block, what a factory takes that is told no dtype or no device."""
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def deterministic(self) -> AbstractContextManager[object]:
        """Let, for a block, only algorithms run that give the same bits each time."""
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def lookup(self, place: str) -> Any:
        """Import the module before the colon in `place`, and get the attribute after it, if any.

        Raises ImportError or AttributeError.
        """
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def exports(self, name: str) -> bool:
        """Whether the library's own module has a function called `name`."""
        raise NotImplementedError

    # ---- memory shared with numpy ----------------------------------------------------------------

    @part_of(Capability.NUMPY_INTEROP)
    def from_numpy(self, array: npt.NDArray[Any]) -> Native:
        """Make a tensor of the dtype and on the very memory of `array`; refuses what it cannot."""
        raise NotImplementedError

    @part_of(Capability.NUMPY_INTEROP)
    def to_numpy(self, x: Native, **options: bool) -> npt.NDArray[Any]:
        """Hand out `x` as an array on its very memory, by the library's own rules.

        `options` is `force`, given only when a claim is about it: what stands in the way is done.
        """
        raise NotImplementedError

    # ---- random numbers --------------------------------------------------------------------------

    @part_of(Capability.RANDOM)
    def manual_seed(self, seed: int) -> None:
        """Seed the generators of all devices with `seed`."""
        raise NotImplementedError

    @part_of(Capability.RANDOM)
    def seed(self) -> int:
        """Seed the generators with a number that nobody chose, and return it."""
        raise NotImplementedError

    @part_of(Capability.RANDOM)
    def initial_seed(self) -> int:
        """Return the number that the generator was last seeded with."""
        raise NotImplementedError

    @part_of(Capability.RANDOM)
    def random_state(self, device: str) -> Native:
        """Return the state of the generator of `device`."""
        raise NotImplementedError

    @part_of(Capability.RANDOM)
    def set_random_state(self, state: Native, device: str) -> None:
        """Put the generator of `device` into a state that `random_state` has returned."""
        raise NotImplementedError

    @part_of(Capability.RANDOM)
    def fork_random(self) -> AbstractContextManager[object]:
        """Leave all generators after a block as they were before."""
        raise NotImplementedError
