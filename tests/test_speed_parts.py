"""Measuring in parts: what a run leaves that was broken off, how it is gone on with, merging."""

import json
from dataclasses import replace
from math import inf

import pytest
import test_speed_runs as runs

from gradspec.conformance import cli
from gradspec.conformance.speed import record
from gradspec.conformance.speed.cells import Cell, Measurement, Part
from gradspec.conformance.speed.ordering import by_halves
from gradspec.conformance.speed.parts import LATER, put_off, united
from gradspec.conformance.speed.record import Record
from written import TIMES_HEADER

bench = runs.bench

KILLED = """
import os
from gradspec.conformance.speed import reporting

reporting.OFTEN = 0.0
seen = []


def pytest_runtest_logreport(report):
    seen.append(report.when)
    if seen.count("teardown") == 9:
        os._exit(9)
"""


def figures(bench):
    """Return what the one file of a run says of each cell."""
    (path,) = bench.path.joinpath("out").glob("*.json")
    return {m.cell: m for m in record.read(path).measurements}


def test_a_run_that_was_killed_is_gone_on_with(bench):
    bench.makeconftest(KILLED)
    assert runs.run(bench, "-k", "doubled").ret == 9
    (path,) = bench.path.joinpath("out").iterdir()
    assert path.suffix == ".begun"
    kept = {m.cell: m for m in record.read(path, broken_off=True).measurements}
    with pytest.raises(record.NotWhole):
        record.read(path)
    bench.path.joinpath("conftest.py").unlink()
    result = runs.run(bench, "-k", "doubled", "--speed-resume", "-rs")
    result.assert_outcomes(passed=18 - len(kept), skipped=len(kept), deselected=15)
    result.stdout.fnmatch_lines(["*SKIPPED*as measured before"])
    found = figures(bench)
    assert len(found) == 18
    assert kept.items() <= found.items()
    answers = {j["law"]: j["answer"] for j in runs.left_by(bench)["judgements"]}
    assert answers == {"XX-01": "supported", "XX-02": "refuted", "XX-03": "supported"}


@pytest.mark.long
def test_what_there_is_no_time_for_is_left_to_another_run(bench):
    result = runs.run(bench, "-k", "doubled", "--speed-time", "1e-9")
    result.assert_outcomes(skipped=18, deselected=15)
    result.stdout.fnmatch_lines(["0 cells timed, 0 left out", "18 cells are not measured yet:*"])
    assert all(put_off(m) for m in figures(bench).values())
    runs.run(bench, "-k", "doubled", "--speed-resume").assert_outcomes(passed=18, deselected=15)
    assert not any(put_off(m) for m in figures(bench).values())


def test_a_device_that_is_lost_costs_its_own_cells(bench):
    words = ["-k", "doubled", "--no-isolate"]
    result = runs.run(bench, *words, adapter="Lost")
    result.assert_outcomes(passed=8, failed=1, skipped=9, deselected=15)
    result.stdout.fnmatch_lines(["*unspecified launch failure*", "9 cells are not measured yet*"])
    whole = runs.left_by(bench)
    assert whole["header"]["exit_status"] == 1
    assert whole["header"]["devices"]["cuda"]["model"] == "pretended cuda"
    (reason,) = {m.left_out for m in figures(bench).values() if m.left_out}
    assert reason.startswith(f"{LATER}doubled(2000): cuda does not answer after it: RuntimeError")


@pytest.mark.long
def test_a_file_of_another_machine_is_not_gone_on_with(bench):
    runs.run(bench, "-k", "cpu-float32-kernel-doubled-500")
    (path,) = bench.path.joinpath("out").iterdir()
    text = path.read_text().replace('"processor": "', '"processor": "another ')
    path.with_name("pretended-cuda-" + path.name.partition("-")[2]).write_text(text)
    result = runs.run(bench, "-k", "doubled", "--speed-resume")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*--speed-resume: *is of another measurement: its processor is*"])


@pytest.mark.long
def test_beside_a_device_the_cpu_is_timed_as_well(bench):
    result = runs.run(bench, "-m", "cuda", "-k", "doubled-500", "-v")
    result.assert_outcomes(passed=3, deselected=30)
    assert {cell.device for cell in figures(bench)} == {"cpu", "cuda"}
    result = runs.run(bench, "-m", "cpu", "-k", "doubled-500", "-v")
    result.assert_outcomes(passed=1, deselected=32)


@pytest.mark.parametrize("count", range(12))
def test_sizes_are_taken_by_halves(count):
    found = by_halves(count)
    assert sorted(found) == [*range(count)]
    assert found[:3] == [*dict.fromkeys([0, count // 2, count - 1])][:count]
    # Each one lies in the middle of a gap that those before it leave.
    for at, place in enumerate(found[3:], 3):
        below = max(p for p in found[:at] if p < place)
        above = min(p for p in found[:at] if p > place)
        assert place == (below + above) // 2


# ---- merging -------------------------------------------------------------------------------------


def cell(size, device="cpu"):
    return Cell("views", "cube", size, Part.KERNEL, "torch", device, "float32")


def timed(seconds, size, device="cpu"):
    return Measurement(cell(size, device), median=seconds, low=seconds, high=seconds)


LEFT = Measurement(cell(10), left_out="no room")
WAITING = Measurement(cell(10), left_out=LATER + "the 5 seconds of the run were over")


def test_of_several_figures_the_last_counts_and_any_before_none():
    first, last = timed(1.0, 10), timed(2.0, 10)
    assert united([[first], [last]]) == [last]
    assert united([[first], [WAITING]]) == united([[WAITING], [first]]) == [first]
    assert united([[first], [LEFT]]) == united([[WAITING], [LEFT]]) == [LEFT]


@pytest.fixture
def merge(tmp_path, capsys):
    """Merge files of these measurements, under these headers; return status, words and whole."""

    def merged(*parts, **headers):
        paths = [tmp_path / f"{n}.json" for n in range(len(parts))]
        for path, part, header in zip(
            paths, parts, headers.get("headers") or [{}] * len(parts), strict=True
        ):
            record.write(path, Record({**TIMES_HEADER, **header}, [], part, [], []))
        output = tmp_path / "whole.json"
        status = cli.main(["merge", *map(str, paths), "--output", str(output)])
        whole = json.loads(output.read_text()) if status == 0 else None
        return status, "".join(capsys.readouterr()), whole

    return merged


WITH_CUDA = {
    "devices": {**TIMES_HEADER["devices"], "cuda": {"model": "one", "driver": None}},
    "absent": {},
}


def test_parts_of_one_measurement_become_one(merge):
    there = replace(timed(0.5, 10, "cuda"), launch=None)
    status, told, whole = merge(
        [timed(1.0, 10), timed(2.0, 20)], [there, WAITING], headers=[{}, WITH_CUDA]
    )
    assert status == 0
    assert "3 cells timed" in told
    assert "not measured yet" not in told
    assert whole["header"]["devices"].keys() == {"cpu", "cuda"}
    assert whole["header"]["absent"] == {}
    (gain,) = whole["gains"]
    assert [(p["size"], p["value"]) for p in gain["points"]] == [(10, 2.0)]


def test_a_device_was_as_before_the_first_part_and_after_the_last(merge):
    headers = [
        {"conditions": {"cpu": {"before": before, "after": after}}}
        for before, after in (("cold", "warm"), ("warmer", "hot"))
    ]
    *_, whole = merge([timed(1.0, 10)], [timed(2.0, 20)], headers=headers)
    assert whole["header"]["conditions"] == {"cpu": {"before": "cold", "after": "hot"}}


def test_what_was_broken_off_or_red_may_be_a_part(merge):
    status, told, whole = merge(
        [timed(1.0, 10)],
        [WAITING, timed(1.0, 30)],
        headers=[{"exit_status": 2}, {"exit_status": 1}],
    )
    assert (status, whole["header"]["exit_status"]) == (0, 1)
    _, told, whole = merge([WAITING], headers=[{"exit_status": 2}])
    assert "0 cells timed" in told
    assert "1 are not measured yet" in told
    assert whole["header"]["exit_status"] == 0


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ({"processor": "another"}, "its processor is 'another', not 'one'"),
        ({"version": "2.0"}, "its version is '2.0', not '1.0'"),
        ({"devices": {"cpu": {"model": "other", "driver": None}}}, "its cpu is"),
    ],
)
def test_what_was_measured_elsewhere_is_no_part(merge, header, told):
    status, out, _ = merge([timed(1.0, 10)], [timed(1.0, 20)], headers=[{}, header])
    assert status == 2
    assert "measured elsewhere than" in out
    assert told in out


def test_nothing_is_put_off_for_ever():
    """A figure, or a reason that stays, is not measured again."""
    assert [put_off(m) for m in (timed(inf, 1), LEFT, WAITING)] == [False, False, True]
