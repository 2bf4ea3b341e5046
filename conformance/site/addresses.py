"""Where each page lies: addresses that stay, whatever else is on the site.

Names of libraries come from results files, that is, from anybody: an address holds lower case
letters, digits and a few signs, so that it is a file on every system and leads out of no folder.
Ids of claims are ours, and stand as they are.
"""

import hashlib
import re

PLAIN = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,99}")
CLAIM = re.compile(r"[A-Z]{1,10}-[0-9]{1,6}")

RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?|.*\.")
"""Names that Windows has for devices, and those it cuts a dot off."""


def slug(name: str) -> str:
    """Write a name so that it is one part of an address: equal for equal names only.

    A name that is none as it stands is told by its hash, after what of it can be read.
    """
    if PLAIN.fullmatch(name) and not RESERVED.fullmatch(name):
        return name
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{readable or 'x'}~{digest}"


def claim(identity: str) -> str:
    """Return the address of a claim."""
    return f"claim/{identity if CLAIM.fullmatch(identity) else slug(identity)}.html"


def library(name: str) -> str:
    """Return the address of a library."""
    return f"library/{slug(name)}.html"


def finding(script: str) -> str:
    """Return the address of a script that shows a defect."""
    return f"finding/{slug(script.removesuffix('.py'))}.html"


def operation(name: str) -> str:
    """Return the address of an operation."""
    return f"operation/{slug(name)}.html"


def chapter(name: str) -> str:
    """Return the address of a chapter."""
    return f"chapter/{slug(name)}.html"


def badge(name: str, of: str | None = None) -> str:
    """Return the address of the badge of a library, or of one chapter of it."""
    return f"badge/{slug(name)}/{slug(of)}.svg" if of else f"badge/{slug(name)}.svg"
