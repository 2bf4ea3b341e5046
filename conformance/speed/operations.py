"""Workloads of the table: each operation at size, by itself and with the way back.

    workloads = operations_at_size()

A call of the table has a dozen entries. It is made larger by repeating its arrays along an axis, or
along a new first one. If there is such a way, one is taken by which its result is repeated as well,
so that a batch grows rather than what is summed over; else one by which numpy computes a finite
result. Values are those of the call, again and again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.errors import ErrorKind
from ..protocol.subject import Subject
from ..run.smoke import lost_device
from ..table import DIFFERENTIABLE, TABLE
from ..table.call import Call
from ..table.drawing import KINDS
from ..table.operation import Operation
from ..untrusted.texts import first_line
from .cells import LeftOut
from .workloads import Operand, Program, Workload

Array = npt.NDArray[Any]

CLASSES = (1_000, 100_000, 10_000_000)
"""Entries of all operands together, about: small, middling and large work."""

CODES = bytes(range(1, 82))
"""What calls are read from."""

TRIED = 3
"""How many times a call is repeated to see whether a way to repeat it is one."""

NEW = -1
"""Stands for a new first axis."""

CHAPTER = "operations"


@dataclass(frozen=True)
class Way:
    """Along which axis each array of a call is repeated; None for those that are not."""

    axes: tuple[int | None, ...]

    def enlarged(self, arrays: Sequence[Array], times: int) -> list[Array]:
        """Repeat arrays."""
        return [repeated(x, a, times) for x, a in zip(arrays, self.axes, strict=True)]


def repeated(x: Array, axis: int | None, times: int) -> Array:
    """Repeat an array along an axis, a new one, or not at all."""
    if axis is None:
        return x
    return np.stack([x] * times) if axis == NEW else np.concatenate([x] * times, axis)


@dataclass(frozen=True)
class Enlarged:
    """A call of the table with arrays of any size; `way` is None if there is none."""

    call: Call

    @property
    def arrays(self) -> list[Array]:
        """The tensors, then the arrays among the options."""
        arguments = self.call.arguments
        options = [*arguments.options, *arguments.named.values()]
        return [*arguments.tensors, *(x for x in options if isinstance(x, np.ndarray))]

    @cached_property
    def way(self) -> Way | None:
        """Return how its arrays may be repeated."""
        # Some meet numbers beyond the range: then the way is none.
        with np.errstate(all="ignore"):
            found = {way: made for way in self._ways() if (made := self._made(way)) is not None}
        return next((way for way in found if self._is_batch(found[way])), next(iter(found), None))

    def operands(self, size: int) -> list[Operand]:
        """Describe its arrays at a size."""
        assert self.way is not None
        own = self.arrays
        once = sum(x.size for x, axis in zip(own, self.way.axes, strict=True) if axis is not None)
        times = max(1, round(size / once))

        def operand(x: Array, axis: int | None) -> Operand:
            shape = [times, *x.shape] if axis == NEW else [*x.shape]
            if axis not in (None, NEW):
                shape[axis] *= times

            def make() -> Array:
                return repeated(x, axis, times)

            floats = {"f": "float32", "c": "complex64"}
            return Operand(tuple(shape), floats.get(x.dtype.kind, str(x.dtype)), make)

        return [operand(x, axis) for x, axis in zip(own, self.way.axes, strict=True)]

    def on(self, be: Subject, *operands: Native) -> Any:
        """Call the operation of a subject with these in place of its arrays; return one result."""
        operation = self.call.operation

        def function(*xs: Any, **named: Any) -> Any:
            if operation.call is not None:
                return operation.call(be, *xs, **named)
            return getattr(be, operation.name)(*xs, **named)

        found = self._called(function, operands)
        return found[self.call.which % self._results] if self._results else found

    @cached_property
    def _results(self) -> int:
        """How many results it has, if they are several."""
        made = self._called(self.call.operation.forward, self.arrays)
        return len(made) if isinstance(made, list) else 0

    def _called(self, function: Callable[..., Any], arrays: Sequence[Any]) -> Any:
        given = iter(arrays)
        arguments = self.call.arguments
        tensors = [next(given) for _ in arguments.tensors]
        options = [next(given) if isinstance(x, np.ndarray) else x for x in arguments.options]
        named = {
            name: next(given) if isinstance(x, np.ndarray) else x
            for name, x in arguments.named.items()
        }
        return function(*tensors, *options, **named)

    def _ways(self) -> Iterator[Way]:
        """All arrays along one axis, or some of them; all along a new one."""
        arrays = self.arrays
        tensors = len(self.call.arguments.tensors)
        for axis in range(max((x.ndim for x in arrays), default=0)):
            whole = tuple(axis if axis < x.ndim else None for x in arrays)
            for *chosen, rest in product((True, False), repeat=min(4, len(arrays))):
                kept = [*chosen, *([rest] * (len(arrays) - len(chosen)))]
                axes = tuple(a if keep else None for a, keep in zip(whole, kept, strict=True))
                if any(a is not None for a in axes[:tensors]):
                    yield Way(axes)

        yield Way((NEW,) * len(arrays))

    def _made(self, way: Way) -> Array | None:
        """Return what numpy makes of a repeated call; None if that is nothing, or infinite."""
        try:
            made = self._result(way.enlarged(self.arrays, TRIED))
            return made if np.isfinite(made).all() else None
        except Exception:
            return None

    def _result(self, arrays: Sequence[Array]) -> Array:
        made = self._called(self.call.operation.forward, arrays)
        return np.asarray(made[0] if isinstance(made, list) else made)

    def _is_batch(self, made: Array) -> bool:
        """Whether this is the result of the call itself, repeated along one of its axes."""
        once = self._result(self.arrays)
        wanted = [repeated(once, axis, TRIED) for axis in (NEW, *range(once.ndim))]
        return any(made.shape == want.shape and np.allclose(made, want) for want in wanted)


@dataclass(frozen=True)
class OfOperation(Workload):
    """An operation of the table at size, perhaps with the way back."""

    word: str
    enlarged: Enlarged

    @property
    def name(self) -> str:
        """The operation, and whether its gradient is taken."""
        return self.word

    @property
    def chapter(self) -> str:
        """That of the claims over the table."""
        return CHAPTER

    @property
    def law(self) -> str:
        """What is computed."""
        return f"{self.word} of the table of operations."

    @property
    def parameters(self) -> list[str]:
        """Its arrays, numbered."""
        return _numbered(len(self.enlarged.arrays))


def operations_at_size() -> list[OfOperation]:
    """Return for each operation a workload forward, and one and back if it has a gradient."""
    return [
        _workload(operation, back=back)
        for operation in TABLE
        for back in ((False, True) if operation in DIFFERENTIABLE else (False,))
    ]


def _call(operation: Operation) -> Call:
    """Read a call; operands that would be repeated to one shape are of that shape."""
    call = operation.read(CODES, smooth=True, corner=KINDS[0])
    if not operation.broadcasts:
        return call
    tensors = map(np.ascontiguousarray, np.broadcast_arrays(*call.tensors))
    return replace(call, arguments=replace(call.arguments, tensors=tuple(tensors)))


def _workload(operation: Operation, *, back: bool) -> OfOperation:
    enlarged = Enlarged(_call(operation))
    tensors = len(enlarged.call.arguments.tensors)

    def forward(be: Subject, *operands: Native) -> Native:
        with refusing(be):
            return enlarged.on(be, *operands)

    def forward_and_back(be: Subject, *operands: Native) -> Native:
        with refusing(be):
            be.backward(be.sum(enlarged.on(be, *operands)))
            found = [be.grad(x) for x in operands[:tensors]]
            if all(x is None for x in found):
                raise LeftOut("nothing of it has a gradient")
            return next(x for x in found if x is not None)

    program: Program = forward_and_back if back else forward
    made = OfOperation(
        program=program,
        sizes=CLASSES,
        arrays=lambda size: _operands(enlarged, size),
        operands=None,
        leaves=frozenset(_numbered(tensors)) if back else frozenset(),
        needs=() if operation.call else (operation.name,),
        flops=None,
        limit=None,
        on="any",
        word=f"{operation.name} and back" if back else operation.name,
        enlarged=enlarged,
    )
    program.__dict__["workload"] = made
    return made


@contextmanager
def refusing(be: Subject) -> Iterator[None]:
    """Leave out what a library does not take; what it lacks memory or a device for is not that."""
    try:
        yield
    except LeftOut:
        raise
    except Exception as error:
        if be.backend.error_kind(error) is ErrorKind.MEMORY or lost_device(be):
            raise
        raise LeftOut(f"refused when it is made larger: {first_line(error)}") from error


def _operands(enlarged: Enlarged, size: int) -> list[Operand]:
    if enlarged.way is None:
        raise LeftOut("its calls have no axis along which they can be made larger")
    return enlarged.operands(size)


def _numbered(count: int) -> list[str]:
    return [f"x{n}" for n in range(count)]
