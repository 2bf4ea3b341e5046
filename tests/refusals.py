"""What a refusal of the reference looks like to a test."""

from contextlib import contextmanager

import pytest

from gradspec.reference import AutogradError


@contextmanager
def refused(kind: str, match: str | None = None):
    """Expect that the block is refused, and that the kind of the refusal is this one."""
    with pytest.raises(AutogradError, match=match) as refusal:
        yield
    assert refusal.value.kind == kind
