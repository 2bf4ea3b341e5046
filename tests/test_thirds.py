"""What CI leaves out of narrow dtypes: no claim and no operation by itself."""

from collections import Counter

import thirds
from thirds import dealt

from gradspec import spec
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.protocol.subject import Subject
from gradspec.conformance.results.verdict import address_of

MANY = 20
"""Questions of which some are surely asked, and some not."""


def test_every_claim_and_every_operation_keeps_some_questions():
    asked, whole = Counter(), Counter()
    for claim in claims_of(spec).values():
        for operation in claim.over:
            for of in (claim.id, operation.name):
                whole[of] += 1
                asked[of] += dealt(address_of(claim.id, operation.name))
    shares = {of: asked[of] / count for of, count in whole.items() if count >= MANY}
    assert len(shares) > 300
    assert not {of: share for of, share in shares.items() if not 0.05 < share < 0.7}


def test_all_that_is_judged_in_float64_on_few_entries_is_asked(monkeypatch):
    monkeypatch.setattr(thirds, "meant", lambda question: question)
    wide, narrow = (Subject(Reference(), "cpu", dtype) for dtype in ("float64", "float32"))
    counts = Counter()
    for claim in claims_of(spec).values():
        for operation in claim.over:
            asked = thirds._asked((claim, wide, operation))
            if wide.lacks([*claim.needs, operation.name]):
                assert not asked
                continue
            assert asked or claim.of_many
            if not claim.widest:
                counts["wide"] += 1
                counts["narrow"] += thirds._asked((claim, narrow, operation))
        assert claim.over or thirds._asked((claim, narrow, None))
    assert 0.2 < counts["narrow"] / counts["wide"] < 0.5
