"""What lies on devices: dtypes that travel, and numbers that show how exactly a device computes."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..protocol.subject import Subject
from .arrays import Array

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8")


def full_numbers(be: Subject, seed: int, *shapes: tuple[int, ...]) -> list[Array]:
    """Return arrays of random numbers with all the digits of the subject's dtype, and no more."""
    random = np.random.default_rng(seed)
    return [random.normal(size=shape).astype(be.dtype).astype(np.float64) for shape in shapes]


@contextmanager
def settings_told(be: Subject) -> Iterator[None]:
    """Let a failure on a GPU say which setting of the library allows less precision."""
    coarse = [
        f"{name} is set to {value}"
        for name, value in be.state().items()
        if name.startswith("precision of") and value not in ("none", "ieee")
    ]
    try:
        yield
    except AssertionError as error:
        if be.device == "cpu" or not coarse:
            raise
        raise AssertionError(f"{'; '.join(coarse)}: {error}") from error
