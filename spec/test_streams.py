"""Streams: data sets that are iterated, and have no places to ask for."""

import pytest

from gradspec.conformance import ErrorKind, claim, given
from gradspec.conformance.strategies import arrays, booleans, integers
from gradspec.conformance.strategies.datasets import stream

NO_WORKLOAD = "what is drawn from a stream is counted in the chapter on data loading"


@claim("DAT-280", about="loader", needs="datasets torch", level="contract")
@given(x=arrays(min_dims=1), size=integers(1, 5), drop=booleans(), counted=booleans())
def test_a_stream_is_cut_into_batches(be, x, size, drop, counted):
    """A loader of a stream makes batches of what it yields, in this order, and iterates it anew by
    each pass. It has a length if the stream has one.
    """
    data = stream(be, x, counted=counted)
    loader = be.loader(data, batch_size=size, drop_last=drop)
    ends = range(0, len(x) - drop * (len(x) % size), size)
    for passes in (1, 2):
        with be.fork_random():
            batches = list(loader)
        assert len(batches) == len(ends)
        for got, start in zip(batches, ends, strict=True):
            be.same(got, x[start : start + size].astype(be.dtype))
        assert data.passes == passes
    with be.fork_random():
        rows = list(be.loader(data, batch_size=None))
    for got, row in zip(rows, x, strict=True):
        be.same(got, row.astype(be.dtype))
    if counted:
        assert len(loader) == len(ends)
    else:
        with pytest.raises(TypeError):
            len(loader)


@claim("DAT-281", about="loader", needs="datasets torch", level="contract")
@given(n=integers(0, 6))
def test_a_stream_has_an_order_of_its_own(be, n):
    """A loader of a stream takes no sampler, neither of items nor of batches, and does not shuffle,
    while shuffle=False is no wish.
    """
    data = stream(be, range(n), counted=True)
    for options in ({"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}):
        with be.raises(ErrorKind.ARGUMENT):
            be.loader(data, **options)
    with be.fork_random():
        got = list(be.loader(data, shuffle=False))
    assert [float(batch) for batch in got] == list(range(n))


@claim("DAT-282", about="lookup", needs="datasets torch", level="contract")
@given(x=arrays(min_dims=1), parts=integers(1, 3), size=integers(1, 4))
def test_streams_follow_each_other(be, x, parts, size):
    """A chain of streams yields what each does, one after the other, and a sum of two is one. Its
    length is the sum of theirs, and batches do not end where a stream does.
    """
    streams = [stream(be, x + n, counted=True) for n in range(parts)]
    whole = be.lookup("torch.utils.data:ChainDataset")(streams)
    with be.fork_random():
        got = [row for batch in be.loader(whole, batch_size=size) for row in batch]
    want = [row + n for n in range(parts) for row in x]
    for each, row in zip(got, want, strict=True):
        be.same(each, row.astype(be.dtype))
    assert len(whole) == len(want)
    for each, row in zip(streams[0] + streams[-1], [*x, *(x + parts - 1)], strict=True):
        be.same(each, row.astype(be.dtype))
