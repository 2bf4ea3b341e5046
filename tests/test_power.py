"""What the search alone finds of planted faults is measured, and what is left out is a list."""

import power
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")


def test_what_is_left_out_exists_and_has_a_reason():
    existing = {f"{chapter}/{mutant.name}" for chapter, mutant in power.chosen([])}
    without = power.left_out()
    assert without.keys() < existing
    assert all(without.values())


def test_a_planted_fault_is_found_by_programs_alone(capsys):
    power.measure(20.0, ["accumulation/backward_overwrites"])
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("accumulation/backward_overwrites: ")
    assert rest[-1].endswith("1 of    1 found (100.0%)")


def test_a_fault_that_no_program_shows_is_named():
    mutant = next(mutant for _, mutant in power.chosen(["accumulation/nan_is_not_accumulated"]))
    trial = power.tried("accumulation", mutant, 0.05)
    assert not trial.found
    lines = [*power.summary([trial], 3)]
    assert lines[1].startswith("all")
    assert "0 of    1 found (0.0%)" in lines[1]
    assert lines[2] == "with the 3 that no program can show: 0 of 4 (0.0%)"
    assert lines[3].startswith("not found: accumulation/nan_is_not_accumulated: ")
