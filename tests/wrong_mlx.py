"""Functions for MLX as people write them, wrong in a common way and right."""

import mlx.core as mx
import numpy as np

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])


@mx.custom_function
def unscaled(x):
    return mx.mean(x * x)


@unscaled.vjp
def unscaled_pull(x, g, y):
    return g * 2 * x


@mx.custom_function
def scaled(x):
    return mx.mean(x * x)


@scaled.vjp
def scaled_pull(x, g, y):
    return g * 2 * x / x.size


def detached_factor(x):
    return x / mx.stop_gradient(mx.sqrt(mx.sum(x * x)))


def right_factor(x):
    return x / mx.sqrt(mx.sum(x * x))


PAIRS = {
    "mean not scaled": (unscaled, scaled, X),
    "detached factor": (detached_factor, right_factor, X),
}


def rational(x):
    return 1 / (1 + x * x)


OTHERS = {"rational": (rational, X)}
