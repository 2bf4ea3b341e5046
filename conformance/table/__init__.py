"""The table of operations: what each one is, and the claims' choices from it.

An `Operation` is a record: name, forward in numpy, arguments, properties. How its arguments are
drawn stands beside it, which calls are met beforehand in `design`, kinks in `kinks`. What a backend
has of them is not known here.
"""

from collections.abc import Callable
from functools import cache

from .activations import ACTIVATIONS
from .analytic import ANALYTIC, COMPLEX, MIXED
from .arithmetic import MORE_ARITHMETIC
from .attention import ATTENTION
from .attention_options import ATTENTION_OPTIONS
from .axes import along, named_by, renamed
from .call import Call
from .choices import (
    BY_PLACES,
    CHOOSING,
    DISTRIBUTED,
    ELIMINATED,
    FACTORED,
    JUMPING,
    KNOWN,
    LAID_ANEW,
    LARGEST,
    MOVING,
    NEVER_HOLLOW,
    NEVER_VAST,
    OF_EQUALS,
    OF_FEW_AXES,
    OF_IMAGES,
    OF_NO_AXIS,
    OF_WIDTHS,
    PREDICATES,
    REFUSED_HOLLOW,
    ROUNDED_OFTEN,
    SCORING,
    SHORT,
    SMALLEST,
    SORTING,
    SUMMING,
    TOLD_BY_ARRAYS,
    TOLD_BY_INT32,
)
from .convolution_options import CONVOLUTION_OPTIONS
from .convolutions import CONVOLUTIONS
from .copies import COPIED
from .counts import COUNTED_BY_NAME, TIED_BY_NAME
from .decompositions import DECOMPOSITIONS
from .densities import LOG_PROBS
from .difference_options import DIFFERENCE_OPTIONS
from .distances import DISTANCES
from .divergences import DIVERGENCES
from .domains import CHECKED, DOMAINS
from .drawn import calls, crowded, filled, hollow, pictured, shared, told, told_in_32_bits, vast
from .eigenvectors import EIGENVECTORS
from .elementwise import ELEMENTWISE
from .image_forms import IMAGE_FORMS
from .indexing import INDEXING
from .integers import KEPT, MADE, ON_THE_CPU, check_integers, check_large_integers
from .joining import JOINING
from .kinks import KINKS, kinks
from .label_options import LABEL_OPTIONS
from .labelled import LABELLED
from .large import TENS_OF_THOUSANDS
from .layer_forms import LAYER_FORMS
from .layouts import channels_last, laid_out, lying
from .limits import LIMITS, POLES
from .linalg import LINALG
from .loss_forms import LOSS_FORMS
from .loss_options import LOSS_OPTIONS
from .losses import LOSSES
from .matrix_forms import MATRIX_FORMS
from .matrix_options import MATRIX_OPTIONS
from .moving_options import MOVING_OPTIONS
from .networks import NETWORKS
from .norm_options import NORM_OPTIONS
from .normalizing import NORMALIZING
from .normalizing_options import NORMALIZING_OPTIONS
from .operation import Operation
from .place_forms import PLACE_FORMS
from .points import points, wide
from .pooling import POOLING
from .pooling_options import POOLING_OPTIONS
from .product_options import PRODUCT_OPTIONS
from .rarer_forms import RARER_FORMS
from .rearranging import REARRANGING
from .reducing import MORE_REDUCTIONS
from .reducing_forms import REDUCING_FORMS
from .reducing_options import REDUCING_OPTIONS
from .reductions import REDUCING
from .resampling import RESAMPLING
from .resampling_options import RESAMPLING_OPTIONS
from .rows import LINES, LOGARITHMS, MASKS, rows
from .selections import SELECTIONS
from .shaping import SHAPING
from .singular import COMPLEX_KINKED, CUT, complex_kinks, on_cuts
from .slopes import SLOPES
from .special import SPECIAL
from .spectrum_options import SPECTRUM_OPTIONS
from .table_options import TABLE_OPTIONS
from .target_options import TARGET_OPTIONS
from .transforms import TRANSFORMS
from .writing import WRITING

TABLE: tuple[Operation, ...] = (
    *ELEMENTWISE,
    *REDUCING,
    *SHAPING,
    *JOINING,
    *INDEXING,
    *LINALG,
    *NETWORKS,
    *ACTIVATIONS,
    *SPECIAL,
    *MORE_ARITHMETIC,
    *LOSSES,
    *LABELLED,
    *DISTANCES,
    *POOLING,
    *CONVOLUTIONS,
    *NORMALIZING,
    *ATTENTION,
    *RESAMPLING,
    *REARRANGING,
    *MORE_REDUCTIONS,
    *DECOMPOSITIONS,
    *TRANSFORMS,
    *WRITING,
    *REDUCING_FORMS,
    *MATRIX_FORMS,
    *LAYER_FORMS,
    *IMAGE_FORMS,
    *LOSS_FORMS,
    *PLACE_FORMS,
    *RARER_FORMS,
    *COPIED,
    *EIGENVECTORS,
    *LOG_PROBS,
    *DIVERGENCES,
    *SELECTIONS,
)
"""Every operation."""

OPTIONED: tuple[Operation, ...] = (
    *CONVOLUTION_OPTIONS,
    *POOLING_OPTIONS,
    *LOSS_OPTIONS,
    *LABEL_OPTIONS,
    *SPECTRUM_OPTIONS,
    *MATRIX_OPTIONS,
    *PRODUCT_OPTIONS,
    *NORM_OPTIONS,
    *REDUCING_OPTIONS,
    *DIFFERENCE_OPTIONS,
    *TARGET_OPTIONS,
    *MOVING_OPTIONS,
    *NORMALIZING_OPTIONS,
    *ATTENTION_OPTIONS,
    *TABLE_OPTIONS,
    *RESAMPLING_OPTIONS,
)
"""Operations by all of their options at once: for the chapter `options` alone."""

OPTIONED_TWICE: tuple[Operation, ...] = (*POOLING_OPTIONS, *RESAMPLING_OPTIONS)
"""Those whose gradients are differentiated by all of their options as well."""


def those(condition: Callable[[Operation], bool]) -> tuple[Operation, ...]:
    """Choose operations of the table."""
    return tuple(operation for operation in TABLE if condition(operation))


@cache
def words(names: str) -> frozenset[str]:
    """Split a list of operations: once, for it is asked about each of them."""
    return frozenset(names.split())


DIFFERENTIABLE = those(lambda o: o.differentiable)
LINEAR = those(lambda o: o.differentiable and o.linear)
# What is strided reads memory, of which a slice has no part of its own.
MAPPED = those(lambda o: o in LINEAR and not o.name.startswith("as_strided"))
EXACT = (*LINEAR, *those(lambda o: o.name in words(SHORT)))
DISCRETE = those(lambda o: o.name in words(PREDICATES))
# Of what is not zero, a slice may have more than another.
SHAPED = those(
    lambda o: o.name in words(PREDICATES) - {"nonzero", "argwhere"} or o.name in words(BY_PLACES)
)
CURVED = those(lambda o: o.differentiable and not o.linear)
BROADCASTING = those(lambda o: o.differentiable and o.broadcasts)
MIXABLE = (*BROADCASTING, *those(lambda o: o.name in words(OF_WIDTHS)))
SEVERAL = those(lambda o: o.differentiable and len(o.read(b"").tensors) > 1)
BESIDE = tuple(o for o in SEVERAL if not o.name.startswith("as_strided"))
TWINS = tuple(o for o in SEVERAL if o.name in DOMAINS or o.name in words(OF_EQUALS))
VIEWS = those(lambda o: o.view in ("always", "each"))
COPIES = those(lambda o: o.view == "never")
# Reductions into places may keep their result for the way back.
WRITABLE = tuple(o for o in COPIES if o in LINEAR and "_reduce_" not in o.name)
KINKED = those(lambda o: any(kink.operation == o.name for kink in KINKS))
CLOSED = those(lambda o: any(kink.operation == o.name for kink in KINKS if not kink.open))

ENTRYWISE = those(lambda o: o.name in DOMAINS)
FAR_OUT = those(lambda o: o.name in DOMAINS and all(d.unbounded for d in DOMAINS[o.name]))

UNCHECKED = those(lambda o: o.name in DOMAINS and o.name not in CHECKED)
ROUNDED_DOWN = those(lambda o: o.name in words(JUMPING))
BY_ENTRY = (*UNCHECKED, *ROUNDED_DOWN)
LYING_ALIKE = tuple(o for o in UNCHECKED if o.name not in words(LAID_ANEW))
OF_ONE = those(
    lambda o: (
        len(DOMAINS.get(o.name, ())) == 1 and o.name not in CHECKED and o.name not in words(KNOWN)
    )
)
LIMITED = those(lambda o: o.name in LIMITS)
STEEP = those(lambda o: o.name in POLES)
FLATTENED = those(lambda o: o.name in SLOPES)
COUNTED = those(lambda o: o.name in COUNTED_BY_NAME)
TIED = those(lambda o: o.name in TIED_BY_NAME)
ROWWISE = those(lambda o: o.name in LINES)
MASKED = those(lambda o: o.name in MASKS)
SUMS_OF_POWERS = those(lambda o: o.name in LOGARITHMS)
FACTORS = those(lambda o: o.name in words(FACTORED))
MOVED = those(lambda o: o.name in words(MOVING))
SORTED = those(lambda o: o.name in words(SORTING))
SCORED = those(lambda o: o.name in words(SCORING))
SUMMED = those(lambda o: o.name in words(SUMMING))
EXCHANGED = those(lambda o: o.name in words(ELIMINATED))
ALONG = those(lambda o: o.differentiable and o.name not in words(OF_NO_AXIS) and bool(named_by(o)))
OF_MANY_AXES = those(lambda o: o.name not in words(OF_FEW_AXES))
GIVEN_ARRAYS = those(lambda o: o.name in words(TOLD_BY_ARRAYS))
GIVEN_INT32 = those(lambda o: o.name in words(TOLD_BY_INT32))
OF_INTEGERS = those(lambda o: o.name in MADE and o.name not in words(ON_THE_CPU))
OF_INTEGERS_HERE = those(lambda o: o.name in words(ON_THE_CPU))
# What they fill in is no multiple of what they are given.
OF_LARGE_INTEGERS = tuple(
    o
    for o in OF_INTEGERS
    if o.name in words(KEPT) and (o.name in words(CHOOSING) or (o in MOVED and o.linear))
)
OF_THOUSANDS = those(lambda o: o.name not in words(NEVER_VAST))
ROUNDED_ONCE = tuple(
    o
    for o in OF_THOUSANDS
    if not (o in MOVED or o in DISCRETE or o.name in words(ROUNDED_OFTEN))
    and not o.name.endswith(DISTRIBUTED)
)
SHARED_OUT = those(lambda o: o.name in words(TENS_OF_THOUSANDS))
EMPTIED = those(
    lambda o: o.differentiable and o.name not in words(NEVER_HOLLOW) | words(REFUSED_HOLLOW)
)
IMAGED = tuple(o for o in (*TABLE, *OPTIONED) if o.name in words(OF_IMAGES))
MAXIMA = those(lambda o: o.name in words(LARGEST))
MINIMA = those(lambda o: o.name in words(SMALLEST))
CHOSEN = those(lambda o: o.name in words(CHOOSING))
# It shows the memory, in which the negatives are.
NEGATED = tuple(o for o in EXACT if not o.name.startswith("as_strided"))
CONJUGABLE = tuple(o for o in COMPLEX if o.name != "view_as_real")

__all__ = [
    "ALONG",
    "ANALYTIC",
    "BESIDE",
    "BROADCASTING",
    "BY_ENTRY",
    "CHOSEN",
    "CLOSED",
    "COMPLEX",
    "COMPLEX_KINKED",
    "CONJUGABLE",
    "COPIES",
    "COUNTED",
    "CURVED",
    "CUT",
    "DIFFERENTIABLE",
    "DISCRETE",
    "EMPTIED",
    "ENTRYWISE",
    "EXACT",
    "EXCHANGED",
    "FACTORS",
    "FAR_OUT",
    "FLATTENED",
    "GIVEN_ARRAYS",
    "GIVEN_INT32",
    "IMAGED",
    "KINKED",
    "LIMITED",
    "LINEAR",
    "LYING_ALIKE",
    "MAPPED",
    "MASKED",
    "MAXIMA",
    "MINIMA",
    "MIXABLE",
    "MIXED",
    "MOVED",
    "NEGATED",
    "OF_INTEGERS",
    "OF_INTEGERS_HERE",
    "OF_LARGE_INTEGERS",
    "OF_MANY_AXES",
    "OF_ONE",
    "OF_THOUSANDS",
    "OPTIONED",
    "OPTIONED_TWICE",
    "ROUNDED_DOWN",
    "ROUNDED_ONCE",
    "ROWWISE",
    "SCORED",
    "SEVERAL",
    "SHAPED",
    "SHARED_OUT",
    "SORTED",
    "STEEP",
    "SUMMED",
    "SUMS_OF_POWERS",
    "TABLE",
    "TIED",
    "TWINS",
    "UNCHECKED",
    "VIEWS",
    "WRITABLE",
    "Call",
    "Operation",
    "along",
    "calls",
    "channels_last",
    "check_integers",
    "check_large_integers",
    "complex_kinks",
    "crowded",
    "filled",
    "hollow",
    "kinks",
    "laid_out",
    "lying",
    "on_cuts",
    "pictured",
    "points",
    "renamed",
    "rows",
    "shared",
    "told",
    "told_in_32_bits",
    "vast",
    "wide",
]
