"""The ways in which PyTorch lets a function be written."""

import operator
from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from string import ascii_letters
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..protocol.network_api import NetworkApi
from .operators import OPERATORS
from .torch_functions import REDUCED

ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "cat": "concatenate",
    "clamp": "clip",
    "concat": "cat",
    "div": "true_divide divide",
    "digamma": "special.digamma special.psi",
    "erf": "special.erf",
    "erfc": "special.erfc",
    "erfinv": "special.erfinv",
    "exp2": "special.exp2",
    "expm1": "special.expm1",
    "det": "linalg.det",
    "ge": "greater_equal",
    "gt": "greater",
    "householder_product": "orgqr",
    "i0": "special.i0",
    "igamma": "special.gammainc",
    "igammac": "special.gammaincc",
    "inverse": "linalg.inv",
    "le": "less_equal",
    "lgamma": "special.gammaln",
    "logit": "special.logit",
    "lt": "less",
    "log1p": "special.log1p",
    "log_softmax": "special.log_softmax",
    "logsumexp": "special.logsumexp",
    "matmul": "linalg.matmul",
    "matrix_exp": "matrix_exp",
    "matrix_power": "linalg.matrix_power",
    "moveaxis": "movedim",
    "mul": "multiply",
    "mvlgamma": "special.multigammaln",
    "ne": "not_equal",
    "neg": "negative",
    "norm_nuclear": "nuclear_norm",
    "outer": "ger",
    "pinv": "pinverse",
    "polygamma": "special.polygamma",
    "row_stack": "vstack",
    "sigmoid": "special.expit",
    "sinc": "special.sinc",
    "slogdet": "slogdet",
    "split_sizes": "split_with_sizes",
    "softmax": "special.softmax",
    "sub": "subtract",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "trapezoid": "trapz",
    "trunc": "fix",
    "xlogy": "special.xlogy",
}
"""Other names, as seen from `torch`."""


def by_numbers(equation: str, *operands: Tensor) -> Tensor:
    """Call einsum with lists of numbers and dots in the place of letters."""

    def listed(names: str) -> list[Any]:
        own = names.replace("...", ".").replace(" ", "")
        return [... if name == "." else ascii_letters.index(name.swapcase()) for name in own]

    names, arrow, kept = equation.partition("->")
    pairs = zip(operands, map(listed, names.split(",")), strict=True)
    told = [listed(kept)] if arrow else []
    return torch.einsum(*(each for pair in pairs for each in pair), *told)


OTHERWISE: Mapping[str, Callable[..., Any]] = {
    "adjoint": operator.attrgetter("mH"),
    "affine_grid": torch.affine_grid_generator,
    "cholesky": lambda x: torch.linalg.cholesky_ex(x).L,
    "cholesky_upper": lambda x: torch.linalg.cholesky_ex(x, upper=True).L,
    "einsum": by_numbers,
    "group_norm": lambda x, groups, weight, bias, eps: torch.native_group_norm(
        x, weight, bias, x.shape[0], x.shape[1], prod(x.shape[2:]), groups, eps
    )[0],
    "inverse": lambda x: torch.linalg.inv_ex(x).inverse,
    "layer_norm": lambda *arguments: torch.native_layer_norm(*arguments)[0],
    "lu": lambda a: torch.lu_unpack(*torch.linalg.lu_factor(a)),
    "pad_value": torch.constant_pad_nd,
    "polygamma": lambda n, x: x.clone().polygamma_(n),
    "solve": lambda a, b: torch.linalg.solve_ex(a, b).result,
}
"""Functions that do the same among others, or are told it in another way."""

MODULES = {
    "gelu": nn.GELU,
    "logsigmoid": nn.LogSigmoid,
    "relu": nn.ReLU,
    "relu6": nn.ReLU6,
    "sigmoid": nn.Sigmoid,
    "silu": nn.SiLU,
    "softplus": nn.Softplus,
    "tanh": nn.Tanh,
}
"""Modules without parameters that do what a function does."""

METHODS: dict[str, Callable[..., Any]] = {
    "where": lambda c, x, y: x.where(c, y),
    "polygamma": lambda n, x: x.polygamma(n),
}
"""Methods with an order of arguments of their own."""

ENTRYWISE = """
neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan asin acos atan sinh
cosh tanh erf sigmoid abs clamp frac floor ceil trunc round sign
erfc erfinv lgamma digamma i0 sinc logit nan_to_num deg2rad rad2deg sgn fix
add sub mul div pow atan2 hypot xlogy fmod remainder floor_divide lerp addcmul addcdiv copysign
heaviside ldexp clamp_min clamp_max igamma igammac
"""
"""Functions that are computed in place, in the shape that operands broadcast to, or into `out`."""

IN_PLACE = """
relu cumsum cumprod transpose swapaxes swapdims t squeeze unsqueeze tril triu
masked_fill scatter scatter_add index_add index_copy index_fill index_put addmm baddbmm
addmv addr addbmm put masked_scatter renorm mvlgamma
scatter_reduce_sum scatter_reduce_prod scatter_reduce_mean scatter_reduce_amax scatter_reduce_amin
index_reduce_mean index_reduce_prod index_reduce_amax index_reduce_amin
"""
"""More functions that a method with an underscore computes in place."""

STRIDED = """
relu cumsum cumprod tril triu masked_fill scatter scatter_add index_add index_copy index_fill
index_put addmm baddbmm addmv addr addbmm put masked_scatter renorm mvlgamma
scatter_reduce_sum scatter_reduce_prod scatter_reduce_mean scatter_reduce_amax scatter_reduce_amin
index_reduce_mean index_reduce_prod index_reduce_amax index_reduce_amin
"""
"""Those of them that write what they compute, which a tensor with gaps may receive."""

UNSPELLED = """
number_pow number_remainder where_numbers addmm_wide baddbmm_wide prod_all median_all
"""
"""Forms that the method takes in another order, or that are not written in place or into `out`."""

REDUCING = {
    f"{name}_{kind}": partial(getattr(Tensor, f"{name}_"), reduce=kind)
    for name in ("scatter_reduce", "index_reduce")
    for kind in REDUCED
}
"""Methods of one name, that are told what to compute in place."""

TOLD_IN_PLACE = """
relu6 leaky_relu hardtanh silu mish hardswish hardsigmoid threshold rrelu
"""
"""Functions that are told by an option to overwrite their argument.

Slopes of `elu`, `selu` and `celu` are found from results then, which near -1 have lost the digits.
"""

EACH = """
abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf erfc exp expm1
floor frac lerp lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal round rsqrt
sigmoid sign sin sinh sqrt sub tan tanh trunc
"""
"""Functions that there are for every tensor of a list, also in place."""

OUT = """
angle complex polar polygamma zeta eq ne lt le gt ge
logical_and logical_or logical_xor logical_not isposinf isneginf signbit
all any where index_add vector_norm matrix_norm slogdet lu_factor lu_solve lu qr
aminmax cummax cummin max min median nanmedian bucketize searchsorted row_stack
sort topk kthvalue mode nanquantile concat eigh ormqr tensorsolve
rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft hfft2 ihfft2 hfftn ihfftn
cumsum cumprod cat stack hstack matmul mm bmm mv dot outer addmm baddbmm gather scatter
index_select take amax amin maximum minimum fmax fmin logaddexp logaddexp2 asinh acosh atanh
mean prod nansum nanmean var std norm quantile
logsumexp logcumsumexp softmax log_softmax
diag tril triu vstack dstack column_stack take_along_dim masked_select narrow_copy renorm
diff msort inner tensordot kron cross vecdot vdot multi_dot addmv addr addbmm
inverse solve solve_triangular matrix_power cholesky cholesky_inverse cholesky_solve
householder_product eigvalsh svdvals pinv cond tensorinv fft ifft fft2 ifft2 fftn ifftn
mvlgamma i0e i1 i1e erfcx ndtr ndtri log_ndtr entr xlog1py
scatter_reduce_sum scatter_reduce_prod scatter_reduce_mean scatter_reduce_amax scatter_reduce_amin
index_reduce_mean index_reduce_prod index_reduce_amax index_reduce_amin
view_copy expand_copy permute_copy transpose_copy t_copy squeeze_copy unsqueeze_copy select_copy
slice_copy diagonal_copy unfold_copy as_strided_copy alias_copy
"""
"""More functions that write into `out`."""

WHOLE = (torch.bool, torch.int32, torch.int64)
"""Dtypes of places, counts and marks."""


class TorchSpellings(NetworkApi):
    """Functions, methods, operators, aliases, modules, and writing in place."""

    functions: Mapping[str, Callable[..., Any]]

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        found: dict[str, Any] = {
            "method": METHODS.get(name) or getattr(Tensor, name, None),
            "operator": OPERATORS.get(name),
            "functional": getattr(functional, name, None),
            "module": MODULES[name]() if name in MODULES else None,
            **{
                f"alias {other}": operator.attrgetter(other)(torch)
                for other in ALIASES.get(name, "").split()
            },
            **methods(name),
            "another function": OTHERWISE.get(name),
            "in place": in_place(name) if name in (ENTRYWISE + IN_PLACE).split() else None,
            "strided in place": in_place(name, copy=apart)
            if name in (ENTRYWISE + STRIDED).split()
            else None,
            "option": told_in_place(self.functions[name])
            if name in TOLD_IN_PLACE.split()
            else None,
            "each of a list": each(name) if name in EACH.split() else None,
            "each of a list in place": each_in_place(name) if name in EACH.split() else None,
        }
        if name in (ENTRYWISE + OUT).split():
            for word, made in {"out": empty, "strided out": strided}.items():
                found[word] = out(self.functions[name], made)
        if getattr(torch, name, None) is not self.functions[name]:
            found["method"] = None
        found |= form(self.functions[name], name)
        return {
            word: finding_the_same(function, self.functions[name])
            for word, function in found.items()
            if function not in (None, self.functions[name])
        }


def methods(name: str) -> Mapping[str, Callable[..., Any]]:
    """Spell a function by the methods of its other names, which may write in place."""
    found: dict[str, Callable[..., Any]] = {}
    for other in ALIASES.get(name, "").split():
        if hasattr(Tensor, other):
            found[f"method {other}"] = getattr(Tensor, other)
        if name in ENTRYWISE.split() and hasattr(Tensor, f"{other}_"):
            found[f"in place {other}"] = in_place(name, other)
    return found


def finding_the_same(function: Callable[..., Any], usual: Callable[..., Any]) -> Callable[..., Any]:
    """Let a spelling refuse places, or other whole numbers among several results, of its own.

    On the host alone: of equal entries a CUDA device may find another in each call, as
    `torch.use_deterministic_algorithms` says of `median` and `kthvalue`.
    """

    def call(*tensors: Any, **named: Any) -> Any:
        results = function(*tensors, **named)
        if isinstance(results, tuple):
            for each, true in zip(results, usual(*tensors, **named), strict=True):
                known = each.dtype in WHOLE and each.device.type == "cpu"
                if known and not torch.equal(each, true):
                    raise AssertionError("what is found lies elsewhere than by the usual name")
        return results

    return call


def form(function: Callable[..., Any], name: str) -> Mapping[str, Callable[..., Any]]:
    """Spell what is a function of PyTorch under another name, perhaps told an option."""
    told = function.keywords if isinstance(function, partial) else {}
    usual = function.func if isinstance(function, partial) else function
    base = getattr(usual, "__name__", "")
    if base == name or name in UNSPELLED.split() or getattr(torch, base, None) is not usual:
        return {}
    found: dict[str, Callable[..., Any]] = {}
    if hasattr(Tensor, base):
        found["method"] = getattr(Tensor, base)
    if base in (ENTRYWISE + IN_PLACE).split():
        found["in place"] = in_place(base)
    if base in (ENTRYWISE + STRIDED).split():
        found["strided in place"] = in_place(base, copy=apart)
    if base in (ENTRYWISE + OUT).split():
        found |= {"out": out(usual, empty), "strided out": out(usual, strided)}
    return {word: partial(function, **told) for word, function in found.items()}


def in_place(
    name: str, other: str | None = None, copy: Callable[[Tensor], Tensor] = Tensor.clone
) -> Callable[..., Tensor]:
    """Let a method, perhaps by another name, overwrite a copy of the shape that the result has."""
    overwrite = REDUCING.get(name) or getattr(Tensor, f"{other or name}_")

    def call(x: Tensor, *rest: Any, **named: Any) -> Tensor:
        if name in ENTRYWISE.split():
            x = widened(x, *rest, *named.values())
        result: Tensor = overwrite(copy(x), *rest, **named)
        return result

    return call


def widened(x: Tensor, *rest: Any) -> Tensor:
    """Repeat a tensor to the shape that it has beside the other tensors."""
    others = [each for each in rest if isinstance(each, Tensor)]
    result: Tensor = torch.broadcast_tensors(x, *others)[0]  # type: ignore[no-untyped-call]
    return result


def told_in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a function overwrite a copy, as an option says."""

    def call(x: Tensor, *rest: Any, **named: Any) -> Tensor:
        return function(x.clone(), *rest, **named, inplace=True)

    return call


def out(
    function: Callable[..., Any], made: Callable[[Tensor], Tensor]
) -> Callable[..., Tensor | tuple[Tensor, ...]]:
    """Let a function write into tensors that are made for its results."""

    def call(*tensors: Any, **named: Any) -> Any:
        with torch.no_grad():
            results = function(*tensors, **named)
        single = isinstance(results, Tensor)
        given = [*map(made, [results] if single else results)]
        strides = [each.stride() for each in given]
        returned = function(*tensors, **named, out=given[0] if single else tuple(given))
        written = [returned] if single else returned
        for each, own, before in zip(written, given, strides, strict=True):
            if each is not own:
                raise AssertionError("what is returned is not what was given as out")
            if made is strided and own.stride() != before:
                raise AssertionError("what was given as out lies in memory in another way")
        return returned

    return call


def empty(result: Tensor) -> Tensor:
    """Make a tensor that has to grow to a result's shape."""
    return result.new_empty(0)


def apart(x: Tensor) -> Tensor:
    """Copy a tensor to where no two of its entries are neighbors in memory."""
    return torch.stack((x, x), -1)[..., 0]


def strided(result: Tensor) -> Tensor:
    """Make a tensor of a result's shape, of which no two entries are neighbors in memory."""
    return result.new_zeros(*result.shape, 2)[..., 0]


def each(name: str) -> Callable[..., Tensor]:
    """Let a function be computed for three tensors at once, of which one is looked at."""
    function = getattr(torch, f"_foreach_{name}")

    def call(x: Tensor, *rest: Any, **named: Any) -> Tensor:
        results: tuple[Tensor, ...] = function(among(x), *map(among, rest), **named)
        return results[1]

    return call


def each_in_place(name: str) -> Callable[..., Tensor]:
    """Let three tensors of the result's shape be overwritten at once."""
    overwrite = getattr(torch, f"_foreach_{name}_")

    def call(x: Tensor, *rest: Any, **named: Any) -> Tensor:
        copy = widened(x, *rest).clone()
        overwrite(among(copy), *map(among, rest), **named)
        return copy

    return call


def among(argument: Any) -> Any:
    """Put a tensor between two others; what else there is holds for all of them."""
    if not isinstance(argument, Tensor):
        return argument
    return [torch.ones_like(argument), argument, torch.ones_like(argument)]
