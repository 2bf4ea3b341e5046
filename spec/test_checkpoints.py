"""Checkpoints: what is computed again in backward instead of being saved."""

from contextlib import nullcontext

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "computing again takes time by design"


@claim("FRE-102", about="lookup", needs="backward saved_tensors torch", level="contract")
@given(x=arrays(), y=arrays(), w=arrays(), reentrant=booleans())
def test_a_checkpoint_computes_again_what_it_does_not_save(be, x, y, w, reentrant):
    """A function under checkpoint has its value and its gradients, runs a second time in backward,
    and saves less than it does by itself.
    """
    checkpoint, runs = be.lookup("torch.utils.checkpoint:checkpoint"), []

    def function(a, b):
        runs.append(a)
        return be.exp(be.sin(a) * b) * a

    leaves, others = ([be.leaf(x), be.leaf(y)] for _ in range(2))
    with be.saved_tensors() as saved:
        plain = function(*others)
    del runs[:]
    with be.saved_tensors() as spared:
        z = checkpoint(function, *leaves, use_reentrant=reentrant)
    assert spared.packed < saved.packed
    be.same(z, plain)
    assert len(runs) == 1
    be.backward(z, w)
    assert len(runs) == 2
    be.backward(plain, w)
    for leaf, other in zip(leaves, others, strict=True):
        be.same(be.grad(leaf), be.grad(other))


@claim("FRE-180", about="lookup", needs="backward inplace exp torch", level="contract")
@example(x=np.ones(1), w=np.ones(1), reentrant=True)
@given(x=arrays(), w=arrays(), reentrant=booleans())
def test_a_checkpoint_looks_after_what_was_saved(be, x, w, reentrant):
    """Backward of a function under checkpoint that writes over what it has saved is refused, as it
    is without one.
    """

    def function(a):
        y = be.exp(a)
        be.mul_(y, 2)
        return y * y

    z = be.lookup("torch.utils.checkpoint:checkpoint")(
        function, be.leaf(x), use_reentrant=reentrant
    )
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(z, w)


@claim(
    "FRE-181",
    about="lookup",
    needs="backward gradients create_graph random dropout torch",
    level="contract",
)
@given(x=arrays(), v=arrays(), w=arrays(), nested=booleans())
def test_a_checkpoint_is_not_noticed(be, x, v, w, nested):
    """A checkpoint that does not reenter the engine passes options and results of any kind on and
    draws the same random numbers again. It can be run twice, differentiated twice, and nested.
    """
    checkpoint, leaf = be.lookup("torch.utils.checkpoint:checkpoint"), be.leaf(x)

    def function(a, power=1):
        if nested and power == 3:
            return checkpoint(function, a, power=2, use_reentrant=False)[0] * a, "other"
        return be.dropout(a**power, 0.5, True), "other"

    with be.fork_random():
        value, other = checkpoint(function, leaf, power=3, use_reentrant=False)
    assert other == "other"
    kept = be.numpy(value) != 0
    for _ in range(2):
        (gradient,) = be.gradients(value, [leaf], w, create_graph=True)
        (second,) = be.gradients(gradient, [leaf], v, retain_graph=True)
        scale = 2.0 * kept
        be.check(value, scale * Jet.exact(x) ** 3)
        be.check(gradient, 3 * scale * w * Jet.exact(x) ** 2)
        be.check(second, 6 * scale * v * w * x)


@claim("FRE-280", about="lookup", needs="backward gradients matmul torch", level="contract")
@given(
    x=arrays("x", shape=(2, 3)),
    p=arrays("p", shape=(3, 2)),
    w=arrays("w", shape=(2, 2)),
    kept=sampled_from(["products", "by a policy", "sines", "nothing"]),
)
def test_a_checkpoint_may_keep_some_of_it(be, x, p, w, kept):
    """Of a function under a selective checkpoint, what it names is not computed again in backward,
    and all else is; its gradients are those without.
    """
    a, b = leaves = [be.leaf(x), be.leaf(p)]
    product, sine = be.lookup("torch:ops.aten.mm.default"), be.lookup("torch:ops.aten.sin.default")
    policies = be.lookup("torch.utils.checkpoint:CheckpointPolicy")

    def policy(_, op, *_args, **_named):
        return policies.MUST_SAVE if op is product else policies.PREFER_RECOMPUTE

    chosen = {
        "products": [product, sine],
        "by a policy": policy,
        "sines": [sine],
        "nothing": [],
    }[kept]
    contexts = be.lookup("torch.utils.checkpoint:create_selective_checkpoint_contexts")

    def function(u, v):
        return be.sin(be.matmul(u, v))

    y = be.lookup("torch.utils.checkpoint:checkpoint")(
        function, a, b, use_reentrant=False, context_fn=lambda: contexts(chosen)
    )
    with be.lookup("torch.utils.flop_counter:FlopCounterMode")(display=False) as counted:
        found = be.gradients(y, leaves, be.tensor(w))
    products = counted.get_total_flops() / 24  # of two by three by two, twice
    assert products == 2 + (kept in {"sines", "nothing"})
    for gradient, other in zip(
        found, be.gradients(function(*leaves), leaves, be.tensor(w)), strict=True
    ):
        be.same(gradient, other)


@claim("FRE-281", about="lookup", needs="backward no_grad exp torch", level="contract")
@given(x=arrays(), reentrant=booleans(), inside=booleans())
def test_a_checkpoint_records_where_others_do(be, x, reentrant, inside):
    """Under no_grad, around a checkpoint or within the function of one that does not reenter the
    engine, nothing is recorded, and the function runs once.
    """
    runs, leaf = [], be.leaf(x)

    def function(a):
        runs.append(a)
        with be.no_grad() if inside else nullcontext():
            return be.exp(a)

    with nullcontext() if inside else be.no_grad():
        y = be.lookup("torch.utils.checkpoint:checkpoint")(
            function, leaf, use_reentrant=reentrant and not inside
        )
    be.check(y, np.exp(Jet.exact(x)))
    assert not be.requires_grad(y)
    assert len(runs) == 1


@claim("FRE-290", about="lookup", needs="backward random dropout torch", level="contract")
@example(x=np.ones(8), w=np.ones(8), count=3, segments=2, reentrant=False, seed=0)
@given(
    x=arrays(),
    w=arrays(),
    count=integers(1, 5),
    segments=integers(1, 5),
    reentrant=booleans(),
    seed=integers(0, 99),
)
def test_a_sequence_is_checkpointed_by_segments(be, x, w, count, segments, reentrant, seed):
    """checkpoint_sequential has the value and the gradients of functions that are applied one after
    the other, of random ones too; in backward all but those of the last segment run again.
    """
    scale, runs, results = be.leaf(np.array(2.0)), [], []

    def function(n):
        return lambda a: runs.append(n) or be.dropout(be.sin(a) * scale, 0.5, True)

    functions, segments = [function(n) for n in range(count)], min(segments, count)
    in_segments = be.lookup("torch.utils.checkpoint:checkpoint_sequential")
    for checkpointed in (False, True):
        leaf = be.leaf(x)
        with be.fork_random():
            be.manual_seed(seed)
            y = leaf
            if checkpointed:
                y = in_segments(functions, segments, leaf, use_reentrant=reentrant)
            for each in () if checkpointed else functions:
                y = each(y)
            del runs[:]
            be.clear(scale)
            be.backward(y, w)
        results.append((y, be.grad(leaf), be.grad(scale)))
        assert sorted(runs) == list(range(count // segments * (segments - 1) * checkpointed))
    for want, got in zip(*results, strict=True):
        be.same(got, want)
