"""Conventions: the gradients that a backend gives where mathematics leaves a choice.

The table of a backend is a TOML file beside its adapter, such as `torch.conventions.toml`: for each
version on record, the gradients at every kink it has a function for. Other devices than the CPU may
choose otherwise, and have records of their own, such as "2.13.0 on cuda". `gradspec conventions
NAME` measures the installed version and writes it there.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from packaging.version import InvalidVersion, Version

from ..truth.floats import FLOATS
from ..truth.tolerance import as_total, worst_ratio
from ..untrusted.files import read_toml
from ..untrusted.texts import printable
from .errors import OptionError

Gradients = Sequence[Any]
"""One entry for each tensor: numbers, nested as its shape is, or "none"."""

Record = Mapping[str, Gradients]
"""Gradients by the name of their kink."""

ON = " on "
"""What stands between a version and a device in the name of a record."""

HEAD = "# What this library answers at kinks, version by version, as it was measured.\n"


def place(adapter: Path) -> Path:
    """Return where the table of the adapter in a file stands."""
    return adapter.with_suffix(".conventions.toml")


def record_name(version: str, device: str) -> str:
    """Name the record of a version, which may end in a build, on a device."""
    release = version.partition("+")[0]
    return release if device == "cpu" else f"{release}{ON}{device}"


def device_of(name: str) -> str:
    """Name the device that a record is of."""
    return name.partition(ON)[2] or "cpu"


def nearest(names: Sequence[str], version: str) -> str | None:
    """Return which of the records of a device speaks for a version that has none of its own.

    It is the newest one of the same or of an earlier minor release, else the oldest; of versions
    that are no numbers the last one.
    """
    try:
        own = Version(version)
        dated = sorted((Version(name.partition(ON)[0]), name) for name in names)
    except InvalidVersion:
        return names[-1] if names else None
    older = [name for found, name in dated if found.release[:2] <= own.release[:2]]
    return older[-1] if older else next((name for _, name in dated), None)


@cache
def on_record(path: Path) -> Mapping[str, Record]:
    """Read a table: records by version. Raises OptionError naming a malformed file."""
    if not path.exists():
        return {}
    try:
        table = read_toml(path, "conventions")
        for record in table.values():
            for kink, gradients in record.items():
                _see_gradients(kink, gradients)
    except ValueError as error:
        text = printable(str(error))[:300]
        raise OptionError(f"{path}: {text}; `gradspec conventions` writes such a file") from None
    return table


def _see_gradients(kink: str, gradients: Gradients) -> None:
    try:
        for gradient in gradients:
            np.asarray([] if gradient == "none" else gradient, np.float64)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{kink}: {error}") from None


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
    """Put the record of a version into a table; other versions stay. Raises OptionError."""
    lines = [HEAD]
    for name, points in {**on_record(path), version: record}.items():
        lines += [f"[{_toml(name)}]", *(f"{_toml(k)} = {_toml(g)}" for k, g in points.items()), ""]
    try:
        path.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    except OSError as error:
        raise OptionError(f"{path}: cannot be written ({error.strerror})") from None


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        quoted = value.replace("\\", r"\\").replace('"', r"\"")
        return f'"{quoted}"'
    # Python writes floats as TOML does, nan and inf included.
    return repr(value)
