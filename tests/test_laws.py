"""Every measured law of the specification can be supported, refuted and left unmeasured."""

from math import log2
from typing import ClassVar

import pytest

from gradspec import spec
from gradspec.conformance import measured
from gradspec.conformance.speed.cells import Cell, Measurement, Part
from gradspec.conformance.speed.findings import Answer
from gradspec.conformance.speed.laws import judge, laws_of
from gradspec.conformance.speed.machine import cores
from gradspec.conformance.speed.workloads import workloads_of

LAWS = laws_of(spec)
WORKLOADS = workloads_of(spec)
DEVICES = ("cpu", "cuda")

laws = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


class Expected:
    """A GPU a hundred times as fast as the CPU, behind a slow link, slow to start.

    Workers, compilers and graphs behave as the laws say.
    """

    def seconds(self, work, size, device, part):
        n = work.work(size)
        if device == "cpu":
            return 1e-5 + n / 1e10
        start = 1e-3 if work.name.endswith("_step") else 2e-5
        moved = 8 * size**2 if work.name == "product" else 8 * size
        link = 2e-5 + moved / 1e10 if part is Part.END_TO_END else 0
        return start + n / 1e12 + link

    special: ClassVar = {
        "sent": lambda n: 4 * n / 5e9,
        "sent_from_pinned": lambda n: 4 * n / 2e10,
        "shared_small": lambda n: 1e-4 * n,
        "shared_large": lambda n: 1 / n**0.9,
        "epoch": lambda n: 0.01 + 0.05 * n,
        "epoch_of_waits": lambda n: 5 / max(1, n) + 0.05 * n,
        "later_epoch_of_waits": lambda n: 1 / max(1, n),
        "later_epoch_of_work": lambda n: 1 / max(1, min(n, cores())),
        "twenty_steps": lambda n: n / 1e9,
        "twenty_steps_fused": lambda n: n / 1e10,
        "forward_recorded": lambda n: 1.2e-5 + n**2 / 1e9,
        "forward_unrecorded": lambda n: 1.0e-5 + n**2 / 1e9,
    }

    def launch(self, work, size, device, seconds):
        return seconds if work.name == "sent" else min(seconds, 1e-5)

    def memory(self, work, size):
        peak = {"recorded": size, "unrecorded": 2}.get(work.name, 1)
        kept = {"graph_kept": size, "forward_recorded": 2}.get(work.name, 1)
        return 1000 * peak, 1000 * kept


class Contrary(Expected):
    """A GPU without start or link, which gains less on larger work; and all else upside down."""

    def seconds(self, work, size, device, part):
        here = super().seconds(work, size, "cpu", part)
        return here if device == "cpu" else here / 100 * log2(size + 2)

    special: ClassVar = {
        "sent": lambda n: 1e-9,
        "sent_from_pinned": lambda n: 1e-8,
        "shared_small": lambda n: 1e-4 / n,
        "shared_large": lambda n: 1 / n**2,
        "epoch": lambda n: 1 / (n + 1),
        "epoch_of_waits": lambda n: 1.0 + n,
        "later_epoch_of_waits": lambda n: 1.0 + n,
        "later_epoch_of_work": lambda n: 1 / (n + 1),
        "twenty_steps": lambda n: n / 1e10,
        "twenty_steps_fused": lambda n: n / 1e9,
        "forward_recorded": lambda n: 1.0e-5 + n**2 / 1e8,
        "forward_unrecorded": lambda n: 1.2e-5 + n**2 / 1e9,
    }

    def launch(self, work, size, device, seconds):
        return seconds

    def memory(self, work, size):
        peak = {"unrecorded": size}.get(work.name, 1)
        kept = {"graph_freed": 5, "forward_unrecorded": 2}.get(work.name, 1)
        return 1000 * peak, 1000 * kept


def figures(world, noise=1.01):
    """Return what a run in such a world would measure of every workload."""
    found = []
    for work in WORKLOADS:
        for size in work.sizes:
            for device in DEVICES:
                for part in Part if device == "cuda" else [Part.KERNEL]:
                    cell = Cell(work.chapter, work.name, size, part, "lib", device, "float32")
                    special = world.special.get(work.name)
                    middle = special(size) if special else world.seconds(work, size, device, part)
                    start = world.launch(work, size, device, middle)
                    peak, kept = world.memory(work, size)
                    found.append(
                        Measurement(
                            cell,
                            median=middle,
                            low=middle / noise,
                            high=middle * noise,
                            launch=(start, start / noise, start * noise),
                            peak=peak,
                            kept=kept,
                            mean=1.5,
                        )
                    )
    return found


def answers(law, *args, **options):
    return {each.answer for each in judge(law, figures(*args, **options), "lib", DEVICES)}


@laws
def test_a_law_is_supported_where_it_holds(law):
    assert answers(law, Expected()) == {Answer.SUPPORTED}


@laws
def test_a_law_is_refuted_where_it_does_not_hold(law):
    assert answers(law, Contrary()) == {Answer.REFUTED}


@laws
def test_a_law_of_times_is_open_where_all_is_noise(law):
    exact = {"SPD-58", "SPD-60", "SPD-61"}
    wanted = Answer.SUPPORTED if law.id in exact else Answer.INCONCLUSIVE
    assert answers(law, Expected(), noise=1e9) == {wanted}


@laws
def test_a_law_without_figures_says_what_is_missing(law):
    (each,) = judge(law, [], "lib", ["cpu" if law.on != "gpu" else "cuda"])
    assert each.answer is Answer.UNMEASURED
    assert "was not part of this run" in each.reason or "was not measured" in each.reason


@laws
def test_a_law_of_gpus_is_unmeasured_where_there_is_none(law):
    here = [m for m in figures(Expected()) if m.cell.device == "cpu"]
    found = judge(law, here, "lib", ["cpu"], {"cuda": "no cuda device is seen"})
    gpu = [each for each in found if each.device == "cuda"]
    assert [each.answer for each in gpu] == [Answer.UNMEASURED] * (law.on == "gpu")
    assert bool(gpu) == (law.on == "gpu")


def test_times_of_different_results_are_not_compared():
    law = LAWS["SPD-04"]
    wrong = [
        m if m.cell.device == "cpu" else Measurement(**{**vars(m), "mean": 1.6})
        for m in figures(Expected())
    ]
    (each,) = judge(law, wrong, "lib", DEVICES)
    assert each.answer is Answer.UNMEASURED
    assert "differ" in each.reason


def test_a_law_has_to_be_said_and_sourced():
    def silent(lab):
        pass

    with pytest.raises(ValueError, match="no docstring"):
        measured("SPD-04", on="gpu")(silent)
    silent.__doc__ = "Something."
    with pytest.raises((ValueError, FileNotFoundError)):
        measured("SPD-04", on="gpu")(silent)
