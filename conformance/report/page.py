"""One self-contained HTML page from results files."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..results.reading import RunRead
from ..results.standings import Standing, by_chapter, overview, standings
from ..results.verdict import Status, Verdict
from ..speed.record import RecordRead
from .plots import Drawing, drawings
from .rows import SIGNS, Row, lines, rows_of, worst

HERE = Path(__file__).parent


def page_of(runs: Sequence[RunRead], records: Sequence[RecordRead] = ()) -> str:
    """Write the page of whole runs and of measured times."""
    verdicts = [verdict for run in runs for verdict in run.verdicts]
    read: list[RunRead | RecordRead] = [*runs, *records]
    headers = [each.header for each in read]
    measurements = [m for record in records for m in record.measurements]
    judgements = [judgement for record in records for judgement in record.judgements]
    alarms = [f"{each.path.name}: red: {each.red}" for each in read if each.red]
    drawn = [*drawings(measurements)]
    return page(headers, verdicts, drawn, judgements, standings(runs), alarms)


def page(
    headers: Sequence[Mapping[str, Any]],
    verdicts: Sequence[Verdict],
    plots: Sequence[Drawing] = (),
    judgements: Sequence[Mapping[str, Any]] = (),
    libraries: Sequence[Standing] = (),
    alarms: Sequence[str] = (),
) -> str:
    """Write the page; every text of a result is escaped."""
    known = [s["subject"] for header in headers for s in header.get("subjects", ())]
    subjects = list(dict.fromkeys(known))
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
        alarms=alarms,
        subjects=subjects,
        chapters=[(name, [*group]) for name, group in groupby(rows, lambda row: row.chapter)],
        totals=[(subject, _totals(rows, at)) for at, subject in enumerate(subjects)],
        tables=[
            ("Libraries", overview(libraries)),
            ("Chapters by libraries: passed / declared / all", by_chapter(libraries)),
        ]
        if libraries
        else [],
        judgements=judgements,
        plots=[(title, Markup(drawing)) for title, drawing in plots],  # noqa: S704 - our own SVG
        signs=SIGNS,
        statuses=[status for status in Status if any(status in row.statuses for row in rows)],
        worst=worst,
        lines=lines,
        style=Markup((HERE / "page.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        script=Markup((HERE / "page.js").read_text(encoding="utf-8")),  # noqa: S704 - our own file
    )


def _totals(rows: Sequence[Row], subject: int) -> dict[str, int]:
    """Count the claims of one subject: passed, declared, all."""
    found = [worst(row.cells[subject]) for row in rows]
    declared = [s for s in found if s not in {None, Status.UNSUPPORTED, Status.NOT_RUN}]
    return {"passed": found.count(Status.PASS), "declared": len(declared), "all": len(found)}
