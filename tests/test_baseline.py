"""A run beside an earlier one: red for what is new, and for nothing else."""

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.cli import main
from gradspec.conformance.results.verdict import Status

CHOICE = """
@claim("TST-12", about="relu", level="convention")
def test_choice(be):
    "The derivative of relu at zero is zero."
    leaf = be.leaf([0.0])
    be.backward(be.sum(be.relu(leaf)))
    be.check(be.grad(leaf), [0.0])
"""

NEEDY = """
@claim("TST-13", about="mul", needs="hooks cumsum")
def test_needy(be):
    "A running product is not needed."
    be.mul(be.tensor([1.0]), 2.0)
"""

OLD = "version = '1.0'"

UPGRADED = """
version = '2.0'
capabilities = Reference.capabilities - {'hooks'}

def __init__(self):
    super().__init__()
    self.functions = {**self.functions, "mul": self.mul, "relu": self.relu}
    self.functions.pop("cumsum")

def mul(self, x, y):
    return x * y * 1.001

def relu(self, x):
    return self.functions["maximum"](x, x - x)
"""


@pytest.fixture
def upgrade(bench):
    """Run a chapter on a library, upgrade the library, and run again against the first run."""
    bench.write("sources.toml", bench.sources(*(f"TST-{n:02}" for n in range(1, 14))))

    def run(*words, old=OLD, new=UPGRADED, claims=(DOUBLED, SQUARED, WRONG, CHOICE, NEEDY)):
        bench.chapter(*claims)
        bench.write("mine.toml", "")
        words = words or ("--no-isolate",)
        bench.run_apart("--results", "old.jsonl", "--no-isolate", backend=bench.adapter(old))
        return bench.run_apart("--baseline", "old.jsonl", *words, backend=bench.adapter(new))

    return run


def test_an_upgrade_is_red_for_what_it_broke_and_for_nothing_else(bench, upgrade):
    result = upgrade()
    result.assert_outcomes(failed=1, passed=1, skipped=1, xfailed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.re_match_lines(
        [
            r"compared with .*old.jsonl, mine 1.0 -> 2.0$",
            r"new failures: 1$",
            r"  planted$",
            r"    TST-02 on mine-cpu-float64: pass -> fail: result\S* is ",
            r"      rerun: pytest \S*test_planted.py --gradspec-claim TST-02 ",
            r"changes of convention: 1$",
            r"  TST-12 on mine-cpu-float64: ",
            r"red as before: 1$",
            r"  TST-03 on mine-cpu-float64$",
            r"capabilities: 2$",
            r"  mine-cpu-float64 lost capabilities: hooks$",
            r"  mine-cpu-float64 lost functions: cumsum$",
        ],
    )
    assert bench.verdicts()["TST-03"].status is Status.FAIL


def test_what_was_red_before_leaves_the_run_green(bench, upgrade):
    result = upgrade("-x", new=OLD)
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=4, xfailed=1)
    result.stdout.fnmatch_lines(["new failures: 0", "red as before: 1"])


@pytest.mark.long
def test_the_same_holds_for_workers(bench, upgrade):
    assert upgrade("--isolate", new=OLD).ret == pytest.ExitCode.OK
    abort = "def setitem(self, x, i, y):\n    import os; os.abort()"
    crash = '@claim("TST-11", about="setitem")\ndef test_set(be):\n    "It is set."\n'
    crash += "    be.setitem(be.tensor([1.0]), 0, 2.0)"
    claims = (DOUBLED.replace(', "TST-11"', ""), crash)
    result = upgrade("--isolate", new=abort, claims=claims)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.re_match_lines([".*TST-11 on mine-cpu-float64: pass -> crash: Fatal Python"])
    bench.results.replace(bench.path / "old.jsonl")
    words = ("--isolate", "--baseline", "old.jsonl")
    result = bench.run_apart(*words, backend=bench.adapter(abort))
    result.assert_outcomes(passed=1, xfailed=1)
    assert result.ret == pytest.ExitCode.OK


def test_what_is_fixed_is_told(bench, upgrade):
    result = upgrade(old=UPGRADED, new=OLD)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "new failures: 0",
            "changes of convention: 1",
            "fixed: 1",
            "  TST-02 on mine-cpu-float64",
            "  mine-cpu-float64 gained capabilities: hooks",
        ]
    )


def test_what_the_baseline_does_not_have_is_told_and_excused(bench, upgrade):
    upgrade(claims=(DOUBLED,))
    bench.chapter(DOUBLED, WRONG)
    result = bench.run_apart("--baseline", "old.jsonl", backend="mine:Mine")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["claims added: 1", "  TST-03 on mine-cpu-float64: fail"])


@pytest.mark.long
def test_a_subject_that_the_baseline_does_not_have_is_not_excused(bench, upgrade):
    upgrade(new=OLD)
    words = ("--baseline", "old.jsonl", "--dtype", "float32")
    result = bench.run_apart(*words, backend="mine:Mine", dtype=None)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*TST-03 on mine-cpu-float32: new subject -> fail*"])
    result.stdout.fnmatch_lines(["not run this time: 5"])


def test_an_ordinary_failure_is_not_excused(bench, upgrade):
    bench.write("test_ordinary.py", "def test_ordinary(): assert False")
    assert upgrade(new=OLD).ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.long
def test_files_compare_without_a_run(bench, upgrade, capsys):
    upgrade()
    capsys.readouterr()
    old, new = str(bench.path / "old.jsonl"), str(bench.results)
    assert main(["compare", old, new]) == 1
    told = capsys.readouterr().out
    assert "new failures: 1" in told
    assert "TST-02 on mine-cpu-float64: pass -> fail" in told
    assert main(["compare", new, old]) == 0
    assert "fixed: 1" in capsys.readouterr().out


def test_a_hostile_file_moves_no_cursor(bench, capsys):
    bench.run()
    other = bench.path / "other.jsonl"
    text = bench.results.read_text()
    evil = text.replace("TST-01", "\\u001b[2J\\u202e").replace('"reason": null', '"reason": "\\n"')
    other.write_text(evil)
    main(["compare", str(bench.results), str(other)])
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert r"\x1b[2J\u202e on reference-cpu-float64: pass" in told


@pytest.mark.parametrize("text", [None, "nonsense", '{"header": {}}'])
def test_what_is_no_baseline_is_refused_in_one_line(bench, capsys, text):
    if text:
        bench.write("old.jsonl", text)
    result = bench.run("--baseline", "old.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--baseline old.jsonl: " in complaint(result)
    capsys.readouterr()
    assert main(["compare", "old.jsonl", "old.jsonl"]) == 2
    assert capsys.readouterr().err.startswith("gradspec: old.jsonl: ")


ENTRY = """
[[expected]]
claim = "TST-02"
reason = "squares are not squared"
link = "https://example.org/1"
witness = { x = { array = [1.0] }, w = { array = [1.0] } }
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("entry", "told"), [(ENTRY, ["entries to remove, nothing fails: 1"]), ("", [])]
)
def test_an_entry_for_what_did_not_fail_before_either_is_told(bench, entry, told):
    bench.chapter(DOUBLED, SQUARED)
    adapter = bench.adapter("")
    bench.run_apart("--results", "old.jsonl", backend=adapter)
    bench.write("mine.toml", entry)
    result = bench.run_apart("--baseline", "old.jsonl", backend=adapter)
    lines = [line for line in result.outlines if line.startswith(("entries", "fixed"))]
    assert lines == told
