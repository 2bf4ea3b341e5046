"""Every claim can fail: mutants are killed by the claims they name, legal variants by none."""

import re
from contextlib import nullcontext

import pytest
from hypothesis import Phase, settings
from pretended_cuda import pretended_cuda

from gradspec import reference, spec
from gradspec.conformance import Backend, Claim, Level, Subject
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.results.verdict import GREEN, Status, Verdict
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.profiles import DEFAULT_SEED, PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.table import Operation
from mutation import Change, changed, mutants, variants

# A refuted claim is all that is asked for; shrinking its example would cost more than finding it.
HUNT = settings(PROFILES["default"], phases=(Phase.explicit, Phase.generate))

GLANCE = settings(PROFILES["quick"], phases=HUNT.phases)
"""Every claim is put to a legal variant, nearly all in vain: its corners, and a few examples."""

CLAIMS = claims_of(spec)


def judge(
    claim: Claim,
    operation: Operation | None,
    backend: Backend,
    seed: int,
    looking: settings = HUNT,
    dtype: str = "float64",
) -> Verdict:
    """Run one claim on a changed backend, on the CPU.

    A claim that speaks of another device is run there, or on a pretended one.
    """
    device = claim.device or "cpu"
    subject = Subject(backend, device, dtype)
    # What a library does wrong by itself kills no mutant.
    known = [
        each
        for each in expectations_of(backend)
        if each.only and each.covers(claim, subject, operation and operation.name)
    ]
    run = Run(claim, subject, looking, seed, operation, passed_over=tuple(known))
    run.unsupported = ", ".join(run.lacking) or None
    if run.unsupported is None:
        present = device in backend.devices()
        with nullcontext() if present else pretended_cuda():
            try:
                run.execute(run.test)
            except (Exception, pytest.fail.Exception) as error:
                assert run.error is error
    return run.verdict()


def named(word: str) -> tuple[Claim, Operation | None]:
    """Find a claim by its id, and by `GEN-02[sin]` one for an operation."""
    claim, _, operation = word.rstrip("]").partition("[")
    over = {each.name: each for each in CLAIMS[claim].over}
    return CLAIMS[claim], over[operation] if over else None


UNCALLED = re.compile(
    r"^TypeError.* (\S+\.)?(by|wrong|<lambda>)\(\) (got|takes|missing) .*argument"
)
"""What is said where a mutant cannot be called as what it replaces."""


def refuted(verdict: Verdict) -> bool:
    """Whether the claim went red, and not because the mutant's text is no program."""
    slips = ("NameError", "UnboundLocalError", "AttributeError", "ImportError")
    red, reason = verdict.status in (Status.FAIL, Status.ERROR), str(verdict.reason)
    return red and not reason.startswith(slips) and not UNCALLED.search(reason)


@pytest.fixture
def seed(request):
    """The seed of the run, as given to Hypothesis."""
    return int(request.config.getoption("--hypothesis-seed") or DEFAULT_SEED)


@pytest.mark.parametrize("mutant", mutants(), ids=lambda m: m.name)
def test_mutant_is_killed(mutant: Change, seed: int, tally):
    """Each claim that a mutant names turns red on it."""
    assert mutant.kills, f"{mutant.name} names no claim that it turns red"
    with tally("mutants"), changed(mutant) as backend:
        verdicts = [
            judge(*named(claim), backend, seed, dtype=mutant.dtype) for claim in mutant.kills
        ]
        alive = [f"{v.claim} is {v.status} ({v.reason})" for v in verdicts if not refuted(v)]
        assert not alive, f"{mutant.name} ({mutant.changes}) survives: {', '.join(alive)}"


def together() -> list[list[Change]]:
    """Legal variants as they are judged: those that declare whatever the reference does at once."""
    return [[v for v in variants() if not v.without], *([v] for v in variants() if v.without)]


@pytest.mark.parametrize("variant", variants(), ids=lambda v: v.name)
def test_legal_variant_lands(variant: Change):
    with changed(variant) as backend:
        right, other = (eval(variant.probe, {"lib": lib}) for lib in (reference, backend.library))
    assert right != other, f"{variant.name} did not land: its probe gives {right} as ever"


PARTS = 3
"""All claims on all operations take minutes; the rest of the tests has the first part beside it."""


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, PARTS))]
)
@pytest.mark.parametrize("alike", together(), ids=lambda each: each[-1].name)
def test_legal_variants_stay_green(alike: list[Change], part: int, seed: int, tally):
    """Legal variants compute something else, and no claim minds but those of conventions.

    What one of many is refused by, it is refused by alone too: so it is told which that is.
    """
    pairs = [
        (claim, operation)
        for claim in CLAIMS.values()
        if claim.level is not Level.CONVENTION
        for operation in claim.over or [None]
    ]
    with changed(*alike) as backend:
        red = [
            each
            for each in pairs[part::PARTS]
            if judge(*each, backend, seed, GLANCE).status not in GREEN
        ]
    for variant in alike:
        with tally("legal variants"), changed(variant) as backend:
            verdicts = [judge(*each, backend, seed) for each in red]
            told = [f"{v.claim}: {v.reason}" for v in verdicts if v.status not in GREEN]
            assert not told, f"{variant.name} ({variant.changes}) is refused by {'; '.join(told)}"
    assert not red, f"together they are refused by {red}, and none is alone"


def test_every_claim_has_a_killer():
    """No claim is without a mutant that it kills, and every killer is a claim there is."""
    killers = {claim.partition("[")[0] for mutant in mutants() for claim in mutant.kills}
    assert killers == set(CLAIMS)


def test_mutants_have_names_of_their_own():
    names = [change.name for change in (*mutants(), *variants())]
    assert len(names) == len(set(names))
