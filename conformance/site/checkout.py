"""What only a checkout has: the mutants that each claim kills, and scripts that show defects."""

import ast
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from ..claims.catalogue import SPECIFICATION
from ..protocol.errors import OptionError
from ..untrusted.files import Unreadable, bytes_of
from ..untrusted.texts import safe

SCRIPT = re.compile(r"results/findings/([a-z0-9][a-z0-9._-]{0,100}\.py)")
"""How a link names a script; what anybody else may name is not looked for."""

LONGEST = 20_000
"""Characters of a script that are shown."""


@dataclass(frozen=True)
class Mutant:
    """A deliberately wrong implementation: its name, and what it changes."""

    name: str
    changes: str


@dataclass(frozen=True)
class Script:
    """A script that shows a defect: its text, and what it says first."""

    name: str
    text: str
    told: str


@dataclass(frozen=True)
class Checkout:
    """The folder of the project, if there is one."""

    folder: Path | None

    @cached_property
    def mutants(self) -> Mapping[str, list[Mutant]]:
        """The mutants that each claim kills."""
        found: dict[str, list[Mutant]] = {}
        for path in sorted(
            (self.folder / "tests" / "mutants").glob("*.toml") if self.folder else ()
        ):
            for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", ()):
                for claim in entry["kills"]:
                    found.setdefault(claim, []).append(Mutant(entry["name"], entry["changes"]))
        return found

    def script(self, link: str) -> Script | None:
        """Return the script that a link names, if it is one of ours and there."""
        found = SCRIPT.fullmatch(link)
        if not (found and self.folder):
            return None
        try:
            text = bytes_of(self.folder / "results" / "findings" / found[1]).decode("utf-8")
            told = ast.get_docstring(ast.parse(text)) or ""
        except (Unreadable, UnicodeDecodeError, SyntaxError, ValueError):
            return None
        return Script(found[1], safe(text)[:LONGEST], safe(told))


def checkout_at(folder: Path | None) -> Checkout:
    """Return the checkout in a folder, or the one that gradspec runs from, if it does.

    Raises OptionError if the folder that was asked for is none.
    """
    if folder is not None:
        if not (folder / "tests" / "mutants").is_dir():
            raise OptionError(f"--checkout {folder}: is no checkout of gradspec (no tests/mutants)")
        return Checkout(folder)
    found = find_spec(SPECIFICATION)
    rooms = found.submodule_search_locations if found else None
    beside = Path(next(iter(rooms))).parent if rooms else None
    return Checkout(beside if beside and (beside / "tests" / "mutants").is_dir() else None)
