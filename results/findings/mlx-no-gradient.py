"""What factorises a matrix, or inverts it, refuses to be differentiated; so do products at places.

Searched for on 2026-11-22; nothing was found that asks for it.
"""

import sys

import numpy as np
from mlx import core as mx

mx.set_default_device(mx.cpu)

functions = {
    "cholesky": mx.linalg.cholesky,
    "cholesky_inv": mx.linalg.cholesky_inv,
    "det of four rows": lambda x: mx.linalg.det(mx.kron(mx.eye(2), x)),
    "eigh": lambda x: mx.linalg.eigh(x)[0],
    "eigvalsh": mx.linalg.eigvalsh,
    "inv": mx.linalg.inv,
    "norm nuc": lambda x: mx.linalg.norm(x, "nuc"),
    "pinv": mx.linalg.pinv,
    "qr": lambda x: mx.linalg.qr(x)[1],
    "solve": lambda x: mx.linalg.solve(x, mx.ones((2,))),
    "at multiply": lambda x: x.at[mx.array([0, 0])].multiply(x),
    "svd": lambda x: mx.linalg.svd(x)[1],
}
expected, got = dict.fromkeys(functions, "defined"), {}
for name, function in functions.items():
    x = mx.array(np.array([[2.0, 0.5], [0.5, 3.0]], np.float32))
    try:
        mx.eval(mx.grad(lambda x, function=function: function(x).sum())(x))
        got[name] = "defined"
    except (RuntimeError, ValueError) as error:
        got[name] = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
