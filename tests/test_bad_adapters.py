"""An adapter that breaks the protocol is named, with the method at fault; the run goes on."""

import pytest

from bench import DOUBLED, SQUARED, complaint
from gradspec.conformance.results.verdict import Status


@pytest.mark.parametrize(
    ("module", "culprit", "remedy"),
    [
        ("import nothing_of_this_name", "nothing_of_this_name", "install what it needs"),
        ("1 / 0", "ZeroDivisionError", "mend that module"),
        ("class Other: pass", "mine has no Mine", "name a class"),
        ("Mine = 3", "not a subclass", "gradspec.conformance.Backend"),
        ("def (", "SyntaxError", "mend that module"),
    ],
)
def test_an_adapter_that_cannot_be_imported_is_refused(bench, module, culprit, remedy):
    bench.write("mine.py", module)
    result = bench.run(backend="mine:Mine")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert culprit in complaint(result)
    assert remedy in complaint(result)


@pytest.mark.parametrize(
    ("body", "culprit"),
    [
        ("numpy = Backend.numpy", "Mine lacks numpy"),
        ("version = Backend.version", "Mine lacks version"),
        ("retain_grad = Backend.retain_grad", "Mine lacks retain_grad, though it declares 'hooks'"),
        ("capabilities = frozenset({'bakcward'})", "'bakcward'"),
        ("dtypes = ('float63',)", "'float63'"),
        ("functions = property(lambda self: {}, lambda self, value: None)", "has no 'mul'"),
        ("def __init__(self):\n    pass", "has no functions"),
        ("def __init__(self):\n    raise OSError('no licence')", "no licence"),
        ("@property\ndef version(self):\n    raise OSError('no version')", "no version"),
        ("def devices(self):\n    raise OSError('no driver')", "no driver"),
        ("oldest = '99.1'\nversion = '99.0.3'", "Mine is for 99.1 and newer releases, and"),
        ("version = None", "Mine.version is None: make it a text"),
        ("version = float('nan')", "Mine.version is nan: make it a text"),
        ("version = 2", "Mine.version is 2: make it a text"),
        ("version = ''", "Mine.version is '': make it a text"),
        ("version = ('1', '2')", "Mine.version is ('1', '2'): make it a text"),
        ("version = 'x' * 1000", "Mine.version is 'xxx"),
        ("version = '1\\n2'", "Mine.version is '1\\n2': make it a text"),
        ("@property\ndef version(self):\n    return None", "Mine.version is None"),
        ("name = None", "Mine.name is None: make it a text"),
        ("name = ''", "Mine.name is '': make it a text"),
        ("name = 3", "Mine.name is 3: make it a text"),
        ("name = 'n' * 1000", "Mine.name is 'nnn"),
        ("def device_model(self, device):\n    return None", "device_model('cpu') is None"),
        ("def device_model(self, device):\n    return 3.5", "device_model('cpu') is 3.5"),
        ("def devices(self):\n    return ['cpu', 3]", "devices names 3: name some of cpu, cuda"),
        ("def devices(self):\n    return 'cpu'", "devices() is 'cpu': return a tuple of names"),
        ("def devices(self):\n    return None", "devices() is None: return a tuple of names"),
        (
            "def __init__(self):\n    super().__init__()\n    self.functions['summ'] = sum",
            "did you mean 'sum'?",
        ),
    ],
)
def test_an_adapter_that_is_not_whole_is_refused(bench, body, culprit):
    result = bench.run(backend=bench.adapter(body))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert culprit in complaint(result)
    assert "--backend mine:Mine" in complaint(result)


TENSOR = "def tensor(self, array, *rest):\n"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("def numpy(self, x):\n    return x.array.tolist()", "numpy returned float"),
        ("def numpy(self, x):\n    return x.array.copy().reshape(-1)", "numpy gave (1,) for"),
        ("def numpy(self, x):\n    return x.array.astype('float16')", "keep dtypes"),
        ("def numpy(self, x):\n    return x.array", "numpy returned an alias"),
        (
            "def numpy(self, x):\n    array = x.array.copy()\n    array += 1\n    return array",
            "same values",
        ),
        ("def dtype_of(self, x):\n    return 'double'", "say 'float64'"),
        (
            f"{TENSOR}    array[...] = 0\n    return super().tensor(array, *rest)",
            "changed its input",
        ),
        (f"{TENSOR}    return self.library.Tensor.from_array(array)", "tensor kept its input"),
        ("def leaf(self, *args):\n    return self.tensor(*args)", "requires no grad"),
        ("def grad(self, x):\n    return None", "grad returned None"),
        ("def backward(self, y, cotangent=None, **options):\n    {}['x']", "KeyError: 'x'"),
    ],
)
def test_the_smoke_check_names_the_method_at_fault(bench, body, fault):
    bench.chapter(DOUBLED, SQUARED)
    result = bench.run("--backend", bench.adapter(body))
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*adapter Mine: *"])
    verdicts = bench.all_verdicts()
    assert [v.status for v in verdicts if v.backend == "reference"] == [Status.PASS] * 2
    wrong = [v for v in verdicts if v.backend == "mine"]
    assert [v.status for v in wrong] == [Status.ERROR] * 2
    assert all(v.reason.startswith("adapter Mine: ") and fault in v.reason for v in wrong)


REFUSING = """
@claim("TST-03", about="add")
def test_refusal(be):
    "Nothing may be added to a vector of two entries."
    with be.raises(ErrorKind.SHAPE):
        be.add(be.leaf([1.0, 2.0]), 1.0)
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "ZeroDivisionError, which error_kind does not map where SHAPE is expected: planted"),
        ("def error_kind(self, error):\n    return 'shapes'", "error_kind returned 'shapes'"),
        ("def error_kind(self, error):\n    return error.kind", "error_kind raised AttributeError"),
    ],
)
def test_what_an_adapter_does_not_map_is_an_error(bench, body, reason):
    bench.chapter(REFUSING, DOUBLED)
    planted = (
        "def __init__(self):\n"
        "    super().__init__()\n"
        "    self.functions['add'] = self.planted\n\n"
        "def planted(self, x, y):\n"
        "    if type(y) is float:\n"
        "        raise ZeroDivisionError('planted')\n"
        "    return x + y\n\n"
    )
    result = bench.run(backend=bench.adapter(planted + body))
    result.assert_outcomes(passed=1, failed=1)
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.ERROR
    assert reason in verdict.reason


def test_a_state_that_cannot_be_read_is_an_error_not_a_pass(bench):
    body = (
        "looks = 0\n\n"
        "def state(self):\n"
        "    self.looks += 1\n"
        "    return {'grad mode': [True][self.looks - 1]}\n"
    )
    result = bench.run(backend=bench.adapter(body))
    result.assert_outcomes(failed=1)
    assert bench.verdicts()["TST-01"].status is Status.ERROR


def test_a_claim_cannot_be_skipped(bench):
    bench.chapter(
        DOUBLED.replace("    leaf =", "    __import__('pytest').skip('not today')\n    leaf =")
    )
    result = bench.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert bench.verdicts()["TST-01"].status is Status.ERROR
