"""Random numbers: seeds, support, distribution."""

import math

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import (
    DENSE,
    POSITIVE,
    arrays,
    integers,
    sampled_from,
    shapes,
)
from gradspec.conformance.strategies.chance import (
    DRAWS,
    coin,
    draws,
    integers_below,
    misfit,
    played,
    seeds,
    standard_normal,
    uniform,
)

# ---- distributions -------------------------------------------------------------------------------


@claim("RND-01", "RND-51", about="rand", needs="random rand")
@example(seed=0, shape=(5, 3))
@given(seed=integers(0, 2**32), shape=shapes())
def test_rand_is_uniform(be, seed, shape):
    """rand draws from the half-open unit interval, 0 included and 1 not, all parts of it alike, in
    the shape asked for and the default dtype.
    """
    with be.fork_random():
        be.manual_seed(seed)
        u, many = be.rand(shape), be.rand((DRAWS,))
    assert be.numpy(u).shape == shape
    assert be.dtype_of(u) == be.dtype_of(many) == "float32"
    assert 0 <= be.numpy(many).min() <= be.numpy(many).max() < 1
    assert misfit(be.numpy(many), uniform()) <= 1


@claim("RND-02", "RND-52", about="randn", needs="random randn")
@given(seed=integers(0, 2**32), shape=shapes())
def test_randn_is_standard_normal(be, seed, shape):
    """randn draws from the normal distribution with mean 0 and variance 1, in the shape asked for
    and the default dtype.
    """
    with be.fork_random():
        be.manual_seed(seed)
        z, many = be.randn(shape), be.randn((DRAWS,))
    assert be.numpy(z).shape == shape
    assert be.dtype_of(z) == be.dtype_of(many) == "float32"
    assert misfit(be.numpy(many), standard_normal) <= 1


@claim("RND-53", about="randint", needs="random randint", level="contract")
@example(seed=0, low=3, width=7, shape=(2, 2))
@given(seed=integers(0, 2**32), low=integers(-9, 9), width=integers(1, 9), shape=shapes())
def test_randint_is_half_open(be, seed, low, width, shape):
    """randint draws from low to high - 1, all integers alike, as int64 in the shape asked for. An
    empty range, and a size that is no tuple, are refused.
    """
    with be.fork_random():
        be.manual_seed(seed)
        n = be.randint(low, low + width, shape)
        many = be.numpy(be.randint(low, low + width, (DRAWS,)))
        for wrong in ((low, low, shape), (low, low - 1, shape), (low, low + width, 3)):
            with be.raises(ErrorKind.ARGUMENT):
                be.randint(*wrong)
    assert be.numpy(n).shape == shape
    assert be.dtype_of(n) == "int64"
    assert set(many.tolist()) == set(range(low, low + width))
    assert misfit(many, integers_below(low, low + width)) <= 1


@claim("RND-54", about="rand_like randint_like", needs="random rand_like randint_like")
@given(seed=integers(0, 2**32), x=arrays(), dtype=sampled_from(["float", "int8", "int64"]))
def test_likeness_is_of_shape_and_dtype(be, seed, x, dtype):
    """What is drawn in the likeness of a tensor has its shape and its dtype: integers like floats
    are floats that hold whole numbers.
    """
    model = be.tensor(x if dtype == "float" else x.astype(dtype))
    with be.fork_random():
        be.manual_seed(seed)
        u, n = be.rand_like(be.tensor(x)), be.randint_like(model, -2, 5)
        many = be.numpy(be.randint_like(be.tensor(np.zeros(DRAWS)), -2, 5))
    assert be.dtype_of(u) == be.dtype
    assert be.dtype_of(n) == be.dtype_of(model)
    assert be.numpy(u).shape == be.numpy(n).shape == x.shape
    assert ((be.numpy(u) >= 0) & (be.numpy(u) < 1)).all()
    assert np.isin(be.numpy(n), range(-2, 5)).all()
    assert misfit(many, integers_below(-2, 5)) <= 1


@claim("RND-05", "RND-55", about="randperm", needs="random randperm")
@given(seed=integers(0, 2**32), n=integers(0, 50))
def test_randperm_is_a_permutation(be, seed, n):
    """randperm(n) holds each of 0 to n - 1 once, as int64, and every order may come; the
    permutation of no elements is empty.
    """
    with be.fork_random():
        be.manual_seed(seed)
        order = be.randperm(n)
        # Of the six orders of three, one is missing in 200 draws with probability 1e-15 at most.
        seen = {tuple(be.numpy(be.randperm(3))) for _ in range(200)}
    assert be.dtype_of(order) == "int64"
    assert sorted(be.numpy(order)) == list(range(n))
    assert len(seen) == math.factorial(3)


@claim("RND-56", about="bernoulli", needs="backward random bernoulli", level="contract")
@given(
    seed=integers(0, 2**32),
    p=sampled_from([0.0, 0.125, 0.4, 0.5, 0.75, 1.0]),
    x=arrays(),
    w=arrays(),
)
def test_bernoulli_draws_ones_with_its_probabilities(be, seed, p, x, w):
    """bernoulli draws 1 with the probability given for each entry, else 0, in shape and dtype of
    the probabilities, whose gradient is zero.
    """
    leaf = be.leaf(np.where(x > 0, 1.0, 0.0))
    with be.fork_random():
        be.manual_seed(seed)
        certain = be.bernoulli(leaf)
        many = be.numpy(be.bernoulli(be.tensor(np.full(DRAWS, p))))
    be.check(certain, np.where(x > 0, 1.0, 0.0))
    assert np.isin(many, [0, 1]).all()
    assert misfit(many, coin(p)) <= 1
    be.backward(certain, w)
    be.check(be.grad(leaf), np.zeros(x.shape))


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
@example(seed=0, mean=np.arange(1.0, 11.0), std=np.linspace(1.0, 0.1, 10))
@given(seed=integers(0, 2**32), mean=arrays(shape=(4,)), std=arrays(shape=(4,), values=POSITIVE))
def test_normal_has_a_mean_and_a_deviation_for_each_entry(be, seed, mean, std):
    """normal draws each entry with its own mean and standard deviation, which broadcast; where the
    deviation is 0 the mean comes out, and a negative one is refused.
    """
    shape = (DRAWS // mean.size, mean.size)
    with be.fork_random():
        be.manual_seed(seed)
        many = be.numpy(be.normal(be.tensor(np.broadcast_to(mean, shape)), be.tensor(std)))
        exact = be.normal(be.tensor(mean[:, None]), be.tensor(np.zeros(2)))
        with be.raises(ErrorKind.ARGUMENT):
            be.normal(be.tensor(mean), be.tensor(-std))
    assert misfit((many - mean) / std, standard_normal) <= 1
    assert max(misfit(part, standard_normal) for part in ((many - mean) / std).T) <= 1
    be.check(exact, np.repeat(mean[:, None], 2, axis=1))


@claim("RND-59", "RND-60", about="normal", needs="random normal", level="contract")
@given(seed=integers(0, 2**32), x=arrays(), number=sampled_from([0.0, 2.0, -1.5]))
def test_normal_takes_one_number_for_all(be, seed, x, number):
    """A number as mean or deviation holds for every entry. The deviation is 1 unless given, the
    mean has no default, and a negative deviation is refused.
    """
    zeros = be.tensor(np.zeros(x.shape))
    with be.fork_random():
        be.manual_seed(seed)
        be.check(be.normal(be.tensor(x), 0.0), x)
        be.check(be.normal(number, zeros), np.full(x.shape, number))
        many = be.numpy(be.normal(be.tensor(np.full(DRAWS, number))))
        for wrong in ({"mean": zeros, "std": -1.0}, {"std": zeros}):
            with be.raises(ErrorKind.ARGUMENT):
                be.normal(**wrong)
    assert misfit(many - number, standard_normal) <= 1


@claim("RND-61", about="normal", needs="random normal", level="contract")
@given(seed=integers(0, 2**32), shape=shapes(), number=sampled_from([0.0, 2.0, -1.5]))
def test_normal_of_two_numbers_needs_a_size(be, seed, shape, number):
    """Two numbers give a tensor only together with a size, and a size goes with nothing else."""
    with be.fork_random():
        be.manual_seed(seed)
        constant = be.normal(number, 0.0, shape, device=be.device)
        many = be.numpy(be.normal(number, 2.0, (DRAWS,), device=be.device))
        with be.raises(ErrorKind.ARGUMENT):
            be.normal(number, 1.0)
        with be.raises(ErrorKind.ARGUMENT):
            be.normal(be.tensor(np.zeros(2)), 1.0, (2,))
    assert np.array_equal(be.numpy(constant), np.full(shape, number))
    assert misfit((many - number) / 2, standard_normal) <= 1


# ---- filling in place ----------------------------------------------------------------------------


@workload
def fill(be, leaf, low=0.0, high=1.0):
    """A tensor like the leaf, filled with uniform numbers."""
    with be.fork_random():
        be.manual_seed(0)
        return be.uniform_(be.mul(leaf, 0), low, high)


@claim("RND-62", about="uniform_", needs="backward random inplace uniform_", level="contract")
@example(seed=0, x=np.zeros((3, 3)), low=0.0, width=1.0)
@given(
    seed=integers(0, 2**32),
    x=arrays(layouts=DENSE),
    low=sampled_from([0.0, -2.0, 0.5]),
    width=sampled_from([1.0, 0.25, 3.0]),
)
def test_uniform_fills_in_place(be, seed, x, low, width):
    """uniform_ fills a tensor with numbers of a half-open interval, all parts of it alike, and
    returns it. An empty interval gives its one end, a reversed one is refused, and so is a leaf.
    """
    filled, leaf = be.tensor(x), be.leaf(x)
    with be.fork_random():
        be.manual_seed(seed)
        many = be.numpy(be.uniform_(be.tensor(np.zeros(DRAWS)), low, low + width))
        assert be.uniform_(filled, low, low) is filled
        with be.raises(ErrorKind.LEAF_INPLACE):
            be.uniform_(leaf, low, low + width)
        with be.raises(ErrorKind.ARGUMENT):
            be.uniform_(be.tensor(x), low + width, low)
    be.check(filled, np.full(x.shape, low))
    assert low <= many.min() <= many.max() < low + width
    assert misfit(many, uniform(low, low + width)) <= 1


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
@example(count=500)
def test_no_seed_is_special(be, count):
    """Over many seeds the first number drawn is as uniform as a stream of numbers from one seed.
    Every integer from -2**63 to 2**64 - 1 is a seed, and no other.
    """
    first = []
    with be.fork_random():
        for seed in range(count):
            be.manual_seed(seed)
            first.append(be.numpy(be.rand(())).item())
        for seed in (-(2**63), 2**64 - 1):
            be.manual_seed(seed)
        for beyond in (-(2**63) - 1, 2**64):
            with be.raises(ErrorKind.OVERFLOW):
                be.manual_seed(beyond)
    assert misfit(np.array(first), uniform()) <= 1


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


@claim("RND-69", about="manual_seed", needs="random rand", level="contract")
@given(seed=seeds())
def test_one_seed_covers_every_device(be, seed):
    """manual_seed seeds the generators of all devices at once, and each device has a stream of its
    own.
    """
    streams = []
    with be.fork_random():
        for _ in range(2):
            be.manual_seed(seed)
            streams.append([be.numpy(be.rand((33,), device=d)).tobytes() for d in be.devices()])
    assert streams[0] == streams[1]
    assert len(set(streams[0])) == len(be.devices())
