"""The site as files: every page as HTML and as JSON, badges, the feed, and what pages share."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from ..protocol.errors import OptionError
from .badges import badges_of
from .changes import changes_page
from .chapters import chapter_page, chapters_page
from .claims import claim_page
from .drawing import logarithmic, panel
from .findings import findings_pages
from .home import home_page
from .libraries import library_page
from .material import Material
from .notes import notes_page
from .operations import operation_page, operations_page
from .outcomes import MEANINGS
from .pages import Page, heads
from .search import KINDS, search_page
from .speed import speed_page

STATIC = Path(__file__).parent / "static"

MARK = "gradspec-site.json"
"""Tells that a folder holds a site of ours, and which files of it are: these may be replaced."""


def pages_of(material: Material) -> Iterator[Page]:
    """Write every page."""
    yield home_page(material)
    yield chapters_page(material)
    yield operations_page(material)
    yield notes_page(material)
    yield speed_page(material)
    yield search_page(material)
    if material.comparisons:
        yield changes_page(material)
    for standing in material.libraries:
        yield library_page(material, standing)
    yield from findings_pages(material)
    for name in material.chapters:
        yield chapter_page(material, name)
    for claim in material.claims.values():
        yield claim_page(material, claim)
    for name in material.operations:
        yield operation_page(material, name)


def renderer(material: Material) -> Callable[..., str]:
    """Return what writes a page as HTML; every text of the page is escaped."""
    environment = _environment()
    environment.globals.update(
        gradspec=metadata.version("gradspec"),
        meanings={outcome.value: text for outcome, text in MEANINGS.items()},
        compared=bool(material.comparisons),
        updated=updated(material),
    )

    def render(page: Page, template: str = "") -> str:
        made = environment.get_template(template or f"{page.kind}.html.j2")
        return made.render(page=page, root=page.root, **page.fields)

    return render


def _scripts(index: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the index as what a page may load without a server: claims apart, as half of it."""
    claim = KINDS.index("claim")
    claims = [each for each in index["entries"] if each[0] == claim]
    rest = [each for each in index["entries"] if each[0] != claim]
    yield "index.js", f"window.gradspec = {_compact({**index, 'entries': rest})};\n"
    yield "claims.js", f"window.gradspec.entries.push(...{_compact(claims)});\n"


def _compact(data: Any) -> str:
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def files_of(material: Material) -> Iterator[tuple[str, str]]:
    """Return every file: its address, and its text."""
    render = renderer(material)
    for page in pages_of(material):
        yield page.address, render(page)
        yield page.address.removesuffix(".html") + ".json", _compact(page.data) + "\n"
        if page.kind == "search":
            yield from _scripts(page.data)
        if page.kind == "changes":
            yield "feed.xml", render(page, "feed.xml.j2")
    environment = _environment()
    yield "columns.css", environment.get_template("columns.css.j2").render(columns=heads(material))
    badge = environment.get_template("badge.svg.j2")
    for each in badges_of(material):
        yield each.address, badge.render(badge=each)
    for path in sorted(STATIC.iterdir()):
        yield path.name, path.read_text(encoding="utf-8")


def write(material: Material, output: Path) -> tuple[int, int]:
    """Write the site into a folder; return how many files and bytes it has.

    A site that stands there already is replaced. Raises OptionError for a folder that holds
    anything else, or that cannot be written.
    """
    former: set[str] = set()
    written: dict[str, None] = {}
    size = 0
    try:
        former = _former(output)
        output.mkdir(parents=True, exist_ok=True)
        # First, so that a folder that was left half written is known as ours by the next attempt.
        _mark(output, sorted(former))
        for address, text in files_of(material):
            data = text.encode("utf-8", "backslashreplace")
            path = output.joinpath(*address.split("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            written[address] = None
            path.write_bytes(data)
            size += len(data)
        _mark(output, written)
        _remove(output, former - written.keys())
    except OSError as error:
        with suppress(OSError):
            _remove(output, written.keys() - former)
        raise OptionError(f"--output {output}: cannot be written ({error.strerror})") from None
    return len(written), size


def _mark(output: Path, addresses: Iterable[str]) -> None:
    """Say which files of a folder are the site's; where that fails, what was said before stays."""
    draft = output / f"{MARK}.new"
    try:
        draft.write_text(json.dumps([*addresses]) + "\n", encoding="utf-8")
        draft.replace(output / MARK)
    finally:
        draft.unlink(missing_ok=True)


def _remove(output: Path, addresses: Iterable[str]) -> None:
    for address in addresses:
        output.joinpath(*address.split("/")).unlink(missing_ok=True)


def _former(output: Path) -> set[str]:
    """Name the files of the site that stands in a folder; raises OptionError if it is another's."""
    if not output.exists() or (output.is_dir() and not any(output.iterdir())):
        return set()
    try:
        found = json.loads((output / MARK).read_text(encoding="utf-8"))
        addresses = {address for address in found if isinstance(address, str)}
    except (OSError, ValueError, TypeError):
        raise OptionError(
            f"--output {output}: is there already, and is no site of gradspec; name an empty folder"
        ) from None
    # Whoever wrote that file, nothing outside the folder is touched.
    inside = output.resolve()
    return {each for each in addresses if (output / each).resolve().is_relative_to(inside)}


def updated(material: Material) -> str:
    """Return when the newest results were written, as feeds tell time.

    `SOURCE_DATE_EPOCH` goes first, by which builds are told to be the same again.
    """
    paths = [run.path for run in material.runs] + [record.path for record in material.records]
    seconds = max((path.stat().st_mtime for path in paths), default=0.0)
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    if told.isdecimal():
        seconds = float(told)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["python"] = _highlighted
    environment.filters["css"] = _quoted
    environment.globals.update(panel=panel, logarithmic=logarithmic)
    return environment


def _quoted(text: str) -> Markup:
    """Return a text of anybody's as it stands between the quotes of a style sheet."""
    told = (each if each.isalnum() else f"\\{ord(each):x} " for each in text)
    return Markup("".join(told))  # noqa: S704


@cache
def _highlighted(program: str) -> Markup:
    """Return a program with a class for each kind of word; Pygments escapes the rest."""
    return Markup(highlight(program, PythonLexer(), HtmlFormatter(nowrap=True)))  # noqa: S704
