"""Images with a class each, in the shapes of CIFAR-10, made from a seed: nothing is downloaded."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import Array

CLASSES = 10
SHAPE = (3, 32, 32)
NOISE = 0.25
"""The standard deviation of what is added to each entry; a class's own pattern has entries of about
1, so that even the nearest centre tells classes apart without a mistake."""


@dataclass(frozen=True)
class Images:
    """`values` (n, 3, 32, 32) of about -3 to 3, and a `label` from 0 to 9 for each of them."""

    values: Array
    labels: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, places: Any) -> tuple[Array, npt.NDArray[np.int64]]:
        return self.values[places], self.labels[places]


def images(count: int, seed: int) -> Images:
    """Make `count` images, equally many of each class if `count` is a multiple of ten.

    The patterns of the classes are the same for every seed; noise and order come from it.
    """
    patterns = np.kron(np.random.default_rng(0).normal(size=(CLASSES, 3, 4, 4)), np.ones((8, 8)))
    draw = np.random.default_rng(seed)
    labels = draw.permutation(np.arange(count) % CLASSES)
    return Images(patterns[labels] + NOISE * draw.normal(size=(count, *SHAPE)), labels)
