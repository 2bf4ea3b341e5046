"""What a claim asks of a backend: values in and out, and calls, which are counted and watched."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..truth.floats import rounded
from ..untrusted.texts import printable
from .backend import CORE_FUNCTIONS, Backend, Native, equal
from .capabilities import Capability
from .errors import AdapterError, Undeclared
from .mode import Mode
from .operations import FACTORIES, OPERATIONS, PLAIN, SEVERAL

Array = npt.NDArray[Any]

FOREIGN: frozenset[type] = frozenset(
    {bool, int, float, complex, str, bytes, dict, set, type(None)}
    | {np.ndarray, np.float64, np.float32, np.int64, np.bool_}
)
"""Types of what is no tensor; those of numpy are for some libraries."""

COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}
"""Dtypes of complex numbers by those of their parts."""


class Calls:
    """A backend on one device, in one dtype and one mode, with a count of what was asked of it.

    Every function of `OPERATIONS` and every method of `Backend` is an attribute; numpy arrays among
    the arguments of a function become constants. One subject serves many examples: `begin` forgets
    the last one.
    """

    def __init__(self, backend: Backend, device: str, dtype: str, mode: Mode | None = None) -> None:
        self.backend = backend
        self.device = device
        self.dtype = dtype
        self.running_mode = mode
        self.way: Backend | Mode = backend if mode is None else mode
        """Who runs and differentiates functions."""
        self.id = "-".join([backend.name, device, dtype, *([mode.name] if mode else [])])
        self.shaken = False
        """Whether a call has raised something since somebody set this to False."""
        self.rest: Mapping[str, str] | None = None
        """What a small computation came to before any claim was run, if somebody has seen to it."""
        self.begin()

    def __repr__(self) -> str:
        return self.id

    def begin(self, *, watch: bool = True) -> None:
        """Start an example: nothing has been called, given or compared yet.

        Without `watch`, nothing passed in is copied to see whether it changes: for timing.
        """
        self.watching = watch
        self.calls: Counter[str] = Counter()
        self.inputs: list[tuple[Array, Array]] = []
        self.leaves: list[Native] = []
        self.cotangents: list[Native] = []
        self.noted: list[str] = []
        self.odd: dict[str, type | int] = {}
        """What functions returned that is no tensor: its type, or the number of results."""
        self.worst = 0.0
        self.leeway = 1.0
        """How many times farther off than is allowed the results of a known failure may be."""
        self.is_known: Callable[[str], bool] = lambda text: False  # noqa: ARG005
        """Whether an entry that is off is one of a known failure, by what is said of it."""

    def lacks(self, needs: Sequence[str]) -> list[str]:
        """Which of the capabilities and functions in `needs` the backend does not declare."""
        declared = {*self.backend.capabilities_on(self.device), *self.backend.functions}
        declared -= self.backend.lacking(self.dtype, self.device)
        if Capability.COMPLEX in needs:
            declared -= self.backend.lacking(self.complex_dtype, self.device)
            declared -= set() if self.dtype in COMPLEX_OF else {Capability.COMPLEX}
        if self.running_mode is not None:
            declared -= self.running_mode.lost | self.running_mode.lacking
        if Capability.CONVENTIONS in needs and self.device != "cpu":
            # A device chooses for itself, which is no fault as long as nothing is on record of it.
            _, record = self.backend.conventions(self.device)
            declared -= set() if record else {Capability.CONVENTIONS}
        return [word for word in needs if word not in declared]

    @property
    def complex_dtype(self) -> str:
        """The dtype of complex numbers whose parts have the subject's dtype."""
        return COMPLEX_OF.get(self.dtype, "none")

    @property
    def library(self) -> str:
        """The backend, and the mode if it is one: what times are kept for."""
        return " ".join(
            [self.backend.name, *([self.running_mode.name] if self.running_mode else [])]
        )

    @property
    def example_divisor(self) -> int:
        """One example is drawn where others get so many."""
        return self.backend.example_divisor * (
            self.running_mode.example_divisor if self.running_mode else 1
        )

    def wrapped(self, function: Callable[..., Native], about: str) -> Callable[..., Native]:
        """Return what runs `function`, of the operation it is `about`, in the subject's mode."""
        return function if self.running_mode is None else self.running_mode.wrap(function, about)

    # ---- values in and out -----------------------------------------------------------------------

    def tensor(self, values: npt.ArrayLike, device: str | None = None) -> Native:
        """Make a constant: floats take the subject's dtype, integers and bools keep their own.

        Complex numbers have parts of the subject's dtype. It lies on the subject's device, if no
        other `device` is named.
        """
        array = self._watch(values)
        return self.backend.tensor(array, self._dtype_for(array), device or self.device)

    def leaf(self, values: npt.ArrayLike, device: str | None = None) -> Native:
        """Make a leaf that requires grad, in the subject's dtype; elsewhere if `device` says so."""
        self.calls["leaf"] += 1
        array = self._watch(values)
        dtype = self.complex_dtype if array.dtype.kind == "c" else self.dtype
        leaf = self.backend.leaf(array, dtype, device or self.device)
        self.leaves.append(leaf)
        return leaf

    def numpy(self, x: Native) -> Array:
        """Copy a native tensor to numpy; raises AdapterError if it comes as anything else."""
        array = self.way.numpy(x)
        if not isinstance(array, np.ndarray):
            raise AdapterError(
                f"{self.backend.name}.numpy returned {type(array).__name__}: return a numpy.ndarray"
            )
        return array

    def layer(self, name: str, *sizes: Any, **options: Any) -> Any:
        """Make a layer with parameters in the subject's dtype, on its device."""
        self.calls["layer"] += 1
        where = {"dtype": self.dtype, "device": self.device}
        return self.backend.layer(name, *sizes, **where, **options)

    def complex_layer(self, name: str, *sizes: Any, **options: Any) -> Any:
        """Make a layer with complex parameters, whose parts have the subject's dtype."""
        self.calls["layer"] += 1
        where = {"dtype": self.complex_dtype, "device": self.device}
        return self.backend.layer(name, *sizes, **where, **options)

    def vjp(
        self, function: Callable[..., Native], *inputs: Native, create_graph: bool = False
    ) -> tuple[Native, Callable[[Native], Sequence[Native | None]]]:
        """Return `function(*inputs)` and its pullback; arrays and floats become constants first.

        Neither the inputs nor the cotangent may be changed by the pullback, nor may the function
        itself change inputs that are given as arrays.
        """
        self.calls["vjp"] += 1
        given = [self._constant(x) for x in inputs]
        pair = self._call(self.way.vjp, function, *given, create_graph=create_graph)
        self._expect_kept(inputs, given)
        value, pull = self._several("vjp", pair, 2)

        def pulled(cotangent: Native) -> Sequence[Native | None]:
            start = self._constant(cotangent)
            with self._unchanged("the pullback", start, inputs=given):
                found = pull(start)
            return self._several("vjp: the pullback", found, len(given))

        return value, pulled

    def jvp(
        self, function: Callable[..., Native], inputs: Sequence[Native], tangents: Sequence[Native]
    ) -> tuple[Native, Native]:
        """Return `function(*inputs)` and its derivative along `tangents`; arrays are lifted."""
        self.calls["jvp"] += 1
        at, along = ([self._constant(x) for x in each] for each in (inputs, tangents))
        pair = self._call(self.way.jvp, function, at, along)
        self._expect_kept([*inputs, *tangents], [*at, *along])
        value, tangent = self._several("jvp", pair, 2)
        return value, tangent

    def backward(self, y: Native, cotangent: Native | None = None, **options: Any) -> None:
        """Run backward from `y`; a cotangent from numpy, or a float, becomes a constant first.

        From a list of results, with a list of cotangents, all of them count in one pass.
        """
        self.calls["backward"] += 1
        given = self._lift_cotangents(cotangent)
        self.cotangents += [c for c in given if c is not None]
        with self._unchanged("backward", *given):
            several = isinstance(cotangent, list)
            self.backend.backward(y, given if several else given[0], **options)

    def gradients(
        self, y: Native, inputs: Sequence[Native], cotangent: Native | None = None, **options: Any
    ) -> Sequence[Native | None]:
        """Return the gradients of `y`, or of a list of results, for `inputs`.

        Cotangents are given as to `backward`.
        """
        self.calls["gradients"] += 1
        given = self._lift_cotangents(cotangent)
        with self._unchanged("gradients", *given):
            start = given if isinstance(cotangent, list) else given[0]
            found = self.backend.gradients(y, inputs, start, **options)
        return self._several("gradients", found, len(inputs))

    @contextmanager
    def spelled(self, name: str, function: Callable[..., Any]) -> Iterator[None]:
        """Let `name` be written as `function`, for a block."""
        usual = getattr(self, name)
        self.__dict__[name] = self._counted(name, function, lift=True)
        try:
            yield
        finally:
            self.__dict__[name] = usual

    # ---- everything else is the backend's --------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """Look up a function or a method of the backend, and count its calls from now on."""
        if name in OPERATIONS:
            if name not in self.backend.functions:
                if name in CORE_FUNCTIONS:
                    raise Undeclared(f"{self.backend.name} does not declare {name}")
                raise AdapterError(
                    f"{self.backend.name} has no function {name!r}: the claim must list it in needs"
                )
            function = self.backend.functions[name]
            if name in FACTORIES:
                call = self._counted(name, partial(function, device=self.device), lift=False)
            else:
                call = self._counted(name, function, lift=True)
        elif hasattr(Backend, name):
            call = self._counted(name, getattr(self.backend, name), lift=False)
        else:
            raise AttributeError(f"{name!r} is neither an operation nor a method of Backend")
        self.__dict__[name] = call
        return call

    def _counted(self, name: str, function: Callable[..., Any], *, lift: bool) -> Any:
        ours = name in OPERATIONS
        answer = Any if ours else getattr(Backend, name).__annotations__.get("return")
        noted = answer in (Any, Any | None) and name not in PLAIN

        def call(*args: Any, **options: Any) -> Any:
            self.calls[name] += 1
            if lift:
                args = tuple(map(self._lift, args))
            result = self._call(function, *args, **options)
            if noted:
                self._note(name, result)
            elif answer is bool:
                self._truth(name, result)
            return result

        return call

    def _call(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except BaseException:
            self.shaken = True
            raise

    def _note(self, name: str, result: Any) -> None:
        """Note what is no tensor: what came first, and the last number of results."""
        if isinstance(result, tuple | list) or name in SEVERAL:
            self.odd.pop(name, None)
            self.odd[name] = len(result) if isinstance(result, tuple | list) else 1
        elif type(result) in FOREIGN:
            self.odd.setdefault(name, type(result))

    def _truth(self, name: str, result: object) -> None:
        """Expect True or False of a method; raises AdapterError."""
        if type(result) is not bool:
            raise AdapterError(
                f"{self.backend.name}.{name} returned {_shown(result)}: return True or False"
            )

    def _several(self, name: str, results: Any, count: int) -> Sequence[Any]:
        """Expect so many results of a method; raises AdapterError."""
        if not isinstance(results, Sequence):
            raise AdapterError(
                f"{self.backend.name}.{name} returned {_shown(results)}: return {count} in a tuple"
            )
        if len(results) != count:
            raise AdapterError(
                f"{self.backend.name}.{name} returned {len(results)} results, expected {count}"
            )
        return results

    @contextmanager
    def _unchanged(
        self, method: str, *cotangents: Native | None, inputs: Sequence[Native] = ()
    ) -> Iterator[None]:
        """Expect a pass of `method` to leave leaves, inputs and its cotangents as they are."""
        given = [("a leaf", x) for x in self.leaves] + [("an input", x) for x in inputs]
        given += [("its cotangent", c) for c in cotangents if c is not None]
        before = [self.numpy(x) for _, x in given] if self.watching else []
        try:
            yield
        except BaseException:
            self.shaken = True
            raise
        for (name, x), value in zip(given, before, strict=False):
            assert equal(self.numpy(x), value), f"{method} changed {name}"

    def _expect_kept(self, values: Sequence[Any], inputs: Sequence[Native]) -> None:
        """Expect a function that was differentiated to have left its inputs as they were made."""
        # None is read before: what is lazy would be computed then, and hide what is wrong with it.
        for value, x in zip(values, inputs, strict=True):
            if self.watching and isinstance(value, np.ndarray) and value.dtype.kind == "f":
                with np.errstate(over="ignore", under="ignore"):
                    made = rounded(value, self.dtype)
                kept = np.array_equal(self.numpy(x), made, equal_nan=True)
                assert kept, "the function changed an input"

    def _constant(self, value: Any) -> Any:
        return self._lift(np.array(value) if type(value) is float else value)

    def _lift(self, value: Any) -> Any:
        # What numpy computes from 0-d arrays is a scalar of its own, of float64 even in float32.
        return self.tensor(value) if isinstance(value, np.ndarray | np.inexact) else value

    def _lift_cotangents(self, cotangent: Any) -> list[Any]:
        """List one cotangent, or several, with arrays and floats made constants."""
        each = cotangent if isinstance(cotangent, list) else [cotangent]
        return [self._constant(c) for c in each]

    def _watch(self, values: npt.ArrayLike) -> Array:
        array = np.asarray(values)
        if array is values and self.watching:
            self.inputs.append((array, array.copy()))
        return array

    def _dtype_for(self, array: Array) -> str:
        if array.dtype.kind == "c":
            return COMPLEX_OF.get(self.dtype, array.dtype.name)
        return self.dtype if array.dtype.kind == "f" else array.dtype.name


def _shown(value: object) -> str:
    """Show what a stranger returned, whatever it is."""
    try:
        return printable(repr(value))[:100]
    except Exception:
        return f"a {type(value).__name__}"
