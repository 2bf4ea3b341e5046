"""Workloads: programs of the specification at size, for measuring what a device gains.

    @workload
    def accumulate(be, leaf):
        "Two backward passes added into one .grad."

A workload takes a subject and a leaf (a vector) that is already on the device, and returns the
tensor whose value ends the work. The same program is called by the claim it belongs to.
"""

from collections.abc import Callable
from typing import TypeVar

from .backend import Native
from .subject import Subject

Program = Callable[[Subject, Native], Native]
P = TypeVar("P", bound=Program)


def workload(program: P) -> P:
    """Name `program` as the workload of its chapter."""
    program.__dict__["workload"] = True
    return program
