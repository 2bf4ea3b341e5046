"""The table of operations: every record can fail, in its values and in its gradients."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import Phase, settings

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.protocol.operations import OPERATIONS
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.loading import load
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.table import (
    DIFFERENTIABLE,
    NEVER_HOLLOW,
    NEVER_VAST,
    OF_NO_AXIS,
    OPTIONED,
    REFUSED_HOLLOW,
    SEVERAL,
    TABLE,
    TOLD_BY_ARRAYS,
    TWINS,
    along,
    calls,
    hollow,
    told,
    vast,
)
from gradspec.conformance.table.arguments import Arguments
from gradspec.conformance.table.axes import named_by
from gradspec.conformance.table.drawing import KINDS, STRIDES
from gradspec.conformance.table.operation import Operation
from gradspec.conformance.truth.oracles.steps import directional_derivative

torch = pytest.importorskip("torch")
TORCH = load("torch")
Torch = type(TORCH)

SEEN = {"float32": 1e-4, "float64": 1e-7}
"""The relative errors that have to be seen."""

HUNT = settings(PROFILES["default"], phases=(Phase.generate,))
WRONG = {each.operation for each in expectations_of(TORCH) if each.claim == "GEN-04"}
OFFERED = [operation for operation in TABLE if operation.name in TORCH.functions]
"""Operations that PyTorch has."""

RIGHT = [o for o in OFFERED if o in DIFFERENTIABLE and o.name not in WRONG]
"""Operations of which PyTorch has the gradient."""

CLAIMS = claims_of(spec)


def spoiled(x, error):
    """Return `x` with its largest entry off by a relative `error`, or a zero that is none."""
    if not x.numel():
        return x
    y = x.detach().clone()
    if x.dtype == torch.bool:
        return ~y
    entries = y.view(-1) if y.is_contiguous() else y.reshape(-1)
    at = entries.abs().argmax()
    if x.dtype == torch.int64 or entries[at] == 0:
        entries[at] += 1
    else:
        entries[at] *= 1 + error
    return entries.reshape(x.shape)


class WrongGradient(Torch):
    """PyTorch, with one entry of the first gradient a little off."""

    error = 0.0

    def vjp(self, function, *inputs, create_graph=False):
        value, pull = super().vjp(function, *inputs, create_graph=create_graph)

        def wrong(cotangent):
            first, *rest = pull(cotangent)
            return [first if first is None else spoiled(first, self.error), *rest]

        return value, wrong


class WrongValue(Torch):
    """PyTorch, with one entry of every result of an operation a little off."""

    error = 0.0
    operation = ""

    def __init__(self):
        right = self.functions[self.operation]

        def wrong(*args, **named):
            results = right(*args, **named)
            if isinstance(results, torch.Tensor):
                return spoiled(results, self.error)
            return tuple(spoiled(each, self.error) for each in results)

        self.functions = {**self.functions, self.operation: wrong}


def judged(claim, backend, dtype, operation):
    run = Run(CLAIMS[claim], Subject(backend, "cpu", dtype), HUNT, 0, operation)
    try:
        run.execute(run.test)
    except Exception as error:
        assert run.error is error
    return run.verdict()


@pytest.mark.parametrize("dtype", SEEN)
@pytest.mark.parametrize("operation", RIGHT, ids=repr)
def test_a_gradient_that_is_a_little_off_is_refused(operation, dtype):
    backend = WrongGradient()
    backend.error = SEEN[dtype]
    verdict = judged("GEN-04", backend, dtype, operation)
    assert verdict.status is Status.FAIL
    assert verdict.reason.startswith("gradient")


@pytest.mark.parametrize("dtype", SEEN)
@pytest.mark.parametrize("operation", OFFERED, ids=repr)
def test_a_value_that_is_a_little_off_is_refused(operation, dtype, monkeypatch):
    monkeypatch.setattr(WrongValue, "operation", operation.name)
    monkeypatch.setattr(WrongValue, "error", SEEN[dtype])
    verdict = judged("GEN-01", WrongValue(), dtype, operation)
    assert verdict.status is Status.FAIL


def test_what_is_said_to_have_no_other_names_of_axes_has_none():
    told = [operation for operation in DIFFERENTIABLE if named_by(operation)]
    without = {operation.name for operation in told if not along().corners(operation)}
    assert without == {*OF_NO_AXIS.split()}


def test_what_is_said_to_have_no_hollow_calls_has_none():
    never, refused = {*NEVER_HOLLOW.split()}, {*REFUSED_HOLLOW.split()}
    without = {o.name for o in DIFFERENTIABLE if not hollow().corners(o)}
    assert without - refused == never
    assert never.isdisjoint(refused)


def test_what_is_said_to_have_few_entries_has_no_more():
    assert {o.name for o in TABLE if not vast().corners(o)} == {*NEVER_VAST.split()}


def test_what_is_told_by_arrays_is_known():
    def is_told(operation):
        each = calls(smooth=True).corners(operation)
        return any(x.ndim for call in each for x in call.arguments.constants)

    # What is only looked at for its shape is no array that counts by its entries.
    shapes = {"reshape_as", "view_as", "expand_as"}
    assert {o.name for o in TABLE if is_told(o)} - shapes == {*TOLD_BY_ARRAYS.split()}


@pytest.mark.parametrize("name", sorted(TOLD_BY_ARRAYS.split()))
def test_arrays_that_tell_lie_in_another_way(name):
    (operation,) = [o for o in TABLE if o.name == name]
    arrays = [x for call in told().corners(operation) for x in call.arguments.constants]
    assert any(len(np.unique(x)) > 1 and not x.flags.c_contiguous for x in arrays)


def test_names_are_words_of_the_vocabulary_and_stand_once():
    names = Counter(operation.name for operation in (*TABLE, *OPTIONED))
    assert max(names.values()) == 1
    assert names.keys() <= OPERATIONS.keys()
    assert len(names) >= 110


@pytest.mark.parametrize("operation", TABLE, ids=repr)
def test_a_record_says_what_agrees(operation):
    assert operation.view in {"always", "each", "never", "maybe"}
    assert not operation.ties or operation.kinks


@pytest.mark.parametrize("operation", TABLE, ids=repr)
@pytest.mark.parametrize("strided", [False, True])
def test_a_name_leads_back_to_a_call(operation, strided):
    kind = calls(smooth=operation.differentiable, strided=strided)
    for call in kind.corners(operation):
        again = kind.named(operation, call.name)
        for x, y in zip(again.tensors, call.tensors, strict=True):
            np.testing.assert_array_equal(x, y, strict=True)
        assert [x.strides for x in again.tensors] == [x.strides for x in call.tensors]


@pytest.mark.parametrize(
    "operation", [o for o in (*DIFFERENTIABLE, *OPTIONED) if o.linear], ids=repr
)
def test_linear_records_are_linear(operation):
    """The forward function keeps sums: checked where the record claims it."""
    for call in calls().corners(operation):
        others = [np.resize(call.weights, x.shape) for x in call.tensors]
        both = call.true(*(x + y for x, y in zip(call.tensors, others, strict=True)))
        np.testing.assert_allclose(both, call.result + call.true(*others), atol=1e-12)


@pytest.mark.parametrize("operation", SEVERAL, ids=repr)
def test_tensors_by_themselves_have_parts_of_the_derivatives(operation):
    """The gradient of each is the same beside constants, and pairs with its derivative."""
    for call in calls(smooth=True, small=True).corners(operation):
        assert len(call.alone) == len(call.tensors)
        for alone, true in zip(call.alone, call.gradients(), strict=True):
            (along,) = alone.tangents
            np.testing.assert_allclose(*[each.value for each in (*alone.gradients(), true)])
            np.testing.assert_array_equal(alone.result, call.result)
            pairs = (alone.pushed().value * call.cotangent).sum(), (true.value * along).sum()
            np.testing.assert_allclose(*pairs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "operation", [o for o in (*DIFFERENTIABLE, *OPTIONED) if o.kinks], ids=repr
)
def test_smooth_calls_lie_far_from_kinks(operation):
    """Derivatives to both sides of every entry agree: there is no kink within 1/128.

    Of many entries, which lie closer to each other, some are tried, and 1/1024.
    """
    for call in calls(smooth=True).corners(operation):
        for place, x in enumerate(call.tensors):
            many = call.corner is not None and call.corner.many
            far, each = (2.0**-10, max(1, x.size // 12)) if many else (2.0**-7, 1)
            for entry in [*np.ndindex(x.shape)][::each]:
                along = [np.zeros(each.shape) for each in call.tensors]
                along[place][entry] = 1
                pairs = [*zip(call.tensors, along, strict=True)]
                below, here, above = (
                    directional_derivative(call.true, [x + step * d for x, d in pairs], along)
                    for step in (-far, 0, far)
                )
                assert np.allclose(below, here, rtol=0.2, atol=0.05)
                assert np.allclose(above, here, rtol=0.2, atol=0.05)


@pytest.mark.parametrize("operation", TWINS, ids=repr)
def test_tensors_of_one_shape_are_met(operation):
    """Where one tensor is to stand in several places, there is a call in which it can."""
    met = calls(smooth=True, alike=True).corners(operation)
    shapes = [[x.shape for x in call.tensors if x.size] for call in met]
    assert any(len(set(each)) < len(each) for each in shapes)


@pytest.mark.parametrize("kind", ["wide", "narrow", "number", "empty", "long"])
def test_every_kind_of_shape_is_met(kind):
    """Most operations have a call in each kind of shape."""
    corner = next(each for each in KINDS if each.kind == kind)
    met = [
        operation.name
        for operation in TABLE
        if corner.prefers(
            [x.shape for x in calls().corners(operation)[KINDS.index(corner)].tensors]
        )
    ]
    assert len(met) > len(TABLE) / 3


def test_every_layout_is_met():
    strides = [
        {x.strides for call in calls(strided=True).corners(operation) for x in call.tensors}
        for operation in TABLE
    ]
    assert sum(any(0 in each for each in found) for found in strides) > len(TABLE) / 2
    gaps = [{x for x in found if len(x) == 1 and x[0] > np.float64().itemsize} for found in strides]
    assert sum(map(bool, gaps)) > len(TABLE) / 4
    assert len(STRIDES) == 7


def test_a_call_tells_the_names_and_shapes_of_what_it_is_given():
    def made(_):
        return Arguments((np.zeros((2, 0)), np.array(1.5)), (3,), {"keepdim": True})

    call = Operation("scaled", lambda x, y, dim, keepdim: x * y, draw=made).read(b"")
    told = "scaled of x (2, 0) = [[], []], y () = 1.5, with dim = 3, keepdim = True, cotangent "
    assert repr(call).startswith(told)
    two = Arguments((np.array([0.5, 1.0]),) * 2)
    added = Operation("added", lambda *rest: rest[0] + rest[1], draw=lambda _: two).read(b"")
    assert repr(added).startswith("added of (2,) = [0.5, 1.0], (2,) = [0.5, 1.0], cotangent ")
    assert sum(bool(operation.words) for operation in TABLE) > 0.9 * len(TABLE)
