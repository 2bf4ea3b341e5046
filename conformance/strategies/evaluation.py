"""Predictions to be counted: classes, labels, and the batches in which they come."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

Classes = npt.NDArray[np.int64]
COUNT = 10
"""How many classes there are, as in the notes."""


@dataclass(frozen=True)
class Predictions:
    """A predicted class and the true one for each sample, which come in batches of `sizes`."""

    predicted: Classes
    labels: Classes
    sizes: tuple[int, ...]

    def batches(self) -> Iterator[tuple[Classes, Classes]]:
        """Yield the predictions and the labels of one batch after the other."""
        ends = np.cumsum(self.sizes)[:-1]
        yield from zip(np.split(self.predicted, ends), np.split(self.labels, ends), strict=True)

    @property
    def hits(self) -> npt.NDArray[np.bool_]:
        """Which predictions are right."""
        right: npt.NDArray[np.bool_] = self.predicted == self.labels
        return right


@cache
def predictions(*, balanced: bool = False) -> st.SearchStrategy[Predictions]:
    """Draw up to four batches of one to seven samples, about half of them predicted rightly.

    If `balanced`, there are three samples of each class.
    """
    sizes = st.lists(st.integers(1, 7), min_size=1, max_size=4)
    count = 3 * COUNT if balanced else 28
    return st.builds(_decoded, st.binary(min_size=2 * count, max_size=2 * count), sizes).map(
        _balanced if balanced else _cut
    )


def from_hits(per_class: Sequence[int], samples: int) -> Predictions:
    """Give each class as many samples, of which so many are predicted rightly."""
    labels = np.repeat(np.arange(COUNT), samples)
    right = np.concatenate([np.arange(samples) < hits for hits in per_class])
    return Predictions(np.where(right, labels, (labels + 1) % COUNT), labels, (len(labels),))


def _decoded(codes: bytes, sizes: list[int]) -> Predictions:
    labels, guesses = np.frombuffer(codes, np.uint8).astype(np.int64).reshape(2, -1)
    labels = labels % COUNT
    # The upper half of all codes is right.
    return Predictions(np.where(guesses >= 128, labels, guesses % COUNT), labels, tuple(sizes))


def _cut(drawn: Predictions) -> Predictions:
    count = sum(drawn.sizes)
    return Predictions(drawn.predicted[:count], drawn.labels[:count], drawn.sizes)


def _balanced(drawn: Predictions) -> Predictions:
    labels = np.arange(len(drawn.labels)) % COUNT
    predicted = np.where(drawn.hits, labels, drawn.predicted)
    return Predictions(predicted, labels, (len(labels),))
