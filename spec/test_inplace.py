"""In place: writing over a tensor."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, integers, lists, permutations
from gradspec.conformance.strategies.arrays import DENSE
from gradspec.conformance.strategies.operands import READING, UNRECORDED, written_later
from gradspec.conformance.strategies.programs import (
    UPDATES,
    enlarging,
    fitting,
)
from gradspec.conformance.table import TABLE, calls
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.normalization import updated

# ---- one object, one memory ----------------------------------------------------------------------


@claim("INP-01", "INP-51", about="version_of", needs="inplace version_counter relu clamp unsqueeze")
@given(x=arrays(layouts=DENSE))
def test_an_underscore_writes_and_returns_its_receiver(be, x):
    """op_ writes what op computes over its receiver, counts as one write and returns that very
    object; op leaves its receiver alone.
    """
    kept = be.tensor(x)
    for update in UPDATES:
        written = be.tensor(x)
        assert update.overwrite(be, written) is written
        be.same(written, update.compute(be, kept), update.name)
        assert be.version_of(written) == 1
    be.check(kept, x)
    assert be.version_of(kept) == 0


@claim(
    "INP-280", needs="spellings version_counter torch", over=TABLE, level="contract", widest=True
)
@given(call=calls(smooth=True, small=True))
def test_versions_tell_what_is_overwritten(be, call):
    """An operation leaves the versions of its operands as they are, and raises that of a tensor
    which it overwrites, told so by its name or by an option.
    """
    name, operands = call.operation.name, [*map(be.tensor, call.tensors)]
    call.on(be)(*operands)
    assert all(be.version_of(x) == 0 for x in operands)
    for word, function in be.way.spellings(name).items():
        if word.endswith("in place") or word == "option":
            with be.spelled(name, function):
                assert be.version_of(call.on(be)(*operands)) > 0, f"{name} {word} is no write"


@claim("INP-53", about="add_", needs="inplace add_ views")
@example(x=np.array([0.25, 0.5]), y=np.array([1.0, 2.0]))
@given(x=arrays(layouts=DENSE), y=arrays())
def test_a_write_changes_its_receiver_alone(be, x, y):
    """x.add_(y) puts x + y into the memory of x, where every alias sees it; y stays as it is if
    it is not such an alias itself.
    """
    receiver, operand = be.tensor(x), be.tensor(y)
    alias = receiver[...]
    be.add_(receiver, operand)
    be.check(receiver, Total.of(x, y))
    be.check(alias, Total.of(x, y))
    be.check(operand, y)
    be.check(be.add_(receiver, alias), Total.of(2 * x, 2 * y))


@claim("INP-57", about="shares_memory", needs="inplace views", level="contract")
@example(x=np.ones(1), forms=[False, True])
@given(x=arrays(layouts=DENSE, min_size=1), forms=lists(booleans(), max_size=4))
def test_augmented_assignment_writes_and_assignment_rebinds(be, x, forms):
    """x += 1 writes into the object that x names, so every other name sees it; x = x + 1 makes a
    new object and leaves the old one to its other names.
    """
    name = other = be.tensor(x)
    for augmented in forms:
        if augmented:
            name += 1
        else:
            name = name + 1
    shared = [*forms, False].index(False)
    be.check(name, x + len(forms))
    be.check(other, x + shared)
    assert (name is other) == be.shares_memory(name, other) == all(forms)


@claim("INP-52", about="setitem", needs="inplace version_counter data add_", level="contract")
@given(x=arrays(layouts=DENSE, min_size=1))
def test_writes_need_no_underscore(be, x):
    """+= and assignment to an index or a mask are writes and counted as such, though no name tells;
    a write through .data is one too, but is not counted.
    """
    y = be.tensor(x)
    y += 1
    assert be.version_of(y) == 1
    be.setitem(y, ..., be.tensor(2 * x))
    assert be.version_of(y) == 2
    be.setitem(y, be.tensor(x > 0), 5.0)
    assert be.version_of(y) == 3
    be.add_(be.data(y), 3)
    be.check(y, np.where(x > 0, 5, 2 * x) + 3)
    assert be.version_of(y) == 3


@claim(
    "INP-105",
    about="layer",
    needs="backward inplace version_counter nn torch",
    level="contract",
)
@given(x=arrays(shape=(2, 3), layouts=DENSE))
def test_options_and_layers_write_too(be, x):
    """A function told to write into `out` and one told to work in place write, and are counted; so
    is what backward adds to a gradient that is there. A batch normalization in training writes into
    its buffers, which stay the same tensors.
    """
    y, leaf, layer = be.tensor(x), be.leaf(x), be.layer("BatchNorm1d", 3)
    assert be.lookup("torch:exp")(be.tensor(x), out=y) is y
    assert be.version_of(y) == 1
    assert be.lookup("torch.nn.functional:relu")(y, inplace=True) is y
    assert be.version_of(y) == 2
    be.check(y, np.exp(x))
    mean, variance = layer.running_mean, layer.running_var
    kept = updated((Jet.exact(np.zeros(3)), Jet.exact(np.ones(3))), Jet.exact(x), 0.1)
    for training in (True, False):
        layer.train(training)(leaf)
        assert layer.running_mean is mean
        assert layer.running_var is variance
        for found, true in zip((mean, variance), kept, strict=True):
            be.check(found, true.total)
    be.backward(leaf * leaf, x)
    before = be.version_of(be.grad(leaf))
    be.backward(leaf * leaf, x)
    assert be.version_of(be.grad(leaf)) == before + 1


@claim(
    "INP-64",
    about="detach",
    needs="backward inplace views detach data add_ t_ squeeze_ unsqueeze_",
)
@given(x=arrays(shape=(2, 3), layouts=DENSE), order=permutations(("add_", "t_", "axis", "data")))
def test_a_name_sees_all_and_an_alias_sees_data(be, x, order):
    """A second name of a tensor sees whatever happens to it; a view and a detached alias see writes
    to the memory they share, but neither a new shape nor that .data moved elsewhere, and a detached
    alias does not see that the tensor requires grad.
    """
    tensor = name = be.tensor(x)
    view, alias = tensor[...], be.detach(tensor)
    seen, shared = x, x
    for change in order:
        if change == "add_":
            be.add_(tensor, 1)
            seen, shared = seen + 1, shared + ("data" not in order[: order.index("add_")])
        elif change == "t_":
            be.t_(tensor)
            seen = seen.T
        elif change == "axis":
            assert be.unsqueeze_(tensor, 0) is tensor
            be.check(name, seen[None])
            be.squeeze_(tensor)
        else:
            be.set_data(tensor, be.tensor(4 * seen))
            seen = 4 * seen
        be.check(name, seen)
        be.check(view, shared)
        be.check(alias, shared)
    be.set_requires_grad(tensor)
    assert be.requires_grad(name)
    assert not be.requires_grad(alias)


@claim("INP-56", about="t_", needs="backward inplace views version_counter t_ add_ mul_")
@given(x=arrays(shape=(2, 3), layouts=DENSE), v=arrays(shape=(3,)), w=arrays(shape=(3, 2)))
def test_transposing_in_place_moves_no_data(be, x, v, w):
    """t_ swaps the shape and the strides of its receiver and counts as a write; no memory moves,
    and a view taken earlier keeps its shape and its gradient.
    """
    leaf = be.leaf(x)
    matrix = be.mul(leaf, 1)
    row, strides = matrix[1], be.strides(matrix)
    assert be.t_(matrix) is matrix
    assert be.strides(matrix) == strides[::-1]
    assert be.version_of(matrix) == 1
    be.mul_(matrix, 2)
    be.check(matrix, 2 * x.T)
    be.check(row, 2 * x[1])
    be.backward(be.add(be.sum(be.mul(w, matrix)), be.sum(be.mul(v, row))))
    be.check(be.grad(leaf), Total.of(2 * w.T, 2 * v * [[0], [1]]))


@claim("INP-04", about="zero_", needs="backward inplace data views zero_")
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_zeroing_the_data_of_grad_zeroes_grad(be, x, w):
    """.grad.data is an alias of the very tensor in .grad, which stays there: zeroing either of them
    clears the gradient.
    """
    leaf = be.leaf(x)
    be.backward(be.mul(leaf, 2), w)
    grad = be.grad(leaf)
    assert be.shares_memory(be.zero_(be.data(grad)), grad)
    assert be.grad(leaf) is grad
    be.check(grad, np.zeros(x.shape))
    be.backward(be.mul(leaf, 2), w)
    assert be.zero_(be.grad(leaf)) is be.grad(leaf)
    be.check(be.grad(leaf), np.zeros(x.shape))


# ---- operands ------------------------------------------------------------------------------------


@claim("INP-54", about="mul_", needs="backward inplace mul_ add_")
@example(x=np.ones((2, 3)), y=np.array(3.0), w=np.ones((2, 3)))
@example(x=np.ones((2, 3)), y=np.arange(6.0).reshape(2, 3), w=np.ones((2, 3)))
@given(x=arrays(layouts=DENSE), y=fitting(), w=arrays())
def test_the_other_operand_is_broadcast_and_cast(be, x, y, w):
    """An in-place operation broadcasts its other operand, a constant or not, to the shape of the
    receiver and casts the result to its dtype; the operand's gradient is summed over the copies.
    """
    for operand in (be.leaf(y), be.tensor(y)):
        leaf = be.leaf(x)
        receiver = be.mul(leaf, 1)
        be.mul_(receiver, operand)
        be.check(receiver, x * y)
        be.backward(receiver, w)
        be.check(be.grad(leaf), w * y)
        if be.requires_grad(operand):
            be.check(be.grad(operand), Total.onto(w * x, y.shape))
    be.check(be.add_(be.tensor(x), be.tensor(np.array(2))), x + 2)


@claim("INP-55", about="copy_ fill_", needs="backward inplace copy_ fill_")
@example(x=np.zeros(2), y=np.array([1.75, -1.75]), w=np.ones(2))
@given(x=arrays(layouts=DENSE), y=fitting(), w=arrays())
def test_copying_casts_broadcasts_and_redirects_the_gradient(be, x, y, w):
    """x.copy_(y) gives x the values of y, broadcast to its shape and cast to its dtype, x.fill_(y)
    the one value of a y without axes; from then on the gradient goes to y, and none to what x was.
    """
    for write, values in ((be.copy_, y), (be.fill_, np.array(y.flat[0] if y.size else 0.5))):
        old, source = be.leaf(x), be.leaf(values)
        receiver = be.mul(old, 1)
        assert write(receiver, source) is receiver
        be.check(receiver, np.broadcast_to(values, x.shape))
        be.backward(be.add(receiver, old), w)
        be.check(be.grad(source), Total.onto(w, values.shape))
        be.check(be.grad(old), w)
    whole = be.tensor(np.zeros(x.shape, np.int64))
    be.check(be.copy_(whole, be.tensor(y)), np.broadcast_to(y.astype(int), x.shape))


@claim("INP-700", about="copy_", needs="gradients inplace cast copy_")
@every(dtype=("float32", "float64"))
@given(x=arrays(layouts=DENSE), w=arrays())
def test_copying_from_another_dtype_passes_the_gradient_on(be, x, w, dtype):
    """x.copy_(y) of a y in another floating dtype gives y its gradient, in the dtype of y."""
    source = be.cast(be.leaf(x), dtype)
    receiver = be.copy_(be.tensor(np.zeros(x.shape)), source)
    be.check(receiver, x)
    (gradient,) = be.gradients(receiver, [source], w)
    assert be.dtype_of(gradient) == dtype
    be.check(be.cast(gradient, be.dtype), w)


@workload
def add_into(be, leaf):
    """Add a tensor to a copy of it four times, in place."""
    y = be.mul(leaf, 1)
    for _ in range(4):
        be.add_(y, leaf)
    return y


@claim("INP-02", about="add_", needs="inplace views add_ copy_ expand t", level="contract")
@given(x=arrays(layouts=DENSE), y=enlarging())
def test_a_write_that_does_not_fit_is_refused(be, x, y):
    """Arithmetic in place or copy_ is refused and writes nothing if its operands do not broadcast,
    or to more than the receiver, if the dtype of the result does not cast to the receiver's, if of
    one piece of memory it reads what it writes in part or in another order, or if its receiver
    repeats a place by a stride of 0.
    """
    receiver, row, square = be.tensor(x), be.tensor(np.arange(3.0)), be.tensor(np.eye(2))
    whole = be.tensor(np.zeros(x.shape, int))
    for write in (be.add_, be.copy_):
        with be.raises(ErrorKind.INPLACE_SHAPE):
            write(receiver, y)
        for size in (2, 4):
            with be.raises(ErrorKind.SHAPE, ErrorKind.INPLACE_SHAPE):
                write(row, be.tensor(np.ones(size)))
        with be.raises(ErrorKind.OVERLAPPING_WRITE):
            write(be.expand(row, 2, 3), be.tensor(np.ones((2, 3))))
    with be.raises(ErrorKind.INPLACE_DTYPE):
        be.add_(whole, 0.5)
    with be.raises(ErrorKind.OVERLAPPING_WRITE):
        be.add_(row[1:], row[:-1])
    with be.raises(ErrorKind.OVERLAPPING_WRITE):
        be.add_(square, be.t(square))
    be.check(receiver, x)
    be.check(whole, np.zeros(x.shape, int))
    be.check(row, np.arange(3.0))


@claim("INP-770", about="lookup", needs="inplace torch", level="contract")
@example(name="masked_scatter_", n=2, later=1, seed=0)
@every(name=list(READING))
@given(n=integers(2, 40), later=integers(1, 39), seed=integers(0, 2**16))
def test_what_reads_what_it_writes_has_read_it_before(be, name, n, later, seed):
    """A function in place that reads a tensor which begins some entries before or after its
    receiver, in the same memory, writes what it would beside a copy, or refuses before it writes.
    """
    function = be.lookup(f"torch:Tensor.{name}")
    numbers, rest = written_later(READING[name], n, later, seed)
    for turned in (False, True):
        memory = be.tensor(numbers)
        before = be.numpy(memory).copy()
        parts = memory[-n:], memory[:n]
        written, read = parts[::-1] if turned else parts
        want = function(written.clone(), *rest(be, read.clone()))
        try:
            function(written, *rest(be, read))
        except RuntimeError:
            be.same(memory, before, name)
        else:
            be.same(written, want, name)


@claim("INP-850", about="lookup", needs="inplace no_grad mul torch", level="contract")
@every(name=list(UNRECORDED))
@given(x=arrays("row", shape=(3,), layouts=DENSE), recording=booleans(), inner=booleans())
def test_what_no_graph_can_record_refuses_what_requires_grad(be, name, x, recording, inner):
    """A function of Python that is called for each entry writes what it returns, and resize_ has
    the size that it is told; of tensors that require grad, leaves or not, they are refused and
    write nothing, also under no_grad.
    """
    # Entries are handed to functions on the host alone.
    method, (write, true) = be.lookup(f"torch:Tensor.{name}"), UNRECORDED[name]
    free = be.tensor(x.copy()).cpu()
    be.same(write(method, free), true(be.numpy(be.tensor(x))))
    leaf = be.leaf(x).cpu()
    bound = be.mul(leaf, 1) if inner else leaf
    with be.enable_grad() if recording else be.no_grad(), pytest.raises(RuntimeError, match="grad"):
        write(method, bound)
    be.check(bound, x)
