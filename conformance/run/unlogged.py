"""Where claims alone are run, what libraries log is captured only if somebody asks for it.

Three times a test, pytest hands two handlers to every logger that does not propagate. PyTorch has
some fifty of these among five hundred, and it took a quarter of a run.
"""

import pytest

from ..claims.claim import claim_of

PLUGIN = "logging-plugin"
"""The name under which pytest registers what captures them."""

OPTIONS = ("log_level", "log_cli", "log_cli_level", "log_file", "log_file_level")
"""Options and settings of it with which somebody wants to see what is logged."""


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Take it out, unless a test of somebody else or a fixture is there that may need it."""
    config = session.config
    found = config.pluginmanager.get_plugin(PLUGIN)
    if found is None or any(_is_set(config, name) for name in OPTIONS):
        return
    if session.items and all(claim_of(item) and not _reads_logs(item) for item in session.items):
        config.pluginmanager.unregister(found)
        # It has a file open, to which nothing would be written.
        found.pytest_unconfigure()


def _is_set(config: pytest.Config, name: str) -> bool:
    return bool(config.getoption(name, None) or config.getini(name))


def _reads_logs(item: pytest.Item) -> bool:
    return "caplog" in getattr(item, "fixturenames", ())
