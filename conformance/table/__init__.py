"""The table of operations: what each one is, and the claims' choices from it.

An `Operation` is a record: name, forward in numpy, arguments, properties. How its arguments are
drawn stands beside it, kinks in `kinks`. What a backend has of them is not known here.
"""

from collections.abc import Callable

from .elementwise import ELEMENTWISE
from .indexing import INDEXING
from .joining import JOINING
from .kinks import KINKS, kinks
from .linalg import LINALG
from .networks import NETWORKS
from .operation import Call, Operation, calls
from .reductions import REDUCING
from .shaping import SHAPING

TABLE: tuple[Operation, ...] = (
    *ELEMENTWISE,
    *REDUCING,
    *SHAPING,
    *JOINING,
    *INDEXING,
    *LINALG,
    *NETWORKS,
)
"""Every operation."""


def those(condition: Callable[[Operation], bool]) -> tuple[Operation, ...]:
    """Choose operations of the table."""
    return tuple(operation for operation in TABLE if condition(operation))


PREDICATES = "eq ne lt le gt ge isnan all any argmax argmin count_nonzero nonzero"
"""Operations whose results are booleans or integers."""

DIFFERENTIABLE = those(lambda o: o.differentiable)
LINEAR = those(lambda o: o.differentiable and o.linear)
DISCRETE = those(lambda o: o.name in PREDICATES.split())
BROADCASTING = those(lambda o: o.differentiable and o.broadcasts)
VIEWS = those(lambda o: o.view == "always")
COPIES = those(lambda o: o.view == "never")
KINKED = those(lambda o: any(kink.operation == o.name for kink in KINKS))
CLOSED = those(lambda o: any(kink.operation == o.name for kink in KINKS if not kink.open))

__all__ = [
    "BROADCASTING",
    "CLOSED",
    "COPIES",
    "DIFFERENTIABLE",
    "DISCRETE",
    "KINKED",
    "LINEAR",
    "TABLE",
    "VIEWS",
    "Call",
    "Operation",
    "calls",
    "kinks",
]
