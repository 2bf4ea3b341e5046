"""A subject that writes down what a claim asks of it, in the words of the library."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checking.dialects import DIALECTS
from ..checking.scripts import Unwritten
from ..checking.writing import Notes, Recorded
from ..protocol.backend import Native
from ..protocol.calls import Array
from ..protocol.errors import ErrorKind
from ..protocol.layout import layout_of
from ..protocol.operations import OPERATIONS
from ..protocol.subject import Subject
from ..truth.tolerance import Expected, Total, allowed_error, as_total
from .page import Page, nested, numbers
from .spelling import Spelling

SILENT = ("numpy", "dtype_of", "synchronize", "shares_memory")
"""Methods of a backend that only look."""


@dataclass(frozen=True)
class Seen:
    """What a check found: how a script writes it, what was expected, and how far it may be off.

    `dtype` is what it has to be of, if that is judged.
    """

    got: str
    want: Array
    allowed: Array
    dtype: str = ""


class Recorder(Subject):
    """A subject that keeps a `page`; `seen` is the last comparison, None after any other call.

    Raises Unwritten for what there are no words for.
    """

    def __init__(self, of: Subject) -> None:
        words = DIALECTS.get(of.backend.name)
        if words is None:
            raise Unwritten(f"gradspec does not know how scripts for {of.backend.name} are written")
        if of.running_mode is not None:
            raise Unwritten(f"the mode {of.running_mode.name} has no words")
        self.words = words
        self.page = Page()
        self.spelling = Spelling(of.backend.name, type(of.backend).__module__)
        self.seen: Seen | None = None
        super().__init__(of.backend, of.device, of.dtype)

    # ---- values in -------------------------------------------------------------------------------

    def tensor(self, values: npt.ArrayLike, device: str | None = None) -> Native:
        native = super().tensor(values, device)
        self._made(native, np.asarray(values), "x")
        return native

    def leaf(self, values: npt.ArrayLike, device: str | None = None) -> Native:
        if not self.words.variable:
            raise Unwritten(f"leaves of {self.backend.name} have no words")
        native = super().leaf(values, device)
        name = self._made(native, np.asarray(values), "x")
        self.page.add(self.words.variable.format(x=name))
        return native

    def _made(self, native: Native, values: Array, letter: str) -> str:
        name, dtype = self.page.fresh(letter), self._dtype_for(values)
        # A dtype of its own may say bool where numpy does.
        laid = self.words.laid if not values.flags.c_contiguous and values.size else ""
        if laid:
            made = laid.format(laid=_laid(values, dtype))
        else:
            told = nested(values)
            made = self.words.tensor.format(values=told, dtype=dtype, shape=values.shape)
        self.page.add(f"{name} = {made}")
        self.page.call(native, name)
        return name

    # ---- calls -----------------------------------------------------------------------------------

    def _counted(self, name: str, function: Callable[..., Any], *, lift: bool) -> Any:
        if name not in OPERATIONS:
            if name in SILENT:
                return super()._counted(name, function, lift=lift)
            raise Unwritten(f"{name} has no words")
        expression = self.spelling.of(function)
        plain = super()._counted(name, function, lift=lift)

        def call(*args: Any, **options: Any) -> Any:
            given = tuple(map(self._lift, args)) if lift else args
            self.seen = None
            y = self.page.fresh("y")
            self.page.add(f"{y} = {expression}({self.page.arguments(given, options)})")
            result = plain(*given, **options)
            self.page.call(result, y)
            return result

        return call

    def vjp(
        self, function: Callable[..., Native], *inputs: Native, create_graph: bool = False
    ) -> tuple[Native, Callable[[Native], Sequence[Native | None]]]:
        given = [self._constant(x) for x in inputs]
        names = tuple(map(self.page.written, given))
        recorded = Recorded(self.page.fresh("y"), self.page.fresh("pull"), names, "")
        with self._defined(function, len(given)) as (f, traced):
            self.seen = None
            lines = self._lines(self.words.vjp, recorded, f)
            variable = [self.words.variable.format(x=x) for x in names if self.words.variable]
            try:
                value, pull = super().vjp(traced, *given, create_graph=create_graph)
            finally:
                traced.write()
                self.page.add(*variable, *lines)
        self.page.call(value, recorded.y)
        words = (create_graph and self.words.create) or self.words.pull

        def pulled(cotangent: Native) -> Sequence[Native | None]:
            start = self._constant(cotangent)
            c, g = self.page.written(start), self.page.fresh("g")
            self.seen = None
            self.page.add(*self._lines(words, recorded, f, c=c, g=g))
            found = pull(start)
            self.page.call(list(found), g)
            return found

        return value, pulled

    def jvp(
        self, function: Callable[..., Native], inputs: Sequence[Native], tangents: Sequence[Native]
    ) -> tuple[Native, Native]:
        if not self.words.jvp:
            raise Unwritten(f"forward mode of {self.backend.name} has no words")
        at, along = ([self._constant(x) for x in each] for each in (inputs, tangents))
        names = tuple(map(self.page.written, at))
        y, t = self.page.fresh("y"), self.page.fresh("t")
        with self._defined(function, len(at)) as (f, traced):
            self.seen = None
            c = ", ".join(map(self.page.written, along))
            lines = self._lines(self.words.jvp, Recorded(y, "", names, ""), f, c=c, g=t)
            try:
                value, tangent = super().jvp(traced, at, along)
            finally:
                traced.write()
                self.page.add(*lines)
        self.page.call(value, y)
        self.page.call(tangent, t)
        return value, tangent

    @contextmanager
    def _defined(
        self, function: Callable[..., Native], count: int
    ) -> Iterator[tuple[str, "Traced"]]:
        f = self.page.fresh("f")
        yield f, Traced(self.page, f, function, [self.page.fresh("a") for _ in range(count)])

    @staticmethod
    def _lines(
        words: Sequence[str], recorded: Recorded, f: str, c: str = "", g: str = ""
    ) -> list[str]:
        call = f"{f}({', '.join(recorded.wrt)})"
        whole = Recorded(recorded.y, recorded.pull, recorded.wrt, call)
        return Notes.filled(words, whole, c=c, g=g)

    # ---- checks ----------------------------------------------------------------------------------

    def check(
        self,
        got: Native | None,
        want: Expected,
        what: str = "result",
        *,
        points: Sequence[Array] = (),
        dtype: str = "",
    ) -> None:
        self._look(got, as_total(want), dtype or self.dtype)
        super().check(got, want, what, points=points, dtype=dtype)

    def check_gradient(
        self,
        got: Native | None,
        want: Total,
        what: str = "gradient",
        *,
        points: Sequence[Array] = (),
        dtype: str = "",
    ) -> None:
        self._look(got, want, dtype or self.dtype)
        super().check_gradient(got, want, what, points=points, dtype=dtype)

    def same(self, got: Native, want: Native | Array, what: str = "result") -> None:
        ours = isinstance(want, np.ndarray | np.floating)
        value = np.asarray(want) if ours else self.numpy(want)
        self.seen = Seen(f"array({self.page.written(got)})", value, np.zeros(value.shape))
        super().same(got, want, what)

    def raises(self, *kinds: ErrorKind) -> Any:
        del kinds
        raise Unwritten("refusals have no words")

    def _compare_parts(self, got: Native | None, total: Total, what: str, sign: int) -> None:
        if got is not None:
            name = f"array({self.page.written(got)})"
            parts = f"np.stack([{name}.real, {sign} * {name}.imag], -1)"
            self.seen = Seen(parts, total.value, self._allowed(total, self.dtype))
        super()._compare_parts(got, total, what, sign)

    def _look(self, got: Native | None, want: Total, wanted: str) -> None:
        written, dtype = "None", ""
        if got is not None:
            written = f"array({self.page.written(got)})"
            dtype = wanted if self.numpy(got).dtype.kind == "f" else ""
        self.seen = Seen(written, want.value, self._allowed(want, wanted), dtype)

    @staticmethod
    def _allowed(want: Total, dtype: str) -> Array:
        return np.array(np.broadcast_to(allowed_error(want, dtype), want.value.shape))


class Traced:
    """A function that a library differentiates: what it does is written once, as a function."""

    def __init__(
        self, page: Page, name: str, function: Callable[..., Native], parameters: Sequence[str]
    ) -> None:
        self.page = page
        self.name = name
        self.function = function
        self.parameters = parameters
        self.body: list[str] | None = None

    def __call__(self, *tensors: Native) -> Native:
        for parameter, tensor in zip(self.parameters, tensors, strict=True):
            self.page.call(tensor, parameter)
        with self.page.block() as lines:
            first = self.body is None
            if first:
                self.body = lines
            result = self.function(*tensors)
            self.page.add(f"return {self.page.written(result)}")
        return result

    def write(self) -> None:
        """Write the function, as far as it came."""
        self.page.add(f"def {self.name}({', '.join(self.parameters)}):")
        self.page.add(*(f"    {line}".rstrip() for line in self.body or ["pass"]), "")


def _laid(values: Array, dtype: str) -> str:
    """Write an array that lies in memory as this one does."""
    memory, shape, strides, offset = layout_of(values)
    item = np.dtype(dtype).itemsize
    made = f"{numbers(memory.astype(dtype))}[{offset}:]"
    steps = tuple(step * item for step in strides)
    return f"np.lib.stride_tricks.as_strided({made}, {shape}, {steps})"
