"""Functions of a library that goes by NumPy's names, under gradspec's.

Only the spelling changes: names, `axis` for `dim`, `keepdims` for `keepdim`. What a library lacks
is left out.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

Function = Callable[..., Any]

SAME = """
exp log sin cos tanh sqrt abs maximum minimum where round floor sign heaviside conj matmul einsum
reshape swapaxes moveaxis squeeze flip stack concat concatenate hstack vstack dstack column_stack
hsplit vsplit dsplit take shape allclose zeros_like ones_like full_like
"""
"""Functions that differ in nothing."""

RENAMED = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "pow": "power",
    "neg": "negative",
    "clamp": "clip",
    "permute": "transpose",
    "transpose": "swapaxes",
    "movedim": "moveaxis",
    "unsqueeze": "expand_dims",
    "cat": "concatenate",
    "tensor_split": "array_split",
    "dim": "ndim",
    "take_along_dim": "take_along_axis",
    "numel": "size",
    "equal": "array_equal",
}
"""Functions that differ in name only."""

ALONG = {
    "sum": "sum",
    "mean": "mean",
    "prod": "prod",
    "amax": "max",
    "amin": "min",
    "argmax": "argmax",
    "cumsum": "cumsum",
    "logsumexp": "logsumexp",
    "softmax": "softmax",
    "log_softmax": "log_softmax",
}
"""Functions that take an axis."""


def numpy_names(*modules: ModuleType) -> dict[str, Function]:
    """Collect what `modules` have, the first one that has a function lending it."""
    found = {}
    for name, theirs in {**{n: n for n in SAME.split()}, **RENAMED, **ALONG}.items():
        function = next((getattr(m, theirs) for m in modules if hasattr(m, theirs)), None)
        if function is not None:
            found[name] = along(function) if name in ALONG else function
    if "take" in found:
        found["index_select"] = lambda x, dim, index: found["take"](x, index, axis=dim)
    return found


def along(function: Function) -> Function:
    """Let `function` take `dim` and `keepdim`; an empty `dim` means all, as in PyTorch's amax."""

    def call(x: Any, dim: Any = None, keepdim: bool = False, **options: Any) -> Any:  # noqa: FBT001, FBT002
        if keepdim:
            options["keepdims"] = True
        axis = tuple(dim) if isinstance(dim, list) else dim
        return function(x, axis=None if axis == () else axis, **options)

    return call
