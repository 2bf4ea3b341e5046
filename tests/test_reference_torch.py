"""The reference beside PyTorch: values, gradients and refusals of the same calls."""
# ruff: noqa: N803, N812  (R is the reference, L a library; a line is one fact)

import warnings

import numpy as np
import pytest

from gradspec import reference as R

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

GRID = np.array([[0.5, -1.25, 2.0], [1.5, 0.0, -0.75]])
POSITIVE = np.abs(GRID) + 0.25
TIES = np.array([[1.0, 3.0, 3.0], [-2.0, -2.0, -2.0]])
CUBE = np.arange(24.0).reshape(2, 3, 4) / 8 - 1

UNARY = {
    "neg": GRID, "exp": GRID, "log": POSITIVE, "sin": GRID, "cos": GRID, "tanh": GRID,
    "sqrt": POSITIVE, "abs": GRID, "relu": GRID, "sigmoid": 100 * GRID, "clone": GRID,
}  # fmt: skip
FIRST = {torch: torch.tensor([0]), R: R.Tensor(np.array([0]))}
CALLS = {
    **{name: (lambda L, x, name=name: getattr(L, name)(x), [value]) for name, value in UNARY.items()},
    "relu of nan": (lambda L, x: L.relu(x), [np.array([np.nan, -0.0])]),
    "maximum": (lambda L, x, y: L.maximum(x, y), [TIES, GRID]),
    "minimum of ties": (lambda L, x, y: L.minimum(x, y), [TIES, TIES + [0, 1, 0]]),
    "pow": (lambda L, x, y: x**y, [POSITIVE, GRID]),
    "pow at zero": (lambda L, x, y: x**y, [np.zeros(3), np.array([0.0, 2.0, 1.0])]),
    "pow of negative": (lambda L, x, y: x**y, [np.array([-2.0, -1.0]), np.array([2.0, 0.0])]),
    "square": (lambda L, x: x**2, [GRID]),
    "zeroth power": (lambda L, x: x**0, [GRID]),
    "power of a number": (lambda L, x: 2.0**x, [GRID]),
    "reflected": (lambda L, x: (1.0 - x) / (3.0 + x) + 2.0 * x, [GRID]),
    "reciprocal": (lambda L, x: 1.0 / x, [POSITIVE]),
    "clamp": (lambda L, x: L.clamp(x, -0.75, 1.5), [GRID]),
    "clamp of nan": (lambda L, x: L.clamp(x, min=0.0), [np.array([np.nan, 1.0])]),
    "where": (lambda L, x, y: L.where(x > 0, x, y), [GRID, CUBE[0, :1, :3]]),
    "sum": (lambda L, x: L.sum(x, 1), [CUBE]),
    "sum of some": (lambda L, x: x.sum((0, -1), keepdim=True), [CUBE]),
    "mean": (lambda L, x: x.mean(), [CUBE]),
    "prod": (lambda L, x: L.prod(x), [GRID]),
    "prod along": (lambda L, x: L.prod(x, 1), [GRID]),
    "amax": (lambda L, x: L.amax(x, 1), [TIES]),
    "amin": (lambda L, x: L.amin(x, (0, 1)), [TIES]),
    "logsumexp": (lambda L, x: L.logsumexp(x, 1), [1000 * GRID]),
    "cumsum": (lambda L, x: L.cumsum(x, 1), [CUBE]),
    "cumsum of a number": (lambda L, x: L.cumsum(x, 0), [np.array(2.0)]),
    "softmax": (lambda L, x: L.softmax(x, 0), [1000 * GRID]),
    "log_softmax": (lambda L, x: L.log_softmax(x, -1), [GRID]),
    "matrix times vector": (lambda L, x, y: x @ y, [GRID, GRID[0]]),
    "vector times matrix": (lambda L, x, y: x @ y, [GRID[:, 0], GRID]),
    "dot": (lambda L, x, y: x @ y, [GRID[0], GRID[1]]),
    "batches": (lambda L, x, y: L.matmul(x, y), [CUBE, CUBE[0].T]),
    "batches of vectors": (lambda L, x, y: L.matmul(x, y), [CUBE, CUBE[0, 0]]),
    "view": (lambda L, x: x.view(4, -1), [CUBE]),
    "reshape": (lambda L, x: x.permute(2, 0, 1).reshape(-1, 2), [CUBE]),
    "flatten": (lambda L, x: L.flatten(x, 1), [CUBE]),
    "movedim": (lambda L, x: L.movedim(x, (0, 1), (1, 2)), [CUBE]),
    "movedim back": (lambda L, x: L.movedim(x, -1, 0), [CUBE]),
    "movedim of a number": (lambda L, x: L.movedim(x, -1, 0), [np.array(2.0)]),
    "scatter of a number": (lambda L, x: x.scatter(0, FIRST[L], x * 3), [np.array(2.0)]),
    "scatter_add of a number": (lambda L, x: x.scatter_add(0, FIRST[L], x * 3), [np.array(2.0)]),
    "transpose": (lambda L, x: x.transpose(0, -1), [CUBE]),
    "squeeze": (lambda L, x: x.unsqueeze(-1).unsqueeze(0).squeeze(), [CUBE]),
    "squeeze none": (lambda L, x: x.squeeze(1), [CUBE]),
    "expand": (lambda L, x: x.unsqueeze(1).expand(5, -1, 2, -1), [GRID]),
    "narrow": (lambda L, x: L.narrow(x, 1, -2, 2), [CUBE]),
    "select": (lambda L, x: L.select(x, 1, -1), [CUBE]),
    "unbind": (lambda L, x: L.unbind(x, 1)[1], [CUBE]),
    "split": (lambda L, x: L.split(x, 3, 2)[1], [CUBE]),
    "split sizes": (lambda L, x: L.split(x, [1, 2], 1)[1], [CUBE]),
    "chunk": (lambda L, x: L.chunk(x, 3, 2)[-1], [CUBE]),
    "stack": (lambda L, x, y: L.stack([x, y, x], 1), [GRID, TIES]),
    "cat": (lambda L, x, y: L.cat([x, y], -1), [GRID, TIES]),
    "flip": (lambda L, x: L.flip(x, (0, 2)), [CUBE]),
    "flip of a number": (lambda L, x: L.flip(x, (-1,)), [np.array(2.0)]),
    "softmax of nothing": (lambda L, x: L.softmax(x, -1), [CUBE[:0, :0, :0]]),
    "log_softmax of nothing": (lambda L, x: L.log_softmax(x, -1), [CUBE[:0, :0, :0]]),
    "logsumexp of nothing": (lambda L, x: L.logsumexp(x, 1), [GRID[:, :0]]),
    "basic index": (lambda L, x: x[1, None, ..., 1::2], [CUBE]),
    "list index": (lambda L, x: x[:, [0, 2, 0]], [CUBE]),
    "mask": (lambda L, x: x[x > 0], [GRID]),
    "pairs": (lambda L, x: x[[0, 1, 1], [0, 2, 2]], [GRID]),
    "T": (lambda L, x: x.T, [GRID]),
    "iteration": (lambda L, x: sum(row * k for k, row in enumerate(x)), [GRID]),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values_and_gradients(name, dtype):
    call, arrays = CALLS[name]
    arrays = [np.asarray(a, dtype) for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    ours = [R.Tensor(a, requires_grad=True) for a in arrays]
    with np.errstate(all="ignore"):
        y, x = call(torch, *theirs), call(R, *ours)
        tolerance = 64 * np.finfo(dtype).eps
        assert str(x.dtype) == dtype
        np.testing.assert_allclose(x.array, y.detach().numpy(), tolerance, tolerance)
        cotangent = np.random.default_rng(0).standard_normal(x.shape).astype(dtype)
        y.backward(torch.tensor(cotangent))
        x.backward(R.Tensor(cotangent))
    for a, b in zip(ours, theirs, strict=True):
        expected = b.grad.numpy()
        scale = tolerance * max(1.0, float(np.nanmax(np.abs(expected), initial=0)))
        np.testing.assert_allclose(a.grad.array, expected, tolerance, scale)
        assert a.grad.dtype == dtype


def outcome(library, call, make):
    """What a call does: its result's shape and values, or that it was refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call(library, make)
    except (RuntimeError, IndexError, ValueError, TypeError):
        return "refused"
    array = result.array if hasattr(result, "array") else result.detach().numpy()
    return array.tolist()


REFUSALS = {
    "view of t": lambda L, m: m(GRID).t().view(6),
    "view splits": lambda L, m: m(CUBE).permute(1, 0, 2).view(3, 2, 2, 2),
    "two unknowns": lambda L, m: m(GRID).view(-1, -1),
    "no fit": lambda L, m: m(GRID).view(-1, 4),
    "ambiguous": lambda L, m: m(np.zeros((0, 3))).view(-1, 0),
    "empty": lambda L, m: m(np.zeros((0, 3))).view(-1, 3),
    "permute twice": lambda L, m: m(GRID).permute(0, 0),
    "permute short": lambda L, m: m(CUBE).permute(0, 1),
    "t of cube": lambda L, m: m(CUBE).t(),
    "unsqueeze": lambda L, m: m(GRID).unsqueeze(3),
    "unsqueeze back": lambda L, m: m(GRID).unsqueeze(-3),
    "squeeze out": lambda L, m: m(GRID).squeeze(2),
    "narrow long": lambda L, m: L.narrow(m(GRID), 0, 1, 2),
    "narrow negative": lambda L, m: L.narrow(m(GRID), 0, 0, -1),
    "narrow end": lambda L, m: L.narrow(m(GRID), 0, 2, 0),
    "expand": lambda L, m: m(GRID).expand(2, 4),
    "expand less": lambda L, m: m(GRID).expand(3),
    "cat": lambda L, m: L.cat([m(GRID), m(CUBE)], 0),
    "cat uneven": lambda L, m: L.cat([m(GRID), m(CUBE[0])], 0),
    "stack uneven": lambda L, m: L.stack([m(GRID), m(CUBE)], 0),
    "index": lambda L, m: m(GRID)[2],
    "index list": lambda L, m: m(GRID)[[2]],
    "too many": lambda L, m: m(GRID)[0, 0, 0],
    "add": lambda L, m: m(GRID) + m(CUBE),
    "matmul": lambda L, m: m(GRID) @ m(GRID),
    "matmul scalar": lambda L, m: m(GRID) @ m(np.array(1.0)),
    "sum twice": lambda L, m: m(GRID).sum((0, 0)),
    "sum out": lambda L, m: m(GRID).sum(2),
    "unbind scalar": lambda L, m: L.unbind(m(np.array(1.0)))[0],
    "t of vector": lambda L, m: m(GRID[0]).t(),
    "transpose scalar": lambda L, m: m(np.array(1.0)).transpose(0, 0),
    "squeeze scalar": lambda L, m: m(np.array(1.0)).squeeze(0),
    "integer grad": lambda L, m: m(np.array([1])).requires_grad_(),
    "backward twice": lambda L, m: [y := (m(GRID) * 1).requires_grad_().exp().sum(),
                                    y.backward(), y.backward()][0],
    "set strided": lambda L, m: [x := m(GRID), x.__setitem__((0, slice(None, None, 2)), 7.0)][0],
    "set masked": lambda L, m: [x := m(GRID), x.__setitem__(x > 0, 7.0)][0],
    "set wide": lambda L, m: [x := m(GRID), x.__setitem__(0, m(np.ones((1, 3))))][0],
    "set too wide": lambda L, m: [x := m(GRID), x.__setitem__(0, m(np.ones((2, 3))))][0],
    "set masked wide": lambda L, m: [x := m(GRID), x.__setitem__(x > 0, m(np.ones((1, 1))))][0],
    "set masked tall": lambda L, m: [x := m(GRID), x.__setitem__(x > 0, m(np.ones((2, 1))))][0],
    "set rows wide": lambda L, m: [x := m(GRID[0] * 1.0), w := m(np.ones((1, 2))).requires_grad_(),
                                   x.__setitem__([0, 2], w), x.sum().backward(), w.grad][-1],
    "copy casts": lambda L, m: m(np.array([1, 2])).copy_(m(np.array([1.9, -1.9]))),
    "mul by itself": lambda L, m: [x := m(GRID).requires_grad_() * 1, x.mul_(x),
                                   x.sum().backward()][0],
    "scatter": lambda L, m: m(GRID).scatter_(1, m(np.array([[2, 0]])), m(CUBE[0, :, :3] * 1.0)),
    "scatter empty": lambda L, m: m(GRID).scatter_(1, m(np.zeros((5, 0), int)), 1.0),
    "scatter scalar": lambda L, m: m(np.array(1.0)).scatter_(0, m(np.array(0)), m(np.array(9.0))),
    "scatter reduce": lambda L, m: m(GRID).scatter_(1, m(np.array([[2, 2]])), 3.0, reduce="multiply"),
    "scatter bad": lambda L, m: m(GRID).scatter_(1, m(np.array([[3]])), 3.0),
    "scatter bool": lambda L, m: m(GRID).scatter_(1, m(np.array([[True]])), 3.0),
    "gather large": lambda L, m: L.gather(m(GRID), 0, m(np.zeros((1, 4), int))),
    "gather long": lambda L, m: L.gather(m(GRID), 1, m(np.zeros((2, 5), int))),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_and_edges(name):
    call = REFUSALS[name]
    assert outcome(R, call, R.Tensor) == outcome(torch, call, torch.tensor)
