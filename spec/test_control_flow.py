"""Control flow as operations: scans, branches and loops that a compiler sees whole."""

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import (
    COMPACT,
    NONZERO,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.strategies.recurrences import RECURRENCES, recurrences
from gradspec.conformance.strategies.transforms import stacked, summed

NO_WORKLOAD = "what a loop costs is measured on the workloads of what is in it"


CARRY = arrays("carry", shape=(2,), layouts=COMPACT)
ROWS = arrays("rows", shape=(3, 2))
FACTOR = arrays("factor", shape=(2,), layouts=COMPACT)
COTANGENTS = arrays("cotangents", shape=(3, 2), values=NONZERO)


# ---- scans ---------------------------------------------------------------------------------------


@claim("CFL-01", about="scan", needs="scan")
@given(
    f=recurrences(),
    carry=CARRY,
    rows=ROWS,
    factor=FACTOR,
    count=sampled_from([1, 3]),
    reverse=booleans(),
)
def test_a_scan_is_the_loop(be, f, carry, rows, factor, count, reverse):
    """A scan carries a value from row to row and puts together what each step returns, from the
    first row on or in reverse: each result stands in the place of its row.
    """
    shared, few = be.tensor(factor), rows[:count]
    found = be.scan(
        lambda c, x: f.step(c, x, shared), be.tensor(carry), be.tensor(few), reverse=reverse
    )
    for at, name in enumerate(("last carry", "results")):
        be.check(found[at], f.value(at, carry, few, factor, reverse=reverse), name)


@claim("CFL-02", about="scan", needs="scan vjp")
@given(
    f=recurrences(),
    carry=CARRY,
    rows=ROWS,
    factor=FACTOR,
    w=COTANGENTS,
    reverse=booleans(),
    at=integers(0, 1),
)
def test_the_gradients_of_a_scan(be, f, carry, rows, factor, w, reverse, at):
    """The last carry and the results of a scan have the gradients of the loop: by the first carry,
    by every row, and by what steps use from around them, to which each of them adds.
    """

    def scanned(c, x, a):
        return be.scan(lambda c, x: f.step(c, x, a), c, x, reverse=reverse)[at]

    cotangent = w if at else w[0]
    _, pull = be.vjp(scanned, carry, rows, factor)
    true = f.gradients(at, cotangent, carry, rows, factor, reverse=reverse)
    for found, want, name in zip(pull(cotangent), true, ("carry", "rows", "factor"), strict=True):
        be.check_gradient(found, want, f"gradient by the {name}")


@claim("CFL-03", about="scan", needs="scan vjp create_graph")
@given(
    f=recurrences(),
    carry=CARRY,
    rows=ROWS,
    factor=FACTOR,
    w=COTANGENTS,
    v=arrays("second cotangent", shape=(3, 2), values=NONZERO),
)
def test_the_gradients_of_a_scan_are_differentiated(be, f, carry, rows, factor, w, v):
    """The gradients of a scan are differentiated as those of the loop are."""

    def gradient(c):
        shared = be.tensor(factor)
        _, pull = be.vjp(
            lambda c, x: be.scan(lambda c, x: f.step(c, x, shared), c, x)[1],
            c,
            rows,
            create_graph=True,
        )
        return pull(w)[1]

    _, pull = be.vjp(gradient, carry)
    be.check_gradient(pull(v)[0], f.moved(1, w, v, rows, factor))


@claim("CFL-04", about="scan", needs="scan jvp")
@example(
    f=RECURRENCES[0],
    carry=np.ones(2),
    rows=np.arange(1.0, 7.0).reshape(3, 2),
    factor=np.ones(2),
    along=np.ones(2),
    reverse=True,
    at=1,
)
@given(
    f=recurrences(),
    carry=CARRY,
    rows=ROWS,
    factor=FACTOR,
    along=arrays("tangent", shape=(2,), values=NONZERO),
    reverse=booleans(),
    at=integers(0, 1),
)
def test_a_scan_carries_tangents(be, f, carry, rows, factor, along, reverse, at):
    """In forward mode the last carry and the results of a scan have the derivatives of the loop."""
    shared, over = be.tensor(factor), be.tensor(rows)

    def scanned(c):
        return be.scan(lambda c, x: f.step(c, x, shared), c, over, reverse=reverse)[at]

    _, tangent = be.jvp(scanned, [carry], [along])
    be.check(tangent, f.along(at, along, rows, factor, reverse=reverse))


@claim("CFL-05", about="scan", needs="scan vmap")
@example(f=RECURRENCES[-1], carry=np.ones((3, 2)), rows=np.ones((3, 2)), factor=np.ones(2), at=0)
@given(
    f=recurrences(),
    carry=arrays("carries", shape=(3, 2), layouts=COMPACT),
    rows=ROWS,
    factor=FACTOR,
    at=integers(0, 1),
)
def test_a_mapped_scan_has_a_carry_for_each_slice(be, f, carry, rows, factor, at):
    """A scan that is mapped over its first carry scans the same rows for every slice."""
    shared, over = be.tensor(factor), be.tensor(rows)
    mapped = be.vmap(lambda c: be.scan(lambda c, x: f.step(c, x, shared), c, over)[at], (0,))
    be.check(mapped(be.tensor(carry)), stacked([f.value(at, c, rows, factor) for c in carry], 0))


@claim("CFL-06", about="scan", needs="scan vjp")
@given(
    f=recurrences(),
    carry=CARRY,
    rows=arrays("rows", shape=(2, 3, 2)),
    factor=FACTOR,
    w=arrays("cotangent", shape=(2,), values=NONZERO),
)
def test_scans_stand_within_scans(be, f, carry, rows, factor, w):
    """A step may scan rows of its own: all rows together are one scan of all of them."""

    def inner(c, x, a):
        # Not counted: what compiles the outer step may refuse that.
        return be.backend.scan(lambda c, x: f.step(c, x, a), c, x)[0]

    def outer(c, x, a):
        return be.scan(lambda c, x: (inner(c, x, a), c * a), c, x)[0]

    _, pull = be.vjp(outer, carry, rows, factor)
    by_carry, by_rows, by_factor = f.gradients(0, w, carry, rows.reshape(6, 2), factor)
    found = pull(w)
    be.check_gradient(found[0], by_carry, "gradient by the carry")
    be.check_gradient(found[1], by_rows.reshape((2, 3, 2)), "gradient by the rows")
    be.check_gradient(found[2], by_factor, "gradient by the factor")


@claim("CFL-08", about="scan", needs="scan vmap vjp")
@given(
    f=recurrences(carried=True),
    carry=arrays("carries", shape=(3, 2), layouts=COMPACT),
    rows=ROWS,
    factor=FACTOR,
    w=COTANGENTS,
)
def test_steps_are_mapped(be, f, carry, rows, factor, w):
    """A step may map a function over its carry: the last carry and its gradient are, slice by
    slice, those of scans of one slice.
    """

    def scanned(c, x, a):
        def step(c, x):
            # Not counted: what compiles the step may refuse that.
            both = [be.backend.vmap(lambda c, at=at: f.step(c, x, a)[at], (0,)) for at in (0, 1)]
            return both[0](c), both[1](c)

        return be.scan(step, c, x)[0]

    value, pull = be.vjp(scanned, carry, rows, factor)
    be.check(value, stacked([f.value(0, c, rows, factor) for c in carry], 0))
    each = [f.gradients(0, v, c, rows, factor) for v, c in zip(w, carry, strict=True)]
    by_carry, by_rows, by_factor = pull(w)
    be.check_gradient(by_carry, stacked([one[0] for one in each], 0), "gradient by the carry")
    be.check_gradient(by_rows, summed([one[1] for one in each]), "gradient by the rows")
    be.check_gradient(by_factor, summed([one[2] for one in each]), "gradient by the factor")


@claim("CFL-07", about="associative_scan", needs="associative_scan vjp")
@given(x=arrays("rows", shape=(3, 2, 2)), w=arrays("cotangent", shape=(3, 2, 2), values=NONZERO))
def test_rows_are_joined_with_all_before_them(be, x, w):
    """An associative scan joins each row with all before it, in their order, and has the gradients
    of these products.
    """
    value, pull = be.vjp(lambda z: be.associative_scan(lambda a, b: a @ b, z), x)
    be.check(
        value,
        Total.products(lambda a, b, c: np.stack([a, a @ b, a @ b @ c]), *x),
    )
    true = Total.products(
        lambda w, a, b, c: np.stack(
            [
                w[0] + w[1] @ b.T + w[2] @ (b @ c).T,
                a.T @ w[1] + a.T @ w[2] @ c.T,
                (a @ b).T @ w[2],
            ]
        ),
        w,
        *x,
    )
    be.check_gradient(pull(w)[0], true)


# ---- branches ------------------------------------------------------------------------------------


@claim("CFL-10", about="branch", needs="branches vjp")
@given(
    x=arrays("operand", shape=(2,)),
    y=arrays("other", shape=(2,)),
    a=arrays("shared", shape=(2,)),
    w=arrays("cotangent", shape=(2,), values=NONZERO),
    holds=booleans(),
)
def test_a_branch_has_the_gradients_of_what_it_takes(be, x, y, a, w, holds):
    """What a predicate decides has the value and the gradients of the function that is taken: to
    operands, and to what it uses from around it; what is used by the other one alone gets zero.
    """
    predicate = be.tensor(np.array(holds))

    def decided(x, y, a):
        return be.branch(predicate, lambda x, _: x * x * a, lambda x, y: x * y + y, x, y)

    value, pull = be.vjp(decided, x, y, a)
    be.check(value, Total.of(x * x * a) if holds else Total.of(x * y, y))
    taken = [(2 * w * x * a,), (0 * w,), (w * x * x,)]
    other = [(w * y,), (w * x, w), (0 * w,)]
    for found, terms in zip(pull(w), taken if holds else other, strict=True):
        be.check_gradient(found, Total.of(*terms))


@claim("CFL-11", about="branch", needs="branches vjp")
@example(x=np.zeros(2), w=np.ones(2))
@given(x=arrays("operand", shape=(2,)), w=arrays("cotangent", shape=(2,), values=NONZERO))
def test_the_other_branch_leaves_no_trace(be, x, w):
    """The function that is not taken leaves no trace in the gradient, were it nan or infinite
    there.
    """
    predicate = be.tensor(np.array(bool(x.all())))
    _, pull = be.vjp(lambda z: be.branch(predicate, lambda z: 1 / z, lambda z: z * 3, z), x)
    with np.errstate(divide="ignore"):
        be.check_gradient(pull(w)[0], Total.of(-w / x**2 if x.all() else 3 * w))


@claim("CFL-12", about="branch", needs="branches vjp create_graph")
@given(
    x=arrays("operand", shape=(2,)),
    w=arrays("cotangent", shape=(2,), values=NONZERO),
    v=arrays("second cotangent", shape=(2,), values=NONZERO),
    holds=booleans(),
)
def test_the_gradients_of_a_branch_are_differentiated(be, x, w, v, holds):
    """The gradients of what is taken are differentiated, what stands beside it in a sum too."""
    predicate = be.tensor(np.array(holds))

    def decided(z):
        return be.branch(predicate, lambda z: z * z * z, lambda z: z * z, z) + z * z

    def gradient(z):
        return be.vjp(decided, z, create_graph=True)[1](w)[0]

    _, pull = be.vjp(gradient, x)
    be.check_gradient(pull(v)[0], Total.of(6 * x * w * v if holds else 2 * w * v, 2 * w * v))


@claim("CFL-13", about="branch", needs="branches vmap vjp")
@given(
    x=arrays("batch", shape=(3, 2)),
    w=COTANGENTS,
    holds=lists(booleans(), min_size=3, max_size=3),
)
def test_a_mapped_predicate_decides_for_each_slice(be, x, w, holds):
    """Where the predicate is mapped as well, each slice has the value and the gradient of the
    function that its own entry takes.
    """
    taken = np.array(holds)[:, None]
    predicates = be.tensor(taken[:, 0])

    def decided(p, z):
        return be.branch(p, lambda z: z * z, lambda z: z * 3, z)

    value, pull = be.vjp(lambda z: be.vmap(decided, (0, 0))(predicates, z), x)
    be.check(value, np.where(taken, x * x, 3 * x))
    be.check_gradient(pull(w)[0], Total.of(np.where(taken, 2 * x * w, 3 * w)))


# ---- loops ---------------------------------------------------------------------------------------


@claim("CFL-20", about="while_loop", needs="loops")
@given(x=arrays("start", shape=(2,), layouts=COMPACT, values=NONZERO), most=integers(0, 40))
def test_a_loop_runs_while_its_condition_holds(be, x, most):
    """A loop runs while the condition on its values holds, which may be not at all."""
    found = be.while_loop(lambda z: z[0] * z[0] < most, lambda z: z * 2, be.tensor(x))
    y = x
    while y[0] * y[0] < most:
        y = y * 2
    be.check(found, y)


@claim("CFL-21", about="while_loop", needs="loops jvp")
@given(
    x=arrays("start", shape=(2,), layouts=COMPACT, values=NONZERO),
    v=arrays("tangent", shape=(2,), values=NONZERO),
    most=integers(1, 40),
)
def test_a_loop_carries_tangents(be, x, v, most):
    """In forward mode a loop has the derivative of as many times through it as were run."""
    _, tangent = be.jvp(
        lambda z: be.while_loop(lambda z: z[0] * z[0] < most, lambda z: z * 2, z), [x], [v]
    )
    y = x
    while y[0] * y[0] < most:
        y, v = y * 2, v * 2
    be.check(tangent, v)


@claim("CFL-22", about="while_loop", needs="loops vjp")
@given(
    x=arrays("start", shape=(2,), layouts=COMPACT, values=NONZERO),
    a=integers(2, 4),
    w=arrays("cotangent", shape=(2,), values=NONZERO),
    n=integers(1, 4),
)
def test_a_loop_is_differentiated_backwards(be, x, a, w, n):
    """The gradients of a loop that runs are those of as many times through it, by where it starts
    and by what its body uses from around it.
    """
    most = (x[0] * a ** (n - 1)) ** 2

    def run(z, a):
        return be.while_loop(lambda z: z[0] * z[0] <= most, lambda z: z * a, z)

    _, pull = be.vjp(run, x, float(a))
    by_start, by_factor = pull(w)
    be.check_gradient(by_start, Total.of(w * a**n))
    be.check_gradient(by_factor, Total.of(*(n * w * x * float(a) ** (n - 1))))


@claim("CFL-24", about="while_loop", needs="loops vjp")
@given(
    x=arrays("start", shape=(2,), layouts=COMPACT, values=NONZERO),
    a=integers(2, 4),
    w=arrays("cotangent", shape=(2,), values=NONZERO),
)
def test_a_loop_that_does_not_run_is_the_identity(be, x, a, w):
    """What a loop returns whose condition is false at the start has the cotangent as its gradient,
    and nothing of it comes from what the body would have used.
    """

    def run(z, a):
        return be.while_loop(lambda z: z[0] * z[0] < 0, lambda z: z * a, z)

    value, pull = be.vjp(run, x, float(a))
    by_start, by_factor = pull(w)
    be.check(value, x)
    be.check_gradient(by_start, w)
    be.check_gradient(by_factor, Total.of(0.0))
