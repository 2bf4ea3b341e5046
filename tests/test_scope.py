"""What an entry of expected failures covers: what it does not is searched as ever."""

import pytest

from bench import complaint
from gradspec.conformance.results.verdict import Status

CLAIM = """
@claim("TST-03", about="mul")
@given(x=integers(1, 4))
def test_small_numbers(be, x):
    "A number times one is the number."
    product = be.mul(be.tensor(float(x)), be.tensor(1.0))
    {body}
"""

ENTRY = """
[[expected]]
claim = "TST-03"
reason = "one is wrong"
link = "https://example.org/1"
witness = { x = 1 }
"""
ANOTHER = ENTRY.replace("x = 1", "x = 2").replace("one", "two")

ONE = 'assert x != 1, "a one is wrong"'
TWO = 'assert x != 2, "a two is wrong"'
SAYS_ONE = 'only = { says = "a one" }\n'
SAYS_TWO = 'only = { says = "a two" }\n'


@pytest.fixture
def expecting(bench):
    """Run a claim with this body and this file of expected failures; return its verdict."""

    def run(body, text):
        bench.chapter(CLAIM.format(body=body))
        adapter = bench.adapter("")
        bench.write("mine.toml", text)
        bench.run(backend=adapter)
        return bench.verdicts()["TST-03"]

    return run


@pytest.mark.parametrize("only", [SAYS_ONE, 'only = { calls = "^x = 1$" }\n'])
def test_what_is_not_covered_is_found_behind_what_is(expecting, only):
    alone = expecting(ONE, ENTRY + only)
    assert alone.status is Status.EXPECTED_FAILURE
    assert alone.drawn > 4, "its search ended with the witness"
    behind = expecting(f"{ONE}; {TWO}", ENTRY + only)
    assert behind.status is Status.FAIL
    assert behind.reason == "a two is wrong"
    assert "x = 2" in behind.reproduction
    assert expecting(f"{ONE}; {TWO}", ENTRY).status is Status.EXPECTED_FAILURE


def test_a_refusal_is_known_by_what_it_says(expecting):
    body = 'if x == 1: raise ValueError("one is refused")\n    {}'
    only = 'status = "error"\nonly = { says = "^ValueError: one is" }\n'
    assert expecting(body.format(""), ENTRY + only).status is Status.EXPECTED_FAILURE
    other = expecting(body.format('if x == 3: raise ValueError("three is refused")'), ENTRY + only)
    assert other.status is Status.ERROR
    assert "three is refused" in other.reason


@pytest.mark.parametrize(
    ("check", "says"),
    [
        ("be.check(product, float(x + (x == 1)))", "^AssertionError: result is 1.0, expected 2.0"),
        ("be.check(product, float(x), dtype='float32' if x == 1 else '')", "expected float32"),
        ("be.check_gradient(None if x == 1 else product, Total.of(x))", "gradient is lost"),
        ("be.same(product, np.array(x + 1.0 * (x == 1)))", "expected exactly"),
    ],
)
def test_the_program_goes_on_after_what_is_known(expecting, check, says):
    body = f"import numpy as np; from gradspec.conformance import Total; {check}; {{}}"
    entry = ENTRY + f'only = {{ says = "{says}" }}\n'
    assert expecting(body.format("pass"), entry).status is Status.EXPECTED_FAILURE
    behind = expecting(body.format(ONE), entry)
    assert (behind.status, behind.reason) == (Status.FAIL, "a one is wrong")


def test_a_value_is_judged_whose_dtype_is_known(expecting):
    body = "be.check(product, x + {} * (x == 1), dtype='float32' if x == 1 else '')"
    entry = ENTRY + "only = { says = 'is float64, expected float32' }\n"
    assert expecting(body.format("0.0"), entry).status is Status.EXPECTED_FAILURE
    assert expecting(body.format("0.5"), entry).reason.startswith("result is 1.0, expected 1.5")


def test_what_is_seen_after_an_example_is_covered_too(expecting):
    body = (
        "import numpy as np; given = np.array([1.0, 2.0]); be.tensor(given); "
        "given[0] += x in {}; assert x != 1, 'a one is wrong'"
    )
    changed = ENTRY + "only = { says = 'an input array was changed' }\n"
    both = changed + ENTRY + SAYS_ONE
    assert expecting(body.format((1,)), both).status is Status.EXPECTED_FAILURE
    behind = expecting(body.format((1,)), changed)
    assert behind.reason == "a one is wrong"
    beside = expecting(body.format((3,)), ENTRY + SAYS_ONE)
    assert beside.reason == "an input array was changed"


def test_results_may_be_off_by_so_many_times_what_is_allowed(expecting):
    body = "be.check(product, x * (1 + {} * (x == 1)) * (1 + {} * (x == 2)))"
    entry = ENTRY + "only = { times = 1e4 }\n"
    assert expecting(body.format("1e-12", "1e-12"), entry).status is Status.EXPECTED_FAILURE
    far = expecting(body.format("1e-12", "1e-9"), entry)
    assert far.status is Status.FAIL
    assert "x = 2" in far.reproduction
    # What is farther off than that in other calls than it speaks of is found.
    here = ENTRY + 'only = { calls = "x = 1", times = 1e4 }\n'
    assert expecting(body.format("1e-12", "0"), here).status is Status.EXPECTED_FAILURE
    assert expecting(body.format("1e-12", "1e-12"), here).status is Status.FAIL


def test_what_is_covered_hides_no_other_entry_of_a_result(expecting):
    body = (
        "import numpy as np; pair = be.tensor(np.array([x, x + 10.0])); "
        "be.check(pair, np.array([x + (x == 1), x + 10.0 + {} * (x == 1)]))"
    )
    entry = ENTRY + "only = { says = 'result.0. is' }\n"
    assert expecting(body.format("0"), entry).status is Status.EXPECTED_FAILURE
    behind = expecting(body.format("1e-3"), entry)
    assert behind.status is Status.FAIL
    assert behind.reason.startswith("result[1] is"), "the worst was told, which is known"
    both = ENTRY + "only = { says = 'result.[01]. is' }\n"
    assert expecting(body.format("1e-3"), both).status is Status.EXPECTED_FAILURE
    assert expecting(body.format("1e-3"), "").reason.startswith("result[0] is")


def test_several_entries_cover_a_claim_together(expecting):
    body = f"{ONE}; {TWO}"
    both = ENTRY + SAYS_ONE + ANOTHER + SAYS_TWO
    assert expecting(body, both).status is Status.EXPECTED_FAILURE
    assert expecting(f'{body}; assert x != 4, "four"', both).reason == "four"
    # Each of them is replayed, and stale if its witness passes.
    stale = expecting(ONE, both)
    assert stale.status is Status.UNEXPECTED_PASS
    assert stale.reason == "two is wrong (https://example.org/1)"


def test_the_last_entry_may_cover_the_rest(expecting):
    body = f'{ONE}; {TWO}; assert x != 4, "four"'
    for text in (ENTRY + SAYS_ONE + ANOTHER, ANOTHER + ENTRY + SAYS_ONE):
        verdict = expecting(body, text)
        assert verdict.status is Status.EXPECTED_FAILURE
        assert verdict.drawn == 2, "both witnesses, and nothing else"


def test_an_entry_covers_its_own_witness(expecting):
    """Also where no other example would show that it does not."""
    rare = ENTRY.replace("x = 1", "x = 77")
    verdict = expecting('assert x != 77, "rarely wrong"', rare + SAYS_TWO)
    assert verdict.status is Status.FAIL
    assert verdict.reason == "rarely wrong"
    assert "x = 77" in verdict.reproduction


def test_three_entries_cover_a_claim_together(expecting):
    body = f'{ONE}; {TWO}; assert x != 3, "a three is wrong"'
    third = ENTRY.replace("x = 1", "x = 3") + 'only = { says = "a three" }\n'
    three = ENTRY + SAYS_ONE + ANOTHER + SAYS_TWO + third
    assert expecting(body, three).status is Status.EXPECTED_FAILURE


def test_what_is_not_met_is_not_covered(expecting):
    body = f"from hypothesis import assume; assume(x != 4); {ONE}"
    verdict = expecting(body, ENTRY + 'only = { calls = "x" }\n')
    assert verdict.status is Status.EXPECTED_FAILURE
    assert verdict.rejected


def test_a_known_failure_excuses_nothing_else_of_its_example(expecting):
    body = 'values = np.ones(2); be.tensor(values); values[0] = x; assert x != 1, "a one is wrong"'
    verdict = expecting(f"import numpy as np; {body}", ENTRY + 'only = { calls = "x = 1" }\n')
    assert verdict.status is Status.FAIL
    assert verdict.reason == "an input array was changed"


def test_what_may_never_end_is_not_run_and_the_rest_is_searched(bench, expecting):
    by_chance = ENTRY + 'only = { calls = "^x = 1$" }\nstatus = "timeout"\nsometimes = true\n'
    write = 'open("ran", "a").write(str(x))'
    for body in (write, f"{write}; {ONE}"):
        verdict = expecting(body, by_chance)
        assert verdict.status is Status.EXPECTED_FAILURE
        assert verdict.drawn > 1
        assert set((bench.path / "ran").read_text()) == set("234")
    behind = expecting(f"{ONE}; {TWO}", by_chance)
    assert behind.status is Status.FAIL
    assert behind.reason == "a two is wrong"
    # Nor is what one entry leaves out run for another.
    both = ANOTHER + SAYS_TWO + by_chance
    assert expecting(f'{TWO}; assert x != 1, "never run"', both).status is Status.EXPECTED_FAILURE
    nothing = expecting(write, by_chance.replace("^x = 1$", "x"))
    assert nothing.status is Status.VACUOUS


def test_a_witness_is_among_the_examples_that_are_covered(expecting):
    verdict = expecting(ONE, ENTRY + 'only = { calls = "x = 2" }\n')
    assert verdict.status is Status.ERROR
    assert "only.calls" in verdict.reason


@pytest.mark.parametrize(
    ("only", "told"),
    [
        ("only = { calls = 'x' }\nstatus = 'crash'", "expected[0]: of what ends in a crash"),
        ("only = { says = 'one' }\nsometimes = true\nstatus = 'crash'", "only.calls alone says"),
        ("only = {}", "expected[0].only"),
        ("only = { say = 'one' }", "expected[0].only"),
        ("only = { times = 1.0 }", "expected[0].only.times"),
        ("only = { says = '(' }", "expected[0]: only.says is no regular expression"),
        ("only = { calls = '[' }", "expected[0]: only.calls is no regular expression"),
        ("only = { says = 'one', times = 2.0 }", "by what it says or by its size"),
        ("only = { says = 'one' }\nstatus = 'crash'", "expected[0]: of what ends in a crash"),
    ],
)
def test_what_is_no_scope_is_refused(bench, only, told):
    bench.chapter(CLAIM.format(body=ONE))
    adapter = bench.adapter("")
    bench.write("mine.toml", ENTRY + only + "\n")
    result = bench.run(backend=adapter)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "mine.toml" in complaint(result)
    assert told in complaint(result)


def test_two_entries_that_cover_everything_are_refused(bench):
    bench.chapter(CLAIM.format(body=ONE))
    adapter = bench.adapter("")
    bench.write("mine.toml", ENTRY + ANOTHER)
    assert "two entries speak of the same failure of TST-03" in complaint(
        bench.run(backend=adapter)
    )


def test_what_is_found_behind_is_written_down_beside_it(bench):
    bench.chapter(CLAIM.format(body=f"{ONE}; {TWO}"))
    adapter = bench.adapter("")
    bench.write("mine.toml", ENTRY + SAYS_ONE)
    bench.run("--update-expectations", backend=adapter).assert_outcomes(failed=1)
    written = (bench.path / "mine.toml").read_text()
    assert written.startswith((ENTRY + SAYS_ONE).strip())
    assert "TODO: a two is wrong" in written
    bench.run(backend=adapter).assert_outcomes(xfailed=1)
