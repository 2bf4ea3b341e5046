"""LBFGS: a method that remembers how slopes changed, and may search along its lines."""

from itertools import product

import numpy as np

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.lbfgs import HOLLOWS
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.optimizers import lbfgs

NO_WORKLOAD = "its steps are those of passes, which have workloads of their own"

BOWL = np.array([0.125, 0.25, 0.375])
"""Half of the curvature along each axis."""


@claim("OPT-165", about="optimizer", needs="backward optim torch zero_", level="contract")
@example(
    start=np.zeros(3),
    best=np.array([0.0, -8.0, 2.0]),
    apart=False,
    search="strong_wolfe",
    most=2,
)
@given(
    start=arrays(shape=(3,), layouts=DENSE),
    best=arrays(shape=(3,)),
    apart=booleans(),
    search=sampled_from(["strong_wolfe", None]),
    most=integers(2, 12),
)
def test_lbfgs_descends_a_bowl(be, start, best, apart, search, most):
    """A step of LBFGS returns the loss where it began, leaves none that is larger, asks for no more
    of them than it may, and ends in the middle of a bowl if it may ask often, however the
    parameters are divided among tensors.
    """

    def cut(x):
        return [x[:1], x[1:]] if apart else [x]

    leaves, asked = [be.leaf(part) for part in cut(start)], []

    def loss():
        place = np.concatenate([be.numpy(leaf) for leaf in leaves]).astype(np.float64)
        return place, (BOWL * (place - best) ** 2).sum()

    def closure():
        optimizer.zero_grad()
        gaps = [leaf - be.tensor(part) for leaf, part in zip(leaves, cut(best), strict=True)]
        terms = [
            be.sum(w * gap * gap) for w, gap in zip(map(be.tensor, cut(BOWL)), gaps, strict=True)
        ]
        total = terms[0] + terms[1] if apart else terms[0]
        be.backward(total)
        asked.append(total)
        return total

    _, before = loss()
    optimizer = be.optimizer("LBFGS", leaves, max_eval=most, max_iter=50, line_search_fn=search)
    assert optimizer.step(closure) is asked[0]
    spent, gap = len(asked), Jet.exact(start) - Jet.exact(best)
    be.check(asked[0], (gap * gap * BOWL).sum())
    assert loss()[1] <= before * (1 + 1e-3) + 1e-5
    optimizer = be.optimizer("LBFGS", leaves, max_iter=60, line_search_fn=search)
    optimizer.step(closure)
    assert np.allclose(loss()[0], best, atol=1e-2 * (1 + np.abs(start - best).max()))
    assert spent <= most


@claim("OPT-282", about="optimizer", needs="backward optim torch zero_", level="contract")
@given(
    start=arrays(shape=(3,), layouts=DENSE),
    best=arrays(shape=(3,)),
    lr=sampled_from([1.0, 0.5]),
    history_size=sampled_from([1, 2, 4, 10]),
    at_once=booleans(),
)
def test_lbfgs_moves_as_the_last_changes_of_the_gradient_say(
    be, start, best, lr, history_size, at_once
):
    """Without a line search LBFGS moves by the rate against the gradient, times an inverse of the
    curvature that agrees with the last moves and changes of the gradient, as many as the history
    has room for; whether one step makes all moves or each makes one.
    """
    leaf, places, gradients = be.leaf(start), [], []
    options = {"history_size": history_size, "tolerance_grad": 0, "tolerance_change": 0}
    optimizer = be.optimizer("LBFGS", [leaf], lr=lr, max_iter=7 if at_once else 1, **options)

    def closure():
        optimizer.zero_grad()
        gap = leaf - be.tensor(best)
        total = be.sum(be.tensor(BOWL) * gap * gap)
        be.backward(total)
        places.append(be.clone(be.detach(leaf)))
        gradients.append(be.numpy(be.grad(leaf)).astype(np.float64))
        return total

    for _ in range(1 if at_once else 7):
        optimizer.step(closure)
    places.append(be.detach(leaf))
    for count, move in enumerate(lbfgs(gradients, lr=lr, history_size=history_size)):
        be.check(places[count + 1], Jet.exact(be.numpy(places[count])) + move, f"place {count + 1}")


@claim("OPT-287", about="optimizer", needs="backward optim torch zero_ cos", level="contract")
@every(case=list(product(HOLLOWS, (2.0**-5, 1.0, 8.0))))
@given(start=arrays(shape=(3,), layouts=DENSE), best=arrays(shape=(3,)))
def test_lbfgs_searches_along_its_lines(be, case, start, best):
    """Told of the strong Wolfe conditions LBFGS, if it may ask often, moves by whatever the rate
    has to become for them: the loss falls by a share of what the slope at the start promises, and
    at most 0.9 of that slope is left.
    """
    kind, lr = case
    (depth, slope), leaf, options = HOLLOWS[kind], be.leaf(start), {"max_iter": 1, "max_eval": 60}
    optimizer = be.optimizer("LBFGS", [leaf], lr=lr, line_search_fn="strong_wolfe", **options)

    def look():
        place = be.numpy(leaf).astype(np.float64)
        gap = place - best
        return place, (BOWL * depth(gap, np.cos)).sum(), BOWL * slope(gap)

    def closure():
        optimizer.zero_grad()
        total = be.sum(be.tensor(BOWL) * depth(leaf - be.tensor(best), be.cos))
        be.backward(total)
        return total

    for _ in range(3):
        place, before, slopes = look()
        optimizer.step(closure)
        found, after, left = look()
        promised, rest = slopes @ (found - place), left @ (found - place)
        slack = 1e-4 * (1 + before)
        assert after <= before + 1e-4 * promised + slack
        assert abs(rest) <= 0.9 * abs(promised) + slack
