"""Training: what repeated steps do to parameters and losses."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from gradspec.conformance import Total, claim, example, given, workload
from gradspec.conformance.strategies import NONZERO, arrays, integers, sampled_from
from gradspec.conformance.strategies.images import images
from gradspec.conformance.strategies.modules import fill, lenet
from gradspec.conformance.strategies.training import Training, least_squares, uniform
from gradspec.conformance.truth.oracles.jets import Jet

# ---- by hand -------------------------------------------------------------------------------------


@workload(needs="no_grad inplace detach clone sub_")
def learn(be, leaf, x=1.0, y=0.5, rate=0.25, steps=4):
    """Some steps of descent on a sum of squared errors, by hand."""
    w = be.set_requires_grad(be.clone(be.detach(leaf)))
    for _ in range(steps):
        error = be.sub(y, be.mul(x, w))
        loss = be.sum(be.mul(error, error))
        be.backward(loss)
        with be.no_grad():
            be.sub_(w, be.mul(be.grad(w), rate))
        be.clear(w)
    return w


@claim("TRN-01", about="backward", needs="backward no_grad inplace detach clone sub_")
@example(x=np.array([1.0, 2.0, 3.0]), y=np.array([3.0, 5.0, 7.0]), w=1.0, share=0.28)
@given(
    x=arrays(shape=(3,), values=NONZERO),
    y=arrays(shape=(3,)),
    w=arrays(shape=()),
    share=sampled_from([0.25, 0.5, 1.0, 1.5]),
)
def test_descent_on_squares_contracts(be, x, y, w, share):
    """Descent at rate r on L(w) = sum (y - w x)^2 moves w towards w* = sum x y / sum x^2: each step
    multiplies w - w* by 1 - 2 r sum x^2, which lies within (-1, 1) if r < 1 / sum x^2.
    """
    squares, best, _ = least_squares(x, y)
    expected, rate = Jet.exact(w), share / (2 * float(squares))
    for k in range(1, 9):
        expected = expected - rate * (2.0 * (x * (x * expected - y))).sum()
        if k in (1, 2, 8):
            left = (1 - 2 * Fraction(rate) * squares) ** k
            closed = float(best + left * (Fraction(float(w)) - best))
            be.check(learn(be, be.leaf(w), x, y, rate, k), expected.around(Jet.given(closed)))


@claim("TRN-02", about="backward", needs="backward no_grad inplace detach clone sub_")
@example(x=np.array([1.0, 2.0, 3.0]), y=np.array([3.0, 5.0, 7.0]), w=1.0, rate=1.0)
@example(x=np.array([1.0, 2.0, 3.0]), y=np.array([3.0, 5.0, 7.0]), w=1.0, rate=1 / 14 - 0.001)
@given(
    x=arrays(shape=(3,), values=NONZERO),
    y=arrays(shape=(3,)),
    w=arrays(shape=()),
    rate=sampled_from([1.0, 0.25, 0.0625, 0.001]),
)
def test_too_large_a_rate_diverges(be, x, y, w, rate):
    """Descent at rate r multiplies the excess of L(w) = sum (y - w x)^2 over its minimum by
    (1 - 2 r sum x^2)^2 in each step: the loss falls if r < 1 / sum x^2, and grows beyond.
    """
    squares, best, least = least_squares(x, y)
    excess = squares * (Fraction(float(w)) - best) ** 2
    expected = Jet.exact(w)
    for k in range(4):
        error = be.sub(y, be.mul(x, learn(be, be.leaf(w), x, y, rate, k)))
        closed = float(least + (1 - 2 * Fraction(rate) * squares) ** (2 * k) * excess)
        loss = ((y - x * expected) * (y - x * expected)).sum()
        known = loss.around(Jet.given(closed))
        be.check(be.sum(be.mul(error, error)), known, f"the loss after {k} steps")
        expected = expected - rate * (2.0 * (x * (x * expected - y))).sum()


@claim("TRN-03", about="backward", needs="backward no_grad inplace sub_")
@example(x=np.array([1.0, 2.0, 3.0]), y=np.array([3.0, 5.0, 7.0]), w=1.0, rate=0.01)
@given(
    x=arrays(shape=(3,), values=NONZERO),
    y=arrays(shape=(3,)),
    w=arrays(shape=()),
    rate=sampled_from([0.25, 0.01]),
)
def test_without_clearing_all_gradients_so_far_count(be, x, y, w, rate):
    """If .grad is not cleared, step t walks along the sum of all gradients up to t: the first step
    is the same as with clearing, and the later ones are not.
    """
    leaf, expected, total = be.leaf(w), Jet.exact(w), Jet.exact(0)
    for k in range(1, 5):
        error = be.sub(y, be.mul(x, leaf))
        be.backward(be.sum(be.mul(error, error)))
        with be.no_grad():
            be.sub_(leaf, be.mul(be.grad(leaf), rate))
        total = total + (2.0 * (x * (x * expected - y))).sum()
        expected = expected - rate * total
        be.check(leaf, expected.total, f"w after step {k}")


@claim("TRN-04", about="backward", needs="backward data", level="contract")
@example(x=np.array([1.0, 2.0, 3.0]), y=np.array([3.0, 5.0, 7.0]), w=np.array(1.0))
@given(x=arrays(shape=(3,)), y=arrays(shape=(3,)), w=arrays(shape=()))
def test_assigning_the_difference_makes_another_tensor(be, x, y, w):
    """w - w.grad is a computed tensor, which has no .grad to clear, and takes the step once more
    after it was taken through .data: the leaf itself has to be written.
    """
    leaf = be.leaf(w)
    error = be.sub(y, be.mul(x, leaf))
    be.backward(be.sum(be.mul(error, error)))
    be.set_data(leaf, be.data(leaf) - be.grad(leaf))
    be.check(leaf, Total.of(w, *(2 * x * y), *(-2 * x * x * w)))
    other = leaf - be.grad(leaf)
    be.check(other, Total.of(w, *(4 * x * y), *(-4 * x * x * w)))
    assert not be.is_leaf(other)
    assert be.grad(other) is None
    with pytest.raises(AttributeError):
        be.data(be.grad(other))


# ---- what a sum of losses keeps ------------------------------------------------------------------


@claim("TRN-05", "TRN-59", about="item", needs="backward saved_tensors item")
@given(x=arrays(), w=arrays(), times=integers(1, 5))
def test_a_sum_of_losses_keeps_their_graphs(be, x, w, times):
    """A sum of losses holds what each of them saved for backward, and requires grad; a sum of their
    items is a number of Python, and holds nothing.
    """
    leaf, weights = be.leaf(x), be.tensor(w)
    total, number = be.tensor(np.array(0.0)), 0.0
    with be.saved_tensors() as once:
        total = total + be.sum(leaf * leaf * weights)
    with be.saved_tensors() as saved:
        for _ in range(times):
            total = total + be.sum(leaf * leaf * weights)
            number += be.item(be.sum(leaf * leaf * weights))
    assert saved.packed == 2 * times * once.packed > 0
    assert saved.live == times * once.live
    assert be.requires_grad(total)
    assert type(number) is float
    be.check(total, Total.along((times + 1) * w * x * x))
    be.check(be.tensor(np.array(number)), Total.along(times * w * x * x))
    be.backward(total)
    be.check(be.grad(leaf), 2 * (times + 1) * w * x)
    assert saved.live == 0


# ---- by an optimizer -----------------------------------------------------------------------------


@claim("TRN-51", about="optimizer", needs="backward nn optim data item")
@given(
    x=arrays(shape=(4, 2)),
    y=arrays(shape=(4, 1)),
    w=arrays(shape=(1, 2)),
    b=arrays(shape=(1,)),
    share=sampled_from([0.25, 0.5, 0.75]),
)
def test_a_training_step_descends(be, x, y, w, b, share):
    """Clearing, forward, loss, backward and step, over and over, is descent from the gradient at
    the parameters of the time. On a mean of squared errors, at a rate r below one over the largest
    curvature, the loss never grows, and after k steps exceeds that of any other parameters by at
    most their squared distance from the first ones over 2 k r.
    """
    design = np.concatenate([x, np.ones((4, 1))], 1)
    rate = float(share / np.linalg.eigvalsh(design.T @ design / 2).max())
    layer = fill(be, be.layer("Linear", 2, 1), w, b)
    criterion, optimizer = be.layer("MSELoss"), be.optimizer("SGD", layer.parameters(), lr=rate)
    values, losses = [Jet.exact(w), Jet.exact(b)], []
    start = np.append(w, b)
    best = np.linalg.lstsq(design, y.ravel())[0]
    least, way = ((design @ best - y.ravel()) ** 2).mean(), ((best - start) ** 2).sum()
    for k in range(6):
        optimizer.zero_grad()
        loss = criterion(layer(be.tensor(x)), be.tensor(y))
        error = x @ values[0].T + values[1] - y
        be.check(loss, (0.25 * (error * error)).sum().total, f"the loss before step {k}")
        losses.append(be.item(loss))
        slack = 1e3 * np.finfo(be.dtype).eps * (losses[0] + least)
        assert losses[-1] <= min(losses) + slack
        assert k == 0 or losses[-1] <= least + way / (2 * k * rate) + slack
        be.backward(loss)
        optimizer.step()
        values[0] = values[0] - rate * (0.5 * error.T @ x)
        values[1] = values[1] - rate * (0.5 * error).sum(0)
        be.check(layer.weight, values[0].total, f"the weight after step {k}")
        be.check(layer.bias, values[1].total, f"the bias after step {k}")


@claim("TRN-52", about="optimizer", needs="backward nn optim data tanh item")
@example(course=Training(2, 16, ((20, 20), (20, 4)), ((0, 1),), "Adam", {"lr": 0.005}))
@example(course=Training(3, 16, ((20, 20), (20, 4)), ((0, 1),), "Adam", {"lr": 0.005}))
def test_a_network_memorises_a_batch(be, course):
    """Trained on one batch by Adam at a small rate, a network of two layers with more weights than
    there are targets learns them by heart: the loss falls with every step along the gradient, and
    a thousandfold in a hundred of them.
    """
    losses = course.train(be, 100)
    assert all(after < before for before, after in pairwise(losses))
    assert losses[-1] < 1e-3 * losses[0]


@claim("TRN-53", about="optimizer", needs="backward nn optim data tanh item")
@example(seed=0)
@example(seed=1)
def test_momentum_gets_farther_at_the_same_rate(be, seed):
    """A network whose middle layer is used anew in each step, up to three times or not at all,
    trains with momentum and without; at the same small rate momentum leaves less than half the
    loss after a hundred steps.
    """
    paths = ((0, 2), (0, 1, 2), (0, 1, 1, 2), (0, 1, 1, 1, 2))
    widths = ((10, 12), (12, 12), (12, 3))
    plain, heavy = (
        Training(seed, 16, widths, paths, "SGD", {"lr": 0.002, "momentum": momentum}).train(be, 100)
        for momentum in (0.0, 0.9)
    )
    assert sum(plain[-8:]) < sum(plain[:8])
    assert sum(heavy[-8:]) < sum(plain[-8:]) / 2


@claim("TRN-61", about="optimizer", needs="backward nn optim data max_pool2d relu argmax no_grad")
@example(seed=0)
def test_training_reduces_the_loss(be, seed):
    """The notes' convolutional net learns classes so far apart that none is taken for another by
    its centre: over one pass in batches of four the loss of the last quarter is a tenth of that of
    the first, and images never seen are told apart nine times in ten or more.
    """
    net = fill(be, lenet(be, 3), *uniform(seed, lenet(be, 3)))
    criterion = be.layer("CrossEntropyLoss")
    optimizer = be.optimizer("SGD", net.parameters(), lr=0.005, momentum=0.9)
    seen, unseen, losses = images(800, seed + 1), images(100, seed + 2), []
    for start in range(0, len(seen), 4):
        inputs, labels = seen[start : start + 4]
        optimizer.zero_grad()
        loss = criterion(net(be.tensor(inputs)), be.tensor(labels))
        be.backward(loss)
        optimizer.step()
        losses.append(be.item(loss))
    assert sum(losses[-50:]) < sum(losses[:50]) / 10
    with be.no_grad():
        predicted = be.numpy(be.argmax(net(be.tensor(unseen.values)), 1))
    assert (predicted == unseen.labels).mean() >= 0.9
