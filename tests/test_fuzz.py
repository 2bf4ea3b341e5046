"""Every reader bears every file: it reads it, or refuses it in one line; it raises nothing else.

`GRADSPEC_FUZZ` is how many files each reader is given; without it some hundreds, always the same.
"""

import json
import os
import random
import time
import tomllib
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from fuzzing import (
    VALUES,
    mutate_bytes,
    mutate_json_lines,
    mutate_lines,
    mutate_tree,
    places_of,
    to_json,
    to_toml,
)
from test_hostile_times import WHOLE

from gradspec.conformance.claims.witness import decode
from gradspec.conformance.protocol import conventions
from gradspec.conformance.protocol.conventions import agree
from gradspec.conformance.protocol.errors import OptionError
from gradspec.conformance.report.page import page_of
from gradspec.conformance.report.plots import drawings
from gradspec.conformance.results import reading, standings, summary
from gradspec.conformance.results.comparison import Baseline, Comparison, baseline_of
from gradspec.conformance.results.merging import merged
from gradspec.conformance.results.reading import BrokenRun, NotWhole, read_any, read_run
from gradspec.conformance.run.expectations import read_expectations
from gradspec.conformance.run.sharding import mean_times
from gradspec.conformance.site.building import renderer
from gradspec.conformance.site.changes import changes_page, comparisons_of
from gradspec.conformance.site.checkout import Checkout
from gradspec.conformance.site.home import home_page
from gradspec.conformance.site.libraries import library_page
from gradspec.conformance.site.material import Material
from gradspec.conformance.site.speed import speed_page
from gradspec.conformance.speed import record
from gradspec.conformance.speed.slower import changes
from gradspec.conformance.table import COMPLEX, ROWWISE, TABLE, rows
from gradspec.conformance.table.arguments import Told
from gradspec.conformance.untrusted.files import check
from gradspec.conformance.untrusted.texts import printable
from html_pages import POLICY, Html
from written import FAILED, LACKING, PASSED, SECOND, run_lines

COUNT = int(os.environ.get("GRADSPEC_FUZZ", "300"))
SECONDS = 5.0
"""Of the processor, which no file of this size may take."""

FAULTS = [{"backend": "jax", "reason": "cannot be imported"}]
RUNS = [
    "".join(run_lines(PASSED, FAILED, LACKING, SECOND)),
    "".join(run_lines(PASSED, SECOND, faults=FAULTS, exit_status=1)),
    "".join(run_lines(PASSED, FAILED, PASSED, exit_status=2)),
    "".join(run_lines(PASSED, SECOND, shard="1/1")),
    "".join(run_lines(PASSED, together=[LACKING, replace(LACKING, claim="ACC-15")])),
]
ROOT = Path(__file__).parent.parent / "conformance" / "backends"


def corpus(*names, apart):
    """Return the tables of our own adapters, in pieces that are quickly read."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in names]
    starts = [text.split(apart) for text in texts]
    return [
        head + "".join(apart + entry for entry in rest[at : at + 2])
        for head, *rest in starts
        for at in range(0, len(rest), 2)
        if len("".join(rest[at : at + 2])) < 2000
    ]


TABLES = corpus("torch.toml", "jax.toml", "autograd.toml", "mlx.toml", apart="[[expected]]")
KINKS = [
    '["1.0"]\n' + "".join(lines[at : at + 20])
    for name in ("torch", "paddle")
    for text in [(ROOT / f"{name}.conventions.toml").read_text(encoding="utf-8")]
    for lines in [[line for line in text.splitlines(True) if line.startswith('"')]]
    for at in range(0, len(lines), 20)
]


def safe(lines):
    """See that nothing is told which would move a cursor."""
    assert all(line.isprintable() for line in "\n".join(lines).split("\n"))


# ---- what is done with a file --------------------------------------------------------------------


def use_run(path, turn):
    """Read results as every reader does."""
    run = read_any(path)
    safe(summary.summary(run))
    safe([printable(str(text)) for text in (run.trouble, run.red)])
    assert run.trouble or read_run(path) == run
    if run.trouble:
        return
    other = path.with_name("other.jsonl")
    other.write_text(RUNS[0], encoding="utf-8")
    known = read_run(other)
    for old, new in ((known, run), (run, known), (run, run)):
        comparison = Comparison(Baseline(old), new.header, new.verdicts, new.alarms)
        safe(map(printable, comparison.lines()))
        safe(summary.summary(new, comparison))
        comparison.red(allow_lost=False)
    safe(standings.markdown(standings.standings([run, known])))
    json.dumps(mean_times(run.verdicts))
    if turn % 25 == 0:
        text = page_of([run]).encode("utf-8", "backslashreplace")
        assert text.count(b"<script>") == 1
        use_site(Material([run], [], comparisons_of([known], [run]), Checkout(None)))


def use_site(material):
    """Make the pages of a site that hold most of a file."""
    render = renderer(material)
    made = [home_page(material), speed_page(material), changes_page(material)]
    made += [library_page(material, standing) for standing in material.libraries]
    for page in made:
        check("site", json.loads(json.dumps(page.data, allow_nan=False)))
        shown = Html(render(page))
        assert (shown.policy, shown.inline) == (POLICY, [])
        assert shown.faults() == []


def use_part(path, _):
    """Merge results with themselves, and take them for a baseline."""
    for use in (lambda: merged([read_run(path)]), lambda: baseline_of(path)):
        try:
            use()
        except BrokenRun as error:
            last = error
        else:
            last = None
    if last:
        raise last


def use_times(path, turn):
    """Read measured times as every reader does."""
    found = record.read(path)
    other = path.with_name("other.json")
    record.write(other, WHOLE)
    for old, new in ((path, other), (other, path)):
        safe(map(printable, changes(old, new, 0.05)[1]))
    if turn % 1000 == 0:
        page_of([], [found]).encode("utf-8", "backslashreplace")
    elif turn % 10 == 0:
        page_of([], [record.RecordRead(path, found.header, [], found.judgements)])
        use_site(Material([], [found], [], Checkout(None)))


def use_expectations(path, _):
    """Read expected failures, and look at every value of their witnesses."""
    for entry in read_expectations(path, "2.13.0"):
        assert len(f"{entry.known}{entry.witness}") < 10**8


def use_conventions(path, _):
    """Read gradients at kinks, and hold each against itself."""
    for points in conventions.on_record.__wrapped__(path).values():
        for gradients in points.values():
            agree(gradients, gradients, "float64")


def use_witness(path, _):
    """Read witnesses without the schema of their file."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        entries = tables["expected"]
        witnesses = [entry["witness"] for entry in entries if "witness" in entry]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return
    for witness in witnesses:
        if isinstance(witness, dict):
            try:
                for value in decode(witness).values():
                    if isinstance(value, Told):
                        use_call(value)
            except ValueError as error:
                raise OptionError(printable(str(error))[:300]) from None


def use_call(told):
    """Ask operations whether what is told is a call of theirs: each says yes, or raises this."""
    for operation in TOLD_TO:
        with suppress(ValueError):
            assert repr(operation.told(told)).startswith(operation.name)
    with suppress(ValueError):
        rows().named(ROWWISE[0], told)


def use_page(path, _):
    """Write a table between the marks of a page."""
    standings.put(path, ["new"])


def structured(parse, write, chance, data):
    """Change the structure of a file of one value."""
    return write(mutate_tree(chance, parse(data.decode())))


JSON = partial(structured, json.loads, to_json)
TOML = partial(structured, tomllib.loads, to_toml)
TIMES = json.dumps(record._plain(WHOLE.to_json()), indent=1)
TOLD_TO = [
    operation
    for operation in (*TABLE, *COMPLEX)
    if operation.name in ("sin", "sum", "mul", "matmul", "cat", "sort", "getitem")
]
PAGE = f"above\n{standings.BEGIN}\nold\n{standings.END}\nbelow\n"

READERS = {
    "results": (use_run, RUNS, [mutate_json_lines, mutate_json_lines, mutate_lines, mutate_bytes]),
    "parts": (use_part, RUNS[::3], [mutate_json_lines, mutate_json_lines, mutate_bytes]),
    "times": (use_times, [TIMES], [JSON, JSON, mutate_bytes]),
    "expectations": (use_expectations, TABLES, [TOML, TOML, mutate_lines, mutate_bytes]),
    "conventions": (use_conventions, KINKS, [TOML, TOML, mutate_lines, mutate_bytes]),
    "witnesses": (use_witness, TABLES, [TOML]),
    "pages": (use_page, [PAGE], [mutate_lines, mutate_bytes]),
}
REFUSALS = (BrokenRun, OptionError)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_reads_or_refuses_and_does_nothing_else(tmp_path, name, record_property):
    use, texts, ways = READERS[name]
    path = tmp_path / "file"
    read = 0
    for turn in range(COUNT):
        chance = random.Random(f"{name} {turn}")  # noqa: S311 - chance that comes again
        path.write_bytes(chance.choice(ways)(chance, chance.choice(texts).encode()))
        read += is_read(use, path, turn)
    record_property("read", read)
    record_property("refused", COUNT - read)
    # Both happen, else the files are not wrong in the right way.
    assert COUNT / 50 < read < COUNT * 49 / 50


def is_read(use, path, turn):
    """Whether a file is read, or refused; whatever else happens is a defect of the reader."""
    start = time.process_time()
    try:
        use(path, turn)
    except REFUSALS as error:
        told = str(error).replace(str(path), "")
        assert told.isprintable(), (turn, told)
        assert len(told) < 1000, (turn, told)
        return False
    except Exception as error:
        raise AssertionError(f"file {turn}: {type(error).__name__}: {error}") from error
    finally:
        assert time.process_time() - start < SECONDS, turn
    return True


PLAIN_RUN = "".join(run_lines(FAILED, faults=FAULTS, exit_status=1))
ODD_TABLE = """
[[expected]]
claim = "TST-03"
kind = "defect"
version = ">=2"
device = "cpu"
dtype = "float32"
status = "fail"
reason = "so"
link = "https://example.org/1"
sometimes = true
[expected.witness]
x = { array = [1.0, 2.0], dtype = "float32", shape = [2], strides = [-1], offset = 1 }
y = { tuple = [{ list = [1, true] }, { literal = "(1, None)" }] }
z = { record = "indices.Scatter", x = { array = [[1.0]] }, dim = 0, index = 3, src = "a" }
[expected.witness.call]
tensors = [{ array = [[1.0, 2.0]], imaginary = [[nan, -0.0]] }, { array = [1.0] }]
options = [{ literal = "..." }, { slice = "1:3:-1" }, { array = [true], dtype = "bool" }]
named = { dim = 1 }
weights = [2.0, "...", 0.5]
which = 3
"""
SHORT_KINKS = '["2.0"]\n"abs(0)" = [0.0, [nan, inf], "none"]\n'


def lines_of(text):
    """Read lines of JSON as a list."""
    return [json.loads(line) for line in text.splitlines()]


def to_lines(tree):
    """Write them again."""
    return b"".join(to_json(line) + b"\n" for line in tree)


WHOLES = {
    "results": (use_run, lines_of, to_lines, PLAIN_RUN, 1),
    "times": (use_times, json.loads, to_json, TIMES, 5),
    "expectations": (use_expectations, tomllib.loads, to_toml, ODD_TABLE, 1),
    "witnesses": (use_witness, tomllib.loads, to_toml, ODD_TABLE, 1),
    "conventions": (use_conventions, tomllib.loads, to_toml, SHORT_KINKS, 1),
}


@pytest.mark.parametrize("name", WHOLES)
def test_every_place_of_a_file_may_hold_any_value(tmp_path, name):
    use, parse, write, text, step = WHOLES[name]
    chance = random.Random(name)  # noqa: S311
    path = tmp_path / "file"
    turn = 0
    for place in range(len([*places_of(parse(text))])):
        for odd in VALUES[place % step :: step]:
            tree = parse(text)
            holder, key = [*places_of(tree)][place]
            holder[key] = odd(chance)
            path.write_bytes(write(tree))
            is_read(use, path, turn := turn + 1)


def test_the_same_files_come_again():
    texts = RUNS[0].encode()
    once, again = (
        [mutate_json_lines(random.Random(n), texts) for n in range(20)]  # noqa: S311
        for _ in range(2)
    )
    assert once == again
    assert len(set(once)) == 20


# ---- every cut -----------------------------------------------------------------------------------


def test_wherever_a_run_is_broken_off_it_is_not_whole(tmp_path):
    data = RUNS[0].encode()
    path = tmp_path / "run.jsonl"
    for end in (*range(0, len(data) - 9, 5), *range(len(data) - 9, len(data) - 1)):
        path.write_bytes(data[:end])
        with pytest.raises((NotWhole, BrokenRun)) as refusal:
            read_run(path)
        torn = data[:end] and not data[:end].startswith(b'{"header')
        assert (refusal.type is NotWhole) != bool(torn), (end, refusal.value)
    for end in (len(data) - 1, len(data)):
        path.write_bytes(data[:end])
        assert read_run(path).verdicts


def test_whatever_line_is_lost_the_run_is_not_whole(tmp_path):
    lines = RUNS[0].splitlines(keepends=True)
    path = tmp_path / "run.jsonl"
    for at, line in enumerate(lines):
        path.write_text("".join(lines[:at] + lines[at + 1 :]), encoding="utf-8")
        if "begun" in line:  # which says nothing once there is a verdict
            assert read_run(path).verdicts
        else:
            with pytest.raises(BrokenRun):
                read_run(path)


def test_a_record_of_times_that_is_cut_is_none(tmp_path):
    data = TIMES.encode()
    path = tmp_path / "times.json"
    for end in range(0, len(data) - 1, 31):
        path.write_bytes(data[:end])
        with pytest.raises(BrokenRun):
            record.read(path)


def test_lines_of_any_length_are_read_within_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST_LINE", 1000)
    path = tmp_path / "run.jsonl"
    for text in ("x" * 10**6, '{"header": "' + "x" * 10**6, RUNS[0] + " " * 10**6):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BrokenRun, match=r"it has more than 1000 bytes|not a results file"):
            read_any(path)


def test_drawings_bear_what_records_hold(tmp_path):
    """A few of the records that are read are drawn: that takes a tenth of a second each."""
    path = tmp_path / "times.json"
    drawn = 0
    for turn in range(400):
        chance = random.Random(f"drawn {turn}")  # noqa: S311
        path.write_bytes(JSON(chance, TIMES.encode()))
        try:
            found = record.read(path)
        except BrokenRun:
            continue
        for title, drawing in drawings(found.measurements):
            assert "<script>" not in drawing
            assert isinstance(title, str)
        drawn += 1
        if drawn == 4:
            break
    assert drawn == 4
