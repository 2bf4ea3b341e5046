"""Some functions have a reverse mode only: forward mode refuses them."""

import sys

import numpy as np
from autograd import make_jvp
from autograd import numpy as anp
from autograd.scipy import special, stats
from autograd.scipy.special import erf, expit

functions = {
    "cholesky": anp.linalg.cholesky,
    "det": anp.linalg.det,
    "erf": erf,
    "expit": expit,
    "hypot": lambda x: anp.hypot(x, 1.0),
    "inv": anp.linalg.inv,
    "cdf": stats.norm.cdf,
    "beta.logpdf": lambda x: stats.beta.logpdf(x / 2 + 0.25, 1.5, 2.0),
    "gamma.logpdf": lambda x: stats.gamma.logpdf(x + 0.5, 1.5),
    "norm.logpdf": stats.norm.logpdf,
    "poisson.logpmf": lambda x: stats.poisson.logpmf(1.0, x + 0.5),
    "t.logpdf": lambda x: stats.t.logpdf(x, 2.5),
    "eigh": lambda x: anp.linalg.eigh(x)[0],
    "erfc": special.erfc,
    "erfinv": lambda x: special.erfinv(x / 2),
    "fft": lambda x: anp.real(anp.fft.fft(x)),
    "fftshift": anp.fft.fftshift,
    "gammaincc": lambda x: special.gammaincc(1.0, x),
    "gammaln": lambda x: special.gammaln(1 + x),
    "i1": special.i1,
    "logcdf": stats.norm.logcdf,
    "logit": lambda x: special.logit(x / 2 + 0.25),
    "multigammaln": lambda x: special.multigammaln(3 + x, 2),
    "pinv": anp.linalg.pinv,
    "polygamma": lambda x: special.polygamma(1, 1 + x),
    "psi": lambda x: special.psi(1 + x),
    "rfft": lambda x: anp.real(anp.fft.rfft(x)),
    "slogdet": lambda x: anp.linalg.slogdet(x)[1],
    "solve": lambda x: anp.linalg.solve(x, np.ones(2)),
}
expected, got = dict.fromkeys(functions, "defined"), {}
for name, function in functions.items():
    try:
        make_jvp(function)(np.eye(2))(np.ones((2, 2)))
        got[name] = "defined"
    except NotImplementedError as error:
        got[name] = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
