"""What the driver tells of a device: asked of a program that stands for `nvidia-smi`."""

import os
import sys

import pytest

from gradspec.conformance.backends import nvidia

PROGRAM = """#!{python}
import sys

fields = sys.argv[1].removeprefix("--query-gpu=").split(",")
known = {known!r}
if sys.argv[2:] != ["--format=csv,noheader", "--id=GPU-7"] or not known:
    sys.exit(6)
print(", ".join(known[field] for field in fields))
"""

KNOWN = {
    "driver_version": "580.65.06",
    "clocks.max.sm": "1980 MHz",
    "power.limit": "700.00 W",
    "clocks.sm": "1755 MHz",
    "temperature.gpu": "83",
    "power.draw": "698.20 W",
    "clocks_event_reasons.active": "0x0000000000000000",
}


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Let the driver tell something."""

    def put(**facts):
        program = tmp_path / "nvidia-smi"
        program.write_text(PROGRAM.format(python=sys.executable, known=facts))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    return put


def test_a_driver_is_told_with_what_limits_the_device(told):
    told(**KNOWN)
    assert nvidia.driver_and_limits("GPU-7") == (
        "driver 580.65.06, at most 1980 MHz, at most 700.00 W"
    )


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        ("0x0000000000000000", ", not slowed down"),
        ("0x0000000000000001", ", not slowed down"),
        ("0x0000000000000004", ", slowed down by its power limit"),
        ("0x0000000000000068", ", slowed down by its hardware and its temperature"),
        ("[N/A]", ""),
    ],
)
def test_a_device_that_is_slowed_down_says_so(told, reasons, said):
    told(**{**KNOWN, "clocks_event_reasons.active": reasons})
    assert nvidia.condition("GPU-7") == f"1755 MHz, 83 C, 698.20 W{said}"


def test_what_is_not_told_is_not_made_up(told, monkeypatch):
    told()
    assert nvidia.driver_and_limits("GPU-7") is nvidia.condition("GPU-7") is None
    told(**KNOWN)
    assert nvidia.condition("1") is None
    monkeypatch.setenv("PATH", "")
    assert nvidia.driver_and_limits("GPU-7") is nvidia.condition("GPU-7") is None
