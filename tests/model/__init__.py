"""A second semantics of programs, as naive as can be: every memory cell is one scalar.

A statement is one scalar equation for each entry. A scalar is an expression: a number, and for each
scalar that it was computed from the derivative by it, which is a scalar again, so that gradients of
gradients come by themselves. A gradient is the sum over all paths. Nothing is shared with the
reference: no tensors, no nodes, no views with histories. What shares memory has the same cells.

What can be refused is told by bookkeeping beside the scalars: which tensors have one history (a
base and its views), what a step has kept for its derivative and at which version of the memory,
whether it may run again.
"""

from .differentiating import Differentiating
from .flags import Flags
from .indexing import Indexing
from .looking import Looking
from .making import Making
from .observing import Observing
from .running import Running
from .tensors import Unmodelled
from .writing import Writing

__all__ = ["Model", "Unmodelled"]


class Model(Making, Looking, Writing, Indexing, Flags, Differentiating, Observing, Running):
    """A run of a program on the model: what is seen is told as a machine tells it."""
