"""The tutorial: its library, its adapter, what goes red first, and what mends it."""

import re
from pathlib import Path

import pytest

from bench import SQUARED
from gradspec.conformance.cli import main
from gradspec.conformance.results.verdict import Status

TUTORIAL = Path(__file__).parent.parent / "docs" / "writing-an-adapter.md"
RUN = ("--pyargs", "gradspec.spec", "--backend", "tape_adapter:Tape", "-p", "no:cacheprovider")
QUICK = ("--hypothesis-profile", "quick", "--dtype", "float64", "--no-isolate", "--alone", "0")


@pytest.fixture
def blocks(pytester):
    """The blocks of code, by their headings; the two files are where a run finds them."""
    text = TUTORIAL.read_text(encoding="utf-8")
    found = dict(re.findall(r"```python\n# (.+?)\n(.+?)```", text, re.DOTALL))
    for name in ("tape.py", "tape_adapter.py"):
        (pytester.path / name).write_text(found[name], encoding="utf-8")
    pytester.syspathinsert()
    return found


@pytest.mark.long
def test_products_go_red_first_and_a_general_one_mends_them(pytester, blocks):
    result = pytester.runpytest_subprocess(*RUN, *QUICK)
    red = set(re.findall(r"FAILED .*::(\w+)\[\S+?(-matmul)?\]", result.stdout.str()))
    assert ("test_gradient", "-matmul") in red
    assert {name for name, operation in red if not operation} == {
        "test_backward_multiplies_the_jacobian_from_the_left",
        "test_the_gradients_of_a_matrix_product",
    }
    result.stdout.fnmatch_lines(["*rerun: *--gradspec-claim GEN-04 *-backend tape_adapter:Tape*"])
    path = pytester.path / "tape.py"
    head, _, rest = path.read_text(encoding="utf-8").partition("def matmul")
    rest = rest[rest.index("def getitem") :]
    mended = f"{head}{blocks['tape.py, instead of its matmul']}\n\n{rest}"
    path.write_text(mended, encoding="utf-8")
    # Values that float32 cannot square are far out there, and not in float64.
    for more in ((), ("--dtype", "float32", "-m", "extremes")):
        outcomes = pytester.runpytest_subprocess(*RUN, *QUICK, *more).parseoutcomes()
        assert "failed" not in outcomes
        assert outcomes["passed"] > 20


def test_a_new_backend_overwrites_nothing(blocks, capsys):
    assert main(["new-backend", "tape"]) == 2
    assert "tape_adapter.py" in capsys.readouterr().err


def test_a_library_that_is_not_there_is_named(pytester, capsys):
    assert main(["new-backend", "no_such_library"]) == 2
    assert "new-backend no_such_library" in capsys.readouterr().err


def test_a_library_without_a_sine_is_checked_all_the_same(bench):
    adapter = bench.adapter(
        """
        def __init__(self):
            super().__init__()
            self.functions = {k: f for k, f in self.functions.items() if k not in ("sin", "mean")}
        """
    )
    bench.chapter(
        SQUARED,
        """
        @claim("TST-03", about="mul")
        @given(x=arrays())
        def test_sine(be, x):
            "A sine, times itself, is never negative."
            be.mul(be.sin(be.tensor(x)), be.sin(be.tensor(x)))
        """,
    )
    bench.run(backend=adapter).assert_outcomes(passed=1, skipped=1)
    verdict = bench.verdicts()["TST-03"]
    assert (verdict.status, verdict.reason) == (Status.UNSUPPORTED, "mine does not declare sin")
