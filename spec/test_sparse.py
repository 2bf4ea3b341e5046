"""Sparse: tensors, and gradients, that store few of their entries."""

import numpy as np

from gradspec.conformance import Total, claim, every, given
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.strategies.sparse import (
    AMONG,
    ENTRIES,
    LAYOUTS,
    MATRIX,
    SPARSE_MM,
    Beside,
    Stored,
    among_sparse,
    beside_dense,
    converted,
    dense,
    made,
    masked,
    numbers,
    product,
    rectified,
    sampled,
    shares,
    squared,
    stored,
    summed,
    through_sparse,
    turned,
)
from gradspec.conformance.strategies.sparse_gradients import bags, walk

NO_WORKLOAD = "what it is worth to store few entries hangs on how few they are"

SEEDS = integers(0, 2**32)
COMPRESSED = LAYOUTS[1:]

# ---- in and out of the layouts -------------------------------------------------------------------


@claim("SPR-01", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, tail=sampled_from([(), (2,), (2, 3)]))
def test_entries_of_one_place_add_up(be, seed, tail):
    """Written out in full, a tensor in coordinates has at each place the sum of what is stored for
    it, and zeros elsewhere. Each value that is stored has the gradient of its place.
    """
    case = stored(np.random.default_rng(seed), "coo", tail=tail)
    Beside((case,), (), lambda _be, x: x, lambda x: x, seed).check(be, "tensor in coordinates")


@claim("SPR-02", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, layout=sampled_from(COMPRESSED), tail=sampled_from([(), (2,)]))
def test_compressed_entries_have_the_gradients_of_their_places(be, seed, layout, tail):
    """A matrix whose rows or columns are compressed, of entries or of blocks, has its values where
    its indices say and zeros elsewhere. Each value has the gradient of its place.
    """
    case = stored(np.random.default_rng(seed), layout, tail=tail)
    Beside((case,), (), lambda _be, x: x, lambda x: x, seed).check(be, layout)


@claim("SPR-03", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, told=sampled_from([{}, {"masked_grad": True}, {"masked_grad": False}]))
def test_what_is_made_sparse_comes_out_as_it_was(be, seed, told):
    """to_dense undoes to_sparse, in any layout, with any number of dense axes and by blocks. It
    hands the gradients of entries that are stored on, and with masked_grad=False all of them; the
    places of entries do not require grad.
    """
    case = made(seed)
    leaf, w = be.leaf(case.x), numbers(np.random.default_rng(seed), *case.x.shape)
    sparse = case.of(be, leaf)
    ways = {"r": ["crow_indices", "col_indices"], "c": ["ccol_indices", "row_indices"]}
    for name in ways.get(case.method[-1], ["indices"]):
        assert not be.requires_grad(getattr(sparse, name)()), name
    whole = sparse.to_dense(**told)
    be.check(whole, case.x)
    (found,) = be.gradients(whole, [leaf], be.tensor(w))
    be.check(found, w * case.there if told.get("masked_grad", True) else w)


@claim("SPR-04", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, layout=sampled_from(LAYOUTS), masked_grad=booleans())
def test_the_gradient_of_a_sparse_leaf_is_sparse(be, seed, layout, masked_grad):
    """A sparse leaf that to_dense writes out has a gradient in its own layout, which is the
    cotangent at the entries that the leaf stores, and with masked_grad=False everywhere.
    """
    rng = np.random.default_rng(seed)
    case = stored(rng, layout)
    leaf, w = be.set_requires_grad(case.of(be, be.tensor(case.values))), numbers(rng, *case.sizes)
    whole = leaf.to_dense(masked_grad=masked_grad)
    (found,) = be.gradients(whole, [leaf], be.tensor(w))
    assert found.layout == leaf.layout
    if masked_grad:
        assert found.values().numel() == case.there.sum()
    be.check(dense(found), w * case.there if masked_grad else w)


@claim("SPR-05", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, tail=sampled_from([(), (2,)]))
def test_coalescing_sorts_places_and_adds_what_they_share(be, seed, tail):
    """A coalesced tensor stores each place once, in the order of its indices, with the sum of what
    was stored for it. The gradient of a sum is that of each of its terms.
    """
    rng = np.random.default_rng(seed)
    case = stored(rng, "coo", tail=tail)
    leaf = be.leaf(case.values)
    short = be.lookup("torch:Tensor.coalesce")(case.of(be, leaf))
    at, back = np.unique(np.stack(case.at), axis=1, return_inverse=True)
    assert short.is_coalesced()
    be.same(short.indices(), at)
    be.check(short.values(), Total.products(lambda v: case.spread(v)[tuple(at)], case.values))
    w = numbers(rng, at.shape[1], *tail)
    (found,) = be.gradients(short.values(), [leaf], be.tensor(w))
    be.check(found, w[back.ravel()])


@claim("SPR-06", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_layouts_are_exchanged(be, seed):
    """A matrix that goes from one sparse layout to others has the same entries in each, and its
    values the gradients of their places.
    """
    converted(seed).check(be, "a matrix in several layouts")


@claim("SPR-07", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_sparse_axes_are_exchanged(be, seed):
    """transpose exchanges two sparse axes of a tensor in coordinates, and of its gradient, and
    index_select picks along any axis, counted from either end, what take picks of the whole.
    """
    case = turned(seed)
    case.check(be, "a transpose")
    (tensor,) = case.sparse
    made, whole = tensor.of(be, be.tensor(tensor.values)), tensor.spread(tensor.values)
    for axis in range(-whole.ndim, whole.ndim):
        at = np.arange(2 * whole.shape[axis])[::-3] % whole.shape[axis]
        picked = be.lookup("torch:index_select")(made, axis, be.tensor(at.copy()))
        be.check(dense(picked), Total.of(np.take(whole, at, axis)))


@claim("SPR-08", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_a_mask_picks_entries(be, seed):
    """sparse_mask picks the entries of a dense tensor at which a sparse one stores something, and
    these alone have its gradient.
    """
    masked(seed).check(be, "what a mask picks")


# ---- products ------------------------------------------------------------------------------------


@claim("SPR-10", about="lookup", needs="gradients torch", level="contract")
@every(way=[*MATRIX])
@given(
    seed=SEEDS,
    layout=sampled_from(LAYOUTS[:3]),
)
def test_a_sparse_factor_counts_as_a_whole_one(be, seed, layout, way):
    """A product of a sparse matrix and a dense tensor, from either side, added to another or not,
    is that of the whole matrix, and so are the gradients of both, those of the values among them.
    """
    product(seed, layout, way).check(be, f"{way} of {layout}")


@claim("SPR-11", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, layout=sampled_from(LAYOUTS[:2]), way=sampled_from([*SPARSE_MM]))
def test_products_may_keep_gradients_sparse(be, seed, layout, way):
    """The gradient of torch.sparse.mm and torch.sparse.addmm for a sparse matrix has its layout,
    and holds the gradient of the dense product at the entries that it stores.
    """
    case = product(seed, layout, way, masked=True)
    case.check(be, f"torch.sparse.{way} of {layout}")
    (matrix,), others = case.sparse, [be.tensor(x) for x in case.others]
    leaf = be.set_requires_grad(matrix.of(be, be.tensor(matrix.values)))
    result = case.program(be, leaf, *others)
    w = numbers(np.random.default_rng(seed), *be.shape(result))
    (found,) = be.gradients(result, [leaf], be.tensor(w))
    assert found.layout == leaf.layout
    w = -2.0 * w if way == "addmm" else w
    true = Total.products(lambda w, b, t: (w @ b.T) * t, w, case.others[-1], matrix.there)
    be.check(dense(found), true)


@claim("SPR-12", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, layout=sampled_from(LAYOUTS[:2]))
def test_sparse_matrices_are_multiplied(be, seed, layout):
    """A product of two sparse matrices of one layout is that of the whole ones, and their values
    have the gradients of these.
    """
    squared(seed, layout).check(be, f"{layout} @ {layout}")


@claim("SPR-13", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_matrices_are_multiplied_in_another_layout(be, seed):
    """Matrices in coordinates that are multiplied with their rows compressed have the gradients of
    the product of the whole ones.
    """
    squared(seed, "coo", by="csr").check(be, "a product of compressed rows")


@claim("SPR-14", about="lookup", needs="torch", level="contract")
@given(seed=SEEDS, layout=sampled_from(LAYOUTS[:2]))
def test_a_product_of_sparse_matrices_has_its_value(be, seed, layout):
    """torch.sparse.mm of two matrices in coordinates, or with compressed rows, is the product of
    the whole ones.
    """
    pair = squared(seed, layout).sparse
    got = be.lookup("torch.sparse:mm")(*(each.of(be, be.tensor(each.values)) for each in pair))
    whole = [each.spread(each.values) for each in pair]
    be.check(dense(got), Total.matmul(*whole))


@claim("SPR-15", about="lookup", needs="torch", level="contract")
@given(seed=SEEDS)
def test_a_product_of_compressed_columns_has_its_value(be, seed):
    """torch.sparse.mm of two matrices with compressed columns is the product of the whole ones."""
    pair = squared(seed, "csc").sparse
    got = be.lookup("torch.sparse:mm")(*(each.of(be, be.tensor(each.values)) for each in pair))
    whole = [each.spread(each.values) for each in pair]
    be.check(dense(got), Total.matmul(*whole))


@claim("SPR-16", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_a_product_is_sampled(be, seed):
    """sampled_addmm computes a product of dense matrices where a sparse one stores entries, times
    alpha, and adds beta times these; all three have the gradients of that.
    """
    sampled(seed).check(be, "a product at some places")


# ---- entry by entry, and along axes --------------------------------------------------------------


@claim("SPR-20", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS, way=sampled_from([*ENTRIES]))
def test_sparse_tensors_meet_dense_ones(be, seed, way):
    """A sum or product of a tensor in coordinates and a dense one, with a factor or without, is
    that of whole tensors, and so are the gradients of both.
    """
    beside_dense(seed, way).check(be, way)


@claim("SPR-21", about="lookup", needs="gradients torch", level="contract")
@every(way=[*AMONG])
@given(
    seed=SEEDS,
)
def test_sparse_tensors_are_added_and_multiplied(be, seed, way):
    """Sums and products of tensors in coordinates and numbers are those of whole tensors, and so
    are the gradients of what is stored: wherever each of them stores it, and however often.
    """
    among_sparse(seed, way).check(be, way)


@claim("SPR-22", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_sparse_tensors_are_added_up(be, seed):
    """torch.sparse.sum adds up along all axes or some, sparse ones and dense ones, counted from
    either end, and hands its gradient to what is stored.
    """
    summed(seed).check(be, "a sum along axes")


@claim("SPR-23", about="lookup", needs="gradients torch", level="contract")
@every(name=("softmax", "log_softmax"))
@given(seed=SEEDS, behind=booleans())
def test_shares_are_of_what_is_stored(be, seed, name, behind):
    """torch.sparse.softmax and log_softmax along an axis, counted from either end, are taken among
    the entries that are stored, as if others were -inf, and so are their gradients.
    """
    for along in shares(seed, name, behind=behind):
        along.check(be, name)


@claim("SPR-24", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_entries_are_cut_off_at_zero(be, seed):
    """relu of a matrix in coordinates has the gradient of relu, by whatever its result is
    multiplied.
    """
    rectified(seed).check(be, "relu of a sparse matrix")


# ---- second derivatives --------------------------------------------------------------------------


@claim("SPR-30", about="gradients", needs="gradients create_graph torch", level="contract")
@given(seed=SEEDS, layout=sampled_from(LAYOUTS[:3]))
def test_dense_matrices_are_multiplied_as_sparse_ones(be, seed, layout):
    """A dense matrix that is multiplied as a sparse one has the first and the second derivatives of
    the dense product, those of its zeros among them.
    """
    case = through_sparse(seed, layout)
    case.check(be, f"a product by {layout}")
    case.check_twice(be, f"a product by {layout}")


@claim("SPR-31", about="gradients", needs="gradients create_graph torch", level="contract")
@given(seed=SEEDS, way=sampled_from(["@", "mm", "mv", "addmm"]))
def test_values_have_second_derivatives(be, seed, way):
    """Values that are stored in coordinates have the second derivatives of the product that they
    are a factor of.
    """
    product(seed, "coo", way).check_twice(be, f"{way} of coo")


# ---- gradients that are sparse -------------------------------------------------------------------


@claim("SPR-40", about="layer", needs="backward nn data torch", level="contract")
@given(
    seed=SEEDS, x=arrays("table", shape=(4, 2), layouts=DENSE), w=arrays("cotangent", shape=(6, 2))
)
def test_tables_of_rows_have_sparse_gradients(be, seed, x, w):
    """Told sparse, a table of rows, or one of bags of rows that are added or averaged, has the
    gradient that it has otherwise, but stores no row of it that was not looked up.
    """
    case, found = bags(seed), []
    w = w[: len(case.rows)]
    for sparse in (True, False):
        layer = case.layer(be, x, sparse=sparse)
        be.backward(be.sum(be.mul(w, case.looked_up(be, layer))))
        found.append(be.grad(layer.weight))
    assert [each.is_sparse for each in found] == [True, False]
    assert {*be.numpy(found[0].coalesce().indices())[0]} <= {*case.rows.ravel()}
    for gradient in found:
        be.check(dense(gradient), Total.matmul(case.weights.T, w))


@claim("SPR-41", about="backward", needs="backward nn torch", level="contract")
@given(
    at=lists(integers(0, 3), min_size=3, max_size=3),
    v=arrays("cotangent", shape=(3, 2)),
    u=arrays("table", shape=(4, 2)),
    passes=lists(sampled_from(["rows", "table", "both"]), min_size=1, max_size=4),
)
def test_sparse_and_dense_gradients_add_up_in_any_order(be, at, v, u, passes):
    """Gradients of rows and of whole tables add up to the whole sum, over passes in any order and
    within one pass. What is in .grad is sparse as long as all of them are.
    """
    layer, index, terms = be.layer("Embedding", 4, 2, sparse=True), be.tensor(np.array(at)), []
    for way in passes:
        rows, table = be.sum(be.mul(v, layer(index))), be.sum(be.mul(u, layer.weight))
        be.backward({"rows": rows, "table": table, "both": rows + table}[way])
        if way != "table":
            terms += [np.eye(4)[:, n, None] * row for n, row in zip(at, v, strict=True)]
        terms += [u] * (way != "rows")
        gradient, whole = be.grad(layer.weight), any(term is u for term in terms)
        assert gradient.is_sparse == (not whole)
        be.check(dense(gradient), Total.of(*terms))


@claim(
    "SPR-42", about="register_hook", needs="backward hooks leaf_hooks nn torch", level="contract"
)
@given(at=lists(integers(0, 3), min_size=3, max_size=3), v=arrays("cotangent", shape=(3, 2)))
def test_hooks_see_gradients_as_sparse_as_they_are(be, at, v):
    """A hook on a table sees a gradient that is sparse, and what it returns is added to .grad; one
    that runs afterwards finds there what came of it.
    """
    layer, seen = be.layer("Embedding", 4, 2, sparse=True), []
    be.register_hook(layer.weight, lambda g: [seen.append(g), 2.0 * g][1])
    be.register_post_accumulate_hook(layer.weight, lambda p: seen.append(be.grad(p)))
    be.backward(be.sum(be.mul(v, layer(be.tensor(np.array(at))))))
    terms = [np.eye(4)[:, n, None] * row for n, row in zip(at, v, strict=True)]
    for gradient, factor in zip(seen, (1.0, 2.0), strict=True):
        assert gradient.is_sparse
        be.check(dense(gradient), Total.of(*(factor * term for term in terms)))
    assert seen[1] is be.grad(layer.weight)


@claim("SPR-43", about="lookup", needs="gradients torch", level="contract")
@given(seed=SEEDS)
def test_what_is_gathered_may_have_a_sparse_gradient(be, seed):
    """gather with sparse_grad=True has a gradient that is sparse and, written out, that of gather:
    what is picked twice has the sum of both.
    """
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 4, size=rng.integers(1, 4)).tolist())
    axis, picked = int(rng.integers(len(shape))), [int(rng.integers(1, n + 1)) for n in shape]
    index = rng.integers(0, shape[axis], size=picked)
    leaf, w = be.leaf(numbers(rng, *shape)), numbers(rng, *picked)
    got = be.lookup("torch:gather")(leaf, axis, be.tensor(index), sparse_grad=True)
    (found,) = be.gradients(got, [leaf], be.tensor(w))
    places = [index if n == axis else p for n, p in enumerate(np.indices(picked))]
    case = Stored("coo", shape, tuple(p.ravel() for p in places), w.ravel())
    assert found.is_sparse
    be.check(dense(found), Total.products(case.spread, case.values))


# ---- optimizers ----------------------------------------------------------------------------------


@claim("SPR-50", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(seed=SEEDS)
def test_sparse_adam_moves_what_it_meets(be, seed):
    """SparseAdam moves the rows that a gradient stores as Adam does, with the sum of what is stored
    for them. Other rows keep their place and both their means, while the count of steps goes on.
    """
    walk(seed, "SparseAdam").check(be)


@claim("SPR-51", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(seed=SEEDS)
def test_sparse_gradients_move_as_dense_ones(be, seed):
    """SGD, with momentum or without, and Adagrad walk by sparse gradients as by dense ones."""
    walk(seed, "SGD", "Adagrad").check(be)
