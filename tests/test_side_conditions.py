"""What a backend does beside its result: each side effect is reported as what it is."""

import numpy as np
import pytest

from bench import DOUBLED, SQUARED
from gradspec.conformance import ErrorKind, Subject
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.results.verdict import Status
from gradspec.reference import enable_grad

TWO_LEAVES = """
@claim("TST-03", about="add")
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_two_leaves(be, x, w):
    "Both terms of a sum receive the cotangent."
    first, second = be.leaf(x), be.leaf(x)
    be.backward(be.add(first, second), w)
    be.check(be.grad(first), w)
    be.check(be.grad(second), w)
"""

SPY = """
leaves = []

def leaf(self, array, *rest):
    self.given = array
    self.leaves.append(super().leaf(array, *rest))
    return self.leaves[-1]

def backward(self, y, cotangent=None, **options):
    super().backward(y, cotangent, **options)
    if cotangent is not None:
        self.plant(cotangent, *self.leaves[-2:])

def onto(self, leaf, cotangent):
    leaf.array[...] = cotangent.array
    return leaf.detach()

def plant(self, cotangent, first, second):
    """
"""An adapter whose `plant` runs after each pass that is given a cotangent."""


@pytest.mark.parametrize(
    ("plant", "report"),
    [
        ("cotangent.array[...] += 1", "backward changed its cotangent"),
        ("second.array[...] += 1", "backward changed a leaf"),
        ("first.grad = self.onto(second, cotangent)", ".grad shares memory with a leaf"),
        ("second.grad = cotangent", ".grad shares memory with a cotangent"),
        ("second.grad = first.grad", ".grad shares memory with another .grad"),
        (
            "self.library.set_grad_enabled(False).__enter__()",
            "global state changed: grad mode from True to False",
        ),
        ("self.given[...] += 1", "an input array was changed"),
    ],
)
def test_a_side_effect_is_reported_by_name(bench, plant, report):
    bench.chapter(TWO_LEAVES)
    with enable_grad():  # puts back what a plant leaves behind
        bench.run(backend=bench.adapter(SPY + f"    {plant}")).assert_outcomes(failed=1)
    verdict = bench.verdicts()["TST-03"]
    assert verdict.status is Status.FAIL
    # A change may also be what the next example fails of: then both are told.
    assert verdict.reason.endswith(report)


def test_a_backend_without_side_effects_passes(bench):
    bench.chapter(TWO_LEAVES, DOUBLED, SQUARED)
    bench.run(backend=bench.adapter("")).assert_outcomes(passed=3)


# ---- refusals ------------------------------------------------------------------------------------


@pytest.fixture
def be():
    """The reference, ready for one example."""
    return Subject(Reference(), "cpu", "float64")


def test_a_refusal_of_the_kind_named_is_accepted(be):
    with be.raises(ErrorKind.SHAPE, ErrorKind.NO_GRAPH):
        be.backward(be.tensor([1.0]))


def test_a_leaf_may_be_made_where_a_refusal_is_expected(be):
    with be.raises(ErrorKind.NO_GRAPH):
        be.leaf([1.0])
        be.backward(be.tensor(1.0))


def test_silence_is_no_refusal(be):
    silence = pytest.raises(AssertionError, match="nothing was raised, expected no_graph or shape")
    with silence, be.raises(ErrorKind.NO_GRAPH, ErrorKind.SHAPE):
        be.backward(be.leaf(1.0))


def test_a_refusal_for_another_reason_is_named(be):
    other = pytest.raises(AssertionError, match="refused as no_graph, expected freed_graph")
    with other, be.raises(ErrorKind.FREED_GRAPH):
        be.backward(be.tensor([1.0]))


def test_what_is_no_refusal_goes_through(be):
    with pytest.raises(ZeroDivisionError), be.raises(ErrorKind.NO_GRAPH):
        be.leaf(1 / 0)


def test_a_refused_operation_may_not_change_a_leaf(be):
    leaf = be.leaf(np.array([1.0, 2.0]))
    change = pytest.raises(AssertionError, match="a refused operation changed a leaf")
    with change, be.raises(ErrorKind.NO_GRAPH):
        leaf.array[0] = 3
        be.backward(be.tensor([1.0]))


# ---- comparisons ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "want", "complaint"),
    [
        (None, [1.0], r"grad is None, expected \[1\.\]"),
        ([1.0, 2.0], [[1.0, 2.0]], r"grad has shape \(2,\), expected \(1, 2\)"),
        ([1.0], 1.0, r"grad has shape \(1,\), expected \(\)"),
        (
            [1.0, 2.0, 4.0],
            [1.0, 2.0, 3.0],
            r"grad\[2\] is 4.0, expected 3",
        ),
        (np.array([1, 2]), [1.0, 2.0], "grad is int64, expected float64"),
        (np.array([True]), np.array([1.0]), "grad is bool, expected float64"),
    ],
)
def test_a_wrong_value_is_described_in_one_line(be, got, want, complaint):
    native = got if got is None else be.tensor(got)
    with pytest.raises(AssertionError, match=complaint):
        be.check(native, want, "grad")


def test_a_gradient_of_another_precision_is_refused(be):
    single = Subject(be.backend, "cpu", "float32").tensor([1.0])
    with pytest.raises(AssertionError, match="result is float32, expected float64"):
        be.check(single, [1.0])


def test_integers_are_compared_with_integers(be):
    be.check(be.tensor(np.array([1, 2])), [1, 2])
    with pytest.raises(AssertionError):
        be.check(be.tensor(np.array([1, 2])), [1, 3])


def test_same_means_every_bit(be):
    one = be.tensor([1.0, np.nan])
    be.same(one, be.tensor([1.0, np.nan]))
    for other in ([1.0 + 2**-52, np.nan], [1.0, 0.0], [[1.0, np.nan]]):
        with pytest.raises(AssertionError, match="expected exactly"):
            be.same(one, be.tensor(other))
    be.same(be.tensor([-np.nan, -0.0]), be.tensor([np.nan, -0.0]))
    for zero, other in ((0.0, -0.0), (0j, complex(0, -0.0)), (0j, complex(-0.0, 0))):
        with pytest.raises(AssertionError, match="expected exactly"):
            be.same(be.tensor(zero), be.tensor(other))
    with pytest.raises(AssertionError, match="expected exactly"):
        be.same(be.tensor(np.array([1])), be.tensor([1.0]))
