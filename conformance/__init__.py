"""gradspec.conformance: the instrument that checks an autograd against the specification."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .claims.claim import Claim, Level, claim, every, example, given
    from .protocol.backend import Backend
    from .protocol.capabilities import Capability, part_of
    from .protocol.errors import AdapterError, ErrorKind
    from .protocol.subject import Subject
    from .speed.laws import measured
    from .speed.workloads import timed, timed_over, values, workload
    from .truth.tolerance import Total

__all__ = [
    "AdapterError",
    "Backend",
    "Capability",
    "Claim",
    "ErrorKind",
    "Level",
    "Subject",
    "Total",
    "claim",
    "every",
    "example",
    "given",
    "measured",
    "part_of",
    "timed",
    "timed_over",
    "values",
    "workload",
]

PLACES = {
    "protocol.backend": ("Backend",),
    "protocol.capabilities": ("Capability", "part_of"),
    "claims.claim": ("Claim", "Level", "claim", "every", "example", "given"),
    "protocol.errors": ("AdapterError", "ErrorKind"),
    "speed.laws": ("measured",),
    "speed.workloads": ("timed", "timed_over", "values", "workload"),
    "protocol.subject": ("Subject",),
    "truth.tolerance": ("Total",),
}


def __getattr__(name: str) -> Any:
    # Imported when asked for: pytest imports this package in runs that have no claims.
    for module, names in PLACES.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
