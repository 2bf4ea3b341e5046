"""Functions for JAX as people write them, wrong in a common way and right; see `wrong_torch`."""

import jax
import jax.numpy as jnp
import numpy as np

X = np.array([[0.5, -1.25], [1.5, 0.75]])
Y = np.array([[1.0, 0.5], [2.0, -1.5]])
ROW = np.array([0.75, -1.5])


def with_rule(forward, pullback):
    """Return `forward` with a pullback: of what it was given, and of a cotangent."""
    function = jax.custom_vjp(forward)
    function.defvjp(lambda *xs: (forward(*xs), xs), pullback)
    return function


def sine(x):
    return jnp.sin(x)


def product(x, row):
    return x * row


def mean_square(x):
    return jnp.mean(x * x)


def cube(x):
    return x**3


def maximum(x, y):
    return jnp.maximum(x, y)


def multiplied(x, y):
    return x * y


def cosine(x):
    return jnp.cos(x)


def matrices(x, y):
    return x @ y


def running_sum(x):
    return jnp.cumsum(x, -1)


def limited(x):
    return jnp.clip(x, -1, 1)


def square(x):
    return x * x


def scaled_square(xs, g):
    largest = jnp.abs(xs[0]).max()
    return (g * 2 * (xs[0] / largest) * largest,)


right_sine = with_rule(sine, lambda xs, g: (g * jnp.cos(xs[0]),))
halved_sine = with_rule(sine, lambda xs, g: (g * jnp.cos(xs[0]).astype("float32").astype(g.dtype),))
clipped_sine = with_rule(sine, lambda xs, g: (jnp.clip(g * jnp.cos(xs[0]), -50, 50),))
right_product = with_rule(product, lambda xs, g: (g * xs[1], (g * xs[0]).sum(0)))
lost_product = with_rule(product, lambda xs, g: (g * xs[1], (g * xs[0])[0]))
right_mean = with_rule(mean_square, lambda xs, g: (g * 2 * xs[0] / xs[0].size,))
unscaled_mean = with_rule(mean_square, lambda xs, g: (g * 2 * xs[0],))
right_cube = with_rule(cube, lambda xs, g: (3 * g * xs[0] ** 2,))
constant_cube = with_rule(cube, lambda xs, g: (3 * g * jax.lax.stop_gradient(xs[0]) ** 2,))
right_maximum = with_rule(maximum, lambda xs, g: (g * (xs[0] >= xs[1]), g * (xs[1] > xs[0])))
twice_maximum = with_rule(maximum, lambda xs, g: (g * (xs[0] >= xs[1]), g * (xs[1] >= xs[0])))
right_multiplied = with_rule(multiplied, lambda xs, g: (g * xs[1], g * xs[0]))
swapped_multiplied = with_rule(multiplied, lambda xs, g: (g * xs[0], g * xs[1]))
right_cosine = with_rule(cosine, lambda xs, g: (-g * jnp.sin(xs[0]),))
positive_cosine = with_rule(cosine, lambda xs, g: (g * jnp.sin(xs[0]),))
right_matrices = with_rule(matrices, lambda xs, g: (g @ xs[1].T, xs[0].T @ g))
untransposed_matrices = with_rule(matrices, lambda xs, g: (g @ xs[1], xs[0].T @ g))
right_running = with_rule(running_sum, lambda xs, g: (jnp.cumsum(g[..., ::-1], -1)[..., ::-1],))
forward_running = with_rule(running_sum, lambda xs, g: (jnp.cumsum(g, -1),))
right_limited = with_rule(limited, lambda xs, g: (g * (jnp.abs(xs[0]) <= 1),))
unlimited = with_rule(limited, lambda xs, g: (g,))
right_square = with_rule(square, lambda xs, g: (g * 2 * xs[0],))
empty_square = with_rule(square, scaled_square)


def detached_factor(x):
    return x / jax.lax.stop_gradient(jnp.sqrt((x * x).sum()))


def right_factor(x):
    return x / jnp.sqrt((x * x).sum())


def single_inside(x):
    return jnp.sin(x.astype("float32")).astype(x.dtype)


def nan_at_zero(x):
    return jnp.where(x == 0, 1.0, jnp.sin(x) / x)


def right_at_zero(x):
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1 - x * x / 6, jnp.sin(safe) / safe)


def infinity_divided(x):
    return jnp.where(x > 20, x, jnp.log1p(jnp.exp(x)))


def right_softplus(x):
    return jnp.logaddexp(x, 0.0)


def tree(batch):
    return {"sum": batch["x"] + batch["y"], "both": (batch["x"] * batch["y"], batch["x"].sum())}


PAIRS = {
    "lost broadcast": (lost_product, right_product, X, ROW),
    "detached factor": (detached_factor, right_factor, X),
    "float32 inside": (single_inside, sine, X),
    "float32 in backward": (halved_sine, right_sine, X),
    "not linear": (clipped_sine, right_sine, X),
    "second derivative constant": (constant_cube, right_cube, X),
    "tie counted twice": (twice_maximum, right_maximum, X, Y),
    "nan at zero": (nan_at_zero, right_at_zero, X),
    "infinity divided": (infinity_divided, right_softplus, X),
    "mean not scaled": (unscaled_mean, right_mean, X),
    "inputs swapped": (swapped_multiplied, right_multiplied, X, Y),
    "sign lost": (positive_cosine, right_cosine, X),
    "transpose forgotten": (untransposed_matrices, right_matrices, X, Y),
    "order not reversed": (forward_running, right_running, X),
    "range ignored": (unlimited, right_limited, X),
    "breaks on empty": (empty_square, right_square, X),
}
OTHERS = {
    "relu": (jax.nn.relu, X),
    "softmax": (jax.nn.softmax, X),
    "sort": (jnp.sort, X),
    "tree": (tree, {"x": X, "y": Y}),
}
