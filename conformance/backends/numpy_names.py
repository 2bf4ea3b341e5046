"""Functions of a library that goes by NumPy's names, under gradspec's.

Only the spelling changes: names, `axis` for `dim`, `keepdims` for `keepdim`, `ddof` for
`correction`. What a library lacks is left out; so is what NumPy's name means something else for,
such as `split` and `median`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Function = Callable[..., Any]

SAME = """
exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square reciprocal abs sign floor ceil trunc round
sin cos tan sinh cosh tanh sigmoid erf hypot logaddexp fmod remainder floor_divide heaviside conj
real imag angle
maximum minimum where isnan einsum matmul dot inner outer tensordot kron trace
reshape ravel swapaxes moveaxis squeeze flip broadcast_to roll diagonal diag tril triu tile take
hstack vstack dstack column_stack hsplit vsplit dsplit
shape allclose count_nonzero zeros_like ones_like full_like
"""
"""Functions that differ in nothing."""

RENAMED = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "pow": "power",
    "neg": "negative",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "clamp": "clip",
    "permute": "transpose",
    "transpose": "swapaxes",
    "movedim": "moveaxis",
    "unsqueeze": "expand_dims",
    "repeat_interleave": "repeat",
    "tensor_split": "array_split",
    "dim": "ndim",
    "numel": "size",
    "equal": "array_equal",
    "norm": "linalg.norm",
    "det": "linalg.det",
    "inverse": "linalg.inv",
    "solve": "linalg.solve",
    "cholesky": "linalg.cholesky",
    "matrix_power": "linalg.matrix_power",
    "eigvalsh": "linalg.eigvalsh",
}
"""Functions that differ in name only."""

ALONG = {
    "sum": "sum",
    "mean": "mean",
    "prod": "prod",
    "amax": "max",
    "amin": "min",
    "all": "all",
    "any": "any",
    "argmax": "argmax",
    "argmin": "argmin",
    "cumsum": "cumsum",
    "cumprod": "cumprod",
    "logsumexp": "logsumexp",
    "softmax": "softmax",
    "log_softmax": "log_softmax",
}
"""Functions that take an axis, and some whether to keep it."""

SPELLED: dict[str, tuple[str, Callable[[Function], Function]]] = {
    "cat": ("concatenate", lambda f: lambda tensors, dim=0: f(tensors, axis=dim)),
    "concatenate": ("concatenate", lambda f: lambda tensors, dim=0: f(tensors, axis=dim)),
    "concat": ("concat", lambda f: lambda tensors, dim=0: f(tensors, axis=dim)),
    "stack": ("stack", lambda f: lambda tensors, dim=0: f(tensors, axis=dim)),
    "index_select": ("take", lambda f: lambda x, dim, index: f(x, index, axis=dim)),
    "cross": ("cross", lambda f: lambda x, y, dim: f(x, y, axis=dim)),
    "take_along_dim": ("take_along_axis", lambda f: lambda x, at, dim=None: f(x, at, axis=dim)),
    "var": ("var", lambda f: lambda x, dim=None, correction=1: f(x, axis=dim, ddof=correction)),
    "std": ("std", lambda f: lambda x, dim=None, correction=1: f(x, axis=dim, ddof=correction)),
}
"""Functions that take their arguments in another way."""


def numpy_names(*modules: Any) -> dict[str, Function]:
    """Collect what `modules` have; of two that have a function, the first one lends it."""
    theirs = {name: name for name in SAME.split()} | RENAMED | ALONG
    theirs |= {name: their_name for name, (their_name, _) in SPELLED.items()}
    found = {name: first_of(modules, their_name) for name, their_name in theirs.items()}
    return {name: _spelled(name, f) for name, f in found.items() if f is not None}


def first_of(modules: tuple[Any, ...], name: str) -> Function | None:
    """Return what the first of `modules` that has it calls `name`."""
    for module in modules:
        function: Function | None = module
        for word in name.split("."):
            function = getattr(function, word, None)
        if function is not None:
            return function
    return None


def _spelled(name: str, function: Function) -> Function:
    if name in SPELLED:
        return SPELLED[name][1](function)
    return along(function) if name in ALONG else function


def along(function: Function) -> Function:
    """Let `function` take `dim` and `keepdim`; an empty `dim` means all, as in PyTorch's amax."""

    def call(x: Any, dim: Any = None, keepdim: bool = False) -> Any:  # noqa: FBT001, FBT002
        axis = tuple(dim) if isinstance(dim, list) else dim
        kept = {"keepdims": True} if keepdim else {}
        return function(x, axis=None if axis == () else axis, **kept)

    return call


def lent_by(
    modules: tuple[Any, ...],
    same: Mapping[str, str],
    axes: Mapping[str, str],
    spelled: Mapping[str, tuple[str, Callable[[Function], Function]]],
    without: Iterable[str],
) -> dict[str, Function]:
    """Collect what `modules` have, under gradspec's names; the first one that has it lends it.

    A function is told all in the `same` way, its `axes` by NumPy's words, or as it is `spelled`.
    """
    theirs = {**same, **axes, **{name: their_name for name, (their_name, _) in spelled.items()}}
    found = {name: first_of(modules, theirs[name]) for name in theirs.keys() - set(without)}
    ways = {**dict.fromkeys(axes, along), **{name: way for name, (_, way) in spelled.items()}}
    return {
        name: ways[name](f) if name in ways else f
        for name, f in sorted(found.items())
        if f is not None
    }


def key(dim: int, index: Any) -> tuple[Any, ...]:
    """Index one axis, counted from either end."""
    if dim < 0:
        return (Ellipsis, index, *[slice(None)] * (-1 - dim))
    return (*[slice(None)] * dim, index)
