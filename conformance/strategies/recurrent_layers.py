"""Recurrent layers with any of their options at once, and the steps that they are made of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from .distributions import around

INPUT, HIDDEN, SHORT = 3, 4, 2


def step(be: Subject, kind: str, x: Any, state: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Take one step of a cell: return its new state, of which the first part is its result.

    The weights are those of the input, of the state, their biases if there are any, and, of an
    LSTM whose result is shortened, a matrix for that.
    """
    linear = be.lookup("torch.nn.functional:linear")
    into, along, *rest = weights
    biases, last = (rest[:2], rest[2:]) if len(rest) > 1 else ([None, None], rest)
    a, r, h = linear(x, into, biases[0]), linear(state[0], along, biases[1]), state[0]
    if kind == "LSTM":
        i, f, g, o = (a + r).chunk(4, -1)
        c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return [linear(h, last[0]) if last else h, c]
    if kind == "GRU":
        (ar, az, an), (rr, rz, rn) = a.chunk(3, -1), r.chunk(3, -1)
        new, z = (an + (ar + rr).sigmoid() * rn).tanh(), (az + rz).sigmoid()
        return [(1 - z) * new + z * h]
    return [(a + r).relu() if kind == "relu" else (a + r).tanh()]


@dataclass(frozen=True)
class Recurrent:
    """A recurrent layer, and whether it is told a first state and the lengths of its items."""

    kind: str
    options: dict[str, Any]
    started: bool
    lengths: Sequence[int]
    """Of each item of a batch; of one without a batch if there is one alone."""
    packed: bool
    alone: bool
    seed: int

    def check(self, be: Subject) -> None:
        """Compare the layer with steps of cells, and the gradients. Raises AssertionError."""
        plain = self.kind in {"tanh", "relu"}
        name, more = ("RNN", {"nonlinearity": self.kind}) if plain else (self.kind, {})
        with be.fork_random():
            be.manual_seed(self.seed)
            layer = be.layer(name, INPUT, HIDDEN, **self.options, **more)
        rng = np.random.default_rng(self.seed)
        count, first = len(self.lengths), bool(self.options.get("batch_first"))
        x = be.leaf(rng.normal(size=(count, max(self.lengths), INPUT)))
        ways = layer.num_layers * (2 if layer.bidirectional else 1)
        sizes = [self.options.get("proj_size") or HIDDEN, *([HIDDEN] * (self.kind == "LSTM"))]
        start = [be.leaf(self.started * rng.normal(size=(ways, count, size))) for size in sizes]
        rows = [self._walk(be, layer, x[n, :k], [s[:, n] for s in start])
                for n, k in enumerate(self.lengths)]  # fmt: skip
        found = self._found(be, layer, x, start, first=first)
        for n, (row, k) in enumerate(zip(rows, self.lengths, strict=True)):
            parts = [found[0][n, :k], *(each[:, n] for each in found[1:])]
            for got, want in zip(parts, row, strict=True):
                value = be.numpy(want)
                be.check(got, around(value, np.abs(value).max() + HIDDEN), f"result of {self}")
        leaves = [x, *(start if self.started else ()), *layer.parameters()]
        weights = [rng.normal(size=be.numpy(each).shape) for row in rows for each in row]
        both = []
        for got in (
            [each for row in rows for each in row],
            [each for n, k in enumerate(self.lengths)
             for each in (found[0][n, :k], *(part[:, n] for part in found[1:]))],
        ):  # fmt: skip
            total = sum(be.sum(y * be.tensor(w)) for y, w in zip(got, weights, strict=True))
            both.append(be.gradients(total, leaves))
        for want, got in zip(*both, strict=True):
            terms = be.numpy(want)
            size = np.abs(terms).max() + HIDDEN**2
            be.check_gradient(got, around(terms, size, times=16), f"gradient of {self}")

        self._check_cell(be, name, more, rng)

    def _check_cell(self, be: Subject, name: str, more: dict[str, str], rng: Any) -> None:
        """Compare the cell by itself with a step. Raises AssertionError."""
        biased = self.options.get("bias", True)
        with be.fork_random():
            be.manual_seed(self.seed)
            cell = be.layer(f"{name}Cell", INPUT, HIDDEN, bias=biased, **more)
        lead = () if self.alone else (2,)
        x = be.tensor(rng.normal(size=(*lead, INPUT)))
        state = [be.tensor(self.started * rng.normal(size=(*lead, HIDDEN))) for _ in range(2)]
        state = state[: 1 + (self.kind == "LSTM")]
        given = state[0] if len(state) == 1 else tuple(state)
        found = cell(x, given) if self.started else cell(x)
        found = found if isinstance(found, tuple) else (found,)
        for got, want in zip(
            found, step(be, self.kind, x, state, list(cell.parameters())), strict=True
        ):
            be.check(got, around(be.numpy(want), HIDDEN), f"cell of {self}")

    def _found(self, be: Subject, layer: Any, x: Any, start: Sequence[Any], *, first: bool) -> Any:
        """Call the layer; return the results by items, and the last states."""
        utils = be.lookup("torch.nn.utils.rnn")
        given = x if first else x.transpose(0, 1)
        state = start[0] if len(start) == 1 else tuple(start)
        if self.alone:
            given = x[0]
            state = start[0][:, 0] if len(start) == 1 else tuple(s[:, 0] for s in start)
        if self.packed:
            given = utils.pack_padded_sequence(given, list(self.lengths), first, False)
        result, last = layer(given, state) if self.started else layer(given)
        if self.packed:
            result, _ = utils.pad_packed_sequence(result, first)
        last = last if isinstance(last, tuple) else (last,)
        if self.alone:
            return [result[None], *(each[:, None] for each in last)]
        return [result if first else result.transpose(0, 1), *last]

    def _walk(self, be: Subject, layer: Any, rows: Any, start: Sequence[Any]) -> list[Any]:
        """Walk over the rows of one item, layer after layer, in one direction or in both."""
        each = layer.all_weights
        ways = 2 if layer.bidirectional else 1
        steps, ends = list(rows), []
        for depth in range(layer.num_layers):
            made: list[list[Any]] = []
            for way in range(ways):
                place, results = depth * ways + way, []
                state = [s[place] for s in start]
                for row in steps[:: -1 if way else 1]:
                    state = step(be, self.kind, row, state, each[place])
                    results.append(state[0])
                ends.append(state)
                made.append(results[:: -1 if way else 1])
            steps = [be.cat(list(parts), 0) for parts in zip(*made, strict=True)]
        return [be.stack(steps, 0), *(be.stack(list(s), 0) for s in zip(*ends, strict=True))]


def recurrent(seed: int) -> Iterator[Recurrent]:
    """Draw a recurrent layer of each kind with a seed, and two of the kind with most options."""
    for n, kind in enumerate(("LSTM", "GRU", "tanh", "relu", "LSTM")):
        yield _recurrent(kind, np.random.default_rng([seed, n]), seed % 1000)


def _recurrent(kind: str, rng: np.random.Generator, seed: int) -> Recurrent:
    def coin() -> bool:
        return bool(rng.random() < 0.5)

    options: dict[str, Any] = {
        name: value
        for name, value in (
            ("num_layers", 2), ("bias", False), ("batch_first", True), ("bidirectional", True),
            ("dropout", 0.0), ("proj_size", SHORT),
        )
        if coin() and (name != "proj_size" or kind == "LSTM")
    }  # fmt: skip
    alone, packed = coin() and coin(), coin()
    count = 1 if alone else 3
    lengths = [int(n) for n in rng.integers(1, 5, count)] if packed and not alone else [3] * count
    return Recurrent(kind, options, coin(), lengths, packed and not alone, alone, seed)
