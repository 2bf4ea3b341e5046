"""Sequences: items of several lengths in one tensor."""

import numpy as np
import pytest

from gradspec.conformance import claim, example, given
from gradspec.conformance.strategies import arrays, booleans, integers, lists, sampled_from

NO_WORKLOAD = "recurrent layers, which take such sequences, are at work in the chapter on layers"

LENGTHS = lists(integers(1, 4), min_size=1, max_size=5)


@claim("NNM-289", about="lookup", needs="backward nn torch", level="contract")
@given(
    lengths=LENGTHS,
    x=arrays(shape=(5, 4, 2)),
    w=arrays("cotangent", shape=(5, 4, 2)),
    first=booleans(),
    side=sampled_from(["right", "left"]),
    fill=sampled_from([0.0, -1.5]),
)
def test_sequences_are_padded_to_the_longest(be, lengths, x, w, first, side, fill):
    """pad_sequence puts sequences of several lengths side by side, each with padding at its end, or
    at its beginning, up to the longest. Padding has no gradient, and unpad_sequence takes that of
    the ends away, with the gradients of what is left.
    """
    place, longest = "torch.nn.utils.rnn", max(lengths)
    rows = [be.leaf(x[n, :length]) for n, length in enumerate(lengths)]
    parts = [
        (n, slice(longest - length, None) if side == "left" else slice(length))
        for n, length in enumerate(lengths)
    ]
    expected = np.full((len(lengths), longest, 2), fill)
    for n, part in parts:
        expected[n, part] = x[n, : lengths[n]]
    w = w[: len(lengths), :longest]
    padded = be.lookup(f"{place}:pad_sequence")(rows, first, fill, side)
    be.check(padded, expected if first else expected.swapaxes(0, 1))
    cotangent = be.tensor(w if first else w.swapaxes(0, 1))
    found = be.gradients(padded, rows, cotangent, retain_graph=True)
    for gradient, (n, part) in zip(found, parts, strict=True):
        be.check(gradient, w[n, part])
    if side == "right":
        got = be.lookup(f"{place}:unpad_sequence")(padded, be.tensor(np.array(lengths)), first)
        cotangents = [be.tensor(w[n, part].copy()) for n, part in parts]
        pulled = be.gradients(got, rows, cotangents)
        for each, row, gradient, (n, part) in zip(got, rows, pulled, parts, strict=True):
            be.same(each, row)
            be.check(gradient, w[n, part])


@claim("NNM-290", about="lookup", needs="backward nn torch", level="contract")
@given(
    lengths=LENGTHS,
    x=arrays(shape=(5, 4, 2)),
    w=arrays("cotangent", shape=(5, 6, 2)),
    first=booleans(),
    fill=sampled_from([0.0, -1.5]),
    more=integers(0, 2),
)
def test_sequences_are_packed_step_by_step(be, lengths, x, w, first, fill, more):
    """A packed sequence holds the first step of all sequences, the longest of them first, then the
    second step of those that have one, and so on. It can be padded up to any length, and packed
    from there, or taken apart again, in the order in which the sequences came.
    """
    place, total = "torch.nn.utils.rnn", max(lengths) + more
    rows = [be.leaf(x[n, :length]) for n, length in enumerate(lengths)]
    packed = be.lookup(f"{place}:pack_sequence")(rows, enforce_sorted=False)
    order = be.numpy(packed.sorted_indices).tolist()
    assert sorted(lengths, reverse=True) == [lengths[n] for n in order]
    steps = [[n for n in order if lengths[n] > step] for step in range(max(lengths))]
    assert be.numpy(packed.batch_sizes).tolist() == [len(step) for step in steps]
    be.check(packed.data, np.stack([x[n, at] for at, step in enumerate(steps) for n in step]))
    for each, row in zip(be.lookup(f"{place}:unpack_sequence")(packed), rows, strict=True):
        be.same(each, row)
    padded, sizes = be.lookup(f"{place}:pad_packed_sequence")(packed, first, fill, total)
    expected = np.full((len(lengths), total, 2), fill)
    for n, length in enumerate(lengths):
        expected[n, :length] = x[n, :length]
    be.check(padded, expected if first else expected.swapaxes(0, 1))
    assert be.numpy(sizes).tolist() == lengths
    pack = be.lookup(f"{place}:pack_padded_sequence")
    again = pack(padded, sizes, batch_first=first, enforce_sorted=False)
    be.same(be.lookup(f"{place}:pad_packed_sequence")(again, first, fill, total)[0], padded)
    w = w[: len(lengths), :total]
    found = be.gradients(padded, rows, be.tensor(w if first else w.swapaxes(0, 1)))
    for gradient, row, length in zip(found, w, lengths, strict=True):
        be.check(gradient, row[:length])


@claim("NNM-853", about="lookup", needs="nn torch", level="contract", widest=True)
@given(count=integers(1, 5), step=integers(0, 3))
def test_each_sequence_has_a_length(be, count, step):
    """pack_padded_sequence, told to put sequences in order, packs as many as it is told lengths of,
    and refuses a batch of more.
    """
    pack = be.lookup("torch.nn.utils.rnn:pack_padded_sequence")
    lengths = [1 + n * step % 4 for n in range(count)]
    packed = pack(be.tensor(np.ones((4, count, 2))), lengths, enforce_sorted=False)
    assert be.shape(packed.data) == (sum(lengths), 2)
    with pytest.raises(RuntimeError, match="batch_size"):
        pack(be.tensor(np.ones((4, count + 1, 2))), lengths, enforce_sorted=False)


@claim("NNM-402", about="layer", needs="nn no_grad torch", level="contract")
@example(lengths=[1, 3, 2], seed=0, both=True)
@given(lengths=LENGTHS, seed=integers(0, 2**32), both=booleans())
def test_a_packed_sequence_has_its_own_state(be, lengths, seed, both):
    """A recurrent layer gives each of several sequences that are packed, in any order, what it
    gives that one alone, from its own first state on to its own last one.
    """
    rng, place = np.random.default_rng(seed), "torch.nn.utils.rnn"

    def drawn(*shape):
        return be.tensor(rng.integers(-2, 3, shape).astype(float))

    options = {"nonlinearity": "relu", "batch_first": True, "bidirectional": both}
    layer = be.layer("RNN", 2, 3, **options)
    with be.no_grad():
        for parameter in layer.parameters():
            be.copy_(parameter, drawn(*be.shape(parameter)))
    rows, states = [drawn(length, 2) for length in lengths], drawn(1 + both, len(lengths), 3)
    packed = be.lookup(f"{place}:pack_sequence")(rows, enforce_sorted=False)
    with be.full_precision():
        results, lasts = layer(packed, states)
        singly = [layer(row[None], states[:, n : n + 1]) for n, row in enumerate(rows)]
    parts = be.lookup(f"{place}:unpack_sequence")(results)
    for n, (part, (alone, last)) in enumerate(zip(parts, singly, strict=True)):
        be.same(part, alone[0])
        be.same(lasts[:, n], last[:, 0])
