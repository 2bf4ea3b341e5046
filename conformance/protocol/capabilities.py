"""What a backend may say it has.

A claim names the capabilities it needs. A backend that does not declare one is `unsupported` there,
and the report counts it; a backend that declares one and fails the claim fails.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Capability(StrEnum):
    """One thing an implementation of automatic differentiation may offer."""

    VJP = "vjp"
    """A function of tensors has a pullback: from a cotangent to gradients."""

    JVP = "jvp"
    """A function of tensors has a pushforward: derivatives along a direction, in forward mode."""

    SPELLINGS = "spellings"
    """One function can be written in several ways."""

    BACKWARD = "backward"
    """Leaves carry .grad, and backward adds to it."""

    GRADIENTS = "gradients"
    """Gradients are also returned by a function, without touching .grad."""

    JACOBIAN = "jacobian"
    """The derivatives of all outputs of a function are returned at once."""

    CREATE_GRAPH = "create_graph"
    """The backward pass can itself be recorded and differentiated."""

    RETAIN_GRAPH = "retain_graph"
    """Saved values are freed by backward unless retain_graph is given."""

    GRAD_ASSIGN = "grad_assign"
    """.grad of a leaf can be set by the user, within rules."""

    VIEWS = "views"
    """Shape operations and basic indexing alias the memory of their input."""

    INPLACE = "inplace"
    """Tensors can be overwritten in place, and the write is recorded."""

    VERSION_COUNTER = "version_counter"
    """In-place writes are counted, and backward refuses a stale saved value."""

    INDEX_CHECKS = "index_checks"
    """An index value out of range is refused when it is used, and the process goes on."""

    NO_GRAD = "no_grad"
    """Recording can be switched off and on for a block of code."""

    SWITCHES = "switches"
    """Recording can also be set by a flag, for a block or from now on."""

    INFERENCE = "inference"
    """Tensors can be made for inference only, by what runs in a block."""

    DETACH = "detach"
    """A tensor has an alias outside the graph."""

    DATA = "data"
    """A tensor has an alias that neither records nor counts writes, and that can be rebound."""

    GRAPH = "graph"
    """The recorded graph can be looked at: nodes, edges, bases of views, saved values."""

    SAVED_TENSORS = "saved_tensors"
    """Values saved for backward can be counted while they live."""

    PACKING = "packing"
    """A pair of functions can say how values are kept for backward."""

    HOOKS = "hooks"
    """A function can watch or replace the gradient of a tensor."""

    LEAF_HOOKS = "leaf_hooks"
    """A function can be called after a gradient was added to a leaf."""

    NODE_HOOKS = "node_hooks"
    """A function can watch or replace the gradients that a node takes or gives."""

    NUMPY_INTEROP = "numpy_interop"
    """A tensor on the host and a numpy array can be kept in one memory."""

    CUSTOM = "custom"
    """An operation can be made of a forward and a backward function written by hand."""

    MARKS = "marks"
    """Such an operation can say that it overwrites an input, or that a result has no derivative."""

    CHECKPOINT = "checkpoint"
    """A function can be computed again in backward instead of keeping its values."""

    COMPLEX = "complex_numbers"
    """Complex numbers are differentiated: `tensor` and `vjp` take complex64 and complex128.

    How a gradient writes the derivatives by both parts as one number is on record, as conventions
    are; `lacking` names the functions that are there of real numbers only.
    """

    VMAP = "vmap"
    """A function can be mapped over an axis of its arguments."""

    TRANSFORMS = "transforms"
    """Derivatives are taken by functions that can themselves be mapped and differentiated."""

    JACOBIANS = "jacobians"
    """The matrix of derivatives of a function is a function, by reverse and by forward mode."""

    GRADIENT_FUNCTIONS = "gradient_functions"
    """The gradient of a function whose result is a number is a function of the same arguments."""

    RULES = "rules"
    """A function can be given a pullback of its own, written by hand."""

    LINEARIZE = "linearize"
    """The derivative of a function at a point can be kept as a function of tangents."""

    BATCHED = "batched"
    """Gradients can be taken for several cotangents at once."""

    FUNCTIONAL = "functional"
    """A module can be called with parameters that are not its own."""

    SCAN = "scan"
    """A step is run over the rows of a tensor, and carries a value from one to the next."""

    FOLD = "associative_scan"
    """Rows are joined by an associative function, each with all before it, in any order."""

    BRANCHES = "branches"
    """One of two functions is computed, which a tensor decides."""

    LOOPS = "loops"
    """A function is computed again and again while a condition on its result holds."""

    AUTOCAST = "autocast"
    """Products in a block are computed in 16 bits, and losses are scaled so that none is lost."""

    OUT = "out"
    """Functions write their result into a tensor given as `out`, where nothing is recorded."""

    GRADCHECK = "gradcheck"
    """Gradients can be compared with finite differences."""

    RANDOM = "random"
    """Random numbers come from a generator that can be seeded, saved and restored."""

    DISTRIBUTIONS = "distributions"
    """Distributions are objects, with samples, densities and divergences that have gradients."""

    NN = "nn"
    """Layers with parameters, training mode and evaluation mode."""

    OPTIM = "optim"
    """Optimizers that update parameters from .grad."""

    DATASETS = "datasets"
    """Data sets are loaded in batches, by this process or by workers."""

    SERIALIZE = "serialize"
    """Tensors and the state of modules are saved to files and loaded again."""

    DEVICES = "devices"
    """Tensors and modules can be moved from one device to another."""

    EVENTS = "events"
    """A device has a clock of its own, and tells how long the work queued on it took."""

    MEMORY = "memory"
    """The memory that tensors hold is counted: its peak, and what is left."""

    TRANSFER = "transfer"
    """Tensors are copied between the host, page-locked memory included, and the devices."""

    REPLICAS = "replicas"
    """There are several devices of the kind, and a layer can work on all of them."""

    FUSION = "fusion"
    """A compiler makes one kernel of several operations."""

    CONVENTIONS = "conventions"
    """What is answered at kinks is on record, in a table beside the adapter."""

    TORCH = "torch"
    """The names and texts of PyTorch itself."""


def part_of(capability: Capability) -> Callable[[F], F]:
    """Mark a method as one that a backend declaring `capability` has to implement."""

    def mark(method: F) -> F:
        method.__dict__["capability"] = capability
        return method

    return mark
