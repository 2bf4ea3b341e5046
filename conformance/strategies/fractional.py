"""Pools whose windows are spread by a fraction: where they begin, and what is largest in them."""

from itertools import product

import numpy as np
import numpy.typing as npt

from ..protocol.subject import Subject
from .arrays import Array


def begins(size: int, window: int, count: int, sample: float) -> list[int]:
    """Return where windows begin along an axis (Graham, arXiv 1412.6071, pseudorandom).

    Steps are whole parts of a fraction that begins with a sample; the last window ends the axis.
    """
    step = (size - window) / max(count - 1, 1)
    first = [int((n + sample) * step) - int(sample * step) for n in range(count - 1)]
    return [*first, size - window]


def check_fractional(be: Subject, axes: int, seed: int) -> None:
    """Compare a pool, its places and its gradients with its windows. Raises AssertionError."""
    rng = np.random.default_rng(seed)
    sizes, windows = rng.integers(4, 8, axes), rng.integers(1, 4, axes)
    # In three axes PyTorch wants an entry more than there are places of windows.
    counts = [int(rng.integers(1, n - k + 4 - axes)) for n, k in zip(sizes, windows, strict=True)]
    x: Array = rng.permutation(4 * int(sizes.prod())).reshape(2, 2, *sizes) / 4
    # Sixteenths of odd numbers are no border of whole parts, whatever the fraction is. All axes
    # have the same, because nothing says which of several is for which.
    samples = np.repeat(rng.integers(0, 8, (2, 2, 1)) / 8 + 1 / 16, axes, 2)
    shares = [(count + 0.5) / n for count, n in zip(counts, sizes, strict=True)]
    told = {"output_ratio": shares} if max(shares) < 1 and seed % 2 else {"output_size": counts}
    options = {"return_indices": True, "_random_samples": be.tensor(samples)}
    window = tuple(int(k) for k in windows)
    layer = be.layer(f"FractionalMaxPool{axes}d", window, **told, **options)
    places: npt.NDArray[np.int64] = np.zeros((2, 2, *counts), np.int64)
    number = np.arange(sizes.prod()).reshape(sizes)
    for n, c in product(range(2), range(2)):
        starts = [
            begins(*row, samples[n, c, 0]) for row in zip(sizes, windows, counts, strict=True)
        ]
        for at in product(*map(range, counts)):
            cut = tuple(
                slice(begin[i], begin[i] + k)
                for begin, i, k in zip(starts, at, windows, strict=True)
            )
            places[n, c][at] = number[cut].flat[x[n, c][cut].argmax()]
    leaf, w, v = be.leaf(x), _quarters(rng, places.shape), _quarters(rng, x.shape)
    y, found = layer(leaf)
    be.check(y, _taken(x, places), f"largest of windows of {window}, {told}")
    be.same(found, places, f"places of windows of {window}, {told}")
    cotangent = be.leaf(w)
    (slope,) = be.gradients(y, [leaf], cotangent, create_graph=True)
    whole = np.zeros((4, x[0, 0].size))
    np.add.at(whole, (np.arange(4)[:, None], places.reshape(4, -1)), w.reshape(4, -1))
    be.check(slope, whole.reshape(x.shape), "gradient")
    (second,) = be.gradients(slope, [cotangent], be.tensor(v))
    be.check(second, _taken(v, places), "derivative of the gradient")


def _quarters(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.integers(-8, 9, shape) / 4


def _taken(x: Array, places: npt.NDArray[np.int64]) -> Array:
    flat = places.reshape(*places.shape[:2], -1)
    taken: Array = np.take_along_axis(x.reshape(*x.shape[:2], -1), flat, 2)
    return taken.reshape(places.shape)
