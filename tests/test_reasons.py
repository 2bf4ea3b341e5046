"""A failure is told as it is: what was raised, by which function, and whether it repeats."""

import ast
from pathlib import Path

import pytest

from bench import DOUBLED
from gradspec.conformance import backends
from gradspec.conformance.results.verdict import Status

BACKENDS = Path(backends.__file__).parent

SINE = """
@claim("TST-02", about="sin")
@given(x=arrays(min_size=1))
def test_sine(be, x):
    "The sine of a tensor is a tensor."
    import numpy as np
    be.check(be.mul(be.sin(be.tensor(x)), 1.0), np.sin(x))
"""

RAISES = """
class Mute(Exception):
    def __str__(self):
        raise ValueError("no")

class Deadly(Exception):
    def __str__(self):
        raise SystemExit(0)

Red = type("\\x1b[31mRed", (Exception,), {})

def __init__(self):
    super().__init__()
    self.functions["sin"] = self.planted

def planted(self, x):
    raise {error}
"""


def reason(bench, body, *claims, words=()):
    """Return the verdict on the first claim; the one after it passes."""
    bench.chapter(*claims, DOUBLED)
    result = bench.run(*words, backend=bench.adapter(body))
    for line in (*result.outlines, *result.errlines):
        assert "INTERNALERROR" not in line
        assert line.isprintable() or line.expandtabs().isprintable(), line
    verdict, last = bench.all_verdicts()
    assert last.status is Status.PASS
    assert verdict.reason.isprintable()
    return verdict


UNMAPPED = ", which error_kind does not map"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("self.Mute()", f"Mute{UNMAPPED}: (no message: its __str__ raised ValueError)"),
        ("self.Deadly()", f"Deadly{UNMAPPED}: (no message: its __str__ raised SystemExit)"),
        (
            "KeyError('\\x1b[31mred\\x07 \\udc80')",
            f"KeyError{UNMAPPED}: '\\x1b[31mred\\x07 \\udc80'",
        ),
        ("OSError('\\x1b]0;title\\x07')", f"OSError{UNMAPPED}: \\x1b]0;title\\x07"),
        ("OSError('\\ud800')", f"OSError{UNMAPPED}: \\ud800"),
        ("OSError('\\n\\n  first\\nsecond')", f"OSError{UNMAPPED}: first"),
        ("OSError('\\n')", f"OSError{UNMAPPED}"),
        ("OSError()", f"OSError{UNMAPPED}"),
        ("AssertionError()", "AssertionError"),
        ("AssertionError('\\n\\nno')", "no"),
        ("SystemExit(0)", "SystemExit: 0"),
        ("SystemExit()", "SystemExit"),
        ("GeneratorExit()", "GeneratorExit"),
        ("BaseException('\\n why')", "BaseException: why"),
        ("__import__('pytest').skip.Exception('not today')", "Skipped: not today"),
        ("self.Red('why')", f"\\x1b[31mRed{UNMAPPED}: why"),
        (
            "ExceptionGroup('two', [OSError(1), self.Mute()])",
            f"ExceptionGroup{UNMAPPED}: two (2 sub-ex",
        ),
    ],
)
def test_what_an_exception_says_is_told_in_a_line(bench, error, told):
    verdict = reason(bench, RAISES.replace("{error}", error), SINE)
    assert verdict.reason.startswith(told)
    assert verdict.reason == told or told.endswith("sub-ex")
    assert "rerun: pytest" in verdict.reproduction


def test_what_a_library_prints_is_shown_and_does_nothing(bench):
    shout = 'print("\\x1b[31mred", file=__import__("sys").stderr) or OSError()'
    bench.chapter(SINE)
    result = bench.run(backend=bench.adapter(RAISES.replace("{error}", shout)))
    assert "\x1b" not in result.stdout.str()
    result.stdout.fnmatch_lines(["\\x1b[[]31mred"])


@pytest.mark.parametrize("word", ["-l", "--full-trace", "--tb=long", "--tb=native", "--tb=line"])
def test_no_kind_of_traceback_does_anything(bench, word):
    bench.chapter(SINE)
    odd = "OSError(type('Odd', (), {'__repr__': lambda _: '\\x1b[31m'})(), '\\x1b[32m')"
    local = RAISES.replace("    raise", f"    local = {odd}\n    raise").replace("{error}", "local")
    result = bench.run(word, "-rA", backend=bench.adapter(local))
    assert "\x1b" not in result.stdout.str()


@pytest.mark.parametrize("words", [["-n", "1"], ["--isolate"]])
def test_any_text_comes_back_from_a_worker(bench, words):
    bench.chapter(SINE, DOUBLED)
    error = "OSError(chr(0xD800) + chr(27))"
    bench.run_apart(*words, backend=bench.adapter(RAISES.replace("{error}", error)))
    assert bench.verdicts()["TST-02"].reason == f"OSError{UNMAPPED}: \\ud800\\x1b"
    assert bench.verdicts()["TST-01"].status is Status.PASS


# ---- what does not repeat ------------------------------------------------------------------------

ONCE = """
count = 0

def __init__(self):
    super().__init__()
    self.functions["sin"] = self.counted

def counted(self, x):
    type(self).count += 1
    {deed}
    return self.library.sin(x)
"""


@pytest.mark.parametrize(
    ("deed", "status", "told"),
    [
        ("assert self.count != 3, 'the third'", Status.FAIL, "the third"),
        ("if self.count == 3: raise OSError('3')", Status.ERROR, f"OSError{UNMAPPED}: 3"),
        ("if self.count == 3: x = x * 2", Status.FAIL, "result"),
        ("if self.count == 3: self.library.Tensor.backward(x)", Status.FAIL, "a tensor neither"),
        (
            "if self.count == 3: __import__('numpy').seterr(all='raise')",
            Status.FAIL,
            "global state",
        ),
    ],
)
def test_a_failure_that_does_not_repeat_is_told_with_that(bench, deed, status, told):
    verdict = reason(bench, ONCE.replace("{deed}", deed), SINE)
    assert verdict.status is status
    assert verdict.reason.startswith(told)
    assert verdict.reason.endswith("; it did not repeat when the same values were tried again")
    assert "x = np.array" in verdict.reproduction


# ---- which function ------------------------------------------------------------------------------

RETURNS = """
def __init__(self):
    super().__init__()
    self.functions["sin"] = lambda x: {result}
"""

RAW = SINE.replace("be.mul(be.sin(be.tensor(x)), 1.0)", "be.sin(be.tensor(x))")
METHOD = SINE.replace("be.mul(be.sin(be.tensor(x)), 1.0)", "be.sin(be.tensor(x)) * be.tensor(x)")


@pytest.mark.parametrize("claim", [SINE, RAW, METHOD], ids=["passed on", "read", "operator"])
@pytest.mark.parametrize(
    ("result", "kind"), [("3.5", "float"), ("None", "NoneType"), ("'x'", "str"), ("{}", "dict")]
)
def test_a_function_that_returns_no_tensor_is_named(bench, claim, result, kind):
    verdict = reason(bench, RETURNS.replace("{result}", result), claim)
    assert verdict.reason.startswith(f"sin returned {kind}, not a tensor: ")


@pytest.mark.parametrize(("result", "kind"), [("x.array", "ndarray"), ("x.array[0]", "float64")])
def test_a_function_that_returns_what_is_numpys_is_named(bench, result, kind):
    verdict = reason(bench, RETURNS.replace("{result}", result), RAW)
    assert verdict.reason.startswith(f"sin returned {kind}, not a tensor: ")


PARTS = """
@claim("TST-02", about="split")
def test_parts(be):
    "Four entries make two parts of two."
    first, second = be.split(be.tensor([1.0, 2.0, 3.0, 4.0]), 2)
"""

SPLIT = """
def __init__(self):
    super().__init__()
    self.functions["split"] = lambda x, size: {result}
"""


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("(x,)", "split returned 1 result, expected 2: "),
        ("[x, x, x]", "split returned 3 results, expected 2: "),
        ("()", "split returned 0 results, expected 2: "),
        ("x[:1]", "split returned 1 result, expected 2: "),
        ("3.5", "split returned 1 result, expected several: "),
    ],
)
def test_a_wrong_number_of_results_is_counted(bench, result, told):
    assert reason(bench, SPLIT.replace("{result}", result), PARTS).reason.startswith(told)


def test_what_a_library_unpacks_itself_is_its_own(bench):
    inner = "(lambda a, b: 1)(*[0, 0]) and [y for y, z in [(1, 2, 3)]]"
    verdict = reason(bench, SPLIT.replace("{result}", inner), PARTS)
    assert verdict.reason.startswith(f"ValueError{UNMAPPED}: too many values")


PRODUCTS = """
@claim("TST-02", about="vjp gradients jvp")
def test_products(be):
    "The derivative of a square is twice the input."
    import numpy as np
    value, pull = be.vjp(lambda x: x * x, np.array([3.0]))
    be.check(pull(np.ones(1))[0], [6.0])
    leaf = be.leaf([3.0])
    be.check(be.gradients(leaf * leaf, [leaf], np.ones(1))[0], [6.0])
"""

PAIRS = """
def vjp(self, function, *inputs, create_graph=False):
    value, pull = super().vjp(function, *inputs, create_graph=create_graph)
    return {vjp}

def gradients(self, y, inputs, cotangent=None, **options):
    found = super().gradients(y, inputs, cotangent, **options)
    return {gradients}
"""

RIGHT = {"vjp": "value, pull", "gradients": "found"}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"vjp": "value, pull, 3"}, "mine.vjp returned 3 results, expected 2"),
        ({"vjp": "value"}, "mine.vjp returned Tensor"),
        ({"vjp": "value, lambda c: ()"}, "mine.vjp: the pullback returned 0 results, expected 1"),
        ({"vjp": "value, lambda c: pull(c)[0]"}, "mine.vjp: the pullback returned "),
        ({"vjp": "value, lambda c: None"}, "mine.vjp: the pullback returned None: return 1 in a"),
        ({"gradients": "[*found, *found]"}, "returned 2 results, expected 1"),
        ({"gradients": "found[0]"}, "returned Tensor([6.]): return 1 in a tuple"),
    ],
)
def test_a_wrong_number_of_derivatives_is_counted(bench, wrong, told):
    verdict = reason(bench, PAIRS.format(**{**RIGHT, **wrong}), PRODUCTS)
    assert verdict.status is Status.ERROR
    assert told in verdict.reason


# ---- yes or no -----------------------------------------------------------------------------------

ASKS = """
@claim("TST-02", about="is_leaf requires_grad is_grad_enabled shares_memory backward")
@given(x=arrays(min_size=1))
def test_asks(be, x):
    "A leaf is a leaf, while there is grad."
    leaf = be.leaf(x)
    assert be.is_leaf(leaf)
    assert be.requires_grad(leaf)
    assert be.is_grad_enabled()
    be.backward(be.sum(leaf))
"""


@pytest.mark.parametrize("method", ["is_leaf", "requires_grad", "is_grad_enabled", "shares_memory"])
@pytest.mark.parametrize("answer", ["3", "float('nan')", "None", "'no'", "[]", "np.True_"])
def test_yes_or_no_is_answered_with_true_or_false(bench, method, answer):
    bench.chapter(ASKS)
    body = f"def {method}(self, *_):\n    import numpy as np\n    return {answer}\n"
    bench.run(backend=bench.adapter(body))
    verdict = bench.verdicts()["TST-02"]
    assert verdict.status is Status.ERROR
    assert f"mine.{method} returned " in verdict.reason
    assert verdict.reason.partition(": return True or False")[1]


@pytest.mark.parametrize("path", sorted(BACKENDS.glob("*.py")), ids=lambda path: path.stem)
def test_no_reason_of_a_library_hides_one_that_stands_after_it(path):
    """The first text that is in a message decides."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        target = (
            node.target if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [0])[0]
        )
        if isinstance(target, ast.Name) and target.id == "KINDS":
            parts = [ast.literal_eval(key) for key in node.value.keys]
            hidden = [(b, a) for at, b in enumerate(parts) for a in parts[:at] if a in b]
            assert not hidden
