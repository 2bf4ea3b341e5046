"""The page in a browser: filters, search, details, nothing on the console. Needs Chromium."""

import shutil
from dataclasses import replace

import pytest

from gradspec import spec
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.report.page import page
from gradspec.conformance.results.verdict import Status, Verdict

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("not run: there is no Chromium on this machine", allow_module_level=True)

SUBJECTS = [f"library{n}-cpu-float64" for n in range(5)]
SHOWN = ".claim:not([hidden])"


def everything():
    """Verdicts of every claim on five subjects, one of them a failure with hostile texts."""
    made = [
        Verdict(c.id, c.chapter, c.level, f"library{n}", "cpu", "float64", Status.PASS, drawn=30)
        for c in claims_of(spec).values()
        for n in range(5)
    ]
    reason = "<img src=x onerror=console.error(1)>"
    made[15] = replace(made[15], status=Status.FAIL, reason=reason, reproduction="rerun: pytest x")
    return made


@pytest.fixture(scope="module")
def text():
    known = [
        {"subject": s, "version": "1", "device_model": "cpu", "capabilities": []} for s in SUBJECTS
    ]
    run = {"gradspec": "0.1.0", "seed": 0, "platform": "somewhere", "subjects": known}
    return page([run], everything())


@pytest.fixture
def tab(text, tmp_path):
    """The page, opened; what it says on its console fails the test."""
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    said = []
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.goto(path.as_uri())
        yield opened
        browser.close()
    assert not said


def test_five_thousand_verdicts_are_less_than_three_megabytes(text):
    assert len(everything()) > 5000
    assert len(text.encode()) < 3 * 2**20


def test_search_takes_every_word(tab):
    tab.fill("#search", "backward adds gradient leaf")
    found = tab.locator(SHOWN)
    assert 0 < found.count() < 20
    assert tab.locator("#ACC-01").is_visible()
    assert tab.locator("#count").inner_text().startswith(f"{found.count()} of ")
    tab.fill("#search", "no such words")
    assert tab.locator(SHOWN).count() == 0
    assert tab.locator("section:not([hidden])").count() == 0


def test_filters_narrow_the_claims(tab):
    tab.select_option("#status", "fail")
    assert tab.locator(SHOWN).count() == 1
    tab.select_option("#subject", "1")
    assert tab.locator(SHOWN).count() == 0
    tab.select_option("#status", "")
    tab.select_option("#chapter", "views")
    assert tab.locator(SHOWN).count() == tab.locator("section[data-chapter=views] .claim").count()
    tab.select_option("#level", "contract")
    assert tab.locator(f"{SHOWN}:not([data-level=contract])").count() == 0


def test_a_failed_claim_unfolds_by_keyboard(tab):
    tab.select_option("#status", "fail")
    failed = tab.locator(SHOWN)
    failed.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert failed.locator("pre").inner_text() == "rerun: pytest x"
    assert "<img src=x" in failed.inner_text()


def test_a_slash_goes_to_the_search(tab):
    tab.keyboard.press("/")
    tab.keyboard.type("ACC-05")
    assert tab.locator(SHOWN).count() == 1


def test_an_address_opens_its_claim(tab):
    tab.goto(f"{tab.url}#VEW-01")
    assert tab.locator("#VEW-01 .body").is_visible()


def test_print_unfolds_what_failed(tab):
    tab.emulate_media(media="print")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("pre").is_visible()
    assert not tab.locator("#filters").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_paper_differ_in_both_schemes(tab, scheme):
    tab.emulate_media(color_scheme=scheme)
    style = "getComputedStyle(document.body)"
    colours = tab.evaluate(f"[{style}.color, {style}.backgroundColor]")
    ink, paper = (sum(map(int, colour[4:-1].split(","))) for colour in colours)
    assert (ink < paper) == (scheme == "light")
    assert abs(ink - paper) > 400
