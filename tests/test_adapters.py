"""Adapters: what the protocol asks of each and no claim draws, where its library is installed."""

import sys
from importlib.metadata import entry_points

import numpy as np
import pytest

from gradspec.conformance import Capability, Subject
from gradspec.conformance.run.loading import GROUP, installed, load


@pytest.fixture(params=sorted(entry_points(group=GROUP).names))
def be(request):
    if not installed(request.param):
        pytest.skip(f"not run: {request.param} is not installed")
    return Subject(load(request.param), "cpu", "float32")


def needs(be, *capabilities):
    if lacks := be.lacks(capabilities):
        pytest.skip(f"not declared: {', '.join(lacks)}")


def test_a_tensor_given_twice_has_two_gradients(be):
    x = be.tensor(np.array(3.0))
    _, pull = be.vjp(lambda first, second: first * first * second, x, x)
    for gradient, want in zip(pull(be.tensor(np.array(1.0))), (18, 9), strict=True):
        be.check(gradient, np.array(want))


def test_a_tensor_given_twice_has_two_tangents(be):
    needs(be, Capability.JVP)
    x, along = be.tensor(np.array(3.0)), [be.tensor(np.array(t)) for t in (1.0, 10.0)]
    _, tangent = be.jvp(lambda first, second: first * first * second, [x, x], along)
    be.check(tangent, np.array(18 + 90))


def test_the_jacobian_of_a_constant_is_zero(be):
    needs(be, Capability.JACOBIAN)
    constant = be.tensor(np.array([1.0, 2.0]))
    be.check(be.jacobian(lambda _: constant, be.tensor(np.ones(3))), np.zeros((2, 3)))


def test_a_gradient_is_differentiated_in_turn_in_every_mode(be):
    needs(be, Capability.CREATE_GRAPH)

    def cubed(x):
        return x * x * x

    modes = [made(be.backend) for made in be.backend.modes]
    subjects = [Subject(be.backend, "cpu", "float32", mode) for mode in modes if not mode.absent()]
    judged = [each for each in subjects if not each.lacks([Capability.CREATE_GRAPH])]
    if not judged:
        pytest.skip(f"no mode of {be.backend.name} differentiates gradients")
    for within in judged:

        def slope(x, within=within):
            _, pull = within.vjp(within.wrapped(cubed, "mul"), x, create_graph=True)
            return pull(within.tensor(np.ones(2)))[0]

        _, pull = within.vjp(slope, np.array([2.0, 3.0]))
        within.check(*pull(np.ones(2)), np.array([12.0, 18.0]))


def test_an_array_is_copied(be):
    array = np.arange(64.0).astype("float32")
    x = be.backend.tensor(array, "float32", "cpu")
    array[:] = -1
    copy = be.numpy(x)
    be.same(x, np.arange(64.0).astype("float32"))
    copy[:] = -1
    be.same(x, np.arange(64.0).astype("float32"))


def test_what_jax_has_compiled_is_let_go(monkeypatch):
    """Kept for good it takes gigabytes in a run of all claims."""
    if not installed("jax"):
        pytest.skip("not run: jax is not installed")
    backend, times = load("jax"), []
    library = sys.modules["jax"]
    monkeypatch.setattr(library, "clear_caches", lambda: times.append(1))
    for _ in range(200):
        backend.state()
    assert 2 <= len(times) <= 20
