"""Writes while recording: what may be written over, and what a write means for the graph."""

from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.arrays import DENSE
from gradspec.conformance.strategies.programs import (
    ALIASES,
    RESULTS,
    UPDATES,
    WRITES,
    WRITING,
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
from gradspec.conformance.table.derivatives import POINT
from gradspec.conformance.truth.oracles.jets import Jet

WRITTEN = Chain((("permute", (1, 0)), ("narrow", 0, 1, 2), ("select", 1, 1)))
SEEN = Chain((("t",), ("select", 0, 1)))

# ---- what may be written -------------------------------------------------------------------------


@claim(
    "INP-03",
    about="setitem unbind split chunk",
    needs="backward inplace views version_counter relu clamp unsqueeze unbind split chunk",
    level="contract",
)
@example(x=np.ones(1), update=Update("sub", (1.0,)))
@every(update=UPDATES)
@given(x=arrays(layouts=DENSE))
def test_leaves_and_several_views_refuse_writes_while_recording(be, x, update):
    """While operations are recorded, a leaf that requires grad and every view of it refuse to be
    written in place, and the leaf stays what it is. So do the views that unbind, split and chunk
    make of a result.
    """
    leaf = be.leaf(x)
    with be.raises(ErrorKind.LEAF_INPLACE):
        update.overwrite(be, leaf)
    with be.raises(ErrorKind.VIEW_OF_LEAF_INPLACE):
        update.overwrite(be, be.unsqueeze(leaf[...], 0))
    with be.raises(ErrorKind.LEAF_INPLACE, ErrorKind.VIEW_OF_LEAF_INPLACE):
        be.setitem(leaf, ..., 5)
    assert be.version_of(leaf) == 0
    assert be.is_leaf(leaf)
    row = be.unsqueeze(be.mul(leaf, 1), 0)
    for (view,) in (be.unbind(row), be.split(row, 1), be.chunk(row, 1)):
        with be.raises(ErrorKind.MULTI_OUTPUT_VIEW_INPLACE):
            update.overwrite(be, view)
    be.check(row, x[None])


@claim(
    "INP-101",
    about="setitem add_",
    needs=f"backward {WRITING}",
    level="contract",
)
@example(x=np.array([[0.5, 1.0], [2.0, 3.0]]))
def test_no_way_to_write_is_open_to_a_leaf(be, x):
    """Whatever the writing is called, +=, assignment by any kind of key, a fill, a copy or a new
    shape, a leaf that requires grad refuses it while operations are recorded, as does every view
    of it; nothing is written or counted.
    """
    leaf = be.leaf(x)
    for name, write in WRITES.items():
        for alias in (lambda _, leaf: leaf, *ALIASES.values()):
            with be.raises(ErrorKind.LEAF_INPLACE, ErrorKind.VIEW_OF_LEAF_INPLACE):
                write(be, alias(be, leaf))
            assert be.version_of(leaf) == 0, name
    be.check(leaf, x)
    assert be.is_leaf(leaf)


@claim(
    "INP-281",
    about="setitem add_",
    needs=f"backward detach {WRITING}",
    level="contract",
)
@example(x=np.array([[0.5, 1.0], [2.0, 3.0]]))
def test_every_way_to_write_is_counted(be, x):
    """Whatever the writing is called, +=, assignment by any kind of key, a fill, a copy or a new
    shape, it counts once for the tensor and for each alias of it, and backward refuses what saved
    one of them.
    """
    for (name, write), alias in product(WRITES.items(), (lambda _, x: x, *ALIASES.values())):
        saved = be.mul(be.leaf(x), 1)
        y, other = be.mul(saved, saved), be.detach(saved)
        write(be, alias(be, other))
        assert [be.version_of(saved), be.version_of(other)] == [1, 1], name
        with be.raises(ErrorKind.STALE_SAVED_VALUE):
            be.backward(be.sum(y))


@claim("INP-282", about="lookup", needs="inplace detach version_counter torch", level="contract")
@given(x=arrays(shape=(2, 2), layouts=DENSE), seed=seeds())
def test_what_fills_a_tensor_is_counted(be, x, seed):
    """A method that fills a tensor with random numbers or fills its diagonal writes, and so is
    counted once, for its receiver and for each alias of it.
    """
    with be.fork_random():
        be.manual_seed(seed)
        for name, told in {**DRAWS_IN_PLACE, "fill_diagonal_": (2.0,)}.items():
            written = be.tensor(x)
            alias = be.detach(written)
            assert be.lookup(f"torch:Tensor.{name}")(written, *told) is written, name
            assert [be.version_of(written), be.version_of(alias)] == [1, 1], name


@claim(
    "INP-58",
    about="requires_grad",
    needs="backward inplace no_grad views relu clamp unsqueeze unbind",
    level="contract",
)
@example(x=np.ones(1), update=Update("add", (1.0,)))
@every(update=UPDATES)
@given(x=arrays(layouts=DENSE))
def test_everything_else_may_be_written(be, x, update):
    """A leaf that requires no grad, a view of it that repeats nothing, a result that is no view,
    and, while nothing is recorded, any leaf and any such view of it may be written in place; a leaf
    that requires grad stays one.
    """
    leaf, constant, want = be.leaf(x), be.tensor(x), update.compute(be, be.tensor(x))
    be.same(update.overwrite(be, be.mul(leaf, 1)), want)
    be.same(update.overwrite(be, constant), want)
    (view,) = be.unbind(be.tensor(x[None]))
    be.same(update.overwrite(be, view), want)
    with be.no_grad():
        update.overwrite(be, leaf)
    be.same(leaf, want)
    for recorded in (True, False):
        base = be.leaf(x[None])
        with be.enable_grad() if recorded else be.no_grad():
            view = base[0]
        with be.no_grad():
            be.same(update.overwrite(be, view), want)
        if update.name != "unsqueeze":
            be.same(base[0], want)
        assert [be.is_leaf(base), be.requires_grad(base)] == [True, True]
    assert [be.is_leaf(constant), be.requires_grad(constant)] == [True, False]
    assert [be.is_leaf(leaf), be.requires_grad(leaf)] == [True, True]


@claim("INP-61", about="add_", needs="backward inplace version_counter views detach add_ zero_")
@given(
    x=arrays(layouts=DENSE), k=arrays(), saved=sampled_from((0, 1, 2)), way=sampled_from((0, 1, 2))
)
def test_backward_refuses_what_was_overwritten(be, x, k, saved, way):
    """Backward is refused if a value it needs was written since it was saved, be it an input, a
    result or a constant, and be it through the tensor, a view or a detached alias.
    """
    argument, factor = be.mul(be.leaf(x), 1), be.tensor(k.copy())
    result = be.exp(be.sin(argument))
    y = be.mul(result, factor)
    written = (argument, result, factor)[saved]
    be.add_((written, written[...], be.detach(written))[way], 0)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(be.sum(y))


@claim(
    "INP-102",
    about="mul_",
    needs="backward inplace retain_graph version_counter detach sigmoid tanh relu sqrt softmax "
    "exp_ tanh_ sigmoid_ mul_",
)
@every(name=list(RESULTS))
@given(passed=booleans())
def test_a_result_that_is_needed_is_watched(be, name, passed):
    """Backward of an operation that is differentiated by its result, computed in place or not, is
    refused once that was written; so is one after a pass that retained the graph.
    """
    leaf = be.leaf(POINT)
    y = RESULTS[name](be, leaf)
    if passed:
        be.backward(y, np.ones((2, 2)), retain_graph=True)
    be.mul_(be.detach(y), 2)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(y, np.ones((2, 2)))


@claim(
    "INP-171",
    about="mul_",
    needs="backward gradients create_graph inplace version_counter detach mul_ sin",
    level="contract",
)
@given(x=arrays(layouts=DENSE), w=arrays(), linear=booleans(), computed=booleans())
def test_what_a_recorded_pass_needs_is_watched(be, x, w, linear, computed):
    """Differentiating a recorded gradient is refused if a value that it was computed from is needed
    and was written since, and goes on if none is needed.
    """
    leaf = be.leaf(x)
    y = leaf * 1 if computed else leaf
    (gradient,) = be.gradients(y * y if linear else be.sin(y), [y], w, create_graph=True)
    be.mul_(be.detach(y), 2)
    if linear:
        be.check(be.gradients(gradient, [y], w)[0], 2 * w * w)
        return
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.gradients(gradient, [y], w)


@claim("INP-59", about="zero_", needs="backward inplace zero_")
@given(x=arrays(layouts=DENSE), w=arrays())
def test_what_nobody_saved_may_be_overwritten(be, x, w):
    """A value may be written in place after its use, gradient and all, if no recorded operation has
    saved it: exp keeps its result, not its argument, and a multiple keeps neither.
    """
    leaf = be.leaf(x)
    argument = be.mul(leaf, 0.25)
    sine = be.sin(argument)
    multiple = be.mul(sine, 2)
    y = be.exp(multiple)
    be.zero_(sine)
    be.zero_(multiple)
    be.backward(y, w)
    quarter = Jet.exact(x / 4)
    be.check(be.grad(leaf), w * np.exp(2 * np.sin(quarter)) * np.cos(quarter) / 2)


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
