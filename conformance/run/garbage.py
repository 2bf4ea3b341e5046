"""While claims are collected, nobody looks for garbage: a hundred thousand items are none.

To look through all of them again and again takes about a second of thirteen.
"""

import gc

import pytest


class Unswept:
    """Keeps the collector of garbage from work until tests begin, if it was at work before."""

    def __init__(self) -> None:
        self.was_enabled = gc.isenabled()
        gc.disable()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self) -> None:
        """Let it work again before anything runs."""
        self._resume()

    def pytest_unconfigure(self) -> None:
        """Let it work again where a collection did not come to its end."""
        self._resume()

    def _resume(self) -> None:
        if self.was_enabled:
            self.was_enabled = False
            gc.enable()
