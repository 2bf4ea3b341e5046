"""A results file may come from anybody: it is read as data, and refused in one line."""

import json
import re
from dataclasses import fields

import pytest

from bench import DOUBLED, WRONG
from gradspec.conformance.claims.claim import Level
from gradspec.conformance.results import reading
from gradspec.conformance.results.reading import BrokenRun, read
from gradspec.conformance.results.verdict import Status, Verdict
from gradspec.conformance.untrusted.files import schema_of
from gradspec.conformance.untrusted.texts import printable


@pytest.fixture
def altered(bench):
    """Change a line of a whole run, and read the file; return what the reader complains of."""

    def complaint(at, change):
        bench.chapter(DOUBLED)
        bench.run()
        text = bench.results.read_bytes().splitlines()
        text[at] = change(text[at])
        bench.results.write_bytes(b"\n".join(text))
        with pytest.raises(BrokenRun) as refusal:
            read(bench.results)
        return str(refusal.value)

    return complaint


def field(name, value):
    """Replace one field of a line, whatever stood there."""

    def change(line):
        ((kind, content),) = json.loads(line).items()
        return json.dumps({kind: {**content, name: value}}).encode()

    return change


HEADER, VERDICT, FOOTER = 0, 2, 3


@pytest.mark.parametrize(
    ("at", "change", "complaint"),
    [
        (VERDICT, field("status", "passed"), "line 3: it.verdict.status must be one of ['pass'"),
        (VERDICT, field("level", "rumour"), "it.verdict.level must be one of"),
        (VERDICT, field("drawn", -1), "it.verdict.drawn must be bigger than or equal to 0"),
        (VERDICT, field("drawn", "30"), "it.verdict.drawn must be integer"),
        (VERDICT, field("worst", "nan"), "it.verdict.worst"),
        (VERDICT, field("seconds", None), "it.verdict.seconds must be number"),
        (VERDICT, field("claim", "x" * 501), "it.verdict.claim must be shorter"),
        (VERDICT, field("mood", "good"), "it.verdict must not contain {'mood'} properties"),
        (
            VERDICT,
            lambda line: line.replace(b'"drawn"', b'"worst": NaN, "drawn"'),
            "NaN is no JSON",
        ),
        (VERDICT, lambda line: b'{"verdict": ' + b"[" * 10**5, "nested without end"),
        (VERDICT, lambda line: b'{"verdict": ' + b"9" * 5000 + b"}", "line 3: Exceeds the limit"),
        (VERDICT, lambda line: line.replace(b"TST-01", b"\xff\xfe", 1), "line 3: "),
        (VERDICT, lambda line: line + b" " * 2**23, "more than 4194304"),
        (HEADER, field("format", 1), "line 1: it.header.format must be same as const definition"),
        (HEADER, field("subjects", [{}]), "it.header.subjects[0] must contain"),
        (FOOTER, field("exit_status", True), "it.footer.exit_status must be integer"),
        (FOOTER, field("planned", {"here": 1}), "it.footer.planned must contain"),
        (FOOTER, field("statuses", {"splendid": 1}), "it.footer.statuses must be named by"),
        (
            FOOTER,
            field("faults", [{"backend": 3, "reason": "x"}]),
            "faults[0].backend must be string",
        ),
        (HEADER, field("faults", ["jax"]), "it.header.faults[0] must be object"),
        (VERDICT, field("drawn", 10**4000), "it.verdict.drawn must be smaller than"),
        (VERDICT, field("worst", 10**4000), "it.verdict.worst"),
        (VERDICT, lambda line: line.replace(b'"drawn": 1', b'"worst": 1e999'), "verdict.worst"),
        (VERDICT, lambda line: line.replace(b'"drawn": 1', b'"drawn": 1e999'), "verdict.drawn"),
        (VERDICT, lambda line: re.sub(b'"seconds": [^,}]+', b'"seconds": 1e999', line), "seconds"),
        (HEADER, field("seed", 10**4000), "it.header.seed must be smaller than"),
        (HEADER, field("cpu_count", 10**4000), "it.header.cpu_count must be smaller than"),
        (FOOTER, field("statuses", {"pass": 10**4000}), "must be smaller than"),
        (FOOTER, field("planned", {"here": 10**4000, "all": 1, "digest": 64 * "0"}), "smaller"),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(altered, at, change, complaint):
    text = altered(at, change)
    assert complaint in text
    assert text.isprintable()
    assert len(text) < 400


def test_no_file_is_read_that_is_too_large(bench, monkeypatch):
    bench.run()
    monkeypatch.setattr(reading, "LARGEST_FILE", 100)
    with pytest.raises(BrokenRun, match="more than such a file ever has"):
        read(bench.results)


def test_what_would_move_a_cursor_is_shown_instead():
    hostile = "a\x1b[2J\r\nb\u202ec\x00\ud800\u2028d é"
    assert printable(hostile) == r"a\x1b[2J\r\nb\u202ec\x00\ud800\u2028d é"


def test_a_long_text_is_cut_so_that_the_file_can_be_read(bench):
    bench.chapter(WRONG.replace("is its input.", "is its input. " + "x" * 10**6))
    bench.run()
    verdict = bench.verdicts()["TST-03"]
    assert verdict.reproduction.endswith("x ... (cut)")


def test_the_schema_speaks_of_what_is_written():
    definitions = schema_of("results")["definitions"]
    assert definitions["verdict"]["properties"].keys() == {f.name for f in fields(Verdict)}
    assert set(definitions["status"]["enum"]) == set(Status)
    assert definitions["verdict"]["properties"]["level"]["enum"] == [*Level]
