"""Programs: any bytes are one, what two backends make of one is judged, what differs is shrunk."""

from functools import partial
from hashlib import shake_128

import numpy as np
import pytest

from gradspec import reference
from gradspec.conformance import Subject
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.programs import comparing, judging, perturbing
from gradspec.conformance.programs.agreeing import agree_as_functions
from gradspec.conformance.programs.comparing import Comparison
from gradspec.conformance.programs.coverage import triples
from gradspec.conformance.programs.decoding import Decoder, drawn_bytes
from gradspec.conformance.programs.functional import Functions
from gradspec.conformance.programs.judging import Difference, judge, may_be_alone, may_stand_for
from gradspec.conformance.programs.kinds import FAMILIES, every_kind, kinds_of
from gradspec.conformance.programs.known import Known, detoured, known_of, left
from gradspec.conformance.programs.language import Statement, lines_of, program_of
from gradspec.conformance.programs.machine import Instructions, Machine, Value
from gradspec.conformance.programs.naming import key_of, sort_of
from gradspec.conformance.programs.shrinking import shrink, simpler, spelt_out
from gradspec.conformance.protocol.capabilities import Capability
from gradspec.conformance.protocol.errors import OptionError, Refused
from gradspec.conformance.run.loading import load

pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")

REFERENCE = Reference()
KINDS = kinds_of(REFERENCE)
DECODER = Decoder(KINDS)
TABLE = Instructions(REFERENCE, KINDS)

SQUARE = """
v0 = leaf(; (1, 2), (2,), False)
v1 = mul(v0, v0)
backward(v1; 1, 0, ())
look_grad(v0)
"""


def program(text):
    return program_of(text.strip().splitlines())


def run(text, table=TABLE):
    machine = Machine(table)
    machine.run(program(text) if isinstance(text, str) else text)
    return machine


def drawn(count, seed=0):
    return [DECODER.read(drawn_bytes(seed, number)) for number in range(count)]


# ---- the language --------------------------------------------------------------------------------


def test_programs_are_text_and_text_is_programs():
    for each in drawn(300):
        assert program_of(lines_of(each)) == each


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("v0 = leaf", "is no statement"),
        ("v1 = leaf(; (1,), (), False)", "makes v0"),
        ("v0 = neg(v0)", "not made yet"),
        ("v0 = leaf(; __import__('os'))", "no plain data"),
    ],
)
def test_other_text_is_refused_in_one_line(line, complaint):
    with pytest.raises(OptionError, match=complaint):
        program_of([line])


def test_any_bytes_are_a_program_of_statements_that_exist():
    for length in [*range(40), 400]:
        made = DECODER.read(shake_128(bytes([length % 256])).digest(length))
        count = 0
        for statement in made:
            assert statement.kind in KINDS
            assert all(0 <= number < count for number in statement.operands)
            count += statement.results


def test_every_kind_is_drawn():
    decoder = Decoder(every_kind())
    kinds = {each.kind for n in range(6000) for each in decoder.read(drawn_bytes(1, n))}
    assert kinds == set(every_kind())


def test_programs_depend_on_seed_and_number_alone():
    assert drawn_bytes(3, 7) == drawn_bytes(3, 7) != drawn_bytes(3, 8) != drawn_bytes(4, 8)


def test_most_statements_are_carried_out():
    """What is refused tells little: few statements are, though some have to be."""
    programs = drawn(400)
    refused = sum(what == "refused" for each in programs for _, what, _ in Machine(TABLE).run(each))
    assert 0.005 < refused / sum(map(len, programs)) < 0.06


def test_a_backend_runs_the_kinds_that_it_has_what_they_need_for():
    class Poor(Reference):
        capabilities = frozenset()

    poor = kinds_of(Poor())
    assert "mul" in poor
    assert not {"no_grad", "add_", "hook", "backward"} & poor.keys()
    assert kinds_of(REFERENCE, families=["modes"]).keys() <= {k.name for k in FAMILIES["modes"]}


# ---- runs ----------------------------------------------------------------------------------------


def test_a_run_writes_down_what_the_program_asks_for_and_everything_at_the_end():
    seen = run(SQUARE).seen
    value = Value("float64", (2,), [2.0, -4.0])
    assert seen[0] == (3, "grad", (value, False))
    assert [what for _, what, _ in seen[1:-1]] == [
        "recording", "v0", "v1", "v0.grad", "last", "gradients of v0"
    ]  # fmt: skip
    assert [answer for _, what, answer in seen if what == "last"] == ["freed_graph"]
    assert seen[-1] == (4, "gradients of v1", "freed_graph")


def test_what_is_refused_makes_nothing_and_who_names_that_is_skipped():
    seen = run(
        """
        v0 = leaf(; (1, 2), (2,), False)
        v1 = leaf(; (1, 2, 3), (3,), False)
        v2 = mul(v0, v1)
        v3 = neg(v2)
        """
    ).seen
    assert seen[0] == (2, "refused", "shape")
    assert [what for _, what, _ in seen[1:4]] == ["recording", "v0", "v1"]


def test_modes_end_with_the_program():
    run("no_grad()\nset_grad(; False)\nset_grad_block(; False)")
    assert REFERENCE.is_grad_enabled()


def test_a_pass_that_is_refused_midway_ends_the_program():
    seen = run(
        """
        v0 = leaf(; (1,), (), False)
        v1 = exp(v0)
        mul_number(v1; 2)
        backward(v1; 1, 0, ())
        look_value(v0)
        """
    ).seen
    assert seen == [(3, "refused", "stale_saved_value"), (3, "recording", True)]


def test_hook_calls_are_written_down_by_tensor():
    seen = run(
        """
        v0 = leaf(; (1,), (), False)
        hook(v0; 'double')
        hook(v0; 'watch')
        backward(v0; 1, 0, ())
        """
    ).seen
    (calls,) = [answer for _, what, answer in seen if what.startswith("hooks")]
    assert [(at, call, value.entries) for at, call, value, *_ in calls] == [
        (1, 3, 1.0), (2, 3, 2.0), (1, 4, 1.0), (2, 4, 2.0)
    ]  # fmt: skip


@pytest.mark.parametrize("records", [False, True])
def test_hooks_see_whether_the_pass_is_recorded(records):
    seen = run(
        f"""
        v0 = leaf(; (1,), (), False)
        hook(v0; 'watch')
        backward(v0; 1, 0, (('create_graph', {records}),))
        """
    ).seen
    (calls,) = [answer for _, what, answer in seen if what.startswith("hooks")]
    assert [recording for *_, recording in calls] == [records, False]  # the last one at the end


def test_a_hook_may_take_itself_away():
    seen = run(
        """
        v0 = leaf(; (1,), (), False)
        hook(v0; 'once')
        hook(v0; 'watch')
        backward(v0; 1, 0, ())
        """
    ).seen
    (calls,) = [answer for _, what, answer in seen if what.startswith("hooks")]
    assert [(at, call) for at, call, *_ in calls] == [(1, 3), (2, 3), (2, 4)]


def test_what_a_recorded_pass_leaves_in_grad_is_differentiated_at_the_end():
    seen = run(
        """
        v0 = leaf(; (2,), (), False)
        v1 = power(v0; 3)
        v2 = sum(v1)
        backward(v1; 1, 0, (('create_graph', True),))
        set_grad(; False)
        forget(v1)
        forget(v2)
        """
    ).seen
    first, last = [answer[0].entries for _, what, answer in seen if what.endswith(".grad")]
    # One for v0 itself, and the second derivative of its cube, times the cotangent's entry.
    assert last - first == 1 - 12


def test_writes_of_a_gradient_that_is_held_are_counted():
    seen = run(
        """
        v0 = leaf(; (2,), (), False)
        backward(v0; 1, 0, ())
        hold(v0)
        backward(v0; 1, 0, ())
        """
    ).seen
    assert [answer[1] for _, what, answer in seen if what == "held of v0"] == [2]


def test_cotangents_are_read_once_they_were_given():
    seen = run("v0 = leaf(; (2,), (), False)\nbackward(v0; 1, 2, ())\nlook_cotangents()").seen
    (values,) = [answer for _, what, answer in seen if what == "cotangents"]
    assert [value.entries for value in values] == [2.0]


def test_a_variable_that_is_forgotten_is_skipped():
    seen = run("v0 = leaf(; (2,), (), False)\nforget(v0)\nv1 = neg(v0)").seen
    assert seen == [(3, "recording", True)]


def test_another_thread_records_whatever_this_one_does():
    seen = run("v0 = leaf(; (2,), (), False)\nno_grad()\nv1 = aside(v0; None)").seen
    assert [answer[1] for _, what, answer in seen if what == "v1"] == [True]


# ---- judging -------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("asked", ["tangents", "slices"])
def test_what_is_known_of_functions_is_shown(asked):
    """Entries that speak of programs as functions are not stale: each witness shows its defect."""
    backend = load("torch")
    functions = Functions(backend, "float64", "cpu", asked)
    for known in known_of(backend, "float64", asked):
        if known.asked:
            found = functions.difference(known.witness)
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
v6 = gradients(v5, v0; 0, (('retain_graph', True),))
"""


@pytest.mark.parametrize(("written", "judged"), [("v1", False), ("v3", True)])
@pytest.mark.parametrize("what", ["refused", "gradients of v5"])
def test_a_stale_value_is_passed_over_only_where_there_is_one(written, judged, what):
    """A pass to some tensors may be refused where one to all leaves is, and nowhere else."""
    source = program(PASSED_OVER.format(written))
    if what != "refused":
        source = source[:-1]
    at = 7
    found = judge(machine_of((at, what, STALE)), machine_of(), source, again=run)
    assert (found.difference is not None) == judged


def test_a_pass_to_all_leaves_passes_over_nothing():
    source = program("v0 = leaf(; (1,), (), False)")
    two = machine_of((1, "last", STALE)), machine_of()
    assert judge(*two, source, again=run).difference == Difference(1, "last", STALE, None)


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


# ---- wrong backends are found, shrunk and named --------------------------------------------------


class Halving(Reference):
    """One that halves every second factor, but only of tensors that were written."""

    def __init__(self):
        super().__init__()
        mul = self.functions["mul"]

        def wrong(x, y):
            if not isinstance(y, float) and getattr(y, "version", None) and y.version.count:
                return mul(x, y / 2)
            return mul(x, y)

        self.functions = {**self.functions, "mul": wrong}


def first_failure(comparison, count=3000):
    for each in (comparison.decoder.read(drawn_bytes(0, number)) for number in range(count)):
        found = comparison.difference(each)
        if found is not None:
            return each, found
    raise AssertionError("nothing was found")


def test_a_wrong_backend_is_found_and_its_program_shrunk():
    comparison = Comparison(Halving())
    each, found = first_failure(comparison)

    def shows(candidate):
        other = comparison.difference(candidate)
        return other is not None and sort_of(other) == sort_of(found)

    small = shrink(each, shows)
    kinds = [statement.kind for statement in small]
    assert len(small) <= 4
    assert kinds[0] in ("leaf", "constant")
    assert "mul" in kinds
    spelt = spelt_out(small, shows)
    assert spelt[-1].kind.startswith("look")
    assert key_of(spelt, comparison.difference(spelt)).startswith(f"{sort_of(found)}: ")


def test_the_reference_agrees_with_itself():
    comparison = Comparison(Reference())
    assert all(comparison.difference(each) is None for each in drawn(400, seed=5))


def test_shrinking_keeps_what_shows():
    each = max(drawn(50), key=len)
    small = shrink(each, lambda candidate: any(s.kind == "leaf" for s in candidate))
    assert [statement.kind for statement in small] == ["leaf"]
    assert small[0].options == ((1,), (), False)


def test_a_known_defect_covers_keys_and_makes_detours():
    known = Known("crash: * hook*|value: leaf *", "x", "y", (), before="hook", look="look_node")
    assert known.covers("crash: leaf times hook")
    assert known.covers("value: leaf mul")
    assert not known.covers("value: constant mul")
    each = program("v0 = leaf(; (1,), (), False)\nhook(v0; 'watch')")
    assert [s.kind for s in detoured(each, [known])] == ["leaf", "look_node", "hook"]


def test_what_fails_of_later_results_is_drawn_of_first_ones_only():
    some = program("v0 = leaf(; (1,), (), False)\nv1, v2 = own(v0; 'TwoResults')")
    first, later = Statement("retain_grad", (1,)), Statement("retain_grad", (2,))
    known = Known("*", "", "", some, first_only="retain_grad")
    assert detoured((*some, first, later), [known]) == (*some, first)
    assert detoured((*some, first, later), []) == (*some, first, later)


def test_kinds_that_are_known_to_fail_are_not_drawn():
    known = Known("value: * exp", "x", "y", (), without="exp sin")
    assert left(KINDS, [known]).keys() == KINDS.keys() - {"exp", "sin"}


def test_a_function_is_shrunk_to_one_that_makes_as_much():
    two = Statement("own", (0,), ("TwoResults",), 2)
    assert not [s for s in simpler(two) if s.kind == "own" and s.options != two.options]
    one = Statement("own", (0,), ("Remembers",), 1)
    assert [s.options[0] for s in simpler(one) if s.kind == "own"] == ["Double", "Square", "Itself"]


# ---- coverage ------------------------------------------------------------------------------------


def test_triples_tell_kind_operand_and_mode():
    found = triples(
        program(
            """
            v0 = leaf(; (1, 1), (2,), False)
            v1 = exp(v0)
            no_grad()
            v2 = getitem(v1; (0,))
            mul_number(v2; 2)
            """
        ),
        TABLE,
    )
    assert ("exp", "leaf", "grad") in found
    assert ("getitem", "result, kept by a node", "no_grad") in found
    assert ("mul_number", "view of a result, made in no_grad", "no_grad") in found
    assert ("no_grad", "nothing", "grad") in found


def test_scouting_leaves_runs_as_they_are():
    for each in drawn(100, seed=9):
        before = repr(Machine(TABLE).run(each))  # as text, where nan is nan
        triples(each, TABLE)
        assert repr(Machine(TABLE).run(each)) == before


# ---- what a library may choose -------------------------------------------------------------------


class Halved(Reference):
    """At zero its relu is half way between its two sides, and it does not count writes."""

    name = "halved"
    capabilities = Reference.capabilities - {Capability.VERSION_COUNTER}

    def __init__(self):
        super().__init__()
        maximum, mul = self.library.maximum, self.library.mul
        self.functions = {**self.functions, "relu": lambda x: maximum(x, mul(x, 0.0))}


def test_what_a_library_may_choose_is_not_drawn_for_it():
    every, left = Comparison(Reference()).kinds, Comparison(Halved()).kinds
    assert every.keys() - left.keys() == {"relu", "relu_", "look_version", "data", "set_data"}


def test_a_kind_goes_by_the_functions_that_it_needs(monkeypatch):
    """Not by its own name: the kind `power` is the operation `pow`."""
    monkeypatch.setattr(comparing, "answered_otherwise", lambda *_: frozenset({"pow"}))
    assert "power" not in Comparison(Reference()).kinds


@pytest.mark.parametrize(
    ("product", "raised"),
    [(None, Refused), (lambda x, y: x + y, AssertionError)],
    ids=["refused", "wrong"],
)
def test_claims_tell_refusals_from_wrong_answers(product, raised):
    class Library(Reference):
        """One that multiplies nothing, or adds instead."""

    def refuse(x, y):
        raise NotImplementedError

    library = Library()
    library.functions = {**library.functions, "mul": product or refuse}
    with pytest.raises(AssertionError) as refuted:
        agree_as_functions(Subject(library, "cpu", "float64"), 1, "gradients")
    assert refuted.type is raised
