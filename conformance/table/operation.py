"""What an operation is: one record, from which claims are made for it without another line.

    Operation("mul", lambda x, y: x * y, draw=lambda d: arrays(d, *d.shapes()), broadcasts=True)

The forward function computes with numpy, on complex numbers and on jets as well: it is analytic or
chooses by comparing real parts. Jets find its derivatives, and how far rounding may carry whoever
computes by its formula; a complex step finds the first derivative once more. `draw` reads the
arguments of a call off bytes. The other fields are what mathematics and PyTorch's documentation say
of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import Parameter, Signature, signature
from typing import Any
from warnings import catch_warnings

import numpy as np

from ..strategies.arrays import NONZERO, contiguous
from ..untrusted.texts import first_line
from .arguments import WRITTEN, Arguments, Told
from .call import Call
from .drawing import Corner, Draw
from .images import PICTURES, repeated
from .large import LARGE
from .layouts import CONSTANTS, IN_ANY_ORDER, IN_ANY_WAY

CODES = 64
"""Bytes for one call: enough for three arrays of twelve entries, and for all choices."""

OPEN_SUMS = """
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
adaptive_max_pool2d adaptive_max_pool3d avg_pool3d max_pool2d max_pool2d_padded max_pool3d
interpolate_area1d interpolate_area2d interpolate_linear interpolate_bilinear
interpolate_trilinear interpolate_bicubic pad pad_reflect pad_replicate nll_loss nll_loss_weight
cross_entropy cross_entropy_labels ctc_loss cumsum cumulative_trapezoid cumprod
repeat_interleave repeat_interleave_counts conv1d conv2d conv1d_grouped conv2d_grouped conv3d
conv_transpose1d conv_transpose2d conv_transpose2d_grouped conv_transpose3d
conv2d_axes conv3d_axes conv_transpose2d_axes max_pool1d max_pool2d_axes adaptive_avg_pool2d_kept
adaptive_max_pool2d_kept interpolate_scaled interpolate_rescaled ctc_loss_row ctc_loss_joined
ctc_loss_impossible repeat_interleave_flat as_strided cummax cummin quantile quantile_all
scaled_dot_product_attention multi_head_attention_forward multi_head_attention_masked
multi_head_attention_extended multi_head_attention_separate as_strided_copy
pad_reflect_corners pad_replicate_corners conv1d_single conv_transpose1d_single
scaled_dot_product_attention_biased local_response_norm lp_pool3d cumulative_trapezoid_places
masked_cumsum masked_cumprod vander nanquantile
"""
"""Operations that call what is not deterministic on CUDA, beside those whose record says so.

Source: PyTorch's documentation of `torch.use_deterministic_algorithms`, of cuDNN in its note on
reproducibility, and of attention that saves memory, whose backward pass is not deterministic; and
which of these its formulas for gradients call, such as `scatter_add` for `cummax`.
"""

WEIGHTS = 17
"""Numbers from which cotangents and tangents are taken: coprime with all sizes."""

TRIED = 12
"""Calls by which it is told how many tensors an operation takes."""


def signature_of(forward: Callable[..., Any]) -> Signature:
    """Return what a function may be called with; anything, if it is one in C.

    What NumPy tells of those is not the same in all of its versions.
    """
    anything = Signature([Parameter("tensors", Parameter.VAR_POSITIONAL)])
    try:
        return anything if isinstance(forward, np.ufunc) else signature(forward)
    except ValueError:
        return anything


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation, by its name in the vocabulary.

    `forward(*tensors, *options, **named)` computes with numpy; several results are a list. `call`
    does so on a subject, where that is not just the function of this name. `view`: the result
    always shares the memory of the first tensor ("always"), each of several that of the tensor in
    its place ("each"), never does ("never"), or may ("maybe"). `linear`: in all tensors together.
    `broadcasts`: entry by entry, on operands of shapes that fit. `kinks` says where the derivative
    is a convention; `ties` that entries of one array are compared with each other. `formulas` are
    other ones that libraries compute by, where rounding carries these further than `forward`; they
    take the same arguments. `nondeterministic`: the order of its additions is open on CUDA. Without
    `differentiable` it has values only.
    """

    name: str
    forward: Callable[..., Any]
    draw: Callable[[Draw], Arguments]
    call: Callable[..., Any] | None = None
    linear: bool = False
    view: str = "never"
    broadcasts: bool = False
    kinks: str = ""
    ties: bool = False
    formulas: tuple[Callable[..., Any], ...] = ()
    nondeterministic: bool = False
    differentiable: bool = True

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def words(self) -> list[str]:
        """What its forward function calls its arguments, as far as it names them."""
        parameters = signature_of(self.forward).parameters.values()
        return [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]

    @property
    def is_open(self) -> bool:
        """Whether the order of its additions, or of those of its gradient, is open on CUDA."""
        return self.nondeterministic or self.name in OPEN_SUMS.split()

    def is_open_on(self, device: str) -> bool:
        """Whether it is open on a device."""
        return self.is_open and device == "cuda"

    @cached_property
    def has_several(self) -> bool:
        """Whether its results are a list, however many there are in a call."""
        with np.errstate(all="ignore"):
            return isinstance(self.read(b"")._true, list)  # noqa: SLF001

    def read(
        self,
        codes: bytes,
        *,
        smooth: bool = False,
        strided: bool = False,
        corner: Corner | None = None,
    ) -> Call:
        """Read a call off bytes.

        A `smooth` one lies far from all kinks; the tensors of a `strided` one lie in memory in all
        ways, otherwise in row-major order.
        """
        apart = smooth and bool(self.kinks)
        ways = IN_ANY_ORDER if apart and self.ties else IN_ANY_WAY
        layouts = ways if strided else (contiguous,)
        draw = Draw(
            codes[WEIGHTS:],
            layouts=layouts,
            apart=apart,
            corner=corner,
            large=LARGE.get(self.name, ()),
        )
        weights = NONZERO[np.frombuffer(codes[:WEIGHTS].ljust(WEIGHTS, b"\0"), np.uint8)]
        which = draw.byte()
        made = self.draw(draw)
        if corner is not None and corner.kind in PICTURES and corner.nth:
            images, channels = PICTURES[corner.kind]
            channels = channels if corner.nth == 1 else 1
            again = repeated(made.tensors, images, channels, corner.layouts)
            made = replace(made, tensors=again)
        if corner is not None and corner.kind in CONSTANTS:
            change = partial(CONSTANTS[corner.kind], way=corner.layouts[0])
            made = made.with_constants(change)
        return Call(self, made, weights, which, codes, corner)

    def told(self, told: Told) -> Call:
        """Make a call of what is written down. Raises ValueError if that is no call of it."""
        call = self._asking(told)
        counts, given = self._counts, told.arguments
        if len(counts) == 1 and len(given.tensors) not in counts:
            raise ValueError(f"{self.name} takes tensors: {min(counts)}, not {len(given.tensors)}")
        if wrong := {x.dtype.name for x in given.tensors} - {*self.dtypes}:
            raise ValueError(f"{self.name} has tensors of {', '.join(self.dtypes)}, not {wrong}")
        if told.numbers > WRITTEN:
            raise ValueError(f"a call that is written down has no more than {WRITTEN} numbers")
        if isinstance(self.forward, np.ufunc) and given.named:
            raise ValueError(f"{self.name} has no options by name")
        with catch_warnings(action="ignore"), np.errstate(all="ignore"):
            try:
                signature_of(self.forward).bind(*given.tensors, *given.options, **given.named)
                kind = call.result.dtype.kind
            except Exception as error:
                raise ValueError(f"{self.name} takes no such call: {first_line(error)}") from None
        if kind not in "fib":
            raise ValueError(f"{self.name} makes no numbers of such a call")
        for x in call.tensors:
            x.flags.writeable = False
        return call

    @property
    def dtypes(self) -> tuple[str, ...]:
        """What its tensors are of, as they are written down."""
        return ("float64",)

    def _asking(self, told: Told) -> Call:
        return Call(self, told.arguments, told.weights, told.which)

    @cached_property
    def _counts(self) -> frozenset[int]:
        """How many tensors it takes, as far as a few calls tell."""
        codes = (np.random.default_rng(n).bytes(CODES + WEIGHTS) for n in range(TRIED))
        return frozenset(len(self.read(each).arguments.tensors) for each in codes)
