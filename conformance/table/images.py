"""Images with several channels, which lie in memory before their pixels or behind them.

Where an operation asks for shapes it is given larger ones, the 0th way. What makes its shapes by
itself is drawn as ever, and its first tensor is repeated after that: along channels too, the first
way, or as images only, the second one.
"""

from collections.abc import Sequence

import numpy as np

from ..strategies.arrays import Array, Layout
from .layouts import Shape, lying

PICTURES = {"images": (2, 4), "channels": (2, 12), "single": (1, 4)}
"""Images and channels that there are in corners of these kinds: a single image, or so many more."""

UNBATCHED = 3
"""Axes of one image: its channels, and two for its pixels."""


def several_images(shapes: Sequence[Shape], images: int, channels: int) -> tuple[Shape, ...]:
    """Let the first shape, and all with as many axes, have so many images and channels at least.

    Of one image there is no more than one; what is shaped otherwise may still be several.
    """
    first, *others = shapes
    if len(first) == UNBATCHED:
        first = (1, *first)

    def grown(shape: Shape) -> Shape:
        count = 1 if images == 1 and shape == first else max(2, shape[0])
        return (count, max(channels, shape[1]), *shape[2:])

    return tuple(grown(shape) if len(shape) == len(first) else shape for shape in (first, *others))


def repeated(
    tensors: Sequence[Array], images: int, channels: int, layouts: Sequence[Layout]
) -> tuple[Array, ...]:
    """Repeat the first tensor, no two planes of which lie alike, and lay out all that are images.

    There are so many times as many `images`, or only one, and at least so many `channels`: as
    before beside a kernel with as many axes. Raises ValueError if there are no images.
    """
    first, *others = tensors
    if first.ndim == UNBATCHED:
        first = first[None]
    first = first[:1] if images == 1 else first
    most = max((x.ndim for x in others), default=0)
    if first.ndim < max(UNBATCHED, most):
        raise ValueError(f"a tensor of shape {first.shape} is no image")
    times = -(-channels // first.shape[1]) if first.ndim > most else 1
    again = np.tile(first, (images, times, *(1 for _ in first.shape[2:])))
    for n, plane in enumerate(again.reshape(-1, *first.shape[2:])):
        plane[...] = np.roll(plane, n)
    ways = [layouts[n % len(layouts)] for n in range(len(tensors))]
    return tuple(
        lying(x, way) if x.ndim > UNBATCHED else x
        for x, way in zip((again, *others), ways, strict=True)
    )
