"""Freed graphs: what a backward pass leaves behind."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.saving import MATRIX, REPEATABLE, SAVING
from gradspec.conformance.truth.oracles.jets import Jet

# ---- a second pass -------------------------------------------------------------------------------


@claim(
    "FRE-01",
    "FRE-51",
    about="backward",
    needs="backward retain_graph pow log cos tanh sqrt abs relu sigmoid maximum minimum clamp "
    "where prod amax amin logsumexp softmax log_softmax gather scatter scatter_add",
    level="contract",
)
@every(operation=SAVING)
def test_second_backward_over_saved_values_is_refused(be, operation):
    """A backward pass frees what the nodes it runs have saved. Running such a node again is
    refused, and nothing is added to .grad of the leaves behind it.
    """
    leaf = be.leaf(MATRIX)
    y = SAVING[operation](be, leaf + 1) + 1
    cotangent = np.resize([1.0, -2.0, 0.5], be.numpy(y).shape)
    be.backward(y, cotangent)
    once = be.numpy(be.grad(leaf))
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(y, cotangent)
    be.check(be.grad(leaf), once)


@claim("FRE-02", about="backward", needs="torch", level="contract")
@example(x=2.0)
def test_refusal_names_the_remedy(be, x):
    """The refusal of a second pass is a RuntimeError that names retain_graph=True."""
    leaf = be.leaf(x)
    y = leaf * leaf
    be.backward(y)
    with pytest.raises(
        RuntimeError,
        match=r"^Trying to backward through the graph a second time.*retain_graph=True",
    ):
        be.backward(y)


@claim(
    "FRE-03",
    about="backward",
    needs="backward retain_graph cumsum view reshape flatten permute transpose t movedim unsqueeze "
    "squeeze expand narrow select unbind split chunk cat stack flip clone contiguous",
    level="contract",
)
@every(operation=REPEATABLE)
def test_graph_that_saved_nothing_runs_again(be, operation):
    """A graph whose operations saved nothing runs any number of times, and the passes add up."""
    leaf = be.leaf(MATRIX)
    # Behind a negation no gradient arrives as a view of the cotangent, which is not at issue here.
    y = REPEATABLE[operation](be, -leaf)
    cotangent = np.resize([1.0, -2.0, 0.5], be.numpy(y).shape)
    be.backward(y, cotangent)
    once = be.numpy(be.grad(leaf))
    for _ in range(3):
        be.backward(y, cotangent)
    be.check(be.grad(leaf), 4 * once)


# ---- retain_graph --------------------------------------------------------------------------------


@workload
def retained_passes(be, leaf, weights=1.0, retained=1):
    """Passes over one graph: some that keep it, and a last one that need not."""
    y = be.sum(be.mul(leaf * leaf, weights))
    for _ in range(retained):
        be.backward(y, retain_graph=True)
    be.backward(y)
    return be.grad(leaf)


@claim("FRE-04", "FRE-52", about="backward", needs="backward retain_graph")
@example(x=1.0, w=1.0, retained=2)
@given(x=arrays(), w=arrays(), retained=integers(1, 3))
def test_retained_graph_runs_again(be, x, w, retained):
    """With retain_graph=True a graph stays usable: each pass adds the same gradient, and the last
    one need not retain.
    """
    be.check(retained_passes(be, be.leaf(x), w, retained), (retained + 1) * 2 * w * x)


@claim("FRE-05", about="backward", needs="backward retain_graph", level="contract")
@example(x=2.0, w=1.0, retained=2)
@given(x=arrays(), w=arrays(), retained=integers(1, 3))
def test_retention_ends_with_the_pass_that_asked_for_it(be, x, w, retained):
    """Retention is a matter of one pass: after one that does not retain, the next is refused."""
    leaf = be.leaf(x)
    y = leaf * leaf
    for _ in range(retained):
        be.backward(y, w, retain_graph=True)
    be.backward(y, w)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(y, w)
    be.check(be.grad(leaf), (retained + 1) * 2 * w * x)


@claim(
    "FRE-260",
    about="backward",
    needs="backward inplace views retain_graph add_ select",
    level="contract",
)
@given(x=arrays(shape=(2, 3)), w=arrays(shape=(2, 3)), base=booleans(), retained=integers(0, 2))
def test_a_write_through_a_view_is_freed(be, x, w, base, retained):
    """A write through a view keeps where it wrote, in the graph of its base and of its view: a pass
    frees that too, whatever was written, unless it retains it.
    """
    leaf = be.leaf(x)
    y = leaf + 1
    row = be.select(y, 0, 1)
    be.add_(row, 2)
    z, cotangent = (y, w) if base else (row, w[1])
    for _ in range(retained):
        be.backward(z, cotangent, retain_graph=True)
    be.backward(z, cotangent)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(z, cotangent)
    be.check(be.grad(leaf), (retained + 1) * (w if base else np.stack([0 * w[0], w[1]])))


@claim(
    "FRE-16",
    about="gradients",
    needs="backward gradients create_graph retain_graph",
    level="contract",
)
@given(
    x=arrays(),
    w=arrays(),
    options=sampled_from(
        [{}, {"retain_graph": False}, {"create_graph": True, "retain_graph": False}]
    ),
)
def test_functional_gradients_free_the_graph(be, x, w, options):
    """Gradients asked for by function free the graph as backward does; a recorded pass of either
    frees it too when told not to retain.
    """
    leaf, other = be.leaf(x), be.leaf(x)
    y, square = leaf * leaf, other * other
    be.backward(square, w, **options)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(square, w)
    (gradient,) = be.gradients(y, [leaf], be.tensor(w), **options)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(y, w)
    be.check(gradient, 2 * w * x)
    assert be.grad(leaf) is None


@claim(
    "FRE-56",
    about="gradients",
    needs="backward gradients create_graph retain_graph",
    level="contract",
)
@given(
    x=arrays(),
    w=arrays(),
    options=sampled_from(
        [
            {"create_graph": True},
            {"retain_graph": True},
            {"create_graph": True, "retain_graph": True},
        ]
    ),
)
def test_create_graph_retains_by_default(be, x, w, options):
    """retain_graph defaults to create_graph: a recorded pass keeps the graph that it ran."""
    leaf = be.leaf(x)
    y = leaf * leaf
    (gradient,) = be.gradients(y, [leaf], be.tensor(w), **options)
    be.backward(y, w)
    be.check(gradient, 2 * w * x)
    be.check(be.grad(leaf), 2 * w * x)


@claim(
    "FRE-190",
    about="gradients",
    needs="backward gradients create_graph retain_graph",
    level="contract",
)
@given(x=arrays(), v=arrays(), w=arrays(), retained=integers(0, 2))
def test_the_graph_of_a_gradient_is_freed_as_well(be, x, v, w, retained):
    """The graph of a recorded gradient is freed by a pass through it, and runs again only as long
    as it is retained.
    """
    leaf = be.leaf(x)
    (gradient,) = be.gradients(leaf * leaf * leaf, [leaf], be.tensor(v), create_graph=True)
    for _ in range(retained):
        be.backward(gradient, w, retain_graph=True)
    be.backward(gradient, w)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(gradient, w)
    be.check(be.grad(leaf), Total.of(*[6 * v * w * x] * (retained + 1)))


@claim("FRE-11", "FRE-57", about="backward", needs="backward")
@example(x=2.0, w=1.0, rounds=4)
@given(x=arrays(), w=arrays(), rounds=integers(1, 4))
def test_every_forward_pass_makes_a_new_graph(be, x, w, rounds):
    """A forward pass makes a graph of its own, so one before each backward pass is all that
    training needs: nothing is refused, and gradients add up.
    """
    leaf = be.leaf(x)
    for _ in range(rounds):
        be.backward(leaf * leaf, w)
    be.check(be.grad(leaf), rounds * 2 * w * x)


# ---- several outputs -----------------------------------------------------------------------------


@claim("FRE-06", "FRE-53", about="backward", needs="backward retain_graph", level="contract")
@example(x=2.0, v=1.0, w=1.0)
@given(x=arrays(), v=arrays(), w=arrays())
def test_outputs_share_what_is_freed(be, x, v, w):
    """Freeing goes by node: a pass from one of two outputs that share a node with saved values
    closes both of them, unless it retains.
    """
    leaf = be.leaf(x)
    shared = leaf * leaf
    p, q = shared + 1, shared + shared
    be.backward(p, v, retain_graph=True)
    be.backward(q, w)
    for output in (p, q):
        with be.raises(ErrorKind.FREED_GRAPH):
            be.backward(output, w)
    be.check(be.grad(leaf), Total.of(2 * v * x, 4 * w * x))


@claim("FRE-07", about="backward", needs="backward retain_graph", level="contract")
@example(x=2.0, v=1.0, w=1.0)
@given(x=arrays(), v=arrays(), w=arrays())
def test_outputs_that_share_nothing_saved_are_independent(be, x, v, w):
    """A pass leaves another output open if what the two share, a leaf or an operation, saved
    nothing.
    """
    leaf = be.leaf(x)
    shared = leaf + 1
    p, q = shared * shared, shared * leaf
    be.backward(p, v)
    be.backward(q, w)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(p, v)
    be.check(be.grad(leaf), Total.of(2 * v * (x + 1), w * (2 * x + 1)))


# ---- part of a graph -----------------------------------------------------------------------------


@claim("FRE-08", about="gradients", needs="backward gradients retain_graph", level="contract")
@example(x=2.0, v=1.0, w=1.0)
@given(x=arrays(), v=arrays(), w=arrays())
def test_only_nodes_that_ran_are_freed(be, x, v, w):
    """A pass frees only what it runs: it may stop at an intermediate tensor and another one go on
    from there, other outputs still reach that tensor, and what leads to other leaves stays.
    """
    leaf, beside = be.leaf(x), be.leaf(x)
    y = leaf * leaf
    p, q = y * y, y * 3
    (to_y,) = be.gradients(p, [y], be.tensor(w))
    be.backward(y, to_y)
    (again,) = be.gradients(q, [y], be.tensor(v))
    be.check(be.grad(leaf), 4 * w * x**3)
    be.check(again, 3 * v)
    square = beside * beside
    be.gradients(square * leaf, [leaf], be.tensor(w))
    be.backward(square, v)
    be.check(be.grad(beside), 2 * v * x)


@claim("FRE-13", about="backward", needs="backward retain_graph", level="contract")
@example(x=np.arange(1.0, 7.0).reshape(2, 3), w=np.ones((2, 3)))
@given(x=arrays(shape=(2, 3)), w=arrays(shape=(2, 3)))
def test_intermediate_that_saved_nothing_outlives_a_pass(be, x, w):
    """After a pass from the result, an intermediate tensor that saved nothing takes a cotangent of
    its own; without one it is refused only because it has many elements.
    """
    leaf = be.leaf(x)
    y = leaf + 1
    be.backward(be.mean(y * y * 2))
    with be.raises(ErrorKind.NONSCALAR_BACKWARD):
        be.backward(y)
    be.backward(y, w)
    be.check(be.grad(leaf), Jet.exact(4 * (x + 1)) / 6 + w)


@claim("FRE-14", about="gradients", needs="backward gradients retain_graph", level="contract")
@example(x=np.arange(1.0, 7.0).reshape(2, 3), w=np.ones((2, 3)))
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_path_through_a_freed_node_stays_closed(be, x, w):
    """A pass that stops early or starts late is refused all the same if it has to run a freed
    node.
    """
    leaf = be.leaf(x)
    y = leaf + 1
    product = y * y
    result = be.mean(product)
    be.backward(result)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.gradients(result, [y])
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(product, w)


@claim("FRE-17", about="backward", needs="backward detach retain_graph", level="contract")
@example(x=2.0, a=1.0, w=1.0)
@given(x=arrays(), a=arrays(), w=arrays())
def test_freed_tensor_can_be_built_on_but_not_passed(be, x, a, w):
    """What is computed from a tensor whose graph was freed is recorded, and its pass is refused at
    the freed node; computed from the detached tensor it runs.
    """
    leaf, other = be.leaf(x), be.leaf(a)
    y = leaf * leaf
    be.backward(y, w)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(y + other, w)
    # The refused pass may or may not have reached the other leaf.
    be.clear(other)
    be.backward(be.detach(y) * other, w)
    be.check(be.grad(leaf), 2 * w * x)
    be.check(be.grad(other), w * x**2)
