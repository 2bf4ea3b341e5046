"""Seeds: streams of random numbers that can be repeated."""

from contextlib import suppress

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given
from gradspec.conformance.strategies import booleans
from gradspec.conformance.strategies.modes import Escape
from gradspec.conformance.strategies.random_numbers import (
    DRAWS_IN_PLACE,
    LINES,
    check_draws,
    draws,
    played,
    recorded,
    seeds,
    uniform,
)

NO_WORKLOAD = "setting a seed takes the same time whatever is drawn afterwards"

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
    """seed() picks a seed at random, seeds the generator with it and returns it: the draws that
    follow can be repeated from that number.
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
    """Restoring a state repeats the numbers that followed it, from the same place in the stream.
    What is not a state is refused.
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
            with suppress(Escape), be.fork_random():
                be.manual_seed(seed ^ 1)
                played(be, program)
                if fails:
                    raise Escape
        got = played(be, program)
    assert all(map(np.array_equal, got, want))


@claim(
    "RND-105",
    about="rand",
    needs="""
    random datasets rand randn randint randperm bernoulli normal multinomial uniform_ normal_ clone
    torch
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
    half, zeros, counts = (be.tensor(np.full(33, value)) for value in (0.5, 0.0, 16.0))
    draws = (
        lambda g: be.rand((33,), generator=g),
        lambda g: be.randn((33,), generator=g),
        lambda g: be.randint(0, 2**40, (33,), generator=g),
        lambda g: be.randperm(33, generator=g),
        lambda g: be.bernoulli(half, generator=g),
        lambda g: be.normal(zeros, 1.0, generator=g),
        lambda g: be.normal(1.0, half, generator=g),
        lambda g: be.normal(zeros, half, generator=g),
        lambda g: be.lookup("torch:poisson")(counts, generator=g),
        lambda g: be.lookup("torch:binomial")(counts, half, generator=g),
        *(
            lambda g, name=name, told=told: getattr(be.clone(half), name)(*told, generator=g)
            for name, told in DRAWS_IN_PLACE.items()
        ),
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
