"""Backward: gradients from a result to its leaves."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import NONZERO, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.networks import networks
from gradspec.conformance.table.derivatives import PROGRAMS, derivatives, smooth_points
from gradspec.conformance.truth.oracles.elementary import sigmoid
from gradspec.conformance.truth.oracles.jets import Jet

SMOOTH = ("x * x", "sin(x)", "cos(x)", "tanh(x)", "sigmoid(x)", "softmax(x, 0)", "cumsum(x, 0)")

# ---- closed forms --------------------------------------------------------------------------------


@workload
def mean_of_power(be, leaf, shift=1.0, factor=2.0, degree=2):
    """The gradient of the mean of a multiple of a shifted power."""
    base = be.add(leaf, shift)
    y = be.mul(base, factor)
    for _ in range(degree - 1):
        y = y * base
    be.backward(be.mean(y))
    return be.grad(leaf)


@claim("BWD-01", "BWD-02", "BWD-51", about="mean", needs="backward")
@example(x=np.arange(1.0, 7.0).reshape(2, 3), shift=1.0, factor=2.0, degree=2)
@example(x=np.ones((2, 2)), shift=0.0, factor=3.0, degree=4)
@given(
    x=arrays(min_size=1),
    shift=arrays("constant", shape=()),
    factor=arrays("constant", shape=()),
    degree=integers(1, 4),
)
def test_a_mean_divides_the_gradient_by_the_number_of_entries(be, x, shift, factor, degree):
    """The gradient of the mean of c (x + b)^k over n entries is c k (x + b)^(k - 1) / n."""
    gradient = mean_of_power(be, be.leaf(x), shift, factor, degree)
    power = (Jet.exact(x) + shift) ** (degree - 1)
    be.check(gradient, factor * degree * power / x.size)


@claim("BWD-03", about="vjp", needs="vjp")
@example(x=1.0, y=2.0, coefficients=np.array([1.0, 2.0]), w=1.0)
@given(x=arrays(), y=arrays(), coefficients=arrays("coefficients", shape=(2,)), w=arrays())
def test_a_linear_form_has_its_coefficients_as_gradient(be, x, y, coefficients, w):
    """The gradient of a linear form is its coefficients, wherever it is taken."""
    p, q = coefficients.tolist()
    _, pull = be.vjp(lambda a, b: p * a + b * q, x, y)
    for gradient, coefficient in zip(pull(w), (p, q), strict=True):
        be.check(gradient, coefficient * w)


@claim("BWD-31", about="vjp", needs="vjp")
@given(x=arrays(), y=arrays(), z=arrays(), w=arrays())
def test_factors_of_a_product_exchange_values(be, x, y, z, w):
    """In a product plus a bias each factor has the other's value as its derivative, and the bias
    has one.
    """
    _, pull = be.vjp(lambda a, b, bias: a * b + bias, x, y, z)
    for gradient, derivative in zip(pull(w), (y, x, 1), strict=True):
        be.check(gradient, w * derivative)


@claim("BWD-522", about="vjp", needs="vjp")
@given(x=arrays(), y=arrays(), w=arrays())
def test_a_function_may_return_what_it_is_given(be, x, y, w):
    """A function that computes nothing, and returns one of its arguments as it is, passes the
    cotangent on to that one.
    """
    for place in range(2):
        value, pull = be.vjp(lambda *given, n=place: given[n], x, y)
        be.check(value, (x, y)[place])
        be.check(pull(w)[place], w)


@claim("BWD-04", about="backward", needs="backward")
@example(w=np.array([1.0]), x=np.array([1.0, 2.0, 3.0]), y=np.array([3.0, 5.0, 7.0]))
@given(w=arrays("weight", shape=(1,)), x=arrays(), y=arrays())
def test_a_shared_weight_collects_all_residuals(be, w, x, y):
    """The sum of squares (y - w x)^2 has -2 sum(x (y - w x)) as gradient for a weight of one
    element, in the shape of the weight; the data receive none.
    """
    weight, points, targets = be.leaf(w), be.tensor(x), be.tensor(y)
    residual = targets - weight * points
    be.backward(be.sum(residual * residual))
    be.check(be.grad(weight), Total.onto(np.atleast_1d(-2 * x * (y - w * x)), (1,)))
    assert be.grad(points) is be.grad(targets) is None


@claim("BWD-13", "BWD-57", "DYN-01", about="vjp", needs="vjp")
@example(x=np.array([-0.2283, -1.7334, 1.9509]), w=np.array([0.1, 1.0, 1e-4]))
@given(x=arrays(values=NONZERO, min_size=1), w=arrays(min_size=1))
def test_a_loop_is_differentiated_as_often_as_it_ran(be, x, w):
    """A loop that doubles until its result is large, looking at values on the way, has 2^k as
    derivative if it ran k times.
    """

    def doubled(y):
        y = y * 2
        while np.abs(be.numpy(y)).max() < 1000:
            y = y * 2
        return y

    value, pull = be.vjp(doubled, x)
    times = np.ceil(np.log2(1000 / np.abs(x).max()))
    be.check(value, 2**times * Jet.given(x))
    be.check(pull(w)[0], 2**times * Jet.given(w))


@claim("BWD-21", about="sum", needs="backward")
@example(x=np.ones((2, 2)), w=np.zeros((2, 2)))
@given(x=arrays(), w=arrays())
def test_a_sum_spreads_one_to_every_entry(be, x, w):
    """The gradient of the sum of all entries is a one for each of them, also for no entries and for
    a scalar; it is memory of its own, to which the next pass adds entry by entry.
    """
    leaf = be.leaf(x)
    be.backward(be.sum(leaf))
    be.check(be.grad(leaf), np.ones(x.shape))
    be.backward(leaf * 1, w)
    be.check(be.grad(leaf), Total.of(1.0, w))


@claim("BWD-23", about="sigmoid", needs="vjp sigmoid")
@given(
    x=arrays("units", shape=(2,)),
    target=arrays("units", shape=(2,)),
    weights=arrays("weights", shape=(2, 2, 2)),
    biases=arrays("biases", shape=(2, 2)),
)
def test_hidden_units_collect_the_errors_of_all_outputs(be, x, target, weights, biases):
    """In a network of two sigmoid layers the gradients are those of the delta rule: the error of a
    hidden unit adds up what comes back from every output.
    """

    def loss(w1, b1, w2, b2):
        inner = be.sigmoid(be.matmul(w1, be.tensor(x)) + b1)
        outer = be.sigmoid(be.matmul(w2, inner) + b2)
        error = be.sub(outer, be.tensor(target))
        return be.sum(error * error) / 2

    _, pull = be.vjp(loss, weights[0], biases[0], weights[1], biases[1])
    by_w1, by_b1, by_w2, by_b2 = pull(np.array(1.0))
    h = sigmoid(Jet.exact(weights[0] @ x + biases[0]))
    o = sigmoid((weights[1] * h).sum(1) + biases[1])
    delta = (o - target) * o * (1 - o)
    back = weights[1] * delta[:, None] * h * (1 - h)
    be.check(by_b2, delta)
    be.check(by_w2, delta[:, None] * h)
    be.check(by_b1, back.sum(0))
    be.check(by_w1, (back[..., None] * x).sum(0))


@claim(
    "BWD-26",
    about="backward",
    needs="backward pow log cos tanh sqrt abs relu sigmoid maximum "
    "minimum clamp where prod amax amin logsumexp softmax log_softmax cumsum gather scatter "
    "scatter_add view reshape flatten permute transpose t movedim unsqueeze squeeze expand narrow "
    "select unbind split chunk cat stack flip clone contiguous",
)
def test_every_operation_has_its_derivative(be):
    """Where a function is smooth, its gradient is the cotangent times its partial derivatives."""
    for name, program in PROGRAMS.items():
        for x in smooth_points(name):
            leaf = be.leaf(x)
            y = program(be, leaf * 1)
            cotangent = np.resize([1.0, -2.0, 0.5, 3.0, -1.5], be.numpy(y).shape)
            be.backward(y, cotangent)
            terms = cotangent[..., None, None] * derivatives(name, x)
            be.check(be.grad(leaf), terms.sum(tuple(range(cotangent.ndim))), name)


# ---- along the graph -----------------------------------------------------------------------------


@claim("BWD-06", "HGH-01", about="gradients", needs="backward gradients")
@example(x=np.arange(1.0, 7.0).reshape(2, 3), c=1.0, w=np.full((2, 3), 1 / 6))
@given(x=arrays(), c=arrays("constant", shape=()), w=arrays())
def test_every_ancestor_has_a_gradient(be, x, c, w):
    """A scalar has a gradient for every recorded tensor it was computed from, leaf or not; so has a
    tensor of any shape, given a cotangent.
    """
    leaf = be.leaf(x)
    for scalar in (True, False):
        y = be.add(leaf, c)
        z = y * y * 2
        result = (be.sum(be.mul(w, z)), None) if scalar else (z, be.tensor(w))
        to_leaf, to_y, to_z = be.gradients(result[0], [leaf, y, z], result[1])
        be.check(to_z, Jet.given(w))
        be.check(to_y, 4 * Jet.given(w) * (x + c))
        be.check(to_leaf, 4 * Jet.given(w) * (x + c))


@claim("BWD-105", about="backward", needs="backward no_grad", level="contract")
@example(x=np.arange(300.0) / 64, w=np.ones(300), before=1)
@given(x=arrays(), w=arrays(), before=integers(0, 3))
def test_threads_may_record_one_graph(be, x, w, before):
    """A graph that several threads record, one after the other, and backward runs in yet another
    one, has the same gradient as if one thread had done all of it. It is added to what is there.
    """
    leaf = be.leaf(x)
    for _ in range(before):
        leaf * leaf
    y = leaf * leaf
    with ThreadPoolExecutor(1) as other:
        z = other.submit(lambda: y * y).result()
    with ThreadPoolExecutor(1) as third:
        third.submit(be.backward, z + y, w).result()
    be.check(be.grad(leaf), Total.of(4 * w * x**3, 2 * w * x))
    with ThreadPoolExecutor(1) as fourth:
        fourth.submit(be.backward, leaf * 5, w).result()
    be.check(be.grad(leaf), Total.of(4 * w * x**3, 2 * w * x, 5 * w))


@claim(
    "BWD-180", about="gradients", needs="backward gradients retain_graph hooks", level="contract"
)
@given(x=arrays(), v=arrays(), w=arrays())
def test_passes_at_once_keep_apart(be, x, v, w):
    """Passes that run at once, in two threads over one retained graph, return each its own
    gradients.
    """
    leaf, met = be.leaf(x), Barrier(2)

    def wait(_):
        # A device has one thread for all passes: there they follow one another.
        with suppress(BrokenBarrierError):
            met.wait(0.05)

    y = leaf * leaf
    be.register_hook(y, wait)
    z = y * leaf
    with ThreadPoolExecutor(2) as threads:
        ran = [threads.submit(be.gradients, z, [leaf], c, retain_graph=True) for c in (v, w)]
    for c, each in zip((v, w), ran, strict=True):
        be.check(each.result()[0], Total.of(2 * c * x * x, c * x * x))


@claim("BWD-22", about="vjp", needs="vjp cos tanh sigmoid softmax cumsum")
@given(
    x=arrays(shape=(2, 2)),
    w=arrays(shape=(2, 2)),
    inner=sampled_from(SMOOTH),
    outer=sampled_from(SMOOTH),
)
def test_a_composition_can_be_cut_in_two(be, x, w, inner, outer):
    """The gradient of a composition is that of its first part for the gradient of its second part,
    taken at the value in between: cotangent times Jacobian times Jacobian.
    """
    first, then = PROGRAMS[inner], PROGRAMS[outer]
    _, pull = be.vjp(lambda start: then(be, first(be, start)), x)
    between, pull_first = be.vjp(lambda start: first(be, start), x)
    _, pull_second = be.vjp(lambda middle: then(be, middle), be.numpy(between))
    middle = (w[..., None, None] * derivatives(outer, be.numpy(between).astype(float))).sum((0, 1))
    truth = (middle[..., None, None] * derivatives(inner, x)).sum((0, 1))
    for gradient in (pull(w)[0], pull_first(pull_second(w)[0])[0]):
        be.check(gradient, truth)


@claim("BWD-24", "BWD-52", about="vjp", needs="vjp")
@given(network=networks(), w=arrays("cotangent", shape=(3,)))
def test_gradients_add_up_wherever_paths_meet(be, network, w):
    """What comes back to a tensor from all its uses is added up, for computed tensors as for
    leaves: the gradient of a leaf is the sum over all paths to it.
    """
    _, pull = be.vjp(lambda *inputs: network.run(be, inputs)[-1], *network.values)
    for place, gradient in enumerate(pull(w)):
        if place in network.used:
            be.check(gradient, w * network.derivative(place))


@claim("BWD-19", "BWD-66", about="backward", needs="backward", level="contract")
@given(network=networks(), w=arrays("cotangent", shape=(3,)))
def test_backward_fills_exactly_the_leaves_it_reaches(be, network, w):
    """Backward fills .grad of the leaves that require grad and that the result depends on.
    Constants and everything computed, the result among it, keep None.
    """
    tensors = network.run(be, network.inputs(be))
    be.backward(tensors[-1], w)
    filled = {place for place, x in enumerate(tensors) if be.grad(x) is not None}
    assert filled == network.reached


@claim("BWD-25", about="backward", needs="backward version_counter")
@given(network=networks(), w=arrays("cotangent", shape=(3,)))
def test_backward_leaves_values_alone(be, network, w):
    """Backward changes no value that the forward pass used or computed, and writes to none."""
    tensors = network.run(be, network.inputs(be))
    before = [(be.numpy(x).tolist(), be.version_of(x)) for x in tensors]
    be.backward(tensors[-1], w)
    assert [(be.numpy(x).tolist(), be.version_of(x)) for x in tensors] == before


@claim("BWD-27", "API-53", about="gradients", needs="backward gradients")
@given(x=arrays(), y=arrays(), w=arrays())
def test_no_use_is_not_a_use_times_zero(be, x, y, w):
    """A leaf that was multiplied by zero receives zeros. One that took no part keeps None, and its
    gradient is refused unless allow_unused asks for None.
    """
    leaf, silenced, unused = be.leaf(x), be.leaf(y), be.leaf(y)
    be.backward(leaf * 2 + silenced * 0, w)
    be.check(be.grad(silenced), np.zeros(y.shape))
    assert be.grad(unused) is None
    with be.raises(ErrorKind.UNREACHABLE):
        be.gradients(leaf * 2, [leaf, unused], be.tensor(w))
    (gradient, nothing) = be.gradients(leaf * 2, [leaf, unused], be.tensor(w), allow_unused=True)
    be.check(gradient, 2 * w)
    assert nothing is None


@claim("BWD-850", about="backward", needs="backward gradients create_graph", level="contract")
@given(x=arrays(), v=arrays(), w=arrays())
def test_a_recorded_pass_depends_on_its_cotangent(be, x, v, w):
    """With create_graph what backward leaves in .grad is differentiated by the cotangent too, and
    this may be the root itself.
    """
    leaf, weight, other = be.leaf(x), be.leaf(v), be.leaf(x)
    be.backward(leaf * leaf, weight, create_graph=True)
    found = be.grad(leaf)
    be.check(found, 2 * v * x)
    by_weight, by_leaf = be.gradients(found, [weight, leaf], w)
    be.check(by_weight, 2 * w * x)
    be.check(by_leaf, 2 * w * v)
    root = other * other
    be.backward(root, root, create_graph=True)
    found = be.grad(other)
    be.check(found, Total.of(x**3, x**3))
    be.check(*be.gradients(found, [other], w), Total.of(*[2 * w * x**2] * 3))


@claim("BWD-20", "BWD-65", about="backward", needs="backward detach", level="contract")
@example(x=np.array([1.0]), y=np.array([2.0]), computed=True)
@given(x=arrays(), y=arrays(), computed=booleans())
def test_backward_starts_at_what_is_recorded(be, x, y, computed):
    """Backward from a result without recorded history is refused, whatever its shape and dtype; a
    leaf that requires grad is a result too, and receives the cotangent.
    """
    leaf, constant = be.leaf(x), be.tensor(y)
    detached = be.detach(leaf * leaf)
    for root in (constant * constant if computed else constant, detached, be.tensor(x > 0)):
        with be.raises(ErrorKind.NO_GRAPH):
            be.backward(root)
    assert be.grad(leaf) is None
    for times in (1, 2):
        be.backward(leaf, y)
        be.check(be.grad(leaf), times * y)


@claim("BWD-29", about="grad", needs="torch", level="contract")
@example(x=2.0)
def test_grad_is_an_attribute(be, x):
    """.grad is an attribute, None or a tensor, and no method."""
    leaf = be.leaf(x)
    assert leaf.grad is None
    be.backward(leaf * leaf)
    assert leaf.grad is be.grad(leaf)
    be.check(leaf.grad, 2 * x)
    with pytest.raises(TypeError, match="not callable"):
        leaf.grad()
