"""The page of a finding: a script that shows a defect, to be copied and run."""

from collections.abc import Iterator

from . import addresses
from .checkout import Script
from .material import Material
from .pages import Page, cause_address, link, short


def findings_pages(material: Material) -> Iterator[Page]:
    """Write a page for each script that a cause of any library links to."""
    scripts: dict[str, Script] = {}
    shown: dict[str, list[dict[str, str]]] = {}
    for library, causes in material.causes.items():
        for place, cause in enumerate(causes):
            if script := material.checkout.script(cause.link):
                scripts[script.name] = script
                told = f"{short(library)}: {short(cause.reason)}"
                to = link(told, cause_address(library, place))
                shown.setdefault(script.name, []).append(to)
    for name, script in scripts.items():
        fields = {"script": script.text, "told": script.told, "shows": shown[name]}
        yield Page(addresses.finding(name), "finding", name, fields)
