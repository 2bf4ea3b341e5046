"""The page: one file that tells everything a results file holds, whatever its texts are."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from gradspec.conformance.claims.editions import current
from gradspec.conformance.report.page import page
from gradspec.conformance.report.rows import SIGNS, lines, rows_of, worst
from gradspec.conformance.results.standings import Standing
from gradspec.conformance.results.verdict import Status, Verdict

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }} \x1b[31m"

PASSED = Verdict("ACC-01", "accumulation", "law", "torch", "cpu", "float64", Status.PASS, drawn=30)
FAILED = replace(PASSED, status=Status.FAIL, worst=7.5, reason="off", reproduction="rerun: pytest")


def header(*subjects):
    fields = {"version": "1", "device_model": "cpu", "capabilities": ["backward"]}
    known = [{"subject": subject, **fields} for subject in subjects]
    return {"gradspec": "0.1.0", "seed": 0, "platform": "somewhere", "subjects": known}


class Scripts(HTMLParser):
    """Counts elements, and collects every address that a browser would load."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.loaded = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loaded += [value for name, value in attrs if name in ("src", "href", "onerror")]


def test_a_page_shows_law_sources_and_reproduction():
    text = page([header("torch-cpu-float64")], [FAILED])
    for part in ("Each backward pass adds its gradient", "001:724", "7.5", "off", "rerun: pytest"):
        assert part in text


def test_hostile_texts_are_only_texts():
    texts = {"reason": HOSTILE, "reproduction": HOSTILE, "claim": HOSTILE, "chapter": HOSTILE}
    bad = [replace(FAILED, **texts), replace(FAILED, backend=HOSTILE)]
    text = page([{**header(*[v.subject for v in bad]), "platform": HOSTILE}], bad)
    assert Scripts(text).tags.count("script") == 1
    assert not Scripts(text).loaded
    assert "49" not in text.partition("7 * 7")[2][:20]


def test_a_page_loads_nothing():
    assert not Scripts(page([header("torch-cpu-float64")], [PASSED])).loaded


def test_a_verdict_on_an_absent_device_has_a_column_of_its_own():
    absent = replace(PASSED, device="cuda", status=Status.NOT_RUN, reason="no cuda device is seen")
    text = page([header("torch-cpu-float64")], [PASSED, absent])
    assert "torch-cuda-float64" in text
    assert "not-run" in text


def test_an_unknown_claim_is_shown_as_such():
    (row,) = rows_of([replace(PASSED, claim="XYZ-99")], ["torch-cpu-float64"])
    assert row.law == "not a claim of the installed specification"


@pytest.mark.parametrize(
    ("statuses", "shown"),
    [
        ((Status.PASS, Status.UNSUPPORTED), Status.PASS),
        ((Status.PASS, Status.FAIL), Status.FAIL),
        ((Status.EXPECTED_FAILURE, Status.PASS), Status.EXPECTED_FAILURE),
        ((Status.UNSUPPORTED, Status.VACUOUS), Status.VACUOUS),
        ((), None),
    ],
)
def test_a_cell_shows_the_worst_of_its_verdicts(statuses, shown):
    assert worst([replace(PASSED, status=status) for status in statuses]) is shown


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_sign_of_its_own(status):
    assert [*SIGNS.values()].count(SIGNS[status]) == 1
    assert status.value in page([header("torch-cpu-float64")], [replace(PASSED, status=status)])


def test_verdicts_that_differ_in_the_operation_alone_are_one_line():
    cell = [replace(PASSED, operation=name, worst=n) for n, name in enumerate(("sin", "cos"))]
    reason = "torch does not declare "
    lacking = [
        replace(PASSED, status=Status.UNSUPPORTED, operation=name, reason=reason + name, drawn=0)
        for name in ("tan", "add")
    ]
    red = replace(FAILED, operation="exp")
    told = [(x.operations, x.drawn, x.worst, x.reason) for x in lines([*cell, red, *lacking])]
    assert told == [
        ("sin, cos", 60, 1, ""),
        ("exp", 30, 7.5, "off"),
        ("tan, add", 0, 0.0, "torch does not declare the function"),
    ]


def test_libraries_are_shown_side_by_side():
    found = [Standing("lib", "1.5", ["cpu"], {"accumulation": [PASSED]}, {}, current())]
    text = page([header("torch-cpu-float64")], [PASSED], libraries=found)
    for part in ("lib 1.5", "1/1/1", "defects"):
        assert part in text


def test_totals_count_passed_declared_and_all():
    subjects = ("torch-cpu-float64",)
    lacking = replace(PASSED, claim="ACC-05", status=Status.UNSUPPORTED)
    text = page([header(*subjects)], [PASSED, replace(FAILED, claim="ACC-14"), lacking])
    assert "<td>1</td><td>2</td><td>3</td>" in text
