"""Wrong backends are found, programs shrunk, and differences named."""

import pytest
from drawing_programs import KINDS, TABLE, drawn, program

from gradspec.conformance import Subject
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.programs import comparing
from gradspec.conformance.programs.agreeing import agree_as_functions
from gradspec.conformance.programs.comparing import Comparison
from gradspec.conformance.programs.coverage import triples
from gradspec.conformance.programs.decoding import drawn_bytes
from gradspec.conformance.programs.known import Known, detoured, left
from gradspec.conformance.programs.language import Statement
from gradspec.conformance.programs.machine import Machine
from gradspec.conformance.programs.naming import key_of, sort_of
from gradspec.conformance.programs.shrinking import shrink, simpler, spelt_out
from gradspec.conformance.protocol.capabilities import Capability
from gradspec.conformance.protocol.errors import Refused

pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")


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
