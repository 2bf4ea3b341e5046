"""The graph: what is recorded."""

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given, workload
from gradspec.conformance.strategies import POSITIVE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.graphs import (
    NAMES,
    UNDERIVED,
    UNTRACKED,
    activations,
    convolutional_loss,
    lines,
    nodes_of,
)
from gradspec.conformance.strategies.programs import programs
from gradspec.conformance.strategies.saving import MATRIX

SAVED = {"add": 0, "neg": 0, "sin": 1, "exp": 1, "mul": 2}
KEPT = {
    "add": lambda p, q, y: [],  # noqa: ARG005
    "neg": lambda p, y: [],  # noqa: ARG005
    "sin": lambda p, y: [p],  # noqa: ARG005
    "exp": lambda p, y: [y],  # noqa: ARG005
    "mul": lambda p, q, y: [p, q],  # noqa: ARG005
}


@workload
def grown(be, leaf):
    """The gradient of a sum of fifty terms, each a node of the graph."""
    y = leaf
    for _ in range(50):
        y = y + leaf
    be.backward(be.sum(y))
    return be.grad(leaf)


# ---- what is recorded ----------------------------------------------------------------------------


@claim("GRF-04", "GRF-51", about="requires_grad", needs="backward t")
@given(line=lines())
def test_requires_grad_propagates_by_or(be, line):
    """While recording, the result of a differentiable operation requires grad if and only if one of
    its inputs does, whatever their values.
    """
    values = line.run(be)
    assert [be.requires_grad(v) for v in values] == [bool(found) for found in line.sources]


@claim("GRF-11", "GRF-12", "GRF-53", about="node", needs="backward graph no_grad t")
@given(line=lines(), recording=booleans())
def test_exactly_recorded_results_have_a_node(be, line, recording):
    """What a recorded operation computed has a node and is no leaf; everything else, made by the
    user, under no_grad or from untracked inputs, is a leaf without one.
    """
    with be.enable_grad() if recording else be.no_grad():
        values = line.run(be)
    tracked = [bool(found) and recording for found in line.sources]
    tracked[: len(line.flags)] = [False for _ in line.flags]
    assert [be.node(v) is not None for v in values] == tracked
    assert [not be.is_leaf(v) for v in values] == tracked


@claim(
    "GRF-05",
    about="requires_grad",
    needs="torch argmax zeros_like full_like new_ones",
    level="contract",
)
@every(operation=UNTRACKED)
def test_results_that_are_never_tracked(be, operation):
    """Comparisons, places, integers, counts, aliases outside the graph and tensors made in the
    likeness of a tracked one do not require grad.
    """
    leaf = be.leaf(MATRIX)
    for tracked in (leaf, leaf * leaf):
        made = UNTRACKED[operation](be, tracked)
        assert not be.requires_grad(made)
        assert be.is_leaf(made)


@claim(
    "GRF-52",
    about="backward",
    needs="torch round floor sign heaviside igamma",
    level="contract",
)
@given(
    x=arrays(values=POSITIVE),
    w=arrays(),
    constant=sampled_from(("round", "floor", "sign")),
    refused=sampled_from(list(UNDERIVED)),
)
def test_no_derivative_is_made_up(be, x, w, constant, refused):
    """A piecewise constant function is recorded with gradients of zero; a function that is recorded
    without having a derivative is refused by backward.
    """
    leaf = be.leaf(x)
    y = UNDERIVED[refused](be, leaf)
    assert be.requires_grad(y)
    with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
        be.backward(y, w)
    assert be.grad(leaf) is None
    be.backward(getattr(be, constant)(leaf), w)
    be.check(be.grad(leaf), np.zeros_like(x))


@claim("GRF-66", about="saved_tensors", needs="backward saved_tensors graph")
@example(name="sin", steps=20, x=np.array([0.5]))
@example(name="exp", steps=2, x=np.array([0.5]))
@example(name="mul", steps=2, x=np.array([0.5]))
@example(name="add", steps=20, x=np.array([0.5]))
@given(name=sampled_from(list(SAVED)), steps=integers(1, 8), x=arrays())
def test_nodes_save_what_their_derivative_needs(be, name, steps, x):
    """A node saves only what its derivative needs: a product its factors, a sine its argument, an
    exponential its result, sums and negations nothing.
    """
    y = be.leaf(0.5)
    with be.saved_tensors() as saved:
        for _ in range(steps):
            operands = (y, y) if name in {"add", "mul"} else (-y,)
            y = getattr(be, name)(*operands)
    assert saved.packed == SAVED[name] * steps
    given = [be.leaf(x), be.leaf(x + 8)][: len(operands)]
    result = getattr(be, name)(*given)
    kept = [v for v in be.saved_values(be.node(result)).values() if v is not None]
    wanted = [be.numpy(v).tolist() for v in KEPT[name](*given, result)]
    assert sorted(be.numpy(v).tolist() for v in kept) == sorted(wanted)


# ---- edges ---------------------------------------------------------------------------------------


@claim("GRF-16", "GRF-61", about="next_nodes", needs="backward graph t")
@given(line=lines())
def test_edges_mirror_operands(be, line):
    """A node has one edge for each operand, in order: to the node that computed it, to the
    accumulator of a leaf that requires grad, or to nothing.
    """
    values = line.run(be)
    for step, result in zip(line.steps, values[len(line.flags) :], strict=True):
        if be.node(result) is not None:
            nodes = be.next_nodes(be.node(result))
            assert len(nodes) == len(step.operands)
            for x, node in zip([values[i] for i in step.operands], nodes, strict=True):
                if not be.requires_grad(x):
                    assert node is None
                else:
                    assert (be.leaf_of(node) is x) if be.is_leaf(x) else (node is be.node(x))


@claim("GRF-24", about="node", needs="backward graph t")
@given(line=lines())
def test_all_history_is_reachable(be, line):
    """Following edges from a result reaches one accumulator for each tracked leaf that it depends
    on, and no other.
    """
    values = line.run(be)
    for result, sources in zip(values, line.sources, strict=True):
        if be.node(result) is not None:
            found = [be.leaf_of(node) for node in nodes_of(be, result)]
            leaves = [x for x in found if x is not None]
            assert len(leaves) == len(sources)
            for n in sources:
                assert any(x is values[n] for x in leaves)


@claim("GRF-60", about="node", needs="torch unbind stack", level="contract")
@given(x=arrays(shape=(3, 2)), order=sampled_from(((0, 1, 2), (2, 0, 1), (1, 1, 0))))
def test_edges_name_an_output_of_their_node(be, x, order):
    """An edge is a pair of a node and the number of one of its outputs: parts made together share
    their node and differ by that number, a plain int.
    """
    parts = be.unbind(be.leaf(x) * 1)
    stacked = be.stack([parts[n] for n in order])
    assert be.node(stacked).next_functions == tuple((be.node(parts[0]), n) for n in order)


@claim("GRF-17", about="leaf_of", needs="backward graph")
@given(x=arrays(), w=arrays())
def test_accumulator_hangs_on_consumers(be, x, w):
    """The accumulator of a leaf is not its node, which is None: only what consumes the leaf leads
    there. It knows the leaf and has no edges.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    be.backward(y, w)
    assert be.node(leaf) is None
    for accumulator in be.next_nodes(be.node(y)):
        assert be.leaf_of(accumulator) is leaf
        assert not be.next_nodes(accumulator)
    assert be.leaf_of(be.node(y)) is None


@claim("GRF-18", about="next_nodes", needs="backward graph")
@given(x=arrays(), w=arrays())
def test_leaf_has_one_accumulator(be, x, w):
    """All that consumes a leaf leads to one and the same accumulator, as often as it is used."""
    leaf = be.leaf(x)
    p, q, r = leaf * 2, be.exp(leaf), leaf + leaf
    ends = [each for y in (p, q, r) for each in be.next_nodes(be.node(y)) if each is not None]
    assert len(ends) == 4
    assert all(each is ends[0] for each in ends)
    be.backward(p + r, w)
    be.check(be.grad(leaf), 4 * w)


@claim("GRF-20", about="node", needs="backward graph views inplace neg_ add_ sub_ mul_ copy_ fill_")
@given(program=programs())
def test_graph_has_no_cycles(be, program):
    """No path of edges returns to where it was and all of them end at accumulators, also after
    writes: a write makes a new node in front of the old one.
    """
    leaves = [be.leaf(x) for x in program.start]
    for y in program.in_place(be, leaves):
        ends = [n for n in nodes_of(be, y) if not any(be.next_nodes(n))]
        assert all(any(be.leaf_of(n) is leaf for leaf in leaves) for n in ends)
        former = be.node(y)
        be.add_(y, 1)
        assert be.node(y) is not former
        assert be.next_nodes(be.node(y))[0] is former


# ---- nodes ---------------------------------------------------------------------------------------


@claim("GRF-19", about="pull", needs="backward graph")
@example(x=3.0, y=4.0, g=2.0, h=1.0, both=False)
@given(x=arrays(), y=arrays(), g=arrays(), h=arrays(), both=booleans())
def test_node_is_a_vector_jacobian_product(be, x, y, g, h, both):
    """A node is a function from the gradient of its output to those of its inputs, in their order
    and None for an untracked one; calling it frees nothing and touches no .grad.
    """
    leaf, other = be.leaf(x), be.leaf(y) if both else be.tensor(y)
    product = leaf * other
    for gradient in (g, h):
        to_leaf, to_other = be.pull(be.node(product), be.tensor(gradient))
        be.check(to_leaf, gradient * y)
        to_leaf, to_less = be.pull(be.node(be.sub(leaf, other)), be.tensor(gradient))
        be.check(to_leaf, gradient)
        for found, slope in ((to_other, x), (to_less, -1.0)):
            if both:
                be.check(found, gradient * slope)
            else:
                assert found is None
    assert be.grad(leaf) is be.grad(other) is None
    be.backward(product, g)
    be.check(be.grad(leaf), g * y)


@claim("GRF-22", about="sub", needs="backward graph", level="contract")
@example(x=1.0, g=-40.0, steps=4)
@given(x=arrays(), g=arrays(), steps=integers(1, 8))
def test_recorded_updates_grow_the_graph(be, x, g, steps):
    """Every recorded update w = w - g adds a node to the chain that leads back to the first w. With
    w.grad for g only one is possible: the new w has no gradient.
    """
    w = leaf = be.leaf(x)
    for _ in range(steps):
        w = be.sub(w, g)
    assert len(nodes_of(be, w)) == steps + 1
    be.backward(w, g)
    assert be.grad(leaf - be.grad(leaf)) is None
    be.check(be.grad(leaf), g)


@claim(
    "GRF-13",
    "GRF-54",
    "GRF-55",
    about="node",
    needs="torch nn custom mse_loss clamp",
    level="contract",
)
@every(operation=NAMES)
def test_nodes_are_named_after_the_last_operation(be, operation):
    """The class of a node is called after the operation that computed the tensor last, with a
    number for its overload; after an operation written by hand, without one.
    """
    name, program = NAMES[operation]
    leaf = be.leaf(MATRIX)
    y = program(be, be.exp(leaf))
    node = be.node(y)
    assert type(node).__name__ == name
    assert node.name().removeprefix("torch::autograd::") == name


@claim("GRF-14", about="node", needs="torch", level="contract")
@example(x=1.0, w=1.0, steps=3)
@given(x=arrays(), w=arrays(), steps=integers(2, 6))
def test_the_number_of_a_node_counts_nothing(be, x, w, steps):
    """Repeating an operation gives nodes of one class, which are so many different objects: the
    number in its name does not count.
    """
    y = leaf = be.leaf(x)
    for _ in range(steps):
        y = y - 1
    *chain, accumulator = nodes_of(be, y)
    assert [type(node).__name__ for node in chain] == ["SubBackward0"] * steps
    assert be.leaf_of(accumulator) is leaf
    assert type(be.node(1 - leaf)).__name__ == "RsubBackward1"
    be.backward(y, w)
    be.check(be.grad(leaf), w)


# ---- graphs of layers ----------------------------------------------------------------------------


@claim("GRF-62", about="next_nodes", needs="torch nn mse_loss", level="contract")
@given(x=arrays(shape=(2, 3)), w=arrays(shape=(2, 4)))
def test_first_edge_of_an_affine_layer_is_its_bias(be, x, w):
    """The node of an affine layer has edges to the bias, to what it was given and to the transposed
    weight, in this order: the layer before is the second one.
    """
    layer = be.layer("Linear", 3, 4)
    given = be.relu(be.leaf(x))
    (layered, _) = be.next_nodes(be.node(be.mse_loss(layer(given), w)))
    bias, before, transposed = be.next_nodes(layered)
    assert be.leaf_of(bias) is layer.bias
    assert before is be.node(given)
    assert be.leaf_of(be.next_nodes(transposed)[0]) is layer.weight


@claim(
    "GRF-63",
    about="next_nodes",
    needs="torch nn mse_loss conv2d max_pool2d relu view",
    level="contract",
)
@given(
    images=arrays(shape=(1, 1, 12, 12)),
    first=arrays(shape=(2, 1, 3, 3)),
    second=arrays(shape=(2, 2, 2, 2)),
)
def test_chain_of_a_convolutional_net(be, images, first, second):
    """From the loss of a net back to its images, the nodes name its operations in reverse, the
    change of shape between convolutions and affine layers among them.
    """
    loss = convolutional_loss(be, be.tensor(images), [be.leaf(first), be.leaf(second)])
    names = [type(node).__name__.removesuffix("Backward0") for node in activations(be, loss)]
    convolution = ["MaxPool2DWithIndices", "Relu", "Convolution"]
    affine = ["Addmm", "Relu", "Addmm", "Relu", "Addmm"]
    assert names == ["MseLoss", *affine, "View", *convolution, *convolution]


@claim("GRF-64", about="node", needs="torch nn", level="contract")
@given(x=arrays(shape=(2, 3)), depth=integers(1, 3))
def test_one_operation_can_make_several_nodes(be, x, depth):
    """A recorded operation makes at least one node and a composite one several, as an affine layer
    does that is given more than two dimensions; while not recording it makes none.
    """
    layer = be.layer("Linear", 3, 4)
    batch = be.tensor(np.broadcast_to(x, (depth, 2, 3)))
    few, many = nodes_of(be, layer(be.tensor(x))), nodes_of(be, layer(batch))
    assert len(many) > len(few)
    assert type(many[0]).__name__ != type(few[0]).__name__ == "AddmmBackward0"
    with be.no_grad():
        assert be.node(layer(batch)) is None
