"""Functions for Autograd as people write them, wrong in a common way and right."""

import numpy as np
from autograd import numpy as anp
from autograd.extend import defvjp, primitive

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])
ROW = np.array([0.75, -1.5, 2.5])


@primitive
def lost(x, row):
    return x * row


@primitive
def right(x, row):
    return x * row


@primitive
def overwriting(x):
    return np.exp(x)


@primitive
def written(x):
    return np.exp(x)


def overwrite(ans, x):
    def pull(g):
        g *= ans
        return g

    return pull


def sum_to(g, x):
    """Add up what was repeated, as Autograd leaves to whoever writes a rule."""
    while anp.ndim(g) > anp.ndim(x):
        g = anp.sum(g, axis=0)
    for axis, size in enumerate(anp.shape(x)):
        if size == 1:
            g = anp.sum(g, axis=axis, keepdims=True)
    return g


defvjp(lost, lambda ans, x, row: lambda g: g * row, lambda ans, x, row: lambda g: g * x)
defvjp(
    right,
    lambda ans, x, row: lambda g: sum_to(g * row, x),
    lambda ans, x, row: lambda g: sum_to(g * x, row),
)
defvjp(overwriting, overwrite)
defvjp(written, lambda ans, x: lambda g: g * ans)


def softmax(x):
    # Not less the largest entry: the gradient of `max` is float64, which is Autograd's own fault.
    e = anp.exp(x)
    return e / anp.sum(e)


PAIRS = {
    "lost broadcast": (lost, right, X, ROW),
    "cotangent overwritten": (overwriting, written, X),
}
OTHERS = {"softmax": (softmax, X)}
