"""What the host has: memory, caches, cores, and its name."""

import os
import platform
from pathlib import Path

import cpuinfo

UNKNOWN_MEMORY = 4 << 30
"""Assumed free where the system does not say, in bytes."""

UNKNOWN_CACHE = 64 << 20
"""Assumed where the system does not say, in bytes."""


def cores() -> int:
    """Return on how many cores this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def model() -> str:
    """Name the processor."""
    return str(cpuinfo.get_cpu_info().get("brand_raw") or platform.machine())


def free_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return how much memory of the host can be used without swapping, in bytes."""
    try:
        lines = meminfo.read_text(encoding="ascii").splitlines()
    except OSError:
        return UNKNOWN_MEMORY
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["MemAvailable"].split()[0]) << 10


def cache_size(folder: Path = Path("/sys/devices/system/cpu/cpu0/cache")) -> int:
    """Return the size of the last cache before memory, in bytes."""
    found = [_bytes(path.read_text(encoding="ascii")) for path in folder.glob("index*/size")]
    return max(found, default=UNKNOWN_CACHE)


def _bytes(text: str) -> int:
    scale = {"K": 10, "M": 20, "G": 30}
    word = text.strip()
    return int(word[:-1]) << scale[word[-1]] if word[-1] in scale else int(word)
