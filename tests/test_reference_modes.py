"""Modes, hooks, saved-tensor hooks, custom functions and gradcheck of the reference."""
# ruff: noqa: N812, PT018  (R is the reference, L a library; a line is one fact)

import threading

import numpy as np
import pytest

from gradspec import reference as R
from refusals import refused


def leaf(*values):
    return R.Tensor(values if len(values) != 1 else values[0], dtype=float, requires_grad=True)


# --- modes ----------------------------------------------------------------------------------------


def test_modes_nest_and_survive_exceptions():
    with R.no_grad():
        assert not R.is_grad_enabled()
        with R.enable_grad():
            assert R.is_grad_enabled()
            with pytest.raises(KeyError), R.set_grad_enabled(False):
                raise KeyError
            assert R.is_grad_enabled()
        assert not R.is_grad_enabled()
    assert R.is_grad_enabled()
    R.set_grad_enabled(False)
    assert not R.is_grad_enabled()
    R.set_grad_enabled(True)


def test_one_object_may_be_entered_again():
    mode = R.no_grad()
    with mode, R.enable_grad(), mode:
        assert not R.is_grad_enabled()
    assert R.is_grad_enabled()


@pytest.mark.parametrize("decorate", [R.no_grad, R.no_grad(), R.set_grad_enabled(True)])
def test_decorators_act_per_call(decorate):
    expected = isinstance(decorate, R.set_grad_enabled)

    @decorate
    def mode():
        """Doc."""
        return R.is_grad_enabled()

    assert mode() is expected and mode.__name__ == "mode" and mode.__doc__ == "Doc."
    assert R.is_grad_enabled()


def test_a_decorated_generator_does_not_leak():
    seen = []

    @R.no_grad
    def generator():
        try:
            seen.append(R.is_grad_enabled())
            received = yield 1
            seen.append((received, R.is_grad_enabled()))
            yield 2
        except ValueError:
            seen.append(R.is_grad_enabled())
            yield 3
        finally:
            seen.append(R.is_grad_enabled())
        return "end"

    g = generator()
    assert next(g) == 1 and R.is_grad_enabled()
    assert g.send("x") == 2 and R.is_grad_enabled()
    assert g.throw(ValueError()) == 3 and R.is_grad_enabled()
    with pytest.raises(StopIteration) as stop:
        next(g)
    assert stop.value.value == "end"
    assert seen == [False, ("x", False), False, False]
    h = generator()
    next(h)
    h.close()
    assert seen[-1] is False and R.is_grad_enabled()


def test_threads_start_recording():
    seen = []
    with R.no_grad():
        thread = threading.Thread(target=lambda: seen.append(R.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_what_no_grad_does():
    x = leaf(2.0)
    y = x * x
    with R.no_grad():
        z = x * x
        assert not z.requires_grad and z.is_leaf
        assert R.Tensor(1.0, requires_grad=True).requires_grad
        y.backward()  # what was recorded can be differentiated here
    assert x.grad.item() == 4.0 and x.requires_grad


# --- hooks ----------------------------------------------------------------------------------------


def test_a_view_made_under_no_grad_is_an_input_that_takes_no_part():
    x = leaf(1.0, 2.0)
    with R.no_grad():
        view = x[:1]
    assert view.requires_grad
    cotangent = R.Tensor([1.0, 1.0])
    assert R.grad(x * 2.0, view, cotangent, allow_unused=True) == (None,)
    with refused("unreachable"):
        R.grad(x * 2.0, view, cotangent)
    with refused("no_graph"):
        R.backward(view, R.Tensor([1.0]))


def test_a_leaf_that_a_write_made_a_result_is_refused_in_a_pass():
    x = leaf(1.0)
    y = x * 2.0
    x.requires_grad_(False)
    x.add_(y)
    with refused("moved_leaf"):
        y.backward()


@pytest.mark.parametrize(
    ("refusal", "view"),
    [("moved_leaf", lambda x: x[0]), ("multi_output_view_inplace", lambda x: R.unbind(x)[0])],
)
def test_a_view_that_was_a_leaf_is_a_result_once_its_base_is_written(refusal, view):
    base = R.Tensor([1.0, 1.0])
    x = view(base).requires_grad_()
    y = x * 2.0
    base.add_(y)
    with refused(refusal):
        y.backward()
    assert x.grad is None


def test_a_view_of_a_view_that_is_a_leaf_is_a_part_of_the_constant_once_that_is_written():
    base = R.Tensor([1.0, 1.0])
    x = base[:].requires_grad_()
    y = x[:]
    base.mul_(2.0)
    y.sum().backward()
    assert x.grad is None and x.is_leaf
    x[:].sum().backward()
    assert x.grad.array.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("create", [False, True])
def test_gradients_made_of_zeros_lead_on_if_the_pass_is_recorded(create):
    x, y = leaf(1.0), leaf(2.0)
    (zeros,) = R.grad(x * 2.0, y, create_graph=create, materialize_grads=True)
    assert zeros.item() == 0.0
    assert zeros.requires_grad is create


def test_a_recorded_pass_to_inputs_records_also_under_no_grad():
    x = leaf(3.0)
    x.register_hook(lambda g: g)
    y = x * x
    with R.no_grad():
        (g,) = R.grad(y, x, create_graph=True)
        R.backward(y, create_graph=True, inputs=[x])
    assert g.requires_grad and x.grad.requires_grad


def test_a_pass_frees_a_write_through_a_view():
    x = leaf(1.0, 2.0)
    y = x * 2.0
    y[:1].add_(x[1:])
    y.backward(R.Tensor([1.0, 1.0]))
    with refused("freed_graph"):
        y.backward(R.Tensor([1.0, 1.0]))


def test_a_hook_sees_the_whole_gradient_once():
    x = leaf(1.0)
    y = x + x
    seen = []
    handle = y.register_hook(lambda g: seen.append(g.item()))
    (y * 3.0 + y * 5.0).backward()
    assert seen == [8.0] and x.grad.item() == 16.0
    handle.remove()
    handle.remove()
    (y * 3.0).backward()
    assert seen == [8.0]


def test_what_a_hook_returns_replaces():
    x = leaf(1.0)
    x.register_hook(lambda g: g * 10.0)
    for _ in range(2):
        (x * 2.0).backward()
    assert x.grad.item() == 40.0
    y = x * 1.0
    y.register_hook(lambda g: R.Tensor([1.0]))
    with refused("invalid_gradient"):
        y.backward()
    z = x * 1.0
    z.register_hook(lambda g: 3)
    with pytest.raises(TypeError):
        z.backward()
    with refused("no_graph"):
        R.Tensor(1.0).register_hook(print)


@pytest.mark.parametrize("first", ["hook", "retain"])
def test_retained_gradients_come_after_hooks(first):
    y = leaf(1.0) * 3.0
    for what in (first, "retain" if first == "hook" else "hook"):
        if what == "hook":
            y.register_hook(lambda g: g * 10.0)
        else:
            y.retain_grad()
            y.retain_grad()
    (y * 3.0).backward()
    assert y.grad.item() == 30.0


def test_after_a_write_hooks_stay_and_retained_gradients_follow():
    order = []
    h = leaf(1.0) * 2.0
    h.register_hook(lambda g: order.append(("pre", g.item())))
    h.retain_grad()
    h.mul_(3.0)
    h.register_hook(lambda g: order.append(("post", g.item())))
    (h * 5.0).backward()
    assert order == [("post", 5.0), ("pre", 15.0)] and h.grad.item() == 5.0


def test_a_gradient_is_not_added_to_one_of_another_shape():
    x = leaf([1.0, 2.0])
    x.sum().backward()
    x.requires_grad_(False)
    x.unsqueeze_(0)
    x.requires_grad_()
    with refused("invalid_gradient"):
        x.sum().backward()
    assert x.grad.array.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("through", ["view", "base"])
def test_what_a_view_retains_is_the_gradient_of_its_value_after_a_write(through):
    x = leaf([1.0])
    base = x * 2.0
    view = base[:]
    view.retain_grad()
    {"view": view, "base": base}[through].mul_(3.0)
    base.sum().backward(retain_graph=True)  # which is computed from another view, or none
    assert view.grad is None
    (view * 5.0).sum().backward()
    assert view.grad.array.tolist() == [5.0] and x.grad.array.tolist() == [6.0 + 30.0]


def test_hooks_after_accumulation():
    x, seen = leaf(1.0), []
    handle = x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))
    (x * 2.0).backward()
    (x * 2.0).backward()
    handle.remove()
    (x * 2.0).backward()
    assert seen == [2.0, 4.0]
    with refused("nonleaf_hook"):
        (x * 2.0).register_post_accumulate_grad_hook(print)
    with refused("no_graph"):
        R.Tensor(1.0).register_post_accumulate_grad_hook(print)


def test_saved_tensors_are_packed_and_unpacked():
    live = set()

    class Box:
        def __init__(self, value):
            self.value = value.detach()
            live.add(id(self))

        def __del__(self):
            live.discard(id(self))

    x = leaf(2.0)
    with R.saved_tensors_hooks(Box, lambda box: box.value):
        y = x.exp()
        z = y * y * 3.0
    assert len(live) == 3
    z.backward(retain_graph=True)
    assert len(live) == 3
    z.backward()
    assert not live
    assert x.grad.item() == pytest.approx(12 * np.exp(4.0))


def test_packed_tensors_differentiate_twice():
    x = leaf(2.0)
    with R.saved_tensors_hooks(lambda t: t.array.copy(), R.Tensor):
        y = x.exp() * x
    (g,) = R.grad(y, x, create_graph=True)
    assert R.grad(g, x)[0].item() == pytest.approx(4 * np.exp(2.0))


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


# --- tensors --------------------------------------------------------------------------------------


def test_tensor_construction():
    data = np.arange(3.0)
    x = R.Tensor(data)
    data[0] = 9
    assert x.array[0] == 0 and R.Tensor(5).shape == () and R.Tensor(5).item() == 5
    assert R.Tensor.from_array(data).array is data
    for wrong in ("a", [object()]):
        with pytest.raises(TypeError):
            R.Tensor(wrong)
    with refused("integer_requires_grad"):
        R.Tensor([1], requires_grad=True)
    assert (R.Tensor([1.0]) * 2).dtype == float
    assert (R.Tensor([1.0], dtype=np.float32) * 2.5).dtype == np.float32
    assert (np.array([1.0]) * R.Tensor([2.0])).item() == 2.0


def test_augmented_assignment_keeps_the_object():
    x = R.Tensor([1.0])
    kept = x
    x += 1
    x *= 4
    x -= 2
    x /= 3
    assert x is kept and x.item() == 2.0 and x.version.count == 4
    x = x + 1
    assert x is not kept
