"""What functions of one argument come to at infinity, and where they are infinitely steep.

These are the limits of their values and slopes. Values are those of C (C23, Annex F) and of the
array API standard where these name the function, and the limits of the formula elsewhere.
"""

from typing import NamedTuple

import numpy as np

INF, NONE = np.inf, np.nan


class Limits(NamedTuple):
    """The values of a function at both infinities, and its slopes there.

    A value without a limit is nan, and so is a slope that nothing is said of.
    """

    low: float
    high: float
    low_slope: float = NONE
    high_slope: float = NONE


LIMITS = {
    "neg": Limits(INF, -INF, -1, -1),
    "positive": Limits(-INF, INF, 1, 1),
    "abs": Limits(INF, INF, -1, 1),
    "square": Limits(INF, INF, -INF, INF),
    "reciprocal": Limits(0, 0, 0, 0),
    "sqrt": Limits(NONE, INF, NONE, 0),
    "rsqrt": Limits(NONE, 0, NONE, 0),
    "exp": Limits(0, INF, 0, INF),
    "exp2": Limits(0, INF, 0, INF),
    "expm1": Limits(-1, INF, 0, INF),
    "log": Limits(NONE, INF, NONE, 0),
    "log2": Limits(NONE, INF, NONE, 0),
    "log10": Limits(NONE, INF, NONE, 0),
    "log1p": Limits(NONE, INF, NONE, 0),
    "sin": Limits(NONE, NONE),
    "cos": Limits(NONE, NONE),
    "tan": Limits(NONE, NONE),
    "asin": Limits(NONE, NONE),
    "acos": Limits(NONE, NONE),
    "atan": Limits(-np.pi / 2, np.pi / 2, 0, 0),
    "sinh": Limits(-INF, INF, INF, INF),
    "cosh": Limits(INF, INF, -INF, INF),
    "tanh": Limits(-1, 1, 0, 0),
    "asinh": Limits(-INF, INF, 0, 0),
    "acosh": Limits(NONE, INF, NONE, 0),
    "atanh": Limits(NONE, NONE),
    "erf": Limits(-1, 1, 0, 0),
    "erfc": Limits(2, 0, 0, 0),
    "erfcx": Limits(INF, 0, -INF, 0),
    "erfinv": Limits(NONE, NONE),
    "ndtr": Limits(0, 1, 0, 0),
    "ndtri": Limits(NONE, NONE),
    "digamma": Limits(NONE, INF, NONE, 0),
    "i0": Limits(INF, INF, -INF, INF),
    "i0e": Limits(0, 0, 0, 0),
    "i1": Limits(-INF, INF, INF, INF),
    "i1e": Limits(0, 0, 0, 0),
    "sinc": Limits(0, 0, 0, 0),
    "entr": Limits(-INF, -INF, NONE, -INF),
    "logit": Limits(NONE, NONE),
    "sigmoid": Limits(0, 1, 0, 0),
    "logsigmoid": Limits(-INF, 0, 1, 0),
    "softplus": Limits(0, INF, 0, 1),
    "softplus_beta": Limits(0, INF, 0, 1),
    "softsign": Limits(-1, 1, 0, 0),
    "relu": Limits(0, INF, 0, 1),
    "relu6": Limits(0, 6, 0, 0),
    "elu": Limits(-1, INF, 0, 1),
    "silu": Limits(0, INF, 0, 1),
    "gelu": Limits(0, INF, 0, 1),
    "gelu_tanh": Limits(0, INF, 0, 1),
    "mish": Limits(0, INF, 0, 1),
    "hardtanh": Limits(-1, 1, 0, 0),
    "hardsigmoid": Limits(0, 1, 0, 0),
    "hardswish": Limits(0, INF, 0, 1),
    "softshrink": Limits(-INF, INF, 1, 1),
    "hardshrink": Limits(-INF, INF, 1, 1),
    "tanhshrink": Limits(-INF, INF, 1, 1),
}
"""By the name of the operation."""


class Pole(NamedTuple):
    """A place where a function is infinitely steep: the limits of value and slope there.

    They are those from within the domain.
    """

    place: float
    value: float
    slope: float


POLES = {
    "sqrt": (Pole(0, 0, INF),),
    "rsqrt": (Pole(0, INF, -INF),),
    "reciprocal": (Pole(0.0, INF, -INF), Pole(-0.0, -INF, -INF)),
    "log": (Pole(0, -INF, INF),),
    "log2": (Pole(0, -INF, INF),),
    "log10": (Pole(0, -INF, INF),),
    "log1p": (Pole(-1, -INF, INF),),
    "asin": (Pole(1, np.pi / 2, INF), Pole(-1, -np.pi / 2, INF)),
    "acos": (Pole(1, 0, -INF), Pole(-1, np.pi, -INF)),
    "acosh": (Pole(1, 0, INF),),
    "atanh": (Pole(1, INF, INF), Pole(-1, -INF, INF)),
    "erfinv": (Pole(1, INF, INF), Pole(-1, -INF, INF)),
    "ndtri": (Pole(0, -INF, INF), Pole(1, INF, INF)),
    "logit": (Pole(0, -INF, INF), Pole(1, INF, INF)),
    "lgamma": (Pole(0, INF, -INF),),
    "digamma": (Pole(0, -INF, INF),),
    "entr": (Pole(0, 0, INF),),
}
"""The same, by the name of the operation."""
