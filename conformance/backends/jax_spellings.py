"""Other ways to write a function of JAX: methods, operators, and the names it has elsewhere."""

import operator
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp
from jax.scipy import linalg, special

from .names import named
from .numpy_spellings import Methods, in_ours
from .operators import OPERATORS

Function = Callable[..., Any]


NEW = """
absolute=abs fabs arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh
arctan2=atan2 power=pow divide=true_divide concatenate=concat transpose=permute_dims conj=conjugate
round=around max=amax min=amin deg2rad=radians rad2deg=degrees remainder=mod
"""
"""Functions of `jax.numpy` by NumPy's names, and what else they are called there."""

LINALG = "cross matmul outer vecdot matrix_transpose"
"""Functions that `jax.numpy.linalg` has as well."""

SCIPY = "det inv solve svd"
"""Functions that `jax.scipy.linalg` has as well."""

LAX = """
abs acos acosh asin asinh atan atanh ceil cos cosh erf exp exp2 expm1 floor log log1p rsqrt sign sin
sinh sqrt square tan tanh reciprocal negative=neg sigmoid=logistic real imag conj
"""
"""Functions of `jax.lax` by NumPy's names: those of one array, for others do not broadcast."""

ELSEWHERE: Mapping[str, Function] = {
    "digamma": lax.digamma,
    "lgamma": lax.lgamma,
    "erfc": lax.erfc,
    "erfinv": lax.erf_inv,
    "hardswish": jax.nn.hard_silu,
    "silu": jax.nn.swish,
    "matrix_exp": lambda x: linalg.expm(x, upper_triangular=False),
    "cholesky": lax.linalg.cholesky,
}
"""Other names of what NumPy has not, or not like this."""


METHODS = Methods(jax.Array)

WAYS: Mapping[str, Mapping[str, Function]] = {
    "method": {
        **in_ours(METHODS),
        "argsort": lambda x, dim, **known: x.argsort(axis=dim, **known),
    },
    "operator": {
        **OPERATORS,
        "pow_number": operator.pow,
        "number_pow": operator.pow,
        "remainder_number": operator.mod,
    },
    "alias": in_ours(SimpleNamespace(**named(jnp, NEW))),
    "linalg": {
        **in_ours(SimpleNamespace(**named(jnp.linalg, LINALG))),
        "cholesky_upper": lambda x: jnp.linalg.cholesky(x, upper=True),
    },
    "scipy.linalg": in_ours(SimpleNamespace(linalg=SimpleNamespace(**named(linalg, SCIPY)))),
    "scipy.special": in_ours(special),
    "nn": in_ours(jax.nn),
    "lax": in_ours(SimpleNamespace(**named(lax, LAX))),
    "elsewhere": ELSEWHERE,
}
"""Ways to write, by a word."""


def spellings_of(name: str, function: Function) -> Mapping[str, Function]:
    """Return other ways to write a function, by a word for each."""
    found = {word: ways[name] for word, ways in WAYS.items() if name in ways}
    return {word: other for word, other in found.items() if other is not function}
