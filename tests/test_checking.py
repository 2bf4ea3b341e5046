"""What `gradspec.check` finds in functions that people wrote, and that it accuses none wrongly."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import gradspec
from gradspec.conformance.checking.asking import QUESTIONS, _Asker
from gradspec.conformance.checking.cases import Case
from gradspec.conformance.checking.own import Own
from gradspec.conformance.checking.question import Question
from gradspec.conformance.checking.records import Status
from gradspec.conformance.checking.trial import NotAsked
from gradspec.conformance.cli import main
from gradspec.conformance.protocol.capabilities import Capability
from gradspec.conformance.protocol.errors import OptionError
from gradspec.conformance.run.loading import load
from gradspec.conformance.truth.oracles.differences import derivative_of

HERE = Path(__file__).parent
ROOT = HERE.parent
SEEDS = range(int(os.environ.get("GRADSPEC_CHECK_SEEDS", "1")))
"""How many seeds every function is checked with."""

LIBRARIES = ("torch", "reference", "jax", "autograd", "mygrad", "mlx", "tinygrad")

THOROUGH = "GRADSPEC_CHECK_SEEDS" in os.environ
SLOW = {"jax": ("not linear", "lost broadcast"), "tinygrad": ()}
"""Libraries that compile or interpret each call, and what is checked on them without being told."""

TOLD = {
    "lost broadcast": "gradient",
    "detached factor": "gradient",
    "saved tensor mutated": "repeated pull",
    "cotangent's memory read": "cotangent layouts",
    "cotangent viewed": "cotangent layouts",
    "float32 inside": "precision",
    "float32 in backward": "gradient",
    "second derivative constant": "second order",
    "hook clips": "gradient",
    "gradients share memory": "unshared",
    "cotangent's memory returned": "unshared",
    "buffer reused": "repeated pull",
    "needs_input_grad forgotten": "missing",
    "inputs swapped": "gradient",
    "cotangent overwritten": "unchanged",
    "not linear": "linear",
    "tie counted twice": "special values",
    "nan at zero": "special values",
    "infinity divided": "far values",
    "far values cut": "far values",
    "blocks forgotten": "longer dimensions",
    "breaks on empty": "empty",
    "memory read": "layouts",
    "mean not scaled": "gradient",
    "sign lost": "gradient",
    "transpose forgotten": "gradient",
    "order not reversed": "gradient",
    "range ignored": "gradient",
}
"""The question that tells of each mistake."""


def functions(kind):
    """Yield the functions of a kind, of each library that is installed here."""
    for library in LIBRARIES:
        try:
            module = import_module(f"wrong_{library}")
        except ModuleNotFoundError as error:
            if error.name != library:
                raise
            continue
        for name in getattr(module, kind):
            if name not in SLOW.get(library, (name,)) and not THOROUGH:
                continue
            yield pytest.param(library, name, id=f"{library}-{name.replace(' ', '_')}")


def checked(library, function, *inputs, **options):
    options = {"scripts": False, **options}
    return gradspec.check(function, *inputs, backend=load(library), **options)


def told(report):
    return [(answer.question, answer.failure.what) for answer in report.failures]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("library", "name"), [*functions("PAIRS")])
def test_what_is_wrong_is_found_and_its_twin_is_not_accused(library, name, seed):
    wrong, right, *inputs = import_module(f"wrong_{library}").PAIRS[name]
    report = checked(library, wrong, *inputs, seed=seed)
    assert TOLD[name] in {question for question, _ in told(report)}
    assert not report.holds
    report = checked(library, right, *inputs, seed=seed)
    assert told(report) == []
    assert report.holds


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("library", "name"), [*functions("OTHERS")])
def test_what_is_right_is_not_accused(library, name, seed):
    function, *inputs = import_module(f"wrong_{library}").OTHERS[name]
    backend = load(library)
    modes = {*backend.transforms, *(["vmap"] if Capability.VMAP in backend.capabilities else [])}
    report = checked(library, function, *inputs, seed=seed, modes=modes)
    assert told(report) == []
    assert report.holds


@pytest.mark.parametrize(("library", "check"), [("torch", "gradcheck"), ("jax", "check_grads")])
def test_what_the_libraries_find_is_recorded_of_every_function_and_told(library, check):
    pytest.importorskip(library)
    record = json.loads((ROOT / "results" / "checks" / "own-functions.json").read_text("utf-8"))
    rows = [row for row in record["functions"] if row["library"] == library]
    assert [row["mistake"] for row in rows] == [*import_module(f"wrong_{library}").PAIRS]
    assert not [row for row in rows if row["right"]["gradspec"] or row["right"]["library"]]
    text = (ROOT / "docs" / "own-function.md").read_text("utf-8")
    (line,) = [each for each in text.splitlines() if each.startswith(f"| `{check}`")]
    found = [sum(bool(row["wrong"][who]) for row in rows) for who in ("library", "gradspec")]
    assert line.split(" | ")[1:3] == [f"{count} of {len(rows)}" for count in found]


# ---- what is told --------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("torch", "mean not scaled"),
        ("torch", "gradients share memory"),
        ("torch", "second derivative constant"),
        ("torch", "cotangent viewed"),
        ("torch", "float32 inside"),
        ("reference", "mean not scaled"),
        ("autograd", "cotangent overwritten"),
        ("mygrad", "float32 in backward"),
        ("mlx", "mean not scaled"),
        ("jax", "not linear"),
    ],
)
def test_a_failure_is_small_and_has_a_script_that_shows_it_alone(library, name, tmp_path):
    pytest.importorskip(library if library != "reference" else "numpy")
    wrong, _, *inputs = import_module(f"wrong_{library}").PAIRS[name]
    report = checked(library, wrong, *inputs, scripts=True)
    (failure,) = [a.failure for a in report.failures if a.question == TOLD[name]]
    assert failure.script, failure.unwritten
    if library != "reference":
        assert "gradspec" not in failure.script
    path = tmp_path / "script.py"
    path.write_text(failure.script, encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - the script is our own
        [sys.executable, str(path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_failure_is_shrunk():
    torch = pytest.importorskip("torch")
    report = checked("torch", lambda x: x * x.detach(), torch.arange(6.0).reshape(2, 3) + 0.3)
    failure = next(a.failure for a in report.failures if a.question == "gradient")
    assert failure.inputs == ["input 0 = [[1.]]"]
    assert "not in a module" in failure.unwritten or "none was asked for" in failure.unwritten


def test_randomness_is_told_as_that():
    torch = pytest.importorskip("torch")
    report = checked("torch", lambda x: x * torch.rand(3), np.ones(3))
    assert report.holds
    assert "It draws random numbers: their generators are seeded before each call." in report.notes
    count = iter(range(1000))
    report = checked("torch", lambda x: x * next(count), np.ones(3))
    assert not report.holds
    assert told(report) == []
    assert {a.status for a in report.answers} == {Status.NOT_ASKED}
    assert "not deterministic" in report.notes[0]


def test_parameters_of_a_module_are_checked():
    torch = pytest.importorskip("torch")

    class Cut(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            return x * self.weight.detach() * self.weight

    report = checked("torch", Cut(), np.array([1.0, 2.0, 0.5]))
    assert "parameter weight" in dict(told(report))["gradient"]


def test_a_twin_is_compared_with():
    torch = pytest.importorskip("torch")
    x = np.array([0.5, 1.5])
    assert checked("torch", torch.sin, x, twin=np.sin).holds
    report = checked("torch", torch.sin, x, twin=lambda x: np.sin(x) * (1 + 1e-12))
    assert [question for question, _ in told(report)] == ["twin"]


@pytest.mark.parametrize("library", ["torch", "jax", "reference"])
def test_a_loss_is_linear_in_its_cotangent(library):
    """All of what is asked of an array is asked of a number."""
    pytest.importorskip(library if library != "reference" else "numpy")
    report = checked(library, lambda x: (x * x).sum(), np.array([0.5, 2.0]))
    answers = {each.question: each for each in report.answers}
    for name in ("linear", "zero cotangent", "repeated pull"):
        assert (answers[name].status, answers[name].cases) == (Status.HOLDS, 3)


def test_what_was_asked_on_no_case_to_its_end_does_not_hold():
    """A question that breaks off says why, whatever it had compared until then."""

    def breaks_off(trial):
        trial.judged += 1
        raise NotAsked("it rains")

    own = Own(load("reference"), lambda x: x, (np.ones(2),))
    own(*own.starts)
    asker = _Asker(own, Case(own.starts), None, "reference", scripts=False)
    question = Question("rain", "It rains.", lambda base: [base], breaks_off)
    answer = asker.answer(question)
    assert (answer.status, answer.reason) == (Status.NOT_ASKED, "it rains")


def test_what_it_costs_is_told():
    torch = pytest.importorskip("torch")
    report = checked("torch", torch.exp, np.ones((2, 3)))
    assert (report.calls, report.saved) == (1, 6 * 8)


def test_every_question_is_a_sentence_of_its_own():
    assert len({question.name for question in QUESTIONS}) == len(QUESTIONS)
    assert all(question.law.endswith(".") and question.law[0].isupper() for question in QUESTIONS)
    assert {question.name for question in QUESTIONS} >= set(TOLD.values())


# ---- what is of no use ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "inputs", "message"),
    [
        (3, [np.ones(2)], "the function is a int: give something that can be called"),
        (lambda x: 1.5, [np.ones(2)], "the function returned float: return tensors of reference"),
        (lambda x: None, [np.ones(2)], "the function returned nothing"),
        (lambda x: x, [np.arange(3)], "no input is a floating array or tensor"),
        (lambda x: x, [np.ones(2) * 1j], "input 0 is complex"),
        (lambda x: x, [np.array([np.nan])], "input 0 is not finite"),
        (lambda x: x.nothing, [np.ones(2)], "the function raises AttributeError"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_a_line(function, inputs, message):
    with pytest.raises(OptionError, match=r"^[^\n]+$") as told:
        checked("reference", function, *inputs)
    assert str(told.value).startswith(message)


def test_a_function_is_called_with_what_its_forward_takes(monkeypatch, tmp_path, capsys):
    pytest.importorskip("torch")
    text = """
        from torch.autograd import Function

        class Kept(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x.sin()

            @staticmethod
            def backward(ctx, g):
                return g * ctx.saved_tensors[0].cos()

        class Apart(Function):
            @staticmethod
            def forward(x):
                return x.sin()

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            backward = Kept.backward

        kept, apart = Kept.apply, Apart.apply
    """
    tmp_path.joinpath("forwards.py").write_text(dedent(text), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("Kept", "Apart", "kept", "apart"):
        assert main(["check", f"forwards:{name}", "--backend", "torch", "--no-scripts"]) == 0, name
        assert ", 0 fails, " in capsys.readouterr().out


def test_out_of_its_domain_and_at_its_end_a_function_is_not_accused():
    torch = pytest.importorskip("torch")
    for inputs in ([0.5, 1.0], [0.5, 2.0]):
        report = gradspec.check(torch.asin, np.array(inputs), backend="torch", scripts=False)
        assert not report.failures
    report = gradspec.check(torch.asin, np.array([0.5, 0.25]), backend="torch", scripts=False)
    assert report.holds


def test_unknown_modes_are_refused():
    with pytest.raises(OptionError, match="reference has no mode 'vmap'; it has none"):
        checked("reference", lambda x: x, np.ones(2), modes=["vmap"])


# ---- the command ---------------------------------------------------------------------------------


def test_the_command(monkeypatch, capsys):
    monkeypatch.chdir(HERE)
    words = ["check", "wrong_reference:Scaled", "--backend", "reference", "--no-scripts"]
    assert main(words) == 0
    assert "gradient" in capsys.readouterr().out
    words[1] = "wrong_reference:Unscaled"
    assert main([*words, "--inputs", "wrong_reference:INPUTS"]) == 1
    assert " fails " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere:f"], "the function nowhere:f: there is no module nowhere here"),
        (["wrong_reference"], "the function wrong_reference: write module:name"),
        (["wrong_reference:f"], "wrong_reference has no f; name what is there"),
        (["wrong_reference:X"], "the function is a ndarray"),
        (["wrong_reference:right_factor", "--mode", "x"], "reference has no mode 'x'"),
        (["wrong_reference:right_factor", "--twin", "a:b"], "--twin a:b: there is no module a"),
        (["wrong_reference:right_factor", "--inputs", "wrong_reference:X"], "give a tuple"),
        (["wrong_reference:right_factor", "--backend", "nobody"], "unknown backend"),
    ],
)
def test_wrong_words_are_refused_in_a_line(monkeypatch, capsys, words, message):
    monkeypatch.chdir(HERE)
    assert main(["check", "--backend", "reference", *words]) == 2
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert message in line
    assert not told.out


# ---- derivatives ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (np.exp, 1, 1),
        (lambda t: np.sin(3 + t), np.cos(3), np.cos(3)),
        (abs, -1, 1),
        (lambda t: max(t, 0.0), 0, 1),
        (lambda t: max(t + 0.01, 0.0), 1, 1),
        (lambda t: np.sqrt(t + 0.05) if t > -0.05 else np.nan, 0.05**-0.5 / 2, 0.05**-0.5 / 2),
        (lambda t: t / np.sqrt(t * t + 1e-5), 1e-5**-0.5, 1e-5**-0.5),
        (lambda t: np.sin(50 * t + 1), 50 * np.cos(1), 50 * np.cos(1)),
        (lambda t: 3.0, 0, 0),
    ],
)
def test_slopes_lie_within_their_stated_error(function, low, high):
    derivative = derivative_of(
        lambda t: (float(function(t)), abs(float(function(t)))), 2.0**-53, 1.0
    )
    assert derivative.known
    assert abs(derivative.low - low) <= derivative.error
    assert abs(derivative.high - high) <= derivative.error
    assert derivative.error < 1e-7 * max(1, abs(high))


@pytest.mark.parametrize(
    "function",
    [
        lambda t: float(t > 0),
        lambda t: abs(t) ** 0.5,
        lambda t: np.log(t) if t > 0 else np.nan,
        lambda t: np.sqrt(t) if t >= 0 else np.nan,
    ],
)
def test_where_there_is_no_slope_none_is_known(function):
    derivative = derivative_of(lambda t: (float(function(t)), abs(float(function(t)))), 2.0**-53)
    assert not derivative.known
