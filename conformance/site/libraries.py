"""The page of a library: what fails in it and why, what it chose, and what it lacks."""

import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ..protocol.capabilities import Capability
from ..protocol.operations import OPERATIONS
from ..results.standings import MEASURE, Standing, counts
from ..results.verdict import GREEN, NO_FAULT, Known, Status, Verdict
from . import addresses
from .badges import badge_of
from .causes import WAYS, Cause, name_of
from .histories import told_of_releases
from .kinks import answered
from .material import Material
from .outcomes import Outcome, outcome_of, tally
from .pages import (
    FULL,
    SHOWN,
    Page,
    block,
    chapter_link,
    claim_link,
    dtypes_of,
    kink_link,
    link,
    more_than_shown,
    named,
    operation_link,
    places_of,
    short,
)


def library_page(material: Material, standing: Standing) -> Page:
    """Write the page of a library."""
    holds, declared, every = counts(standing.asked())
    causes = material.causes[standing.library]
    told = [cause_of(material, n, cause) for n, cause in enumerate(causes)]
    red = [*red_of(material, standing)]
    badge = badge_of(standing)
    name, version = short(standing.library), short(standing.version)
    return Page(
        addresses.library(standing.library),
        "library",
        f"{name} {version}",
        {
            "library": name,
            "version": version,
            "devices": [*map(short, standing.devices)],
            "verdicts": {"hold": holds, "declared": declared, "all": every},
            "badge": {"address": badge.address, "text": badge.text},
            "versions": [*_versions(material, standing)],
            "history": [*told_of_releases(material, standing.library)],
            "red": red[:FULL],
            "red_more": more_than_shown(red, FULL),
            "causes": told[:SHOWN],
            "causes_more": more_than_shown(told),
            "conventions": [*_conventions(material, standing)][:SHOWN],
            "lacks": lacks_of(material, standing),
            "chapters": [*_chapters(material, standing)][:SHOWN],
        },
    )


def cause_of(material: Material, place: int, cause: Cause) -> dict[str, Any]:
    """Return what is told of one cause."""
    script = material.checkout.script(cause.link)
    alike: dict[frozenset[str], list[str]] = {}
    for claim, names in cause.claims.items():
        alike.setdefault(frozenset(names), []).append(claim)
    claims = [
        {
            "claims": [claim_link(material, claim) for claim in found],
            "operations": [operation_link(material, name) for name in cause.claims[found[0]]],
        }
        for found in alike.values()
    ]
    return {
        "id": name_of(place),
        "kind": cause.kind,
        "what": short(cause.reason),
        "detail": re.sub(r"\s*\n\s*", " ", script.told) if script else "",
        "way": WAYS[cause.way] if cause.is_defect else "",
        "dtypes": dtypes_of(cause.verdicts),
        "versions": [*map(short, cause.versions)],
        "expected_in": str(cause.entry.get("version", "")),
        "upstream": {word: short(text) for word, text in cause.upstream.items()},
        "script": link(script.name, addresses.finding(script.name)) if script else None,
        "chapters": sorted({named(verdict.chapter) for verdict in cause.verdicts}),
        "claims": claims[:SHOWN],
        "claims_more": more_than_shown(claims),
    }


def red_of(material: Material, standing: Standing) -> Iterator[dict[str, Any]]:
    """Return what fails and is not expected to, by what is said of it."""
    alike: dict[tuple[Status, str], list[Verdict]] = {}
    for verdict in standing.verdicts:
        if verdict.status not in GREEN:
            alike.setdefault((verdict.status, verdict.reason or ""), []).append(verdict)
    for (status, reason), verdicts in sorted(alike.items(), key=lambda one: -len(one[1])):
        yield {
            "status": status.value,
            "reason": short(reason),
            "dtypes": dtypes_of(verdicts),
            **places_of(material, ((verdict.claim, verdict.operation) for verdict in verdicts)),
            "reproduction": block(verdicts[0].reproduction),
        }


def lacks_of(material: Material, standing: Standing) -> dict[str, Any]:
    """Return what a library does not declare, and how many claims each capability costs it."""
    declared = {
        word
        for run in material.runs
        for subject in run.header["subjects"]
        if (subject["backend"], subject["version"]) == (standing.library, standing.version)
        for word in (*subject["capabilities"], *subject["functions"])
    }
    lacking = {v.claim for v in standing.verdicts if outcome_of(v) is Outcome.LACKS}
    costs = Counter(
        word
        for identity in lacking
        if identity in material.claims
        for word in material.claims[identity].needs
    )
    meanings = _meanings()
    return {
        "capabilities": [
            {"name": each.value, "means": meanings[each], "claims": costs[each.value]}
            for each in Capability
            if each.value not in declared
        ],
        "functions": [
            operation_link(material, name) for name in OPERATIONS if name not in declared
        ],
        "declared": {
            "capabilities": len(declared & {each.value for each in Capability}),
            "functions": len(declared & OPERATIONS.keys()),
        },
    }


def _meanings() -> Mapping[Capability, str]:
    """Return the sentence that stands under each capability in its source."""
    text = inspect.getsource(Capability)
    found = re.findall(r'(\w+) = "\w+"\n\s+"""(.*?)"""', text, re.DOTALL)
    return {Capability[name]: " ".join(told.split()) for name, told in found}


def _versions(material: Material, standing: Standing) -> Iterator[dict[str, Any]]:
    for one in material.standings:
        if one.library == standing.library:
            holds, declared, _ = counts(one.asked())
            yield {
                "version": short(one.version),
                "hold": holds,
                "declared": declared,
                "defects": one.known(Known.DEFECT),
                "differences": one.known(*NO_FAULT),
            }


def _conventions(material: Material, standing: Standing) -> Iterator[dict[str, Any]]:
    measure = next((one.answers for one in material.libraries if one.library == MEASURE), {})
    for kink, answer in standing.answers.items():
        others = [one for one in answered(material, kink).get(answer, ()) if one is not standing]
        yield {
            "kink": kink_link(material, kink),
            "gradient": short(answer),
            "torch": short(measure.get(kink)),
            "same": measure.get(kink) == answer,
            "with": [link(short(one.library), addresses.library(one.library)) for one in others],
        }


def _chapters(material: Material, standing: Standing) -> Iterator[dict[str, Any]]:
    for name, verdicts in standing.chapters.items():
        yield {
            "chapter": chapter_link(material, name),
            "cell": tally(verdicts),
            "all": len(verdicts),
            "badge": addresses.badge(standing.library, name),
        }
