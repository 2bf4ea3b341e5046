"""Checkpoints: what is computed again in backward instead of being saved."""

from contextlib import nullcontext

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given
from gradspec.conformance.strategies import NONZERO, arrays, booleans, integers, sampled_from
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
@given(x=arrays(), y=arrays(values=NONZERO), v=arrays(), w=arrays(), nested=integers(0, 2))
def test_a_checkpoint_is_not_noticed(be, x, y, v, w, nested):
    """A checkpoint that does not reenter the engine passes options and results of any kind on, with
    gradients of tensors that are given by name, and draws the same random numbers again, after
    which the generator is where it was. It can be run twice, differentiated twice, and nested.
    """
    checkpoint = be.lookup("torch.utils.checkpoint:checkpoint")
    leaf, by = be.leaf(x), be.leaf(y)

    def function(a, power=1, by=None):
        if power > 3 - nested:
            less = {"power": power - 1, "by": by, "use_reentrant": False}
            return {"value": checkpoint(function, a, **less)["value"] * a, "other": "other"}
        return {"value": be.dropout(a**power * by, 0.5, True), "other": "other"}

    with be.fork_random():
        made = checkpoint(function, leaf, power=3, by=by, use_reentrant=False)
    value = made.pop("value")
    assert made == {"other": "other"}
    kept, before = be.numpy(value) != 0, be.numpy(be.random_state(be.device))
    scale = 2.0 * kept
    for _ in range(2):
        gradient, named = be.gradients(value, [leaf, by], w, create_graph=True)
        (second,) = be.gradients(gradient, [leaf], v, retain_graph=True)
        be.check(value, scale * y * Jet.exact(x) ** 3)
        be.check(gradient, 3 * scale * w * y * Jet.exact(x) ** 2)
        be.check(named, scale * w * Jet.exact(x) ** 3)
        be.check(second, 6 * scale * v * w * y * x)
        be.same(be.random_state(be.device), before)


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

    def both():
        return contexts(chosen)

    true = be.gradients(function(*leaves), leaves, be.tensor(w))
    for _ in range(2):
        y = be.lookup("torch.utils.checkpoint:checkpoint")(
            function, a, b, use_reentrant=False, context_fn=both
        )
        with be.lookup("torch.utils.flop_counter:FlopCounterMode")(display=False) as counted:
            found = be.gradients(y, leaves, be.tensor(w))
        products = counted.get_total_flops() / 24  # of two by three by two, twice
        assert products == 2 + (kept in {"sines", "nothing"})
        for gradient, other in zip(found, true, strict=True):
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
@example(x=np.ones(8), w=np.ones(8), count=5, segments=3, reentrant=False, seed=0)
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
        return lambda a: runs.append(n) or be.dropout(be.sin(a) * scale, 0.125, True)

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
    *wanted, together = results[0]
    for want, got in zip(wanted, results[1], strict=False):
        be.same(got, want)
    # Segments add to the one leaf of all in an order of their own.
    total = Total(be.numpy(together).astype(float), np.array(3.0**count * np.abs(w).sum()), count)
    be.check(results[1][2], total)


# ---- what is computed again, and when that is refused --------------------------------------------


@claim("FRE-320", about="lookup", needs="backward exp torch", level="contract")
@given(
    x=arrays(),
    w=arrays(),
    reentrant=booleans(),
    called=sampled_from([{}, {"early_stop": True}, {"early_stop": False}]),
    within=sampled_from([None, True, False]),
    passes=integers(1, 2),
)
def test_a_checkpoint_stops_early(be, x, w, reentrant, called, within, passes):
    """In every pass a checkpoint computes again as far as the last value that was saved, and to the
    end where early stop is switched off, in the call or, with precedence, by a block around it, or
    where it reenters the engine.
    """
    runs, leaf, twin = [], be.leaf(x), be.leaf(x)

    def function(a):
        runs.append("start")
        y = be.exp(be.sin(a))
        runs.append("saved")
        z = y + 1
        runs.append("end")
        return z

    block = be.lookup("torch.utils.checkpoint:set_checkpoint_early_stop")
    with nullcontext() if within is None else block(within):
        y = be.lookup("torch.utils.checkpoint:checkpoint")(
            function, leaf, use_reentrant=reentrant, **called
        )
    stops = called.get("early_stop", True) if within is None else within
    again = ["start"] if stops and not reentrant else ["start", "saved", "end"]
    for _ in range(passes):
        del runs[:]
        be.backward(y, w, retain_graph=True)
        assert runs == again
    plain = function(twin)
    for _ in range(passes):
        be.backward(plain, w, retain_graph=True)
    be.same(be.grad(leaf), be.grad(twin))


@claim("FRE-321", about="lookup", needs="backward exp unsqueeze torch", level="contract")
@example(x=np.ones(2), w=np.ones(2), change="dtypes", checked=False)
@example(x=np.ones(2), w=np.ones(2), change="shapes", checked=True)
@example(x=np.ones(2), w=np.ones(2), change="shapes", checked=False)
@given(
    x=arrays(min_size=1, min_dims=1),
    w=arrays(min_size=1, min_dims=1),
    change=sampled_from(["fewer", "none", "shapes", "dtypes", "values"]),
    checked=booleans(),
)
def test_what_is_computed_again_has_to_be_alike(be, x, w, change, checked):
    """A checkpoint whose function saves fewer tensors when it runs again is refused by backward,
    and one that saves tensors of other shapes or dtypes as well, unless that check is switched off:
    that values are alike it takes on trust.
    """
    leaf, runs = be.leaf(x), []
    again = {
        "fewer": be.sin,
        "none": lambda a: a + 1,
        "shapes": lambda a: be.exp(be.sin(be.unsqueeze(a, 0))),
        "dtypes": lambda a: be.exp(be.sin(be.cast(a, "float16"))),
        "values": lambda a: be.exp(be.sin(a * 0)),
    }[change]

    def function(a):
        runs.append(a)
        return be.exp(be.sin(a)) if len(runs) == 1 else again(a)

    y = be.lookup("torch.utils.checkpoint:checkpoint")(
        function,
        leaf,
        use_reentrant=False,
        determinism_check="default" if checked else "none",
    )
    if change in {"fewer", "none"} or (checked and change != "values"):
        with pytest.raises(be.lookup("torch.utils.checkpoint:CheckpointError")):
            be.backward(y, w)
        assert be.grad(leaf) is None
        return
    be.backward(y, w)
    assert be.dtype_of(be.grad(leaf)) == be.dtype
    inner = Jet.exact(x * (change != "values"))
    if change != "dtypes":
        be.check(be.grad(leaf), w * np.exp(np.sin(inner)) * np.cos(inner))


@claim(
    "FRE-322",
    about="lookup",
    needs="backward gradients detach retain_graph torch",
    level="contract",
)
@example(x=np.ones(2), w=np.ones(2), tracked=True, reentrant=True, last=True)
@given(x=arrays(), w=arrays(), tracked=booleans(), reentrant=booleans(), last=booleans())
@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
def test_a_checkpoint_may_reenter_the_engine(be, x, w, tracked, reentrant, last):
    """A checkpoint that reenters the engine is recorded only if one of its arguments requires grad,
    then with all of its results, and serves backward without inputs alone; what its function
    refers to has a gradient all the same. Of any other, each result is recorded as it is without.
    """
    inner, scale = be.leaf(x) if tracked else be.tensor(x), be.leaf(x)

    def function(a):
        results = be.sin(a) * scale, be.detach(a) * 2
        return results[::-1] if last else results

    results = be.lookup("torch.utils.checkpoint:checkpoint")(
        function, inner, use_reentrant=reentrant
    )
    results = results[::-1] if last else results
    recorded = [tracked, tracked] if reentrant else [True, False]
    assert [be.requires_grad(y) for y in results] == recorded
    if not recorded[0]:
        return
    if reentrant:
        with pytest.raises(RuntimeError, match="is incompatible with"):
            be.gradients(results[0], [inner], be.tensor(w), retain_graph=True)
        with pytest.raises(RuntimeError, match="is incompatible with"):
            be.backward(results[0], w, inputs=[inner], retain_graph=True)
        assert be.grad(scale) is None
    be.backward(results[0], w)
    be.check(be.grad(scale), w * np.sin(Jet.exact(x)))
    if tracked:
        be.check(be.grad(inner), w * np.cos(Jet.exact(x)) * x)


@claim(
    "FRE-323",
    about="lookup",
    needs="backward exp inplace mul_ retain_graph torch",
    level="contract",
)
@given(
    x=arrays(),
    w=arrays(),
    policy=sampled_from(["MUST_SAVE", "PREFER_SAVE", "MUST_RECOMPUTE", "PREFER_RECOMPUTE"]),
    written=booleans(),
)
def test_what_a_checkpoint_keeps_serves_once(be, x, w, policy, written):
    """A selective checkpoint computes an operation again exactly if its policy does not save it,
    and serves one pass if anything was saved, none if that was written since.
    """
    name, leaf, twin = "torch.utils.checkpoint", be.leaf(x), be.leaf(x)
    told = getattr(be.lookup(f"{name}:CheckpointPolicy"), policy)
    other = be.lookup(f"{name}:CheckpointPolicy").PREFER_RECOMPUTE
    sine, counted = be.lookup("torch:ops.aten.sin.default"), []

    class Counting(be.lookup("torch.utils._python_dispatch:TorchDispatchMode")):
        def __torch_dispatch__(self, operation, _, arguments=(), options=None):
            counted.append(operation)
            return operation(*arguments, **(options or {}))

    def choose(_, operation, *_args, **_options):
        return told if operation is sine else other

    def function(a):
        y = be.sin(a)
        return be.exp(be.mul_(y, 2) if written else y * 2)

    contexts = be.lookup(f"{name}:create_selective_checkpoint_contexts")
    y = be.lookup(f"{name}:checkpoint")(
        function, leaf, use_reentrant=False, context_fn=lambda: contexts(choose)
    )
    if written and policy.endswith("SAVE"):
        with pytest.raises(RuntimeError, match="has been mutated"):
            be.backward(y, w)
        return
    with Counting():
        be.backward(y, w, retain_graph=True)
    assert counted.count(sine) == policy.endswith("RECOMPUTE")
    be.backward(function(twin), w)
    be.same(be.grad(leaf), be.grad(twin))
    if policy.endswith("SAVE"):
        with pytest.raises(RuntimeError, match="only allowed to backward once"):
            be.backward(y, w)
    else:
        be.backward(y, w)
        be.same(be.grad(leaf), be.grad(twin) * 2)


@claim(
    "FRE-324",
    about="lookup",
    needs="backward hooks gradients exp retain_graph torch",
    level="contract",
)
@given(x=arrays(), w=arrays(), nested=booleans(), passes=integers(1, 2))
def test_the_graph_of_a_checkpoint_is_there(be, x, w, nested, passes):
    """Within a checkpoint that does not reenter the engine the graph is the one without it: a hook
    set by its function is called once a pass, with its gradient, which it may replace, and tensors
    kept by the function can be differentiated by.
    """
    checkpoint, leaf, seen, kept = (
        be.lookup("torch.utils.checkpoint:checkpoint"),
        be.leaf(x),
        [],
        [],
    )

    def function(a):
        y = be.sin(a)
        kept.append(y)
        be.register_hook(y, lambda g: seen.append(g * 1) or g * 3)
        return be.exp(y)

    def around(a):
        return checkpoint(function, a, use_reentrant=False) * 2

    y = checkpoint(around, leaf, use_reentrant=False) if nested else around(leaf)
    inner = np.exp(np.sin(Jet.exact(x)))
    for _ in range(passes):
        be.backward(y, w, retain_graph=True)
    assert len(seen) == passes
    for gradient in seen:
        be.check(gradient, 2 * w * inner)
    slope = 6 * w * inner * np.cos(Jet.exact(x))
    be.check(be.grad(leaf), passes * slope)
    (gradient,) = be.gradients(y, kept[:1], be.tensor(w))
    be.check(gradient, 6 * w * inner)
