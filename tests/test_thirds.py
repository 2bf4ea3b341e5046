"""What CI leaves out of narrow dtypes: no claim and no operation by itself."""

from collections import Counter

from thirds import dealt

from gradspec import spec
from gradspec.conformance.claims.catalogue import claims_of
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
