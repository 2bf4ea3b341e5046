"""One exception for every refusal.

Autograd refuses many things, and a caller who wants to know why must not have to read prose: the
`kind` of an `AutogradError` says it in one word. All of them are RuntimeErrors, as in PyTorch.
"""

from __future__ import annotations

from typing import Any, Literal

Kind = Literal[
    # Running backward.
    "freed_graph",  # a saved value is needed again after a pass has freed it
    "stale_saved_value",  # a saved value was written in place after it was saved
    "nonscalar_backward",  # only a one-element result may do without a cotangent
    "cotangent_shape",  # the cotangent has another shape than the result
    "no_graph",  # the tensor neither requires a gradient nor was computed from one that does
    "unreachable",  # a gradient is wanted of a tensor that took no part in the graph
    "invalid_gradient",  # a rule or a hook returned a gradient of the wrong shape, type or number
    "wrong_gradient",  # a gradient differs from finite differences
    "moved_leaf",  # a leaf of the graph was switched off, and then written with what is tracked
    "nonleaf_hook",  # only leaves have hooks for gradients that were added
    "not_differentiable",  # the operation has no derivative here
    # Writing in place.
    "leaf_inplace",  # a leaf that requires a gradient is written while recording
    "view_of_leaf_inplace",  # the same, through a view of the leaf
    "no_grad_view_inplace",  # a view made under no_grad, or its base, is written while recording
    "multi_output_view_inplace",  # the same for a view that is one of several outputs
    "custom_view_inplace",  # the same for an input that a Function returned
    "overlapping_write",  # the written memory overlaps itself or, in part, what is read
    "inplace_shape",  # the result would be larger than the tensor written
    "inplace_dtype",  # the result cannot be cast to the dtype of the tensor written
    "detach_view",  # a view cannot be detached in place
    # Making tensors and calling operations.
    "integer_requires_grad",  # only floating point and complex tensors can require a gradient
    "nonleaf_flag",  # a computed tensor cannot be told to require no gradient
    "grad_assignment",  # .grad takes None or another tensor of the same shape and dtype
    "data_assignment",  # .data of a tensor that requires a gradient takes floating point only
    "shape",  # the shapes of the operands, or the sizes asked for, do not fit
    "view_incompatible",  # strides over the existing memory cannot express the view
    "dimension",  # a dimension is out of range, named twice or missing
    "index_range",  # an index is out of range
    "dtype",  # an operand has a dtype that the operation does not take
    "argument",  # an argument has the wrong type or an unknown value
]


class AutogradError(RuntimeError):
    """A refusal of this package, and its kind; some kinds are also what Python calls them."""

    def __new__(cls, kind: Kind, message: str) -> Any:
        """An instance of the class for this kind."""
        return super().__new__(_CLASSES.get(kind, cls), kind, message)

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(kind, message)
        self.kind, self.message = kind, message

    def __str__(self) -> str:
        return self.message


class ArgumentError(AutogradError, TypeError, ValueError):
    """A refusal of kind "argument"."""


class RangeError(AutogradError, IndexError):
    """A refusal of kind "dimension" or "index_range"."""


_CLASSES: dict[str, type[AutogradError]] = {
    "argument": ArgumentError,
    "dimension": RangeError,
    "index_range": RangeError,
}
