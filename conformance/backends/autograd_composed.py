"""Functions of Autograd composed of others: each other one has rules that nothing else here asks.

Where the other function takes less than ours, what it does not take is left to ours.
"""

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from autograd import numpy as anp
from autograd.scipy import linalg, special, stats

Function = Callable[..., Any]


# ---- transforms ----------------------------------------------------------------------------------


def unscaled(name: str) -> Function:
    """Name no factor: what is named loses it in the gradient, and this has a rule of its own."""
    transform = getattr(anp.fft, name)

    def call(x: Any, s: Any = None, dim: Any = -1, norm: str = "backward") -> Any:
        axes = dim if isinstance(dim, tuple) else (dim,)
        whole = [anp.shape(x)[a] for a in axes]
        if name.startswith("i"):
            whole[-1] = 2 * (whole[-1] - 1)
        sizes = whole if s is None else [*np.atleast_1d(s)]
        # Sizes that go without saying have a branch of their own.
        made = transform(x, None if sizes == whole else s, dim)
        power = {"backward": 0.0, "ortho": 0.5, "forward": 1.0}[norm]
        return made * float(math.prod(sizes)) ** (power if name.startswith("i") else -power)

    return call


# ---- matrices ------------------------------------------------------------------------------------


def by_triangles(b: Any, lower: Any) -> Any:
    """Solve systems by their factors, one after the other."""
    if anp.ndim(lower) == 2:
        half = linalg.solve_triangular(lower, b, lower=True)
        return linalg.solve_triangular(lower, half, trans=1, lower=True)
    own = anp.ndim(b) == anp.ndim(lower)
    rows = range(anp.shape(lower)[0])
    return anp.stack([by_triangles(b[n] if own else b, lower[n]) for n in rows])


def nuclear(x: Any) -> Any:
    """Compute the nuclear norm of the last two axes, which are counted from the first."""
    last = anp.ndim(x) - 1
    return anp.linalg.norm(x, "nuc", axis=(last - 1, last) if last > 1 else None)


def norm_along(x: Any, order: float = 2, dim: Any = None, keepdim: bool = False) -> Any:  # noqa: FBT001, FBT002
    """Compute a norm along the last of the axes that are left, which `norm` takes."""
    if not 1 < order < math.inf:
        return anp.linalg.vector_norm(x, axis=dim, keepdims=keepdim, ord=order)
    shape, axes = anp.shape(x), [*range(anp.ndim(x))]
    gone = axes if dim is None else [a % len(axes) for a in np.atleast_1d(dim)]
    rest = [a for a in axes if a not in gone]
    rows = anp.reshape(anp.transpose(x, rest + gone), (*(shape[a] for a in rest), -1))
    made = anp.linalg.norm(rows, order, axis=len(rest))
    return anp.reshape(made, [1 if a in gone else shape[a] for a in axes]) if keepdim else made


def by_places(equation: str, *operands: Any) -> Any:
    """Write the axes of an equation as numbers."""
    given, arrow, made = equation.replace(" ", "").replace("...", ".").partition("->")
    if not arrow:
        return anp.einsum(equation, *operands)
    number: dict[str, Any] = {letter: n for n, letter in enumerate(sorted({*given} - {*",."}))}
    number["."] = ...
    places = [[number[letter] for letter in part] for part in given.split(",")]
    paired = [one for pair in zip(operands, places, strict=True) for one in pair]
    return anp.einsum(*paired, [number[letter] for letter in made])


# ---- moving and choosing -------------------------------------------------------------------------


def rolled(x: Any, source: Any, destination: Any) -> Any:
    """Move one axis by rolling it to before another."""
    if not isinstance(source, int):
        return anp.moveaxis(x, source, destination)
    start, end = source % anp.ndim(x), destination % anp.ndim(x)
    return anp.rollaxis(x, start, end if end <= start else end + 1)


def appended(tensors: Any, dim: int = 0) -> Any:
    """Join tensors one after the other."""
    return reduce(lambda x, y: anp.append(x, y, axis=dim), tensors)


def chosen(mask: Any, x: Any, y: Any) -> Any:
    """Choose one of several; of nothing it would have a dtype of its own."""
    nothing = anp.size(mask) == 0 or anp.size(x) == 0 or anp.size(y) == 0
    return anp.where(mask, x, y) if nothing else anp.select([mask, anp.logical_not(mask)], [x, y])


# ---- densities -----------------------------------------------------------------------------------


def of_beta(x: Any, a: Any, b: Any) -> Any:
    """Compute the density, and what it is the logarithm of."""
    above = (a - 1.0) * anp.log(x) + (b - 1.0) * anp.log1p(-x)
    below = (special.betaln(a, b) + anp.log(special.beta(a, b))) / 2
    return (anp.log(stats.beta.pdf(x, a, b)) + above - below) / 2


def bessel(order: int) -> Function:
    """Compute a function of Bessel's by its order, and that without its growth."""
    return lambda x: (special.iv(order, x) + anp.exp(anp.abs(x)) * special.ive(order, x)) / 2


COMPOSED: Mapping[str, Function] = {
    **{
        f"{kind}{end}": unscaled(f"{kind}{end}")
        for kind in ("rfft", "irfft")
        for end in ("", "2", "n")
    },
    "svdvals": lambda x: anp.linalg.svd(x, compute_uv=False),
    "eigh": lambda x: anp.linalg.eigh(x, UPLO="U"),
    "cholesky_solve": by_triangles,
    "norm_nuclear": nuclear,
    "vector_norm": norm_along,
    "einsum": by_places,
    "cross": lambda x, y, dim: anp.cross(x, y, axisa=dim, axisb=dim, axisc=dim),
    "gradient": lambda x, spacing, dim: [anp.gradient(x, axis=dim) / spacing],
    "movedim": rolled,
    "cat": appended,
    "where": chosen,
    "atleast_2d": lambda x: anp.array(x, ndmin=2),
    "positive": lambda x: x.astype(x.dtype),
    "msort": lambda x: anp.partition(x, range(anp.shape(x)[0]), axis=0),
    "lgamma": lambda x: anp.log(anp.abs(special.gamma(x) / special.rgamma(x))) / 2,
    "digamma": special.psi,
    "i0": bessel(0),
    "i1": bessel(1),
    "erfinv": lambda x: special.erfcinv(1.0 - x),
    "ndtr": lambda x: 1.0 - stats.norm.sf(x),
    "log_ndtr": lambda x: stats.norm.logsf(-x),
    "normal_cdf": lambda x, *of: (
        (1.0 - stats.norm.sf(x, *of) + anp.exp(stats.norm.logcdf(x, *of))) / 2
    ),
    "normal_log_prob": lambda x, *of: anp.log(stats.norm.pdf(x, *of)),
    "student_t_log_prob": lambda x, *of: anp.log(stats.t.pdf(x, *of)),
    "gamma_standard_log_prob": lambda x, a: anp.log(stats.gamma.pdf(x, a)),
    "beta_log_prob": of_beta,
    "poisson_log_prob": lambda k, rate: anp.log(stats.poisson.pmf(k, rate)),
}
"""Each of them, by the function that it is."""
