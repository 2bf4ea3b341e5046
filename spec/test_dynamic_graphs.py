"""Dynamic graphs: control flow is Python's."""

import operator
import warnings

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import arrays, integers, lists
from gradspec.conformance.strategies.custom import steep
from gradspec.conformance.strategies.graphs import nodes_of
from gradspec.conformance.truth.oracles.jets import Jet

# ---- the graph is what ran -----------------------------------------------------------------------


@claim("DYN-51", about="node", needs="backward graph")
@example(x=np.ones(12), w=np.ones(12))
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_the_graph_holds_what_was_executed(be, x, w):
    """Each sum and each negation that is executed makes one node, and a branch that is not taken
    none: how many and which they are may depend on the values of this very input.
    """
    y, slope = leaf, _ = be.leaf(x), 1
    for entry in be.numpy(leaf).ravel():
        y, slope = (y + leaf, slope + 1) if entry > 0 else (-y, -slope)
    node, nodes = be.node(y), 0
    while node is not None:
        node, nodes = next(iter(be.next_nodes(node)), None), nodes + 1
    # The last one is where the gradient of the leaf is added up.
    assert nodes == x.size + 1
    assert len(nodes_of(be, y)) == nodes
    be.backward(y, w)
    be.check(be.grad(leaf), slope * w)


@workload
def powers(be, leaf, w=1.0, depths=(4, 0, 2)):
    """The gradients of several powers of one leaf, one pass after the other."""
    for depth in depths:
        y = leaf
        for _ in range(depth):
            y = y * leaf
        be.backward(be.sum(be.mul(y, w)))
    return be.grad(leaf)


@claim("DYN-02", about="backward", needs="backward")
@example(x=2.0, w=1.0, depths=[1, 2, 3, 4])
@given(x=arrays(), w=arrays(), depths=lists(integers(0, 4), min_size=1, max_size=3))
def test_every_pass_has_its_own_depth(be, x, w, depths):
    """Passes through the same leaf may differ in depth from one to the next: each adds the gradient
    of what it computed itself.
    """
    gradient = powers(be, be.leaf(x), w, depths)
    be.check(gradient, Total.of(*[(k + 1) * w * x**k for k in depths]))


@claim("DYN-55", about="node", needs="backward graph")
@given(x=arrays(), w=arrays())
def test_building_and_computing_are_one(be, x, w):
    """An operation has computed its value and recorded its node when it returns: nothing waits for
    the graph to be complete or for backward to be called.
    """
    leaf = be.leaf(x)
    y, value = leaf, x
    for _ in range(3):
        before = be.node(y)
        y, value = be.mul(y, w), value * w
        be.check(y, value)
        assert be.requires_grad(y)
        assert before is None or any(node is before for node in be.next_nodes(be.node(y)))
    assert be.grad(leaf) is None


@claim("DYN-101", about="backward", needs="backward")
@example(x=np.array([0.5, -1.0]), w=np.array([1.0, 2.0]), depth=5000)
def test_depth_and_width_are_not_bounded(be, x, w, depth):
    """Backward runs through a chain of thousands of operations, and through thousands of uses of
    one tensor, as through a few.
    """
    leaf = be.leaf(x)
    y = leaf
    for _ in range(depth):
        y = y + leaf
    be.backward(y, w)
    be.check(be.grad(leaf), (depth + 1) * w)


# ---- branches ------------------------------------------------------------------------------------


@claim("DYN-03", about="backward", needs="backward")
@example(x=2.0, w=1.0)
@example(x=-1.0, w=1.0)
@given(x=arrays(), w=arrays())
def test_the_branch_taken_is_differentiated(be, x, w):
    """Of a branch on values only the side that was taken is differentiated; the condition, though
    computed from the same leaf, adds nothing.
    """
    leaf = be.leaf(x)
    total = be.sum(leaf * 3)
    positive = float(be.numpy(total)) > 0
    be.backward(leaf * leaf if positive else be.exp(leaf), w)
    own = Jet.exact(x)
    be.check(be.grad(leaf), w * (2 * own if positive else np.exp(own)))


@claim("DYN-52", about="vjp", needs="vjp")
@example(x=np.array([1.0, 3.0, 2.0]), w=1.0)
@given(x=arrays("vector", shape=(5,)), w=arrays("weight", shape=()))
def test_recursion_and_comparisons_are_plain_python(be, x, w):
    """A tensor may decide in an ordinary function that calls itself: the gradient goes to the entry
    that was chosen and to no other.
    """

    def largest(values):
        if len(values) == 1:
            return values[0]
        a, b = largest(values[: len(values) // 2]), largest(values[len(values) // 2 :])
        return a if float(be.numpy(a)) >= float(be.numpy(b)) else b

    def square_of_largest(z):
        top = largest([z[i] for i in range(x.size)])
        return top * top

    _, pull = be.vjp(square_of_largest, x)
    be.check(pull(np.asarray(w))[0], 2 * w * x * (np.arange(x.size) == x.argmax()))


@claim("DYN-56", about="traced compile", needs="backward torch", level="contract")
@example(x=np.array([-1.0, -2.0]), w=np.array([3.0, 5.0]))
def test_a_trace_keeps_the_branch_it_saw(be, x, w):
    """A traced function repeats the operations of its example, whatever branch a later input asks
    for; a compiled one takes the branch of each input, and so do their gradients.
    """

    def square_or_triple(t):
        return t * t if t[0] > 0 else t * 3

    with warnings.catch_warnings(action="ignore"):
        traced = be.traced(square_or_triple, be.tensor(-x))
    for function, slope in ((traced, 2 * x), (be.compile(square_or_triple), 3)):
        leaf = be.leaf(x)
        be.backward(function(leaf), w)
        be.check(be.grad(leaf), w * slope)


@claim("DYN-102", about="compile", needs="backward inplace torch", level="contract")
@example(x=np.array([1.0, -2.0]), y=np.array([3.0, 5.0]), w=np.array([2.0, -1.0]))
def test_a_compiled_function_writes_over_its_argument(be, x, y, w):
    """What a compiled function writes over its argument is there afterwards, and has the gradient
    that it has if it is written without a compiler.
    """

    def written(t, u):
        t *= u

    leaf, target = be.leaf(x), be.tensor(y)
    be.compile(written, "aot_eager")(target, leaf)
    be.check(target, x * y)
    be.backward(target, w)
    be.check(be.grad(leaf), w * y)


@claim("DYN-103", about="compile", needs="backward inplace views torch", level="contract")
@example(x=np.array([1.0, -2.0]), y=np.array([[3.0, 5.0], [7.0, 9.0]]), w=np.ones((2, 2)))
def test_a_compiled_function_writes_over_a_part(be, x, y, w):
    """What a compiled function writes over a part of its argument is there afterwards, and has the
    gradient that it has if it is written without a compiler.
    """

    def written(t, u):
        part = t[0]
        part *= u

    leaf, target = be.leaf(x), be.tensor(y)
    be.compile(written, "inductor")(target, leaf)
    be.check(target, np.stack([x * y[0], y[1]]))
    be.backward(target, w)
    be.check(be.grad(leaf), w[0] * y[0])


@claim("DYN-104", about="compile", needs="backward inplace fill_ torch", level="contract")
@example(x=np.array([[1.0, -2.0]]), y=np.array([[3.0], [5.0]]), w=np.array([[1.0]]))
def test_what_a_compiled_function_saved_is_looked_after(be, x, y, w):
    """Backward of a compiled function is refused once an argument that it needs was written, as it
    is without a compiler.
    """
    leaf, constant = be.leaf(x), be.tensor(y)
    product = be.compile(operator.matmul, "inductor")(leaf, constant)
    be.fill_(constant, 7.0)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(product, w)


@claim("DYN-380", about="compile", needs="backward gradients inplace views torch", level="contract")
@example(x=np.arange(5.0), w=np.array([2.0, -1.0]), before=3, after=1)
@example(x=np.arange(5.0), w=np.array([2.0, -1.0]), before=1, after=3)
@example(x=np.arange(5.0), w=np.array([2.0, -1.0]), before=0, after=1)
def test_arguments_of_a_compiled_function_share_memory(be, x, w, before, after):
    """A function that writes over an argument computes what it does without a compiler, whichever
    of its arguments share memory, and whichever did when it was compiled.
    """

    def written(t, u):
        t *= 2.0
        return t + u

    be.lookup("torch.compiler:reset")()
    compiled = be.compile(written, "aot_eager")
    for call, start in enumerate((before, after)):
        leaf = be.leaf(x)
        base = leaf * 1.0
        found = compiled(base[:2], base[start : start + 2])
        units = [written(unit[:2], unit[start : start + 2]) for unit in np.eye(5)]
        be.check(found, x @ units, f"result of call {call}")
        be.check(*be.gradients(found, [leaf], w), units @ w, f"gradient of call {call}")


@claim("DYN-381", about="compile", needs="inplace views torch", level="contract")
@example(x=np.arange(6.0).reshape(3, 2), start=1)
def test_a_compiled_function_returns_a_part_of_what_it_wrote(be, x, start):
    """What a compiled function returns of an argument is the part that it returns without a
    compiler, also where another argument that it writes shares memory with this one.
    """

    def written(t, u):
        t *= 2.0
        return u[0]

    base, own = be.tensor(x.copy()), x.copy()
    found = be.compile(written, "aot_eager")(base, base[start:])
    be.check(found, written(own, own[start:]))
    be.check(base, own)


@claim("DYN-280", about="compile lookup", needs="backward custom torch", level="contract")
@example(x=np.array([1.0, -2.0]), w=np.array([3.0, 5.0]))
def test_rules_are_followed(be, x, w):
    """Compiled or differentiated by a transform a custom function has the gradient of the rule."""
    rule, leaf = steep(be), be.leaf(x)
    be.backward(be.compile(lambda t: rule.apply(t) * 2, "aot_eager")(leaf), w)
    be.check(be.grad(leaf), 10 * w * x)
    slope = be.lookup("torch.func:grad")(lambda t: rule.apply(t).sum())
    be.check(slope(be.tensor(x)), 5 * x)


@claim("DYN-281", about="compile lookup", needs="custom torch", level="contract")
@example(x=np.array([1.0, -2.0]))
def test_a_compiled_transform_follows_rules(be, x):
    """The gradient of a custom function by a compiled transform is that of its rule."""
    rule = steep(be)
    slope = be.lookup("torch.func:grad")(lambda t: rule.apply(t).sum())
    be.check(be.compile(slope, "aot_eager")(be.tensor(x)), 5 * x)


@claim("DYN-382", about="compile lookup", needs="backward custom torch", level="contract")
@example(x=np.array([1.0, -2.0]), w=np.array([3.0, 5.0]), counted=1)
@example(x=np.array([1.0, -2.0]), w=np.array([3.0, 5.0]), counted=2)
def test_a_compiled_rule_is_told_which_outputs_count(be, x, w, counted):
    """The rule of a compiled custom function that wants no zeros made for it is handed None for an
    output that does not count, as it is without a compiler.
    """

    class Twice(be.lookup("torch.autograd:Function")):
        @staticmethod
        def forward(ctx, t):
            ctx.set_materialize_grads(False)
            return t * 2, t * 3

        @staticmethod
        def backward(_, g, h):
            return g * 5 if h is None else g * 7 + h * 11

    leaf, slope = be.leaf(x), {1: 5, 2: 7 + 11}[counted]
    be.backward(be.compile(lambda t: sum(Twice.apply(t)[:counted]), "aot_eager")(leaf), w)
    be.check(be.grad(leaf), w * slope)


# ---- networks ------------------------------------------------------------------------------------


@claim("DYN-53", about="backward", needs="backward")
@given(x=arrays(), p=arrays(), w=arrays())
def test_depth_may_be_drawn_anew_for_each_input(be, x, p, w):
    """A network whose depth differs from one input to the next, from 0 to 3, uses its middle layer
    that often: its weights receive the sum over all uses, and no gradient where there was none.
    """
    for depth in range(4):
        first, middle = be.leaf(x), be.leaf(p)
        y = first * 2
        for _ in range(depth):
            y = middle * y
        be.backward(y, w)
        be.check(be.grad(first), 2 * w * p**depth)
        if depth:
            be.check(be.grad(middle), depth * w * p ** (depth - 1) * 2 * x)
        else:
            assert be.grad(middle) is None


@claim("DYN-54", about="layer", needs="backward nn data")
@example(values=np.array([1.0, -2.0, 0.5, 3.0, 1.0, -1.0]), x=np.ones(2), w=np.ones(2), times=2)
@given(
    values=arrays("values", shape=(6,)),
    x=arrays("x", shape=(2,)),
    w=arrays("x", shape=(2,)),
    times=integers(1, 3),
)
def test_a_layer_may_be_used_again(be, values, x, w, times):
    """A layer may be used several times in one forward pass: its parameters receive the sum of what
    as many layers of equal parameters would receive.
    """
    shared, *copies = layers = [be.layer("Linear", 2, 2) for _ in range(times + 1)]
    for layer in layers:
        weight, bias = layer.parameters()
        be.set_data(weight, be.tensor(values[:4].reshape(2, 2)))
        be.set_data(bias, be.tensor(values[4:]))
    y = z = be.tensor(x)
    for layer in copies:
        y, z = shared(y), layer(z)
    be.backward(y, w)
    be.backward(z, w)
    for p, *separate in zip(*[layer.parameters() for layer in layers], strict=True):
        be.check(be.grad(p), Total.of(*[be.numpy(be.grad(q)) for q in separate]))
