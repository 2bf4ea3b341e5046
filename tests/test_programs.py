"""Programs: any bytes are one, and a run writes down what it asks for."""

from hashlib import shake_128

import numpy as np
import pytest
from drawing_programs import DECODER, KINDS, REFERENCE, SQUARE, TABLE, drawn, run

from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.programs.decoding import Decoder, drawn_bytes
from gradspec.conformance.programs.instructions import Instructions, Value
from gradspec.conformance.programs.kinds import FAMILIES, every_kind, kinds_of
from gradspec.conformance.programs.language import lines_of, program_of
from gradspec.conformance.programs.machine import Machine
from gradspec.conformance.protocol.errors import OptionError

pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")


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


def test_where_there_is_neither_a_clone_nor_a_neg_a_copy_is_made():
    class Poor(Reference):
        def __init__(self):
            super().__init__()
            self.functions = {"mul": self.functions["mul"]}

    table = Instructions(Poor(), kinds_of(Poor()))
    x = table.backend.leaf(np.array([1.0, -2.0]), "float64", "cpu")
    copy = table.clone(x)
    assert copy is not x
    assert table.value(copy).entries == [1.0, -2.0]


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


def test_a_write_whose_index_does_not_fit_ends_the_program():
    """What stood before that index may have been written, or not."""
    text = """
        v0 = leaf(; (1,), (), False)
        v1 = constant(; (1, 1), (2, 1), False)
        set_mixed(v1, v0; (('slice', None, None, 1), ('array', (2, 1), (0, 1))))
        look_value(v1)
        """
    assert run(text).seen == [(2, "refused", "index_range"), (2, "recording", True)]
    refused = run(text.replace("v1 = constant", "v1 = leaf").replace("(0, 1)", "(0, 0)")).seen
    assert refused[0] == (2, "refused", "leaf_inplace")
    assert refused[1][1] == "value"


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
