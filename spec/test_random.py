"""Random numbers: seeds, support, distribution."""

from contextlib import suppress
from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.chance import (
    DRAWS,
    LINES,
    check_draws,
    check_moments,
    coin,
    discrete,
    draws,
    integers_below,
    misfit,
    normal,
    played,
    recorded,
    seeds,
    uniform,
)

FLOATING = ("float32", "float64", "float16", "bfloat16")
INTEGRAL = ("int64", "int32", "int16", "int8", "uint8")

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
    """randperm(n) holds each of 0 to n - 1 once, as int64 unless told otherwise, all orders alike;
    the permutation of no elements is empty, and of less than none there is none.
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
    "RND-102",
    about="normal_ bernoulli_ random_ exponential_",
    needs="backward random inplace normal_ bernoulli_ random_ exponential_ zeros",
    level="contract",
)
@given(x=arrays(layouts=DENSE, min_size=1))
def test_draws_in_place_refuse_what_they_cannot_be(be, x):
    """Refused are a negative deviation, a probability outside 0 to 1, an empty range of integers, a
    rate that is not positive, and a leaf that requires grad; of integers bernoulli_ and random_
    make draws, normal_ and exponential_ none.
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
        assert misfit(be.numpy(be.bernoulli_(whole, 0.5)), coin(0.5)) <= 1
        assert misfit(be.numpy(be.random_(whole, 5)), integers_below(0, 5)) <= 1
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


# ---- seeds ---------------------------------------------------------------------------------------


@claim("RND-06", "RND-63", about="manual_seed", needs="random")
@given(seed=seeds(), program=draws(), before=draws())
def test_equal_seeds_give_equal_numbers(be, seed, program, before):
    """A program of draws gives the same numbers whenever it starts from the same seed, whatever was
    drawn before. Going on or starting from another seed gives others.
    """
    program = [*program, ("rand", 33)]
    with be.fork_random():
        be.manual_seed(seed)
        first, further = played(be, program), played(be, program)
        played(be, before)
        be.manual_seed(seed)
        again = played(be, program)
        be.manual_seed(seed ^ 1)
        other = played(be, program)
    assert all(map(np.array_equal, first, again))
    assert not np.array_equal(first[-1], further[-1])
    assert not np.array_equal(first[-1], other[-1])


@claim("RND-64", about="manual_seed", needs="random rand", level="contract")
@example(count=500, famous=(0, 1, 42, 1234, 2**32 - 1))
def test_no_seed_is_special(be, count, famous):
    """Over many seeds the first number drawn, and the best of sixteen, is distributed as over a
    stream of numbers from one seed, and says nothing of that of the next seed; the famous seeds
    give fair numbers like others. Every integer from -2**63 to 2**64 - 1 is a seed, and no other.
    """
    with be.fork_random():
        tries = []
        for seed in range(count):
            be.manual_seed(seed)
            tries.append(be.numpy(be.rand((16,))))
        for seed in famous:
            be.manual_seed(seed)
            check_draws([be.numpy(be.rand(LINES))], uniform())
        for seed in (-(2**63), 2**64 - 1):
            be.manual_seed(seed)
        for beyond in (-(2**63) - 1, 2**64):
            with be.raises(ErrorKind.OVERFLOW):
                be.manual_seed(beyond)
    check_draws([np.array(tries)[:, 0]], uniform())
    check_draws([np.max(tries, 1).astype(float) ** 16], uniform())


@claim("RND-65", about="seed", needs="random")
@given(program=draws())
def test_seed_seeds_and_tells_with_what(be, program):
    """seed() picks a number nobody chose, seeds the generator with it and returns it: the draws
    that follow can be had again from that number.
    """
    with be.fork_random():
        chosen = be.seed()
        assert be.initial_seed() == chosen
        first = played(be, program)
        assert 0 <= chosen < 2**64
        assert be.seed() != chosen
        be.manual_seed(chosen)
        assert all(map(np.array_equal, first, played(be, program)))


@claim("RND-66", about="initial_seed", needs="random", level="contract")
@example(seed=-1, other=5, program=[("rand", 3)])
@given(seed=seeds(), other=seeds(), program=draws())
def test_initial_seed_is_the_last_one_set(be, seed, other, program):
    """initial_seed returns the last seed set, modulo 2**64, however much was drawn since; a state
    that is restored brings its seed along.
    """
    with be.fork_random():
        be.manual_seed(seed)
        played(be, program)
        assert be.initial_seed() == seed % 2**64
        state = be.random_state("cpu")
        be.manual_seed(other)
        assert be.initial_seed() == other % 2**64
        be.set_random_state(state, "cpu")
        assert be.initial_seed() == seed % 2**64


# ---- the state -----------------------------------------------------------------------------------


@claim("RND-67", about="random_state", needs="random", level="contract")
@given(seed=seeds(), program=draws())
def test_state_is_a_snapshot(be, seed, program):
    """The state of a generator is a vector of bytes that later draws do not change, while the
    generator moves on.
    """
    with be.fork_random():
        be.manual_seed(seed)
        state = be.random_state(be.device)
        before = be.numpy(state)
        played(be, [*program, ("rand", 33)])
        assert (be.dtype_of(state), before.ndim) == ("uint8", 1)
        assert np.array_equal(be.numpy(state), before)
        assert not np.array_equal(be.numpy(be.random_state(be.device)), before)


@claim("RND-68", about="set_random_state", needs="random", level="contract")
@given(seed=seeds(), before=draws(), program=draws())
def test_restored_state_rewinds_the_stream(be, seed, before, program):
    """A state that is restored gives the numbers again that followed it, from the very place in the
    stream. What is no state is refused.
    """
    with be.fork_random():
        be.manual_seed(seed)
        played(be, before)
        state = be.random_state(be.device)
        first = played(be, program)
        be.set_random_state(state, be.device)
        be.set_random_state(be.random_state(be.device), be.device)
        again = played(be, program)
        for wrong in (be.tensor(np.zeros(3)), be.tensor(np.zeros(3, np.uint8))):
            with be.raises(ErrorKind.ARGUMENT):
                be.set_random_state(wrong, be.device)
    assert all(map(np.array_equal, first, again))


@claim("RND-120", about="fork_random", needs="random", level="contract")
@given(seed=seeds(), program=draws(), fails=booleans(), twice=booleans())
def test_a_fork_leaves_the_stream_alone(be, seed, program, fails, twice):
    """The stream of a generator goes on after a block that forked it as if the block had not been,
    whatever was drawn or seeded there, and also if an error ended it.
    """
    with be.fork_random():
        be.manual_seed(seed)
        want = played(be, program)
        be.manual_seed(seed)
        for _ in range(1 + twice):
            with suppress(KeyError), be.fork_random():
                be.manual_seed(seed ^ 1)
                played(be, program)
                if fails:
                    raise KeyError
        got = played(be, program)
    assert all(map(np.array_equal, got, want))


@claim(
    "RND-105",
    about="rand",
    needs="""
    random datasets rand randn randint randperm bernoulli normal multinomial uniform_ normal_ torch
    """,
    level="contract",
)
@example(seed=0, other=0)
@example(seed=42, other=1)
@example(seed=-1, other=2**64 - 1)
def test_a_generator_has_a_stream_of_its_own(be, seed, other):
    """A draw told a generator takes its numbers from there and leaves the global stream where it
    was; generators with one seed give the same numbers whatever the global seed is, go on from
    draw to draw, and can be set back.
    """
    half, zeros = be.tensor(np.full(33, 0.5)), be.tensor(np.zeros(33))
    draws = (
        lambda g: be.rand((33,), generator=g),
        lambda g: be.randn((33,), generator=g),
        lambda g: be.randint(0, 2**40, (33,), generator=g),
        lambda g: be.randperm(33, generator=g),
        lambda g: be.bernoulli(half, generator=g),
        lambda g: be.normal(zeros, 1.0, generator=g),
        lambda g: be.multinomial(half, 33, replacement=True, generator=g),
        lambda g: be.uniform_(zeros, 0.0, 1.0, generator=g),
        lambda g: be.normal_(zeros, 0.0, 1.0, generator=g),
    )
    with be.fork_random():
        for draw in draws:
            be.manual_seed(other)
            before = be.numpy(be.random_state(be.device))
            generator, again = (be.generator(seed, be.device) for _ in range(2))
            first, second = (be.numpy(draw(generator)) for _ in range(2))
            state = generator.get_state()
            third = be.numpy(draw(generator))
            assert np.array_equal(be.numpy(be.random_state(be.device)), before)
            be.manual_seed(other ^ 1)
            assert [be.numpy(draw(again)).tobytes() for _ in range(2)] == [
                first.tobytes(),
                second.tobytes(),
            ]
            assert not np.array_equal(first, second)
            generator.set_state(state)
            assert np.array_equal(be.numpy(draw(generator)), third)
            assert generator.initial_seed() == seed % 2**64


@claim("RND-69", about="manual_seed", needs="random rand torch", level="contract")
@given(seed=seeds())
def test_one_seed_covers_every_device(be, seed):
    """manual_seed seeds the generators of all devices at once, those of CUDA too where there is one
    or none, and each device has a stream of its own.
    """
    streams = []
    with be.fork_random():
        for _ in range(2):
            be.manual_seed(seed)
            streams.append([be.numpy(be.rand((33,), device=d)).tobytes() for d in be.devices()])
        with recorded(be, "torch.cuda:", "manual_seed_all") as told:
            be.manual_seed(seed)
    assert streams[0] == streams[1]
    assert len(set(streams[0])) == len(be.devices())
    assert told == [seed]
