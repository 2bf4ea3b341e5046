"""Where the arguments of an operation may lie, and the points of that where formulas break."""

from dataclasses import dataclass

import numpy as np

from .drawing import Array

FAR = (8.0, 30.0, 88.0, 89.0, 709.0, 710.0, 2.0**20, 2.0**60, 2.0**100)
"""Magnitudes at which exponentials, squares and products leave float32, float64 or neither."""

CLOSE = (2.0**-3, 2.0**-4, 2.0**-12, 2.0**-27, 2.0**-67, 2.0**-100)
"""Magnitudes that 1 swallows, of which squares are lost in float32, or almost; one for float16."""

FARTHEST = 2.0**520
"""A magnitude whose square leaves float64, as that of its reciprocal does; float32 has neither."""

INSIDE = (2.0**-23, 2.0**-12, 2.0**-4, 0.5)
"""How far from the end of a domain it is looked at, besides at the end."""


@dataclass(frozen=True)
class Domain:
    """An interval of real numbers, `without` some; a finite end belongs to it as long."""

    low: float = -np.inf
    high: float = np.inf
    without: tuple[float, ...] = ()

    @property
    def unbounded(self) -> bool:
        """Whether it goes on for ever, in one direction at least."""
        return self.high == np.inf or self.low == -np.inf

    def points(self, kind: str, *, kinked: bool) -> Array:
        """Return its `far` points, or those `close` to zero and to its ends, in ascending order.

        All of them are exact in float32 as well, but for one size. Zero is left out for what is
        `kinked` there.
        """
        sizes = (*FAR, FARTHEST) if kind == "far" else (*CLOSE, 1 / FARTHEST)
        points = {sign * size for sign in (1.0, -1.0) for size in sizes}
        if kind == "close":
            points |= set() if kinked else {0.0}
            points |= {e for e in (self.low, self.high) if np.isfinite(e)}
            points |= {self.low + step for step in INSIDE} | {self.high - step for step in INSIDE}
        held = (x for x in points if np.isfinite(x) and self.low <= x <= self.high)
        return np.array(sorted(x for x in held if x not in self.without))


REALS = Domain()
NOT_ZERO = Domain(without=(0.0,))
NOT_NEGATIVE = Domain(0.0)
ABOVE_ZERO = Domain(0.0, without=(0.0,))
UNIT = Domain(-1.0, 1.0)

DOMAINS: dict[str, tuple[Domain, ...]] = {
    name: tuple(domains)
    for names, *domains in (
        ("exp exp2 expm1 square sin cos tan atan sinh cosh tanh asinh erf", REALS),
        ("sigmoid logsigmoid silu gelu abs relu relu6 leaky_relu elu clamp hardtanh", REALS),
        ("neg deg2rad rad2deg", REALS),
        # PyTorch documents that from 20 on its softplus is the identity: in float64 one sees that.
        ("softplus", Domain(without=(30.0,))),
        ("log log2 log10 sqrt", NOT_NEGATIVE),
        ("rsqrt", ABOVE_ZERO),
        ("reciprocal", NOT_ZERO),
        ("log1p", Domain(-1.0)),
        ("acosh", Domain(1.0)),
        ("asin acos atanh", UNIT),
        ("add sub mul maximum minimum logaddexp", REALS, REALS),
        ("div hypot", REALS, NOT_ZERO),
        ("atan2", NOT_ZERO, NOT_ZERO),
        ("xlogy", REALS, ABOVE_ZERO),
        ("pow", ABOVE_ZERO, REALS),
        ("lerp addcmul", REALS, REALS, REALS),
        ("addcdiv", REALS, REALS, NOT_ZERO),
        ("erfc erfcx ndtr log_ndtr mish tanhshrink softplus_beta gelu_tanh positive", REALS),
        ("selu celu elu_alpha hardswish hardsigmoid softsign softshrink hardshrink", REALS),
        ("threshold rrelu clamp_min clamp_max nan_to_num number_pow", REALS),
        ("lgamma digamma polygamma zeta entr pow_number", ABOVE_ZERO),
        ("mvlgamma", Domain(0.5, without=(0.5,))),
        ("i0 i1", REALS),
        ("i0e i1e", NOT_ZERO),
        ("sinc", Domain(-0.75, 0.75)),
        ("erfinv", Domain(-1.0, 1.0, without=(-1.0, 1.0))),
        ("ndtri logit", Domain(0.0, 1.0, without=(0.0, 1.0))),
        ("logit_clamped", Domain(0.0, 1.0)),
        ("add_alpha sub_alpha rsub fmax fmin logaddexp2 ldexp lerp_number", REALS, REALS),
        ("copysign", REALS, NOT_ZERO),
        ("xlog1py", REALS, Domain(-1.0, without=(-1.0,))),
        ("mse_loss l1_loss smooth_l1_loss huber_loss huber_loss_delta", REALS, REALS),
        ("smooth_l1_loss_beta margin_ranking_loss", REALS, REALS),
        ("soft_margin_loss hinge_embedding_loss poisson_nll_loss", REALS),
        # PyTorch documents that it is straightened where a probability is almost 0 or 1.
        ("binary_cross_entropy", Domain(2.0**-12, 1 - 2.0**-12), Domain(0.0, 1.0)),
        ("binary_cross_entropy_with_logits", REALS, Domain(0.0, 1.0)),
        ("kl_div", REALS, ABOVE_ZERO),
        ("kl_div_log_target", REALS, Domain(high=0.0)),
    )
    for name in str(names).split()
}
"""Where each tensor may lie, of operations that work entry by entry: no pole is among it."""

UNEQUAL = {"logaddexp", "logaddexp2"}
"""Operations that are not asked far out at equal arguments.

There the result is that argument, for log 2 is lost beside it; and so is where between its two
arguments the result lies, of which gradients are made.
"""

CHECKED = {"binary_cross_entropy", "mvlgamma"}
"""Operations on probabilities, or beyond a bound, which may refuse what is none, or within."""
