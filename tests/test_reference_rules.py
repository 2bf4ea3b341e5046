"""Every rule of the reference, entry by entry, against a complex step on its own forward."""
# ruff: noqa: N812  (R is the reference, L a library; a line is one fact)

from typing import Any, NamedTuple

import numpy as np
import pytest

from gradspec import reference as R
from gradspec.conformance.truth.oracles.steps import directional_derivative
from gradspec.reference.indexing import HOLE
from gradspec.reference.primitives import REGISTRY, primitive


class Case(NamedTuple):
    """A call of a primitive: shapes of its array arguments (or arrays), and its attributes."""

    name: str
    inputs: tuple[Any, ...]
    attributes: dict[str, Any] = {}


ROW, GRID, CUBE = (3,), (2, 3), (2, 3, 4)
INDEX = np.array([[0, 1, 0], [1, 1, 0]])
MASK = np.array([[True, False, True], [False, True, True]])
LINE = {"dim": (1,), "keepdim": False}
KEPT = {"dim": (0, 2), "keepdim": True}
COLUMNS = (0, (2, 3), (8, 16))  # address, shape and strides of a grid that lies column by column
CORNERS = {"base": COLUMNS, "view": (0, (2, 2), (8, 32))}
REPEATED = {"base": COLUMNS, "view": (16, (3, 2), (0, 8))}

CASES = [
    *(Case(name, (GRID, GRID)) for name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum")),
    *(Case(name, (GRID, ROW)) for name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum")),
    *(Case(name, ((2, 1), ())) for name in ("add", "sub", "mul", "div", "pow")),
    *(Case(name, (shape,)) for shape in ((), GRID, (0, 2))
      for name in ("neg", "exp", "log", "sin", "cos", "tanh", "sqrt", "sigmoid", "abs", "relu", "clone")),
    Case("where", (MASK, GRID, ROW)),
    Case("clamp", (GRID,), {"low": 0.7, "high": 1.4}),
    Case("clamp", (GRID,), {"low": None, "high": 1.1}),
    *(Case(name, (CUBE,), attributes) for attributes in (LINE, KEPT)
      for name in ("sum", "mean", "prod", "amax", "amin", "logsumexp")),
    Case("prod", ((2, 7),), LINE),
    *(Case(name, (CUBE,), {"dim": 1}) for name in ("cumsum", "softmax", "log_softmax")),
    Case("matmul", (GRID, (3, 4))),
    Case("matmul", ((2, 2, 3), (3, 4))),
    Case("matmul", ((2, 1, 2, 3), (3, 3, 4))),
    Case("view", (GRID,), {"shape": (3, 2)}),
    Case("reshape", (GRID,), {"shape": (6,)}),
    Case("squeeze", ((2, 1, 3),), {"dim": (1,)}),
    Case("unsqueeze", (GRID,), {"dim": 1}),
    Case("permute", (CUBE,), {"dims": (2, 0, 1)}),
    Case("transpose", (CUBE,), {"a": 0, "b": 2}),
    Case("expand", ((2, 1, 3),), {"shape": (4, 2, 5, 3)}),
    Case("cat", (GRID, (2, 1), GRID), {"dim": 1, "starts": (0, 3, 4, 7)}),
    Case("flip", (CUBE,), {"dims": (0, 2)}),
    Case("index", (CUBE,), {"key": (slice(0, 2), 1, None, slice(1, None, 2), Ellipsis)}),
    Case("embed", (GRID,), {"key": (slice(1, 3), Ellipsis), "shape": (4, 3)}),
    Case("take", (GRID, np.array([0, 1, 1])), {"template": (HOLE,)}),
    Case("index_put", (GRID, ROW, np.array([0])), {"template": (HOLE,), "accumulate": False}),
    Case("index_put", (GRID, (2, 3), np.array([0, 0])),
         {"template": (HOLE,), "accumulate": True}),
    Case("gather", (GRID, INDEX), {"dim": 0}),
    Case("gather", (GRID, INDEX[:, :2]), {"dim": 1}),
    Case("scatter", (GRID, GRID, np.array([[0, 1, 0], [1, 0, 1]])), {"dim": 0, "reduce": None}),
    Case("scatter_add", (GRID, GRID, INDEX), {"dim": 0}),
    Case("gate", (GRID, GRID)),
    Case("contiguous", (CUBE,)),
    Case("sum_to", (CUBE,), {"shape": (3, 1)}),
    Case("spread", ((3, 1),), {"shape": (2, 3, 4)}),
    Case("part", (GRID,), CORNERS),
    Case("part", (GRID,), REPEATED),
    Case("CopySlices", (GRID, (2, 2)), CORNERS),
    Case("CopySlices", (GRID, (2,)), {"base": (40, GRID, (-24, -8)), "view": (8, (2,), (24,))}),
    Case("CopySlices", (GRID, (2, 2)), {"base": (7, GRID, (36, 12)), "view": (19, (2, 2), (36, 12))}),
]  # fmt: skip
# Written out elsewhere: their forward is not analytic or takes the shape of its argument.
ELSEWHERE = {"sign", "to", "copy"}


def drawn(case: Case, seed: int) -> list[np.ndarray]:
    """Positive values that keep 1/16 from each other and so from every tie; given arrays as such."""
    rng = np.random.default_rng(seed)
    shapes = [each for each in case.inputs if isinstance(each, tuple)]
    sizes = [int(np.prod(shape)) for shape in shapes]
    values = rng.permutation(sum(sizes)) / 16 + 0.27
    parts = iter(np.split(values, np.cumsum(sizes)[:-1]))
    return [next(parts).reshape(each) if isinstance(each, tuple) else each for each in case.inputs]


def check(forward, function, arrays, positions, seed):
    """Compare the gradient of each argument with complex steps, for a random cotangent."""
    rng = np.random.default_rng(seed)
    floats = [(i, a) for i, a in enumerate(arrays) if a.dtype.kind == "f"]

    def moved(*values):
        places = dict(zip([i for i, _ in floats], values, strict=True))
        return forward(*(places.get(i, a) for i, a in enumerate(arrays)))

    tensors = [
        R.Tensor(a, requires_grad=i in positions) if i in positions else R.Tensor(a)
        for i, a in enumerate(arrays)
    ]
    out = function(*tensors)
    cotangent = rng.standard_normal(out.shape)
    got = R.grad(out, [tensors[i] for i in positions], R.Tensor(cotangent))
    for position, g in zip(positions, got, strict=True):
        expected = np.zeros(arrays[position].shape)
        for place in np.ndindex(expected.shape):
            direction = np.zeros(expected.shape)
            direction[place] = 1
            along = [direction if i == position else np.zeros(np.shape(a)) for i, a in floats]
            rate = directional_derivative(moved, [a for _, a in floats], along)
            expected[place] = (cotangent * rate).sum()
        np.testing.assert_allclose(g.array, expected, rtol=2e-12, atol=2e-12)


def differentiable(case: Case) -> list[int]:
    rules = REGISTRY[case.name].rules
    return [
        i for i, each in enumerate(case.inputs)
        if isinstance(each, tuple) and rules[min(i, len(rules) - 1)] is not None
    ]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.name}-{c.inputs[0]}"[:40])
def test_a_rule_is_the_adjoint_of_the_derivative(case):
    primitive = REGISTRY[case.name]
    positions = [p for p in differentiable(case) if (case.name, p) != ("gate", 1)]
    check(
        lambda *a: primitive.forward(*a, **case.attributes),
        lambda *t: primitive(*t, **case.attributes),
        drawn(case, 1), positions, 2,
    )  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.name}-{c.inputs[0]}"[:40])
def test_a_rule_differentiates_again(case):
    """Gradients of a product of gradients: central differences of the first order."""
    primitive = REGISTRY[case.name]
    positions = [p for p in differentiable(case) if (case.name, p) != ("gate", 1)]
    arrays = drawn(case, 3)
    rng = np.random.default_rng(4)
    shape = np.shape(primitive.forward(*arrays, **case.attributes))
    cotangent = rng.standard_normal(shape)
    weights = [rng.standard_normal(arrays[p].shape) for p in positions]

    def weighted(g, *inputs):
        tensors = [*map(R.Tensor, arrays)]
        for position, value in zip(positions, inputs, strict=True):
            tensors[position] = value
        out = primitive(*tensors, **case.attributes)
        gradients = R.grad(out, list(inputs), g, create_graph=True)
        return sum(R.sum(w * h) for w, h in zip(map(R.Tensor, weights), gradients, strict=True))

    leaves = [R.Tensor(c, requires_grad=True) for c in (cotangent, *(arrays[p] for p in positions))]
    first = weighted(*leaves)
    if not first.requires_grad:
        return
    got = R.grad(first, leaves, allow_unused=True)
    for leaf, g in zip(leaves, got, strict=True):
        expected = np.zeros(leaf.shape)
        for place in np.ndindex(leaf.shape):
            kept, ends = leaf.array[place], []
            for step in (1e-5, -1e-5):
                leaf.array[place] = kept + step
                ends.append(weighted(*leaves).item())
            leaf.array[place] = kept
            expected[place] = (ends[0] - ends[1]) / 2e-5
        found = np.zeros(leaf.shape) if g is None else g.array
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


def test_every_primitive_is_checked():
    assert {case.name for case in CASES} | ELSEWHERE == set(REGISTRY)


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
def test_prod_with_zeros(zeros):
    """The product of the others, with as many zeros as you like."""
    values = np.array([2.0, -3.0, 0.5, 4.0, 1.5])
    values[:zeros] = 0
    x = R.Tensor(values, requires_grad=True)
    R.prod(x).backward()
    others = [np.prod(np.delete(values, i)) for i in range(5)]
    assert x.grad.array.tolist() == others


def test_what_a_rule_names_is_what_is_saved():
    x = R.Tensor([1.0, 2.0], requires_grad=True)
    c = R.Tensor([3.0, 4.0])
    assert (x + c).node.saved_values() == {}
    assert list((x * c).node.saved_values()) == ["y"]
    assert list((x * x).node.saved_values()) == ["y", "x"]
    assert list(x.exp().node.saved_values()) == ["out"]
    assert list(R.sum(x).node.saved_values()) == []


def test_a_rule_may_not_name_the_shape_of_another_argument():
    with pytest.raises(TypeError):
        primitive("bad", np.add, x=lambda g, y_shape: g, y=lambda g: g)
    assert "bad" not in REGISTRY
