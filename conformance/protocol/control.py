"""The part of the protocol that is about control flow: loops and branches that are operations.

This text is normative, as that of `Backend`, which inherits it. Functions that are handed to these
methods take tensors and may use others from around them, to which gradients flow as well.
"""

from collections.abc import Callable
from typing import Any

from .capabilities import Capability, part_of

Native = Any


class ControlFlow:
    """What a backend offers in place of the loops and branches of Python."""

    @part_of(Capability.SCAN)
    def scan(
        self,
        step: Callable[[Native, Native], tuple[Native, Native]],
        carry: Native,
        rows: Native,
        *,
        reverse: bool = False,
    ) -> tuple[Native, Native]:
        """Run `carry, result = step(carry, row)` over the rows, which lie along axis 0.

        Return the last carry and the results along a new axis 0, each in the place of its row; in
        `reverse` the last row is the first.
        """
        raise NotImplementedError

    @part_of(Capability.FOLD)
    def associative_scan(self, joined: Callable[[Native, Native], Native], rows: Native) -> Native:
        """Return the rows along axis 0, each joined with all before it.

        `joined` is associative, and takes several rows at once along a first axis.
        """
        raise NotImplementedError

    @part_of(Capability.BRANCHES)
    def branch(
        self,
        predicate: Native,
        first: Callable[..., Native],
        second: Callable[..., Native],
        *operands: Native,
    ) -> Native:
        """Return `first(*operands)` if `predicate`, a scalar of booleans, holds, else `second`."""
        raise NotImplementedError

    @part_of(Capability.LOOPS)
    def while_loop(
        self,
        condition: Callable[[Native], Native],
        body: Callable[[Native], Native],
        start: Native,
    ) -> Native:
        """Return `start` after as many times through `body` as `condition` holds of it."""
        raise NotImplementedError
