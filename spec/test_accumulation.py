"""Accumulation: what backward adds to .grad."""

from dataclasses import replace
from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    lists,
    permutations,
    sampled_from,
)
from gradspec.conformance.strategies.uses import TIMES, USES
from gradspec.conformance.truth.oracles.jets import Jet


@workload
def accumulate(be, leaf):
    """The gradient of a cube, added to .grad."""
    be.backward(be.sum(be.mul(leaf * leaf, leaf)))
    return be.grad(leaf)


# ---- pass after pass -----------------------------------------------------------------------------


@claim("ACC-01", "ACC-51", about="backward", needs="backward")
@example(x=2.0, y=1.0, w=1.0, programs=np.array([[1, 1, 0]] * 4))
@given(x=arrays(), y=arrays(), w=arrays(), programs=arrays("programs", shape=(3, 3)))
def test_backward_adds(be, x, y, w, programs):
    """Each backward pass adds its gradient to .grad of every leaf it reaches, where None counts as
    zero; nothing is overwritten or lost.
    """
    a, b = be.leaf(x), be.leaf(y)
    for p, q, r in programs.tolist():
        be.backward(be.sum(be.mul(w, p * (a * a) + q * (a * b) + r * b)))
    p, q, r = programs.T
    be.check(be.grad(a), Total.of(*[2 * n * w * x for n in p], *[n * w * y for n in q]))
    be.check(be.grad(b), Total.of(*[n * w * x for n in q], *[n * w for n in r]))


@claim("ACC-05", about="backward", needs="backward")
@example(x=1.0, times=2)
@given(x=arrays(), times=integers(1, 4))
def test_repetition_multiplies(be, x, times):
    """The same forward and backward, run n times, give n times the gradient."""
    leaf = be.leaf(x)
    for n in range(1, times + 1):
        be.check(accumulate(be, leaf), n * 3 * x**2)


@claim(
    "ACC-460",
    about="backward",
    needs="backward devices expand repeat repeat_interleave add sub mul div matmul linear conv1d "
    "prelu gather torch",
    level="contract",
    device="cpu",
)
@example(uses=USES, times=TIMES)
def test_uses_of_16_bits_are_counted_to_the_end(be, uses, times):
    """On the CPU a number of 16 bits that is used thousands of times, by broadcasting, in products,
    as a parameter of a layer or by gather, receives the sum of as many cotangents, though one is
    lost beside half of it in such a dtype.
    """
    for (name, use), (dtype, n) in product(uses.items(), times.items()):
        leaf = be.leaf(np.ones(1))
        be.backward(be.sum(use(be, be.to(leaf, dtype), be.to(be.tensor(np.ones(n)), dtype), n)))
        be.check(be.grad(leaf), np.full(1, float(n)), f"gradient by {name} in {dtype}")


@claim("ACC-14", about="backward", needs="backward")
@given(x=arrays(), v=arrays(), w=arrays())
def test_passes_give_the_gradient_of_a_sum(be, x, v, w):
    """Backward from f and then from g leaves what one backward from f + g leaves, so clearing in
    between is a choice.
    """
    parts, whole = be.leaf(x), be.leaf(x)
    be.backward(be.sum(be.mul(v, parts * parts)))
    be.backward(be.sum(be.mul(w, parts)))
    be.backward(be.sum(be.mul(v, whole * whole)) + be.sum(be.mul(w, whole)))
    for leaf in (parts, whole):
        be.check(be.grad(leaf), Total.of(2 * v * x, w))


@claim("ACC-60", about="backward", needs="backward")
@given(x=arrays(), v=arrays(), w=arrays(), order=permutations(range(3)))
def test_the_order_of_roots_does_not_matter(be, x, v, w, order):
    """Roots may run backward in any order, in full or restricted to inputs: the sum in .grad is the
    same.
    """
    leaf, other = be.leaf(x), be.leaf(x)
    roots = [be.mul(leaf, leaf), be.mul(v, leaf), be.mul(leaf, other)]
    be.backward(roots[order[0]], w, inputs=[leaf])
    be.backward(roots[order[1]], w)
    be.backward(roots[order[2]], w, inputs=[leaf])
    be.check(be.grad(leaf), Total.of(2 * w * x, w * v, w * x))


@claim("ACC-09", about="set_grad", needs="backward grad_assign")
@example(x=2.0, w=-10.0, start=0.0)
@example(x=1.0, w=1.0, start=10.0)
@given(x=arrays(), w=arrays(), start=arrays(layouts=DENSE))
def test_a_preset_gradient_is_where_accumulation_starts(be, x, w, start):
    """Backward adds to a gradient that was assigned, just as to one that it made itself."""
    leaf = be.leaf(x)
    be.set_grad(leaf, be.tensor(start))
    be.backward(be.sum(be.mul(w, leaf * leaf)))
    be.check(be.grad(leaf), Total.of(start, 2 * w * x))


# ---- within one pass -----------------------------------------------------------------------------


@claim("ACC-53", about="vjp", needs="vjp")
@example(x=3.0, w=1.0, coefficients=np.array([0.0, 1.0, 1.0]))
@given(x=arrays(), w=arrays(), coefficients=arrays("coefficients", shape=(3,)))
def test_uses_of_a_leaf_add_up(be, x, w, coefficients):
    """An input used several times in one graph receives the sum of what all uses contribute."""
    c3, c2, c1 = coefficients.tolist()
    _, pull = be.vjp(lambda z: ((c3 * z + c2) * z + c1) * z, np.asarray(x))
    be.check(pull(np.asarray(w))[0], Total.of(3 * c3 * w * x**2, 2 * c2 * w * x, c1 * w))


@claim("ACC-620", about="vjp", needs="vjp")
@example(x=2.0, y=1.0, w=1.0, first=True)
@given(x=arrays(), y=arrays(), w=arrays(), first=booleans())
def test_terms_of_a_sum_share_no_gradient(be, x, y, w, first):
    """Each term of a sum receives its cotangent, and what one of them receives besides, before it
    or after it, is nothing of the other's.
    """

    def function(a, b):
        once, again = 2 * a, 4 * (a + b)
        return once + again if first else again + once

    _, pull = be.vjp(function, np.asarray(x), np.asarray(y))
    for gradient, factor in zip(pull(np.asarray(w)), (6, 4), strict=True):
        be.check(gradient, factor * np.asarray(w))


@claim("ACC-58", about="backward", needs="backward")
@given(x=arrays("batch", shape=(6, 2)), p=arrays("weights", shape=(2,)))
def test_micro_batches_add_up(be, x, p):
    """Micro-batches accumulate the gradient of the whole batch if the loss is a sum over samples,
    or a mean in which each micro-batch counts by its share of them. If samples are coupled, as by
    centring, each micro-batch is coupled within itself only.
    """
    total, average, coupled = be.leaf(p), be.leaf(p), be.leaf(p)
    for part in (x[:2], x[2:]):
        y, z, u = (be.matmul(part, leaf) for leaf in (total, average, coupled))
        be.backward(be.sum(y * y))
        be.backward(len(part) / 6 * be.mean(z * z))
        centred = u - be.mean(u)
        be.backward(be.sum(centred * centred))
    within = np.concatenate([x[:2] - x[:2].mean(0), x[2:] - x[2:].mean(0)])
    be.check(be.grad(total), Total.along(2 * x * (x @ p)[:, None], 0))
    own = Jet.exact(x)
    be.check(be.grad(average), (2 * own * (own @ p)[:, None] / 6).sum(0))
    be.check(be.grad(coupled), Total.along(2 * within * (within @ p)[:, None], 0))


# ---- where the sum is kept -----------------------------------------------------------------------


@claim("ACC-52", about="backward", needs="backward grad_assign", level="contract")
@given(x=arrays(), w=arrays(), start=arrays(layouts=DENSE))
def test_accumulation_writes_in_place(be, x, w, start):
    """Backward adds into the tensor that .grad holds, even one the user assigned: the object stays,
    and whoever else holds it sees the sum.
    """
    leaf, held = be.leaf(x), be.tensor(start)
    be.set_grad(leaf, held)
    be.backward(be.sum(be.mul(w, leaf * leaf)))
    assert be.grad(leaf) is held, "backward replaced .grad"
    be.check(held, Total.of(start, 2 * w * x))


@claim("ACC-850", about="backward", needs="backward grad_assign views", level="contract")
@example(x=np.array([2.0, 3.0]), w=np.ones(2), buffer=np.ones((2, 2)), row=1)
@given(
    x=arrays("row", shape=(2,)),
    w=arrays("row", shape=(2,)),
    buffer=arrays("buffer", shape=(2, 2), layouts=DENSE),
    row=integers(0, 1),
)
def test_a_gradient_may_be_part_of_a_buffer(be, x, w, buffer, row):
    """Backward adds to a row of a larger tensor that .grad holds, pass after pass: the sum is in
    that row, and the others keep their values.
    """
    leaf, whole = be.leaf(x), be.tensor(buffer)
    be.set_grad(leaf, whole[row])
    for passes in (1, 2):
        be.backward(be.sum(be.mul(w, leaf * leaf)))
        be.check(whole[row], Total.of(buffer[row], *[2 * w * x] * passes))
        be.check(whole[1 - row], buffer[1 - row])


@claim("ACC-15", about="backward", needs="backward grad_assign create_graph", level="contract")
@given(x=arrays(), w=arrays(), start=arrays(layouts=DENSE))
def test_a_recorded_pass_replaces_the_gradient(be, x, w, start):
    """With create_graph the sum is a new tensor with a history of its own; what .grad held before
    keeps its value.
    """
    leaf, held = be.leaf(x), be.tensor(start)
    be.set_grad(leaf, held)
    be.backward(be.sum(be.mul(w, leaf * leaf)), create_graph=True)
    assert be.requires_grad(be.grad(leaf))
    be.check(be.grad(leaf), Total.of(start, 2 * w * x))
    be.check(held, start)


@claim("ACC-18", about="reshape", needs="backward views reshape")
@given(x=arrays(), w=arrays(), v=arrays())
def test_each_leaf_owns_its_gradient(be, x, w, v):
    """No gradient shares memory with another leaf's gradient or with the cotangent, even where one
    cotangent reaches two leaves through views: what is added to one never shows in the others.
    """
    a, b, cotangent = be.leaf(x), be.leaf(x), be.tensor(w.ravel())
    be.backward(be.reshape(a, (-1,)) + be.reshape(b, (-1,)), cotangent)
    be.backward(be.sum(be.mul(v, a)))
    be.check(be.grad(a), Total.of(w, v))
    be.check(be.grad(b), w)
    be.check(cotangent, w.ravel())


@claim("ACC-103", about="backward", needs="backward")
@example(x=np.ones(3), v=np.ones(3), w=np.array([1.0, 2.0, 3.0]), at=1, far=np.inf)
@given(
    x=arrays("row", shape=(3,)),
    v=arrays("row", shape=(3,)),
    w=arrays("row", shape=(3,)),
    at=integers(0, 2),
    far=sampled_from((np.nan, np.inf, -np.inf)),
)
def test_what_is_not_finite_adds_up_too(be, x, v, w, at, far):
    """A contribution that is infinite or nan is added like any other: nan and a number give nan,
    infinity and a number infinity, two infinities of different sign nan.
    """
    leaf, v = be.leaf(x), v.copy()
    v[at] = far
    sums = np.zeros(3)
    for cotangent in (w, v, w, -v):
        be.backward(leaf * 1, cotangent)
        with np.errstate(invalid="ignore"):
            sums = sums + cotangent
        be.check(be.grad(leaf), sums)


@claim(
    "ACC-104",
    about="backward",
    needs="backward inplace version_counter retain_graph",
    level="contract",
)
@given(x=arrays(), y=arrays(), w=arrays())
def test_adding_to_a_gradient_is_a_write(be, x, y, w):
    """What an operation saved of .grad is out of date once a pass has added to it: backward of that
    operation is refused, as after any other write.
    """
    leaf, other = be.leaf(x), be.leaf(y)
    be.backward(leaf * 2, w)
    product = other * be.grad(leaf)
    be.backward(product, w, retain_graph=True)
    be.backward(leaf * 3, w)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(product, w)
    be.check(be.grad(other), 2 * w * w)


@claim("ACC-105", about="backward", needs="backward gradients create_graph", level="contract")
@given(x=arrays(), v=arrays(), w=arrays())
def test_recorded_passes_add_up_with_their_histories(be, x, v, w):
    """The sum that recorded passes leave in .grad is differentiable in all its terms: its gradient
    is the sum of their second derivatives.
    """
    leaf = be.leaf(x)
    for cotangent in (v, w):
        be.backward(leaf * leaf * leaf, cotangent, create_graph=True)
    be.check(be.grad(leaf), Total.of(3 * v * x * x, 3 * w * x * x))
    ones = be.tensor(np.ones(np.shape(x)))
    (second,) = be.gradients(be.grad(leaf), [leaf], ones)
    be.check(second, Total.of(6 * v * x, 6 * w * x))
    be.clear(leaf)


@claim(
    "ACC-108",
    about="backward",
    needs="backward inplace zero_ detach create_graph",
    level="contract",
)
@given(x=arrays(layouts=DENSE), w=arrays(layouts=DENSE))
def test_a_recorded_gradient_has_memory_of_its_own(be, x, w):
    """What a recorded pass leaves in .grad shares no memory with the cotangent or with another
    gradient: written over, it shows in none of them.
    """
    a, b, cotangent = be.leaf(x), be.leaf(x), be.tensor(w)
    be.backward(a + b, cotangent, create_graph=True)
    be.zero_(be.detach(be.grad(a)))
    be.check(be.grad(a), 0 * w)
    be.check(be.grad(b), w)
    be.check(cotangent, w)
    for leaf in (a, b):
        be.clear(leaf)


@claim("ACC-160", about="layer", needs="backward nn optim torch", level="contract")
@given(
    x=arrays("table", shape=(4, 2), layouts=DENSE),
    v=arrays("cotangent", shape=(3, 2)),
    rows=lists(integers(0, 3), min_size=3, max_size=3),
    mixed=booleans(),
    passes=integers(1, 3),
)
def test_gradients_of_few_rows_add_up(be, x, v, rows, mixed, passes):
    """A gradient that holds the rows that were looked up and no others adds up, with itself and
    with one that holds all, to what it is written out in full, and descent takes it off.
    """
    layer, index = be.layer("Embedding", 4, 2, sparse=True), be.tensor(np.array(rows))
    leaf = layer.weight
    with be.no_grad():
        be.copy_(leaf, be.tensor(x))
    for _ in range(passes):
        found = be.sum(be.mul(v, layer(index)))
        be.backward(found + be.sum(leaf * leaf) if mixed else found)
    one = np.zeros((4, 2))
    np.add.at(one, rows, v)
    sizes = np.zeros((4, 2))
    np.add.at(sizes, rows, np.abs(v))
    true = Total.of(*[one + (2 * x if mixed else 0)] * passes)
    true = replace(true, magnitude=true.magnitude + passes * 3 * sizes)
    gradient = be.grad(leaf)
    full = gradient.to_dense() if gradient.is_sparse else gradient
    be.check(full, true)
    before = be.numpy(full).astype(np.float64)
    be.optimizer("SGD", [leaf], lr=0.5).step()
    be.check(leaf, Total.of(x, -0.5 * before))
