"""What is called true of complex numbers, against fifty digits and against numpy."""

import mpmath
import numpy as np
import pytest

from gradspec.conformance.table import CUT, calls
from gradspec.conformance.table.analytic import COMPLEX, CURVES, MATRICES, MIXED, SURFACES
from gradspec.conformance.table.complexes import is_complex, parts_of
from gradspec.conformance.table.drawn import fixed
from gradspec.conformance.table.singular import CUTS, on_cuts
from gradspec.conformance.truth.oracles import planes
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.planes import Complex
from gradspec.conformance.truth.tolerance import unit_roundoff

M = mpmath.mp

MEANINGS = {
    **{name: getattr(M, name) for name in ("exp", "expm1", "log", "log10", "sqrt")},
    **{name: getattr(M, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(M, name) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "log2": lambda z: M.log(z) / M.log(2),
    "log1p": lambda z: M.log(1 + z),
    "rsqrt": lambda z: 1 / M.sqrt(z),
    "square": lambda z: z * z,
    "reciprocal": lambda z: 1 / z,
    "sigmoid": lambda z: 1 / (1 + M.exp(-z)),
    "div": lambda x, y: x / y,
    "pow": M.power,
    "conj": M.conj,
    "real": M.re,
    "imag": M.im,
    "abs": abs,
    "angle": M.arg,
    "sgn": lambda z: z / abs(z),
}
"""What goes entry by entry, in the words of mpmath."""

STEP = M.mpf(10) ** -25

ENTRYWISE = [o for o in (*CURVES, *SURFACES) if o.name in MEANINGS]


def example(operation, n):
    """Read a call off bytes without order."""
    return calls().named(operation, fixed(n).hex())


def see(value, error, every):
    """See that values are as exact as they say."""
    want = np.array([float(each) for each in every])
    off = np.abs(value.ravel() - want)
    room = unit_roundoff("float64") * error.ravel()
    missed = [*zip(value.ravel()[off > room], want[off > room], strict=True)]
    assert not missed, f"called true, and true: {missed}"


def sides(z):
    """Both parts of a number of mpmath."""
    return [M.re(z), M.im(z)]


def broadcast(call):
    """The numbers that meet, entry by entry."""
    return zip(*(x.ravel() for x in np.broadcast_arrays(*call.given)), strict=True)


@pytest.mark.parametrize("operation", ENTRYWISE, ids=str)
def test_truth_of_complex_functions(operation):
    """Values and slopes by both parts are as exact as they say."""
    function = MEANINGS[operation.name]
    with M.workdps(60):
        for n in range(6):
            call = example(operation, n)
            rows = [[M.mpc(z) for z in row] for row in broadcast(call)]
            found = [function(*row) for row in rows]
            parted = call.complex_result
            every = [side for z in found for side in (sides(z) if parted else [z])]
            see(call._plain.value, call._plain.error, every)
            # The slope along a direction in which all parts move.
            directions = zip(
                *(x.ravel() for x in np.broadcast_arrays(*call.directions)), strict=True
            )
            slopes = [
                (function(*[z + STEP * M.mpc(t) for z, t in zip(row, way, strict=True)])
                 - function(*[z - STEP * M.mpc(t) for z, t in zip(row, way, strict=True)]))
                / (2 * STEP)
                for row, way in zip(rows, directions, strict=True)
            ]  # fmt: skip
            every = [side for z in slopes for side in (sides(z) if parted else [z])]
            see(*call._pushed, every)


@pytest.mark.parametrize("operation", CUT, ids=str)
def test_truth_on_cuts(operation):
    """On its cuts a function is the limit from the side that the sign of a zero tells."""
    function = MEANINGS[operation.name]
    near = M.mpf(10) ** -40
    with M.workdps(60):
        for call in on_cuts().corners(operation):
            (z,) = call.given
            assert z.size >= len(CUTS[operation.name])
            moved = [
                M.mpc(*(M.mpf(float(p)) if p else near * np.copysign(1, p) for p in pair))
                for pair in zip(*parts_of(z), strict=True)
            ]
            parted = call.complex_result
            found = [function(w) for w in moved]
            every = [side for w in found for side in (sides(w) if parted else [w])]
            assert np.allclose(call.result.ravel(), [float(e) for e in every], atol=1e-14)
            slopes = [(function(w + near / 4) - function(w - near / 4)) / (near / 2) for w in moved]
            every = [side for w in slopes for side in (sides(w) if parted else [w])]
            by_real = call._once.numbers[0, 0, 1 : 1 + z.size]
            along = np.stack([by_real[n, n] for n in range(z.size)])
            assert np.allclose(along.ravel(), [float(e) for e in every], atol=1e-12)


@pytest.mark.parametrize("operation", [*COMPLEX, *MIXED], ids=lambda o: f"{o}{'+' * o.mixed}")
def test_slopes_are_differences(operation):
    """What is called the slope by the parts is what steps to both sides differ by."""
    for n in range(3):
        call = example(operation, n)
        step = 2.0**-18
        ends = [
            call.true(
                *(x + sign * step * t for x, t in zip(call.tensors, call.tangents, strict=True))
            )
            for sign in (1, -1)
        ]
        slope = (ends[0] - ends[1]) / (2 * step)
        value, _ = call._pushed
        assert np.allclose(value, slope, rtol=1e-6, atol=1e-6 * (1 + np.abs(slope).max(initial=0)))


NUMPY = {
    "det": np.linalg.det,
    "inverse": np.linalg.inv,
    "solve": np.linalg.solve,
    "pinv": np.linalg.pinv,
    "eigvalsh": lambda z: np.linalg.eigvalsh(z + z.conj().swapaxes(-2, -1)),
    "svdvals": lambda z: np.linalg.svd(z, compute_uv=False),
    "cholesky": lambda z: np.linalg.cholesky(z @ z.conj().swapaxes(-2, -1)),
    "fft": lambda z, n, dim, norm: np.fft.fft(z, n[0], dim[0], norm),
    "irfft": lambda z, n, dim, norm: np.fft.irfft(z, n[0], dim[0], norm),
    "hfft": lambda z, n, dim, norm: np.fft.hfft(z, n[0], dim[0], norm),
    "prod": np.prod,
    "cumprod": np.cumprod,
    "matmul": np.matmul,
    "kron": np.kron,
    "vdot": np.vdot,
    "norm": np.linalg.norm,
}
"""What numpy computes of complex numbers."""


@pytest.mark.parametrize("operation", [o for o in COMPLEX if o.name in NUMPY], ids=str)
def test_values_are_those_of_numpy(operation):
    """Formulas for many entries are those that others compute by as well."""
    for n in range(4):
        call = example(operation, n)
        want = np.asarray(NUMPY[operation.name](*call.given, *call.arguments.options))
        got = call.result[..., 0] + 1j * call.result[..., 1] if is_complex(want) else call.result
        assert np.allclose(got, want, atol=1e-11)


def test_the_projection_is_one():
    """What stands for eigenvectors is Hermitian, its own square, and keeps the first of them."""
    (operation,) = (o for o in MATRICES if o.name == "eigh")
    call = example(operation, 1)
    found = call.result[..., 0] + 1j * call.result[..., 1]
    adjoint = found.conj().swapaxes(-2, -1)
    assert np.allclose(found, adjoint)
    assert np.allclose(found @ found, found)
    (z,) = call.given
    h = z + z.conj().swapaxes(-2, -1)
    lowest = np.linalg.eigvalsh(h)[..., 0, None, None]
    assert np.allclose(h @ found, lowest * found)


def test_numbers_of_mixed_calls_are_of_both_kinds():
    for operation in MIXED:
        kinds = {tuple(map(is_complex, example(operation, n).given)) for n in range(20)}
        assert {(True, False), (False, True)} <= kinds
        # Of one tensor there is one kind.
        assert all(len({*kind}) == min(2, len(kind)) for kind in kinds)


def test_parts_share_their_error():
    """The error of complex arithmetic is one of the size of a number."""
    one = Complex(Jet.given(np.array(0.1)), Jet.given(np.array(0.0)))
    made = one * one
    assert (made.re.error == made.im.error).all()
    assert planes.exp(one).im.error > 0
