"""Custom functions of the reference, and gradcheck."""
# ruff: noqa: N812, PT018  (R is the reference, L a library; a line is one fact)

import numpy as np
import pytest

from gradspec import reference as R
from refusals import refused


def leaf(*values):
    return R.Tensor(values if len(values) != 1 else values[0], dtype=float, requires_grad=True)


# --- custom functions -----------------------------------------------------------------------------


class Exp(R.Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx, x):
        assert not R.is_grad_enabled()
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result


class Sign(R.Function):
    """The size, and a sign that has no derivative."""

    @staticmethod
    def forward(ctx, x):
        sign = R.Tensor(np.sign(x.array))
        ctx.save_for_backward(sign)
        ctx.mark_non_differentiable(sign)
        return x * sign, sign

    @staticmethod
    def backward(ctx, g, _):
        (sign,) = ctx.saved_tensors
        return g * sign


def test_an_output_may_be_no_function_to_differentiate():
    x = R.Tensor([-2.0, 3.0], requires_grad=True)
    size, sign = Sign.apply(x)
    assert not sign.requires_grad
    R.backward(R.sum(size))
    assert x.grad.array.tolist() == [-1.0, 1.0]


class Both(R.Function):
    """Two outputs, one attribute, an argument that is no tensor."""

    materialize = True

    @staticmethod
    def forward(ctx, x, factor):
        ctx.set_materialize_grads(Both.materialize)
        ctx.factor = factor
        return x * factor, x + 1.0

    @staticmethod
    def backward(ctx, first, second):
        Both.given = (first, second)
        total = first * ctx.factor if first is not None else 0.0
        return total + second if second is not None else total, None


class Pass(R.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * -0.1


def test_function_first_and_second_order():
    x = leaf(0.5)
    y = Exp.apply(x)
    assert y.node.name == "ExpBackward" and y.item() == np.exp(0.5)
    (g,) = R.grad(y, x, create_graph=True)
    (h,) = R.grad(g, x)
    assert g.item() == h.item() == y.item()
    assert R.gradcheck(Exp.apply, leaf(0.1, -0.7))


def test_function_is_freed_and_version_checked():
    x = leaf(0.5)
    y = Exp.apply(x)
    y.backward()
    with refused("freed_graph"):
        y.backward()
    y = Exp.apply(x)
    y.add_(1.0)
    with refused("stale_saved_value"):
        y.backward()
    with R.no_grad():
        assert Exp.apply(x).is_leaf
    assert Exp.apply(R.Tensor(1.0)).node is None


@pytest.mark.parametrize("materialize", [True, False])
def test_function_with_two_outputs(materialize):
    Both.materialize = materialize
    x = leaf(2.0, 3.0)
    first, second = Both.apply(x, 5.0)
    assert (first.slot, second.slot) == (0, 1)
    R.sum(second).backward(retain_graph=True)
    assert x.grad.array.tolist() == [1.0, 1.0]
    assert (Both.given[0] is None) is not materialize
    (first * second).sum().backward()
    assert x.grad.array.tolist() == [1 + 5 * 3 + 5 * 2, 1 + 5 * 4 + 5 * 3]


def test_an_input_handed_back_while_nothing_is_recorded_is_an_alias_without_history():
    x = leaf(1.0)
    with R.no_grad():
        y = Pass.apply(x)
    assert (y.requires_grad, y.base, y.version) == (False, None, x.version)


def test_function_that_returns_its_input():
    x = leaf(2.0)
    y = x * 1.0
    r = Pass.apply(y)
    assert r is not y and np.shares_memory(r.array, y.array)
    with refused("custom_view_inplace", match="an input that a Function returned"):
        r.add_(1.0)
    (r * r).backward()
    assert x.grad.item() == pytest.approx(-0.4)


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        ((1.0,), "invalid_gradient"),
        ((), "invalid_gradient"),
        ((R.Tensor([1.0, 2.0]),), "invalid_gradient"),
        ((R.Tensor(1.0), R.Tensor(1.0)), "invalid_gradient"),
    ],
)
def test_function_with_a_wrong_backward(returned, error):
    class Wrong(R.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2.0

        @staticmethod
        def backward(ctx, g):
            return returned

    with refused(error):
        Wrong.apply(leaf(1.0)).backward()


def test_function_refusals():
    class Saver(Exp):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)
            return x * 1.0

    with pytest.raises(TypeError):
        Saver.apply(leaf(1.0))
    with refused("argument"):
        Exp()


def test_extra_nones_are_tolerated():
    class Generous(Exp):
        @staticmethod
        def backward(ctx, g):
            return g, None, None

    x = leaf(1.0)
    Generous.apply(x).backward()
    assert x.grad.item() == 1.0


# --- gradcheck ------------------------------------------------------------------------------------


def test_gradcheck_accepts_right_and_rejects_wrong():
    x, w = leaf(0.5, -1.5, 2.0), leaf(1.0, 2.0, 3.0)
    assert R.gradcheck(lambda a, b: (a.sin() * b, (a / b).sum()), (x, w))
    with refused("wrong_gradient"):
        R.gradcheck(Pass.apply, x)
    assert not R.gradcheck(Pass.apply, x, raise_exception=False)
    with refused("wrong_gradient"):  # a gradient silently dropped
        R.gradcheck(lambda a: (a * a, a.detach() * 3.0), x)
    with pytest.raises(ValueError, match="at least one"):
        R.gradcheck(R.exp, R.Tensor([1.0]))
    assert x.grad is None


def test_gradcheck_sees_one_wrong_entry():
    def wrong(a):
        factor = np.ones(3)
        factor[1] = 1.01
        return a * 2.0 + (a * R.Tensor(factor - 1) - (a * R.Tensor(factor - 1)).detach())

    with refused("wrong_gradient"):
        R.gradcheck(wrong, leaf(1.0, 2.0, 3.0))
