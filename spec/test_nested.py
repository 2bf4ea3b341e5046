"""Nested tensors: rows of different lengths, each differentiated as it is by itself."""

import numpy as np

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import integers, lists, sampled_from
from gradspec.conformance.strategies.nested import (
    ROWWISE,
    WHOLE,
    WIDTH,
    borders,
    check_alike,
    jagged,
    values,
)

NO_WORKLOAD = "operations on one row have workloads of their own"


# ---- rows ----------------------------------------------------------------------------------------


@claim("TEN-320", about="lookup", needs="gradients torch", level="contract")
@every(name=list(ROWWISE))
@given(
    lengths=lists(integers(0, 3), min_size=1, max_size=4),
    seed=integers(0, 2**32),
)
def test_rows_are_computed_one_by_one(be, lengths, name, seed):
    """An operation that makes a row of each row has, for a nested tensor, the values and gradients
    that it has for the rows, in their order; it keeps their lengths.
    """
    function, starts = ROWWISE[name], borders(lengths)
    entries = values(seed, starts[-1])
    whole, apart = be.leaf(entries), [be.leaf(row) for row in np.split(entries, starts[1:-1])]
    made = function(be, jagged(be, whole, starts))
    assert [len(be.numpy(row)) for row in made.unbind()] == lengths
    be.same(be.cat(made.unbind(), 0), made.values())
    rows = [function(be, row) for row in apart]
    check_alike(be, made.values(), be.cat(rows, 0), (whole, apart), seed)


@claim("TEN-321", about="lookup", needs="gradients torch", level="contract")
@given(lengths=lists(integers(1, 3), min_size=1, max_size=4), seed=integers(0, 2**32))
def test_shares_are_those_of_their_row(be, lengths, seed):
    """Along the axis of different lengths softmax has, for a nested tensor, the values and
    gradients that it has for the rows.
    """
    starts = borders(lengths)
    entries = values(seed, starts[-1])
    whole, apart = be.leaf(entries), [be.leaf(row) for row in np.split(entries, starts[1:-1])]
    shares = be.softmax(jagged(be, whole, starts), 1).values()
    rows = [be.softmax(row, 0) for row in apart]
    check_alike(be, shares, be.cat(rows, 0), (whole, apart), seed)


@claim("TEN-322", about="lookup", needs="backward torch", level="contract")
@every(told=("nothing", "the longest", "a size"))
@given(lengths=lists(integers(1, 3), min_size=1, max_size=4), seed=integers(0, 2**32))
def test_padding_makes_rows_equally_long(be, lengths, seed, told):
    """to_padded_tensor fills rows up to the longest of them, or to a size that is told; what fills
    them takes no part in the gradient.
    """
    starts, size = borders(lengths), max(lengths) + (told == "a size")
    entries = values(seed, starts[-1])
    leaf, w = be.leaf(entries), values(seed, len(lengths) * size)
    known = {"min_seqlen": min(lengths), "max_seqlen": max(lengths)}
    nested = jagged(be, leaf, starts, **known if told == "the longest" else {})
    shape = (len(lengths), size, WIDTH)
    asked = {"output_size": shape if told == "a size" else None}
    filled = nested.to_padded_tensor(7.0, **asked)
    be.same(be.lookup("torch.nested:to_padded_tensor")(nested, 7.0, **asked), filled)
    want, there = np.full(shape, 7.0), np.arange(size) < np.array(lengths)[:, None]
    want[there] = entries
    be.check(filled, want)
    be.backward(filled, w.reshape(shape))
    be.check(be.grad(leaf), w.reshape(shape)[there])


@claim("TEN-323", about="lookup", needs="gradients torch", level="contract")
@given(lengths=lists(integers(1, 3), min_size=1, max_size=4), seed=integers(0, 2**32))
def test_a_nested_tensor_is_made_of_its_rows(be, lengths, seed):
    """as_nested_tensor records the rows that it is made of, each of which has its gradient;
    nested_tensor copies them, and is a leaf whose own gradient is nested like it.
    """
    starts, layout = borders(lengths), be.lookup("torch:jagged")
    entries = values(seed, starts[-1])
    leaves = [be.leaf(row) for row in np.split(entries, starts[1:-1])]
    nested = be.lookup("torch.nested:as_nested_tensor")(leaves, layout=layout)
    assert not be.is_leaf(nested)
    for leaf, found in zip(leaves, be.gradients((nested * nested).sum(), leaves), strict=True):
        be.check(found, 2 * be.numpy(leaf).astype(float))
    copied = be.lookup("torch.nested:nested_tensor")(leaves, layout=layout, requires_grad=True)
    assert be.is_leaf(copied)
    (found,) = be.gradients((copied * copied).sum(), [copied])
    assert found.is_nested
    assert be.gradients((copied * 2).sum(), leaves, allow_unused=True) == (None,) * len(leaves)
    for gradient, row in zip(found.unbind(), leaves, strict=True):
        be.check(gradient, 2 * be.numpy(row).astype(float))


@claim("TEN-520", about="lookup", needs="gradients torch", level="contract")
@given(lengths=lists(integers(1, 3), min_size=1, max_size=4), seed=integers(0, 2**32))
def test_rows_of_a_nested_tensor_are_taken_apart(be, lengths, seed):
    """unbind takes a nested tensor apart into its rows, each of which passes its cotangent back to
    the entries that it has.
    """
    starts = borders(lengths)
    entries, w = values(seed, starts[-1]), values(seed + 1, starts[-1])
    leaf = be.leaf(entries)
    rows = jagged(be, leaf, starts).unbind()
    weights = np.split(w, starts[1:-1])
    for row, part in zip(rows, np.split(entries, starts[1:-1]), strict=True):
        be.check(row, part)
    total = sum(be.sum(be.mul(row, each)) for row, each in zip(rows, weights, strict=True))
    be.check(be.gradients(total, [leaf])[0], w)


# ---- all entries ---------------------------------------------------------------------------------


@claim("TEN-324", about="lookup", needs="gradients torch", level="contract")
@given(
    lengths=lists(integers(1, 3), min_size=1, max_size=4),
    name=sampled_from(list(WHOLE)),
    seed=integers(0, 2**32),
)
def test_all_entries_count_alike(be, lengths, name, seed):
    """The sum, the mean and the largest of all entries of a nested tensor, and their gradients, are
    those of its rows joined.
    """
    starts = borders(lengths)
    entries = values(seed, starts[-1])
    whole, apart = be.leaf(entries), [be.leaf(row) for row in np.split(entries, starts[1:-1])]
    made, want = WHOLE[name](jagged(be, whole, starts)), WHOLE[name](be.cat(apart, 0))
    check_alike(be, made, want, (whole, apart), seed)


@claim("TEN-325", about="lookup", needs="gradients torch", level="contract")
@given(
    lengths=lists(integers(1, 3), min_size=1, max_size=4),
    gap=integers(1, 2),
    name=sampled_from(list(WHOLE)),
    seed=integers(0, 2**32),
)
def test_what_lies_between_rows_does_not_count(be, lengths, gap, name, seed):
    """Where rows are told to end before the next one begins, what lies between them is in no row,
    and has no part in the sum, the mean or the largest of all entries.
    """
    starts = borders([length + gap for length in lengths])
    entries = values(seed, starts[-1])
    whole, twin = be.leaf(entries), be.leaf(entries)
    nested = jagged(be, whole, starts, lengths=lengths)
    rows = [twin[n : n + length] for n, length in zip(starts, lengths, strict=False)]
    for got, want in zip(nested.unbind(), rows, strict=True):
        be.same(got, want, "row")
    made, want = WHOLE[name](nested), WHOLE[name](be.cat(rows, 0))
    check_alike(be, made, want, (whole, [twin]), seed)


@claim("TEN-326", about="lookup", needs="gradients torch", level="contract")
@example(starts=[0, 2], lengths=[4, 1])
@given(
    starts=lists(integers(0, 3), min_size=3, max_size=3),
    lengths=lists(integers(1, 4), min_size=3, max_size=3),
)
def test_a_part_of_each_row_is_selected(be, starts, lengths):
    """narrow selects from each row of a tensor so many entries from where it is told to begin; what
    it does not select has a gradient of zero.
    """
    lengths = [min(n, 4 - start) for n, start in zip(lengths, starts, strict=True)]
    entries = values(len(starts), 4 * len(starts)).reshape(len(starts), 4, WIDTH)
    leaf, slope = be.leaf(entries), 0 * entries
    told = [be.from_data(each, dtype="int64") for each in (starts, lengths)]
    nested = be.lookup("torch.nested:narrow")(leaf, 1, *told, layout=be.lookup("torch:jagged"))
    rows = nested.unbind()
    for n, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        be.same(rows[n], be.detach(leaf)[n, start : start + length])
        slope[n, start : start + length] = n + 1
    total = sum(row.sum() * (n + 1) for n, row in enumerate(rows))
    be.check_gradient(be.gradients(total, [leaf])[0], slope)


@claim("TEN-540", about="lookup", needs="gradients torch", level="contract")
@example(starts=[0, 1, 0], lengths=[2, 3, 1])
@given(
    starts=lists(integers(0, 3), min_size=3, max_size=3),
    lengths=lists(integers(1, 4), min_size=3, max_size=3),
)
def test_selected_rows_are_copied(be, starts, lengths):
    """contiguous copies the rows that narrow selects to one place; what is computed of the copy
    has a gradient for what was selected, and zero for the rest.
    """
    lengths = [min(n, 4 - start) for n, start in zip(lengths, starts, strict=True)]
    entries = values(3, 12).reshape(3, 4, WIDTH)
    leaf, slope = be.leaf(entries), 0 * entries
    told = [be.from_data(each, dtype="int64") for each in (starts, lengths)]
    narrow, layout = be.lookup("torch.nested:narrow"), be.lookup("torch:jagged")
    rows = narrow(leaf, 1, *told, layout=layout).contiguous().values()
    selected = [row[n : n + k] for row, n, k in zip(entries, starts, lengths, strict=True)]
    be.check(rows, np.concatenate(selected))
    for row, n, k in zip(slope, starts, lengths, strict=True):
        row[n : n + k] = 3
    be.check_gradient(be.gradients((3 * rows).sum(), [leaf])[0], slope)
