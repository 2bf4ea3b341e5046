"""More functions of JAX, under gradspec's names."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

import jax
from jax import Array, lax
from jax import numpy as jnp
from jax.scipy import linalg, special, stats

from .jax_windows import WINDOWS
from .names import named, of_this_release
from .numpy_forms import numpy_forms
from .numpy_names import key
from .numpy_options import numpy_options
from .scipy_densities import scipy_densities

SPECIAL = """
logit erfcx ndtri log_ndtr polygamma mvlgamma=multigammaln zeta igammac=gammaincc i0e i1 i1e
"""
"""Functions of `jax.scipy.special`, and their names where they differ from ours."""

DENSITIES = """
normal_log_prob laplace_log_prob cauchy_log_prob student_t_log_prob gamma_log_prob
gamma_standard_log_prob chi2_log_prob beta_log_prob exponential_log_prob
gumbel_log_prob logistic_log_prob pareto_log_prob uniform_log_prob von_mises_log_prob
poisson_log_prob binomial_log_prob negative_binomial_log_prob bernoulli_log_prob
geometric_log_prob multivariate_normal_covariance_log_prob
normal_cdf normal_icdf laplace_cdf cauchy_cdf cauchy_icdf gumbel_cdf exponential_cdf
"""
"""Densities of `jax.scipy.stats`: that of a Dirichlet distribution takes no batch."""

OTHERWISE = "lstsq gradient_edges"
"""Functions of `jax.numpy` that take less than ours: no batch, no order of edges."""


def widths(x: Array, sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Turn sizes before and after, the last axis first, into pairs, the first axis first."""
    pairs = [(sizes[n], sizes[n + 1]) for n in range(0, len(sizes), 2)]
    return [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]


def padded(**options: Any) -> Callable[[Array, Sequence[int]], Array]:
    """Pad in one of the modes of `jax.numpy.pad`."""
    return lambda x, sizes: jnp.pad(x, widths(x, sizes), **options)


def put(x: Array, keys: tuple[Any, ...], values: Array, accumulate: bool = False) -> Array:  # noqa: FBT001, FBT002
    """Write to places, or add to them."""
    return x.at[keys].add(values) if accumulate else x.at[keys].set(values)


def matrices(b: Array, factors: Array) -> Array:
    """Repeat matrices for each of several factors: JAX takes fewer axes for a batch of vectors."""
    batch = jnp.broadcast_shapes(b.shape[:-2], factors.shape[:-2])
    return jnp.broadcast_to(b, (*batch, *b.shape[-2:]))


def convolution(
    x: Array, weight: Array, bias: Array, stride: int, padding: Any, dilation: int, groups: int
) -> Array:
    """Let `conv_general_dilated` take one number for all axes, and add a bias to what it gives."""
    axes = x.ndim - 2
    around = [(padding, padding)] * axes if isinstance(padding, int) else padding.upper()
    made = lax.conv_general_dilated(
        x,
        weight,
        (stride,) * axes,
        around,
        rhs_dilation=(dilation,) * axes,
        feature_group_count=groups,
    )
    return made + bias.reshape((-1, *(1,) * axes))


def transposed_convolution(x: Array, weight: Array, bias: None = None, stride: int = 1) -> Array:
    """Let `conv_transpose` read images and kernels as PyTorch lays them out."""
    if bias is not None:
        raise NotImplementedError
    return lax.conv_transpose(
        x,
        weight,
        (stride, stride),
        [(size - 1, size - 1) for size in weight.shape[2:]],
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
        transpose_kernel=True,
    )


def max_pool(x: Array, size: int) -> Array:
    """Reduce windows over the last two axes, which do not overlap, to their largest entries."""
    window = (*(1,) * (x.ndim - 2), size, size)
    return lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")


def nearest(x: Array, sizes: Sequence[int], mode: str, align_corners: None) -> Array:
    """Resize the last axes: at half a pixel, which PyTorch calls exact."""
    del mode, align_corners
    return jax.image.resize(x, (*x.shape[: -len(sizes)], *sizes), "nearest")


def hard_tanh(x: Array, low: float, high: float) -> Array:
    """Call `hard_tanh`, whose bounds are fixed."""
    if (low, high) != (-1, 1):
        raise NotImplementedError
    return jax.nn.hard_tanh(x)


def of_segments(reduce: Callable[..., Array]) -> Callable[..., Array]:
    """Tell a reduction of segments to which of them each row belongs."""

    def call(x: Array, lengths: Array) -> Array:
        count = len(lengths)
        rows = jnp.repeat(jnp.arange(count), lengths, total_repeat_length=len(x))
        return reduce(x, rows, count)

    return call


def places(index: Array, dim: int) -> tuple[Array, ...]:
    """Index each axis by where an entry of `index` lies, and axis `dim` by what it is."""
    grid: list[Array] = [*jnp.indices(index.shape, sparse=True)]
    if grid:
        grid[dim] = index
    return tuple(grid)


def scattered(word: str) -> Callable[..., Array]:
    """Write entries to places along an axis, or add them to what is there."""

    def write(x: Array, dim: int, index: Array, src: Any) -> Array:
        near = src[tuple(map(slice, index.shape))] if jnp.ndim(src) else src
        changed: Array = getattr(x.at[places(index, dim)], word)(near)
        return changed

    return write


def adding(x: Array, dim: int, index: Array, src: Array, include_self: bool) -> Array:  # noqa: FBT001
    """Add entries to what is there, or to nothing where that is not to count."""
    at = places(index, dim)
    return (x if include_self else x.at[at].set(0)).at[at].add(src)


def system(x: Array) -> Sequence[Array]:
    """Call `eig` for eigenvectors whose derivatives only hold once their lengths are undone."""
    found: Sequence[Array] = lax.linalg.eig(
        x, compute_left_eigenvectors=False, enable_eigvec_derivs=True
    )
    return found


def best(x: Array, k: int, dim: int, largest: bool = True) -> tuple[Array, Array]:  # noqa: FBT001, FBT002
    """Call `top_k`, which knows the largest entries only."""
    if largest:
        values, found = lax.top_k(x, k, axis=dim)
        return values, found
    values, found = lax.top_k(-x, k, axis=dim)
    return -values, found


FORMS: Mapping[str, Callable[..., Any]] = {
    **{
        f"segment_reduce_{kind}": of_segments(getattr(jax.ops, f"segment_{kind}"))
        for kind in ("sum", "max", "min")
    },
    "scatter_reduce_sum": adding,
    "gather": lambda x, dim, index: x[places(index, dim)],
    "scatter": scattered("set"),
    "scatter_add": scattered("add"),
    "embedding": lambda index, table: jnp.take(table, index, axis=0),
    "topk": best,
    "argsort": lambda x, dim: jnp.argsort(x, axis=dim),
    "matrix_power_far": jnp.linalg.matrix_power,
    "matrix_norm_singular": lambda x, order: jnp.linalg.matrix_norm(x, ord=order),
    "pinv_wide": jnp.linalg.pinv,
    "tensorsolve": jnp.linalg.tensorsolve,
    "eig": system,
    "eigvals": lambda x: system(x)[0],
    "hardtanh": hard_tanh,
    "complex": lax.complex,
    "mm": lax.dot,
    "bmm": lax.batch_matmul,
    "split_sizes": lambda x, sizes, dim=0: lax.split(x, sizes, axis=dim),
    "flatten": lambda x, start=0, end=-1: lax.collapse(x, start, None if end == -1 else end + 1),
    # The other algorithm, which is the default, has a loop that cannot be run backward.
    "polar_factors": partial(linalg.polar, method="svd"),
    "matrix_exp": linalg.expm,
    "matrix_exp_scaled": linalg.expm,
    "lu": linalg.lu,
    "lu_factor": linalg.lu_factor,
    "lu_solve": lambda b, factors, exchanges: linalg.lu_solve(
        (factors, exchanges), matrices(b, factors)
    ),
    "cholesky_solve": lambda b, lower: linalg.cho_solve((lower, True), matrices(b, lower)),
    "solve_triangular": lambda a, b, upper, left=True, unitriangular=False: (
        lax.linalg.triangular_solve(
            a, b, left_side=left, lower=not upper, unit_diagonal=unitriangular
        )
    ),
    "logsumexp_several": lambda x, dim, keepdim=False: special.logsumexp(
        x, axis=dim, keepdims=keepdim
    ),
    "leaky_relu_slope": jax.nn.leaky_relu,
    "layer_norm_plain": lambda x, sizes, eps: jax.nn.standardize(
        x, tuple(range(-len(sizes), 0)), epsilon=eps
    ),
    # That of `jax.numpy`, as it documents, takes the mean of both triangles.
    "cholesky_upper": linalg.cholesky,
    # Unless it is told not to, it takes the mean of both triangles, as it documents.
    "eigh_upper": partial(jnp.linalg.eigh, symmetrize_input=False),
    "eigvalsh_upper": partial(jnp.linalg.eigvalsh, symmetrize_input=False),
    "cholesky_solve_upper": lambda b, factor, upper: linalg.cho_solve(
        (factor, not upper), matrices(b, factor)
    ),
    "flatten_ends": lambda x, start, end: lax.collapse(x, start, None if end == -1 else end + 1),
    "index_put_wide": put,
    "index_put_mask": put,
    "index_fill_tensor": lambda x, dim, index, value: x.at[key(dim, index)].set(value),
    "slice_scatter_ends": lambda x, src, dim, start, end, step: x.at[
        key(dim, slice(start, end, step))
    ].set(src),
    "logcumsumexp": lambda x, dim: lax.cumlogsumexp(x, axis=dim % x.ndim),
    "cummax": lambda x, dim: (lax.cummax(x, axis=dim % x.ndim),),
    "cummin": lambda x, dim: (lax.cummin(x, axis=dim % x.ndim),),
    "sort": lambda x, dim=-1, descending=False: (
        jnp.sort(x, axis=dim, descending=descending),
        jnp.argsort(x, axis=dim, descending=descending),
    ),
    "sort_stable": lambda x, stable, dim=-1, descending=False: (
        jnp.sort(x, axis=dim, stable=stable, descending=descending),
        jnp.argsort(x, axis=dim, stable=stable, descending=descending),
    ),
    "pad": padded(),
    "pad_reflect": padded(mode="reflect"),
    "pad_replicate": padded(mode="edge"),
    "pad_circular": padded(mode="wrap"),
    "pad_value": lambda x, sizes, value: lax.pad(
        x, jnp.asarray(value, x.dtype), [(*pair, 0) for pair in widths(x, sizes)]
    ),
    "index_put": put,
    "index_add": lambda x, dim, index, src: x.at[key(dim, index)].add(src),
    "index_copy": lambda x, dim, index, src: x.at[key(dim, index)].set(src),
    "index_fill": lambda x, dim, index, value: x.at[key(dim, index)].set(value),
    "slice_scatter": lambda x, src, dim, start, end, step: x.at[
        key(dim, slice(start, end, step))
    ].set(src),
    "select_scatter": lambda x, src, dim, index: lax.dynamic_update_index_in_dim(
        x, src, index, dim
    ),
    "scatter_number": lambda x, dim, index, value: jnp.put_along_axis(
        x, index, value, dim, inplace=False
    ),
    "masked_scatter": lambda x, mask, src: jnp.place(x, mask, src, inplace=False),
    "conv1d_grouped": convolution,
    "conv2d_grouped": convolution,
    "conv3d": convolution,
    "conv_transpose2d": transposed_convolution,
    "max_pool2d": max_pool,
    "interpolate_nearest_exact1d": nearest,
    "interpolate_nearest_exact2d": nearest,
}
"""Functions of `jax.numpy`, `jax.lax` and `jax.scipy.linalg` that have a name of their own here."""


def takes(function: Callable[..., Any], option: str) -> bool:
    """Whether a function has an option in this release."""
    return option in signature(function).parameters


LATER = {
    "split_sizes": hasattr(lax, "split"),
    "scatter_number": hasattr(jnp, "put_along_axis"),
    "topk": takes(lax.top_k, "axis"),
    "topk_options": takes(lax.top_k, "axis"),
    "eigvalsh_upper": takes(jnp.linalg.eigvalsh, "symmetrize_input"),
    "eig": takes(lax.linalg.eig, "enable_eigvec_derivs"),
    "eigvals": takes(lax.linalg.eig, "enable_eigvec_derivs"),
    # Older ones decompose one matrix only.
    "polar_factors": jax.version.__version_info__ >= (0, 10),
}
"""Whether this release has what some forms need, and the oldest of this adapter has not."""


MORE = of_this_release(
    {
        **numpy_forms(jnp, without=OTHERWISE.split()),
        **numpy_options(jnp, without=OTHERWISE.split()),
        **named(special, SPECIAL),
        **named(jnp, "mv=matvec"),
        **scipy_densities(stats, DENSITIES),
        **WINDOWS,
        **FORMS,
    },
    LATER,
)
"""Every one of them."""
