"""The site: whatever results it is made of, its pages are whole, small, linked and only text."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

from gradspec.conformance.results.reading import read_run
from gradspec.conformance.results.standings import overview, standings
from gradspec.conformance.results.verdict import WIDEST, Status
from gradspec.conformance.table import DIFFERENTIABLE
from gradspec.conformance.untrusted.files import check
from html_pages import POLICY, Html
from sites import DOCUMENTED, KNOWN, SINE, build, told
from written import FAILED, LACKING, PASSED, write_run

CHECKOUT = Path(__file__).parent.parent
RESULTS = CHECKOUT / "results"
LARGEST = 300_000
"""Bytes of a page."""


@pytest.fixture(scope="module")
def pages(whole_site):
    """Every page of the whole site, by its address."""
    return read_pages(whole_site)


def read_pages(site):
    """Read every page of a site, by its address."""
    return {
        path.relative_to(site).as_posix(): Html(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
    }


# ---- every page ----------------------------------------------------------------------------------


def test_every_page_is_small(whole_site):
    sizes = {
        path: path.stat().st_size for path in whole_site.rglob("*.*") if path.suffix != ".json"
    }
    assert len(sizes) > 900
    assert {path: size for path, size in sizes.items() if size >= LARGEST} == {}


def broken_links(site, pages):
    """Name the links that lead nowhere, or out of the site."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    broken = []
    for address, page in pages.items():
        for link in page.links:
            if link.startswith(("http://", "https://")):
                continue
            path, _, part = link.partition("#")
            place = normpath(join(dirname(address), path)) if path else address
            if place not in files or (part and part not in pages[place].ids):
                broken.append((address, link))
    return broken


def test_every_link_resolves(whole_site, pages):
    assert broken_links(whole_site, pages) == []


@pytest.mark.long
def test_what_the_specification_does_not_know_leads_nowhere(tmp_path):
    names = {"claim": "XYZ-01", "chapter": "unheard", "operation": "unheard_of"}
    known = replace(KNOWN, **names)
    red = replace(FAILED, **names, dtype="float32")
    run = write_run(tmp_path / "run.jsonl", PASSED, known, red)
    old = write_run(tmp_path / "old.jsonl", PASSED, replace(red, status=Status.PASS))
    site = build(tmp_path, run, status=1, older=[old])
    found = read_pages(site)
    assert broken_links(site, found) == []
    for address in ("library/torch.html", "changes.html"):
        assert "XYZ-01" in (site / address).read_text(encoding="utf-8")


def test_many_and_long_failures_make_no_long_page(tmp_path):
    long = replace(FAILED, claim="GEN-04", reproduction="z" * 9999)
    many = [replace(long, operation=f"o{n}", reason=f"{n} " * 999) for n in range(400)]
    site = build(tmp_path, write_run(tmp_path / "run.jsonl", *many), status=1)
    for address in ("index.html", "library/torch.html", "claim/GEN-04.html"):
        assert (site / address).stat().st_size < LARGEST, address
    data = told(site, "library/torch.html")
    assert len(data["red"]) + data["red_more"] == 400
    assert told(site, "index.html")["alarms"] == ["run.jsonl: red: 400 red verdicts"]
    assert "red: 400 red verdicts" in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_a_cause_that_is_not_shown_is_found_on_top_of_its_library(tmp_path):
    names = [operation.name for operation in DIFFERENTIABLE[:300]]
    known = replace(KNOWN, claim="GEN-04", chapter="operations")
    many = [replace(known, operation=name, reason=f"{name} (https://y)") for name in names]
    site = build(tmp_path, write_run(tmp_path / "run.jsonl", *many))
    found = read_pages(site)
    assert broken_links(site, found) == []
    assert (site / "library/torch.html").stat().st_size < LARGEST
    last = (site / f"operation/{names[-1]}.html").read_text(encoding="utf-8")
    assert f'href="../library/torch.html">{names[-1]}' in last


def test_every_page_keeps_the_policy_and_asks_nothing_of_anybody(pages):
    for address, page in pages.items():
        assert page.policy == POLICY, address
        assert page.inline == [], address
        assert not [each for each in page.loaded if ":" in each or each.startswith("//")], address


def test_every_page_can_be_read_aloud(pages):
    for address, page in pages.items():
        assert page.faults() == [], address


def test_every_page_has_its_data_beside_it(whole_site, pages):
    for address in pages:
        data = told(whole_site, address)
        check("site", data)
        assert data["address"] == address


def test_everything_has_a_page(whole_site, pages):
    index = told(whole_site, "search.html")
    reached = {
        address.partition("#")[0] or f"{index['kinds'][kind]}/{name.split()[0]}.html"
        for kind, name, _, address, _ in index["entries"]
    }
    # A script is reached from the library that it is about.
    for address in [*pages]:
        if address.startswith("library/"):
            scripts = [cause["script"] for cause in told(whole_site, address)["causes"]]
            reached |= {script["address"] for script in scripts if script}
    apart = {address for address in pages if "/" in address}
    assert apart <= reached
    kinds = {index["kinds"][entry[0]] for entry in index["entries"]}
    assert kinds == {*index["kinds"]}


def test_no_two_files_are_one_where_case_does_not_count(whole_site):
    names = [path.relative_to(whole_site).as_posix().lower() for path in whole_site.rglob("*")]
    assert len(names) == len(set(names))


def test_every_badge_is_a_drawing_with_words(whole_site):
    badges = [*(whole_site / "badge").rglob("*.svg")]
    assert len(badges) > 100
    for path in badges:
        drawing = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314
        label = drawing.get("aria-label")
        assert re.fullmatch(r"\S.*: ([1-9]\d*|0) of [1-9]\d* hold|\S.*: not declared", label), path


def test_badges_say_what_pages_say(whole_site):
    for address in ("library/torch.html", "library/paddle.html"):
        library = told(whole_site, address)
        drawing = ET.parse(whole_site / library["badge"]["address"]).getroot()  # noqa: S314
        assert drawing.get("aria-label") == library["badge"]["text"]
        cells = [chapter["cell"] for chapter in library["chapters"]]
        counts = f"{sum(c['holds'] for c in cells)} of {sum(c['of'] for c in cells)} hold"
        assert library["badge"]["text"].endswith(counts)
        for chapter in library["chapters"]:
            drawing = ET.parse(whole_site / chapter["badge"]).getroot()  # noqa: S314
            cell = chapter["cell"]
            words = f"{cell['holds']} of {cell['of']} hold" if cell["of"] else "not declared"
            assert drawing.get("aria-label").endswith(f": {words}")


# ---- what they say -------------------------------------------------------------------------------


def test_the_first_page_counts_as_the_table_of_libraries_does(whole_site):
    runs = [read_run(path) for path in sorted(RESULTS.glob("*.jsonl"))]
    expected = [row[:1] + row[2:7] for row in overview(standings(runs))[1:]]
    found = [
        [
            f"{one['library']} {one['version']}",
            *(str(one["verdicts"][word]) for word in ("hold", "declared", "all")),
            str(one["defects"]),
            str(one["differences"]),
        ]
        for one in told(whole_site, "index.html")["libraries"]
    ]
    assert found == expected


def test_what_fails_in_jax_and_why_takes_one_click(whole_site, pages):
    assert "library/jax.html#defects" in pages["index.html"].links
    causes = told(whole_site, "library/jax.html")["causes"]
    (hypot,) = [cause for cause in causes if "equally large" in cause["what"]]
    assert hypot["kind"] == "defect"
    assert hypot["way"] == "wrong answer"
    assert "larger and the smaller of the two" in hypot["detail"]
    finding = told(whole_site, hypot["script"]["address"])
    assert "jax.grad(jax.grad(jnp.hypot))" in finding["script"]
    assert finding["shows"] == [
        {"text": f"jax: {hypot['what']}", "address": f"library/jax.html#{hypot['id']}"}
    ]
    assert hypot["claims"][0]["operations"] == [
        {"text": "hypot", "address": "operation/hypot.html"}
    ]


def test_a_kink_shows_what_each_library_answers(whole_site):
    (kink,) = told(whole_site, "operation/abs.html")["kinks"]
    answers = {each["text"]: one["at"] for one in kink["answers"] for each in one["libraries"]}
    assert (answers["torch"], answers["jax"]) == (0.0, 1.0)
    left, right = kink["slope"]
    assert {y for _, y in left} == {-1.0}
    assert {y for _, y in right} == {1.0}
    assert kink["value"][0][-1] == kink["value"][1][0] == [0.0, 0.0]


def test_a_claim_tells_where_it_comes_from_and_what_it_kills(whole_site):
    data = told(whole_site, "claim/ACC-01.html")
    assert data["program"].startswith("def test_backward_adds")
    assert "ACC-51" in data["rows_settled"]
    assert any("001:724" in source["notes"] for source in data["sources"])
    assert "backward_overwrites" in [mutant["name"] for mutant in data["mutants"]]
    assert {line["library"]["text"] for line in data["told"]} >= {"torch", "jax", "reference"}


def test_dtypes_that_agree_are_one_cell(tmp_path):
    single = replace(SINE, dtype="float32", status=Status.FAIL)
    cosine = replace(SINE, operation="cos")
    run = write_run(tmp_path / "run.jsonl", SINE, single, cosine, replace(cosine, dtype="float32"))
    data = told(build(tmp_path, run, status=1), "claim/GEN-04.html")
    cells = {row["operation"]["text"]: row["cells"] for row in data["rows"]}
    assert cells["cos"] == [{"outcome": "holds"}]
    assert cells["sin"] == [
        {"outcome": "fails", "dtypes": {"float32": "fails", "float64": "holds"}}
    ]
    data = told(tmp_path / "site", "operations.html")
    counted = {row["name"]: row["cells"] for row in data["rows"]}
    assert counted["cos"] == [{"outcome": "holds", "holds": 1, "of": 1}]
    assert counted["sin"] == [{"outcome": "fails", "holds": 0, "of": 1}]
    assert counted["tan"] == [None]


def test_a_dtype_in_which_a_claim_is_not_judged_is_no_lack(tmp_path):
    narrow = replace(
        SINE,
        dtype="float32",
        status=Status.UNSUPPORTED,
        reason=f"it is judged in float64, {WIDEST}",
    )
    site = build(tmp_path, write_run(tmp_path / "run.jsonl", SINE, narrow))
    (row,) = (
        row for row in told(site, "claim/GEN-04.html")["rows"] if row["operation"]["text"] == "sin"
    )
    assert row["cells"] == [{"outcome": "holds"}]


def test_defects_differences_and_what_is_lacking_are_three_things(tmp_path):
    habit = replace(DOCUMENTED, claim="ACC-15", expected="parity")
    refused = replace(DOCUMENTED, claim="ACC-09", expected="missing")
    every = (PASSED, KNOWN, DOCUMENTED, LACKING, habit, refused)
    site = build(tmp_path, write_run(tmp_path / "run.jsonl", *every))
    data = told(site, "chapter/accumulation.html")
    cells = {row["claim"]["text"]: row["cells"][0] for row in data["rows"]}
    assert [cells[v.claim]["outcome"] for v in every] == [
        "holds", "defect", "differs", "lacks", "differs", "lacks",
    ]  # fmt: skip
    known, documented, refused, habit = told(site, "library/torch.html")["causes"]
    assert (habit["kind"], refused["kind"], refused["way"]) == ("parity", "missing", "")
    assert (known["kind"], known["upstream"]["text"]) == ("defect", "reported: some/where#7")
    assert (documented["kind"], documented["what"]) == ("difference", "a new tensor")
    lacks = told(site, "library/torch.html")["lacks"]
    assert "backward" not in [each["name"] for each in lacks["capabilities"]]
    assert {"text": "sin", "address": "operation/sin.html"} in lacks["functions"]


def test_the_newest_version_is_shown_and_a_cause_tells_where_it_was_seen(tmp_path):
    def versioned(name, version, *verdicts):
        path = write_run(tmp_path / name, *verdicts)
        text = path.read_text(encoding="utf-8").replace(
            '"version": "1.0"', f'"version": "{version}"'
        )
        path.write_text(text, encoding="utf-8")
        return path

    files = [
        versioned("a.jsonl", "1.9", KNOWN, DOCUMENTED),
        versioned("b.jsonl", "1.10", KNOWN, PASSED),
        versioned("c.jsonl", "none of ours", PASSED, DOCUMENTED),
    ]
    data = told(build(tmp_path, *files), "library/torch.html")
    assert data["version"] == "1.10"
    assert {each["version"] for each in data["versions"]} == {"1.9", "1.10", "none of ours"}
    (cause,) = data["causes"]
    assert sorted(cause["versions"]) == ["1.10", "1.9"]
