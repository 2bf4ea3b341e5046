"""The site in a browser: by keyboard, on a phone, in the dark, read aloud. Needs Chromium."""

import shutil
from importlib.resources import files
from importlib.util import find_spec

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("not run: there is no Chromium on this machine", allow_module_level=True)

KINDS = [
    "index.html",
    "chapters.html",
    "operations.html",
    "notes.html",
    "speed.html",
    "search.html?q=view",
    "changes.html",
    "library/jax.html",
    "library/paddle.html",
    "chapter/views.html",
    "claim/ACC-01.html",
    "claim/GEN-11.html",
    "operation/maximum.html",
    "operation/matmul.html",
]
"""A page of each kind, and those that hold most."""

LARGE = {"operations.html", "library/paddle.html", "claim/GEN-11.html"}
"""To look through each of these takes seconds, and they are made as others of their kinds are."""

AXE = "axe_playwright_python"
"""A package that brings axe-core along: nothing is asked of the network by a test."""


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def visit(whole_site, browser):
    """Open pages of the site; what any says on its console, or asks of the network, fails."""
    said, contexts = [], []

    def opened(address, *, width=1280, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda asked: asked.url.startswith("file:") or said.append(asked.url))
        page.goto(f"{whole_site.as_uri()}/{address}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


# ---- by keyboard ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("ACC-51", "claim/ACC-01.html"),
        ("logsumexp", "operation/logsumexp.html"),
        ("tinygrad", "library/tinygrad.html"),
        ("two tensors one memory", "chapter/views.html"),
    ],
)
def test_everything_is_found_by_keyboard(visit, words, place):
    page = visit("claim/GEN-04.html")
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?**")
    page.wait_for_selector("#results a")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{place}")
    assert page.locator("h1").is_visible()


def test_the_first_tab_leads_past_the_head(visit):
    page = visit("index.html")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "To the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_whatever_has_the_focus_shows_it(visit):
    page = visit("library/paddle.html")
    for _ in range(25):
        page.keyboard.press("Tab")
        style = "getComputedStyle(document.activeElement)"
        line, width = page.evaluate(f"[{style}.outlineStyle, parseFloat({style}.outlineWidth)]")
        assert line != "none", page.evaluate("document.activeElement.outerHTML")
        assert width >= 2


def test_a_script_is_found_and_copied_by_keyboard(visit):
    page = visit("library/jax.html")
    page.locator("#cause-1").get_by_text("jax-").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/finding/*")
    button = page.locator(".copy")
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.textContent !== 'Copy'")
    assert button.inner_text() in {"Copied", "Selected"}


# ---- filters -------------------------------------------------------------------------------------


def shown(page, rows):
    return page.locator(f"{rows}:visible").count()


def test_filters_stand_in_the_address_and_are_read_from_it(visit):
    page = visit("operations.html")
    whole = shown(page, "#operations tbody tr")
    page.select_option("[name=library]", "jax")
    page.select_option("[name=verdict]", "defect")
    few = shown(page, "#operations tbody tr")
    assert 0 < few < 20 < whole
    assert page.url.endswith("?library=jax&verdict=defect")
    assert page.locator("output").inner_text() == f"{few} of {whole}"
    page.reload()
    assert shown(page, "#operations tbody tr") == few
    page.fill("main [name=q]", "hypot")
    assert shown(page, "#operations tbody tr") == 1
    for name in ("library", "verdict"):
        page.select_option(f"[name={name}]", "")
    page.fill("main [name=q]", "")
    assert "?" not in page.url
    assert shown(page, "#operations tbody tr") == whole


def test_defects_are_filtered_by_word_and_class(visit):
    page = visit("library/paddle.html?way=ends the process")
    crashes = shown(page, "#causes article")
    assert 0 < crashes < 10
    assert page.locator("#causes article:visible .tag").all_inner_texts() == (
        ["ends the process"] * crashes
    )
    page.fill("main [name=q]", "no such words")
    assert shown(page, "#causes article") == 0


def test_search_finds_by_library_and_verdict(visit):
    page = visit("search.html?kind=claim&library=jax&verdict=defect")
    page.wait_for_selector("#results a")
    found = page.locator("#results a").all_inner_texts()
    assert any(name.startswith("GEN-11") for name in found)
    assert len(found) < 20
    page.select_option("[name=library]", "reference")
    assert page.locator("#results a").count() == 0
    assert page.locator("#count").inner_text() == "0 found"


def test_an_unknown_word_in_the_address_filters_nothing(visit):
    page = visit("operations.html?library=<img src=x onerror=alert(1)>&verdict=bogus")
    assert shown(page, "#operations tbody tr") > 200


# ---- on a phone, in the dark, read aloud ---------------------------------------------------------


@pytest.mark.parametrize("address", ["operations.html", "chapters.html", "claim/GEN-11.html"])
def test_on_a_phone_each_cell_says_whose_it_is(visit, address):
    told = "cell => [cell.cellIndex, getComputedStyle(cell, '::before').content]"
    cells = "document.querySelectorAll('.by-library tbody tr:first-child td')"
    page = visit(address, width=375)
    heads = page.locator(".by-library thead th").all_text_contents()
    assert "torch" in heads
    for index, content in page.evaluate(f"() => [...{cells}].map({told})"):
        assert content == f'"{heads[index]} "'
    assert "torch" not in str(visit(address).evaluate(f"() => [...{cells}].map({told})"))


@pytest.mark.parametrize("address", KINDS)
def test_nothing_is_wider_than_a_phone(visit, address):
    page = visit(address, width=375)
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    too_wide = """[...document.querySelectorAll("main *")].filter((node) => {
        const box = node.getBoundingClientRect();
        return box.width && box.right > 376 && !node.closest(".scroll, pre, table.figures, .said");
    }).map((node) => node.outerHTML.slice(0, 200))"""
    assert page.evaluate(too_wide) == []
    # Tables of verdicts are laid out anew there; those of figures may be pushed to the side.
    pushed = """[...document.querySelectorAll(".scroll:not(:has(.figures))")].filter(
        (node) => node.scrollWidth > node.clientWidth).map((node) => node.ariaLabel)"""
    assert page.evaluate(pushed) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("scheme", "only", "met"), [("light", "", 15), ("dark", "runOnly: ['color-contrast']", 0)]
)
@pytest.mark.parametrize(
    "address", [pytest.param(a, marks=pytest.mark.long) if a in LARGE else a for a in KINDS]
)
def test_axe_finds_nothing(visit, address, scheme, only, met):
    """By any rule where it is light; the dark differs in its colours alone."""
    if find_spec(AXE) is None:
        pytest.skip(f"not run: {AXE} is not installed")
    page = visit(address, scheme=scheme)
    page.wait_for_load_state()
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    page.evaluate(files(AXE).joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate(
        f"axe.run(document, {{resultTypes: ['violations'], preload: false, {only}}})"
    )
    told = [
        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"])
        for each in found["violations"]
    ]
    assert told == []
    assert len(found["passes"]) > met


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_scheme(visit, scheme):
    page = visit("index.html", scheme=scheme)
    style = "getComputedStyle(document.body)"
    colours = page.evaluate(f"[{style}.color, {style}.backgroundColor]")
    ink, paper = (sum(map(int, colour[4:-1].split(","))) for colour in colours)
    assert (ink < paper) == (scheme == "light")
