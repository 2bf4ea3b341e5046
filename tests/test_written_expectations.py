"""Known defects that the suite writes down itself, with their witnesses."""

import re
import tomllib
from dataclasses import replace

import numpy as np
import pytest
import tomli_w

from bench import ABORTING, DOUBLED, SINES, WRONG
from gradspec.conformance.claims.witness import decode, encode
from gradspec.conformance.protocol.backend import equal
from gradspec.conformance.results.verdict import Status, Verdict
from gradspec.conformance.run.expectations import Expectation
from gradspec.conformance.run.runner import Run
from gradspec.conformance.run.updating import new_entries
from gradspec.conformance.strategies.arrays import LAYOUTS
from gradspec.conformance.strategies.indices import Scatter

ENTRY = """
[[expected]]
claim = "TST-03"
reason = "squares are not squared"
link = "https://example.org/1"
"""

ODD = """
@claim("TST-02", about="mul")
@given(x=arrays())
def test_odd(be, x):
    "Only float64 is exact."
    assert be.mul(be.tensor(x), 2.0) is None or be.dtype == "float64"
"""

FRESH = "# What mine does otherwise.\n"


def test_what_fails_is_written_down_and_then_expected(bench):
    bench.chapter(WRONG, DOUBLED, ODD)
    adapter = bench.adapter("")
    old = ENTRY.replace("TST-03", "TST-11").replace("squares", "doubles")
    bench.write("mine.toml", f"{FRESH}{old}")
    both = ("--dtype", "float32")
    result = bench.run("--update-expectations", *both, backend=adapter)
    result.assert_outcomes(failed=5, passed=1)
    result.stdout.fnmatch_lines(["*mine.toml: 2 expected failures added, 1 removed", "say why*"])
    written = (bench.path / "mine.toml").read_text()
    assert written.startswith(FRESH)
    assert "doubles are not" not in written
    entries = {entry["claim"]: entry for entry in tomllib.loads(written)["expected"]}
    assert entries.keys() == {"TST-02", "TST-03"}
    assert entries["TST-02"]["dtype"] == "float32"
    assert "dtype" not in entries["TST-03"]
    assert entries["TST-03"]["witness"]["times"] == 1
    assert entries["TST-03"]["link"] == "TODO"
    assert re.search(r"(?m)^array = \[[-\d., ]+\]$", written)
    bench.run(*both, backend=adapter).assert_outcomes(xfailed=3, passed=3)
    assert bench.run("--update-expectations", *both, backend=adapter).ret == pytest.ExitCode.OK
    assert (bench.path / "mine.toml").read_text() == written


CONSTANT = """
@claim("TST-03", about="mul")
def test_constant(be):
    "Twice one is three."
    be.check(be.mul(be.tensor([1.0]), 2.0), [3.0])
"""


def test_what_draws_nothing_is_written_down_too(bench):
    bench.chapter(CONSTANT, DOUBLED)
    adapter = bench.adapter("")
    bench.run("--update-expectations", backend=adapter).assert_outcomes(failed=1, passed=1)
    bench.run(backend=adapter).assert_outcomes(xfailed=1, passed=1)


LONG = WRONG.replace("arrays()", "arrays(shape=(60,))")


def test_long_arrays_are_written_in_lines(bench):
    bench.chapter(LONG)
    bench.run("--update-expectations", backend=bench.adapter(""))
    written = (bench.path / "mine.toml").read_text()
    (entry,) = tomllib.loads(written)["expected"]
    assert len(entry["witness"]["x"]["array"]) == 60
    assert len(written.splitlines()) < 30
    assert max(map(len, written.splitlines())) < 100


def test_claims_share_an_entry_until_it_holds_for_one_of_them(bench):
    bench.chapter(SINES.format(right="neither"), DOUBLED)
    adapter = bench.adapter("")
    bench.run("--update-expectations", backend=adapter)
    entries = tomllib.loads((bench.path / "mine.toml").read_text())["expected"]
    assert [entry["claim"] for entry in entries] == ["TST-02[cos]", "TST-02[sin]"]
    assert entries[0]["witness"]["call"].keys() == {"tensors", "weights", "which"}
    both = {**entries[0], "claim": "\n  TST-02[cos]\n  TST-02[sin]\n"}
    text = tomli_w.dumps({"expected": [both]}).replace("reason =", "# Both.\nreason =")
    text = text.replace('sin]\\n"', 'sin]\\n"  # and no other')
    bench.write("mine.toml", f"# Mine.\n{text}# The end.\n")
    bench.run(backend=adapter).assert_outcomes(xfailed=2, passed=1)
    bench.chapter(SINES.format(right="cos"), DOUBLED)
    bench.run("--update-expectations", backend=adapter).assert_outcomes(
        failed=1, xfailed=1, passed=1
    )
    text = (bench.path / "mine.toml").read_text()
    assert text.startswith("# Mine.\n")
    assert text.endswith("# The end.\n")
    (left,) = tomllib.loads(text)["expected"]
    assert left == {**both, "claim": "TST-02[sin]"}
    bench.run(backend=adapter).assert_outcomes(xfailed=1, passed=2)


def test_a_crash_is_written_down_too(bench):
    bench.chapter(ABORTING, DOUBLED)
    adapter = bench.adapter("")
    bench.run_apart("--update-expectations", "--isolate", backend=adapter)
    (entry,) = tomllib.loads((bench.path / "mine.toml").read_text())["expected"]
    assert entry["status"] == "crash"
    bench.run_apart("--isolate", backend=adapter).assert_outcomes(xfailed=1, passed=1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0, 3)])
def test_arrays_survive_being_written_down(layout, shape):
    array = layout(shape, np.arange(float(np.prod(shape))))
    text = tomli_w.dumps(encode({"x": array}))
    again = decode(tomllib.loads(text))["x"]
    assert equal(again, array)
    assert array.size < 2 or again.strides == array.strides


@pytest.mark.parametrize(
    "value",
    [True, 3, 2.5, float("inf"), "x", (1, (2, None)), [1, "y"], {"a": 1}, None, np.array([1, 2])],
)
def test_values_survive_being_written_down(value):
    again = decode(tomllib.loads(tomli_w.dumps(encode({"x": value}))))["x"]
    assert type(again) is type(value)
    assert equal(again, value) if isinstance(value, np.ndarray) else again == value


def test_records_survive_being_written_down():
    record = Scatter(np.ones((2, 3)).T, 1, np.array([[1]]), np.zeros((0, 3)))
    value = [(record, float("inf")), None]
    ((again, infinity), nothing) = decode(tomllib.loads(tomli_w.dumps(encode({"x": value}))))["x"]
    assert (infinity, nothing, again.dim) == (float("inf"), None, 1)
    assert again.x.strides == record.x.strides
    assert all(map(equal, (again.x, again.index, again.src), (record.x, record.index, record.src)))


@pytest.mark.parametrize(
    "record", ["indices.Nothing", "nothing.Scatter", "indices.np", "products.Scatter", "", "..os"]
)
def test_a_record_is_one_that_claims_draw(record):
    with pytest.raises(ValueError, match="is no record that claims draw"):
        decode({"x": {"record": record}})


@pytest.mark.parametrize("value", [object(), len, {1}, (len,), {"a": len}, np.float32(1), 1j])
def test_what_cannot_be_written_down_is_no_witness(value):
    assert encode({"x": value}) is None


FAILED = Verdict("TST-01", "planted", "law", "mine", "cpu", "float64", Status.FAIL, "sin", drawn=1)


@pytest.mark.parametrize(
    ("modes", "mode"),
    [
        ({None: Status.FAIL}, None),
        ({None: Status.FAIL, "vmap": Status.FAIL}, None),
        ({None: Status.PASS, "vmap": Status.FAIL}, "vmap"),
        ({None: Status.FAIL, "vmap": Status.PASS}, "eager"),
        # Nothing is known of how it does without a mode.
        ({"vmap": Status.FAIL}, "vmap"),
        ({"vmap": Status.FAIL, "forward": Status.FAIL}, "vmap forward"),
    ],
)
def test_an_entry_that_is_written_speaks_of_the_modes_that_ran(modes, mode):
    ran = [replace(FAILED, mode=name, status=status) for name, status in modes.items()]
    assert [entry.get("mode") for entry in new_entries(ran, {})] == [mode]


def test_values_that_fail_in_one_dtype_are_no_witness_in_another():
    ran = [replace(FAILED, dtype=dtype) for dtype in ("float32", "float64")]
    for values, dtypes in (([1.0, 1.0], [None]), ([1.0, 2.0], ["float32", "float64"])):
        witnesses = {v.key: {"x": value} for v, value in zip(ran, values, strict=True)}
        entries = new_entries(ran, witnesses)
        assert [entry.get("dtype") for entry in entries] == dtypes
        assert [entry["witness"]["x"] for entry in entries] == values[: len(dtypes)]


@pytest.mark.parametrize(
    ("mode", "of_entry", "status", "stale"),
    [
        (None, None, Status.UNEXPECTED_PASS, True),
        ("vmap", None, Status.UNEXPECTED_PASS, False),
        ("vmap", "vmap", Status.UNEXPECTED_PASS, True),
        # An exception that nobody maps says nothing of the entry.
        (None, None, Status.ERROR, False),
    ],
)
def test_an_entry_is_stale_where_what_it_speaks_of_ran(monkeypatch, mode, of_entry, status, stale):
    entry = Expectation("TST-03", "reason", "link", mode=of_entry)
    run = Run(None, None, None, 0, expectation=entry)
    monkeypatch.setattr(run, "mismatch", lambda: None)
    assert bool(run.stale_entry(replace(FAILED, mode=mode, status=status))) == stale
