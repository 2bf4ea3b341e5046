"""Writes while recording: what a write means for the graph."""

from itertools import product

import numpy as np

from gradspec.conformance import Total, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.arrays import DENSE
from gradspec.conformance.strategies.programs import (
    Program,
    Step,
    Update,
    programs,
)
from gradspec.conformance.strategies.random_numbers import DRAWS_IN_PLACE, seeds
from gradspec.conformance.strategies.rarer_functions import STEPS
from gradspec.conformance.strategies.shaping import (
    CUTTING,
    REARRANGING,
    STARTS,
    TURNS,
    Chain,
    chains,
    turn,
    turned,
)
from gradspec.conformance.truth.oracles.jets import Jet

WRITTEN = Chain((("permute", (1, 0)), ("narrow", 0, 1, 2), ("select", 1, 1)))
SEEN = Chain((("t",), ("select", 0, 1)))

# ---- what a write means --------------------------------------------------------------------------


@claim(
    "INP-60",
    about="add_ sub_ mul_ neg_ copy_ fill_",
    needs="backward inplace views add_ sub_ mul_ neg_ copy_ fill_ stack",
)
@given(program=programs(), w=arrays(shape=(2, 2, 3)))
def test_in_place_programs_mean_the_functional_ones(be, program, w):
    """A program that writes over tensors and views has the values and the gradients of the program
    that computes new ones instead.
    """
    leaves, others = ([be.leaf(x) for x in program.start] for _ in range(2))
    got, want = be.stack(program.in_place(be, leaves)), be.stack(program.functional(be, others))
    # Plus zero, because where a part is kept a zero loses its sign in the functional program.
    be.same(be.add(got, 0.0), be.add(want, 0.0))
    be.backward(be.add(got, be.stack(leaves)), w)
    be.backward(be.add(want, be.stack(others)), w)
    for leaf, other in zip(leaves, others, strict=True):
        be.same(be.add(be.grad(leaf), 0.0), be.add(be.grad(other), 0.0))


@claim("INP-62", about="mul_", needs="backward inplace views mul_")
@example(x=np.ones(1), y=np.array([3.0]), w=np.ones(1), through=False)
@given(x=arrays(layouts=DENSE), y=arrays(), w=arrays(), through=booleans())
def test_a_constant_written_with_a_leaf_joins_the_graph(be, x, y, w, through):
    """A constant that is combined in place, itself or through a view, with a tensor that requires
    grad requires grad from then on and is no leaf, though it is the same object.
    """
    receiver, leaf = be.tensor(x), be.leaf(y)
    be.mul_(receiver[...] if through else receiver, leaf)
    assert [be.requires_grad(receiver), be.is_leaf(receiver)] == [True, False]
    be.backward(receiver, w)
    be.check(be.grad(leaf), w * x)


@workload
def scale_every_second(be, leaf):
    """Multiply every second entry by ten, through a view."""
    y = be.mul(leaf, 1)
    be.mul_(y[1::2], 10)
    return y


@claim("INP-63", about="mul_", needs="backward inplace views mul_")
@example(x=np.array([1.0, 2.0, 3.0]), v=np.ones(3), w=np.zeros(3))
@given(x=arrays(layouts=DENSE, min_dims=1), v=arrays(min_dims=1), w=arrays(min_dims=1))
def test_a_write_through_a_view_enters_the_history_of_all(be, x, v, w):
    """A write through a view changes the values and the history of its base, a write to the base
    those of its views: each has the gradient of what it now holds.
    """
    leaf, scale, tail = be.leaf(x), np.ones(x.shape), np.ones(x.shape)
    scale[1::2], tail[:1] = 10, 0
    y = scale_every_second(be, leaf)
    view = y[1:]
    be.check(y, scale * x)
    be.mul_(y, 3)
    be.check(view, 3 * scale[1:] * x[1:])
    be.backward(be.add(be.sum(be.mul(v[1:], view)), be.sum(be.mul(w, y))))
    be.check(be.grad(leaf), Total.of(3 * scale * tail * v, 3 * scale * w))


@claim(
    "INP-103",
    about="mul_",
    needs=f"backward inplace views mul_ expand {REARRANGING} {CUTTING}",
)
@example(
    x=np.arange(6.0).reshape(2, 3),
    v=np.ones((2, 3)),
    w=np.ones((2, 3)),
    written=WRITTEN,
    seen=SEEN,
    times=2,
)
@given(
    x=arrays(layouts=DENSE),
    v=arrays(),
    w=arrays(),
    written=chains(cut=True),
    seen=chains(cut=True),
    times=integers(1, 3),
)
def test_a_write_through_any_view_reaches_any_other(be, x, v, w, written, seen, times):
    """What is written through a view of a view enters the values and the history of the base and of
    every other view, however either of them was taken and turned, and the other one repeated.
    """
    leaf, scale, reached = be.leaf(x), np.full(x.shape, 3.0), np.zeros(x.shape)
    y = be.mul(leaf, 1)
    there, here = written.of(be, y), seen.of(be, y)
    here = be.expand(here, times, *seen.of_array(x).shape)
    be.mul_(there, 10)
    be.mul_(y, 3)
    written.of_array(scale)[...] *= 10
    seen.of_array(reached)[...] = 1
    be.check(here, np.stack([seen.of_array(scale * x)] * times))
    be.check(there, written.of_array(scale * x))
    be.backward(be.add(be.sum(be.mul(seen.of_array(v), here)), be.sum(be.mul(w, y))))
    be.check(be.grad(leaf), Total.of(*[scale * reached * v] * times, scale * w))


@claim(
    "INP-430",
    about="mul_",
    needs="backward inplace views clone mul_ complex_numbers torch",
    level="contract",
)
@every(between=[[], *([name] for name in TURNS)])
@given(
    x=arrays("pairs", shape=(5, 4, 4, 2), layouts=DENSE),
    v=sampled_from([1.0, -2.0, 0.5]),
    w=arrays("pairs", shape=(5, 4, 4, 2)),
    seen=turned(),
)
def test_a_write_goes_through_views_of_any_kinds(be, x, v, w, between, seen):
    """What is written through diagonals, windows, parts of complex numbers and these seen as pairs
    enters the values and the history of the base and of every other view of these kinds.
    """
    for start, last in product(STARTS, ([], *([name] for name in TURNS))):
        written = start, between + last
        leaf, scale = be.leaf(x), np.ones(x.size)
        pairs = be.clone(leaf).contiguous()
        (there, places), (here, others) = turn(be, pairs, written), turn(be, pairs, seen)
        be.mul_(there, 10)
        be.mul_(pairs, 3)
        scale[places] *= 10
        scale *= 3
        now = scale * x.ravel()
        be.check(there, now[places], f"what was written through {written}")
        be.check(here, now[others], f"what is seen of that through {seen}")
        be.backward(be.add(be.sum(be.mul(here, v)), be.sum(be.mul(w, pairs))))
        reached = np.bincount(others.ravel(), minlength=x.size)
        slopes = (scale * reached * v, scale * w.ravel())
        true = Total.of(*(slope.reshape(x.shape) for slope in slopes))
        be.check(be.grad(leaf), true, f"gradient of what was written through {written}")


@claim(
    "INP-170",
    about="add_ sub_ mul_ neg_ copy_ fill_",
    needs="backward gradients create_graph inplace views add_ sub_ mul_ neg_ copy_ fill_ stack",
)
@example(
    program=Program(
        (np.arange(6.0).reshape(2, 3), np.ones((2, 3))),
        (Step("mul", 0, (0,), register=1), Step("mul", 0, None, number=2)),
    ),
    v=np.ones((2, 2, 3)),
    w=np.ones((2, 2, 3)),
)
@given(program=programs(), v=arrays(shape=(2, 2, 3)), w=arrays(shape=(2, 2, 3)))
def test_gradients_through_writes_are_differentiated(be, program, v, w):
    """The recorded gradients of a program that writes over tensors and views are differentiated
    like those of the program that computes new ones instead.
    """
    found = []
    for run in (program.in_place, program.functional):
        leaves = [be.leaf(x) for x in program.start]
        result = be.stack(run(be, leaves))
        # The square, so that a linear program has second derivatives too.
        square = be.mul(result, result)
        gradients = be.gradients(
            be.add(square, be.stack(leaves)), leaves, be.tensor(w), create_graph=True
        )
        paired = be.sum(be.mul(v, be.stack(gradients))) + be.sum(be.stack(leaves)) * 0
        found.append(be.gradients(paired, leaves))
    for got, want in zip(*found, strict=True):
        be.same(be.add(got, 0.0), be.add(want, 0.0))


@claim(
    "INP-701",
    about="exp_ sin_ tanh_ sigmoid_ div_",
    needs="backward gradients create_graph inplace exp_ sin_ tanh_ sigmoid_ div_",
)
@every(update=[*map(Update, ("exp", "sin", "tanh", "sigmoid")), Update("div", (4.0,))])
@given(x=arrays(layouts=DENSE), v=arrays(), w=arrays())
def test_results_in_place_are_differentiated_twice(be, update, x, v, w):
    """What an operation computes in place has the first and the second derivatives of what it would
    have returned.
    """
    found = []
    for run in (update.overwrite, update.compute):
        leaf = be.leaf(x)
        (first,) = be.gradients(run(be, be.mul(leaf, 0.5)), [leaf], w, create_graph=True)
        (second,) = be.gradients(be.add(first, be.mul(leaf, leaf)), [leaf], v)
        found.append((first, second))
    for order, got, want in zip(("first", "second"), *found, strict=True):
        be.same(be.detach(got), be.detach(want), f"{order} derivative of {update.name}_")


@claim(
    "INP-172",
    about="mul_",
    needs=f"backward gradients create_graph inplace views mul_ {REARRANGING} {CUTTING}",
)
@example(
    x=np.arange(6.0).reshape(2, 3),
    v=np.ones((2, 3)),
    w=np.ones((2, 3)),
    written=WRITTEN,
    seen=SEEN,
)
@given(
    x=arrays(layouts=DENSE),
    v=arrays(),
    w=arrays(),
    written=chains(cut=True),
    seen=chains(cut=True),
)
def test_gradients_of_written_views_are_differentiated(be, x, v, w, written, seen):
    """What a view shows after its base or another view was written has second derivatives like the
    first ones: those of the values that it shows, and none of what it does not reach.
    """
    leaf, scale, reached = be.leaf(x), np.full(x.shape, 3.0), np.zeros(x.shape)
    y = be.mul(leaf, leaf)
    there, here = written.of(be, y), seen.of(be, y)
    be.mul_(there, 2)
    be.mul_(y, 3)
    written.of_array(scale)[...] *= 2
    seen.of_array(reached)[...] = 1
    (gradient,) = be.gradients(here * here, [leaf], seen.of_array(v), create_graph=True)
    (second,) = be.gradients(gradient, [leaf], w)
    weights, own = reached * scale**2, Jet.exact(x)
    be.check(gradient, 4 * weights * v * own * own * own)
    be.check(second, 12 * weights * v * w * own * own)


@claim("INP-106", about="mul_", needs=f"jvp inplace views mul_ add_ copy_ {REARRANGING} {CUTTING}")
@example(
    x=np.arange(6.0).reshape(2, 3),
    y=np.full((2, 3), 2.0),
    v=np.ones((2, 3)),
    w=np.arange(6.0).reshape(2, 3),
    scaled=Chain((("t",), ("select", 0, 1))),
    replaced=Chain((("narrow", 1, 1, 2),)),
)
@given(
    x=arrays(layouts=DENSE),
    y=arrays(layouts=DENSE),
    v=arrays(),
    w=arrays(),
    scaled=chains(cut=True),
    replaced=chains(cut=True),
)
def test_forward_mode_follows_what_is_written(be, x, y, v, w, scaled, replaced):
    """A write through a view changes the tangent of its base as it changes the values; what was
    overwritten has no part in it any more.
    """

    def written(a, b):
        result = be.mul(a, 1)
        be.mul_(scaled.of(be, result), 3)
        be.add_(result, b)
        be.copy_(replaced.of(be, result), replaced.of(be, b))
        return be.mul_(result, b)

    value, tangent = x.astype(float), v.astype(float)
    for array, other in ((value, y), (tangent, w)):
        scaled.of_array(array)[...] *= 3
        np.add(array, other, out=array)
        replaced.of_array(array)[...] = replaced.of_array(other)
    found, along = be.jvp(written, [x, y], [v, w])
    be.check(found, value * y)
    be.check(along, Total.of(tangent * y, value * w))


@claim("INP-361", about="lookup", needs="vjp jvp clone torch", level="contract")
@given(
    x=arrays("row", shape=(3,), layouts=DENSE),
    w=arrays("row", shape=(3,), layouts=DENSE),
    seed=seeds(),
)
def test_what_chance_writes_has_no_slope(be, x, w, seed):
    """Random numbers that are written over a tensor do not depend on what stood there: gradients
    and tangents are zero.
    """

    for name, told in DRAWS_IN_PLACE.items():

        def filled(z, name=name, told=told):
            return be.lookup(f"torch:Tensor.{name}")(be.clone(z), *told)

        with be.fork_random():
            be.manual_seed(seed)
            _, pull = be.vjp(filled, x)
            _, tangent = be.jvp(filled, [x], [w])
        be.check_gradient(pull(w)[0], Total.along(np.zeros((3, 1)), 1), f"gradient of {name}")
        be.check(tangent, np.zeros(3), f"tangent of {name}")


@claim("INP-360", about="lookup", needs="vjp jvp clone torch", level="contract")
@given(
    x=arrays("row", shape=(3,), layouts=DENSE),
    y=arrays("row", shape=(3,), layouts=DENSE),
    w=arrays("row", shape=(3,), layouts=DENSE),
)
def test_what_is_true_or_false_has_no_slope(be, x, y, w):
    """A comparison or a logical function that is written over its operand leaves zeros and ones
    there, whose gradients and tangents are zero.
    """
    for name, function in STEPS.items():

        def written(*operands, name=name):
            return be.lookup(f"torch:Tensor.{name}")(be.clone(operands[0]), *operands[1:])

        operands = [x, y][: function.nin]
        value, pull = be.vjp(written, *operands)
        be.check(value, function(*operands).astype(float), name)
        for gradient in pull(w):
            be.check_gradient(gradient, Total.along(np.zeros((3, 1)), 1), f"gradient of {name}")
        _, tangent = be.jvp(written, operands, [w, x][: function.nin])
        be.check(tangent, np.zeros(3), f"tangent of {name}")
