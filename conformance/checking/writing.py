"""Notes of what a trial runs, in the words of a library."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .dialects import DIALECTS
from .nests import text_of
from .own import Own

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Recorded:
    """What a recorded call is called in a script: its result, its pullback, and its inputs."""

    y: str
    pull: str
    wrt: tuple[str, ...]
    call: str


class Notes:
    """Lines of a script; none are taken for a library that has no dialect."""

    def __init__(self, own: Own) -> None:
        self.own = own
        self.words = DIALECTS.get(own.backend.name)
        self.lines: list[str] = []
        self.results = 0
        self.pulls = 0
        self.recorded = Recorded("", "", (), "")
        self.run = ""
        """What is called in place of the function, if something is."""

    def add(self, *lines: str) -> None:
        """Write lines as they are."""
        self.lines += lines

    def tensor(self, name: str, values: Array, dtype: str, layout: str = "") -> None:
        """Write how a tensor is made."""
        if self.words is None:
            return
        if layout and values.size and self.words.laid:
            made = self.words.laid.format(laid=laid_text(values, dtype, layout))
        else:
            made = self.constant(values, dtype, self.words.tensor)
        self.add(f"{name} = {made}")

    def constant(self, values: Array, dtype: str = "", template: str = "") -> str:
        """Write a tensor in one expression."""
        words = self.words
        if words is None:
            return ""
        template = template or words.constant or words.tensor
        return template.format(
            values=text(values), dtype=dtype or values.dtype.name, shape=values.shape
        )

    def through(self, transform: str, inputs: int, result: int) -> None:
        """Write that the function is transformed."""
        if self.words is not None:
            names = ", ".join(f"x{n}" for n in range(inputs))
            call = f"lambda {names}: {self.called([f'x{n}' for n in range(inputs)], result)}"
            self.add(f"run = {self.words.transforms[transform].format(f=call)}")
            self.run = "run"

    def called(self, names: Sequence[str], result: int) -> str:
        """Write a call of the function, or of what it was made to."""
        if self.run:
            return f"{self.run}({', '.join(names)})"
        own, words = self.own, self.words
        inside = ", ".join(text_of(each, names.__getitem__, self.constant) for each in own.nest)
        parameters = ", ".join(f"{p!r}: {names[s.number]}" for p, s in own.parameters.items())
        call = f"opened({{{parameters}}}, {inside})" if own.parameters else f"f({inside})"
        if own.seed is not None and words is not None and words.seed:
            call = f"seeded(lambda: {call})"
        return call + own.places[result]

    def call(self, xs: Sequence[object], result: int) -> None:
        """Write a plain call."""
        y = f"y{self.results}"
        self.results += 1
        self.recorded = Recorded(y, "", (), "")
        self.add(f"{y} = {self.called([f'x{n}' for n in range(len(xs))], result)}")

    def record(self, wrt: Sequence[int], result: int) -> None:
        """Write a call that is recorded."""
        if self.words is None:
            return
        names = [f"x{n}" for n in range(len(self.own.starts))]
        at = tuple(names[n] for n in wrt)
        call = self.called(names, result)
        self.recorded = Recorded(f"y{self.results}", f"pull{self.results}", at, call)
        self.results += 1
        if self.words.variable:
            self.add(*(self.words.variable.format(x=x) for x in at))
        self.add(*self.filled(self.words.vjp, self.recorded))

    def pull(self, recorded: Recorded, cotangent: str) -> str:
        """Write a pullback, and return what its gradients are called."""
        g = f"g{self.pulls}"
        self.pulls += 1
        if self.words is not None:
            self.add(*self.filled(self.words.pull, recorded, c=cotangent, g=g))
        return g

    def second(self, inputs: int, result: int) -> None:
        """Write a function of inputs and a cotangent: the gradients, weighed and added up."""
        words = self.words
        if words is None:
            return
        names = [f"x{n}" for n in range(inputs)]
        inner = Recorded("y", "pull", tuple(names), self.called(names, result))
        pull = words.create or words.pull
        weights = ", ".join(f"v{n}" for n in range(inputs))
        self.add(
            f"def total({', '.join(names)}, c):",
            *(f"    {line}" for line in self.filled(words.vjp, inner)),
            *(f"    {line}" for line in self.filled(pull, inner, c="c", g="g")),
            f"    return sum((v * g).sum() for v, g in zip([{weights}], g) if g is not None)",
            "",
            "",
        )
        self.total((*names, "c0"))

    def several(self, inputs: int, weights: Sequence[Array]) -> None:
        """Write a function of inputs: all results, weighed and added up."""
        names = [f"x{n}" for n in range(inputs)]
        for n, w in enumerate(weights):
            self.tensor(f"w{n}", w, "float64")
        terms = [f"(w{n} * ({self.called(names, n)})).sum()" for n in range(len(weights))]
        self.add(f"def total({', '.join(names)}):", f"    return {' + '.join(terms)}", "", "")
        self.total(tuple(names))

    def total(self, wrt: tuple[str, ...]) -> None:
        """Write a recorded call of the function that was defined last."""
        if self.words is None:
            return
        self.recorded = Recorded("y", "pull", wrt, f"total({', '.join(wrt)})")
        if self.words.variable:
            self.add(*(self.words.variable.format(x=x) for x in wrt))
        self.add(*self.filled(self.words.vjp, self.recorded))

    def forward(self, inputs: int, result: int) -> None:
        """Write a derivative in forward mode, along v0, v1, ..."""
        if self.words is None:
            return
        names = tuple(f"x{n}" for n in range(inputs))
        recorded = Recorded("y0", "", names, self.called(names, result))
        along = ", ".join(f"v{n}" for n in range(inputs))
        self.add(*self.filled(self.words.jvp, recorded, c=along, g="t0"))

    def accumulate(self) -> None:
        """Write a backward pass from the last recorded call, with c0."""
        if self.words is not None:
            self.add(*self.filled(self.words.accumulate, self.recorded, c="c0"))

    def unrecorded(self, inputs: int, result: int) -> str:
        """Write a plain call where nothing is recorded, and return what its result is called."""
        if self.words is not None:
            names = [f"x{n}" for n in range(inputs)]
            self.add(self.words.unrecorded, f"    y = {self.called(names, result)}")
        return "y"

    def overwrite(self, x: str) -> None:
        """Write that the gradient kept with a tensor is overwritten."""
        if self.words is not None:
            self.add(self.words.unrecorded, f"    {x}.grad[...] = 9.0")

    @staticmethod
    def filled(lines: Sequence[str], recorded: Recorded, c: str = "", g: str = "") -> list[str]:
        """Fill the gaps in lines of a dialect."""
        wrt = recorded.wrt
        places = "".join(f"{n}, " for n in range(len(wrt))).rstrip()
        return [
            line.format(
                y=recorded.y,
                pull=recorded.pull,
                call=recorded.call,
                wrt=", ".join(wrt),
                places=places.removesuffix(","),
                c=c,
                g=g,
            )
            for line in lines
        ]


def text(values: Array) -> str:
    """Write numbers; of an array without entries only its shape can be written."""
    return repr(values.tolist()) if values.size else f"np.zeros({values.shape})"


def laid_text(values: Array, dtype: str, layout: str) -> str:
    """Write an array of numpy in other memory."""
    kind = f", {dtype!r}"
    if layout == "transposed":
        return f"np.array({text(values.T)}{kind}).T"
    if layout == "sliced" and values.ndim:
        return f"np.repeat(np.array({text(values)}{kind}), 2, -1)[..., 1::2]"
    if layout == "expanded" and values.ndim:
        block = np.array(values[:1], dtype)
        made = f"np.array({text(block)}{kind})"
        strides = (0, *block.strides[1:])
        return f"np.lib.stride_tricks.as_strided({made}, {values.shape}, {strides})"
    if layout == "reversed" and values.ndim:
        turn = "[" + ", ".join(["::-1"] * values.ndim) + "]"
        return f"np.array({text(values[(slice(None, None, -1),) * values.ndim])}{kind}){turn}"
    return f"np.array({text(values)}{kind})"
