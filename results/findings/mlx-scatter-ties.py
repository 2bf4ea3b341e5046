"""Where at[].maximum or at[].minimum meets equal numbers, each of them receives the whole gradient.

Where all grow alike, the result grows as they do: gradients add up to that of the result, as those
of maximum and max do. The change that brought them, https://github.com/ml-explore/mlx/pull/431,
asks whether both are to receive it. Searched for on 2026-12-01: nothing else was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)
x, more, place = mx.array([3.0]), mx.array([3.0, 3.0]), mx.array([0, 0])
expected, got = {}, {}
for word in ("maximum", "minimum"):
    gradients = mx.grad(lambda x, more, word=word: getattr(x.at[place], word)(more).sum(), (0, 1))(
        x, more
    )
    expected[word] = 1.0
    got[word] = sum(gradient.sum().item() for gradient in gradients)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
