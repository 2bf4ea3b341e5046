"""Products: vectors, matrices, batches of them, and sums by the names of the axes."""

from functools import partial

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import NONZERO, arrays, booleans, integers
from gradspec.conformance.strategies.products import (
    LENGTHS,
    NO_BATCH,
    PAIRED,
    Contraction,
    Product,
    contractions,
    products,
)

NOTE = Product(np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3), np.ones((2, 3)))
GRAM = partial(np.einsum, "ij,kj,kl->il")
BATCHES = Product(np.ones((5, 1, 2, 3)), np.ones((7, 3, 4)), np.ones((5, 7, 2, 4)))


@workload
def correlations(be, leaf):
    """The products of four columns with each other, sent back as their own cotangent."""
    columns = be.reshape(leaf, (-1, 4))
    value, pull = be.vjp(lambda x: be.matmul(be.transpose(x, 0, 1), x), columns)
    return pull(value)[0]


@claim("OPS-55", about="matmul", needs="vjp reshape transpose", level="contract")
@example(product=NOTE, x=np.ones((2, 4)))
@example(product=BATCHES, x=np.ones((2, 4)))
@given(product=products(vectors=True), x=arrays("columns", shape=(2, 4)))
def test_matmul_goes_by_the_ranks_of_its_operands(be, product, x):
    """matmul multiplies matrices; leading axes broadcast, a vector is a row on the left and a
    column on the right, and the axis it lacks is missing in the result. The operator @ is the same.
    """
    got, pull = be.vjp(be.matmul, product.x, product.y)
    be.check(got, product.value)
    be.same(be.tensor(product.x) @ be.tensor(product.y), got)
    for gradient, want in zip(pull(product.w), product.gradients, strict=True):
        be.check(gradient, want)
    be.check(correlations(be, be.tensor(x.ravel())), Total.products(GRAM, 2 * x, x, x))


@claim("OPS-57", about="mm", needs="vjp matmul mm", level="contract")
@example(product=NOTE, x=np.ones((2, 3)))
@given(product=products(NO_BATCH), x=arrays("matrix", shape=(2, 3)))
def test_mm_multiplies_two_matrices_only(be, product, x):
    """mm is the product of two matrices: vectors and batches are refused, which matmul takes. Both
    refuse operands of different dtypes and inner sizes that differ; matmul refuses scalars.
    """
    got, pull = be.vjp(be.mm, product.x, product.y)
    be.check(got, product.value)
    for gradient, want in zip(pull(product.w), product.gradients, strict=True):
        be.check(gradient, want)
    m, turned, whole = be.tensor(x), be.tensor(x.T), be.tensor(x.T.astype(np.int64))
    for left, right in ((m[None], turned), (m, turned[None]), (m, m[0]), (m[:, 0], m)):
        be.matmul(left, right)
        with be.raises(ErrorKind.SHAPE):
            be.mm(left, right)
    for multiply in (be.mm, be.matmul):
        with be.raises(ErrorKind.SHAPE):
            multiply(m, m)
        with be.raises(ErrorKind.DTYPE):
            multiply(m, whole)
    with be.raises(ErrorKind.SHAPE):
        be.matmul(m, m[0, 0])


@claim("OPS-58", about="bmm", needs="vjp bmm", level="contract")
@given(product=products(PAIRED), x=arrays("matrix", shape=(2, 3)))
def test_bmm_multiplies_batches_pairwise(be, product, x):
    """bmm multiplies the matrices of two batches one by one. A batch of one is not repeated, and
    anything but three axes is refused.
    """
    got, pull = be.vjp(be.bmm, product.x, product.y)
    be.check(got, product.value)
    for gradient, want in zip(pull(product.w), product.gradients, strict=True):
        be.check(gradient, want)
    one, two = be.tensor(x[None]), be.tensor(np.stack([x.T, x.T]))
    for left, right in ((one, two), (one[0], two[0]), (one, two[0]), (one, one)):
        with be.raises(ErrorKind.SHAPE):
            be.bmm(left, right)


@claim("OPS-59", about="einsum", needs="vjp einsum", level="contract")
@example(sums=Contraction(("ab", "bc"), "ac", (np.ones((2, 2)), np.ones((2, 3))), np.ones((2, 3))))
@example(sums=Contraction(("bb",), "", (np.arange(4.0).reshape(2, 2),), np.array(1.0)))
@example(sums=Contraction(("bib",), "i", (np.arange(12.0).reshape(2, 3, 2),), np.ones(3)))
@example(sums=Contraction(("ac", "bcb"), "ba", (np.ones((2, 3)), np.ones((2, 3, 2))), np.eye(2)))
@example(sums=Contraction(("ib",), "bi", (np.arange(6.0).reshape(3, 2),), np.ones((2, 3))))
@given(sums=contractions())
def test_einsum_sums_over_what_is_not_kept(be, sums):
    """einsum multiplies its operands, axes of one name running together, a diagonal if in one
    operand, and sums over every name that the result does not keep. If nothing is said it keeps, in
    the order of the alphabet, the names that stand once.
    """
    got, pull = be.vjp(lambda *operands: be.einsum(sums.equation, *operands), *sums.operands)
    be.check(got, sums.value)
    for gradient, want in zip(pull(sums.w), sums.gradients, strict=True):
        be.check(gradient, want)


@claim("OPS-841", about="lookup", needs="einsum torch", level="contract", widest=True)
@given(sums=contractions(), first=integers(0, 52 - len(LENGTHS)))
def test_einsum_takes_lists_of_numbers(be, sums, first):
    """einsum takes a list of numbers below 52 after each operand, and one of the axes to keep, for
    the names of an equation, and an Ellipsis for its dots.
    """
    numbers = {name: first + n for n, name in enumerate(LENGTHS)}
    operands, einsum = [*map(be.tensor, sums.operands)], be.lookup("torch:einsum")
    listed = [[numbers[name] for name in names] for names in sums.names]
    mixed = [each for pair in zip(operands, listed, strict=True) for each in pair]
    be.check(einsum(*mixed, [numbers[name] for name in sums.kept]), sums.value)
    dotted = einsum(operands[0], [..., listed[0][-1]], [listed[0][-1], ...])
    be.same(dotted, np.moveaxis(be.numpy(operands[0]), -1, 0))
    for wrong in (-1, 52):
        with pytest.raises(ValueError, match="valid range"):
            einsum(operands[0], [..., wrong], [...])


@claim("OPS-117", about="einsum", needs="einsum torch", level="contract")
@given(x=arrays("matrix", shape=(2, 3)))
def test_einsum_refuses_what_does_not_fit(be, x):
    """einsum refuses an equation with more or fewer names than axes, or operands, sizes of one name
    that differ, a name in the result that no operand has or that stands there twice, and what is no
    name.
    """
    m = be.tensor(x)
    for equation, operands in (
        ("abc", [m]),
        ("a", [m]),
        ("ab,bc", [m]),
        ("ab", [m, m]),
        ("ab,ab->c", [m, m]),
        ("ab->aa", [m]),
        ("ab,bc->ac", [m, m]),
        ("aa", [m]),
        ("a1", [m]),
        ("ab->ab->ab", [m]),
    ):
        with be.raises(ErrorKind.ARGUMENT, ErrorKind.SHAPE):
            be.einsum(equation, *operands)


@claim("OPS-224", about="matmul", needs="vjp matmul transpose")
@example(x=np.arange(6.0).reshape(2, 3), left=np.ones((2, 2)), right=np.ones((3, 3)))
@given(
    x=arrays("factor", shape=(2, 3)),
    left=arrays("left", shape=(2, 2)),
    right=arrays("right", shape=(3, 3)),
)
def test_a_factor_may_be_a_view_of_the_other(be, x, left, right):
    """The gradient of X Xᵀ is (G + Gᵀ) X and that of Xᵀ X is X (G + Gᵀ), also where G is not
    symmetric, though both factors lie in the same memory.
    """

    def turned(a):
        return be.transpose(a, 0, 1)

    value, pull = be.vjp(lambda a: be.matmul(a, turned(a)), x)
    be.check(value, Total.matmul(x, x.T))
    be.check(*pull(left), Total.products(lambda g, a: g @ a + g.T @ a, left, x))
    value, pull = be.vjp(lambda a: be.matmul(turned(a), a), x)
    be.check(value, Total.matmul(x.T, x))
    be.check(*pull(right), Total.products(lambda g, a: a @ g + a @ g.T, right, x))


@claim(
    "OPS-740",
    about="cholesky cholesky_upper eigvalsh",
    needs="vjp cholesky cholesky_upper eigvalsh",
    widest=True,
)
@example(x=np.array([[4.0, 1.0], [1.0, 3.0]]), w=np.ones((2, 2)))
@given(
    x=arrays("matrix", shape=(2, 2), values=NONZERO),
    w=arrays("weights", shape=(2, 2), values=NONZERO),
)
def test_the_gradient_by_a_symmetric_matrix_is_symmetric(be, x, w):
    """The gradient by a symmetric matrix of its factors, or of its eigenvalues, is symmetric like
    it, or it is zero on one side of the diagonal.
    """
    a = x @ x.T + np.diag([1.0, 2.0])
    a[1, 0] = a[0, 1]
    for name in ("cholesky", "cholesky_upper", "eigvalsh"):
        value, pull = be.vjp(getattr(be, name), a)
        (gradient,) = pull(w if be.numpy(value).ndim == 2 else w[0])
        g = be.numpy(gradient).astype(float)
        if g[0, 1] and g[1, 0]:
            mean = (g + g.T) / 2
            be.check_gradient(gradient, Total(mean, np.abs(w).sum() + np.abs(g).sum() + 0 * g, 9))


# ---- eigenvalues of matrices that are not symmetric ----------------------------------------------


@claim("GEN-293", about="eigvals eig", needs="vjp eigvals eig real imag sum")
@given(
    x=arrays("square", shape=(4, 4)),
    turning=booleans(),
    power=integers(1, 3),
    w=arrays("cotangent", shape=()),
)
def test_sums_of_powers_of_eigenvalues_are_traces(be, x, turning, power, w):
    """The sum of the p-th powers of all eigenvalues is the trace of A to the p-th power, whose
    gradient is p times the transpose of A to the power p - 1; their imaginary parts add up to zero.
    """
    pair = np.array([[0.0, -4.0], [4.0, 0.0]]) if turning else np.diag([0.0, 16.0])
    a = x / 10 + np.kron(np.diag([0.0, 8.0]), np.eye(2)) + np.kron(np.eye(2), pair)
    size = np.linalg.norm(a)

    def summed(z, values, part):
        roots = values(z)
        product = roots
        for _ in range(power - 1):
            product = product * roots
        return be.sum(part(product))

    gradient = power * np.linalg.matrix_power(a.T, power - 1)
    for values in (be.eigvals, lambda z: be.eig(z)[0]):
        for part, factor in ((be.real, 1.0), (be.imag, 0.0)):
            value, pull = be.vjp(lambda z, v=values, p=part: summed(z, v, p), a)
            true = factor * np.trace(np.linalg.matrix_power(a, power))
            be.check(value, Total(true, np.array(4 * size**power), 64))
            sizes = np.full((4, 4), abs(w) * 4 * power * size ** (power - 1))
            be.check_gradient(*pull(w), Total(factor * w * gradient, sizes, 256))


@claim("GEN-294", about="eig", needs="vjp eig imag real", level="contract")
@given(x=arrays("square", shape=(2, 2)), c=arrays("factor", shape=(), values=NONZERO))
def test_the_phase_of_an_eigenvector_has_no_gradient(be, x, c):
    """A loss that changes with the phase of complex eigenvectors, which nothing determines, has no
    gradient: it is refused. One that takes their entries by their sizes has one.
    """
    a = x / 10 + np.array([[0.0, -4.0], [4.0, 0.0]])
    place = int(np.argmax(np.abs(be.numpy(be.imag(be.eig(be.tensor(a))[1]))[:, 0])))

    def phase(z):
        return be.real(be.eig(z)[1][place, 0])

    def share(z):
        entry = be.eig(z)[1][place, 0]
        return be.real(entry) * be.real(entry) + be.imag(entry) * be.imag(entry)

    _, pull = be.vjp(phase, a)
    with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
        pull(c)
    # The entries of A beside its diagonal are to each other as the squares of their sizes.
    value, pull = be.vjp(share, a)
    sizes = np.array([abs(a[0, 1]), abs(a[1, 0])])
    slope = np.array([[0.0, -a[1, 0]], [a[0, 1], 0.0]]) / sizes.sum() ** 2
    be.check(value, Total(sizes[place] / sizes.sum(), np.array(1.0), 64))
    be.check_gradient(*pull(c), Total((1 - 2 * place) * c * slope, np.full((2, 2), abs(c)), 64))
