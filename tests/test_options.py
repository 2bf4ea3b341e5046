"""Options: none that is drawn can be left out of a call unnoticed."""

import pytest
from hypothesis import Phase, settings

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.loading import load
from gradspec.conformance.run.profiles import DEFAULT_SEED, PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.table import OPTIONED

MET = claims_of(spec)["GEN-210"]
FOUND = settings(PROFILES["default"], phases=(Phase.explicit, Phase.generate))

NO_MATTER = {
    "cdist_options": "compute_mode",
    "istft_options": "onesided",
    "lstsq_options": "driver",
    "pinv_options": "rtol atol",
    "qr_options": "mode",
    "repeat_interleave_options": "output_size",
    "sort_options": "stable",
    "sort_stable_options": "stable",
    "topk_options": "sorted",
}
"""Options that say how something is computed, or here what is so without them."""

KNOWN = ("dist_count_options", "embedding_bag_by_frequency", "ldexp_options")
"""Operations that fail as it is, see their entries."""


def judged(operation, lend):
    """Run the claim for an operation that a library lends otherwise."""
    backend = load("torch")
    own = backend.functions[operation.name]
    backend.functions = {**backend.functions, operation.name: lambda *a, **k: lend(own, *a, **k)}
    run = Run(MET, Subject(backend, "cpu", "float64"), FOUND, DEFAULT_SEED, operation)
    try:
        run.execute(run.test)
    except (Exception, pytest.fail.Exception) as error:
        assert run.error is error
    return run.verdict()


@pytest.mark.parametrize("operation", [o for o in OPTIONED if o.name not in KNOWN], ids=repr)
def test_no_option_can_be_overlooked(operation):
    pytest.importorskip("torch", reason="not run: torch is not installed")
    told = set()

    def noted(own, *operands, **options):
        told.update(options)
        return own(*operands, **options)

    verdict = judged(operation, noted)
    assert verdict.status is Status.PASS, verdict.reason
    for word in told:

        def without(own, *operands, word=word, **options):
            options.pop(word, None)
            return own(*operands, **options)

        overlooked = judged(operation, without).status is Status.PASS
        assert overlooked is (word in NO_MATTER.get(operation.name, "").split()), word
