"""A function that somebody has written, with its arguments, as a function of its inputs alone."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Backend, Native
from ..protocol.capabilities import Capability
from ..protocol.errors import OptionError
from ..untrusted.texts import in_a_line, printable
from .nests import Fixed, Slot, leaves, mapped

Array = npt.NDArray[Any]


class Own:
    """A function on a backend, called with the tensors that are differentiated, in one row.

    Those are every floating array or tensor among the arguments, however they are nested, and then
    the parameters that are in the function itself. All other arguments stay as they are given.
    `starts` are the values of the inputs in float64, `names` what a report calls them. Raises
    OptionError if the function or an argument is of no use.
    """

    def __init__(self, backend: Backend, function: Callable[..., Any], arguments: Any) -> None:
        apply = getattr(function, "apply", None)
        if isinstance(function, type) and apply is not None:
            function = apply  # of a class with a forward and a backward
        if isinstance(function, type) or not callable(function):
            kind = "class" if isinstance(function, type) else type(function).__name__
            raise OptionError(f"the function is a {kind}: give something that can be called")
        self.backend = backend
        self.function = function
        self.starts: list[Array] = []
        self.names: list[str] = []
        self.calls = 0
        self.places: list[str] = []
        """Where floating results stand among the results, as they were when it was last called."""
        self.by_hand = isinstance(getattr(function, "__self__", None), type)
        """Whether it is one operation, the method of a class with a forward and a backward."""
        self.seed: int | None = None
        """What generators of random numbers are seeded with before each call, if they are."""
        numbers = iter(range(len(arguments)))
        self.nest = tuple(self._read(each, f"input {next(numbers)}") for each in arguments)
        self.parameters: dict[str, Slot] = {}
        opened = backend.opened(function)
        if opened is not None:
            self.call_opened, parameters = opened
            for name, tensor in parameters.items():
                self.parameters[name] = self._slot(backend.numpy(tensor), f"parameter {name}")
        if not self.starts:
            raise OptionError(
                "no input is a floating array or tensor: give one that can be differentiated"
            )

    def _slot(self, values: Array, name: str) -> Slot:
        self.starts.append(np.array(values, np.float64))
        self.names.append(name)
        return Slot(len(self.starts) - 1)

    def _read(self, argument: Any, name: str) -> Any:
        places = iter([place for place, _ in leaves(argument)])

        def read(leaf: Any) -> Any:
            if leaf is None:
                return leaf
            full = f"{name}{next(places)}"
            if isinstance(leaf, np.ndarray | np.generic):
                values = np.asarray(leaf)
            elif hasattr(leaf, "dtype"):
                values = self._values(leaf, full)
            else:
                return leaf
            if values.dtype.kind == "f":
                if not np.isfinite(values).all():
                    raise OptionError(f"{full} is not finite: give numbers to differentiate at")
                return self._slot(values, full)
            if values.dtype.kind == "c":
                raise OptionError(f"{full} is complex: give its real and imaginary parts")
            if values.dtype.kind not in "biu":
                raise OptionError(f"{full} holds {values.dtype}: give numbers")
            constant = self.backend.tensor(values, values.dtype.name, "cpu")
            return Fixed(constant, values)

        return mapped(argument, read)

    def _values(self, leaf: Any, name: str) -> Array:
        try:
            return np.asarray(self.backend.numpy(leaf))
        except Exception as error:
            raise OptionError(
                f"{name} is a {type(leaf).__name__}, which {self.backend.name} does not read "
                f"({in_a_line(error)}): give arrays of numpy, or tensors of {self.backend.name}"
            ) from error

    def __call__(self, *tensors: Native) -> list[tuple[str, Native]]:
        """Return every floating result with its place among the results.

        Raises OptionError if the function returns what is no tensor, and whatever it raises itself.
        """
        found = [(place, x) for place, x in self.everything(*tensors) if self.floats(x)]
        self.places = [place for place, _ in found]
        return found

    def everything(self, *tensors: Native) -> list[tuple[str, Native]]:
        """Return every result with its place among the results."""
        self.calls += 1
        self._seed()

        def lent(leaf: Any) -> Any:
            if isinstance(leaf, Slot):
                return tensors[leaf.number]
            return leaf.tensor if isinstance(leaf, Fixed) else leaf

        arguments = mapped(self.nest, lent)
        if self.parameters:
            lent_parameters = {name: tensors[s.number] for name, s in self.parameters.items()}
            found = list(leaves(self.call_opened(lent_parameters, *arguments)))
        else:
            found = list(leaves(self.function(*arguments)))
        for place, x in found:
            try:
                self.backend.dtype_of(x)
            except Exception as error:
                raise OptionError(
                    f"the function returned {printable(type(x).__name__)}"
                    f"{' at ' * bool(place)}{place}: return tensors of {self.backend.name}"
                ) from error
        if not found:
            raise OptionError("the function returned nothing: return a tensor, or several")
        return found

    def one(self, result: int) -> Callable[..., Native]:
        """Return the function of the inputs that has one of the floating results."""
        return lambda *tensors: self(*tensors)[result][1]

    def floats(self, x: Native) -> bool:
        """Whether a tensor holds real floating numbers."""
        return "float" in self.backend.dtype_of(x)

    def on_arrays(self, twin: Callable[..., Any], *arrays: Array) -> list[Array]:
        """Return the floating results of a `twin` that computes with arrays of numpy.

        It takes the same arguments; if there are parameters, a dict of them comes first.
        """

        def lent(leaf: Any) -> Any:
            if isinstance(leaf, Slot):
                return arrays[leaf.number]
            return leaf.values if isinstance(leaf, Fixed) else leaf

        first = [{name: arrays[s.number] for name, s in self.parameters.items()}]
        found = twin(*(first if self.parameters else []), *mapped(self.nest, lent))
        results = [np.asarray(x) for _, x in leaves(found)]
        return [x for x in results if x.dtype.kind == "f"]

    def fixed(self) -> list[Fixed]:
        """List the tensors that are not differentiated."""
        return [each for _, each in leaves(self.nest) if isinstance(each, Fixed)]

    def _seed(self) -> None:
        if self.seed is not None:
            random.seed(self.seed)
            np.random.seed(self.seed)  # noqa: NPY002 - what others may draw from
            if Capability.RANDOM in self.backend.capabilities:
                self.backend.manual_seed(self.seed)
