"""Data sets whose items cost what one wants: nothing, a wait, work, or memory that is counted."""

import time
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.subject import Subject


class Numbers:
    """The numbers from 0 to n - 1, for next to nothing."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> float:
        return float(i)


class Slow(Numbers):
    """The same, each after a wait of so many seconds, as for a disk or a network."""

    def __init__(self, n: int, seconds: float) -> None:
        super().__init__(n)
        self.seconds = seconds

    def __getitem__(self, i: int) -> float:
        time.sleep(self.seconds)
        return float(i)


class Busy(Slow):
    """The same, each after so many seconds of computing."""

    def __getitem__(self, i: int) -> float:
        end = time.process_time() + self.seconds
        while time.process_time() < end:
            pass
        return float(i)


class Counted(Numbers):
    """Arrays, made when they are asked for: `fetched` so far, `most` of them alive at once."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.fetched = 0
        self.most = 0
        self._made: list[weakref.ref[Any]] = []

    def __getitem__(self, i: int) -> npt.NDArray[np.float64]:  # type: ignore[override]
        item = np.full(3, float(i))
        self.fetched += 1
        self._made = [made for made in self._made if made() is not None] + [weakref.ref(item)]
        self.most = max(self.most, len(self._made))
        return item


def lasting(be: Subject, items: Numbers, workers: int) -> Any:
    """Make a loader of batches of two whose workers, if any, stay for later epochs."""
    return be.loader(items, batch_size=2, num_workers=workers, persistent_workers=workers > 0)
