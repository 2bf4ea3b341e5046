"""Some verdicts and no others, in an order of one's own: `--verdict`."""

from collections.abc import Sequence

import pytest

from ..results.verdict import name_of
from .commandline import spelled
from .loading import suggestion
from .question import key_of
from .session import REFUSAL


class Order:
    """Leaves the verdicts that are named, in the order in which they are."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Choose, and put in order."""
        found = {name_of(key): item for item in items if (key := key_of(item))}
        for name in self.names:
            if name not in found:
                refusal = (
                    f"{spelled(config, 'verdict')} {name}: no claim is collected for it"
                    f"{suggestion(name, found)}"
                )
                if not hasattr(config, "workerinput"):
                    raise pytest.UsageError(refusal)
                # A worker of xdist has no voice of its own: its controller stops with this.
                config.stash[REFUSAL] = session.shouldfail = refusal
        chosen = [found[name] for name in dict.fromkeys(self.names) if name in found]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
