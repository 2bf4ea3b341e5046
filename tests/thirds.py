"""A plugin for CI: of what is asked of operations in narrower dtypes two thirds are left out.

Each claim meets a third of its operations there, and each operation a third of its claims; so it is
in float64 where claims ask for thousands of entries. Nor is anything asked of an operation that
would not be judged, for want of it or because of the dtype. All else is asked.
"""

from collections.abc import Callable
from zlib import crc32

import pytest

from gradspec.conformance.results.verdict import address_of
from gradspec.conformance.run.question import meant

WIDE = "float64"
"""The dtype in which only what takes long is left out."""


def dealt(address: str, of: int = 3) -> bool:
    """Whether a claim on an operation, by its address, is the one `of` so many that is asked."""
    return crc32(address.encode()) % of == 0


def pytest_report_header() -> str:
    """Say what is not run."""
    return (
        f"not run: two of three questions on operations, but on few entries in {WIDE}, "
        "and what would not be judged"
    )


def keep(
    config: pytest.Config, items: list[pytest.Item], asked: Callable[[pytest.Item], bool]
) -> None:
    """Deselect the items that are not asked, so that pytest counts them."""
    config.hook.pytest_deselected(items=[item for item in items if not asked(item)])
    items[:] = [item for item in items if asked(item)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is asked in whole runs alone."""
    keep(config, items, _asked)


def _asked(item: pytest.Item) -> bool:
    question = meant(item)
    if question is None:
        return True
    claim, subject, operation = question
    if operation is None:
        return True
    if subject.lacks([*claim.needs, operation.name]) or (claim.widest and subject.dtype != WIDE):
        return False
    if subject.dtype == WIDE and not claim.of_many:
        return True
    return dealt(address_of(claim.id, operation.name))
