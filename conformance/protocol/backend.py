"""The protocol between gradspec and an implementation. This text is normative.

An adapter is a subclass of `Backend`, about a hundred lines long. It states facts about its library
(name, version, capabilities, conventions), lends the library's own functions under gradspec's
names, and implements the methods that belong to the capabilities it declares.

1. Tensors are the library's own. gradspec never wraps them: `x + y`, `x * y`, `x @ y`, `-x` and
   `x[...]` are the library's operators.
2. An adapter MUST NOT emulate what its library lacks: it leaves the capability undeclared.
3. An adapter MUST NOT catch the library's exceptions, except to name their kind in `error_kind`.
4. Values cross between numpy and the library only in `tensor`, `leaf` and `numpy`.
5. A method marked `part_of(capability)` MUST be implemented if that capability is declared, and is
   never called otherwise. A function missing from `functions` makes the claims that need it
   unsupported. Those in `CORE_FUNCTIONS` are needed without a word: a claim that meets one that
   is missing is unsupported from there on. The product MUST be there.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .capabilities import Capability, part_of
from .control import ControlFlow
from .conventions import Record, device_of, nearest, on_record, place, record_name
from .errors import ErrorKind
from .introspection import Introspection
from .lending import Lending
from .mode import Mode
from .network_api import NetworkApi
from .profiling_api import ProfilingApi
from .recording import Recording
from .surroundings import Surroundings
from .transforms import Transforms

CORE_FUNCTIONS = ("add", "sub", "mul", "div", "neg", "exp", "sin", "sum", "mean", "matmul")
"""The functions that claims take for granted."""

REQUIRED = "mul"
"""The function without which there is nothing to differentiate."""

DEVICES = ("cpu", "cuda")
"""The devices that claims know of."""

Native = Any
"""A tensor of the library under test."""


class Backend(
    Recording,
    Introspection,
    Surroundings,
    Transforms,
    ControlFlow,
    NetworkApi,
    ProfilingApi,
    Lending,
):
    """An implementation under test, seen through its adapter."""

    name: ClassVar[str]
    """The word used on the command line and in results, such as `torch`."""

    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    """Everything the library offers, declared by its adapter."""

    dtypes: ClassVar[tuple[str, ...]] = ("float32", "float64")
    """The floating dtypes in which claims are checked, by numpy name."""

    small_dtypes: ClassVar[tuple[str, ...]] = ()
    """More floating dtypes, of 16 bits, in which operations are checked if `--dtype` names them.

    On the CPU some claims over operations, of values and gradients, are checked in them anyway.
    """

    example_divisor: ClassVar[int] = 1
    """One example is drawn where others get so many: for what compiles or interprets each one.

    The corners of an operation are dealt out to its dtypes then, and of a design one call is met in
    each of them. No worked example of a claim, no kink and no corner is left out for anybody.
    """

    unrolled: ClassVar[frozenset[str]] = frozenset()
    """Functions that are written out entry by entry: their calls have 40 entries where many are
    meant, and not 264.
    """

    oldest: ClassVar[str] = ""
    """The first release that the adapter can be used with, such as `1.8`; empty for any."""

    modes: ClassVar[tuple[type[Mode], ...]] = ()
    """Other ways to run a function of tensors, checked if `--mode` names them."""

    functions: Mapping[str, Callable[..., Any]]
    """Functions on native tensors by gradspec's name; torch's spelling and argument order hold."""

    @property
    def version(self) -> str:
        """The library's own version string."""
        raise NotImplementedError

    def devices(self) -> Sequence[str]:
        """Name the devices present now, `cpu` first; a device absent here is never used."""
        return ("cpu",)

    def device_model(self, device: str) -> str:
        """Name the hardware behind `device`, as recorded in results."""
        return device

    def capabilities_on(self, device: str) -> frozenset[Capability]:
        """Name what the library offers on `device`, where that is less than `capabilities`."""
        return self.capabilities

    def lacking(self, dtype: str, device: str) -> frozenset[str]:
        """Name the functions that the library does not have in a dtype, on a device."""
        return frozenset()

    def tensor(self, array: npt.NDArray[Any], dtype: str, device: str) -> Native:
        """Copy `array` into a constant of its shape, on `device`, holding `dtype`.

        Complex arrays come with complex64 and complex128, if `COMPLEX` is declared.
        Strides are kept where the library has strides, stride 0 included; no memory is shared with
        `array`. The result does not require grad.
        """
        raise NotImplementedError

    def numpy(self, x: Native) -> npt.NDArray[Any]:
        """Copy the values of `x` to a numpy array of its shape and dtype; history is ignored.

        Of bfloat16, which numpy does not have, the array is float32.
        """
        raise NotImplementedError

    def dtype_of(self, x: Native) -> str:
        """Name the dtype of `x` in numpy's words."""
        raise NotImplementedError

    def error_kind(self, error: Exception) -> ErrorKind | None:
        """Say why the library raised `error`, or None if the adapter does not know it."""
        raise NotImplementedError

    def conventions(self, device: str = "cpu") -> tuple[str, Record]:
        """Return what is on record of gradients at kinks on `device`, and for which version.

        The file stands beside the adapter; `nearest` says which record speaks for a version that
        has none.
        """
        table = on_record(place(Path(inspect.getfile(type(self)))))
        names = [name for name in table if device_of(name) == device]
        name = record_name(self.version, device)
        found = name if name in names else nearest(names, self.version) or name
        return found, table.get(found, {})

    def synchronize(self, device: str) -> None:
        """Return only when all work queued on `device` is finished."""

    def on_threads(self, count: int) -> AbstractContextManager[object]:
        """Compute on so many threads of the host for a block, if the library can be told to.

        Claims are checked on one: sums are then taken in one order however many cores there are,
        and processes that share the cores do not wait for each other's threads.
        """
        return nullcontext()

    def state(self) -> Mapping[str, object]:
        """Everything global that a claim must leave as it found it, by name, in comparable form."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` returned before: a claim has left something global changed.

        What is not put back here is got rid of by a restart of the process, where it has a
        supervisor; without one, the remaining claims of the backend are errors.
        """

    # ---- derivatives of a function ---------------------------------------------------------------

    @part_of(Capability.VJP)
    def vjp(
        self, function: Callable[..., Native], *inputs: Native, create_graph: bool = False
    ) -> tuple[Native, Callable[[Native], Sequence[Native | None]]]:
        """Return `function(*inputs)` and its pullback.

        The pullback takes a cotangent in the shape and dtype of the result, and returns a gradient
        for each input; it may be called again. The inputs are constants, or belong to an enclosing
        `vjp`, which differentiates through this one if `create_graph` is given: only a claim that
        needs the capability of that name gives it. Where the result does not depend on an input,
        its gradient is None or zeros.
        """
        raise NotImplementedError

    @part_of(Capability.JVP)
    def jvp(
        self,
        function: Callable[..., Native],
        inputs: Sequence[Native],
        tangents: Sequence[Native],
    ) -> tuple[Native, Native]:
        """Return `function(*inputs)` and its derivative along `tangents`, in forward mode."""
        raise NotImplementedError

    # ---- ways to write ---------------------------------------------------------------------------

    @part_of(Capability.SPELLINGS)
    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        """Return what else computes the function called `name` from the same arguments, by a word.

        A method, an operator, an alias, the operation in place on a copy, ...; empty if there is no
        other way. What ends in "out" writes into a tensor made for it: that is recorded nowhere.
        """
        raise NotImplementedError


def methods_of(capability: Capability) -> list[str]:
    """Name the methods that a backend declaring `capability` has to implement."""
    return [
        name
        for owner in Backend.__mro__
        for name, method in vars(owner).items()
        if getattr(method, "capability", None) is capability
    ]


def equal(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> bool:
    """Whether two arrays have the same dtype, shape and bits: -0 is not 0; any nan is any other."""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.tobytes() == y.tobytes():
        return True
    if x.dtype.kind not in "fc":
        return False
    a, b = (np.ascontiguousarray(each).view(each.real.dtype) for each in (x, y))
    same = (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)
    return bool(same.all())
