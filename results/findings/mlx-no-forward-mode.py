"""Some functions have a reverse mode only: forward mode refuses them."""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

functions = {
    "conv1d": lambda x: mx.conv1d(x[None, :, None], mx.ones((1, 1, 1))),
    "cummax": lambda x: mx.cummax(x, axis=0),
    "cumprod": lambda x: mx.cumprod(x, axis=0),
    "diag": mx.diag,
    "gather_mm": lambda x: mx.gather_mm(x[None, None], mx.ones((1, 2, 1)), mx.array([0])),
    "at": lambda x: x.at[mx.array([0, 0])].add(x),
    "max, twice": lambda x: mx.jvp(mx.max, [x], [x])[1][0],
    "prod, twice": lambda x: mx.jvp(mx.prod, [x], [x])[1][0],
}
expected, got = dict.fromkeys(functions, "defined"), {}
for name, function in functions.items():
    try:
        mx.eval(mx.jvp(function, [mx.ones((2,))], [mx.ones((2,))]))
        got[name] = "defined"
    except Exception as error:
        got[name] = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
