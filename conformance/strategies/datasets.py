"""Data sets, and what a loader makes of their items.

Worker processes import the class of a data set, so that no claim makes one of its own.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject


class Items:
    """A data set of `items` that notes which of them are fetched, and passes them to `transform`.

    `items` is a list, or a dict that lacks some of the indices below its length.
    """

    def __init__(self, items: Any, transform: Callable[[Any], Any] | None = None) -> None:
        self.items = items
        self.transform = transform
        self.log: list[int] = []

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        self.log.append(index)
        item = self.items[index]
        return item if self.transform is None else self.transform(item)


class Signed(Items):
    """Items, each with the process that fetched it, and how many this copy has fetched by then."""

    def __getitem__(self, index: int) -> Any:
        return super().__getitem__(index), os.getpid(), len(self.log)


class Told(Items):
    """What a worker is told: its number, of how many, its seed, that of its generator, its start.

    `asked` gives what the worker is told or None, `seeded` the seed of the generator.
    """

    def __init__(self, asked: Callable[[], Any], seeded: Callable[[], int]) -> None:
        super().__init__(range(4))
        self.asked = asked
        self.seeded = seeded
        self.begun: list[int] = []

    def begin(self, number: int) -> None:
        """Note that a worker begins. It stands in the copy of the data that the worker has."""
        self.asked().dataset.begun.append(number)

    def __getitem__(self, index: int) -> Any:
        told = self.asked()
        return told.id, told.num_workers, told.seed, self.seeded(), self.begun


def stream(be: Subject, items: Sequence[Any], *, counted: bool) -> Any:
    """Make a data set that yields tensors of these items, and counts how often it is iterated."""

    class Stream(be.lookup("torch.utils.data:IterableDataset")):  # type: ignore[misc]
        passes = 0

        def __iter__(self) -> Iterator[Any]:
            self.passes += 1
            yield from (be.tensor(np.asarray(item, np.float64)) for item in items)

    class Counted(Stream):
        def __len__(self) -> int:
            return len(items)

    return Counted() if counted else Stream()


def outcomes(loader: Any) -> Iterator[Any]:
    """Go through a pass to its end, and yield each batch, or the KeyError raised in its place.

    A pass left in its middle would keep its workers until Python collects garbage, and what is
    forked in between would wait for them.
    """
    batches = iter(loader)
    while True:
        try:
            yield next(batches)
        except StopIteration:
            return
        except KeyError as error:
            yield error.with_traceback(None)


GUARDED = "if __name__ == '__main__':\n"
UNGUARDED = "if True:\n"


@contextmanager
def main_script(guard: str) -> Iterator[None]:
    """Let this process pass, for a block, for one that runs a script that starts a process.

    A process that is spawned in the block imports the script, as it would import the real one.
    """
    with TemporaryDirectory() as folder:
        script = ModuleType("__main__")
        script.__file__ = str(Path(folder) / "script.py")
        start = "    multiprocessing.get_context('spawn').Process().start()\n"
        Path(script.__file__).write_text(f"import multiprocessing\n{guard}{start}", "utf-8")
        real, sys.modules["__main__"] = sys.modules["__main__"], script
        try:
            yield
        finally:
            sys.modules["__main__"] = real


def images() -> "st.SearchStrategy[np.ndarray[Any, Any]]":
    """Draw an image of bytes: two rows, three columns, two channels."""
    return st.binary(min_size=12, max_size=12).map(
        lambda drawn: np.frombuffer(drawn, np.uint8).reshape(2, 3, 2)
    )


# ---- structured items ----------------------------------------------------------------------------


class Pair(NamedTuple):
    """A tuple whose parts have names."""

    first: Any
    second: Any


class Texts(tuple[str, ...]):
    """The texts of a batch: they come in a list or, out of items that are lists, in a tuple."""

    __slots__ = ()


GRID = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

Part = tuple[Callable[[Subject, int], Any], Callable[[Subject, "np.ndarray[Any, Any]"], Any]]

PARTS: Mapping[str, Part] = {
    "tensor": (lambda be, n: be.tensor(GRID + n), lambda be, n: _grids(n).astype(be.dtype)),
    "float64 array": (lambda _, n: GRID + n, lambda _, n: _grids(n)),
    "int16 array": (
        lambda _, n: (GRID + n).astype("int16"),
        lambda _, n: _grids(n).astype("int16"),
    ),
    "float32 scalar": (lambda _, n: np.float32(n), lambda _, n: n.astype("float32")),
    "float": (lambda _, n: n / 4, lambda _, n: n / 4),
    "int": (lambda _, n: n, lambda _, n: n),
    "bool": (lambda _, n: n % 2 == 0, lambda _, n: n % 2 == 0),
    "text": (lambda _, n: f"item {n}", lambda _, n: Texts(f"item {i}" for i in n)),
}
"""What item `n` holds as one of its parts, and what a batch of the items `n` then holds."""


@cache
def structures() -> st.SearchStrategy[Any]:
    """Draw how an item is built: names of `PARTS`, in lists, tuples, named tuples and dicts."""
    parts = st.sampled_from(list(PARTS))
    inner = parts | wholes(parts)
    return inner | wholes(inner)


def wholes(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draw something made of one or two parts."""
    return (
        st.lists(parts, min_size=1, max_size=2)
        | st.tuples(parts, parts)
        | st.builds(Pair, parts, parts)
        | st.dictionaries(st.sampled_from("xy"), parts, min_size=1)
    )


def item(be: Subject, structure: Any, n: int) -> Any:
    """Build item `n`."""
    return _filled(structure, lambda part: PARTS[part][0](be, n), tuple)


def batch(be: Subject, structure: Any, numbers: Sequence[int]) -> Any:
    """Build what a batch of the items with these numbers holds, with arrays for tensors."""
    n = np.array(numbers)
    return _filled(structure, lambda part: PARTS[part][1](be, n), list)


def check_batch(be: Subject, got: Any, want: Any) -> None:
    """Compare the structure and every bit of a batch. Raises AssertionError."""
    if isinstance(want, np.ndarray):
        be.same(got, want)
        return
    if isinstance(want, Texts):
        assert type(got) in {list, tuple}
        assert tuple(got) == want
        return
    assert type(got) is type(want), f"{type(got).__name__}, expected {type(want).__name__}"
    if isinstance(want, dict):
        assert list(got) == list(want)
        check_batch(be, list(got.values()), list(want.values()))
    else:
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            check_batch(be, one, other)


def _grids(numbers: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    grids: np.ndarray[Any, Any] = numbers[:, None, None] + GRID
    return grids


def _filled(structure: Any, fill: Callable[[str], Any], plain: type) -> Any:
    """Put something into each place of `structure`; tuples without names become `plain`."""
    if isinstance(structure, str):
        return fill(structure)
    if isinstance(structure, dict):
        return {key: _filled(part, fill, plain) for key, part in structure.items()}
    parts = [_filled(part, fill, plain) for part in structure]
    if isinstance(structure, Pair):
        return Pair(*parts)
    return plain(parts) if isinstance(structure, tuple) else parts


def arranged(be: Subject, x: Any, shape: tuple[int, ...], columns: int, gap: int) -> Any:
    """Arrange a batch of images of `shape` in so many columns, with a gap around each of them."""
    n, channels, height, width = shape
    rows, tall, wide = n // columns, height + gap, width + gap
    cells = be.reshape(be.pad(x, (gap, 0, gap, 0)), (rows, columns, channels, tall, wide))
    whole = be.reshape(be.permute(cells, (2, 0, 3, 1, 4)), (channels, rows * tall, columns * wide))
    return be.pad(whole, (0, gap, 0, gap))
