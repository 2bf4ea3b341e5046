"""A library with a second device whose timings are known: the reference, with a queue of waits.

Each `add` on the CPU takes `CPU` seconds an element; on `cuda` it is queued, and takes `FIXED`
seconds and `EACH` for an element after what is queued before it. Only `synchronize`, and whatever
reads values, waits for the queue. Subclasses do one thing wrong.

Its time is simulated: it passes by waiting, and a little with each look at the clock, so that what
is measured is the same on any machine, however busy. `simulate` makes the instrument read it.
"""

from itertools import count

from gradspec.conformance import Capability, ErrorKind
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.speed import cells, clock

CPU = 2e-6
FIXED = 4e-3
EACH = 2e-7
LINK = 2e-3
"""Seconds for a transfer of any size."""

TICK = 1e-6
"""Seconds that a look at the clock takes."""


class Time:
    """Seconds since the start."""

    def __init__(self):
        self.waited = 0.0
        self.looks = count()

    def __call__(self):
        return self.waited + TICK * next(self.looks)

    def wait(self, seconds):
        self.waited += max(0.0, seconds)


now = Time()


def simulate(put):
    """Make the instrument read the simulated time; `put` sets an attribute, as `setattr` does."""
    for module in (cells, clock):
        put(module, "perf_counter", now)


class Queued(Reference):
    """Everything right."""

    name = "queued"
    capabilities = Reference.capabilities | {Capability.EVENTS, Capability.TRANSFER}

    def __init__(self):
        super().__init__()
        self.device = "cpu"
        self.done = 0.0
        self.functions = {**self.functions, "add": self._add}

    def _add(self, x, y):
        result = self.library.add(x, y)
        size = result.array.size
        if self.device == "cpu":
            now.wait(CPU * size)
        else:
            self.queue(FIXED + EACH * size)
        return result

    def queue(self, seconds):
        self.done = max(self.done, now()) + seconds

    def drain(self):
        now.wait(self.done - now())

    def devices(self):
        return ("cpu", "cuda")

    def device_model(self, device):
        return f"pretended {device}"

    def condition(self, device):
        return ("warm" if now.waited > 1 else "cold") if device == "cuda" else None

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
        start = max(self.done, now())
        work()
        end = max(self.done, now())
        self.drain()
        return end - start


class Forgetful(Queued):
    """Its synchronize returns early."""

    name = "forgetful"

    def synchronize(self, device):
        pass


class Crowded(Queued):
    """Its device has no room for more than 4000 elements, nor for 2000 of them for long."""

    name = "crowded"
    calls = 0

    def _add(self, x, y):
        size = x.array.size
        there = self.device == "cuda"
        self.calls += there and size == 2000
        if there and (size > 4000 or (size == 2000 and self.calls > 30)):
            raise MemoryError("out of memory: tried to allocate 20 GiB")
        return super()._add(x, y)

    def error_kind(self, error):
        return ErrorKind.MEMORY if isinstance(error, MemoryError) else super().error_kind(error)


class Late(Queued):
    """What its device does wrong is told when it is waited for."""

    name = "late"
    wrong = False

    def _add(self, x, y):
        self.wrong = self.wrong or (self.device == "cuda" and x.array.size == 3)
        return super()._add(x, y)

    def synchronize(self, device):
        if device == "cuda" and self.wrong:
            self.wrong = False
            raise RuntimeError("an assertion on the device")


class Lost(Queued):
    """Its device fails on sums of 2000 elements, and never answers again."""

    name = "lost"
    gone = False

    def _add(self, x, y):
        self.gone = self.gone or (self.device == "cuda" and x.array.size == 2000)
        return super()._add(x, y)

    def synchronize(self, device):
        super().synchronize(device)
        if device == "cuda" and self.gone:
            raise RuntimeError("CUDA error: unspecified launch failure")

    def device_model(self, device):
        self.synchronize(device)
        return super().device_model(device)


class Drifting(Queued):
    """The clock of its device is a tenth fast."""

    name = "drifting"

    def device_seconds(self, work, device):
        return 1.1 * super().device_seconds(work, device)
