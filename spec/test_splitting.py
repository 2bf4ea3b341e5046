"""Splitting: one tensor becomes several."""

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import integers, lists
from gradspec.conformance.strategies.rearrangements import Line, lines

ELEVEN = Line(np.arange(11.0), np.arange(11.0), 0, 1)

# ---- pieces of a given size ----------------------------------------------------------------------


@workload
def paired(be, leaf):
    """The product of the two halves of a tensor, entry by entry."""
    left, right = be.split(leaf, leaf.shape[0] // 2)
    return left * right


@claim("OPS-64", about="split", needs="vjp split cat")
@example(line=ELEVEN, size=4, cuts=[1, 5])
@given(line=lines(), size=integers(1, 12), cuts=lists(integers(0, 12), max_size=3))
def test_split_takes_sizes(be, line, size, cuts):
    """split(x, size) cuts pieces of that size, the last one smaller if need be; given sizes that
    add up to the axis, it cuts just those. cat undoes it, and so does the gradient.
    """
    ends = sorted(min(cut, line.size) for cut in cuts)
    sizes = np.diff([0, *ends, line.size]).tolist()
    for given_, places in ((size, range(size, line.size, size)), (sizes, ends)):
        pieces = be.split(be.tensor(line.x), given_, line.dim)
        for piece, want in zip(pieces, np.split(line.x, places, line.dim), strict=True):
            be.check(piece, want)
        again, pull = be.vjp(
            lambda x, given_=given_: be.cat(be.split(x, given_, line.dim), line.dim), line.x
        )
        be.check(again, line.x)
        be.check(pull(line.w)[0], line.w)
    be.check(paired(be, be.tensor([2.0, 3.0, 4.0, 5.0])), [8.0, 15.0])
    for wrong in ([*sizes, 1], [line.size + 1, -1], -1):
        with be.raises(ErrorKind.SHAPE):
            be.split(be.tensor(line.x), wrong, line.dim)


@claim("OPS-118", about="split", needs="split torch", level="contract")
@given(line=lines())
def test_only_nothing_is_cut_into_pieces_of_nothing(be, line):
    """A size of 0 is refused by split unless the axis has no entries: then one piece comes out."""
    if line.size:
        with be.raises(ErrorKind.SHAPE):
            be.split(be.tensor(line.x), 0, line.dim)
    be.check(*be.split(be.tensor(np.zeros((2, 0))), 0, 1), np.zeros((2, 0)))


@claim("OPS-63", about="chunk", needs="vjp views chunk cat split")
@example(line=ELEVEN, n=6)
@example(line=Line(np.arange(5.0), np.ones(5), 0, 1), n=4)
@example(line=Line(np.zeros(0), np.zeros(0), 0, 1), n=3)
@given(line=lines(), n=integers(1, 14))
def test_chunk_gives_at_most_as_many_pieces_as_asked(be, line, n):
    """chunk cuts L entries into pieces of the size L / n rounded up, as split does, which may be
    fewer than n; of no entries there are n pieces. All are views, as those of split are.
    """
    size = -(-line.size // n)
    ends = [*range(size, line.size, size)] if size else [0] * (n - 1)
    source = be.tensor(line.x)
    pieces = be.chunk(source, n, line.dim)
    for piece, want in zip(pieces, np.split(line.x, ends, line.dim), strict=True):
        be.check(piece, want)
    for piece in (*pieces, *be.split(source, max(1, size), line.dim)):
        assert be.shares_memory(piece, source) or line.x.size == 0
    again, pull = be.vjp(lambda x: be.cat(be.chunk(x, n, line.dim), line.dim), line.x)
    be.check(again, line.x)
    be.check(pull(line.w)[0], line.w)
    with be.raises(ErrorKind.SHAPE):
        be.chunk(source, 0, line.dim)


@claim(
    "GEN-292",
    about="unsafe_split unsafe_chunk unsafe_split_with_sizes",
    needs="vjp inplace mul_ cat split chunk unsafe_split unsafe_chunk unsafe_split_with_sizes",
    level="contract",
)
@given(line=lines(least=1), n=integers(1, 6), which=integers(0, 5))
def test_unsafe_pieces_may_be_written_to(be, line, n, which):
    """What unsafe_split, unsafe_chunk and unsafe_split_with_sizes cut off may be written to in
    place, each piece by itself; gradients are those of pieces of which one is multiplied, and of
    the others as they were.
    """
    size = -(-line.size // n)
    ends = [*range(size, line.size, size)]
    sizes = np.diff([0, *ends, line.size]).tolist()
    at = which % len(sizes)
    factors = np.ones(line.x.shape)
    np.split(factors, ends, line.dim)[at][...] = -2.0
    for name, how in (
        ("unsafe_split", size),
        ("unsafe_chunk", n),
        ("unsafe_split_with_sizes", sizes),
    ):

        def written(x, name=name, how=how):
            pieces = [*getattr(be, name)(x * 1, how, line.dim)]
            be.mul_(pieces[at], -2.0)
            return be.cat(pieces, line.dim)

        value, pull = be.vjp(written, line.x)
        be.check(value, line.x * factors, name)
        be.check_gradient(*pull(line.w), line.w * factors, name)


# ---- a given number of pieces --------------------------------------------------------------------


@claim("OPS-65", about="tensor_split", needs="vjp tensor_split cat")
@example(line=Line(np.arange(5.0), np.ones(5), 0, 1), n=4, places=[])
@example(line=Line(np.arange(7.0), np.ones(7), 0, 1), n=1, places=[1, 5])
@given(line=lines(), n=integers(1, 14), places=lists(integers(-14, 14), max_size=3))
def test_tensor_split_balances_its_pieces(be, line, n, places):
    """tensor_split into n gives exactly n pieces whose sizes differ by one at most, the longer ones
    first; given places, it cuts there, as slices from one place to the next do.
    """
    for cut in (n, places):
        pieces = be.tensor_split(be.tensor(line.x), cut, line.dim)
        for piece, want in zip(pieces, np.array_split(line.x, cut, line.dim), strict=True):
            be.check(piece, want)
    again, pull = be.vjp(lambda x: be.cat(be.tensor_split(x, n, line.dim), line.dim), line.x)
    be.check(again, line.x)
    be.check(pull(line.w)[0], line.w)
    with be.raises(ErrorKind.SHAPE):
        be.tensor_split(be.tensor(line.x), 0, line.dim)


# ---- along an axis by its number -----------------------------------------------------------------


@claim("OPS-67", about="hsplit", needs="hsplit", level="contract")
@example(line=Line(np.arange(12.0).reshape(2, 6), np.ones(12), 1, 3), places=[4, 1])
@example(line=Line(np.arange(12.0).reshape(2, 6), np.ones(12), 1, 3), places=[3, 9])
@given(line=lines(1, ranks=(2, 3), least=1), places=lists(integers(-14, 14), max_size=3))
def test_hsplit_cuts_columns(be, line, places):
    """hsplit cuts the second axis, or the only one of a vector, into equal parts or at places as
    slices do; parts that do not divide the axis and scalars are refused.
    """
    vector = np.arange(float(line.size))
    for x in (line.x, vector):
        for cut in (line.sections, places):
            pieces = be.hsplit(be.tensor(x), cut)
            for piece, want in zip(pieces, np.hsplit(x, cut), strict=True):
                be.check(piece, want)
        with be.raises(ErrorKind.SHAPE):
            be.hsplit(be.tensor(x), line.size + 1)
    with be.raises(ErrorKind.DIMENSION):
        be.hsplit(be.tensor(vector[0]), 1)


@claim("OPS-68", about="vsplit", needs="vsplit", level="contract")
@given(line=lines(0, ranks=(2, 3), least=1), places=lists(integers(-14, 14), max_size=3))
def test_vsplit_cuts_rows(be, line, places):
    """vsplit cuts the first axis of at least two, into equal parts or at places as slices do;
    vectors and parts that do not divide the axis are refused.
    """
    source = be.tensor(line.x)
    for cut in (line.sections, places):
        pieces = be.vsplit(source, cut)
        for piece, want in zip(pieces, np.vsplit(line.x, cut), strict=True):
            be.check(piece, want)
    with be.raises(ErrorKind.SHAPE):
        be.vsplit(source, line.size + 1)
    with be.raises(ErrorKind.DIMENSION):
        be.vsplit(be.tensor(np.arange(float(line.size))), line.sections)


@claim("OPS-66", about="dsplit", needs="dsplit", level="contract")
@given(line=lines(2, ranks=(3, 4), least=1), places=lists(integers(-14, 14), max_size=3))
def test_dsplit_cuts_the_third_axis(be, line, places):
    """dsplit cuts the third axis, be it the last one or not, into equal parts or at places as
    slices do; fewer axes and parts that do not divide it are refused.
    """
    source = be.tensor(line.x)
    for cut in (line.sections, places):
        pieces = be.dsplit(source, cut)
        for piece, want in zip(pieces, np.dsplit(line.x, cut), strict=True):
            be.check(piece, want)
    with be.raises(ErrorKind.SHAPE):
        be.dsplit(source, line.size + 1)
    with be.raises(ErrorKind.DIMENSION):
        be.dsplit(be.tensor(np.ones((1, line.size))), line.sections)
