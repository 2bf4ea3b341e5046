"""Errors as data: the reasons for which an implementation refuses, and our own complaints.

What an implementation raises is its own affair; *why* and *when* it raises is part of a claim. An
adapter maps the exceptions of its library to these kinds.
"""

from enum import StrEnum


class ErrorKind(StrEnum):
    """Why an operation was refused."""

    FREED_GRAPH = "freed_graph"
    """Backward needs a saved value that an earlier backward has freed."""

    STALE_SAVED_VALUE = "stale_saved_value"
    """Backward needs a saved value that was overwritten in place since."""

    DETACHED_SAVED_VALUE = "detached_saved_value"
    """Backward needs a saved value whose tensor was cut from its history in place since."""

    MEMORY = "memory"
    """There is not as much memory as a result takes."""

    NO_GRAPH = "no_graph"
    """Backward starts at a tensor that neither requires grad nor has a history."""

    UNREACHABLE = "unreachable"
    """A gradient is asked for an input that the output does not depend on."""

    NONSCALAR_BACKWARD = "nonscalar_backward"
    """Backward starts at a tensor of several elements without a cotangent."""

    COTANGENT_SHAPE = "cotangent_shape"
    """The cotangent does not have the shape of the output."""

    INVALID_GRADIENT = "invalid_gradient"
    """A backward rule returned what does not fit its inputs: in shape, in type or in number."""

    WRONG_GRADIENT = "wrong_gradient"
    """A gradient differs from finite differences."""

    NOT_DIFFERENTIABLE = "not_differentiable"
    """The operation has no backward rule."""

    INTEGER_REQUIRES_GRAD = "integer_requires_grad"
    """A tensor of integers or bools was asked to require grad."""

    NONLEAF_FLAG = "nonleaf_flag"
    """A computed tensor was asked not to require grad."""

    GRAD_ASSIGNMENT = "grad_assignment"
    """A value of the wrong shape, dtype or type was assigned to .grad."""

    DATA_ASSIGNMENT = "data_assignment"
    """A value of the wrong dtype was assigned to .data."""

    LEAF_INPLACE = "leaf_inplace"
    """A leaf that requires grad was written in place while recording."""

    VIEW_OF_LEAF_INPLACE = "view_of_leaf_inplace"
    """A view of a leaf that requires grad was written in place while recording."""

    MOVED_LEAF = "moved_leaf"
    """A leaf that takes part in a pass was made a constant since, and then a result, by a write."""

    NONLEAF_HOOK = "nonleaf_hook"
    """A hook for gradients that were added was registered on what is no leaf."""

    NO_GRAD_VIEW_INPLACE = "no_grad_view_inplace"
    """A view made under no_grad was written in place while recording."""

    MULTI_OUTPUT_VIEW_INPLACE = "multi_output_view_inplace"
    """One of several views returned together was written in place while recording."""

    CUSTOM_VIEW_INPLACE = "custom_view_inplace"
    """An input that an operation written by hand handed back was written in place."""

    DETACH_VIEW = "detach_view"
    """A view was asked to cut itself from its history in place."""

    OVERLAPPING_WRITE = "overlapping_write"
    """One memory location would be written twice, or read and written, by one operation."""

    INPLACE_SHAPE = "inplace_shape"
    """An in-place result would not fit the shape of its receiver."""

    INPLACE_DTYPE = "inplace_dtype"
    """An in-place result cannot be cast to the dtype of its receiver."""

    VIEW_INCOMPATIBLE = "view_incompatible"
    """The requested shape cannot be expressed by strides over the memory there is."""

    SHAPE = "shape"
    """Sizes do not fit the operation."""

    DIMENSION = "dimension"
    """A dimension is out of range, repeated or missing."""

    INDEX_RANGE = "index_range"
    """An index value is out of range."""

    DTYPE = "dtype"
    """A dtype does not fit the operation."""

    OVERFLOW = "overflow"
    """A number lies outside the range of the dtype it is to take."""

    TRANSFORM = "transform"
    """A function does what the transform around it cannot follow."""

    ARGUMENT = "argument"
    """An argument has the wrong type or an unknown value."""

    UNINITIALIZED = "uninitialized"
    """A module was given something to keep, or called, before its own `__init__` had run."""

    PARAMETER_ASSIGNMENT = "parameter_assignment"
    """What is no parameter was assigned to an attribute that holds one."""

    PARAMETERS = "parameters"
    """An optimizer was given no parameters, the same ones twice, or what is no leaf."""

    TRACKED_EXPORT = "tracked_export"
    """A tensor that requires grad was to be handed out to numpy while recording."""

    DEVICE = "device"
    """A tensor lies on a device where this cannot be done, or not where its partner lies."""

    INFERENCE_TENSOR = "inference_tensor"
    """A tensor made for inference only entered a recorded computation."""

    STATE = "state"
    """A state does not fit the module or the optimizer that is to take it."""

    UNTRUSTED = "untrusted"
    """A file names code, and nobody has said that it is to be trusted."""


class Refused(AssertionError):
    """What a claim raises that was refused by the library, and tells of it in its own words."""


class AdapterError(Exception):
    """The adapter breaks the protocol of `Backend`; the message names it and the remedy."""


class Undeclared(AdapterError):
    """A claim meets a function of `CORE_FUNCTIONS` that the adapter does not declare."""


class OptionError(Exception):
    """An option cannot be honoured; the message names it and what to give instead."""
