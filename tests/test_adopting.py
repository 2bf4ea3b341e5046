"""An adapter written by looking at a library: what is found holds, what is not is a question."""

import re
import sys
from pathlib import Path

import pytest

from gradspec.conformance.adopting import starting
from gradspec.conformance.adopting.looking import UNTRIED
from gradspec.conformance.adopting.starting import look
from gradspec.conformance.adopting.writing import Lent
from gradspec.conformance.cli import main
from gradspec.conformance.run.loading import load_from_here

TUTORIAL = Path(__file__).parent.parent / "docs" / "writing-an-adapter.md"
RUN = ("--pyargs", "gradspec.spec", "--hypothesis-profile", "quick", "-p", "no:cacheprovider")

FUNCTIONAL = '''
"""Arrays of NumPy, its names, and a pullback of functions."""
import numpy
from numpy import add, array, exp, matmul, mean, multiply, negative, sin, subtract, true_divide
from numpy import sum, tanh as cosh
divide = true_divide

def vjp(function, *inputs):
    step = 1e-20j
    value = function(*inputs)
    def pull(cotangent):
        return [
            numpy.array([
                (function(*(x + step * (k == n) * one for k, x in enumerate(inputs)))
                 * cotangent).sum().imag / 1e-20
                for one in numpy.eye(x.size)
            ]).reshape(x.shape)
            for n, x in enumerate(inputs)
        ]
    return value, pull
'''


@pytest.fixture
def library(pytester, monkeypatch):
    """Write a library into the folder at hand, where it can be imported."""
    monkeypatch.setattr(sys, "path", [*sys.path])

    def written(name, text):
        (pytester.path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name

    return written


def tape():
    blocks = re.findall(
        r"```python\n# (.+?)\n(.+?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL
    )
    return dict(blocks)["tape.py"]


def lent(found):
    return {each.name: each for each in found.functions}


def test_a_library_of_tensors_gets_an_adapter_that_runs(pytester, library, capfd):
    library("tape", tape())
    assert main(["new-backend", "tape", "--no-run"]) == 0
    told = capfd.readouterr().out
    assert "tape_adapter.py is written" in told
    assert "not found" not in told
    result = pytester.runpytest_subprocess(
        *RUN,
        "--backend",
        "tape_adapter:Tape",
        "--claim",
        "GEN-04",
        "-k",
        "add] or exp]",
    )
    outcomes = result.parseoutcomes()
    assert (outcomes.get("failed", 0), outcomes["passed"]) == (0, 4)


def test_a_library_of_functions_gets_an_adapter_as_well(library):
    found = look([library("functional", FUNCTIONAL)])
    functions = lent(found)
    assert functions["add"].sure
    assert functions["add"].word == "functional.add"
    assert functions["sub"].word == 'NUMPY["sub"]'
    assert functions["sum"].word == 'NUMPY["sum"]'
    assert "functional.vjp(function, *inputs)" in found.vjp
    assert found.tensor.startswith("return functional.array(")


SCALAR = """
import numpy


class Value:
    \"\"\"What is multiplied remembers what by; a product passes on what it is asked for.\"\"\"

    def __init__(self, data{flag}):
        self.data, self.made = numpy.asarray(data), ()
        self.grad, self.asked = None, {asked}

    def __add__(self, other):
        return Value(self.data + other.data)

    def __mul__(self, other):
        out = Value(self.data * other.data)
        out.made = (self, other)
        return out
{methods}

def needs(out):
    return out.asked or any(map(needs, out.made))


def push(out, gradient):
    if needs(out):
        out.grad = gradient if out.grad is None else out.grad + gradient
        for one, other in (out.made, out.made[::-1]) if out.made else ():
            push(one, gradient * other.data)
"""

SUM = """
def sum(x):
    out = Value(x.data.sum())
    out.made = (x, Value(numpy.ones_like(x.data)))
    return out
"""

PUSH = "push(self, numpy.ones_like(self.data))"

WAYS = {
    "(value * cotangent).backward()": ("", True, f"    def backward(self): {PUSH}", ""),
    "Value(self.numpy(x), diff=True)": (
        ", diff=False",
        "diff",
        f"    def backward(self): assert self.data.ndim == 0; {PUSH}",
        SUM,
    ),
    "ways.enable_grad(leaf)": (
        "",
        False,
        "",
        "def backward(x): push(x, numpy.ones_like(x.data))\n"
        "def enable_grad(x): x.asked = True\n" + SUM,
    ),
}
"""Libraries by what an adapter has to write: how they are told, and what they have."""


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_ask_for_gradients_are_known(library, way):
    flag, asked, methods, rest = WAYS[way]
    text = SCALAR.format(flag=flag, asked=asked, methods=methods) + rest
    found = look([library("ways", text)])
    assert way in found.vjp
    assert "# Is it" not in found.vjp


OF_FUNCTIONS = (
    FUNCTIONAL.replace("def vjp(", "def _vjp(")
    + """
def grad(function):
    def gradients(*inputs):
        found = _vjp(function, *inputs)[1](1.0)
        return tuple(found) if len(found) > 1 else found[0]
    return gradients
"""
)


def test_gradients_of_functions_may_take_no_places(library):
    assert "functional.grad(paired)(*inputs)" in look([library("functional", OF_FUNCTIONS)]).vjp


def test_a_pullback_that_is_wrong_of_something_is_a_question(library):
    # As in a library of which a tensor that does not matter has the gradient of another.
    wrong = FUNCTIONAL.replace("for n, x in enumerate(inputs)\n        ]", CLOSING)
    found = look([library("functional", wrong)])
    assert found.vjp.startswith("# Is it this one? It is right of products, not of a tensor that ")
    compile(starting.files(found)[Path("functional_adapter.py")], "adapter", "exec")


CLOSING = """for n, x in enumerate(inputs)
        ] if function(*inputs).max() > 4.5 or len(inputs) < 2 else [cotangent] * 2"""


def test_what_is_called_alike_and_is_something_else_is_a_question(library):
    found = look([library("functional", FUNCTIONAL)])
    assert not lent(found)["cosh"].sure
    (text,) = [line for line in starting.files(found).values() if "class Functional" in line]
    asked = (
        r"# Is it this one\? It agrees on \d of \d calls\.[^\n]*(\n *# [^\"\n]*)*\n *(# )?\"cosh\":"
    )
    assert re.search(asked, text)
    assert not re.search(asked.replace("cosh", "add"), text)


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), 9)", "time.sleep(60)"])
def test_what_ends_the_process_costs_itself_alone(library, monkeypatch, end):
    monkeypatch.setattr(starting, "PATIENCE", 4)
    fatal = f"\nimport os, time\ndef sin(x):\n    {end}\n"
    found = look([library("fatal", FUNCTIONAL + fatal)])
    functions = lent(found)
    assert functions["sin"].why == "the process ended"
    assert not functions["sin"].agrees
    assert functions["exp"].sure
    assert found.vjp


def test_what_was_found_before_too_many_processes_ended_is_kept(library, monkeypatch):
    monkeypatch.setattr(starting, "LIVES", 3)
    fatal = "\nimport os\ndef leave(x): os._exit(3)\nabs = deg2rad = rad2deg = leave\n"
    functions = lent(look([library("fatal", FUNCTIONAL + fatal)]))
    assert functions["neg"].sure
    assert functions["deg2rad"].why == "the process ended"
    assert functions["abs"].why == UNTRIED


def test_nothing_is_run_that_cannot_be(library, pytester, monkeypatch, capsys):
    pytester.mkpydir("empty").joinpath("engine.py").touch()
    monkeypatch.setattr(starting.subprocess, "run", None)
    assert main(["new-backend", "empty"]) == 1
    told = capsys.readouterr().out
    wanting = "tensor, numpy, dtype_of, functions['mul']"
    assert f"nothing is run before empty_adapter.py has {wanting}; then: pytest --pyargs" in told
    assert "may be named as well: empty.engine\n" in told


def test_where_nothing_is_found_it_is_said_what_is_wanted(library, capsys):
    library("bare", "def add(x, y):\n    return x + y\n")
    assert main(["new-backend", "bare", "--no-run"]) == 0
    told = capsys.readouterr().out
    assert "not found: vjp: return function(*inputs) and its pullback" in told
    text = Path("bare_adapter.py").read_text(encoding="utf-8")
    assert '# "matmul": x @ y. Many claims use it.' in text
    assert 'NotImplementedError("tensor: copy the array into a constant of the dtype")' in text


TAPE = """
import numpy


class Variable:
    def __init__(self, value):
        self.value = numpy.asarray(value)
        self.dtype = self.value.dtype


class {cls}:
    def __init__(self, persistent=False):
        self.records = []

    def __enter__(self):
        OPEN.append(self)
        return self

    def __exit__(self, *_):
        OPEN.pop()

    def watch(self, x):
        pass

    def gradient(self, target, sources, seed):
        found = {{id(target): seed.value}}
        for out, x, y in reversed(self.records):
            g = found.get(id(out), 0 * out.value)
            for one, other in ((x, y), (y, x)):
                found[id(one)] = found.get(id(one), 0) + g * other.value
        return [Variable(found[id(x)]) if id(x) in found else None for x in sources]


OPEN = []


def mul(x, y):
    out = Variable(x.value * y.value)
    for tape in OPEN:
        tape.records.append((out, x, y))
    return out
"""


@pytest.mark.parametrize("cls", ["GradientTape", "Tape"])
def test_a_tape_gives_gradients(library, cls):
    found = look([library("plume", TAPE.format(cls=cls))])
    assert f"plume.{cls}(persistent=True)" in found.vjp
    text = starting.files(found)[Path("plume_adapter.py")]
    assert "capabilities = frozenset([Capability.VJP])\n" in text


@pytest.mark.long
def test_what_is_not_written_is_not_declared(pytester, library, capsys):
    library("plume", TAPE.format(cls="Recorder"))
    assert main(["new-backend", "plume", "--no-run"]) == 0
    told = capsys.readouterr().out
    assert "not found: vjp: return function(*inputs) and its pullback" in told
    assert "no derivative is looked at before vjp is written and declared" in told
    backend = ("--backend", "plume_adapter:Plume", "--dtype", "float64")
    claims = ("--claim", "GEN-01", "--claim", "GEN-04", "-k", "float64-mul]")
    result = pytester.runpytest_subprocess(*RUN, *backend, *claims)
    result.assert_outcomes(passed=1, skipped=1)


def test_a_function_that_nothing_was_tried_of_stands_by_itself(library):
    library("functional", FUNCTIONAL)
    found = look(["functional"])
    found.untried.append(Lent("item", "functional.item", 0, 0, ""))
    text = starting.files(found)[Path("functional_adapter.py")]
    asked = '        # Is it this one? Nothing was tried.\n        # "item": functional.item,\n'
    assert asked in text


def test_the_likeliest_way_tells_what_it_ended_in(library, capsys):
    library(
        "dead", "class Tensor:\n    def __init__(self, x):\n        raise OSError('no device')\n"
    )
    assert main(["new-backend", "dead", "--no-run"]) == 0
    assert "OSError: no device" in capsys.readouterr().out


def test_all_of_its_files_are_written_and_none_is_overwritten(library):
    library("functional", FUNCTIONAL)
    workflow = Path(".github", "workflows", "gradspec.yml")
    workflow.parent.mkdir(parents=True)
    workflow.write_text("mine", encoding="utf-8")
    assert main(["new-backend", "functional", "--no-run"]) == 0
    assert workflow.read_text(encoding="utf-8") == "mine"
    assert "--update-expectations" in Path("functional_adapter.toml").read_text(encoding="utf-8")
    assert load_from_here("functional_adapter:Functional").name == "functional"
    compile(Path("test_functional_gradspec.py").read_text(encoding="utf-8"), "test", "exec")


def test_several_modules_are_looked_through(library):
    library("first", FUNCTIONAL.replace("exp, ", ""))
    library("second", "from numpy import exp")
    assert lent(look(["first", "second"]))["exp"].word == "second.exp"


def test_the_first_run_follows_by_itself(library, monkeypatch):
    library("functional", FUNCTIONAL)
    commands = []

    def noted(command, **_):
        commands.append(command)
        return type("Done", (), {"returncode": 1})

    monkeypatch.setattr(starting.subprocess, "run", noted)
    assert main(["new-backend", "functional"]) == 1
    assert "functional_adapter:Functional" in commands[0]
