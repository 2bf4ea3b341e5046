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
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from .capabilities import Capability, part_of
from .conventions import Record, device_of, nearest, on_record, place, record_name
from .errors import ErrorKind
from .lending import Lending
from .meters import Meters
from .mode import Mode
from .transforms import Transforms
from .workshop import Workshop

CORE_FUNCTIONS = ("add", "sub", "mul", "div", "neg", "exp", "sin", "sum", "mean", "matmul")
"""The functions that claims take for granted."""

REQUIRED = "mul"
"""The function without which there is nothing to differentiate."""

DEVICES = ("cpu", "cuda")
"""The devices that claims know of."""

Native = Any
"""A tensor of the library under test."""


class SavedTensors(Protocol):
    """A running count of the values saved for backward inside a block."""

    @property
    def packed(self) -> int:
        """How many values have been saved so far."""

    @property
    def live(self) -> int:
        """How many of them are still held by a graph."""


class Backend(Workshop, Meters, Transforms, Lending):
    """An implementation under test, seen through its adapter."""

    name: ClassVar[str]
    """The word used on the command line and in results, such as `torch`."""

    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    """Everything the library offers, declared by its adapter."""

    dtypes: ClassVar[tuple[str, ...]] = ("float32", "float64")
    """The floating dtypes in which claims are checked, by numpy name."""

    small_dtypes: ClassVar[tuple[str, ...]] = ()
    """More floating dtypes, of 16 bits, in which operations are checked if `--dtype` names them."""

    pace: ClassVar[int] = 1
    """One example is drawn where others get so many: for what compiles or interprets each one.

    The corners of an operation are dealt out to its dtypes then. No worked example of a claim, no
    kink and no corner is left out for anybody.
    """

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

    def one_thread(self) -> AbstractContextManager[object]:
        """Compute on one thread of the host for a block, if the library can be told to.

        Claims are checked so: sums are then taken in one order however many cores there are, and
        processes that share the cores do not wait for each other's threads.
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
        other way. The one called "out", if any, writes into a tensor made for it: that is recorded
        nowhere.
        """
        raise NotImplementedError

    # ---- backward --------------------------------------------------------------------------------

    @part_of(Capability.BACKWARD)
    def leaf(self, array: npt.NDArray[Any], dtype: str, device: str) -> Native:
        """Make a leaf that requires grad, otherwise as `tensor` does."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def backward(self, y: Native, cotangent: Native | None = None, **options: Any) -> None:
        """Add the vector-Jacobian product of `cotangent` to .grad of every leaf that `y` reaches.

        `y` may be a list, and `cotangent` then is one, with a tensor or None for each result.
        `options` are `retain_graph`, `create_graph` (bools) and `inputs` (a list of tensors), given
        only when a claim is about them.
        """
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def grad(self, x: Native) -> Native | None:
        """Return the very object held in .grad, or None."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def clear(self, x: Native) -> None:
        """Set .grad of `x` to None."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def requires_grad(self, x: Native) -> bool:
        """Whether operations on `x` are recorded."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def set_requires_grad(self, x: Native, *flag: bool) -> Native:
        """Make `x` require grad, in place, and return it; a `flag` of False makes it a constant."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def is_leaf(self, x: Native) -> bool:
        """Whether `x` is a leaf: not the result of a recorded operation."""
        raise NotImplementedError

    @part_of(Capability.GRADIENTS)
    def gradients(
        self, y: Native, inputs: Sequence[Native], cotangent: Native | None = None, **options: Any
    ) -> Sequence[Native | None]:
        """Return the gradients of `y` for `inputs`, without touching .grad.

        `y` and `cotangent` may be lists, as those of `backward`. `options` are `retain_graph`,
        `create_graph`, `allow_unused` (None where there is no gradient, instead of a refusal) and
        `materialize_grads` (zeros there), given only when a claim is about them.
        """
        raise NotImplementedError

    @part_of(Capability.JACOBIAN)
    def jacobian(self, function: Callable[[Native], Native], x: Native) -> Native:
        """Return all partial derivatives of `function` at `x`, indices of the output first."""
        raise NotImplementedError

    @part_of(Capability.GRAD_ASSIGN)
    def set_grad(self, x: Native, gradient: object) -> None:
        """Assign `gradient` to .grad of `x`; the library decides what it accepts."""
        raise NotImplementedError

    # ---- memory ----------------------------------------------------------------------------------

    @part_of(Capability.VIEWS)
    def shares_memory(self, x: Native, y: Native) -> bool:
        """Whether `x` and `y` are kept in one storage."""
        raise NotImplementedError

    @part_of(Capability.VIEWS)
    def strides(self, x: Native) -> tuple[int, ...]:
        """Return the strides of `x`, in elements."""
        raise NotImplementedError

    @part_of(Capability.INPLACE)
    def setitem(self, x: Native, index: object, value: object) -> None:
        """Perform `x[index] = value`."""
        raise NotImplementedError

    @part_of(Capability.VERSION_COUNTER)
    def version_of(self, x: Native) -> int:
        """Return how often the storage of `x` was written in place, as `x` counts it."""
        raise NotImplementedError

    # ---- recording -------------------------------------------------------------------------------

    @part_of(Capability.NO_GRAD)
    def no_grad(self) -> AbstractContextManager[object]:
        """Switch recording off for a block; the object also decorates a function."""
        raise NotImplementedError

    @part_of(Capability.NO_GRAD)
    def enable_grad(self) -> AbstractContextManager[object]:
        """Switch recording on for a block."""
        raise NotImplementedError

    @part_of(Capability.NO_GRAD)
    def is_grad_enabled(self) -> bool:
        """Whether operations are being recorded in this thread."""
        raise NotImplementedError

    @part_of(Capability.SWITCHES)
    def set_grad_enabled(self, flag: bool) -> AbstractContextManager[object]:  # noqa: FBT001
        """Switch recording on or off at once; as a block, the object puts the former mode back."""
        raise NotImplementedError

    @part_of(Capability.INFERENCE)
    def inference_mode(self) -> AbstractContextManager[object]:
        """Make tensors for inference only in a block: none of them may be saved for backward."""
        raise NotImplementedError

    @part_of(Capability.INFERENCE)
    def is_inference(self, x: Native) -> bool:
        """Whether `x` was made for inference only: its writes are not counted."""
        raise NotImplementedError

    @part_of(Capability.DETACH)
    def detach(self, x: Native) -> Native:
        """Return an alias of `x` outside the graph."""
        raise NotImplementedError

    @part_of(Capability.DETACH)
    def detach_(self, x: Native) -> Native:
        """Cut `x` itself from its history, and return it."""
        raise NotImplementedError

    @part_of(Capability.DATA)
    def data(self, x: Native) -> Native:
        """Return `x.data`: an alias of `x` that neither records nor counts writes."""
        raise NotImplementedError

    @part_of(Capability.DATA)
    def set_data(self, x: Native, value: Native) -> None:
        """Make `x` use the storage of `value`, as `x.data = value` does."""
        raise NotImplementedError

    # ---- introspection ---------------------------------------------------------------------------

    @part_of(Capability.GRAPH)
    def node(self, x: Native) -> Any | None:
        """Return the node that computed `x`, or None."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def next_nodes(self, node: Any) -> Sequence[Any | None]:
        """Return the nodes that `node` passes gradients to, one for each input."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def leaf_of(self, node: Any) -> Native | None:
        """Return the leaf whose gradient `node` accumulates, None if `node` is an operation."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def pull(self, node: Any, gradient: Native) -> Sequence[Native | None]:
        """Run `node` alone: return the gradients of its inputs, given that of its output."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def saved_values(self, node: Any) -> Mapping[str, Native | None]:
        """Return the tensors `node` saved, by the name of the argument they stand for."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def base(self, x: Native) -> Native | None:
        """Return the tensor whose memory `x` is a view of, or None."""
        raise NotImplementedError

    @part_of(Capability.SAVED_TENSORS)
    def saved_tensors(self) -> AbstractContextManager[SavedTensors]:
        """Count the values saved for backward by operations recorded in a block."""
        raise NotImplementedError

    @part_of(Capability.PACKING)
    def saved_tensors_hooks(
        self, pack: Callable[[Native], Any], unpack: Callable[[Any], Native]
    ) -> AbstractContextManager[object]:
        """Keep `pack(x)` for each value x saved in a block; backward takes `unpack` of that."""
        raise NotImplementedError

    @part_of(Capability.CHECKPOINT)
    def checkpoint(self, function: Callable[..., Native], *inputs: Native) -> Native:
        """Return `function(*inputs)`, computed again in backward: nothing in between is kept."""
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def traced(self, function: Callable[[Native], Native], x: Native) -> Callable[[Native], Native]:
        """Return what `function` does to `x`, operation by operation, to be replayed on others."""
        raise NotImplementedError

    @part_of(Capability.TORCH)
    def compile(self, function: Callable[[Native], Native]) -> Callable[[Native], Native]:
        """Return `function` as the library's own compiler captures it."""
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

    @part_of(Capability.HOOKS)
    def retain_grad(self, x: Native) -> None:
        """Keep the gradient of a non-leaf in its .grad."""
        raise NotImplementedError

    @part_of(Capability.HOOKS)
    def register_hook(self, x: Native, hook: Callable[[Native], Native | None]) -> Any:
        """Call `hook` with the gradient of `x`; what it returns replaces the gradient."""
        raise NotImplementedError

    @part_of(Capability.LEAF_HOOKS)
    def register_post_accumulate_hook(self, x: Native, hook: Callable[[Native], None]) -> Any:
        """Call `hook` with the leaf `x` each time after a gradient was added to its .grad."""
        raise NotImplementedError

    @part_of(Capability.NODE_HOOKS)
    def register_node_hook(
        self, node: Any, hook: Callable[..., Any], *, before: bool = False
    ) -> Any:
        """Call `hook` with the gradients of the inputs of `node` and of its outputs, two tuples.

        A tuple that it returns replaces the gradients of the inputs. If it is called `before` the
        node runs, it takes those of the outputs alone, and what it returns replaces them.
        """
        raise NotImplementedError

    # ---- numpy -----------------------------------------------------------------------------------

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

    # ---- operations written by hand --------------------------------------------------------------

    @part_of(Capability.CUSTOM)
    def custom(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
        """Make an operation of two functions: a class whose `apply` takes the inputs.

        `forward(ctx, *inputs)` returns the outputs, `backward(ctx, *gradients)` a gradient or None
        for each input. `ctx` has `save_for_backward(...)`, `saved_tensors`, `needs_input_grad` and
        `set_materialize_grads(flag)`, and takes any other attribute. Where `marks` is declared, it
        has `mark_dirty(*inputs)` and `mark_non_differentiable(*outputs)` as well.
        """
        raise NotImplementedError

    @part_of(Capability.CUSTOM)
    def once_differentiable(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        """Mark a `backward` whose result is not to be differentiated."""
        raise NotImplementedError

    @part_of(Capability.GRADCHECK)
    def gradcheck(
        self, function: Callable[..., Any], inputs: Sequence[Native], **options: Any
    ) -> bool:
        """Compare the gradients of `function` at `inputs` with central differences.

        `options` are `eps`, `atol`, `rtol` and `raise_exception`.
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


def methods_of(capability: Capability) -> list[str]:
    """Name the methods that a backend declaring `capability` has to implement."""
    return [
        name
        for owner in (Backend, Workshop, Meters, Transforms)
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
