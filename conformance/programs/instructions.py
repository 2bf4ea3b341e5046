"""What the statements of a language come to on one backend."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..protocol.backend import Backend, Native
from ..protocol.capabilities import Capability
from ..protocol.mode import Mode
from ..untrusted.texts import message_of
from .hooking import Hurt
from .language import Kind
from .reading import size

OTHER = {"float64": "float32", "float32": "float64"}
"""The other dtype, in which some tensors are."""


class Value(NamedTuple):
    """The value of a tensor, as it is compared: its entries are nested lists of numbers."""

    dtype: str
    shape: tuple[int, ...]
    entries: Any

    def array(self) -> np.ndarray[Any, Any]:
        """Return it as an array."""
        return np.array(self.entries, self.dtype).reshape(self.shape)


@cache
def _name(dtype: np.dtype[Any]) -> str:
    return dtype.name


class Instructions:
    """What the statements of a language come to on one backend, in one dtype, on one device."""

    def __init__(
        self,
        backend: Backend,
        kinds: Mapping[str, Kind],
        dtype: str = "float64",
        device: str = "cpu",
    ) -> None:
        self.backend = backend
        self.dtype, self.other = dtype, OTHER[dtype]
        self.device = device
        self.mode: Mode | None = None
        """In which programs as functions are run."""
        self.writes = False
        """Whether such programs write what they have computed."""
        self.sums = False
        """Whether every other one is added up before it is weighed."""
        self.run = {kind.name: kind.bind(backend) for kind in kinds.values()}
        self.writing = {name for name in kinds if name[-1] == "_" or name.startswith("set_")}
        self.counts = Capability.VERSION_COUNTER in backend.capabilities
        self.returns = Capability.GRADIENTS in backend.capabilities
        self.cotangents: dict[Any, Native] = {}
        self.constants: dict[Any, Native] = {}
        self.switches = Capability.NO_GRAD in backend.capabilities
        self.copies = "clone" in backend.functions
        views = Capability.VIEWS in backend.capabilities
        self.shares = backend.shares_memory if views else None
        self.clone = backend.functions.get("clone", self.copied)
        self.shape_of: Any = backend.functions.get("shape")
        self.list_of: Any = backend.functions.get("tolist")

    def copied(self, x: Native) -> Native:
        """Return a constant of the same values, where the library has no clone."""
        return self.backend.tensor(self.backend.numpy(x), self.backend.dtype_of(x), self.device)

    def value(self, x: Native) -> Value:
        """Return the value of a tensor; where the library can tell itself, that is faster."""
        if self.list_of:
            try:
                return Value(self.backend.dtype_of(x), self.shape_of(x), self.list_of(x))
            except RuntimeError:  # of a tensor whose zeros were never written, in PyTorch
                pass
        array = self.backend.numpy(x)
        return Value(_name(array.dtype), array.shape, array.tolist())

    def formed(self, form: str, dtype: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """Return another dtype or shape than those of a result, by the name of the form."""
        match form:
            case "other":
                return (self.other if dtype == self.dtype else self.dtype), shape
            case "whole":
                return "int64", shape
            case "one":
                return dtype, (1,)
            case "flat":
                return dtype, (size(shape),)
        return dtype, (1, *shape)

    def form(self, x: Native) -> tuple[str, tuple[int, ...]]:
        """Return the dtype and the shape of a tensor."""
        if self.shape_of:
            return self.backend.dtype_of(x), tuple(self.shape_of(x))
        array = self.backend.numpy(x)
        return _name(array.dtype), array.shape

    def shape(self, x: Native) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return self.form(x)[1]

    def reason(self, error: Exception) -> str:
        """Say why a statement was refused: the kind of the refusal, or what is said of it."""
        if isinstance(error, Hurt):
            return "hurt"
        kind = self.backend.error_kind(error)
        return kind.value if kind else f"{type(error).__name__}: {message_of(error)}"
