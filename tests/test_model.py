"""The reference and a model with one scalar for each memory cell make the same of programs."""

from functools import partial

import pytest
from model import Model, Unmodelled

from gradspec import reference
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.programs.decoding import Decoder, drawn_bytes
from gradspec.conformance.programs.instructions import Instructions, Value
from gradspec.conformance.programs.judging import judge
from gradspec.conformance.programs.kinds import kinds_of
from gradspec.conformance.programs.language import lines_of
from gradspec.conformance.programs.machine import Machine
from gradspec.conformance.programs.perturbing import allowed

pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")

REFERENCE = Reference()
KINDS = {name: kind for name, kind in kinds_of(REFERENCE).items() if hasattr(Model, f"do_{name}")}
TABLE = Instructions(REFERENCE, KINDS)
DECODER = Decoder(KINDS)


def is_modelled(program):
    """Whether the model speaks of all of it: one dtype, and no power whose gradient is constant."""
    return not any(
        (each.kind in ("leaf", "constant") and each.options[2])
        or (each.kind == "power" and each.options == (1,))
        for each in program
    )


def told(seen):
    """Return what both tell of: the model does not differentiate everything at the end.

    Nor does it know a gradient of zeros from none.
    """
    for at, what, answer in seen:
        if what == "last" or ".last." in what or what.endswith(".grad"):
            continue
        if what.startswith(("gradients of", "held of")):
            continue
        if what == "grad":
            value = answer[0] if type(answer) is tuple and type(answer) is not Value else answer
            yield at, what, value if value is not None and value.array().any() else "nothing"
        else:
            yield at, what, answer


def difference(program):
    """Return the first difference between a run on the reference and one on the model."""
    expected = Model()
    try:
        expected.run(program)
    except Unmodelled:
        return None
    expected.seen = [*told(expected.seen)]
    got = run_of(program)
    again = partial(run_of, program)
    return judge(got, expected, program, lambda: allowed(again, reference, got)).difference


def run_of(program):
    """Return a run on the reference, with what both tell of."""
    machine = Machine(TABLE)
    machine.run(program)
    machine.seen = [*told(machine.seen)]
    return machine


@pytest.mark.parametrize("seed", range(4))
def test_programs_mean_the_same_cell_by_cell(seed):
    programs = (DECODER.read(drawn_bytes(seed, number)) for number in range(250))
    modelled = [each for each in programs if is_modelled(each)]
    assert len(modelled) > 100
    for each in modelled:
        assert difference(each) is None, "\n".join(lines_of(each))


def test_the_model_knows_views_writes_and_modes():
    families = kinds_of(REFERENCE, families=["looking", "writing", "modes"])
    assert len(families.keys() & KINDS.keys()) > 30
