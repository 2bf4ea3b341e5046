"""Runs that measure: what they leave, and what stops them. The device is the pretended one."""

import json
from pathlib import Path

import pytest
from queued import CPU, EACH, FIXED, LINK

from gradspec.conformance import cli
from gradspec.conformance.speed import machine, record
from gradspec.conformance.speed.cells import Cell, Measurement, Part
from gradspec.conformance.speed.record import Record
from written import TIMES_HEADER

SIZES = (500, 1000, 2000, 4000, 8000, 16000)

CHAPTER = f"""
import pytest
from queued import simulate

from gradspec.conformance import measured, timed, values, workload

simulate(setattr)


@workload(sizes={SIZES}, leaves="", needs="views")
def doubled(be, x):
    "Twice a tensor."
    return be.add(x, x)


@workload(sizes=(10**15,), leaves="")
def immense(be, x):
    "What no machine can hold."
    return be.add(x, x)


@workload(sizes=(4000, 4_000_000), leaves="")
def slow(be, x):
    "What takes too long to be repeated."
    return be.add(x, x)


@workload(sizes=(10,), needs="jvp")
def lacking(be, leaf):
    "What the library does not offer."
    return be.mul(leaf, leaf)


@workload(sizes=(10,), operands=lambda be, n: [be.layer("Linear", n, n)])
def undeclared(be, layer):
    "What the library does not offer, as is found out on the way."
    return layer


@measured("XX-01", on="gpu")
def large_sums_gain(lab):
    "A GPU wins on large sums."
    return lab.gain(doubled).last > 1


@measured("XX-02", on="gpu")
def small_sums_gain(lab):
    "A GPU wins on small sums."
    return lab.gain(doubled).first > 1


@measured("XX-03", on="gpu")
def a_call_returns_early(lab):
    "A call returns long before the work is done."
    return lab.launches(doubled) / lab.times(doubled) < 0.5


@timed
@pytest.mark.parametrize(
    ("program", "size"),
    [(p, n) for p in (doubled, immense, slow, lacking, undeclared) for n in p.workload.sizes],
)
def test_speed(stopwatch, benchmark, be, program, size, part):
    stopwatch.time(benchmark, be, program, size, part)
"""


@pytest.fixture
def bench(pytester, monkeypatch):
    """A folder with a chapter of workloads and laws."""
    # Nothing can be timed in what takes itself for a worker of xdist.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    pytester.makepyfile(test_pretended=CHAPTER)
    rows = "".join(f'[XX-0{n}]\nnotes = "000:1"\nverdict = "holds"\n' for n in (1, 2, 3))
    pytester.path.joinpath("sources.toml").write_text(rows)
    return pytester


def run(bench, *options, adapter="Queued"):
    """Measure the chapter on a pretended library."""
    words = ["--benchmark-only", "-p", "no:cacheprovider", "--backend", f"queued:{adapter}"]
    return bench.runpytest_subprocess(*words, "--speed-results", "out", *options, timeout=600)


def left_by(bench):
    """Return the one file that a run has left, as it was written."""
    (path,) = bench.path.joinpath("out").iterdir()
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_run_tells_what_a_device_gains(bench):
    """The timings of the device are known, and so is the size from which on it wins."""
    result = run(bench, "--speed-budget", "2")
    result.assert_outcomes(passed=21, skipped=12)
    (path,) = bench.path.joinpath("out").iterdir()
    assert path.name.startswith("pretended-cuda-queued-numpy-")
    found = record.read(path).measurements
    whole = left_by(bench)
    cells = {(m.cell.workload, m.cell.device, m.cell.part, m.cell.size): m for m in found}

    assert whole["header"]["conditions"] == {
        "cpu": {"before": None, "after": None},
        "cuda": {"before": "cold", "after": "warm"},
    }
    result.stdout.fnmatch_lines(["cuda before: cold", "cuda after: warm"])
    for size in SIZES:
        here = cells["doubled", "cpu", "kernel", size]
        there = cells["doubled", "cuda", "kernel", size]
        trip = cells["doubled", "cuda", "end-to-end", size]
        assert here.median == pytest.approx(CPU * size, rel=0.01)
        assert there.median == pytest.approx(FIXED + EACH * size, rel=0.01)
        assert trip.median == pytest.approx(FIXED + EACH * size + 2 * LINK, rel=0.01)
        assert there.event_gap is not None
        assert there.event_gap <= 0.02
        assert there.launch[0] < there.median / 2
        assert here.rounds >= 7
        assert here.low <= here.median <= here.high
        assert here.q1 <= here.median <= here.q3
        assert here.peak >= 4 * size
        assert here.moved == 8 * size

    gains = {(g["workload"], g["part"]): g for g in whole["gains"]}
    for part, fixed in (("kernel", FIXED), ("end-to-end", FIXED + 2 * LINK)):
        even = gains["doubled", part]["break_even"]
        assert even["low"] <= even["value"] <= even["high"]
        assert even["value"] == pytest.approx(fixed / (CPU - EACH), rel=0.05)

    answers = {j["law"]: j["answer"] for j in whole["judgements"]}
    assert answers == {"XX-01": "supported", "XX-02": "refuted", "XX-03": "supported"}
    result.stdout.fnmatch_lines(["XX-02*cuda*refuted*doubled(500)*> 1"])


def test_what_finds_no_room_is_left_out_and_told(bench):
    """At once, or after a while."""
    run(bench, "--speed-budget", "2", "-k", "doubled", adapter="Crowded")
    (path,) = bench.path.joinpath("out").iterdir()
    cells = [m for m in record.read(path).measurements if m.cell.part is Part.KERNEL]
    reasons = {(m.cell.device, m.cell.size): m.left_out for m in cells}
    told = "no room: out of memory: tried to allocate 20 GiB"
    assert {key for key, reason in reasons.items() if reason == told} == {
        ("cuda", size) for size in SIZES if size == 2000 or size > 4000
    }


def test_what_is_left_out_says_why(bench):
    run(bench, "--speed-budget", "2", "-k", "not doubled")
    (path,) = bench.path.joinpath("out").iterdir()
    cells = [m for m in record.read(path).measurements if m.cell.part is Part.KERNEL]
    reasons = {(m.cell.workload, m.cell.size): m.left_out for m in cells}
    assert "GB are needed" in reasons["immense", 10**15]
    assert "s, and 10 of them more than 2 s" in reasons["slow", 4_000_000]
    assert "does not declare jvp" in reasons["lacking", 10]
    assert "queued does not offer it" in reasons["undeclared", 10]
    assert reasons["slow", 4000] is None


def test_a_device_that_is_not_waited_for_fails_the_run(bench):
    result = run(bench, "-k", "cuda-float32-kernel-doubled-16000", adapter="Forgetful")
    result.assert_outcomes(failed=1, deselected=32)
    result.stdout.fnmatch_lines(
        ["*unsynchronised: *Forgetful.synchronize has to wait for all of it"]
    )


def test_a_clock_at_odds_with_the_device_fails_the_run(bench):
    result = run(bench, "-k", "cuda-float32-kernel-doubled-16000", adapter="Drifting")
    result.assert_outcomes(failed=1, deselected=32)
    result.stdout.fnmatch_lines(["*the device's own *they differ by *%*"])


def test_benchmarks_that_are_disabled_fail_the_run(bench):
    words = ["--benchmark-disable", "--no-isolate", "--backend", "queued:Queued"]
    result = bench.runpytest_subprocess(*words)
    assert "deselected" in result.stdout.str()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_an_empty_measurement_fails_the_run(bench):
    bench.makeconftest(
        """
        from pytest_benchmark.stats import Stats
        Stats.update = lambda self, duration: None
        """
    )
    result = run(bench, "-k", "kernel-doubled-500")
    assert "an empty measurement: 0 of" in result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_nothing_is_timed_by_several_workers(bench):
    result = run(bench, "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--benchmark-only with -n: *leave out -n*"])


@pytest.mark.parametrize("word", ["soon", "0", "-1", "nan", "inf"])
def test_a_budget_that_is_no_time_is_refused(bench, word):
    result = run(bench, f"--speed-budget={word}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--speed-budget {word}: not a time*"])


def test_a_folder_that_cannot_be_written_is_named(bench):
    bench.path.joinpath("out").write_text("a file")
    result = run(bench, "-k", "kernel-doubled-500")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--speed-results out: cannot be written*"])


def test_without_a_gpu_its_cells_are_unmeasured(bench):
    words = ["--benchmark-only", "--backend", "reference", "--speed-results", "out"]
    result = bench.runpytest_subprocess(*words, "-k", "doubled")
    result.assert_outcomes(passed=6, deselected=5)
    whole = left_by(bench)
    assert {j["answer"] for j in whole["judgements"]} == {"unmeasured"}
    assert {g["unmeasured"] for g in whole["gains"]} == {whole["header"]["absent"]["cuda"]}
    assert "no cuda device is seen by reference" in whole["header"]["absent"]["cuda"]
    result.stdout.fnmatch_lines(["*doubled*cuda*kernel*unmeasured*no cuda device is seen*"])


# ---- two runs compared ---------------------------------------------------------------------------


@pytest.fixture
def two(tmp_path):
    """Records of two runs, the second of them changed by a function of its JSON."""
    cells = [Cell("pretended", "doubled", n, Part.KERNEL, "lib", "cpu", "float32") for n in SIZES]
    times = [Measurement(cell, median=1e-3, low=0.9e-3, high=1.1e-3) for cell in cells]
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    record.write(old, Record(TIMES_HEADER, [], times, [], []))

    def changed(change):
        whole = json.loads(old.read_text(encoding="utf-8"))
        change(whole)
        new.write_text(json.dumps(whole), encoding="utf-8")
        return [str(old), str(new)]

    return changed


def slower(*words):
    """Carry out `gradspec slower`."""
    return cli.main(["slower", *words])


def slow_down(factor):
    def change(whole):
        for m in whole["measurements"][:1]:
            m.update({name: m[name] * factor for name in ("median", "low", "high")})

    return change


def test_what_got_slower_is_listed(two, capsys):
    assert slower(*two(slow_down(3))) == 1
    out = capsys.readouterr().out
    assert out.count("slower:") == 1
    assert "doubled(500) kernel lib-cpu-float32" in out
    assert "x 3.00" in out
    assert "1 of 6 cells got slower by 5% or more" in out


@pytest.mark.parametrize("factor", [1, 1.04, 1 / 3])
def test_what_did_not_is_not(two, capsys, factor):
    assert slower(*two(slow_down(factor))) == 0
    assert "0 of 6 cells" in capsys.readouterr().out


def test_noise_is_not_told_of(two, capsys):
    def noise(whole):
        for m in whole["measurements"]:
            m.update(median=m["median"] * 3, high=m["high"] * 3)

    assert slower(*two(noise)) == 0
    assert "0 of 6 cells" in capsys.readouterr().out


def test_the_least_change_can_be_chosen(two):
    paths = two(slow_down(3))
    assert slower(*paths, "--by", "250") == 0
    assert slower(*paths, "--by", "150%") == 1


def test_lost_cells_and_another_machine_are_named(two, capsys):
    def lose(whole):
        del whole["measurements"][0]
        whole["measurements"][0]["left_out"] = "too large"
        whole["header"]["processor"] = "another one"

    slower(*two(lose))
    out = capsys.readouterr().out
    assert "another processor" in out
    assert "no longer timed: pretended doubled(500)" in out
    assert "no longer timed: pretended doubled(1000) kernel lib-cpu-float32: too large" in out


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"kind": "speed", "format": 2}'])
def test_another_file_is_refused_in_one_line(tmp_path, capsys, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    assert slower(str(path), str(path)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "other.json: not a file of measured times" in line


def test_a_missing_file_is_refused_in_one_line(tmp_path, capsys):
    assert slower(*[str(tmp_path / "none.json")] * 2) == 2
    assert "none.json: cannot be read" in capsys.readouterr().err


def test_a_wrong_percentage_is_refused(capsys):
    with pytest.raises(SystemExit):
        slower("a", "b", "--by", "much")
    assert "not a percentage" in capsys.readouterr().err


# ---- the machine ---------------------------------------------------------------------------------


def test_memory_and_caches_are_read_where_the_system_tells(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2048 kB\n")
    assert machine.free_memory(tmp_path / "meminfo") == 2 << 20
    for index, size in enumerate(["32K", "2048K", "36M"]):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "size").write_text(f"{size}\n")
    assert machine.cache_size(tmp_path) == 36 << 20


def test_elsewhere_they_are_assumed(tmp_path):
    assert machine.free_memory(tmp_path / "none") == machine.UNKNOWN_MEMORY
    assert machine.cache_size(tmp_path / "none") == machine.UNKNOWN_CACHE
