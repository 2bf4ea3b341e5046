"""diagonal and trace of a matrix without rows have no gradient."""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

expected, got = {}, {}
for function in (mx.diagonal, mx.trace):
    x = mx.zeros((0, 3))
    expected[function.__name__] = (0, 3)
    try:
        _, (gradient,) = mx.vjp(function, [x], [function(x)])
        got[function.__name__] = gradient.shape
    except Exception as error:
        got[function.__name__] = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
