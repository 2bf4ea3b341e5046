"""Many functions of numpy and scipy are there without a gradient, and refuse to be differentiated.

Some of them are reported, such as https://github.com/HIPS/autograd/issues/743 (take) and
https://github.com/HIPS/autograd/issues/257 (cumprod).
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp
from autograd.scipy import linalg, stats

functions = {
    "broadcast_arrays": lambda x: anp.broadcast_arrays(x, 1.0)[0],
    "chi2.logpdf": lambda x: stats.chi2.logpdf(1.5, x),
    "cond": anp.linalg.cond,
    "copy": anp.copy,
    "copysign": lambda x: anp.copysign(x, 1.0),
    "corrcoef": anp.corrcoef,
    "cov": anp.cov,
    "cumprod": lambda x: anp.cumprod(x, axis=0),
    "diagflat": anp.diagflat,
    "expm": linalg.expm,
    "extract": lambda x: anp.extract([[True, False], [True, True]], x),
    "flip": lambda x: anp.flip(x, 0),
    "fmod": lambda x: anp.fmod(x, 0.75),
    "hfft": anp.fft.hfft,
    "i0": anp.i0,
    "ihfft": anp.fft.ihfft,
    "lu": lambda x: linalg.lu(x)[1],
    "lu_factor": lambda x: linalg.lu_factor(x)[0],
    "matrix_norm": anp.linalg.matrix_norm,
    "matrix_power": lambda x: anp.linalg.matrix_power(x, 2),
    "matrix_transpose": anp.matrix_transpose,
    "meshgrid": lambda x: anp.meshgrid(x, x)[0],
    "modf": lambda x: anp.modf(x)[0],
    "nanmean": anp.nanmean,
    "nansum": anp.nansum,
    "positive": anp.positive,
    "qr": lambda x: anp.linalg.qr(x)[1],
    "quantile": lambda x: anp.quantile(x, 0.5),
    "svdvals": anp.linalg.svdvals,
    "take": lambda x: anp.take(x, [0, 1]),
    "take_along_axis": lambda x: anp.take_along_axis(x, np.array([[0], [1]]), 1),
    "tensorinv": lambda x: anp.linalg.tensorinv(x, ind=1),
    "trapezoid": anp.trapezoid,
    "unstack": lambda x: anp.unstack(x)[0],
    "vdot": lambda x: anp.vdot(x, np.ones((2, 2))),
    "vecdot": lambda x: anp.vecdot(x, np.ones((2, 2))),
    "vector_norm": anp.linalg.vector_norm,
    "block_diag": lambda x: linalg.block_diag(x, np.ones((2, 2))),
}
expected, got = dict.fromkeys(functions, "defined"), {}
for name, function in functions.items():
    try:
        pull, value = make_vjp(function)(np.array([[2.0, 0.5], [0.25, 3.0]]))
        pull(np.ones_like(value))
        got[name] = "defined"
    except NotImplementedError as error:
        got[name] = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
