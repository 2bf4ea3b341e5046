"""Scripts of failing verdicts: in the library's own words, tried, and without gradspec."""

import functools
import operator
import subprocess
import sys
from dataclasses import replace
from textwrap import dedent

import numpy as np
import pytest

from gradspec.conformance.cli import main
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.loading import load
from gradspec.conformance.scripting.page import Page, Unwritten, nested
from gradspec.conformance.scripting.spelling import Spelling
from sites import SINE
from written import PASSED, write_run

torch = pytest.importorskip("torch")

KNOWN = replace(SINE, backend="torch", status=Status.EXPECTED_FAILURE, expected="defect")


def script(path, name, capsys):
    """Write a script by the command; return its text, and what comes of it elsewhere."""
    assert main(["script", str(path), name]) == 0
    text = capsys.readouterr().out
    done = subprocess.run(  # noqa: S603 - the text is our own
        [sys.executable, "-c", text], capture_output=True, text=True, check=False
    )
    return text, done


# ---- what is red ---------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("claim", "operation", "shown"),
    [
        ("GEN-02", "kron", "torch.kron("),
        ("GEN-05", "as_strided_scatter", "torch.as_strided_scatter(a0, a1, (2, 2), (1, 2), 0)"),
        ("GEN-10", "embedding_bag", "torch.func.jvp(lambda "),
        ("GEN-11", "hardsigmoid", "create_graph=True"),
        ("CPX-12", "asinh", "torch.tensor([complex("),
    ],
)
def test_a_known_defect_is_shown_by_the_library_alone(tmp_path, capsys, claim, operation, shown):
    path = write_run(tmp_path / "run.jsonl", replace(KNOWN, claim=claim, operation=operation))
    text, done = script(path, f"{claim}[{operation}]", capsys)
    assert "gradspec" not in text
    assert shown in text
    assert f"({claim})" in text
    assert done.returncode == 1
    assert done.stdout.startswith(("expected", "raised"))
    assert "Traceback" not in done.stderr


CROOKED = dedent(
    """
    from gradspec.conformance.backends.torch import Torch


    HALF = 0.5


    def scaled(x, factor):
        return x * factor


    def dented(x):
        return scaled(x.sin(), 1.0) + HALF * (x - x.detach())


    class Crooked(Torch):
        name = "torch"
        functions = {**Torch.functions, "sin": dented}
    """
)


@pytest.mark.long
def test_a_function_of_the_adapter_is_quoted_with_what_it_needs(tmp_path, monkeypatch, capsys):
    (tmp_path / "crooked.py").write_text(CROOKED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    red = replace(
        KNOWN,
        status=Status.FAIL,
        expected=None,
        reproduction="rerun: pytest --gradspec-backend crooked:Crooked",
    )
    path = write_run(tmp_path / "run.jsonl", red)
    text, done = script(path, "GEN-04[sin] on torch-cpu-float64", capsys)
    for part in ("HALF = 0.5", "def scaled(x, factor):", "def dented(x):", "dented(a0)"):
        assert part in text
    assert "class Crooked" not in text
    assert (done.returncode, done.stdout[:8]) == (1, "expected")


@pytest.mark.parametrize(
    ("verdict", "name", "complaint"),
    [
        (SINE, "GEN-04[sin]", "does not fail in"),
        (SINE, "GEN-04[cos]", "is not in"),
        (replace(SINE, status=Status.FAIL), "GEN-04[sin]", "does not fail here, on torch"),
        (replace(PASSED, claim="XYZ-01", status=Status.FAIL), "XYZ-01", "no claim of gradspec's"),
        (replace(KNOWN, claim="ACC-18", operation=None), "ACC-18", "no script can be written: "),
        (replace(SINE, status=Status.FAIL, mode="vmap"), "GEN-04[sin]", "what runs eagerly"),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_line(tmp_path, capsys, verdict, name, complaint):
    path = write_run(tmp_path / "run.jsonl", verdict)
    assert main(["script", str(path), name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line


def test_a_script_is_written_where_it_is_wanted(tmp_path, capsys):
    path = write_run(tmp_path / "run.jsonl", replace(KNOWN, claim="GEN-02", operation="kron"))
    words = ["script", str(path), "GEN-02[kron]", "--output"]
    assert main([*words, str(tmp_path / "kron.py")]) == 0
    assert "torch.kron(" in (tmp_path / "kron.py").read_text(encoding="utf-8")
    assert main([*words, str(tmp_path / "no" / "kron.py")]) == 2
    assert "cannot be written" in capsys.readouterr().err


# ---- words for functions -------------------------------------------------------------------------


def meant(function, library="torch"):
    """Write a function, and return what Python makes of it."""
    spelling = Spelling(library, __name__)
    expression = spelling.of(function)
    known = {}
    exec("\n".join([*spelling.imports, *spelling.definitions]), known)
    return expression, eval(expression, known)


@pytest.mark.parametrize("library", ["torch", "reference"])
def test_every_function_of_an_adapter_has_words(library):
    for name, function in load(library).functions.items():
        expression, found = meant(function, library)
        assert callable(found), (name, expression)


def shifted(by):
    return lambda x, scale=2.0: torch.mul(x, scale) + by


def named(function):
    def call(x):
        return function(x) - 1

    return call


SQUARE, CUBE = lambda x: x * x, lambda x: x * x * x


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (torch.sin, "torch.sin"),
        (torch.Tensor.neg_, "torch.Tensor.neg_"),
        (operator.getitem, "operator.getitem"),
        (operator.attrgetter("mT"), "operator.attrgetter('mT')"),
        (functools.partial(torch.sum, dim=0), "functools.partial(torch.sum, dim=0)"),
        (shifted(3.0), "(lambda by: (lambda x, scale=2.0: torch.mul(x, scale) + by))(3.0)"),
        (named(torch.cos), "make_call(torch.cos)"),
        (SQUARE, "(lambda x: x * x)"),
        (CUBE, "(lambda x: x * x * x)"),
    ],
)
def test_a_function_is_written_as_what_it_is(function, words):
    expression, found = meant(function)
    assert expression == words
    x = torch.tensor([[0.5, 2.0], [1.0, 3.0]])
    if "getitem" in words:
        assert torch.equal(found(x, 1), x[1])
    else:
        assert torch.equal(found(x.clone()), function(x.clone()))


def test_what_holds_a_tensor_has_no_words():
    with pytest.raises(Unwritten, match="a Tensor is held"):
        Spelling("torch", __name__).of(shifted(torch.ones(2)))


# ---- names and numbers ---------------------------------------------------------------------------


def test_a_tensor_that_nobody_wrote_has_no_name():
    page = Page()
    x = torch.ones(2)
    with pytest.raises(Unwritten, match="comes from what is not written down"):
        page.written(x)
    page.call((x, [x + 1]), "y")
    assert page.written(x) == "y[0]"
    assert page.arguments((x, 1, (2, None)), {"dim": -1}) == "y[0], 1, (2, None), dim=-1"


def test_numbers_mean_what_they_are():
    values = np.array([np.nan, -np.inf, -0.0, 5e-324, 1 / 3])
    assert np.array(eval(nested(values))).tobytes() == values.tobytes()
    parts = np.array([complex(-0.0, 2), complex(np.inf, np.nan), complex(1, -0.0)])
    assert np.array(eval(nested(parts))).tobytes() == parts.tobytes()
    assert eval(nested(np.zeros((2, 0)))).shape == (2, 0)
