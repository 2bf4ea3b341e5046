"""Special functions of one number, some with an order."""

import math
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from ..truth.oracles.elementary import erf
from ..truth.oracles.special import (
    digamma,
    erfc,
    erfcx,
    erfinv,
    i0,
    i0e,
    i1,
    i1e,
    lgamma,
    log_ndtr,
    lower_gamma,
    ndtri,
    polygamma,
    sinc,
)
from .activations import options_of
from .arguments import one, two
from .drawing import ABOVE_ONE, NONZERO, POSITIVE, SMALL, UNIT, Array
from .operation import Operation

INNER = table_of(0.5, 0.25, 0.75, 0.125, 0.875, 0.375, 0.625, *np.arange(1, 32) / 32)
"""Values strictly between 0 and 1."""


def log_of_many(x: Array, p: int) -> Array:
    """The logarithm of the gamma function of p dimensions (DLMF 35.3.4)."""
    result: Array = sum(lgamma(x - j / 2) for j in range(p)) + p * (p - 1) / 4 * math.log(math.pi)
    return result


def order_first(name: str) -> Any:
    """Call a function whose order comes before its argument."""
    return lambda be, x, order: getattr(be, name)(order, x)


def zeta(q: Array, s: float) -> Array:
    """The Hurwitz zeta function of a whole order, by a polygamma function (DLMF 25.11.12)."""
    n = int(s) - 1
    result: Array = polygamma(n)(q) * ((-1) ** (n + 1) / math.factorial(n))
    return result


SPECIAL = (
    Operation("erfc", erfc, one(SMALL)),
    Operation("erfinv", erfinv, one(UNIT)),
    Operation("erfcx", erfcx, one(SMALL)),
    Operation("ndtr", lambda x: erfc(-x / math.sqrt(2)) / 2, one(SMALL),
              formulas=(lambda x: (1 + erf(x / math.sqrt(2))) / 2,)),
    Operation("ndtri", ndtri, one(INNER)),
    Operation("log_ndtr", log_ndtr, one(SMALL)),
    Operation("lgamma", lgamma, one(POSITIVE)),
    Operation("digamma", digamma, one(POSITIVE)),
    Operation("polygamma", lambda x, n: polygamma(n)(x), options_of(POSITIVE, (1,), (2,), (3,)),
              call=order_first("polygamma")),
    Operation("mvlgamma", log_of_many, options_of(ABOVE_ONE, (2,), (1,), (3,))),
    Operation("zeta", zeta, options_of(POSITIVE, (2.0,), (3.0,)), call=order_first("zeta")),
    Operation("igamma", lambda x, a: lower_gamma(a)(x),
              options_of(POSITIVE, (1.0,), (2.0,), (0.5,)),
              call=lambda be, x, a: be.igamma(be.tensor(np.array(a)), x)),
    Operation("igammac", lambda x, a: 1 - lower_gamma(a)(x),
              options_of(POSITIVE, (1.0,), (2.0,), (0.5,)),
              call=lambda be, x, a: be.igammac(be.tensor(np.array(a)), x)),
    Operation("i0", i0, one(NONZERO)),
    Operation("i0e", i0e, one(NONZERO), kinks="0"),
    Operation("i1", i1, one(NONZERO)),
    Operation("i1e", i1e, one(NONZERO), kinks="0"),
    Operation("sinc", sinc, one(SMALL)),
    Operation("entr", lambda x: -x * np.log(x), one(POSITIVE)),
    Operation("xlog1py", lambda x, y: x * np.log1p(y), two(NONZERO, UNIT), broadcasts=True),
)  # fmt: skip
"""Functions that are no elementary ones."""
