"""How long to look: the Hypothesis profiles of gradspec, and the seed."""

from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import InvalidArgument

DEFAULT_SEED = 0
"""Used when no `--hypothesis-seed` is given: one seed, one verdict, on every machine."""

COMMON = settings(
    # The verdict is a function of the seed alone, so nothing is remembered between runs.
    database=None,
    # A claim about speed would be noise; what takes too long is the runner's affair.
    deadline=None,
    # Explaining a failure costs more than finding it, and the values say it already.
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    # First draws are slow while strategies are built, and no claim filters its draws.
    suppress_health_check=(HealthCheck.too_slow,),
    report_multiple_bugs=False,
    print_blob=False,
)

PROFILES = {
    "quick": settings(COMMON, max_examples=8),
    "default": settings(COMMON, max_examples=30),
    "deep": settings(COMMON, max_examples=2000),
}


def offer(name: str) -> None:
    """Make a profile known to Hypothesis, unless it knows another one of that name."""
    try:
        settings.get_profile(name)
    except InvalidArgument:
        settings.register_profile(name, PROFILES[name])


def profile(name: str) -> settings:
    """Return gradspec's profile of that name, else the one a user registered with Hypothesis."""
    return PROFILES.get(name) or settings.get_profile(name)
