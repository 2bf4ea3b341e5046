"""A claim that hardly reaches what it speaks of has proved nothing."""

import pytest

from bench import DOUBLED
from gradspec.conformance.results.verdict import Status

SOMETIMES = """
COUNT = iter(range(1000))

@claim("TST-02", about="cumsum exp")
@given(x=arrays(shape=(3,)))
def test_sometimes(be, x):
    "Now and then a running sum is asked for."
    if next(COUNT) % 100 < {share}:
        be.{name}(be.tensor(x), *{arguments})
"""

NEVER = """
@claim("TST-02", about="cumsum")
def test_never(be):
    "No running sum is asked for."
    be.exp(be.tensor([1.0]))
"""


@pytest.mark.parametrize(
    ("reached", "status"),
    [(0, Status.VACUOUS), (5, Status.VACUOUS), (6, Status.PASS), (30, Status.PASS)],
)
@pytest.mark.parametrize(("name", "arguments"), [("cumsum", "[0]"), ("exp", "[]")])
def test_a_fifth_of_the_examples_has_to_reach_one_of_the_operations(
    bench, reached, status, name, arguments
):
    bench.chapter(SOMETIMES.format(share=reached, name=name, arguments=arguments), DOUBLED)
    result = bench.run()
    verdict = bench.verdicts()["TST-02"]
    assert (verdict.status, verdict.drawn, verdict.reached) == (status, 30, reached)
    result.assert_outcomes(passed=1 + (status is Status.PASS), failed=status is Status.VACUOUS)


def test_a_single_example_has_to_reach_it(bench):
    bench.chapter(NEVER)
    assert bench.run().ret == pytest.ExitCode.TESTS_FAILED
    verdict = bench.verdicts()["TST-02"]
    assert verdict.status is Status.VACUOUS
    assert verdict.reason == "vacuous: 0 of 1 examples reached cumsum"


def test_rejected_draws_do_not_count(bench):
    rejecting = SOMETIMES.format(share=100, name="exp", arguments="[]")
    rejecting += "    __import__('hypothesis').assume(next(COUNT) % 3 == 0)\n"
    bench.chapter(rejecting)
    bench.run()
    verdict = bench.verdicts()["TST-02"]
    assert verdict.status is Status.PASS
    assert verdict.drawn == verdict.reached
    assert verdict.rejected > 5


@pytest.mark.parametrize(("example_divisor", "drawn"), [(1, 30), (4, 7), (100, 1)])
def test_a_slow_library_is_given_fewer_examples(bench, example_divisor, drawn):
    bench.chapter(SOMETIMES.format(share=100, name="exp", arguments="[]"))
    bench.run(backend=bench.adapter(f"example_divisor = {example_divisor}"))
    assert bench.verdicts()["TST-02"].drawn == drawn


OVER_SINE = """
from gradspec.conformance.table import TABLE, calls

@claim("TST-02", over=[operation for operation in TABLE if operation.name == "sin"])
@given(call=calls())
def test_sine(be, call):
    "The sine is what it is."
    be.sin(be.tensor(call.tensors[0]))
    with open("met.txt", "a") as file:
        print(be.dtype, call.corner, file=file)
"""


@pytest.mark.parametrize(("example_divisor", "shares"), [(1, (5, 5)), (2, (3, 2))])
def test_a_slow_library_meets_every_corner_in_some_dtype(bench, example_divisor, shares):
    bench.chapter(OVER_SINE)
    bench.run(backend=bench.adapter(f"example_divisor = {example_divisor}"), dtype=None)
    met = {line for line in (bench.path / "met.txt").read_text().splitlines() if "None" not in line}
    for dtype, share in zip(("float32", "float64"), shares, strict=True):
        assert sum(line.startswith(dtype) for line in met) == share
    assert len({line.split(" ", 1)[1] for line in met}) == 5


TWICE = OVER_SINE.replace('== "sin"', 'in ("sin", "cos")').replace("be.sin(", "call.on(be)(")


@pytest.mark.parametrize(("example_divisor", "kept"), [(1, False), (2, True)])
def test_a_library_that_compiles_judges_one_operation_after_the_other(bench, example_divisor, kept):
    second = TWICE.replace("TST-02", "TST-03").replace("test_sine", "test_sine_again")
    bench.chapter(TWICE, second)
    bench.run(backend=bench.adapter(f"example_divisor = {example_divisor}"))
    names = [verdict.operation for verdict in bench.all_verdicts()]
    assert sorted(names) == ["cos", "cos", "sin", "sin"]
    assert (names[0] == names[1]) is kept


def test_sixteen_bits_are_for_operations(bench):
    bench.chapter(DOUBLED)
    adapter = bench.adapter("small_dtypes = ('float16',)")
    result = bench.run(backend=adapter, dtype="float16")
    result.assert_outcomes(skipped=1)
    assert bench.verdicts()["TST-01"].status is Status.UNSUPPORTED


SMALL = """
@claim("TST-01", over=those(lambda o: o.name == "exp"), small={small})
@given(call=calls())
def test_value(be, call):
    "An exponential is one."
    call.check(be, call.on(be)(*map(be.tensor, call.tensors)))
"""


@pytest.mark.parametrize(
    ("small", "words", "dtypes"),
    [
        (True, (), ["float16", "float32", "float64"]),
        (True, ("--device", "cpu", "--mode", "eager"), ["float16", "float32", "float64"]),
        (True, ("-n", "1"), ["float16", "float32", "float64"]),
        (True, ("--dtype", "float32"), ["float32"]),
        (False, (), ["float32", "float64"]),
        (False, ("--dtype", "float16"), ["float16"]),
    ],
)
def test_claims_that_say_so_are_judged_in_16_bits_unless_dtypes_are_named(
    bench, small, words, dtypes
):
    chosen = "from gradspec.conformance.table import calls, those"
    bench.chapter(chosen, SMALL.format(small=small), DOUBLED.replace("TST-01", "TST-03"))
    bench.run(*words, dtype=None)
    verdicts = [each for each in bench.all_verdicts() if each.status is Status.PASS]
    assert sorted(each.dtype for each in verdicts if each.claim == "TST-01") == dtypes
    others = [dtype for dtype in dtypes if dtype != "float16"]
    assert sorted(each.dtype for each in verdicts if each.claim == "TST-03") == others
