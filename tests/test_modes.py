"""Modes: other ways to run functions, from the option to the verdict."""

import json

import numpy as np
import pytest
import torch
from hypothesis import Phase, settings

from bench import DOUBLED, complaint
from gradspec import spec
from gradspec.conformance import AdapterError, Subject
from gradspec.conformance.backends.torch import Torch
from gradspec.conformance.backends.torch_compiled import recorded
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.protocol.mode import Mode
from gradspec.conformance.results.verdict import Status, Verdict, key, name_of
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.table import TABLE
from gradspec.conformance.table.drawn import Calls

MODES = {mode.name: mode for mode in Torch.modes}
CLAIMS = claims_of(spec)
OPERATIONS = {operation.name: operation for claim in CLAIMS.values() for operation in claim.over}
HUNT = settings(PROFILES["quick"], phases=(Phase.explicit, Phase.generate))

SINE = """
from gradspec.conformance.table import TABLE, calls


@claim("TST-02", needs="vjp", over=[o for o in TABLE if o.name in ("sin", "cos")])
@given(call=calls(smooth=True))
def test_wave(be, call):
    "A wave has a slope."
    _, pull = be.vjp(call.on(be), *call.tensors)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)
"""

ADAPTER = """
    from gradspec.conformance.protocol.mode import Mode

    class Same(Mode):
        name = "same"
        does = "functions as they are"

    class Twice(Mode):
        name = "twice"
        does = "every function twice over"
        lacking = frozenset(["cos"])

        def wrap(self, function, about):
            return lambda *tensors: function(*tensors) + function(*tensors)

    class Far(Mode):
        name = "far"
        does = "functions on the moon"

        def absent(self):
            return "needs a rocket; build one"

    modes = (Same, Twice, Far)
"""


@pytest.fixture
def mine(bench):
    """An adapter with modes: one that is right, one that is wrong, one that cannot be had."""
    bench.chapter(DOUBLED, SINE)
    return bench.adapter(ADAPTER)


def names(result):
    return [line.split()[0].partition("::")[2] for line in result.outlines if "::" in line]


def test_a_run_without_modes_says_nothing_of_them(bench, mine):
    result = bench.run("-v", backend=mine)
    assert result.ret == pytest.ExitCode.OK
    assert names(result)[1] == "test_wave[mine-cpu-float64-sin]"
    assert '"mode"' not in bench.results.read_text()


def test_a_mode_stands_in_ids_names_and_results(bench, mine):
    result = bench.run("-v", "--mode", "same", "--mode", "eager", backend=mine)
    assert result.ret == pytest.ExitCode.OK
    ids = ["test_wave[mine-cpu-float64-same-sin]", "test_wave[mine-cpu-float64-sin]"]
    assert set(ids) <= set(names(result))
    result.stdout.re_match_lines(["chapter +claims +mine-cpu-float64 +mine-cpu-float64-same"])
    told = {verdict.name for verdict in bench.all_verdicts()}
    assert {"TST-02[sin] on mine-cpu-float64", "TST-02[sin] on mine-cpu-float64-same"} <= told


def test_a_verdict_of_a_mode_is_chosen_by_its_name(bench, mine):
    name = "TST-02[sin] on mine-cpu-float64-same"
    bench.run("--mode", "same", "--mode", "eager", "--verdict", name, backend=mine)
    assert [verdict.name for verdict in bench.all_verdicts()] == [name]


def test_what_a_mode_does_wrong_is_seen_in_it_alone(bench, mine):
    result = bench.run("--mode", "twice", "--mode", "eager", backend=mine)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    red = [v for v in bench.all_verdicts() if v.status is Status.FAIL]
    assert [(v.operation, v.mode) for v in red] == [("sin", "twice")]
    assert "--gradspec-mode twice" in red[0].rerun
    assert "twice-sin]" in red[0].rerun


def test_what_cannot_run_in_a_mode_is_unsupported_and_says_why(bench, mine):
    bench.run("--mode", "twice", backend=mine)
    reasons = {
        verdict.address: verdict.reason
        for verdict in bench.all_verdicts()
        if verdict.status is Status.UNSUPPORTED
    }
    assert reasons == {
        "TST-01": "it hands over no function that could run in the mode twice",
        "TST-02[cos]": "mine does not declare cos in the mode twice",
    }


def test_a_red_verdict_of_a_mode_is_repeated_in_it(bench, mine):
    bench.run_apart("--mode", "twice", "--alone", "60", "--no-isolate", backend=mine)
    (red,) = [v for v in bench.all_verdicts() if v.status is Status.FAIL and v.alone]
    assert red.alone == "fails"


def test_modes_run_in_a_process_beside(bench, mine):
    result = bench.run_apart("--mode", "same", backend=mine)
    result.stdout.fnmatch_lines(["*1 worker*"])


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("smae", "no chosen backend has this mode; did you mean 'same'?; there are eager, and"),
        ("jit", "twice (every function twice over), far (functions on the moon)"),
        ("far", "--mode far: mine needs a rocket; build one"),
    ],
)
def test_a_mode_that_cannot_be_had_is_refused(bench, mine, word, told):
    result = bench.run("--mode", word, backend=mine)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert told in complaint(result)


def test_a_backend_without_modes_is_said_to_have_none(bench):
    bench.chapter(DOUBLED)
    result = bench.run("--mode", "vmap", backend=bench.adapter(""))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--mode vmap: no chosen backend has this mode; they have none" in complaint(result)


def test_a_backend_that_has_not_the_mode_is_told_of(bench, mine):
    result = bench.run("--backend", "reference", "--mode", "same", backend=mine)
    assert result.ret == pytest.ExitCode.OK
    told = "not run: reference has not the mode, device and dtype that were asked for"
    result.stdout.fnmatch_lines([told])


ENTRY = """
[[expected]]
claim = "TST-02[sin]"
mode = "twice far"
reason = "planted"
link = "https://example.org"
search = true
"""


def test_an_expected_failure_may_be_one_of_a_mode(bench, mine):
    bench.write("mine.toml", ENTRY)
    result = bench.run("--mode", "twice", "--mode", "eager", "--mode", "same", backend=mine)
    assert result.ret == pytest.ExitCode.OK
    came = {v.mode: v.status for v in bench.all_verdicts() if v.operation == "sin"}
    assert came == {
        "twice": Status.EXPECTED_FAILURE,
        "same": Status.PASS,
        None: Status.PASS,
    }


def test_what_a_baseline_has_of_other_modes_is_not_lost(bench, mine):
    bench.run("--mode", "same", "--mode", "eager", backend=mine)
    baseline = bench.results.rename(bench.path / "before.jsonl")
    assert bench.run("--baseline", str(baseline), backend=mine).ret == pytest.ExitCode.OK
    result = bench.run("--baseline", str(baseline), "--mode", "same", backend=mine)
    assert result.ret == pytest.ExitCode.OK
    other = bench.run("--baseline", str(baseline), "--mode", "same", "-k", "none", backend=mine)
    assert other.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_key_without_a_mode_is_as_short_as_ever():
    plain = key("GEN-04", "torch", "cpu", "float64", "sin", None)
    assert plain == ("GEN-04", "torch", "cpu", "float64", "sin")
    fields = {"chapter": "operations", "level": "law", "status": Status.PASS}
    of_mode = Verdict(
        "GEN-04", backend="torch", device="cpu", dtype="float64", mode="func", **fields
    )
    assert name_of(of_mode.key) == "GEN-04 on torch-cpu-float64-func"
    assert Verdict.from_json(json.loads(json.dumps(of_mode.to_json()))) == of_mode


# ---- PyTorch's -----------------------------------------------------------------------------------


def judged(claim, operation, backend, mode):
    """Return the status of a claim in a mode, or as it is."""
    made = MODES[mode](backend) if mode else None
    run = Run(
        CLAIMS[claim], Subject(backend, "cpu", "float64", made), HUNT, 0, OPERATIONS[operation]
    )
    try:
        run.execute(run.test)
    except (Exception, pytest.fail.Exception) as error:
        assert run.error is error
    return run.verdict().status


class Sine(torch.autograd.Function):
    """A sine by hand: every way to differentiate it has a rule of its own."""

    @staticmethod
    def forward(x):
        return torch.sin(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * torch.cos(*ctx.saved_tensors)

    @staticmethod
    def jvp(ctx, t):
        return t * torch.cos(*ctx.saved_tensors)

    @staticmethod
    def vmap(info, in_dims, x):
        return Sine.apply(x), in_dims[0]


class WrongTangent(Sine):
    @staticmethod
    def jvp(ctx, t):
        return t * torch.cos(*ctx.saved_tensors) * (1 + 1e-6)


class WrongBatch(Sine):
    @staticmethod
    def vmap(info, in_dims, x):
        first = x.select(in_dims[0], 0).unsqueeze(in_dims[0]).expand_as(x)
        return Sine.apply(first), in_dims[0]


class WrongAgain(Sine):
    runs = 0

    @staticmethod
    def forward(x):
        WrongAgain.runs += 1
        return torch.sin(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        again = WrongAgain.runs % 2 == 0
        ctx.save_for_backward(inputs[0] * (1.5 if again else 1.0))


@pytest.mark.parametrize(
    ("function", "claim", "seen"),
    [
        (Sine, "GEN-04", set()),
        (WrongTangent, "GEN-04", {"forward"}),
        (WrongBatch, "GEN-01", {"vmap"}),
        (WrongAgain, "GEN-04", {"checkpoint"}),
    ],
)
def test_a_defect_that_shows_in_a_mode_alone_is_seen_there(function, claim, seen):
    class Mine(Torch):
        functions = Torch.functions | {"sin": lambda x: function.apply(x)}

    for mode in (None, "forward", "vmap", "checkpoint"):
        if function is WrongAgain and mode != "checkpoint":
            continue
        found = judged(claim, "sin", Mine(), mode)
        assert found is (Status.FAIL if mode in seen else Status.PASS), mode


@pytest.mark.parametrize("mode", [name for name in MODES if name != "inductor"])
def test_right_gradients_are_right_in_every_mode(mode):
    for operation in ("mul", "softmax"):
        assert judged("GEN-04", operation, Torch(), mode) is Status.PASS
    # One of its operands is narrower than the cotangent, and so is the gradient for it.
    assert judged("GEN-20", "mul", Torch(), mode) is Status.PASS


SAYING_SO = (
    "rule not implemented|do not support batching|does not yet have a batching rule|"
    "do not yet support|don't support that yet|got a batched tensor as input while the running"
)


def test_what_a_mode_of_torch_lacks_is_refused_there():
    mode = MODES["vmap"](Torch())
    be = Subject(mode.backend, "cpu", "float64", mode)
    for name in mode.lacking:
        call = Calls().corners(OPERATIONS[name])[0]
        with pytest.raises(RuntimeError, match=SAYING_SO):
            call.on(be)(*map(be.tensor, call.tensors))


@pytest.mark.parametrize("name", sorted(MODES["forward"].lacking))
def test_what_forward_mode_of_torch_lacks_is_refused_there(name):
    mode = MODES["forward"](Torch())
    be, call = Subject(mode.backend, "cpu", "float64", mode), Calls().corners(OPERATIONS[name])[0]
    with pytest.raises(RuntimeError, match=r"use forward AD with .* that does not support it"):
        be.jvp(call.on(be), call.tensors, call.tangents)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("GEN-280", "thousands of entries"),
        ("GEN-285", "thousands of entries"),
        ("OPS-380", "thousands of entries"),
        ("EXT-03", "hundreds of second derivatives"),
        ("EXT-12", "hundreds of second derivatives"),
        ("EXT-09", "what is no number beside other entries"),
        ("EXT-17", "what is no number beside other entries"),
        ("EXT-160", "what is no number beside other entries"),
        ("EXT-260", "what is no number beside other entries"),
        ("EXT-511", "what is no number beside other entries"),
        ("EXT-580", "what is no number beside other entries"),
    ],
)
def test_what_a_mode_of_single_entries_cannot_judge_is_unsupported(name, what):
    """Nothing would be left there to check, it would take minutes, or nothing could be green."""
    claim = claims_of(spec)[name]
    for mode, missing in (("forward", True), ("func", False)):
        found = MODES[mode](Torch())
        subject = Subject(found.backend, "cpu", "float64", found)
        operation = claim.over[0] if claim.over else None
        run = Run(claim, subject, PROFILES["quick"], seed=0, operation=operation)
        assert (what in str(run.unmet())) is missing


class Refused(Mode):
    """A mode that takes what is handed over, and does not run it."""

    name = "refused"
    does = "nothing"

    def wrap(self, function, about):
        def refused(*tensors):
            raise AssertionError(f"{about} was handed over")

        return refused


def handing_over():
    """Yield the runs of all claims that are judged in a mode."""
    backend = Torch()
    subject = Subject(backend, "cpu", "float64", Refused(backend))
    for claim in CLAIMS.values():
        there = [each for each in claim.over if each.name in backend.functions]
        run = Run(claim, subject, HUNT, 0, there[0] if there else None)
        if run.unmet() is None:
            yield pytest.param(run, id=claim.id)


@pytest.mark.parametrize("run", list(handing_over()))
def test_a_claim_that_is_judged_in_a_mode_hands_its_function_over(run):
    """One that called the library itself would be green in every mode, and say nothing of any."""
    with pytest.raises(AssertionError, match="was handed over"):
        run.execute(run.test)


def test_a_function_comes_to_a_program_that_computes_the_same():
    be = Subject(Torch(), "cpu", "float64")
    others = []
    for operation in (each for each in TABLE if each.name in Torch().functions):
        for call in Calls().corners(operation)[:1]:
            inputs = [*map(be.tensor, call.tensors)]
            program, constants = recorded(call.on(be), inputs)
            results = (program(*inputs, *constants), call.on(be)(*inputs))
            # What LAPACK adds up in which order is its own affair from call to call.
            made, wanted = (np.asarray(be.numpy(result)) for result in results)
            alike = made.shape == wanted.shape and made.dtype == wanted.dtype
            if not (alike and np.allclose(made, wanted, rtol=1e-12, atol=1e-12, equal_nan=True)):
                others.append(operation.name)
    # PyTorch's l1_loss forgets its weight where functions are recorded: see results/findings.
    assert others == ["l1_loss_weight"]


def test_what_is_not_compiled_is_not_taken_for_compiled(monkeypatch):
    mode = MODES["compile"](Torch())
    be = Subject(mode.backend, "cpu", "float64", mode)
    assert mode.absent() is None
    function = be.wrapped(lambda x: be.sin(x), "sin")
    be.same(function(be.tensor(np.ones(2))), be.sin(be.tensor(np.ones(2))))
    assert mode.captured == 1
    monkeypatch.setattr(torch, "compile", lambda program, **_: program)
    with pytest.raises(AdapterError, match="compiled nothing"):
        be.wrapped(lambda x: be.cos(x), "cos")(be.tensor(np.ones(2)))
    monkeypatch.setenv("TORCH_COMPILE_DISABLE", "1")
    assert "switched off" in mode.absent()


def test_inductor_says_that_it_needs_a_compiler(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    assert "needs a C++ compiler" in MODES["inductor"](Torch()).absent()
