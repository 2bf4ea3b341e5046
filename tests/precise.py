"""Formulas in sixty digits and more: what jets say of themselves is compared with it.

An array of `Precise` numbers runs through a function that is written for numpy. Derivatives are
central differences over 2^-60, which are off by about 2^-80: nothing of the rules of jets is used.
"""

import operator
from contextlib import contextmanager

import mpmath
import numpy as np

from gradspec.conformance.table import decompositions, matrix_forms
from gradspec.conformance.table.matrix_forms import size_of

mpmath.mp.prec = 260
STEP = mpmath.mpf(2) ** -60


class Precise:
    """A number of sixty digits, which numpy asks for its functions by their names."""

    def __init__(self, value):
        number = int(value) if isinstance(value, np.integer) else value
        self.value = value.value if isinstance(value, Precise) else mpmath.mpf(number)

    def __float__(self):
        return float(self.value)

    def __floor__(self):
        return Precise(mpmath.floor(self.value))

    def __ceil__(self):
        return Precise(mpmath.ceil(self.value))

    def __trunc__(self):
        return int(self.value)

    def __neg__(self):
        return Precise(-self.value)

    def arctan2(self, x):
        return Precise(mpmath.atan2(self.value, x.value))

    def polygamma(self, n):
        return Precise(mpmath.polygamma(n, self.value))

    def lower_gamma(self, a):
        return Precise(mpmath.gammainc(a, 0, self.value, regularized=True))

    def __pos__(self):
        return self

    def __abs__(self):
        return Precise(abs(self.value))


def _binary(function):
    def result(self, other):
        # numpy then goes through the array itself, with this number beside each entry.
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Precise(function(self.value, Precise(other).value))

    return result


def _comparison(function):
    return lambda self, other: function(self.value, Precise(other).value)


for name in ("add", "sub", "mul", "truediv", "pow"):
    forward = getattr(operator, name)
    setattr(Precise, f"__{name}__", _binary(forward))
    setattr(Precise, f"__r{name}__", _binary(lambda x, y, f=forward: f(y, x)))
for name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Precise, f"__{name}__", _comparison(getattr(operator, name)))

NAMES = {
    **{name: name for name in ("exp", "expm1", "log", "log1p", "log10", "sqrt", "sin", "cos")},
    **{name: name for name in ("tan", "sinh", "cosh", "tanh", "erf")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}
FUNCTIONS = {theirs: getattr(mpmath, ours) for theirs, ours in NAMES.items()} | {
    "log2": lambda x: mpmath.log(x, 2),
    "reciprocal": lambda x: 1 / x,
    "square": lambda x: x * x,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}
FUNCTIONS["rint"] = mpmath.nint
FUNCTIONS |= {
    "lgamma": mpmath.loggamma,
    "digamma": mpmath.digamma,
    "erfc": mpmath.erfc,
    "erfinv": mpmath.erfinv,
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
    "ndtri": lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1),
    "log_ndtr": lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
    "i0": lambda x: mpmath.besseli(0, x),
    "i1": lambda x: mpmath.besseli(1, x),
    "i0e": lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)),
    "i1e": lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
    "sinc": lambda x: mpmath.sinc(mpmath.pi * x),
}
for name, function in FUNCTIONS.items():
    setattr(Precise, name, lambda self, f=function: Precise(f(self.value)))


def exactly(array):
    """Take an array of floats as it is."""
    return np.vectorize(Precise, otypes=[object])(array) if np.size(array) else array.astype(object)


def matrix(function):
    """Let a function of matrices of mpmath take batches of them."""

    def of_batch(*arguments):
        def made(x, place):
            rows = x[place] if isinstance(x, np.ndarray) else x
            return mpmath.matrix([[e.value for e in r] for r in rows]) if rows is not x else x

        stacks = [x.shape[:-2] for x in arguments if isinstance(x, np.ndarray)]
        stack = np.broadcast_shapes(*stacks)
        arguments = [
            np.broadcast_to(x, (*stack, *x.shape[-2:])) if isinstance(x, np.ndarray) else x
            for x in arguments
        ]
        places = [*np.ndindex(stack)]
        found = [function(*(made(x, place) for x in arguments)) for place in places]
        parts = [np.array(m.tolist() if isinstance(m, mpmath.matrix) else m) for m in found]
        flat = [Precise(number) for part in parts for number in part.flat]
        return np.array(flat, object).reshape((*stack, *parts[0].shape))

    return of_batch


def eigenvalues(a):
    """The eigenvalues of a matrix times its transpose, in a row."""
    found = mpmath.eigsy(a * a.T, eigvals_only=True)
    return np.array(sorted(found), object)


def eigensystem(x):
    """Eigenvalues and eigenvectors of symmetric matrices, these pointing to where axes do."""
    values, vectors = np.empty(x.shape[:-1], object), np.empty(x.shape, object)
    for place in np.ndindex(x.shape[:-2]):
        w, v = mpmath.eigsy(mpmath.matrix([[e.value for e in row] for row in x[place]]))
        for n in range(x.shape[-1]):
            values[(*place, n)] = Precise(w[n])
            side = mpmath.sign(v[n, n])
            for m in range(x.shape[-1]):
                vectors[(*place, m, n)] = Precise(side * v[m, n])
    return [values, vectors]


def definite_root(x):
    """The definite roots of symmetric matrices."""
    found = np.empty(x.shape, object)
    for place in np.ndindex(x.shape[:-2]):
        root = mpmath.sqrtm(mpmath.matrix([[e.value for e in row] for row in x[place]]))
        for m, n in np.ndindex(x.shape[-2:]):
            found[(*place, m, n)] = Precise(root[m, n])
    return found


def mapped_back(x, ind):
    """The inverse of a map of tensors."""
    rows = int(np.prod(x.shape[:ind]))
    return inverse(x.reshape((rows, -1))).reshape((*x.shape[ind:], *x.shape[:ind]))


erf = np.vectorize(Precise.erf, otypes=[object])
inverse = matrix(lambda a: a**-1)
quotient = matrix(lambda a, b: a**-1 * b)
OTHERWISE = {
    "det": matrix(mpmath.det),
    "logdet": matrix(lambda a: mpmath.log(abs(mpmath.det(a)))),
    "slogdet": lambda a: [
        matrix(lambda x: mpmath.sign(mpmath.det(x)))(a),
        matrix(lambda x: mpmath.log(abs(mpmath.det(x))))(a),
    ],
    "inverse": inverse,
    "matrix_power": matrix(lambda a, n: a**n),
    "matrix_power_far": matrix(lambda a, n: a**n),
    "solve": quotient,
    "solve_vector": lambda a, b: quotient(a, b[:, None])[:, 0],
    "pinv_hermitian": matrix(lambda a: (a + a.T) ** -1),
    "cond_order": lambda x, order: size_of(x, order) * size_of(inverse(x), order),
    "cond_singular": lambda x, order: size_of(x, order) * size_of(inverse(x), order),
    "tensorinv_several": mapped_back,
    "eigvalsh": matrix(eigenvalues),
    "erf": erf,
    "gelu": lambda x: x * (1 + erf(x / Precise(2).sqrt())) / 2,
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
}
"""What numpy cannot do with numbers that it does not know."""


@contextmanager
def numbers_lifted():
    """Let what `np.where` chooses between be precise numbers alone, constants too."""
    usual, root, system = np.where, decompositions.definite_root, decompositions.eigensystem
    rooms = (decompositions, matrix_forms)

    def where(condition, *choices):
        found = usual(condition, *choices)
        return exactly(found) if found.dtype == object else found

    np.where = where
    decompositions.definite_root = definite_root
    for room in rooms:
        room.eigensystem = eigensystem
    try:
        yield
    finally:
        np.where, decompositions.definite_root = usual, root
        for room in rooms:
            room.eigensystem = system


def results(call):
    """Return the result of a call as a function of arrays of precise numbers."""
    forward = OTHERWISE.get(call.operation.name, call.operation.forward)
    a = call.arguments

    def chosen(*tensors):
        with numbers_lifted():
            found = forward(*tensors, *a.options, **a.named)
        return np.asarray(call._chosen(found) if isinstance(found, list) else found, object)

    return chosen


def differences(function, arrays, along=None):
    """Differentiate by every entry, one after the other; after a derivative along a direction."""
    points = [exactly(x) for x in arrays]
    ends = [(1, 1, 1), (-1, 1, -1)]
    scale = 2 * STEP
    if along is not None:
        ends = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
        scale *= 2 * STEP
    columns = []
    for n, x in enumerate(arrays):
        for place in np.ndindex(x.shape):
            total = 0
            for own, other, sign in ends:
                moved = [np.array(p, object) for p in points]
                if along is not None:
                    moved = [
                        np.array(p + other * STEP * exactly(t), object)
                        for p, t in zip(moved, along, strict=True)
                    ]
                moved[n][place] = moved[n][place] + own * STEP
                total = total + sign * function(*moved)
            columns.append(np.asarray(total / scale, object))
    return columns


def weighed(columns, weights):
    """Multiply derivatives by a cotangent and add up: one number for each entry."""
    w = exactly(weights)
    return [sum(np.ravel(column * w), start=Precise(0)) for column in columns]


def apart(values, exact):
    """How far numbers of float64 are from precise ones."""
    pairs = zip(np.ravel(values), np.ravel(exact), strict=True)
    gaps = [float(abs((Precise(float(v)) - e).value)) for v, e in pairs]
    return np.array(gaps).reshape(np.shape(values))
