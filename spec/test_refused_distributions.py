"""Refused distributions: parameters, values and shapes that distributions do not take."""

import numpy as np
import pytest

from gradspec.conformance import claim, every
from gradspec.conformance.strategies.refused_distributions import (
    NAMES,
    SHARED,
    asked,
    beyond,
    cases,
    of_use,
    refused,
    share,
)
from gradspec.conformance.strategies.refused_parts import SHAPES, TRANSFORMS, Parts

NO_WORKLOAD = "what is refused takes no time"

REFUSED = (ValueError, RuntimeError, AssertionError)

SAID = "Expected parameter|within the support|parameter probs has invalid values|Value of df="
"""What is said of an argument that is validated; a shape that does not fit says other things."""

# ---- parameters and values -----------------------------------------------------------------------


@claim("DST-723", about="distribution", needs="distributions torch", level="contract", widest=True)
@every(name=NAMES)
def test_what_cannot_be_is_refused(be, name):
    """Where arguments are to be validated, a parameter beyond its constraint is refused, and so is
    the density of a value outside of the support.
    """
    # What compiles ends validation by default for all that comes after it.
    for case in cases(name, legal=False):
        with pytest.raises(ValueError, match=SAID):
            asked(be, case, validated=True)


@claim("DST-840", about="distribution", needs="distributions torch", level="contract", widest=True)
@every(name=NAMES)
def test_what_can_be_is_taken_at_its_bounds(be, name):
    """Where arguments are to be validated, a parameter at a bound that belongs to its constraint is
    taken, and a value at a bound that belongs to the support has a density.
    """
    for case in cases(name, legal=True):
        found = asked(be, case, validated=True)
        assert case.value is None or not np.any(np.isnan(be.numpy(found))), f"{case}: {found}"


@claim("DST-841", about="distribution", needs="distributions torch", level="contract", widest=True)
@every(name=NAMES)
def test_nothing_is_refused_unless_it_is_validated(be, name):
    """Where arguments are not to be validated, a parameter beyond its constraint is taken if
    anything can be computed of it, and so is a value outside of the support.
    """
    for case in filter(of_use, cases(name, legal=False)):
        assert not refused(be, case), f"{case.name} is validated: {case}"


@claim("DST-844", about="distribution", needs="distributions torch", level="contract", widest=True)
@every(name=SHARED)
def test_nothing_or_all_lies_below_what_cannot_be(be, name):
    """Where arguments are to be validated, the share below a number outside of the support is
    refused, or it is none or all.
    """
    for case in beyond(name):
        assert share(be, case) in (None, 0.0, 1.0), f"share of {case}: {share(be, case)}"


# ---- shapes --------------------------------------------------------------------------------------


@claim("DST-842", about="distribution", needs="distributions torch", level="contract", widest=True)
@every(name=list(SHAPES))
def test_what_does_not_fit_is_refused(be, name):
    """Parameters, values and parts of distributions, and pairs of them, are refused where one does
    not fit to the others, and taken where they fit.
    """
    legal, wrong = SHAPES[name]
    for each in legal:
        assert each(Parts(be)) is not None
    for each in wrong:
        with pytest.raises(REFUSED):
            each(Parts(be))


@claim("DST-843", about="bijection", needs="distributions torch", level="contract", widest=True)
@every(name=list(TRANSFORMS))
def test_transforms_refuse_what_does_not_fit(be, name):
    """Transforms and constraints are made of parts that fit, and refuse shapes and tensors that do
    not: both ways, and asked how much they stretch them.
    """
    legal, wrong = TRANSFORMS[name]
    for each in legal:
        assert each(Parts(be)) is not None
    for each in wrong:
        with pytest.raises(REFUSED):
            each(Parts(be))
