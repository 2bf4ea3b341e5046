"""Windows of so many points, by their formulas."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import Array


def cosines(n: int, a: Sequence[float]) -> Array:
    """Add up cosines of whole periods over n points, of alternating signs."""
    if n == 1:
        return np.ones(1)
    angle = 2 * np.pi * np.arange(n) / (n - 1)
    return np.asarray(sum((-1) ** k * share * np.cos(k * angle) for k, share in enumerate(a)))


def from_middle(n: int) -> Array:
    """How far each of n points is from their middle."""
    return np.asarray(np.arange(n) - (n - 1) / 2, np.float64)


SYMMETRIC: Mapping[str, Callable[..., Array]] = {
    "bartlett": np.bartlett,
    "blackman": np.blackman,
    "cosine": lambda n: np.sin(np.pi * (np.arange(n) + 0.5) / max(n, 1)),
    "exponential": lambda n, tau=1.0: np.exp(-np.abs(from_middle(n)) / tau),
    "gaussian": lambda n, std=1.0: np.exp(-((from_middle(n) / std) ** 2) / 2),
    "general_cosine": cosines,
    "general_hamming": lambda n, alpha=0.54: cosines(n, [alpha, 1 - alpha]),
    "hamming": np.hamming,
    "hann": np.hanning,
    "kaiser": lambda n, beta=12.0: np.kaiser(n, beta),
    "nuttall": lambda n: cosines(n, [0.3635819, 0.4891775, 0.1365995, 0.0106411]),
}
"""The values of each window from end to end, by the number of points and its options."""

TOLD: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "exponential": ({}, {"tau": 2.5}),
    "gaussian": ({}, {"std": 0.75}),
    "general_cosine": ({"a": [0.5, 0.375, 0.125]}, {"a": [1.0]}),
    "general_hamming": ({}, {"alpha": 0.75}),
    "kaiser": ({}, {"beta": 3.5}),
}
"""What some windows are told."""

OLDER = ("bartlett", "blackman", "hamming", "hann", "kaiser")
"""Windows that have a function of an older name, which are periodic unless they are told."""

PLACES = (
    *(f"torch:{name}_window" for name in OLDER),
    *(f"torch.signal.windows:{name}" for name in SYMMETRIC),
)
"""Where PyTorch has the functions that make windows."""


def window(name: str, n: int, *, symmetric: bool, **told: Any) -> Array:
    """Return a window; one that is periodic is without the last point of one that is longer."""
    formula = SYMMETRIC[name]
    return formula(n, **told) if symmetric or n <= 1 else formula(n + 1, **told)[:-1]
