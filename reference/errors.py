"""One exception per refusal.

Autograd refuses many things, and a caller who wants to know *why* must not have to read prose:
every refusal has its own class, and all of them are `RuntimeError`s, as in PyTorch.
"""

from __future__ import annotations


class AutogradError(RuntimeError):
    """Base of everything this package refuses."""


# --- running backward ---------------------------------------------------------------------------


class FreedGraph(AutogradError):
    """A saved value is needed again after a backward pass without `retain_graph=True` freed it."""


class StaleSavedValue(AutogradError):
    """A value saved for backward was modified in place after it was saved."""


class NonscalarBackward(AutogradError):
    """The starting gradient may be left out only for a one-element result."""


class CotangentShape(AutogradError):
    """The starting gradient has another shape than the result."""


class CotangentDtype(AutogradError):
    """The starting gradient is complex, and the result is not."""


class NoGraph(AutogradError):
    """The tensor neither requires a gradient nor was computed from one that does."""


class Unreachable(AutogradError):
    """`grad` was asked for the gradient of a tensor that took no part in the graph."""


class InvalidGradient(AutogradError):
    """A rule or a hook returned a gradient of the wrong shape, type or number."""


class NotDifferentiable(AutogradError):
    """The operation has no derivative here."""


# --- writing in place ---------------------------------------------------------------------------


class LeafInplace(AutogradError):
    """A leaf that requires a gradient is written while recording."""


class ViewOfLeafInplace(LeafInplace):
    """The same, through a view of the leaf."""


class NoGradViewInplace(AutogradError):
    """A view made under `no_grad` is written, or its base was, while recording."""


class MultiOutputViewInplace(AutogradError):
    """A view that is one of several outputs is written, or its base was, while recording."""


class CustomViewInplace(AutogradError):
    """An input, or a view of one, that a `Function` returned is written while recording."""


class OverlappingWrite(AutogradError):
    """The written memory overlaps itself (expand) or, in part, the memory that is read."""


class InplaceShape(AutogradError):
    """The result of an in-place operation would be larger than the tensor written."""


class InplaceDtype(AutogradError):
    """The result of an in-place operation cannot be cast to the dtype of the tensor written."""


class DetachView(AutogradError):
    """A view cannot be detached in place."""


# --- making tensors and calling operations ------------------------------------------------------


class IntegerRequiresGrad(AutogradError):
    """Only floating point and complex tensors can require a gradient."""


class NonleafFlag(AutogradError):
    """A tensor that an operation computed cannot be told to require no gradient."""


class GradAssignment(AutogradError):
    """`.grad` takes None or another tensor of the same shape and dtype."""


class DataAssignment(AutogradError):
    """`.data` of a tensor that requires a gradient takes floating point values only."""


class ShapeMismatch(AutogradError, ValueError):
    """The shapes of the operands, or the sizes asked for, do not fit."""


class DtypeMismatch(AutogradError, TypeError):
    """An operand has a dtype that the operation does not take."""


class NotATensor(AutogradError, TypeError):
    """An argument that has to be a tensor is something else."""


class NotApplied(AutogradError, TypeError):
    """A `Function` is used through its `apply`, not instantiated."""


class UnknownName(AutogradError, ValueError):
    """An argument that names one of several ways names none of them."""


class ViewIncompatible(ShapeMismatch):
    """The view asked for cannot be expressed by strides over the existing memory."""


class IndexOutOfRange(AutogradError, IndexError):
    """An index lies outside its range."""


class InvalidKey(AutogradError, IndexError):
    """An item of an index selects nothing: a slice that runs backwards, or a fraction."""


class BadDimension(IndexOutOfRange):
    """A dimension is out of range, named twice or missing."""
