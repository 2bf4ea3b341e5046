"""The controller of xdist and its workers: who is which, and how they tell each other."""

import pytest

SLOT = "gradspec slot"
"""The key under which a worker is told its place, and where to write what outlives it."""

TOLD = "gradspec told"
"""The key under which a worker tells its controller what it has collected, and on what."""


def distributed(config: pytest.Config) -> bool:
    """Whether this is the controller of xdist's workers, which run what it does not collect."""
    dealt = config.getoption("dist", "no") != "no" and bool(config.getoption("tx", None))
    return dealt and not config.getoption("collectonly") and not hasattr(config, "workerinput")
