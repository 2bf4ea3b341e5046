"""gradspec.conformance: the instrument that checks an autograd against the specification."""

from .backend import Backend
from .capabilities import Capability, part_of
from .claims import Claim, Level, claim, example, given
from .errors import AdapterError, ErrorKind
from .speed.laws import measured
from .speed.workloads import values, workload
from .subject import Subject
from .tolerance import Total

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
    "example",
    "given",
    "measured",
    "part_of",
    "values",
    "workload",
]
