"""A site is made of files of strangers: whatever their texts are, they are only texts."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from gradspec.conformance.cli import main
from gradspec.conformance.results.reading import read_run
from gradspec.conformance.results.verdict import Status, cause_in
from gradspec.conformance.site.causes import causes_of
from gradspec.conformance.site.checkout import Checkout
from gradspec.conformance.site.drawing import HEIGHT, WIDTH, logarithmic, panel
from gradspec.conformance.site.kinks import entry_of
from gradspec.conformance.site.material import Material
from gradspec.conformance.untrusted.files import check
from html_pages import POLICY, Html
from written import FAILED, LACKING, PASSED, write_run

EVIL = (
    "</script></title></pre><script>alert(1)</script><img src=x onerror=alert(2)> ]]>"
    "\"' onclick=alert(3) {{ 7 * 7 }} {% raw %} javascript:alert(4) \x1b[31m\u202e\ud800 &lt;b&gt;"
)
EVALUATED = "{{ 7 * 7 }}"
PLAIN = re.compile(r"https://[\w./%-]+|[A-Za-z0-9_.~/-]*(#[A-Za-z0-9_-]+)?")
"""What a link of ours looks like."""

NAMES = {"backend": EVIL, "chapter": EVIL, "operation": EVIL, "claim": EVIL}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of results in which every text is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    texts = {"reason": EVIL, "reproduction": f"rerun: {EVIL}"}
    known = replace(
        PASSED, claim="ACC-60", status=Status.EXPECTED_FAILURE, expected="defect", kind=EVIL
    )
    verdicts = [
        replace(FAILED, **texts),
        replace(FAILED, **texts, **NAMES),
        replace(PASSED, backend="../../outside"),
        replace(PASSED, backend="CON", dtype=EVIL),
        replace(known, reason=f"{EVIL} (javascript:alert(5))"),
        replace(known, claim="ACC-52", reason=f'{EVIL} (https://a.b/"><script>)'),
        replace(known, claim="ACC-14", reason=f"{EVIL} (results/findings/../../README.md)"),
        replace(PASSED, claim="CNV-01", chapter="kinks", operation="abs", reason=f"abs(0): {EVIL}"),
        replace(LACKING, claim="GEN-04", operation="sin", reason=EVIL),
    ]
    new = write_run(folder / "new.jsonl", *verdicts)
    new.write_text(
        new.read_text(encoding="utf-8").replace('"somewhere"', json.dumps(EVIL)), encoding="utf-8"
    )
    old = write_run(folder / "old.jsonl", replace(PASSED, claim=FAILED.claim), *verdicts[2:])
    output = folder / "inside" / "site"
    assert main(["site", str(new), "--older", str(old), "--output", str(output)]) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["inside", "new.jsonl", "old.jsonl"]
    assert [path.name for path in output.parent.iterdir()] == ["site"]
    return output


@pytest.mark.long
def test_hostile_texts_are_only_texts(site):
    shown = 0
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        page = Html(text)
        assert (page.policy, page.inline, page.faults()) == (POLICY, [], []), path
        assert not [link for link in page.links if not PLAIN.fullmatch(link)], path
        assert all(link.endswith((".js", ".css", ".json", ".xml", ".svg")) for link in page.loaded)
        for bad in ("\x1b", "\u202e", " 49 ", "{{", "<b>b"):
            assert bad not in text.replace(EVALUATED, ""), path
        shown += "&lt;script&gt;alert(1)" in text
    assert shown > 3


def test_the_data_is_data(site):
    for path in site.rglob("*.json"):
        if path.parent != site or path.name != "gradspec-site.json":
            check("site", json.loads(path.read_text(encoding="ascii")))
    found = {}
    for name, before, after in (
        ("index", "window.gradspec = ", ";\n"),
        ("claims", "window.gradspec.entries.push(...", ");\n"),
    ):
        script = (site / f"{name}.js").read_text(encoding="ascii")
        assert script.startswith(before)
        assert script.endswith(after)
        found[name] = json.loads(script[len(before) : -len(after)])
    whole = json.loads((site / "search.json").read_text(encoding="ascii"))
    whole["entries"].sort()
    found["index"]["entries"] = sorted(found["index"]["entries"] + found["claims"])
    assert found["index"] == whole


def test_names_of_libraries_stay_within_their_quotes(site):
    rule = r'  \.by-library td:nth-last-child\(\d+\)::before { content: "(\w|\\[0-9a-f]+ )* "; }'
    _, head, *rules, tail = (site / "columns.css").read_text(encoding="utf-8").splitlines()
    assert (head, tail) == ("@media (max-width: 44rem) {", "}")
    assert rules
    assert all(re.fullmatch(rule, line, re.ASCII) for line in rules)


def test_drawings_and_the_feed_are_xml(site):
    feed = ET.fromstring((site / "feed.xml").read_text(encoding="utf-8"))  # noqa: S314
    assert "alert(1)" in "".join(feed.itertext())
    for path in (site / "badge").rglob("*.svg"):
        drawing = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314
        tags = {each.tag.rpartition("}")[2] for each in drawing.iter()}
        assert tags == {"svg", "title", "rect", "g", "text"}


def test_only_addresses_become_links(site):
    causes = json.loads((site / "library" / "torch.json").read_text("utf-8"))["causes"]
    assert len(causes) == 3
    assert [cause["upstream"].get("href") for cause in causes] == [None] * 3
    assert [cause["script"] for cause in causes] == [None] * 3


@pytest.mark.parametrize(
    ("told", "parts"),
    [
        ("why (https://a.b/c)", ("why", "https://a.b/c")),
        ("why (not) (x.py)", ("why (not)", "x.py")),
        ("why\n(https://a.b)", ("why\n(https://a.b)", "")),
        ("why", ("why", "")),
        ("", ("", "")),
    ],
)
def test_a_reason_is_parted_from_its_link(told, parts):
    assert cause_in(told) == parts


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("[0.5, 2.0]", 0.5),
        ("[[1.0, 3.0], 0.0]", 1.0),
        ("[nan]", "nan"),
        ("[-inf]", "-inf"),
        ("['none', 1.0]", None),
        ("[]", None),
        ("[[]]", None),
        ("no list", None),
        ("[" * 100_000, None),
        ("[1e999]", "inf"),
        ("[" + "9" * 400 + "]", None),
        ('["x"]', None),
        ('{"a": 1}', None),
    ],
)
def test_what_a_library_answers_is_read_or_left(answer, found):
    assert entry_of(answer, 0, 0) == found


def test_a_drawing_stays_within_its_frame():
    dots = [{"at": at, "letter": "a"} for at in (0.0, 5.0, "inf", "-inf", "nan", None)]
    for lines in ([], [[]], [[[0.0, 0.0]]], [[[-1.0, -2.0], [0.0, 1e-9]], [[0.0, 3.0]]]):
        drawn = panel(lines, 0.0, dots)
        places = [(dot["x"], dot["y"]) for dot in drawn["dots"]]
        places += [
            map(float, point.split(",")) for line in drawn["lines"] for point in line.split()
        ]
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places)
        assert len(drawn["dots"]) == 4


def test_times_that_no_logarithm_has_are_left_out():
    drawn = logarithmic([[[100, 1e-3, 1e-4, 1e-2], [0, 1.0, 1.0, 1.0]], [[10, 0.0, 0.0, 0.0]], []])
    assert [len(line.split()) for line in drawn["lines"]] == [1, 0, 0]
    assert not re.search("inf|nan", str(drawn))


def test_a_crash_and_a_refusal_are_classes_of_their_own(tmp_path):
    known = replace(PASSED, status=Status.EXPECTED_FAILURE, expected="defect", drawn=1)
    run = write_run(
        tmp_path / "run.jsonl",
        replace(known, reason="not in the table (https://a.b)"),
        replace(known, claim="ACC-05", reason="it refuses (https://a.b)", kind="shape"),
    )
    material = Material([read_run(run)], [], [], Checkout(None))
    ways = {cause.reason: cause.way for cause in causes_of(material.libraries[0])}
    assert ways == {"not in the table": "unknown", "it refuses": "refusal"}
