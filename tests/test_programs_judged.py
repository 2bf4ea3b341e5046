"""What two backends make of one program is judged."""

import io
from functools import partial

import numpy as np
import pytest
from drawing_programs import KINDS, REFERENCE, TABLE, program, run

from gradspec import reference
from gradspec.conformance.programs import judging, perturbing
from gradspec.conformance.programs.functional import Functions
from gradspec.conformance.programs.instructions import Instructions, Value
from gradspec.conformance.programs.judging import Difference, judge, may_be_alone, may_stand_for
from gradspec.conformance.programs.kinds import every_kind
from gradspec.conformance.programs.known import known_of
from gradspec.conformance.programs.language import Statement
from gradspec.conformance.programs.machine import Machine
from gradspec.conformance.programs.naming import key_of
from gradspec.conformance.programs.worker import NUMBER, Worker
from gradspec.conformance.protocol.mode import Mode
from gradspec.conformance.run.loading import load

pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")


def machine_of(*seen, also=()):
    machine = Machine(TABLE)
    machine.seen = [*seen]
    machine.also = dict(also)
    return machine


def value(entries, dtype="float64"):
    return Value(dtype, np.shape(entries), entries)


def verdict(got, expected, limit=0.0, **options):
    two = (0, "value", got), (0, "value", expected)
    return judge(
        machine_of(two[0]),
        machine_of(two[1], **options),
        (Statement("look_value"),),
        lambda: [np.full(np.shape(expected.entries), limit)],
    )


def test_zeros_and_nans_have_no_sign():
    assert verdict(value([0.0, float("nan")]), value([-0.0, -float("nan")])).difference is None


def test_exact_values_are_compared_exactly():
    assert verdict(value([1.0 + 2**-52]), value([1.0])).difference is not None


@pytest.mark.parametrize("other", [value([1.0], "float32"), value([[1.0]]), None, value([])])
def test_dtype_and_shape_are_part_of_a_value(other):
    assert verdict(value([1.0]), other).difference is not None or other is None


def test_what_was_rounded_may_be_off_by_what_perturbing_allows():
    third = 1 / 3
    assert verdict(value([third]), value([third + 1e-10]), 1e-9).difference is None
    assert verdict(value([third]), value([third + 1e-10]), 1e-11).difference is not None


@pytest.mark.parametrize(("dtype", "judged"), [("float64", True), ("float32", False)])
def test_what_depends_on_all_digits_is_not_judged(dtype, judged):
    table = Instructions(REFERENCE, KINDS, dtype)
    text = """
        v0 = constant(; (2,), (), False)
        v1 = exp(v0)
        v2 = exp(v1)
        v3 = sin(v2)
    """
    again = partial(run, text, table)
    assert (perturbing.allowed(again, reference, again()) is not None) == judged


def test_where_anything_was_rounded_some_units_in_the_last_place_are_allowed():
    """Also beside values that are all short: what was rounded may have cancelled in them."""
    near, far = value([6.0 - 2**-50]), value([6.0 - 2**-46])
    assert verdict(near, value([6.0]), 2**-60).difference is None
    assert verdict(far, value([6.0]), 2**-60).difference is not None
    assert verdict(near, value([6.0]), 0.0).difference is not None


def test_the_second_derivative_of_a_product_may_be_that_of_a_quotient():
    functions = Functions(REFERENCE, "float64", "cpu", "second derivatives")
    source = program("v0 = leaf(; (1, 3), (2, 1), False)\nv1 = prod(v0; 1)")
    again = partial(functions.again, source)
    *_, second = perturbing.allowed(again, reference, again())
    assert ((second > 0) & (second < 1e-10)).all()


@pytest.mark.parametrize(
    ("asked", "mode"),
    [("tangents", ""), ("slices", ""), ("gradients", "checkpoint"), ("gradients", "inductor")],
)
def test_what_is_known_of_functions_is_shown(asked, mode):
    """Entries that speak of programs as functions are not stale: each witness shows its defect."""
    backend = load("torch")
    modes = {made.name: made(backend) for made in backend.modes}
    if mode and (reason := modes[mode].absent()):
        pytest.skip(reason)
    functions = Functions(backend, "float64", "cpu", asked, modes.get(mode))
    for known in known_of(backend, "float64", asked, mode):
        if known.asked:
            found = functions.difference(known.witness)
            if found is None and known.sometimes:
                continue
            assert found is not None, known.reason
            assert known.covers(key_of(known.witness, found)), known.reason


def test_large_values_are_not_judged_and_counted():
    found = verdict(value([2.0**60]), value([2.0**60 + 2**10]))
    assert found.difference is None
    assert found.unjudged == {"large or not finite": 1}


def test_a_refusal_may_be_another_one_that_applies():
    def judged(also):
        got, expected = (0, "refused", "shape"), (0, "refused", "leaf_inplace")
        statements = (Statement("mul_"),)
        return judge(machine_of(got), machine_of(expected, also=[(0, also)]), statements)

    assert judged(["leaf_inplace", "shape"]).difference is None
    assert judged(["leaf_inplace"]).difference == Difference(0, "refused", "shape", "leaf_inplace")


def test_choices_speak_of_their_statements_alone():
    assert may_stand_for("freed_graph", "hurt", "backward")
    assert not may_stand_for("freed_graph", "hurt", "mul")
    assert not may_stand_for("freed_graph", "no_graph", "backward")
    nothing = program(
        "v0 = leaf(; (1,), (), False)\nv1 = own(v0; 'Nothing')\nbackward(v1; 1, 0, ())"
    )
    assert may_be_alone("argument", 2, nothing)
    assert may_stand_for("no_grad_view_inplace", "index_range", "select")
    assert not may_stand_for("overlapping_write", "index_range", "select")
    keeping = program("v0 = leaf(; (1,), (1,), False)\nv1 = prod(v0)\nbackward(v1; 1, 0, ())")
    assert may_be_alone("freed_graph", 2, keeping)
    assert not may_be_alone("shape", 2, keeping)
    assert not may_be_alone("freed_graph", 1, (keeping[0], *keeping[2:]))


STALE = "stale_saved_value"


PASSED_OVER = """
v0 = leaf(; (1,), (), False)
v1 = constant(; (1,), (), False)
v2 = leaf(; (2,), (), False)
v3 = constant(; (1,), (), False)
v4 = mul(v2, v1)
v5 = add(v0, v4)
mul_number({0}; 2)
"""

PARTIAL = {
    "gradients": "v6 = gradients(v5, v0; 0, (('retain_graph', True),))\n",
    "backward": "backward(v5, v0; 1, 0, (('retain_graph', True),))\n",
    "end": "",
}


@pytest.mark.parametrize(("written", "judged"), [("v1", False), ("v3", True)])
@pytest.mark.parametrize("last", PARTIAL)
def test_a_stale_value_is_passed_over_only_where_there_is_one(written, judged, last):
    """A pass to some tensors may be refused where one to all leaves is, and nowhere else."""
    source = program(PASSED_OVER.format(written) + PARTIAL[last])
    at, what = 7, "gradients of v5" if last == "end" else "refused"
    found = judge(machine_of((at, what, STALE)), machine_of(), source, again=run)
    assert (found.difference is not None) == judged


def test_a_pass_to_all_leaves_passes_over_nothing():
    source = program("v0 = leaf(; (1,), (), False)\nbackward(v0; 1, 0, ())")
    for at, what in ((1, "refused"), (2, "last")):
        two = machine_of((at, what, STALE)), machine_of()
        assert judge(*two, source, again=run).difference == Difference(at, what, STALE, None)


def test_every_choice_names_kinds_that_exist_and_a_reason():
    for table in ("refusals", "alone", "zeros", "values", "flags"):
        for choice in judging.choices(table):
            assert choice.statements - {"*", "end"} <= every_kind().keys()
            assert {name.split()[0] for name in choice.beside} <= every_kind().keys()
            assert choice.together <= every_kind().keys()
            assert choice.reason


ZEROS = (value([0.0, 0.0]), False)


@pytest.mark.parametrize(
    ("got", "expected", "own", "agree"),
    [
        (None, ZEROS, "Nothing", True),
        (ZEROS, None, "Nothing", True),
        (None, ZEROS, "Double", False),
        (None, (value([0.0, 1.0]), False), "Nothing", False),
    ],
)
def test_what_follows_a_node_without_gradients_gets_none_or_zeros(got, expected, own, agree):
    statements = (Statement("own", (), (own,), 1), Statement("look_grad"))
    two = machine_of((1, "grad", got)), machine_of((1, "grad", expected))
    assert (judge(*two, statements).difference is None) == agree
    seen = [
        machine_of(*[(1, "v0.grad", each)] * (each is not None), (1, "v0.last.grad", value([2.0])))
        for each in (got, expected)
    ]
    assert (judge(*seen, statements).difference is None) == agree


@pytest.mark.parametrize(
    ("got", "agree"), [(((2, 1), (2,)), True), (((1, 2), (2,)), False)], ids=["base", "view"]
)
def test_views_are_judged_by_where_they_lie_in_their_base(got, agree):
    two = machine_of((0, "strides", got)), machine_of((0, "strides", ((1, 2), (1,))))
    assert (judge(*two, (Statement("look_strides"),)).difference is None) == agree


@pytest.mark.parametrize(
    ("size", "words", "count", "agree"),
    [
        (0, (("create_graph", True),), 0, True),
        (0, (("create_graph", True),), 1, False),
        (1, (("create_graph", True),), 0, False),
        (0, (), 0, False),
    ],
)
def test_whether_gradients_that_came_by_way_of_nothing_lead_on_is_not_judged(
    size, words, count, agree
):
    seen = (1, "v0", value([1.0] * size)), (1, "v1", (value([1.0]), True, False, 0))
    two = machine_of(seen[0], (1, "v1", (value([1.0]), False, True, count))), machine_of(*seen)
    statements = (Statement("gradients", (), (0, words), 1),)
    assert (judge(*two, statements).difference is None) == agree


@pytest.mark.parametrize("way", ["prod", "own Nothing", "own OneOfTwo", "own Double"])
def test_where_flags_are_open_so_is_what_is_differentiated_next(way):
    kind, *options = way.split()
    statements = (Statement(kind, (), tuple(options), 1), Statement("twice"))
    one, other = (
        machine_of((2, "v0.grad", (value([1.0]), flag)), (2, "gradients of v0", later))
        for flag, later in ((True, (None,)), (False, "freed_graph"))
    )
    agree = way != "own Double"
    assert (judge(one, other, statements).difference is None) == agree


@pytest.mark.parametrize("kind", ["gradients", "gradients_of_two"])
def test_so_it_is_of_what_came_by_way_of_nothing_among_others(kind):
    statements = (Statement(kind, (), (0, (("create_graph", True),)), 1),)
    one, other = (
        machine_of((1, "v0", (value([]), False, True, 0)), (1, "v1", (value([1.0]), flag, True, 0)))
        for flag in (True, False)
    )
    assert judge(one, other, statements).difference is None


def test_what_is_differentiated_next_may_then_be_something_else():
    one, other = ((1, "v1", (value([]), flag, not flag, 0)) for flag in (True, False))
    later = (1, "gradients of v1", (None,)), (1, "gradients of v0", "freed_graph")
    statements = (Statement("gradients", (), (0, (("create_graph", True),)), 1),)
    judged = judge(machine_of(one, later[0]), machine_of(other, later[1]), statements)
    assert judged.difference is None
    assert judged.unjudged.total() == 1
    same = judge(machine_of(one, later[0]), machine_of(one, later[1]), statements)
    assert same.difference is not None


@pytest.mark.parametrize("mixed", [True, False])
def test_a_gradient_of_another_dtype_is_refused_unless_two_dtypes_meet(mixed):
    source = f"""
        v0 = constant(; (1,), (), False)
        v1 = constant(; (1,), (1,), {mixed})
        v2 = mul(v1, v0)
        set_grad_of(v1, v2)
    """
    two = machine_of(), machine_of((3, "refused", "grad_assignment"))
    assert (judge(*two, program(source)).difference is None) == mixed


def test_dtypes_of_scalars_and_arrays_together_are_for_the_table():
    scalar, array = value(2.0), value([1.0, 2.0], "float32")
    seen = [(0, "v0", scalar), (0, "v1", array)]
    wider, narrower = (0, "v2", value([2.0, 4.0])), (0, "v2", value([2.0, 4.0], "float32"))
    two = machine_of(*seen, wider), machine_of(*seen, narrower)
    assert judge(*two, ()).unjudged == {"which dtype scalars and arrays have together": 1}
    alone = machine_of(seen[1], wider), machine_of(seen[1], narrower)
    assert judge(*alone, ()).difference


def test_hooks_of_a_view_that_was_written_are_not_judged():
    text = """
        v0 = leaf(; (1,), (1,), False)
        v1 = times(v0; 2)
        v2 = getitem(v1; ('...',))
        hook(v2; 'hurt')
        mul_number(v2; 2)
        backward(v1; 1, 0, ())
        """
    assert not [what for _, what, answer in run(text).seen if answer == "hurt"]
    kept = text.replace("mul_number(v2; 2)", "look_value(v2)").replace("(v1; 1, 0", "(v2; 1, 0")
    assert [what for _, what, answer in run(kept).seen if answer == "hurt"] == ["refused"]


def test_hooks_of_a_result_that_is_turned_in_place_are_not_judged():
    """They may see a gradient in the shape that the result had, or has."""
    text = "v0 = leaf(; (1,), (1,), False)\nv1 = times(v0; 2)\nhook(v1; 'watch')\nsqueeze_(v1)"
    assert [a[0].shape for _, what, a in run(text).seen if what == "v1"] == [(1,)]


@pytest.mark.parametrize("hooked", ["v0", "v1"])
def test_hooks_of_a_result_that_is_detached_in_place_are_not_judged(hooked):
    """Whether they stay with the tensor or with its history is said nowhere."""
    text = f"""
        v0 = leaf(; (1,), (1,), False)
        v1 = times(v0; 2)
        hook({hooked}; 'watch')
        detach_({hooked})
        """
    (tracked,) = (answer[1] for _, what, answer in run(text).seen if what == hooked)
    assert tracked == (hooked == "v1")


WRITTEN = "v0 = leaf(; (1, 3), (2, 1), False)\nv1 = exp(v0)\nv2 = mul(v1, v0)"
"""A program whose values, gradients and second derivatives are not zero."""


class Same(Mode):
    """A right one."""

    name = "same"


class Flat(Same):
    """A wrong transform: gradients are constants."""

    def vjp(self, function, *inputs, create_graph=False):
        value, pull = self.backend.vjp(function, *inputs, create_graph=create_graph)
        return value, lambda cotangent: [g.detach() for g in pull(cotangent)]


class Doubled(Same):
    """Another one: gradients are twice as large as they are to be."""

    def vjp(self, function, *inputs, create_graph=False):
        value, pull = self.backend.vjp(function, *inputs, create_graph=create_graph)
        return value, lambda cotangent: [2 * g for g in pull(cotangent)]


class Halved(Same):
    """A wrong compiler: functions come to half of what they are to be."""

    def wrap(self, function, about):
        return lambda *tensors: function(*tensors) * 0.5


@pytest.mark.parametrize(
    ("mode", "asked", "sort"),
    [
        (Same, "gradients", None),
        (Same, "tangents", None),
        (Halved, "gradients", "sum"),
        (Halved, "tangents", "tangent"),
        (Doubled, "gradients", "gradient"),
        (Flat, "second derivatives", "second derivative"),
    ],
)
def test_programs_are_run_and_differentiated_in_a_mode(mode, asked, sort):
    backend = load("torch")
    functions = Functions(backend, "float64", "cpu", asked, mode(backend))
    found = functions.difference(program(WRITTEN))
    assert (found and found.what) == sort


def test_every_other_program_is_added_up_before_it_is_weighed_in_a_mode():
    """One number for all entries is what compilers get wrong where rows of weights come out."""
    backend = load("torch")
    functions = Functions(backend, "float64", "cpu", "gradients", Same(backend))
    alone = "v0 = leaf(; (1, 3), (2, 1), False)"
    for text, same in ((alone, True), (f"{alone}\nv1 = times(v0; 2)", False)):
        seen = functions.trial(program(text)).seen
        ((one, other),) = [answer.entries for _, what, answer in seen if what == "gradient"]
        assert (one == other) is same


@pytest.mark.parametrize(("second", "runs"), [("mul(v0, v0)", 2), ("matmul(v0, v0)", 0)])
def test_what_the_reference_refuses_is_not_run_as_a_function(second, runs, monkeypatch):
    """A library that checks nothing may write anywhere, and spoil what runs after it."""
    functions = Functions(load("reference"), "float64", "cpu", "gradients")
    trial, ran = functions.trial, []
    monkeypatch.setattr(functions, "trial", lambda each: ran.append(each) or trial(each))
    drawn = program(f"v0 = leaf(; (1, 3), (2, 1), False)\nv1 = {second}")
    assert functions.difference(drawn) is None
    words = {"backend": "reference", "dtype": "float64", "device": "cpu"}
    worker = Worker(words, io.StringIO())
    worker.comparison = functions
    worker.compare(1, drawn, functions.again(drawn))
    assert len(ran) == runs


def test_what_was_found_before_a_crash_is_told(tmp_path, monkeypatch):
    place, out = tmp_path / "now", io.StringIO()
    place.write_bytes(NUMBER.pack(-1, 0))
    words = {"backend": "reference", "dtype": "float64", "device": "cpu", "place": str(place)}
    worker = Worker({**words, "seed": 0, "first": 0, "last": 8, "step": 1}, out)
    answers = iter([Difference(0, "crash", 1, 2)])
    monkeypatch.setattr(worker.comparison, "difference_from", lambda *_: next(answers))
    with pytest.raises(StopIteration):
        worker.work()
    assert '"failed": 0' in out.getvalue()
    assert NUMBER.unpack(place.read_bytes()) == (1, 1)
