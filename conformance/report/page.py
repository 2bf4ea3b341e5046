"""One self-contained HTML page from results files."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..results import Status, Verdict, read
from .rows import SIGNS, Row, rows_of, worst

HERE = Path(__file__).parent


def page_of(paths: Sequence[Path], plots: Sequence[tuple[str, str]] = ()) -> str:
    """Write the page of whole runs; `plots` are titles and SVG drawings.

    Raises BrokenRun for a file that is not a whole run.
    """
    runs = [read(path) for path in paths]
    verdicts = [verdict for _, found in runs for verdict in found]
    return page([header for header, _ in runs], verdicts, plots)


def page(
    headers: Sequence[Mapping[str, Any]],
    verdicts: Sequence[Verdict],
    plots: Sequence[tuple[str, str]] = (),
) -> str:
    """Write the page; every text of a result is escaped."""
    subjects = [subject["subject"] for header in headers for subject in header["subjects"]]
    # A claim that only one device can show has a verdict there also where the device is absent.
    subjects += sorted({verdict.subject for verdict in verdicts} - set(subjects))
    rows = rows_of(verdicts, subjects)
    environment = Environment(
        loader=PackageLoader(__package__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        headers=headers,
        subjects=subjects,
        chapters=[(name, [*group]) for name, group in groupby(rows, lambda row: row.chapter)],
        totals=[(subject, _totals(rows, at)) for at, subject in enumerate(subjects)],
        plots=[(title, Markup(drawing)) for title, drawing in plots],  # noqa: S704 - our own SVG
        signs=SIGNS,
        statuses=[status for status in Status if any(status in row.statuses for row in rows)],
        worst=worst,
        style=Markup((HERE / "page.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        script=Markup((HERE / "page.js").read_text(encoding="utf-8")),  # noqa: S704 - our own file
    )


def _totals(rows: Sequence[Row], subject: int) -> dict[str, int]:
    """Count the claims of one subject: passed, declared, all."""
    found = [worst(row.cells[subject]) for row in rows]
    declared = [s for s in found if s not in {None, Status.UNSUPPORTED, Status.NOT_RUN}]
    return {"passed": found.count(Status.PASS), "declared": len(declared), "all": len(found)}
