"""A failure tells all: the law, the program, the values, and one command that fails again."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis.strategies import sampled_from

from bench import WRONG
from gradspec.conformance import every
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.reproduction import literal
from gradspec.conformance.strategies.arrays import LAYOUTS
from mutation import mutants

BROKEN = """
import sys

sys.path.insert(0, {tests!r})

from gradspec.conformance.backends.reference import Reference
from mutation import changed_reference, mutants

COPY = changed_reference(next(m for m in mutants() if m.name == {name!r}))
LIBRARY = COPY.__enter__()


class Mine(Reference):
    name = "mine"

    def __init__(self):
        super().__init__(LIBRARY)
"""


def rerun(result):
    """Return the command that a run proposes, in words."""
    (command,) = {m[1] for line in result.outlines if (m := re.search(r"rerun: (pytest .*)", line))}
    return shlex.split(command)


BESIDE = "@given(x=integers(1, 9))"
RIGHT = """
@claim("TST-03", about="mul")
@every(name=range(40))
{drawn}
def test_right(be, name{x}):
    "No name is wrong."
    be.mul(be.tensor([1.0]), 2.0)
"""
ENUMERATED = """
@claim("TST-03", about="mul")
@every(name=[f"number {{n}}" for n in range(40)])
{drawn}
def test_wrong(be, name{x}):
    "No name but the last is wrong."
    assert name != "number 39"
"""
OTHERS = """
MET = set()

@claim("TST-03", about="mul")
@every(name=range(40))
@given(x=integers(0, 10**6))
def test_right(be, name, x):
    "Of forty numbers most differ."
    MET.add(x)
    be.mul(be.tensor([1.0]), 2.0)
    assert name < 39 or x == 0 or len(MET) > 20
"""
NOT_FOR_ZERO = """
@claim("TST-03", about="mul")
@every(name=range(40))
@given(x=integers(0, 100))
def test_wrong(be, name, x):
    "The last is wrong, but not for zero."
    assert name != 39 or x == 0
"""


@pytest.fixture
def broken(bench):
    """A reference with one rule broken, as an adapter anyone may name."""
    mutant = next(m for m in mutants() if "ACC-01" in m.kills and m.room == "reference")
    bench.write("mine.py", BROKEN.format(tests=str(Path(__file__).parent), name=mutant.name))
    return bench


@pytest.mark.long
def test_a_broken_rule_is_shown_whole_and_fails_again(broken):
    (broken.path / "test_planted.py").unlink()
    result = broken.run_apart("--pyargs", "gradspec.spec", "--claim", "ACC-01", backend="mine:Mine")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*ACC-01 on mine-cpu-float64: Each backward pass adds *",
            "*program:",
            "*    def test_backward_adds(be, *):",
            "*        *be.backward(*",
            "*values:",
            "*    x = *",
            "*rerun: pytest --pyargs gradspec.spec --gradspec-claim ACC-01 *-backend mine:Mine *",
        ]
    )
    _, *words = rerun(result)
    again = broken.pytester.run(sys.executable, "-m", "pytest", *words)
    assert again.ret == pytest.ExitCode.TESTS_FAILED
    assert rerun(again)[1:] == words
    assert [v.status for v in broken.all_verdicts()] == [Status.FAIL]


def test_a_claim_of_ones_own_is_rerun_by_its_file(bench):
    bench.chapter(WRONG)
    result = bench.run("--hypothesis-profile", "quick", "--hypothesis-seed", "5")
    _, path, *words = rerun(result)
    assert path == str(bench.path / "test_planted.py")
    assert words[-4:] == ["--hypothesis-seed", "5", "--hypothesis-profile", "quick"]
    again = bench.pytester.runpytest_inprocess(path, *words)
    again.assert_outcomes(failed=1)
    assert rerun(again) == rerun(result)


def test_the_file_tells_what_the_terminal_tells_without_places_of_this_machine(bench):
    bench.chapter(WRONG)
    shown = bench.run().outlines
    told = bench.verdicts()["TST-03"].reproduction.splitlines()
    stripped = [line.removeprefix("E").strip().replace(str(bench.path), ".") for line in shown]
    assert all(line.strip() in stripped for line in told)
    assert "rerun: pytest ./test_planted.py " in told[-1]
    assert told[0] == "TST-03 on reference-cpu-float64: A square is its input."


def test_the_simplest_values_are_shown(bench):
    bench.chapter(WRONG)
    bench.run()
    text = bench.verdicts()["TST-03"].reproduction
    assert "times = 1" in text
    (array,) = re.findall(r"x = np.array\((.*), dtype", text)
    assert len(re.findall(r"[1-9]", array)) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_literals_give_back_the_values(layout):
    array = layout((2, 3), np.arange(6.0))
    text = literal(array)
    again = eval(text)
    assert again.dtype == array.dtype
    assert np.array_equal(again, array)
    assert ("strides" in text) == (not array.flags.c_contiguous)


def test_literals_of_plain_values_are_python():
    assert [literal(value) for value in (3, "x", (1, 2), None)] == ["3", "'x'", "(1, 2)", "None"]


TELLING = """
@claim("TST-03", about="mul")
def test_telling(be):
    "An error tells where it happened."
    be.mul(be.tensor([1.0]), 2.0)
    places = os.path.abspath('x'), np.__file__, os.path.expanduser('~/y')
    raise OSError("no file {} for {} of {}".format(*places))
"""


@pytest.mark.parametrize(
    "deed", ["", "import os; os.abort()"], ids=["an error", "the stack of a crash"]
)
def test_results_hold_no_places_of_this_machine(bench, deed):
    bench.chapter("import numpy as np", TELLING)
    body = f"def tensor(self, *words):\n    {deed}\n    return super().tensor(*words)"
    bench.run_apart("--isolate", backend=bench.adapter(body if deed else ""))
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status in {Status.ERROR, Status.CRASH}
    assert ("mine.py" if deed else "no file ./x for <packages>/numpy/") in str(verdict)
    text = bench.results.read_text()
    for place in (str(bench.path), str(Path.home()), sys.prefix, str(Path(np.__file__).parents[1])):
        assert place not in text


UNTOLD = """
from hypothesis.strategies import builds


class Silent:
    def __repr__(self):
        raise KeyError("nothing to show")


@claim("TST-03", about="mul")
@given(value=builds(Silent))
def test_silent(be, value):
    "A failure is told though its values cannot be, and what follows though its source is gone."
    Path(__file__).write_text("# another file")
    assert be.numpy(be.mul(be.tensor([1.0]), 2.0))[0] == 3.0


@claim("TST-02", about="mul")
def test_right(be):
    "Twice one is two."
    assert be.numpy(be.mul(be.tensor([1.0]), 2.0))[0] == 2.0
"""


@pytest.mark.parametrize("words", [(), ("--isolate",)])
def test_what_cannot_be_told_ends_no_run(bench, words):
    bench.chapter("from pathlib import Path", UNTOLD)
    bench.run_apart(*words)
    found = bench.verdicts()
    assert (found["TST-03"].status, found["TST-02"].status) == (Status.ERROR, Status.PASS)
    assert "value = a Silent, whose __repr__ raised KeyError" in found["TST-03"].reproduction


@pytest.mark.parametrize("drawn", ["", BESIDE])
def test_of_what_is_enumerated_all_is_checked(bench, drawn):
    bench.chapter(ENUMERATED.format(drawn=drawn, x=", x" if drawn else ""))
    bench.run("--hypothesis-profile", "quick")
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.FAIL
    assert verdict.drawn >= 40
    assert "name = 'number 39'" in verdict.reproduction
    # Made smaller, as all that is drawn.
    assert ("x = 1" in verdict.reproduction) == bool(drawn)


def test_what_is_drawn_for_each_value_is_not_the_least_alone(bench):
    bench.chapter(NOT_FOR_ZERO)
    bench.run("--hypothesis-profile", "quick")
    assert bench.verdicts()["TST-03"].status is Status.FAIL


def test_beside_each_value_others_are_drawn(bench):
    bench.chapter(OTHERS)
    bench.run("--hypothesis-profile", "quick")
    assert bench.verdicts()["TST-03"].status is Status.PASS


@pytest.mark.parametrize("words", [[], ["--hypothesis-show-statistics"]])
@pytest.mark.parametrize(
    ("drawn", "divisor", "met"),
    [("", 1, 40), ("", 4, 40), (BESIDE, 1, 80), (BESIDE, 4, 2)],
)
def test_so_many_of_what_is_enumerated_are_met(bench, words, drawn, divisor, met):
    """All of them, with two examples beside each; where examples are dear it is drawn as well."""
    bench.chapter(RIGHT.format(drawn=drawn, x=", x" if drawn else ""))
    adapter = bench.adapter(f"example_divisor = {divisor}")
    bench.run("--hypothesis-profile", "quick", *words, backend=adapter)
    verdict = bench.verdicts()["TST-03"]
    assert (verdict.status, verdict.drawn) == (Status.PASS, met)


@pytest.mark.parametrize("values", [{}, {"name": []}, {"name": [1], "other": [2]}])
def test_what_is_enumerated_are_values_of_one_argument(values):
    with pytest.raises(ValueError, match="it takes the values of one argument"):
        every(**values)


def test_what_is_enumerated_is_no_strategy():
    with pytest.raises(TypeError, match="every: name takes the values one by one, not a strategy"):
        every(name=sampled_from([1, 2]))
