"""The floating-point environment of this thread: what the processor does beside computing.

A kernel may leave it changed: subnormal numbers are flushed to zero then, sums are rounded another
way, or the process ends at the next division by zero. Everything computed later is wrong, the truth
of other claims included. It shows in sums and products; only traps have to be asked for.
"""

import ctypes
import os
from collections.abc import Callable, Mapping

import numpy as np

SMALLEST, NORMAL = 5e-324, 2.2250738585072014e-308
"""A subnormal number, and the smallest that is none."""

ONE, HALF, QUARTERS = 1.0, 0.5, 3 * 2.0**-54
"""One, and three quarters of what its next neighbour is more: which way their sum goes shows how
sums are rounded. Names, because the compiler would compute with constants itself."""

SINGLES = tuple(map(np.float32, (1e-45, 2.0**-126, 1.0, 0.5, 3 * 2.0**-25)))
"""The same numbers in single precision."""

ROUNDING = {
    (True, True): "nearest",
    (True, False): "upward",
    (False, True): "downward",
    (False, False): "toward zero",
}
"""The direction, by whether 1 + QUARTERS and -1 - QUARTERS go away from zero."""

Look = tuple[int, bool, bool, bool, bool]


def look() -> Look:
    """Return what changes with the environment: which traps are set, how sums and products are.

    Not the results themselves: where subnormal numbers are taken for zero, they also equal zero.
    """
    if traps := _traps():  # an inexact sum could be the end of the process
        return traps, True, True, True, True
    return (
        0,
        SMALLEST * ONE > 0,
        NORMAL * HALF > 0,
        ONE + QUARTERS > ONE,
        -ONE - QUARTERS < -ONE,
    )


def look_singly() -> Look:
    """Return the same of single precision, which some processors treat apart."""
    if _traps():
        return 0, True, True, True, True
    smallest, normal, one, half, quarters = SINGLES
    with np.errstate(all="ignore"):
        return (
            0,
            bool(smallest * one > 0),
            bool(normal * half > 0),
            bool(one + quarters > one),
            bool(-one - quarters < -one),
        )


def words(seen: Look) -> Mapping[str, str]:
    """Say what a look has shown."""
    traps, given, made, above, below = seen
    return {
        "traps": hex(traps),
        "subnormal numbers": "kept" if given and made else "flushed to zero",
        "rounding": ROUNDING[above, below],
    }


def put_back(_: object = None) -> None:
    """Take the environment that this module was imported in, if the C library can."""
    if _library is not None and _start is not None:
        _library.fesetenv(_start)


def _c_library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(None if os.name == "posix" else "ucrtbase")
    except OSError:
        return None


def _environment() -> ctypes.Array[ctypes.c_char] | None:
    if _library is None or not hasattr(_library, "fegetenv"):
        return None
    memory = ctypes.create_string_buffer(512)  # more than any platform keeps
    _library.fegetenv(memory)
    return memory


def _trap_reader() -> Callable[[], int]:
    # An extension of glibc; elsewhere traps are not seen before they end the process.
    reader: Callable[[], int] = getattr(_library, "fegetexcept", int)
    return reader


_library = _c_library()
_start = _environment()
_traps = _trap_reader()
