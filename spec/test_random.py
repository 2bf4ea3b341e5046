"""Random numbers: support and distribution."""

from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.random_numbers import (
    DRAWS,
    LINES,
    check_draws,
    check_moments,
    coin,
    discrete,
    integers_below,
    ks_ratio,
    normal,
    seeds,
    uniform,
)

FLOATING = ("float32", "float64", "float16", "bfloat16")
INTEGRAL = ("int64", "int32", "int16", "int8", "uint8")
INITIALIZERS = (
    "uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "xavier_normal_",
    "kaiming_uniform_", "kaiming_normal_", "orthogonal_",
)  # fmt: skip

# ---- distributions -------------------------------------------------------------------------------


@claim("RND-01", "RND-51", about="rand", needs="backward random rand torch", level="contract")
@example(dtypes=FLOATING, shapes=((5, 3), (0,), (2, 0, 3), [4]))
def test_rand_is_uniform(be, dtypes, shapes):
    """rand draws from the half-open unit interval, all parts of it alike down to its ends and 1
    excepted, each number independently, in the shape and the floating dtype asked for, the default
    dtype if none is, without grad; in float64 hardly a number comes twice. Integers are refused.
    """
    with be.fork_random():
        be.manual_seed(0)
        for dtype in dtypes:
            with be.defaults(dtype=dtype):
                first, second = be.rand(LINES), be.rand(LINES, dtype=dtype)
            assert (be.dtype_of(first), be.requires_grad(first)) == (dtype, False)
            many = [be.numpy(each) for each in (first, second)]
            assert 0 <= np.min(many) < 1e-3
            assert 1 - 5e-3 < np.max(many) < 1
            check_draws(many, uniform())
            assert dtype != "float64" or np.unique(many).size > np.size(many) - 4
        assert be.numpy(be.rand(())).shape == ()
        for shape in shapes:
            assert be.numpy(be.rand(shape)).shape == be.numpy(be.rand(*shape)).shape == (*shape,)
        for dtype in INTEGRAL:
            with be.raises(ErrorKind.DTYPE):
                be.rand(2, dtype=dtype)


@claim("RND-520", about="lookup", needs="random inplace torch", level="contract")
@given(
    name=sampled_from(
        ["dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d", "dropout3d"]
    ),
    p=sampled_from([0.5, 0.0, 0.25]),
    training=booleans(),
    seed=seeds(),
)
def test_entries_are_dropped_in_place(be, name, p, training, seed):
    """Each kind of dropout that is told to work in place writes over what it is given and returns
    it, with the values that it has otherwise by the same seed; those for features keep each
    channel or drop it as a whole.
    """
    drop = be.lookup(f"torch.nn.functional:{name}")
    shape = {"dropout1d": (4, 4, 3), "dropout2d": (2, 4, 3, 2)}.get(name, (2, 2, 3, 2, 2))
    values = np.arange(1.0, 49.0).reshape(shape)
    source, other = be.tensor(values), be.tensor(values)
    with be.fork_random():
        be.manual_seed(seed)
        apart = drop(source, p, training)
        be.same(source, be.tensor(values))
        be.manual_seed(seed)
        assert drop(other, p, training, inplace=True) is other
    be.same(other, apart)
    if name not in {"dropout", "alpha_dropout"}:
        steps = np.diff(be.numpy(apart).astype(np.float64).reshape(*shape[:2], -1))
        assert np.ptp(steps, axis=-1).max() < 1e-4


@claim("RND-02", "RND-52", about="randn", needs="backward random randn torch", level="contract")
@example(dtypes=FLOATING, shapes=((5, 3), (0,), (2, 0, 3), [4]))
def test_randn_is_standard_normal(be, dtypes, shapes):
    """randn draws from the normal distribution with mean 0 and variance 1, whose tails have no end,
    each number independently, in the shape and the floating dtype asked for, the default dtype if
    none is, without grad; integers are refused.
    """
    with be.fork_random():
        be.manual_seed(0)
        for dtype in dtypes:
            with be.defaults(dtype=dtype):
                first, second = be.randn(LINES), be.randn(LINES, dtype=dtype)
            assert (be.dtype_of(first), be.requires_grad(first)) == (dtype, False)
            many = [be.numpy(each) for each in (first, second)]
            # Of so many numbers none is larger with probability 2e-12, one beyond 8 with 5e-11.
            assert 3.4 < np.abs(many).max() < 8
            check_draws(many, normal())
        check_moments(be.numpy(be.randn(50 * DRAWS, dtype=be.dtype)), normal())
        assert be.numpy(be.randn(())).shape == ()
        for shape in shapes:
            assert be.numpy(be.randn(shape)).shape == be.numpy(be.randn(*shape)).shape == (*shape,)
        for dtype in INTEGRAL:
            with be.raises(ErrorKind.DTYPE):
                be.randn(2, dtype=dtype)


@claim("RND-53", about="randint", needs="random randint", level="contract")
@example(ranges=((3, 10), (0, 2), (-9, -5), (-4, 3), (0, 1)), shapes=((2, 2), (), (0,), (2, 1, 3)))
def test_randint_is_half_open(be, ranges, shapes):
    """randint draws from low, 0 unless given, to high - 1, all integers alike and independently, in
    the shape asked for, a tuple or a list, as int64 or in the dtype asked for. An empty range, one
    beyond the dtype, and a size that is a bare number are refused.
    """
    with be.fork_random():
        be.manual_seed(0)
        for shape in shapes:
            for sizes in (shape, [*shape]):
                assert be.numpy(be.randint(0, 5, sizes)).shape == shape
        for low, high in ranges:
            many = [be.randint(low, high, LINES), be.randint(low, high, LINES)]
            assert be.dtype_of(many[0]) == "int64"
            check_draws([be.numpy(each) for each in many], integers_below(low, high))
            for dtype in (*INTEGRAL[:4], "float32", "float16", "bfloat16"):
                others = be.randint(low, high, (500,), dtype=dtype)
                assert be.dtype_of(others) == dtype
                assert set(be.numpy(others).tolist()) == set(range(low, high))
            assert set(be.numpy(be.randint(high - low, (500,))).tolist()) == {*range(high - low)}
            for wrong in ((low, low, (2,)), (low, low - 1, (2,)), (low, high, 3), (5, 3)):
                with be.raises(ErrorKind.ARGUMENT):
                    be.randint(*wrong)
            for dtype in ("int8", "uint8"):
                with be.raises(ErrorKind.OVERFLOW):
                    be.randint(low, 300, (2,), dtype=dtype)


@claim(
    "RND-54",
    about="rand_like randn_like randint_like",
    needs="random rand_like randn_like randint_like zeros",
    level="contract",
)
@example(dtypes=FLOATING, shapes=((5, 3), (), (0,), (2, 0, 3)))
def test_likeness_is_of_shape_and_dtype(be, dtypes, shapes):
    """What is drawn in the likeness of a tensor has its shape and its dtype, whatever its entries:
    rand_like is distributed as rand, randn_like as randn, and randint_like as randint, whole
    numbers also where the dtype is floating.
    """
    likes = (
        (be.rand_like, uniform()),
        (be.randn_like, normal()),
        (lambda x: be.randint_like(x, -2, 5), integers_below(-2, 5)),
    )
    with be.fork_random():
        be.manual_seed(0)
        for dtype, (like, distribution) in product(dtypes, likes):
            model = be.zeros(LINES, dtype=dtype)
            many = [like(model), like(like(model))]
            assert {be.dtype_of(each) for each in many} == {dtype}
            check_draws([be.numpy(each) for each in many], distribution)
            for shape in shapes:
                assert be.numpy(like(be.zeros(shape, dtype=dtype))).shape == shape
        for whole in ("int8", "int64"):
            n = be.randint_like(be.zeros(500, dtype=whole), -2, 5)
            assert be.dtype_of(n) == whole
            assert set(be.numpy(n).tolist()) == set(range(-2, 5))


@claim("RND-05", "RND-55", about="randperm", needs="random randperm", level="contract")
@example(seeds=(0,))
def test_randperm_is_a_permutation(be, seeds):
    """randperm(n) holds each of 0 to n - 1 once, as int64 unless told otherwise, with all orders
    equally likely; randperm(0) is empty, and a negative n is refused.
    """
    with be.fork_random():
        for seed in seeds:
            be.manual_seed(seed)
            for n in (*range(20), 50, 1000):
                order = be.randperm(n)
                assert be.dtype_of(order) == "int64"
                assert sorted(be.numpy(order)) == [*range(n)]
            assert be.dtype_of(be.randperm(3, dtype="int32")) == "int32"
            threes = np.array([be.numpy(be.randperm(3)) for _ in range(DRAWS)])
            check_draws([threes @ (3, 1, 0)], discrete((1, 2, 3, 5, 6, 7)))
            # Where a number stands says nothing of what stands next to it.
            check_draws([be.numpy(be.randperm(DRAWS)) for _ in range(2)], integers_below(0, DRAWS))
    with be.raises(ErrorKind.SHAPE):
        be.randperm(-1)


@claim("RND-56", about="bernoulli", needs="backward random bernoulli", level="contract")
@example(chances=(0.0, 0.125, 0.4, 0.5, 0.75, 1.0), shapes=((5, 3), (), (0,)))
def test_bernoulli_draws_ones_with_its_probabilities(be, chances, shapes):
    """bernoulli draws 1 with the probability given for each entry, else 0, independently, in shape
    and dtype of the probabilities, whose gradient is zero; integers are refused as probabilities.
    """
    with be.fork_random():
        be.manual_seed(0)
        for p in chances:
            many = [be.bernoulli(be.tensor(np.full(LINES, p))) for _ in range(2)]
            check_draws([be.numpy(each) for each in many], coin(p))
            assert be.dtype_of(many[0]) == be.dtype
        for shape in shapes:
            p = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2.0
            leaf = be.leaf(p)
            certain = be.bernoulli(leaf)
            be.check(certain, p)
            be.backward(certain, np.ones(shape))
            be.check(be.grad(leaf), np.zeros(shape))
        with be.raises(ErrorKind.DTYPE):
            be.bernoulli(be.tensor(np.ones(2, np.int64)))


@claim("RND-57", about="bernoulli", needs="random bernoulli index_checks", level="contract")
@given(
    p=arrays(min_size=1, layouts=DENSE),
    at=integers(0, 11),
    wrong=sampled_from([1.5, -0.1, -1.0, 2.0, np.nan, np.inf]),
)
def test_probabilities_lie_between_zero_and_one(be, p, at, wrong):
    """A probability below 0, above 1 or nan is refused, wherever it stands; nothing is clamped."""
    probabilities = np.array(np.clip(p, 0, 1))
    probabilities.flat[at % p.size] = wrong
    with be.fork_random(), be.raises(ErrorKind.ARGUMENT):
        be.bernoulli(be.tensor(probabilities))


# ---- normal numbers with mean and deviation ------------------------------------------------------


@claim("RND-03", "RND-58", about="normal", needs="random normal", level="contract")
@example(mean=np.arange(1.0, 5.0), std=np.array([1.0, 0.1, 2.0, 3.0]))
@example(mean=np.array([0.0, -7.0, 7.0, 0.5]), std=np.array([0.25, 4.0, 1.0, 1.5]))
def test_normal_has_a_mean_and_a_deviation_for_each_entry(be, mean, std):
    """normal draws each entry independently, with its own mean and standard deviation, which
    broadcast; where the deviation is 0 the mean comes out, and a negative one is refused.
    """
    with be.fork_random():
        be.manual_seed(0)
        means, deviations = be.tensor(np.broadcast_to(mean, (DRAWS // 4, 4))), be.tensor(std)
        many = [be.numpy(be.normal(means, deviations)) for _ in range(2)]
        exact = be.normal(be.tensor(mean[:, None]), be.tensor(np.zeros(2)))
        for wrong in (-std, np.where(np.arange(4) == 2, -std, std)):
            with be.raises(ErrorKind.ARGUMENT):
                be.normal(be.tensor(mean), be.tensor(wrong))
        for wrong in (np.ones(3), np.ones((2, 3))):
            with be.raises(ErrorKind.SHAPE):
                be.normal(be.tensor(mean), be.tensor(wrong))
    standard = [(each - mean) / std for each in many]
    check_draws(standard, normal())
    for column in np.concatenate(standard).T:
        check_draws([column], normal())
    be.check(exact, np.repeat(mean[:, None], 2, axis=1))


@claim("RND-59", "RND-60", about="normal", needs="random normal", level="contract")
@example(numbers=(0.0, 2.0, -1.5), x=np.array([[0.5, -2.0, 3.0]]))
def test_normal_takes_one_number_for_all(be, numbers, x):
    """A number as mean or deviation holds for every entry. The deviation is 1 unless given, the
    mean has no default, and a negative deviation is refused.
    """
    zeros = be.tensor(np.zeros(x.shape))
    with be.fork_random():
        be.manual_seed(0)
        be.check(be.normal(be.tensor(x), 0.0), x)
        for number in numbers:
            be.check(be.normal(number, zeros), np.full(x.shape, number))
            means, deviations = be.tensor(np.full(LINES, number)), be.tensor(np.full(LINES, 2.0))
            check_draws([be.numpy(be.normal(means)) for _ in range(2)], normal(number))
            check_draws([be.numpy(be.normal(means, 3.0))], normal(number, 3.0))
            check_draws([be.numpy(be.normal(number, deviations))], normal(number, 2.0))
        for wrong in ({"mean": zeros, "std": -1.0}, {"std": zeros}):
            with be.raises(ErrorKind.ARGUMENT):
                be.normal(**wrong)


@claim("RND-61", about="normal", needs="random normal", level="contract")
@example(numbers=(0.0, 2.0, -1.5), shapes=((5, 3), (), (0,)))
def test_normal_of_two_numbers_needs_a_size(be, numbers, shapes):
    """Two numbers give a tensor only together with a size, and a size goes with nothing else."""
    one = be.tensor(np.ones(2))
    with be.fork_random():
        be.manual_seed(0)
        for number in numbers:
            many = [be.normal(number, 2.0, LINES, device=be.device) for _ in range(2)]
            check_draws([be.numpy(each) for each in many], normal(number, 2.0))
            for shape in shapes:
                constant = be.normal(number, 0.0, shape, device=be.device)
                assert np.array_equal(be.numpy(constant), np.full(shape, number))
        for wrong in ((2.0, 1.0), (2.0, -1.0, (2,)), (one, 1.0, (2,)), (2.0, one, (2,))):
            with be.raises(ErrorKind.ARGUMENT):
                be.normal(*wrong)


# ---- filling in place ----------------------------------------------------------------------------


@workload
def fill(be, leaf, low=0.0, high=1.0):
    """A tensor like the leaf, filled with uniform numbers."""
    with be.fork_random():
        be.manual_seed(0)
        return be.uniform_(be.mul(leaf, 0), low, high)


@claim("RND-62", about="uniform_", needs="backward random inplace uniform_ zeros", level="contract")
@example(
    bounds=((0.0, 1.0), (-2.0, 1.0), (0.5, 0.75), (-3.0, -1.0)), x=np.arange(6.0).reshape(2, 3).T
)
def test_uniform_fills_in_place(be, bounds, x):
    """uniform_ fills a tensor of any floating dtype with numbers of a half-open interval, all parts
    of it alike, and returns it. An empty interval gives its one end; a reversed one, integers, and
    a leaf that requires grad are refused.
    """
    filled, leaf = be.tensor(x), be.leaf(x)
    with be.fork_random():
        be.manual_seed(0)
        for low, high in bounds:
            many = [be.numpy(be.uniform_(be.zeros(LINES), low, high)) for _ in range(2)]
            check_draws(many, uniform(low, high))
            for dtype in FLOATING:
                short = be.numpy(be.uniform_(be.zeros(DRAWS, dtype=dtype), low, high))
                assert low <= short.min() <= short.max() < high
            assert be.uniform_(filled, low, high) is filled
            assert ((be.numpy(filled) >= low) & (be.numpy(filled) < high)).all()
            be.check(be.uniform_(filled, low, low), np.full(x.shape, low))
            with be.raises(ErrorKind.LEAF_INPLACE):
                be.uniform_(leaf, low, high)
            with be.raises(ErrorKind.ARGUMENT):
                be.uniform_(filled, high, low)
        with be.raises(ErrorKind.DTYPE):
            be.uniform_(be.zeros(2, dtype="int64"), 0, 5)


@claim(
    "RND-101",
    about="normal_ bernoulli_ random_ exponential_",
    needs="backward random inplace normal_ bernoulli_ random_ exponential_ zeros",
    level="contract",
)
@example(dtypes=FLOATING)
def test_draws_in_place_fill_what_they_are_given(be, dtypes):
    """normal_, bernoulli_, random_ and exponential_ overwrite a tensor of any floating dtype,
    however it lies in memory, with independent numbers of their distribution, and return it.
    """
    fills = (
        (lambda x: be.normal_(x, -1.0, 2.0), lambda z: z, normal(-1.0, 2.0)),
        (lambda x: be.bernoulli_(x, 0.25), lambda z: z, coin(0.25)),
        (lambda x: be.random_(x, -3, 9), lambda z: z, integers_below(-3, 9)),
        (lambda x: be.random_(x, 7), lambda z: z, integers_below(0, 7)),
        # Its distribution function makes of each number one that is uniform.
        (lambda x: be.exponential_(x, 2.0), lambda z: -np.expm1(-2.0 * z), uniform()),
    )
    with be.fork_random():
        be.manual_seed(0)
        for dtype, (fill, read, distribution) in product(dtypes, fills):
            found = []
            for _ in range(2):
                whole = be.zeros(2 * LINES[1], LINES[0], dtype=dtype)
                part = be.t(whole[::2])
                assert fill(part) is part
                assert not be.numpy(whole)[1::2].any()
                found.append(read(be.numpy(part).astype(float)))
            check_draws(found, distribution)


@claim(
    "INP-340",
    about="normal_ uniform_ bernoulli_ random_ exponential_",
    needs="backward random version_counter normal_ uniform_ bernoulli_ random_ exponential_",
    level="contract",
)
@given(x=arrays(layouts=DENSE), w=arrays())
def test_a_draw_in_place_is_a_write(be, x, w):
    """normal_, uniform_, bernoulli_, random_ and exponential_ raise the version of what they fill,
    and backward is refused if it needs the value that was there.
    """
    draws = ((be.normal_, 0.0, 1.0), (be.uniform_, 0.0, 1.0), (be.bernoulli_, 0.5))
    with be.fork_random():
        for draw, *options in (*draws, (be.random_, 5), (be.exponential_, 1.0)):
            filled = be.tensor(x)
            product, before = be.leaf(x) * filled, be.version_of(filled)
            draw(filled, *options)
            assert be.version_of(filled) > before
            with be.raises(ErrorKind.STALE_SAVED_VALUE):
                be.backward(product, w)


@claim(
    "RND-102",
    about="normal_ bernoulli_ random_ exponential_",
    needs="backward random inplace normal_ bernoulli_ random_ exponential_ zeros",
    level="contract",
)
@given(x=arrays(layouts=DENSE, min_size=1))
def test_draws_in_place_refuse_what_they_cannot_be(be, x):
    """A negative deviation, a probability outside 0 to 1, an empty range of integers, a rate that
    is not positive, and a leaf that requires grad are refused; tensors of integers are filled by
    bernoulli_ and random_, and refused by normal_ and exponential_.
    """
    plain, leaf, whole = be.tensor(x), be.leaf(x), be.zeros(DRAWS, dtype="int32")
    draws = ((be.normal_, 0.0, 1.0), (be.bernoulli_, 0.5), (be.random_, 5), (be.exponential_, 1.0))
    with be.fork_random():
        for wrong in (
            (be.normal_, 0.0, -1.0),
            (be.bernoulli_, 1.5),
            (be.bernoulli_, -0.5),
            (be.random_, 5, 5),
            (be.random_, 0),
            (be.exponential_, 0.0),
            (be.exponential_, -1.0),
        ):
            with be.raises(ErrorKind.ARGUMENT):
                wrong[0](plain, *wrong[1:])
        for draw, *options in draws:
            with be.raises(ErrorKind.LEAF_INPLACE):
                draw(leaf, *options)
        for draw, *options in (draws[0], draws[3]):
            with be.raises(ErrorKind.DTYPE):
                draw(whole, *options)
        assert ks_ratio(be.numpy(be.bernoulli_(whole, 0.5)), coin(0.5)) <= 1
        assert ks_ratio(be.numpy(be.random_(whole, 5)), integers_below(0, 5)) <= 1
    be.check(plain, x)


@claim("RND-103", about="multinomial", needs="random multinomial", level="contract")
@example(weights=(2.0, 0.0, 1.0, 5.0))
@example(weights=(0.5, 0.25, 0.25, 0.0))
def test_multinomial_draws_places_by_their_weights(be, weights):
    """multinomial draws places as int64, a row of them for each row of weights, each place in
    proportion to its weight: again and again with replacement, and without it each at most once,
    as if what was drawn were taken away.
    """
    chances, heaviest = np.array(weights) / sum(weights), int(np.argmax(weights))
    rows = np.array([weights, weights[::-1]])
    with be.fork_random():
        be.manual_seed(0)
        many = [be.multinomial(be.tensor(rows), DRAWS, replacement=True) for _ in range(2)]
        pairs = be.numpy(be.multinomial(be.tensor(np.tile(rows, (DRAWS, 1))), 2))
        vector = be.multinomial(be.tensor(rows[0]), 3)
    assert {be.dtype_of(each) for each in (*many, vector)} == {"int64"}
    assert sorted(be.numpy(vector)) == sorted(np.flatnonzero(weights))
    assert (pairs[:, 0] != pairs[:, 1]).all()
    for row, drawn in ((weights, 0), (weights[::-1], 1)):
        own = discrete(range(4), np.array(row) / sum(row))
        check_draws([be.numpy(each)[drawn] for each in many], own)
        check_draws([pairs[drawn::2, 0]], own)
    rest = np.where(np.arange(4) == heaviest, 0.0, chances)
    seconds = pairs[::2][pairs[::2, 0] == heaviest, 1]
    check_draws([seconds], discrete(range(4), rest / rest.sum()))


@claim("RND-104", about="multinomial", needs="random multinomial index_checks", level="contract")
@example(weights=(2.0, 1.0, 5.0))
def test_multinomial_refuses_what_is_no_weight(be, weights):
    """Weights that are negative, infinite or not a number, that are all zero, integers, or of three
    axes are refused, and so are no draws, and more without replacement than there are places.
    """
    with be.fork_random():
        for wrong in ((-1.0, 2.0, 1.0), (np.inf, 1.0, 1.0), (np.nan, 1.0, 1.0), (0.0, 0.0, 0.0)):
            with be.raises(ErrorKind.ARGUMENT):
                be.multinomial(be.tensor(np.array(wrong)), 1)
        for wrong in (np.ones(3, np.int64), np.ones((1, 1, 3))):
            with be.raises(ErrorKind.DTYPE, ErrorKind.SHAPE):
                be.multinomial(be.tensor(wrong), 1)
        for count in (0, -1, 4):
            with be.raises(ErrorKind.ARGUMENT):
                be.multinomial(be.tensor(np.array(weights)), count)


@claim("RND-04", about="exports", needs="torch", level="contract")
@example(name="uniform")
def test_there_is_no_uniform_constructor(be, name):
    """Uniform numbers on an interval of one's own come from uniform_ alone: the library has rand
    but no function called uniform.
    """
    assert be.exports("rand")
    assert not be.exports(name)


# ---- initial values ------------------------------------------------------------------------------


@claim("RND-280", about="lookup", needs="random datasets torch", level="contract")
@every(name=INITIALIZERS)
@given(seed=seeds())
def test_initial_values_come_from_a_generator(be, name, seed):
    """What fills a parameter with random numbers draws from a generator that it is given what it
    would draw from the global one in that state, which it then leaves as it was.
    """
    fill = be.lookup(f"torch.nn.init:{name}")
    with be.fork_random():
        be.manual_seed(seed)
        first, second = (fill(be.tensor(np.zeros((4, 3)))) for _ in range(2))
        be.manual_seed(seed)
        own = be.generator(seed, be.device)
        be.same(fill(be.tensor(np.zeros((4, 3))), generator=own), first)
        be.same(fill(be.tensor(np.zeros((4, 3)))), first)
        be.same(fill(be.tensor(np.zeros((4, 3))), generator=own), second)


@claim("RND-281", about="lookup", needs="random datasets torch", level="contract")
@example(seed=0)
@given(seed=seeds())
def test_initial_zeros_come_from_a_generator(be, seed):
    """What fills a matrix with random numbers among zeros draws the places of these, too, from a
    generator that it is given.
    """
    fill, zeros = be.lookup("torch.nn.init:sparse_"), np.zeros((16, 3))
    with be.fork_random():
        first, second = (
            fill(be.tensor(zeros), 0.5, generator=be.generator(seed, be.device)) for _ in range(2)
        )
    kept = first * second != 0
    be.same(second[kept], first[kept], "what is not zero")
    be.same(second, first, "places of zeros")
