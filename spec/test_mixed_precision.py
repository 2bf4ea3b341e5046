"""Mixed precision: blocks in which products are computed in 16 bits, and losses that are scaled."""

from contextlib import nullcontext

import numpy as np
import pytest

from gradspec.conformance import claim, example, given
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    lists,
    permutations,
    sampled_from,
    tuples,
)
from gradspec.conformance.strategies.modes import Escape
from gradspec.conformance.strategies.modules import fill

NO_WORKLOAD = "what 16 bits gain hangs on the device, and is measured on products"

EXACT = np.resize([1.0, -1.0, 2.0, 0.0, -2.0, 0.5, -0.5, 3.0], 256)
"""Numbers of which sums of a few products are exact in 16 bits: what is off by any bit is wrong."""

WIDE, NARROW = "float32", "bfloat16"

# A 0.0 is added to both sides: which zero a sum of zeros is hangs on the order of its terms.


@claim(
    "AMP-01", about="autocast", needs="backward autocast gradients create_graph", level="contract"
)
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    w=arrays("w", shape=(2, 2), values=EXACT),
)
def test_products_in_a_block_are_narrow(be, x, p, w):
    """In a block a product of matrices of float32 has the narrower dtype, and inside of it, in a
    block that is switched off, and afterwards that of its operands. Gradients, those of gradients
    too, arrive in the dtype of the leaf, from all uses.
    """
    make = be.backend.leaf
    a, b = (make(each.astype(np.float32), WIDE, be.device) for each in (x, p))
    with be.autocast(be.device, NARROW):
        results = [be.matmul(a, b)]
        with be.autocast(be.device, NARROW, enabled=False):
            results.append(be.matmul(a, b))
        results.append(be.matmul(a, b))
    results.append(be.matmul(a, b))
    assert [be.dtype_of(y) for y in results] == [NARROW, WIDE, NARROW, WIDE]
    for y in results:
        be.same(be.cast(y, WIDE) + 0.0, (x @ p + 0.0).astype(np.float32))
    total = be.cast(results[0], WIDE) + be.cast(results[2], WIDE)
    weights = be.backend.tensor(w.astype(np.float32), WIDE, be.device)
    first, second = be.gradients(total, [a, b], weights, create_graph=True)
    be.same(first + 0.0, (2 * w @ p.T + 0.0).astype(np.float32), "gradient")
    be.same(second + 0.0, (2 * x.T @ w + 0.0).astype(np.float32), "gradient")
    (mixed,) = be.gradients(be.sum(first), [b])
    be.same(
        mixed + 0.0, np.tile(2 * w.sum(0) + 0.0, (3, 1)).astype(np.float32), "second derivative"
    )


@claim("AMP-02", about="autocast", needs="backward autocast no_grad")
@example(x=np.ones((2, 3)), p=np.ones((3, 2)), recorded=[False, True])
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    recorded=lists(booleans(), min_size=1, max_size=4),
)
def test_modes_mean_the_same_in_a_block(be, x, p, recorded):
    """In a block, too, a product is recorded unless no_grad says otherwise, whatever was computed
    there with the same parameter before: each that was recorded adds its gradient.
    """
    leaf = be.backend.leaf(p.astype(np.float32), WIDE, be.device)
    constant = be.backend.tensor(x.astype(np.float32), WIDE, be.device)
    with be.autocast(be.device, NARROW):
        for flag in recorded:
            with be.enable_grad() if flag else be.no_grad():
                y = be.sum(be.cast(be.matmul(constant, leaf), WIDE))
            assert be.requires_grad(y) == flag
            if flag:
                be.backward(y)
    if any(recorded):
        slopes = sum(recorded) * np.tile(x.sum(0)[:, None], (1, 2))
        be.same(be.grad(leaf) + 0.0, (slopes + 0.0).astype(np.float32), "gradient")


@claim("AMP-03", about="autocast", needs="backward autocast no_grad inplace data fill_")
@example(x=np.ones((2, 3)), p=np.ones((3, 2)), way="under no_grad")
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    way=sampled_from(["under no_grad", "through .data", "not at all"]),
)
def test_a_block_computes_with_what_a_parameter_holds(be, x, p, way):
    """A product in a block is that of the values that its operands hold by then, though one of them
    was written since it was used there before.
    """
    leaf = be.backend.leaf(p.astype(np.float32), WIDE, be.device)
    constant = be.backend.tensor(x.astype(np.float32), WIDE, be.device)
    with be.autocast(be.device, NARROW):
        be.matmul(constant, leaf)
        if way == "under no_grad":
            with be.no_grad():
                be.fill_(leaf, 5.0)
        elif way == "through .data":
            be.fill_(be.data(leaf), 5.0)
        y = be.cast(be.matmul(constant, leaf), WIDE)
    be.same(y + 0.0, x.astype(np.float32) @ be.numpy(leaf) + 0.0)


@claim("AMP-342", about="autocast", needs="backward autocast no_grad optim")
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    steps=integers(1, 3),
)
def test_a_later_block_computes_with_what_a_parameter_became(be, x, p, steps):
    """A product in a block is that of what a parameter holds by then, though steps were taken since
    it was used in blocks before.
    """
    leaf = be.backend.leaf(p.astype(np.float32), WIDE, be.device)
    constant = be.backend.tensor(x.astype(np.float32), WIDE, be.device)
    optimizer = be.optimizer("SGD", [leaf], lr=0.5)
    for _ in range(steps):
        with be.autocast(be.device, NARROW):
            be.backward(be.sum(be.cast(be.matmul(constant, leaf), WIDE)))
        optimizer.step()
        optimizer.zero_grad()
        p = p - 0.5 * x.sum(0)[:, None]
    with be.autocast(be.device, NARROW):
        y = be.cast(be.matmul(constant, leaf), WIDE)
    be.same(y + 0.0, (x @ p + 0.0).astype(np.float32))


@claim("AMP-04", about="checkpoint", needs="backward autocast checkpoint gradients")
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    w=arrays("w", shape=(2, 2), values=EXACT),
)
def test_computing_again_is_in_the_block(be, x, p, w):
    """What is computed again in backward, after the block, is computed as it was in the block."""
    a, b = (be.backend.leaf((each / 3).astype(np.float32), WIDE, be.device) for each in (x, p))
    weights = be.backend.tensor((w / 3).astype(np.float32), WIDE, be.device)

    def products(u, v):
        return be.cast(be.matmul(u * u, be.sin(v)), WIDE)

    with be.autocast(be.device, NARROW):
        plainly, again = products(a, b), be.checkpoint(products, a, b)
    be.same(again, plainly)
    found, true = (be.gradients(y, [a, b], weights) for y in (again, plainly))
    for gradient, other in zip(found, true, strict=True):
        be.same(gradient, other, "gradient")


@claim(
    "AMP-380",
    about="compile autocast",
    needs="backward autocast gradients torch",
    level="contract",
)
@example(x=np.ones((2, 3)), p=np.ones((3, 2)), w=np.ones((2, 2)))
def test_compiled_functions_keep_to_their_blocks(be, x, p, w):
    """What a compiled function computes in a block that is switched off has the gradients that it
    has without a compiler, though the function is called in a block.
    """
    a, b = (be.backend.leaf((each / 3).astype(np.float32), WIDE, be.device) for each in (x, p))
    weights = be.backend.tensor((w / 3).astype(np.float32), WIDE, be.device)
    block, device = be.lookup("torch:autocast"), be.device

    def product(u, v):
        with block(device, enabled=False):
            return u @ v

    with be.autocast(be.device, NARROW):
        plainly, compiled = product(a, b), be.compile(product, "aot_eager")(a, b)
    be.same(compiled, plainly)
    found, true = (be.gradients(y, [a, b], weights) for y in (compiled, plainly))
    for gradient, other in zip(found, true, strict=True):
        be.same(gradient, other, "gradient")


@claim("AMP-05", about="scaler", needs="backward autocast optim", level="contract")
@example(x=np.ones(3), losses=[1.0, np.inf, 1.0, 2.0, np.nan], interval=2)
@example(x=np.ones(3), losses=[1.0, np.inf, 1.0, 1.0, 1.0], interval=3)
@given(
    x=arrays("x", shape=(3,), values=EXACT, layouts=DENSE),
    losses=lists(sampled_from([1.0, 0.5, -2.0, 0.0, np.inf, np.nan]), min_size=1, max_size=6),
    interval=integers(1, 3),
)
def test_a_scaled_loss_takes_the_same_steps(be, x, losses, interval):
    """A loss, and each of several ones, is multiplied by the scale, and gradients are divided by it
    before a step, which is left out if one of them is no finite number. The scale is halved then,
    and doubled after so many steps in a row as make an interval.
    """
    leaf, other = be.leaf(x), be.leaf(x)
    optimizer = be.optimizer("SGD", [leaf, other], lr=0.5)
    scaler = be.scaler(be.device, init_scale=4.0, growth_interval=interval)
    at, scale, steps = x, 4.0, 0
    for loss in losses:
        optimizer.zero_grad()
        be.backward(scaler.scale(be.sum(be.mul(leaf, loss)) + be.sum(other)))
        be.check(be.grad(other), np.full(3, scale), "scaled gradient")
        for n, each in enumerate(scaler.scale((other, leaf))):
            be.check(each, scale * be.numpy((other, leaf)[n]), "one of several")
        scaler.unscale_(optimizer)
        be.check(be.grad(other), np.ones(3), "gradient")
        scaler.step(optimizer)
        scaler.update()
        steps = steps + 1 if np.isfinite(loss) else 0
        if steps:
            at = at - 0.5 * loss
        scale = scale * (2 if steps == interval else 1) if steps else scale / 2
        steps %= interval
        assert scaler.get_scale() == scale
        be.check(leaf, at, "the parameter")


@claim("AMP-340", about="scaler", needs="backward autocast optim", level="contract")
@example(x=np.ones(3), losses=[(1.0, np.inf), (1.0, 1.0), (1.0, 1.0)], saved=2, used=True)
@given(
    x=arrays("x", shape=(3,), values=EXACT, layouts=DENSE),
    losses=lists(tuples(*[sampled_from([1.0, -2.0, np.inf, np.nan])] * 2), min_size=1, max_size=6),
    saved=integers(0, 5),
    used=booleans(),
)
def test_optimizers_share_a_scale(be, x, losses, saved, used):
    """Of the optimizers under one scale each leaves out the steps whose gradients of its own are no
    finite numbers, and the scale is halved if one of them did. Another scale that loads the state
    of this one, though it may be in use, goes on as this would have.
    """
    leaves = [be.leaf(x), be.leaf(x)]
    optimizers = [be.optimizer("SGD", [leaf], lr=0.5) for leaf in leaves]
    scaler = be.scaler(be.device, init_scale=4.0, growth_interval=2)
    places, scale, steps = [x, x], 4.0, 0
    for n, factors in enumerate(losses):
        if n == saved:
            state = scaler.state_dict()
            scaler = be.scaler(be.device, init_scale=64.0)
            if used:
                scaler.scale(leaves[0])
            scaler.load_state_dict(state)
        for optimizer in optimizers:
            optimizer.zero_grad()
        products = (be.mul(leaf, factor) for leaf, factor in zip(leaves, factors, strict=True))
        be.backward(scaler.scale(be.sum(sum(products))))
        for optimizer in optimizers:
            scaler.step(optimizer)
        scaler.update()
        for k, factor in enumerate(factors):
            if np.isfinite(factor):
                places[k] = places[k] - 0.5 * factor
            be.check(leaves[k], places[k], f"the parameter of optimizer {k}")
        steps = steps + 1 if np.isfinite(factors).all() else 0
        scale = scale * (2 if steps == 2 else 1) if steps else scale / 2
        steps %= 2
        assert scaler.get_scale() == scale


@claim("AMP-341", about="scaler", needs="backward autocast nn optim torch", level="contract")
@given(
    rows=lists(integers(0, 2), min_size=1, max_size=4),
    loss=sampled_from([1.0, -2.0, np.inf, np.nan]),
)
def test_sparse_gradients_are_scaled(be, rows, loss):
    """The gradients of a table of rows that stores few of them are divided by the scale like any
    others, and a step is left out if one of them is no finite number.
    """
    layer = fill(be, be.layer("Embedding", 3, 2, sparse=True), np.zeros((3, 2)))
    optimizer = be.optimizer("SGD", layer.parameters(), lr=0.5)
    scaler = be.scaler(be.device, init_scale=4.0)
    be.backward(scaler.scale(be.sum(layer(be.from_data(rows))) * loss))
    scaler.unscale_(optimizer)
    slope = loss * np.bincount(rows, minlength=3)[:, None] * np.ones((3, 2))
    stored = np.isin(range(3), rows)
    be.check(be.grad(layer.weight).to_dense()[stored], slope[stored])
    scaler.step(optimizer)
    be.check(layer.weight, -0.5 * slope if np.isfinite(loss) else np.zeros((3, 2)))


@claim("AMP-280", about="autocast", needs="backward autocast torch", level="contract")
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    w=arrays("w", shape=(2, 2), values=EXACT),
    cast=booleans(),
    block=booleans(),
    narrow=sampled_from([NARROW, "float16"]),
)
def test_a_function_may_say_what_it_is_in_a_block(be, x, p, w, cast, block, narrow):
    """Backward of a Function under custom_bwd is in a block, of the same dtype, if its forward was.
    Under custom_fwd with cast_inputs a forward in a block takes inputs of that dtype instead, and
    is in none.
    """
    place, dtypes = "torch.amp:custom_{}wd", []
    options = {"cast_inputs": be.lookup(f"torch:{WIDE}")} if cast else {}

    class Product(be.lookup("torch.autograd:Function")):
        @staticmethod
        @be.lookup(place.format("f"))(device_type=be.device, **options)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            dtypes.extend([be.dtype_of(a), be.dtype_of(be.matmul(be.cast(a, WIDE), b))])
            return be.cast(be.matmul(be.cast(a, WIDE), b), WIDE)

        @staticmethod
        @be.lookup(place.format("b"))(device_type=be.device)
        def backward(ctx, g):
            a, b = (be.cast(each, WIDE) for each in ctx.saved_tensors)
            dtypes.append(be.dtype_of(be.matmul(a, b)))
            return be.matmul(g, b.T), be.matmul(a.T, g)

    a, b = (
        be.backend.leaf(each.astype(np.float32), dtype, be.device)
        for each, dtype in ((x, NARROW), (p, WIDE))
    )
    with be.autocast(be.device, narrow, enabled=block):
        y = Product.apply(a, b)
    with be.autocast(be.device, NARROW, enabled=not block):
        be.backward(y, be.backend.tensor(w.astype(np.float32), WIDE, be.device))
    inside = narrow if block and not cast else WIDE
    assert dtypes == [WIDE if block and cast else NARROW, inside, inside]
    be.same(y + 0.0, (x @ p + 0.0).astype(np.float32))
    be.same(be.cast(be.grad(b), WIDE) + 0.0, (x.T @ w + 0.0).astype(np.float32), "gradient")


@claim(
    "AMP-400",
    about="lookup",
    needs="backward autocast gradients torch",
    level="contract",
)
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    w=arrays("w", shape=(2, 2), values=EXACT),
    narrow=sampled_from([NARROW, "float16"]),
    around=sampled_from([None, NARROW, "float16"]),
    reentrant=booleans(),
)
def test_what_is_computed_again_has_the_dtype_of_its_block(be, x, p, w, narrow, around, reentrant):
    """What a checkpoint computes again has the dtypes and gradients of the block where it was
    computed first, whatever block backward is in.
    """
    make, dtypes = be.backend.leaf, []
    a, b = (make((each / 3).astype(np.float32), WIDE, be.device) for each in (x, p))
    weights = be.backend.tensor((w / 3).astype(np.float32), WIDE, be.device)

    def products(u, v):
        y = be.matmul(u * u, v)
        dtypes.append(be.dtype_of(y))
        return be.cast(be.sin(y), WIDE)

    checkpoint = be.lookup("torch.utils.checkpoint:checkpoint")
    with be.autocast(be.device, narrow):
        plainly, again = products(a, b), checkpoint(products, a, b, use_reentrant=reentrant)
    with be.autocast(be.device, around or NARROW, enabled=around is not None):
        true = be.gradients(plainly, [a, b], weights)
        be.backward(again, weights)
    assert dtypes == [narrow] * 3
    for leaf, gradient in zip((a, b), true, strict=True):
        be.same(be.grad(leaf), gradient, "gradient")


@claim("AMP-401", about="lookup", needs="autocast torch", level="contract")
@given(
    blocks=lists(
        tuples(sampled_from([NARROW, "float16"]), booleans(), booleans()), min_size=1, max_size=3
    ),
    broken=booleans(),
)
def test_a_block_leaves_all_as_it_was(be, blocks, broken):
    """A block sets whether it is one, its dtype, and whether casts are kept; when it ends, though
    by an exception, all of these are as they were before it.
    """
    asked = "is_autocast_enabled", "get_autocast_dtype", "is_autocast_cache_enabled"
    enabled, dtype, cached = (be.lookup(f"torch:{name}") for name in asked)

    def state():
        return str(dtype(be.device)).removeprefix("torch."), enabled(be.device), cached()

    def enter(within):
        if not within:
            if broken:
                raise Escape
            return
        (narrow, on, kept), *inner = within
        before, kind = state(), be.lookup(f"torch:{narrow}")
        try:
            with be.lookup("torch:autocast")(be.device, kind, on, cache_enabled=kept):
                assert state() == (narrow, on, kept)
                enter(inner)
        finally:
            assert state() == before

    with pytest.raises(Escape) if broken else nullcontext():
        enter(blocks)


@claim("AMP-430", about="scaler", needs="backward autocast optim torch", level="contract")
@given(
    x=arrays("x", shape=(3,), values=EXACT, layouts=DENSE),
    dtypes=permutations(["float32", "float64", NARROW]),
    at=sampled_from([None, 0, 1, 2]),
    far=sampled_from([np.inf, -np.inf, np.nan]),
)
def test_a_step_is_taken_in_every_dtype_or_in_none(be, x, dtypes, at, far):
    """Gradients of every dtype are divided by the scale, and where one of any dtype is no finite
    number no parameter is moved and the scale is halved.
    """
    leaves = [be.backend.leaf(x, dtype, be.device) for dtype in dtypes]
    optimizer, scaler = be.optimizer("SGD", leaves, lr=0.5), be.scaler(be.device, init_scale=4.0)
    slopes = [far if place == at else 2.0 for place in range(3)]
    parts = [be.sum(be.mul(leaf, slope)) for leaf, slope in zip(leaves, slopes, strict=True)]
    be.backward(scaler.scale(sum(parts)))
    scaler.unscale_(optimizer)
    for leaf, slope in zip(leaves, slopes, strict=True):
        assert np.array_equal(be.numpy(be.grad(leaf)), np.full(3, slope), equal_nan=True)
    scaler.step(optimizer)
    scaler.update()
    for leaf in leaves:
        assert np.array_equal(be.numpy(leaf), x - 1 if at is None else x)
    assert scaler.get_scale() == (4.0 if at is None else 2.0)


@claim("AMP-520", about="scaler", needs="backward autocast optim torch", level="contract")
@given(
    x=arrays("x", shape=(3,), values=EXACT, layouts=DENSE),
    loss=sampled_from([1.0, -2.0, np.inf]),
    rounds=integers(1, 3),
)
def test_gradients_are_divided_once_an_update(be, x, loss, rounds):
    """Between two updates of the scale the gradients of an optimizer are divided by it once, before
    its only step: what would divide or step again is refused, and changes nothing.
    """
    leaf = be.leaf(x)
    optimizer = be.optimizer("SGD", [leaf], lr=0.5)
    scaler = be.scaler(be.device, init_scale=4.0)
    for _ in range(rounds):
        optimizer.zero_grad()
        be.backward(scaler.scale(be.sum(be.mul(leaf, loss))))
        scaler.unscale_(optimizer)
        with pytest.raises(RuntimeError, match="unscale_"):
            scaler.unscale_(optimizer)
        be.check(be.grad(leaf), np.full(3, loss))
        scaler.step(optimizer)
        at = be.numpy(leaf)
        for again in (scaler.unscale_, scaler.step):
            with pytest.raises(RuntimeError, match="step"):
                again(optimizer)
        be.same(leaf, at)
        be.check(be.grad(leaf), np.full(3, loss))
        scaler.update()


@claim("AMP-402", about="scaler", needs="backward autocast optim torch", level="contract")
@example(
    x=np.ones(3), rounds=[(1.0, 16.0), (np.inf, None), (1.0, None)], unscaled=False, tensor=True
)
@given(
    x=arrays("x", shape=(3,), values=EXACT, layouts=DENSE),
    rounds=lists(
        tuples(sampled_from([1.0, -2.0, np.inf]), sampled_from([None, 2.0, 16.0])),
        min_size=1,
        max_size=4,
    ),
    unscaled=booleans(),
    tensor=booleans(),
)
def test_a_scale_may_be_set(be, x, rounds, unscaled, tensor):
    """A scale that is told a number, or a tensor of one, is that from the next loss on, whatever
    the gradients were before. The tensor stays as it was.
    """
    leaf, at, scale, given = be.leaf(x), x, 4.0, []
    optimizer, scaler = be.optimizer("SGD", [leaf], lr=0.5), be.scaler(be.device, init_scale=scale)
    for loss, told in rounds:
        optimizer.zero_grad()
        be.backward(scaler.scale(be.sum(be.mul(leaf, loss))))
        be.check(be.grad(leaf), np.full(3, scale * loss), "scaled gradient")
        if unscaled:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        given.append(
            (made := be.backend.tensor(np.array(told or 0.0), WIDE, be.device), told or 0.0)
        )
        scaler.update(made if tensor and told else told)
        at = at - 0.5 * loss if np.isfinite(loss) else at
        scale = told or (scale if np.isfinite(loss) else scale / 2)
        assert scaler.get_scale() == scale
        be.check(leaf, at, "the parameter")
    assert all(float(made) == told for made, told in given)


@claim("AMP-281", about="lookup", needs="autocast torch", level="contract")
@given(
    x=arrays("x", shape=(2, 3), values=EXACT),
    p=arrays("p", shape=(3, 2), values=EXACT),
    times=sampled_from([1, 2]),
)
def test_a_block_that_is_not_told_anything(be, x, p, times):
    """A block is switched on and has the dtype of its device unless told otherwise. As a decorator
    it is a block around each call.
    """
    a, b = (be.backend.tensor(each.astype(np.float32), WIDE, be.device) for each in (x, p))
    narrow = str(be.lookup("torch:get_autocast_dtype")(be.device)).removeprefix("torch.")
    block = be.lookup("torch:autocast")
    product = block(be.device)(be.matmul)
    assert narrow != WIDE
    for _ in range(times):
        with block(be.device):
            inside = be.matmul(a, b)
        results = [inside, product(a, b), be.matmul(a, b)]
        assert [be.dtype_of(y) for y in results] == [narrow, narrow, WIDE]
        for y in results:
            be.same(be.cast(y, WIDE) + 0.0, (x @ p + 0.0).astype(np.float32))
