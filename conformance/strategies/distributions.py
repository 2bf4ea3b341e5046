"""Distributions by PyTorch's names, with parameters to make them of and what is true of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject
from ..truth.oracles import pathwise
from ..truth.oracles.jets import Jet
from ..truth.tolerance import Total
from .arrays import Array, arrays, table_of

REAL = table_of(0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -2.0, 0.25)
ABOVE = table_of(1.0, 2.0, 0.5, 1.5, 0.75, 3.0, 2.5, 1.25)
BELOW, BEYOND = table_of(-1.0, -2.0, -0.5, -1.5), table_of(1.0, 0.5, 2.0, 1.5)
LARGE = table_of(50.5, 64.0, 100.0, 160.0)
INSIDE = table_of(0.5, 0.25, 0.75, 0.125, 0.875, 0.375)

COUNT = 3
"""Entries of each parameter."""

Rule = Callable[..., tuple[Any, ...]]


def _placed(x: Any, m: Any, s: Any) -> tuple[Any, ...]:
    return 1 + 0 * m, (x - m) / s


def _scaled(x: Any, s: Any) -> tuple[Any, ...]:
    return (x / s,)


def _powers(x: Any, s: Any, k: Any) -> tuple[Any, ...]:
    return x / s, -x * np.log(x / s) / k


def _kumaraswamy(x: Any, a: Any, b: Any) -> tuple[Any, ...]:
    above = 1 - np.power(x, a)
    return -x * np.log(x) / a, np.power(x, 1 - a) / a * above * np.log(above) / b


MOVES: Mapping[str, tuple[tuple[Array, ...], Rule]] = {
    "Normal": ((REAL, ABOVE), _placed),
    "Laplace": ((REAL, ABOVE), _placed),
    "Cauchy": ((REAL, ABOVE), _placed),
    "Gumbel": ((REAL, ABOVE), _placed),
    "LogNormal": ((REAL, ABOVE), lambda x, m, s: (x + 0 * m, x * (np.log(x) - m) / s)),
    "Uniform": (
        (BELOW, BEYOND),
        lambda x, low, high: ((high - x) / (high - low), (x - low) / (high - low)),
    ),
    "Exponential": ((ABOVE,), lambda x, r: (-x / r,)),
    "HalfNormal": ((ABOVE,), _scaled),
    "HalfCauchy": ((ABOVE,), _scaled),
    "Weibull": ((ABOVE, ABOVE), _powers),
    "Pareto": ((ABOVE, ABOVE), _powers),
    "Kumaraswamy": ((ABOVE, ABOVE), _kumaraswamy),
}
"""What distributions are made of, and the derivatives of a sample by that.

Each is minus the derivative of the distribution function by the parameter, over the density.
"""

NOT_MOVED: Mapping[str, dict[str, Any]] = {
    "Bernoulli": {"probs": [0.25, 0.5]},
    "Binomial": {"total_count": 3, "probs": [0.25, 0.5]},
    "Categorical": {"logits": [0.0, 1.0, -1.0]},
    "Geometric": {"probs": [0.25, 0.5]},
    "Multinomial": {"total_count": 3, "probs": [0.25, 0.75]},
    "NegativeBinomial": {"total_count": [2.0], "probs": [0.25, 0.5]},
    "OneHotCategorical": {"logits": [0.0, 1.0, -1.0]},
    "Poisson": {"rate": [1.0, 2.5]},
    "VonMises": {"loc": [0.0, 1.0], "concentration": [1.0, 2.0]},
}
"""Distributions whose samples move with nothing, and parameters of them."""

MOVED: Mapping[str, dict[str, Any]] = {
    **{
        name: dict(zip(words.split(), ([0.5, 0.25], [1.0, 2.0]), strict=False))
        for name, words in {
            "Beta": "concentration1 concentration0",
            "Cauchy": "loc scale",
            "Dirichlet": "concentration",
            "Exponential": "rate",
            "FisherSnedecor": "df1 df2",
            "Gamma": "concentration rate",
            "Gumbel": "loc scale",
            "HalfCauchy": "scale",
            "HalfNormal": "scale",
            "InverseGamma": "concentration rate",
            "Kumaraswamy": "concentration1 concentration0",
            "Laplace": "loc scale",
            "LogNormal": "loc scale",
            "LogisticNormal": "loc scale",
            "Normal": "loc scale",
            "Pareto": "scale alpha",
            "Uniform": "low high",
            "Weibull": "scale concentration",
        }.items()
    },
    "Chi2": {"df": [1.0, 2.5]},
    "ContinuousBernoulli": {"probs": [0.25, 0.75]},
    "MultivariateNormal": {"loc": [0.0, 1.0], "scale_tril": [[1.0, 0.0], [0.5, 2.0]]},
    "RelaxedBernoulli": {"temperature": 0.5, "logits": [0.0, 1.0]},
    "RelaxedOneHotCategorical": {"temperature": 0.5, "logits": [0.0, 1.0, -1.0]},
    "StudentT": {"df": [3.0, 5.0], "loc": [0.0, 1.0], "scale": [1.0, 2.0]},
}
"""Distributions whose samples move with every parameter, and parameters of them."""

SAMPLED = {**MOVED, **NOT_MOVED}

MOMENTS = SAMPLED.keys() - {
    "Categorical", "Cauchy", "FisherSnedecor", "HalfCauchy", "InverseGamma", "LogNormal",
    "LogisticNormal", "Pareto", "RelaxedBernoulli", "RelaxedOneHotCategorical", "StudentT",
}  # fmt: skip
"""Distributions whose mean and variance are numbers, and estimated well by some samples."""

WITH_ENTROPY = MOVED.keys() - {
    "FisherSnedecor", "LogisticNormal", "RelaxedBernoulli", "RelaxedOneHotCategorical",
}  # fmt: skip
"""Distributions whose samples move with every parameter, and whose entropy has a formula."""

CONCENTRATED: Mapping[str, tuple[Array, ...]] = {
    "Gamma": (ABOVE, table_of(1.0)),
    "Chi2": (ABOVE,),
    "Beta": (ABOVE, ABOVE),
}
"""Distributions whose samples are no function of one that is drawn without their parameters."""

FINITE: Mapping[str, tuple[str, Array, dict[str, Any]]] = {
    "Bernoulli": ("logits", REAL, {}),
    "Bernoulli, probs": ("probs", INSIDE, {}),
    "Binomial": ("probs", INSIDE, {"total_count": 3}),
    "Categorical": ("logits", REAL, {}),
    "OneHotCategorical": ("logits", REAL, {}),
}
"""Distributions on few values: by which parameter they are made, and its values."""

SELF: Mapping[str, tuple[Array, ...]] = {
    **dict.fromkeys(("Normal", "Laplace", "Gumbel", "LogNormal"), (REAL, ABOVE)),
    **dict.fromkeys(("Gamma", "Beta"), (ABOVE, ABOVE)),
    **dict.fromkeys(("Dirichlet", "Exponential", "Poisson", "HalfNormal"), (ABOVE,)),
    **dict.fromkeys(("Bernoulli", "Geometric", "ContinuousBernoulli"), (INSIDE,)),
    "Categorical": (INSIDE,),
}
"""Distributions that have a divergence from others of their kind, and values of parameters."""

BIJECTIONS: Mapping[str, int] = {
    "ExpTransform": 0,
    "SigmoidTransform": 0,
    "TanhTransform": 0,
    "SoftplusTransform": 0,
    "AffineTransform": 2,
    "PowerTransform": 1,
}
"""Transforms of numbers, and by how many parameters they are made."""

SHARES: Mapping[str, tuple[Array, ...]] = {
    **{name: MOVES[name][0] for name in MOVES},
    "Gamma": (ABOVE, ABOVE),
}
"""Distributions that have a distribution function, and values of parameters."""

MEDIANS: Mapping[str, tuple[Array, ...]] = {
    name: MOVES[name][0] for name in ("Normal", "Laplace", "Cauchy", "Gumbel", "Uniform")
}
"""The same, whose inverse is there at 1/2 in closed form."""


def parameters(
    choices: Mapping[str, Sequence[Array]],
) -> list[st.SearchStrategy[tuple[str, list[Array]]]]:
    """For each distribution, draw its name and rows of parameters that fit."""

    def of(name: str) -> st.SearchStrategy[tuple[str, list[Array]]]:
        rows = [arrays(values=table, shape=(COUNT,)) for table in choices[name]]
        return st.tuples(st.just(name), st.tuples(*rows).map(list))

    return [of(name) for name in sorted(choices)]


def distribution(be: Subject, name: str) -> Any:
    """Make a distribution of `SAMPLED`."""
    words = SAMPLED[name]
    given = {
        word: value
        if isinstance(value, int)
        else (be.tensor if word == "total_count" else be.leaf)(np.array(value))
        for word, value in words.items()
    }
    return be.distribution(name, **given)


def moved(name: str, x: Array, w: Array, values: Sequence[Array]) -> list[Jet]:
    """Return the gradients of parameters that samples `x` with cotangents `w` come to.

    A sample has been rounded, a few times, in the size of itself and of what it was added to.
    """
    given = [Jet.exact(v) for v in values]
    at = Jet.exact(x)
    at.numbers[1, 0, 0] = 4 * (np.abs(x) + sum(np.abs(v) for v in values))
    return [(w * rule).sum(0) for rule in MOVES[name][1](at, *given)]


def concentrated(name: str, x: Array, values: Sequence[Array]) -> tuple[list[Array], Array]:
    """Return how samples move with concentrations, and which columns of them lie far from ends.

    There the series by which that is found are known to eight digits at least.
    """
    wide = [np.broadcast_to(v, x.shape) for v in values]
    if name == "Beta":
        at = np.clip(x, 2.0**-6, 1 - 2.0**-6)
        return list(pathwise.of_beta(at, *wide)), np.asarray((at == x).all(0))
    at, a = (x / 2, wide[0] / 2) if name == "Chi2" else (x, wide[0])
    return [pathwise.of_gamma(np.minimum(at, 20.0), a)], np.asarray((at < 20).all(0))


def around(value: Any, size: Any, *, times: float = 4.0) -> Total:
    """Allow what is computed by a formula of its own so many roundings of a size and of 1."""
    found = np.asarray(value, np.float64)
    magnitude = times * (1 + np.broadcast_to(np.abs(np.asarray(size, np.float64)), found.shape))
    return Total(found, magnitude, 1)


def sampled(be: Subject, seed: int, draw: Callable[[], Any]) -> Any:
    """Return what is drawn from a generator with this seed, and leave the generator as it was."""
    with be.fork_random():
        be.manual_seed(seed)
        return draw()
