"""What the driver of NVIDIA's devices tells of them, by its own command."""

import shutil
import subprocess

QUERY = "driver_version,clocks.max.sm,power.limit"
SECONDS = 20.0


def driver_and_limits() -> str | None:
    """Return the version of the driver, and what limits the first device; None if it is not told.

    For instance `driver 580.65.06, at most 1980 MHz, at most 700.00 W`.
    """
    command = shutil.which("nvidia-smi")
    if command is None:
        return None
    words = [command, f"--query-gpu={QUERY}", "--format=csv,noheader", "--id=0"]
    try:
        done = subprocess.run(  # noqa: S603
            words, capture_output=True, text=True, check=True, timeout=SECONDS
        )
        version, clock, power = done.stdout.strip().split(", ")
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return f"driver {version}, at most {clock}, at most {power}"
