"""What pytest loads in every run, whether or not there is a claim in it.

So it imports next to nothing, changes nothing and prints nothing. What wakes the rest is an option
of ours on the command line, a claim that is collected, or a worker of xdist that tells of one.
"""

import os
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from .run.commandline import any_given, declare
from .run.workers import SLOT, TOLD, distributed

NAME = "gradspec-claims"
"""The plugin that is registered once something of ours is met."""

PROFILES = ("quick", "deep")
"""Hypothesis profiles that we have, for who asks for one and has none of that name."""


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: Sequence[str]
) -> Generator[None, Any, Any]:
    """Declare our options when plugins and conftests have declared theirs."""
    found = yield
    declare(early_config, parser, args)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Honour what is asked for by options; listen to workers that may meet a claim."""
    if config.getoption("--hypothesis-profile", None) in PROFILES:
        from .run.profiles import offer  # noqa: PLC0415

        offer(config.getoption("--hypothesis-profile"))
    if not hasattr(config, "workerinput"):
        if any_given(config):
            wake(config)
        if distributed(config):
            listen(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Say what a claim, or what times workloads, is run on."""
    marks = getattr(metafunc.function, "__dict__", {})
    ours = [type(marks.get(name)).__module__ for name in ("claim", "timed")]
    if any(module.startswith(f"{__package__}.") for module in ours):
        wake(metafunc.config)
        from .plugin import generate  # noqa: PLC0415

        generate(metafunc)


def wake(config: pytest.Config) -> None:
    """Bring in all that runs with claims have, unless it is there."""
    if not config.pluginmanager.has_plugin(NAME):
        from .plugin import begin  # noqa: PLC0415

        begin(config)


def listen(config: pytest.Config) -> "Listener":
    """Return what listens to the workers, made when first asked for."""
    found = config.pluginmanager.get_plugin("gradspec-listener")
    if found is None:
        found = Listener(config)
        config.pluginmanager.register(found, "gradspec-listener")
    assert isinstance(found, Listener)
    return found


class Listener:
    """In the controller of xdist: waits for a worker that has met a claim."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.slots: dict[Any, int] = {}
        # Made by the first worker that has something to keep in it.
        self.folder = Path(tempfile.gettempdir()) / f"gradspec-{os.urandom(8).hex()}"

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker the lowest place that is free; nobody else looks at it."""
        taken = set(self.slots.values())
        self.slots[node] = next(n for n in range(len(taken) + 1) if n not in taken)
        node.workerinput[SLOT] = {"slot": self.slots[node], "folder": str(self.folder)}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Listen to what a worker reports."""
        if any(name == TOLD for name, _ in report.user_properties):
            self._wake("pytest_runtest_logreport", report=report)

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """Listen to what a worker leaves behind."""
        self.slots.pop(node, None)
        if self.folder.exists() or TOLD in getattr(node, "workeroutput", {}):
            self._wake("pytest_testnodedown", node=node, error=error)

    def _wake(self, hook: str, **event: object) -> None:
        manager = self.config.pluginmanager
        if not manager.has_plugin(NAME):
            others = manager.get_plugins()
            wake(self.config)
            # Those who have just come would not hear of it.
            manager.subset_hook_caller(hook, others)(**event)
