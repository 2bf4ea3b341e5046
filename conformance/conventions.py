"""Conventions: the gradients that a backend gives where mathematics leaves a choice.

The table of a backend is a TOML file beside its adapter, such as `torch.conventions.toml`: for each
version on record, the gradients at every kink it has a function for. `gradspec conventions NAME`
measures the installed version and writes it there.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .errors import OptionError
from .floats import FLOATS
from .tolerance import as_total, worst_ratio

Gradients = Sequence[Any]
"""One entry for each tensor: numbers, nested as its shape is, or "none"."""

Record = Mapping[str, Gradients]
"""Gradients by the name of their kink."""

HEAD = "# What this library answers at kinks, version by version, as it was measured.\n"


def place(adapter: Path) -> Path:
    """Return where the table of the adapter in a file stands."""
    return adapter.with_suffix(".conventions.toml")


@cache
def on_record(path: Path) -> Mapping[str, Record]:
    """Read a table: records by version. Raises OptionError naming a malformed file."""
    if not path.exists():
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        if not all(isinstance(record, dict) for record in table.values()):
            raise ValueError("every entry is a table, called after a version")
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise OptionError(f"{path}: {error}; `gradspec conventions` writes such a file") from None
    return table


def agree(measured: Gradients, recorded: Gradients, dtype: str) -> bool:
    """Whether gradients are those on record, up to a rounding of `dtype`."""
    if len(measured) != len(recorded):
        return False
    for got, want in zip(measured, recorded, strict=True):
        if "none" in (got, want):
            if got != want:
                return False
        elif np.shape(got) != np.shape(want) or np.any(
            worst_ratio(np.asarray(got, FLOATS[dtype].crossing), as_total(want), dtype) > 1
        ):
            return False
    return True


def write(path: Path, version: str, record: Record) -> None:
    """Put the record of a version into a table; other versions stay."""
    lines = [HEAD]
    for name, points in {**on_record(path), version: record}.items():
        lines += [f'["{name}"]', *(f'"{kink}" = {_toml(g)}' for kink, g in points.items()), ""]
    path.write_text("\n".join(lines), encoding="utf-8", newline="\n")


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # Python writes floats as TOML does, nan and inf included.
    return f'"{value}"' if isinstance(value, str) else repr(value)
