"""The gradient of scipy.stats.chi2.logpdf is 0 where the degrees of freedom are no whole number."""

import sys

from autograd import grad
from autograd.scipy import stats

x, df = 1.5, 2.5
expected = (df / 2 - 1) / x - 0.5
got = grad(stats.chi2.logpdf)(x, df)
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-12)
