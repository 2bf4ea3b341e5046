"""What the driver of NVIDIA's devices tells of them, by its own command."""

import shutil
import subprocess

FIRST = "0"
"""The device that is asked unless another is named."""

SECONDS = 20.0

SLOWED = {
    0x4: "its power limit",
    0x8: "its hardware",
    0x20: "its temperature",
    0x40: "its temperature",
    0x80: "its power supply",
}
"""Why clocks are lower than they could be, by bits that NVML documents (nvmlClocksEventReasons).

That a device is idle, or was told a clock, is none of these.
"""


def driver_and_limits(which: str = FIRST) -> str | None:
    """Return the version of the driver, and what limits a device; None if it is not told.

    `which` is its number or its UUID. For instance `driver 580.65.06, at most 1980 MHz, at most
    700.00 W`.
    """
    told = _asked("driver_version", "clocks.max.sm", "power.limit", which=which)
    return None if told is None else "driver {}, at most {}, at most {}".format(*told)


def condition(which: str = FIRST) -> str | None:
    """Return how fast and how warm a device is, and what slows it down; None if it is not told.

    For instance `1755 MHz, 83 C, 698.20 W, slowed down by its power limit`.
    """
    words = ("clocks.sm", "temperature.gpu", "power.draw", "clocks_event_reasons.active")
    told = _asked(*words, which=which)
    if told is None:
        return None
    clock, temperature, power, reasons = told
    try:
        active = int(reasons, 16)
    except ValueError:
        return f"{clock}, {temperature} C, {power}"
    found = dict.fromkeys(word for bit, word in SLOWED.items() if active & bit)
    slowed = f"slowed down by {' and '.join(found)}" if found else "not slowed down"
    return f"{clock}, {temperature} C, {power}, {slowed}"


def _asked(*fields: str, which: str) -> list[str] | None:
    command = shutil.which("nvidia-smi")
    if command is None:
        return None
    words = [command, f"--query-gpu={','.join(fields)}", "--format=csv,noheader", f"--id={which}"]
    try:
        done = subprocess.run(  # noqa: S603
            words, capture_output=True, text=True, check=True, timeout=SECONDS
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    told = done.stdout.strip().split(", ")
    return told if len(told) == len(fields) else None
