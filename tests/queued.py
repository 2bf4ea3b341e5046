"""A library with a second device whose timings are known: the reference, with a queue of waits.

Each `add` on the CPU takes `CPU` seconds an element; on `cuda` it is queued, and takes `FIXED`
seconds and `EACH` for an element after what is queued before it. Only `synchronize`, and whatever
reads values, waits for the queue. Subclasses do one thing wrong.
"""

import time

from gradspec.conformance import Capability
from gradspec.conformance.backends.reference import Reference

CPU = 2e-6
FIXED = 4e-3
EACH = 2e-7
LINK = 2e-3
"""Seconds for a transfer of any size."""


class Queued(Reference):
    """Everything right."""

    name = "queued"
    fixed = FIXED
    capabilities = Reference.capabilities | {Capability.EVENTS, Capability.TRANSFER}

    def __init__(self):
        super().__init__()
        self.device = "cpu"
        self.done = 0.0
        self.functions = {**self.functions, "add": self._add}

    def _add(self, x, y):
        result = self.library.add(x, y)
        count = result.array.size
        if self.device == "cpu":
            time.sleep(CPU * count)
        else:
            self.queue(self.fixed + EACH * count)
        return result

    def queue(self, seconds):
        self.done = max(self.done, time.perf_counter()) + seconds

    def drain(self):
        time.sleep(max(0.0, self.done - time.perf_counter()))

    def devices(self):
        return ("cpu", "cuda")

    def device_model(self, device):
        return f"pretended {device}"

    def capabilities_on(self, device):
        lost = {Capability.EVENTS, Capability.TRANSFER} if device == "cpu" else set()
        return self.capabilities - lost

    def tensor(self, array, dtype, device):
        self.device = device
        return super().tensor(array, dtype, device)

    def numpy(self, x):
        self.drain()
        return super().numpy(x)

    def synchronize(self, device):
        self.drain()

    def moved(self, x, device, *, wait=True):
        self.device = "cuda"
        self.queue(LINK)
        if wait:
            self.drain()
        return x

    def pinned(self, x):
        return x

    def device_seconds(self, work, device):
        start = max(self.done, time.perf_counter())
        work()
        end = max(self.done, time.perf_counter())
        self.drain()
        return end - start


class Forgetful(Queued):
    """Its synchronize returns early; its work is long, so that no busy machine waits by chance."""

    name = "forgetful"
    fixed = 10 * FIXED

    def synchronize(self, device):
        pass


class Drifting(Queued):
    """The clock of its device is a tenth fast."""

    name = "drifting"

    def device_seconds(self, work, device):
        return 1.1 * super().device_seconds(work, device)
