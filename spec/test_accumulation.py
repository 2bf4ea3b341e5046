"""Accumulation: what backward does to .grad."""

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import arrays, integers


@claim("ACC-01", "ACC-51", "ACC-05", about="backward", needs="backward")
@example(x=2.0, w=1.0, times=4)
@given(x=arrays(), w=arrays(), times=integers(1, 4))
def test_backward_adds(be, x, w, times):
    """Each backward pass adds its gradient to a leaf's .grad; nothing is overwritten or lost."""
    leaf = be.leaf(x)
    for _ in range(times):
        be.backward(be.sum(be.mul(w, leaf * leaf)))
    be.check(be.grad(leaf), times * 2 * w * x)
