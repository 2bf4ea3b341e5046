"""A file of measured times may come from anybody: it is read as data, and refused in one line."""

import json
from dataclasses import asdict, replace

import pytest

from gradspec.conformance.cli import main
from gradspec.conformance.report import plots
from gradspec.conformance.report.plots import drawings
from gradspec.conformance.speed import record
from gradspec.conformance.speed.cells import Cell, Measurement, Part
from gradspec.conformance.speed.findings import Answer, Comparison, Interval
from gradspec.conformance.speed.laws import Judgement
from gradspec.conformance.speed.record import Gain, Limits, Record
from gradspec.conformance.untrusted.files import schema_of
from written import TIMES_HEADER

CELL = Cell("speed", "product", 10, Part.KERNEL, "torch", "cpu", "float32")
TIMED = Measurement(CELL, median=1e-3, low=0.9e-3, high=1.1e-3, q1=1e-3, q3=1e-3, rounds=7)
LEFT_OUT = Measurement(replace(CELL, size=20), left_out="too large")
ON_CUDA = replace(TIMED, cell=replace(CELL, device="cuda"), launch=(1e-6, 1e-6, 1e-6), mean=2.0)
POINTS = {10: Interval(2.0, 1.0, float("inf"))}
WHOLE = Record(
    TIMES_HEADER,
    [Limits("torch", "cpu", 1e9, None)],
    [TIMED, LEFT_OUT, ON_CUDA],
    [
        Gain("speed", "product", "torch", "cuda", Part.KERNEL, POINTS, Interval(10, 0, 20)),
        Gain("speed", "product", "torch", "cuda", Part.END_TO_END, {}, None, "not measured"),
    ],
    [
        Judgement(
            "SPD-04",
            ("SPD-04",),
            "Large products gain.",
            "speed",
            "torch",
            "cuda",
            Answer.SUPPORTED,
            (Comparison("gain", 2.0, 1.0, float("inf"), ">", 1.0, Answer.SUPPORTED),),
        ),
        Judgement("SPD-05", (), "", "speed", "torch", "cuda", Answer.UNMEASURED, reason="absent"),
    ],
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the record of a whole run."""
    monkeypatch.chdir(tmp_path)
    record.write(tmp_path / "times.json", WHOLE)
    return tmp_path


def set_at(*path):
    """Make a change of a file's JSON: put the last word where the others lead."""
    *way, last, value = path

    def change(whole):
        for step in way:
            whole = whole[step]
        whole[last] = value

    return change


def drop(*path):
    """Make a change of a file's JSON: take out what the words lead to."""
    *way, last = path

    def change(whole):
        for step in way:
            whole = whole[step]
        del whole[last]

    return change


def twice(whole):
    whole["measurements"].append(whole["measurements"][0])


M = "measurements"
HOSTILE = [
    (set_at("kind", "haste"), "it.kind must be same as const"),
    (set_at("format", 2), "it.format must be same as const"),
    (drop("format"), "it must contain"),
    (drop("header"), "it must contain"),
    (drop(M), "it must contain"),
    (drop("judgements"), "it must contain"),
    (set_at("mood", "good"), "it must not contain {'mood'} properties"),
    (set_at("header", 3), "it.header must be object"),
    (set_at("header", None), "it.header must be object"),
    (set_at("header", []), "it.header must be object"),
    (drop("header", "gradspec"), "it.header must contain"),
    (drop("header", "platform"), "it.header must contain"),
    (set_at("header", "platform", 3), "it.header.platform must be string"),
    (set_at("header", "threads", 10**4000), "it.header.threads must be smaller"),
    (set_at("header", "devices", {"cpu": 3}), "it.header.devices.cpu must be object"),
    (set_at("header", "exit_status", "bad"), "it.header.exit_status must be integer"),
    (set_at(M, {}), "it.measurements must be array"),
    (set_at(M, [3]), "it.measurements[0] must be object"),
    (set_at(M, [{}]), "it.measurements[0] must contain"),
    (set_at(M, [None] * 20001), "it.measurements must contain less than"),
    (twice, "there are two measurements of product(10)"),
    (set_at(M, 0, "median", "soon"), "it.measurements[0].median must be number or null"),
    (set_at(M, 0, "median", -1), "it.measurements[0].median must be bigger"),
    (set_at(M, 0, "median", None), "it.measurements[0].median must be number"),
    (set_at(M, 0, "low", None), "it.measurements[0].low must be number"),
    (set_at(M, 0, "median", 10**4000), "it.measurements[0].median must be smaller"),
    (set_at(M, 0, "median", True), "it.measurements[0].median must be number"),
    (set_at(M, 0, "launch", [1, 2]), "it.measurements[0].launch must contain at least 3"),
    (set_at(M, 0, "launch", "now"), "it.measurements[0].launch must be array"),
    (set_at(M, 0, "rates", 3), "it.measurements[0].rates must be object"),
    (set_at(M, 0, "mean", "large"), "it.measurements[0].mean"),
    (set_at(M, 0, "mood", "good"), "must not contain {'mood'}"),
    (set_at(M, 0, "cell", 3), "it.measurements[0].cell must be object"),
    (set_at(M, 0, "cell", {}), "it.measurements[0].cell must contain"),
    (set_at(M, 0, "cell", "part", "all"), "it.measurements[0].cell.part must be one of"),
    (set_at(M, 0, "cell", "size", "big"), "it.measurements[0].cell.size must be integer"),
    (set_at(M, 0, "cell", "size", -1), "it.measurements[0].cell.size must be bigger"),
    (set_at(M, 0, "cell", "size", 10**4000), "it.measurements[0].cell.size must be smaller"),
    (set_at(M, 0, "cell", "size", 1.5), "it.measurements[0].cell.size must be integer"),
    (set_at(M, 0, "cell", "workload", "x" * 501), "it.measurements[0].cell.workload must be short"),
    (set_at(M, 0, "cell", "workload", ["x"]), "it.measurements[0].cell.workload must be string"),
    (set_at("judgements", [{}]), "it.judgements[0] must contain"),
    (set_at("judgements", 0, "answer", "yes"), "it.judgements[0].answer must be one of"),
    (set_at("judgements", 0, "comparisons", [{}]), "it.judgements[0].comparisons[0] must contain"),
    (set_at("judgements", 0, "comparisons", 0, "high", "up"), "comparisons[0].high must be one of"),
    (set_at("gains", [{}]), "it.gains[0] must contain"),
    (set_at("gains", 0, "points", [{"value": 1}]), "it.gains[0].points[0] must contain"),
    (set_at("limits", [{}]), "it.limits[0] must contain"),
]


@pytest.mark.parametrize(("change", "complaint"), HOSTILE)
def test_what_does_not_fit_the_schema_is_refused_in_one_line(folder, capsys, change, complaint):
    whole = json.loads((folder / "times.json").read_text(encoding="utf-8"))
    change(whole)
    (folder / "bad.json").write_text(json.dumps(whole), encoding="utf-8")
    for words in (["slower", "times.json", "bad.json"], ["report", "bad.json"]):
        assert main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("gradspec: bad.json: not a file of measured times (")
        assert complaint in line
        assert len(line) < 400


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "Expecting value"),
        (b"[" * 10**5, "nested without end"),
        (b'{"header": ' * 10**5, "nested without end"),
        (b'{"format": NaN}', "NaN is no JSON"),
        (b'{"format": Infinity}', "Infinity is no JSON"),
        (b'{"format": ' + b"9" * 5000 + b"}", "Exceeds the limit"),
        (b"\xff\xfe\x00", "decode"),
        (b'{"format": 1', "delimiter"),
    ],
)
def test_what_is_no_json_is_refused_in_one_line(folder, capsys, text, complaint):
    (folder / "bad.json").write_bytes(text)
    assert main(["slower", "times.json", "bad.json"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gradspec: bad.json: not a file of measured times (")
    assert complaint in line


def test_a_file_that_is_too_large_is_not_read(folder, capsys):
    with (folder / "bad.json").open("wb") as file:
        file.truncate(33 * 2**20)
    assert main(["slower", "times.json", "bad.json"]) == 2
    assert "more than such a file ever has" in capsys.readouterr().err


def test_what_is_written_fits_the_schema_and_is_read_again(folder):
    found = record.read(folder / "times.json")
    assert found.measurements == [TIMED, LEFT_OUT, ON_CUDA]
    assert found.header == TIMES_HEADER
    assert found.red is None
    assert main(["slower", "times.json", "times.json"]) == 0


def test_the_schema_speaks_of_what_is_written():
    definitions = schema_of("speed")["definitions"]
    for name, written in (
        ("cell", asdict(CELL)),
        ("measurement", {**asdict(TIMED), "rates": {}}),
        ("limits", asdict(WHOLE.limits[0])),
        ("gain", asdict(WHOLE.gains[0])),
        ("judgement", asdict(WHOLE.judgements[0])),
        ("header", TIMES_HEADER),
    ):
        assert definitions[name]["properties"].keys() == written.keys()
    assert set(definitions["part"]["enum"]) == set(Part)
    assert set(definitions["judgement"]["properties"]["answer"]["enum"]) == set(Answer)


# ---- runs that are broken off, or red ------------------------------------------------------------


@pytest.mark.parametrize("status", [2, 3, 4, 77])
def test_times_of_a_run_that_was_broken_off_are_not_a_whole_record(folder, capsys, status):
    record.write(
        folder / "bad.json", replace(WHOLE, header={**TIMES_HEADER, "exit_status": status})
    )
    for words in (["slower", "times.json", "bad.json"], ["report", "bad.json"]):
        assert main(words) == 3
        assert f"bad.json: its exit status is {status}" in capsys.readouterr().err


def test_times_of_a_red_run_are_red(folder, capsys):
    record.write(folder / "bad.json", replace(WHOLE, header={**TIMES_HEADER, "exit_status": 1}))
    assert main(["slower", "times.json", "bad.json"]) == 1
    assert "red: its exit status is 1" in capsys.readouterr().out
    assert main(["slower", "bad.json", "times.json"]) == 0
    assert main(["report", "bad.json"]) == 1
    assert "bad.json: red: its exit status is 1" in capsys.readouterr().err


def test_records_without_a_common_cell_are_not_compared(folder, capsys):
    other = replace(TIMED, cell=replace(CELL, workload="other"))
    record.write(folder / "other.json", replace(WHOLE, measurements=[other]))
    assert main(["slower", "times.json", "other.json"]) == 1
    assert "not comparable: no cell is timed in both" in capsys.readouterr().out


# ---- drawn ---------------------------------------------------------------------------------------

ODD = ["$\\bogus$", "$x", "a$b$c", "_", "", "\x1b[2J", "\ud800", "</svg><script>", "\n", "é∑😀"]


def drawn(**fields):
    """Draw what was measured of a cell with these names, on two devices."""
    cell = replace(CELL, **fields)
    return [*drawings([replace(TIMED, cell=c) for c in (cell, replace(cell, device="cuda"))])]


@pytest.mark.parametrize("name", ODD)
def test_names_are_drawn_as_they_are(name):
    told = "".join(text for _, text in drawn(workload=name, backend=name))
    assert "<script>" not in told
    assert "\x1b" not in told
    if name.isascii() and name.isprintable() and "<" not in name:
        assert f"{name} ({name})" in told


@pytest.mark.parametrize("name", ODD)
def test_devices_are_drawn_as_they_are(name):
    assert [*drawings([replace(TIMED, cell=replace(CELL, device=name))])]


def test_cells_that_differ_in_the_chapter_or_dtype_alone_are_drawn():
    cells = [CELL, replace(CELL, dtype="float64"), replace(CELL, chapter="other")]
    assert [*drawings([replace(TIMED, cell=cell) for cell in cells])]


@pytest.mark.parametrize("size", [0, 1, 10**18])
@pytest.mark.parametrize("median", [0.0, 1e-300, 1e12])
def test_extreme_figures_are_drawn(size, median):
    figures = {"median": median, "low": 0.0, "high": 1e12}
    cells = [replace(CELL, size=size, device=device) for device in ("cpu", "cuda")]
    [*drawings([replace(TIMED, cell=cell, **figures) for cell in cells])]


def test_so_many_are_drawn_and_no_more(monkeypatch):
    monkeypatch.setattr(plots, "PANELS", 3)
    many = [replace(TIMED, cell=replace(CELL, workload=f"work_{n}")) for n in range(5)]
    ((title, drawing),) = drawings(many)
    assert title == "Time in seconds, by size (the first 3 of 5)"
    assert "work_2" in drawing
    assert "work_3" not in drawing
