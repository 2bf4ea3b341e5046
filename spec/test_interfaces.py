"""Interfaces: what autograd tells of a tensor and its place in the graph, and what it is told."""

import threading

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, sampled_from
from gradspec.conformance.table import TABLE, calls

NO_WORKLOAD = "what is told costs nothing beside what is computed"

# ---- the dtype of gradients ----------------------------------------------------------------------


@claim(
    "ACC-320", about="grad", needs="backward gradients hooks grad_assign torch", level="contract"
)
@given(
    x=arrays(),
    v=arrays(),
    w=arrays(),
    kept=sampled_from(["float16", "bfloat16", "float32", "float64"]),
)
def test_gradients_have_the_dtype_that_was_asked_for(be, x, v, w, kept):
    """Every gradient of a leaf is cast to its grad_dtype, by default its own dtype, before hooks
    see it and before it is added to .grad, which takes no other dtype.
    """
    leaf, twin, seen, cast = be.leaf(x), be.leaf(x), [], []
    assert leaf.grad_dtype == leaf.dtype
    leaf.grad_dtype = be.lookup(f"torch:{kept}")
    assert leaf.grad_dtype == be.lookup(f"torch:{kept}")
    be.register_hook(leaf, lambda g: seen.append(be.clone(g)))
    for cotangent in (v, w):
        be.backward(leaf * leaf, cotangent)
        cast.append(be.cast(*be.gradients(twin * twin, [twin], be.tensor(cotangent)), kept))
    asked = be.gradients(leaf * leaf, [leaf], be.tensor(v))
    found, wanted = (be.grad(leaf), *asked, *seen), (cast[0] + cast[1], cast[0], *cast, cast[0])
    for got, want in zip(found, wanted, strict=True):
        assert be.dtype_of(got) == kept
        be.same(got, want)
    for other in {"float16", "bfloat16", "float32", "float64"} - {kept}:
        with be.raises(ErrorKind.GRAD_ASSIGNMENT):
            be.set_grad(leaf, be.cast(be.tensor(x), other))
    be.same(be.grad(leaf), wanted[0])


@claim("ACC-321", about="grad", needs="backward grad_assign custom detach torch", level="contract")
@given(x=arrays(), w=arrays())
def test_the_dtype_of_gradients_is_that_of_a_leaf(be, x, w):
    """grad_dtype is kept by one leaf alone: a computed tensor is given none, nor is a leaf whose
    .grad has another dtype; None lets gradients of any dtype in, unchanged.
    """
    double, half, tensor = be.lookup("torch:float64"), be.lookup("torch:float16"), be.tensor(x)
    tensor.grad_dtype = half
    leaf = be.set_requires_grad(tensor)
    assert leaf.grad_dtype == half
    assert be.detach(leaf).grad_dtype == leaf.dtype
    for computed in (leaf * 1, leaf[...]):
        with pytest.raises(RuntimeError, match="only be set on leaf"):
            computed.grad_dtype = half
    for wrong in ("float16", float, 16):
        with pytest.raises(RuntimeError, match="but got"):
            leaf.grad_dtype = wrong
    be.set_grad(leaf, be.cast(be.tensor(x), "float16"))
    with pytest.raises(RuntimeError, match="already a gradient with dtype"):
        leaf.grad_dtype = double
    assert leaf.grad_dtype == half
    be.clear(leaf)
    leaf.grad_dtype = None
    assert leaf.grad_dtype is None
    for dtype in ("float64", "float16"):
        rule = be.custom(lambda _, a: a * 2, lambda _, g, dtype=dtype: be.cast(g * 2, dtype))
        be.backward(rule.apply(leaf), w)
        assert be.dtype_of(be.grad(leaf)) == dtype
        be.same(be.grad(leaf), be.cast(be.tensor(w) * 2, dtype))
        be.set_grad(leaf, be.cast(be.tensor(x), "bfloat16"))
        be.clear(leaf)


# ---- the place in the graph ----------------------------------------------------------------------


@claim("GRF-320", about="retain_grad", needs="backward hooks inplace mul_ torch", level="contract")
@given(x=arrays(layouts=DENSE), through=booleans(), refilled=booleans())
def test_a_tensor_tells_whether_its_gradient_is_retained(be, x, through, refilled):
    """retains_grad is True for a computed tensor from its retain_grad on, also after it was
    written, itself or through a view, and for no other: not for a leaf, and not for what is made of
    the tensor. It cannot be assigned.
    """
    leaf = be.leaf(x)
    y = leaf * 2
    be.retain_grad(leaf)
    for tensor in (leaf, y, be.tensor(x)):
        assert tensor.retains_grad is False
    be.retain_grad(y)
    assert y.retains_grad is True
    be.mul_(y[...] if through else y, 3)
    if refilled:
        be.backward(y * 1, x)
    assert y.retains_grad is True
    for made in (y[...], be.clone(y), y * 1, be.detach(y)):
        assert made.retains_grad is False
    for tensor in (leaf, y):
        with pytest.raises(AttributeError):
            tensor.retains_grad = not tensor.retains_grad


@claim(
    "GRF-321",
    about="node",
    needs="backward custom marks graph inplace mul_ torch",
    level="contract",
)
@given(x=arrays(layouts=DENSE))
def test_a_tensor_tells_which_result_of_its_node_it_is(be, x):
    """output_nr numbers the results of one node, those that are not differentiable among them,
    and is 0 for all that has no such node; what is written in place is the first of the write. The
    node and this number are the edge to the tensor.
    """

    def forward(ctx, a):
        whole = be.cast(a, "int64")
        ctx.mark_non_differentiable(whole)
        return a * 2, whole, a * 3, a * 5

    leaf = be.leaf(np.clip(x, -99, 99))
    results = be.custom(forward, lambda _, f, __, g, h: f * 2 + g * 3 + h * 5).apply(leaf)
    numbers = [0, 0, 2, 3]
    assert [y.output_nr for y in (leaf, be.tensor(x), be.detach(results[2]))] == [0, 0, 0]
    assert [y.output_nr for y in results] == numbers
    for n in (0, 2, 3):
        assert be.node(results[n]) is be.node(results[0])
        assert be.node(results[n] * 1).next_functions[0] == (be.node(results[0]), n)
    be.mul_(results[2], 7)
    assert be.node(results[2]) is not be.node(results[0])
    assert [y.output_nr for y in results] == [0, 0, 0, 3]
    with pytest.raises(AttributeError):
        results[0].output_nr = 1


@claim(
    "HGH-320",
    about="gradients",
    needs="backward gradients custom exp retain_graph torch",
    level="contract",
)
@given(x=arrays(), w=arrays(), own=booleans())
def test_an_edge_keeps_the_graph_that_it_leads_to(be, x, w, own):
    """The gradient edge of a tensor is differentiated by itself, though the tensor is gone. Among
    the inputs of backward that of a leaf fills its .grad, alone, and that of a computed tensor
    none.
    """

    def forward(ctx, a):
        ctx.save_for_backward(made := be.exp(a))
        return made

    edge_of, leaf, other = (
        be.lookup("torch.autograd.graph:get_gradient_edge"),
        be.leaf(x),
        be.leaf(x),
    )
    rule = be.custom(forward, lambda ctx, g: g * ctx.saved_tensors[0])
    edge = edge_of(rule.apply(leaf) if own else be.exp(leaf))
    cotangent = be.tensor(w)
    (found,) = be.gradients(edge, [leaf], cotangent)
    twin = be.leaf(x)
    be.backward(be.exp(twin), w)
    be.same(found, be.grad(twin))
    y = leaf * other
    z = y * 5
    for inputs in ([edge_of(leaf)], [edge_of(y)]):
        be.backward(z, w, inputs=inputs, retain_graph=True)
        be.check(be.grad(leaf), 5 * w * x)
        assert be.grad(other) is None


@claim(
    "HGH-321",
    about="gradients",
    needs="backward gradients unbind retain_graph torch",
    level="contract",
)
@given(x=arrays("two", shape=(2, 3)), w=arrays(shape=(3,)))
def test_an_edge_is_one_of_several(be, x, w):
    """Results of one node have edges of their own, which differ by their number; every edge is the
    same whenever it is asked for, and one that was not used has no gradient. A constant has no
    edge.
    """
    edge_of, leaf = be.lookup("torch.autograd.graph:get_gradient_edge"), be.leaf(x)
    first, second = be.unbind(leaf * 1)
    edges = [edge_of(first), edge_of(second), edge_of(leaf)]
    assert edges == [edge_of(first), edge_of(second), edge_of(leaf)]
    assert [edge.output_nr for edge in edges] == [0, 1, 0]
    assert edges[0].node is edges[1].node is be.node(first)
    assert be.leaf_of(edges[2].node) is leaf
    found = be.gradients(first * 3 + second * 5, edges, be.tensor(w))
    for gradient, wanted in zip(found, (3 * w, 5 * w, np.stack([3 * w, 5 * w])), strict=True):
        be.check(gradient, wanted)
    with be.raises(ErrorKind.UNREACHABLE):
        be.gradients(leaf * 2, edges[:1], be.tensor(x))
    assert be.gradients(leaf * 2, edges[:1], be.tensor(x), allow_unused=True) == (None,)
    for constant in (be.tensor(x), be.detach(first)):
        with pytest.raises(RuntimeError, match="does not require gradients"):
            edge_of(constant)


# ---- versions ------------------------------------------------------------------------------------


@claim(
    "INP-320",
    about="version_of",
    needs="backward version_counter detach views torch",
    level="contract",
)
@example(x=np.ones(2), y=np.ones(2), w=np.ones(2), form="list", through="itself")
@given(
    x=arrays(),
    y=arrays(),
    w=arrays(),
    form=sampled_from(["tensor", "list", "iterator"]),
    through=sampled_from(["itself", "view", "base", "detached"]),
)
def test_a_write_that_nobody_saw_is_told(be, x, y, w, form, through):
    """increment_version counts as a write of each tensor that it is given, one or many: those that
    share its memory have that version too, and backward refuses what saved one of them. Values,
    nodes and whatever did not save it stay as they were.
    """
    tell, leaf, factor = (
        be.lookup("torch.autograd.graph:increment_version"),
        be.leaf(x),
        be.tensor(y),
    )
    computed = leaf * 3
    used = factor[...] if through == "base" else factor
    product, total, other = used * computed, used + computed, computed * be.tensor(y)
    node, before = be.node(computed), [be.version_of(each) for each in (leaf, computed)]
    named = {"view": lambda: factor[...], "detached": lambda: be.detach(factor)}
    told = named.get(through, lambda: factor)()
    tell({"tensor": told, "list": [told], "iterator": iter([told])}[form])
    assert be.version_of(factor) == be.version_of(used) == be.version_of(told) == 1
    assert [be.version_of(each) for each in (leaf, computed)] == before
    be.same(factor, be.tensor(y))
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(product, w)
    be.backward(total, w, retain_graph=True)
    be.backward(other, w, retain_graph=True)
    tell([leaf, computed, factor])
    assert be.node(computed) is node
    assert be.node(leaf) is None
    assert [be.version_of(each) for each in (leaf, computed, factor)] == [1, 1, 2]


# ---- hooks and threads ---------------------------------------------------------------------------


@claim("HOK-320", about="lookup", needs="backward hooks retain_graph torch", level="contract")
@given(x=arrays(), w=arrays(), broken=booleans())
def test_a_hook_of_several_tensors_counts_anew(be, x, w, broken):
    """A hook of several tensors is called once in every pass that reaches one of them, with None
    for those that the pass does not reach, also after a pass that broke off, until it is removed.
    """

    def refuse(_):
        raise LookupError

    together, seen, first = be.lookup("torch.autograd.graph:register_multi_grad_hook"), [], []
    leaf, other = be.leaf(x), be.leaf(x)
    y = leaf * 2
    z = y * 3 + other
    handles = [together([leaf, y, leaf, other], seen.append)]
    handles.append(together([leaf, y, other], lambda g: first.append(g) or 1, mode="any"))
    if broken:
        handle = be.register_hook(y, refuse)
        with pytest.raises(LookupError):
            be.backward(z, w, retain_graph=True)
        handle.remove()
        assert seen == []
        del first[:]
    for inputs in ([y], [other], [leaf], None):
        be.backward(z, w, inputs=inputs, retain_graph=True)
    be.backward(leaf * 7, w)
    assert len(seen) == len(first) == 5
    wanted = [
        (None, 3, None, None),
        (None, None, None, 1),
        (6, 3, 6, None),
        (6, 3, 6, 1),
        (7, None, 7, None),
    ]
    for gradients, factors in zip(seen, wanted, strict=True):
        for gradient, factor in zip(gradients, factors, strict=True):
            if factor is None:
                assert gradient is None
            else:
                be.check(gradient, factor * w)
    for handle in handles:
        handle.remove()
    be.backward(z, w)
    assert len(seen) == len(first) == 5
    with pytest.raises(ValueError, match="mode"):
        together([leaf], seen.append, mode="some")


@claim("BWD-320", about="backward", needs="backward hooks node_hooks torch", level="contract")
@given(x=arrays(), w=arrays(), nested=booleans())
def test_a_pass_may_stay_on_one_thread(be, x, w, nested):
    """Where multithreading is switched off, in this thread, a pass calls all hooks on the thread
    that called it, on any device, with the gradients it has elsewhere; blocks nest.
    """
    setting, leaf, threads = be.lookup("torch.autograd:set_multithreading_enabled"), be.leaf(x), []
    y = leaf * leaf

    def look(*_):
        threads.append(threading.get_ident())

    be.register_hook(y, look)
    be.register_node_hook(be.node(y), look)
    be.register_post_accumulate_hook(leaf, look)
    with setting(False):
        if nested:
            with setting(True):
                be.backward(leaf * 3, 0 * w)
            del threads[:]
        be.backward(y * 3, w)
    assert threads == [threading.get_ident()] * 3
    be.check(be.grad(leaf), 6 * w * x)


# ---- classes of tensors --------------------------------------------------------------------------


@claim("GEN-485", needs="torch", over=TABLE, level="contract", widest=True)
@given(call=calls())
def test_a_mode_is_told_the_whole_of_a_call(be, call):
    """A mode of functions that makes each call as it was told of it changes no result, unless the
    order of its additions is open on a device: then by rounding alone.
    """

    class Handing(be.lookup("torch.overrides:TorchFunctionMode")):
        def __torch_function__(self, function, kinds, given=(), options=None):
            return function(*given, **(options or {}))

    tensors = [*map(be.tensor, call.tensors)]
    result = call.on(be)(*tensors)
    with Handing():
        handed = call.on(be)(*tensors)
    if call.operation.is_open_on(be.device):
        call.check(be, handed)
    else:
        be.same(handed, result)


@claim(
    "BWD-400",
    about="lookup",
    needs="backward gradients create_graph retain_graph unbind torch",
    level="contract",
)
@given(
    x=arrays("x", shape=(2, 3)),
    w=arrays("cotangent", shape=(2, 3)),
    recorded=booleans(),
    zeros=booleans(),
)
def test_a_class_that_is_told_of_every_call(be, x, w, recorded, zeros):
    """Tensors of a class with its own __torch_function__, which passes every call on, have the
    values, gradients and refusals of any others, whatever is asked for, and what is returned has
    that class, in tuples too.
    """
    told = []

    class Watched(be.lookup("torch:Tensor")):
        @classmethod
        def __torch_function__(cls, function, kinds, given=(), options=None):
            told.append(function)
            return super().__torch_function__(function, kinds, given, options or {})

    grad, found = be.lookup("torch.autograd:grad"), []
    unused = {"materialize_grads": True} if zeros else {"allow_unused": True}
    for kind in (be.lookup("torch:Tensor"), Watched):
        leaf, other, beside = (be.tensor(x).as_subclass(kind).requires_grad_() for _ in range(3))
        cotangent, result = be.tensor(w).as_subclass(kind), leaf * leaf * other
        parts = *be.unbind(result), *result.max(0)
        result.backward(cotangent, retain_graph=True, create_graph=recorded, inputs=[leaf])
        assert other.grad is None
        assert be.requires_grad(leaf.grad) is recorded
        options = {"retain_graph": True, "create_graph": recorded, **unused}
        gradients = grad(result, [leaf, beside], cotangent, **options)
        with be.raises(ErrorKind.UNREACHABLE):
            grad(result, [leaf, beside], cotangent, retain_graph=True)
        rows = grad(result, other, cotangent[None], is_grads_batched=True)
        with be.raises(ErrorKind.FREED_GRAPH):
            result.backward(cotangent)
        assert be.requires_grad(gradients[0]) is recorded
        results = [*(each for each in gradients if each is not None), *rows, *parts]
        assert len(results) == 6 + zeros
        assert {type(each) for each in results} == {kind}
        found.append([leaf.grad, *results])
    assert {be.lookup("torch.autograd:grad"), be.lookup("torch:Tensor").backward} <= set(told)
    for got, want in zip(found[1], found[0], strict=True):
        be.same(be.detach(got).as_subclass(be.lookup("torch:Tensor")), be.detach(want))
