"""Modes of the reference, and what they leave in the graph; tensors."""
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


# --- graphs ---------------------------------------------------------------------------------------


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
