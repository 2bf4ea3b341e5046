"""Version counters: what may be written over, and what watches it."""

from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given
from gradspec.conformance.strategies import arrays, booleans, sampled_from
from gradspec.conformance.strategies.arrays import DENSE
from gradspec.conformance.strategies.programs import (
    ALIASES,
    RESULTS,
    UPDATES,
    WRITES,
    WRITING,
    Update,
)
from gradspec.conformance.strategies.random_numbers import DRAWS_IN_PLACE, seeds
from gradspec.conformance.table.derivatives import POINT
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "what is refused takes no time"

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
