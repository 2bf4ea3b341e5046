"""Operators: functions that are registered with the library, with rules of their own."""

import pytest

from gradspec.conformance import ErrorKind, claim, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, sampled_from
from gradspec.conformance.strategies.operators import registered

NO_WORKLOAD = "the chapter of examples times a function of one's own"

PRODUCT = "(Tensor x, Tensor y, float c) -> Tensor"

# ---- rules ---------------------------------------------------------------------------------------


@claim(
    "FUN-320",
    about="lookup",
    needs="backward gradients create_graph custom torch",
    level="contract",
)
@given(
    x=arrays(),
    y=arrays(),
    v=arrays(),
    w=arrays(),
    c=sampled_from([0.5, -3.0]),
    tracked=sampled_from([(True, True), (True, False), (False, True)]),
)
def test_an_operator_is_differentiated_by_its_rule(be, x, y, v, w, c, tracked):
    """An operator that is registered with a rule has the values and gradients, also those of
    gradients, of a custom function with that forward and backward; its rule knows which inputs need
    a gradient, and both run unrecorded unless the gradient is to be.
    """
    ran = []

    def product(a, b, factor):
        ran.append(be.requires_grad(a * b))
        return a * b * factor

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2], output)
        ctx.factor = inputs[2]

    def backward(ctx, g):
        a, b, output = ctx.saved_tensors
        ran.append((be.requires_grad(a * b * g), ctx.needs_input_grad[:2]))
        be.same(output, a * b * ctx.factor)
        return g * b * ctx.factor, g * a * ctx.factor, None

    def forward(ctx, a, b, factor):
        made = product(a, b, factor)
        keep(ctx, (a, b, factor), made)
        return made

    operator = registered(be, product, PRODUCT, backward=backward, setup_context=keep)
    results, told = [], []
    for apply in (operator, be.custom(forward, backward).apply):
        del ran[:]
        factors = [
            be.leaf(z) if flag else be.tensor(z) for z, flag in zip((x, y), tracked, strict=True)
        ]
        leaves = [z for z in factors if be.requires_grad(z)]
        made = apply(*factors, c)
        be.backward(made, w)
        first = be.gradients(apply(*factors, c), leaves, be.tensor(w), create_graph=True)
        second = [
            found
            for g in (first if all(tracked) else ())
            for found in be.gradients(g, leaves, be.tensor(v), allow_unused=True, retain_graph=True)
        ]
        results.append([made, *map(be.grad, leaves), *first, *second])
        told.append(list(ran))
    assert told[0] == told[1] == [False, (False, tracked), False, (True, tracked)]
    for got, want in zip(*results, strict=True):
        assert (got is None) is (want is None)
        if got is not None:
            be.same(got, want)
    be.check(results[0][0], x * y * c)


@claim("FUN-321", about="lookup", needs="backward no_grad torch", level="contract")
@given(x=arrays(), w=arrays(), aliased=sampled_from(["itself", "view", "twice"]))
def test_an_operator_without_a_rule_has_no_gradient(be, x, w, aliased):
    """An operator that has no rule is recorded like any other, and refused by backward. Recorded or
    not, it may return neither what it was given, nor a view of it, nor one memory twice.
    """
    leaf = be.leaf(x)
    operator = registered(be, lambda a: a * 2, "(Tensor x) -> Tensor")
    with be.no_grad():
        assert not be.requires_grad(operator(leaf))
    assert not be.requires_grad(operator(be.tensor(x)))
    y = operator(leaf)
    assert be.requires_grad(y)
    be.check(y, 2 * x)
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        be.backward(y + leaf, w)
    assert be.grad(leaf) is None

    def twice(a):
        made = a * 2
        return made, made

    wrong = {
        "itself": (lambda a: a, "(Tensor x) -> Tensor"),
        "view": (lambda a: a[...], "(Tensor x) -> Tensor"),
        "twice": (twice, "(Tensor x) -> (Tensor, Tensor)"),
    }[aliased]
    operator = registered(be, *wrong)
    for tensor in (leaf, be.tensor(x)):
        with pytest.raises(RuntimeError, match="may not alias"):
            operator(tensor)


@claim("FUN-322", about="lookup", needs="backward torch", level="contract")
@given(x=arrays(), y=arrays(), v=arrays(), w=arrays(), used=sampled_from([(0,), (1,), (0, 1)]))
def test_an_operator_may_take_and_return_lists(be, x, y, v, w, used):
    """Of a list of tensors each has the gradient that stands in its place in the list that the
    rule returns, from gradients that come as a list, zeros for a result that nothing uses. A rule
    that returns too few or too many is refused.
    """
    came, leaves, cotangents = [], [be.leaf(x), be.leaf(y)], [v, w]

    def backward(ctx, gradients):
        came.append(gradients)
        return [g * 3 for g in gradients], None

    lists = registered(
        be,
        lambda tensors, factor: [t * factor for t in tensors],
        "(Tensor[] xs, float c) -> Tensor[]",
        backward=backward,
    )
    results = lists(leaves, 2.0)
    be.backward([results[n] for n in used], [cotangents[n] for n in used])
    ((first, second),) = came
    wanted = [cotangents[n] if n in used else 0 * x for n in (0, 1)]
    for got, want in zip((first, second, *results), (*wanted, 2 * x, 2 * y), strict=True):
        be.check(got, want)
    for leaf, want in zip(leaves, wanted, strict=True):
        be.check(be.grad(leaf), 3 * want)
    for returned in (1, 3):
        wrong = registered(
            be,
            lambda a, b: a * b,
            "(Tensor x, Tensor y) -> Tensor",
            backward=lambda _, g, returned=returned: (g,) * returned,
        )
        with be.raises(ErrorKind.INVALID_GRADIENT):
            be.backward(wrong(*leaves), w)


# ---- writes --------------------------------------------------------------------------------------


@claim(
    "FUN-323", about="lookup", needs="backward version_counter inplace mul_ torch", level="contract"
)
@given(x=arrays(), y=arrays(layouts=DENSE), w=arrays())
def test_an_operator_tells_what_it_writes(be, x, y, w):
    """An operator that writes over arguments, by its schema, gives each of them a new version, and
    no other: what saved the former value is refused by backward. It takes no rule.
    """

    def write(a, b, kept):
        be.mul_(a, 2)
        be.mul_(b, kept[...])

    schema = "(Tensor(a!) x, Tensor(b!) y, Tensor kept) -> ()"
    operator = registered(be, write, schema, "x", "y")
    leaf, first, second, kept = be.leaf(x), be.tensor(y), be.tensor(y), be.tensor(w)
    products = [leaf * factor for factor in (first, second, kept)]
    assert operator(first, second, kept) is None
    be.check(first, 2 * y)
    be.check(second, y * w)
    assert be.version_of(kept) == 0
    assert min(be.version_of(first), be.version_of(second)) > 0
    for product in products[:2]:
        with be.raises(ErrorKind.STALE_SAVED_VALUE):
            be.backward(product, w)
    be.backward(products[2], w)
    be.check(be.grad(leaf), w * w)
    with pytest.raises(RuntimeError, match="non-functional operator"):
        operator.register_autograd(lambda _, g: (g, g, None))


@claim("FUN-325", about="lookup", needs="backward inplace mul_ torch", level="contract")
@given(x=arrays(layouts=DENSE), w=arrays(), computed=booleans())
def test_an_operator_does_not_write_in_secret(be, x, w, computed):
    """An operator that writes over a tensor that requires grad is refused as any write to a leaf
    is; on a computed tensor it is refused too, or has the gradient of what it did.
    """

    def write(a):
        be.mul_(a, 2)

    operator, leaf = registered(be, write, "(Tensor(a!) x) -> ()", "x"), be.leaf(x)
    target = leaf * 1 if computed else leaf
    try:
        operator(target)
        if computed:
            be.backward(target, w)
    except RuntimeError:
        be.check(leaf, x, "the leaf")
    else:
        assert computed, "a leaf that requires grad was written"
        be.check(be.grad(leaf), 2 * w, "gradient")


# ---- transforms ----------------------------------------------------------------------------------


@claim("FUN-324", about="jvp", needs="jvp torch", level="contract")
@given(x=arrays(), v=arrays(), ruled=booleans())
def test_an_operator_has_no_tangent_by_itself(be, x, v, ruled):
    """No operator is taken for a constant: its tangent is right, or forward mode refuses it."""

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    rule = {"backward": lambda ctx, g: g * 2 * ctx.saved_tensors[0], "setup_context": keep}
    operator = registered(be, lambda a: a * a, "(Tensor x) -> Tensor", **rule if ruled else {})
    try:
        _, tangent = be.jvp(operator, [x], [v])
    except RuntimeError:
        return
    be.check(tangent, 2 * v * x, "tangent")


@claim("FUN-326", about="vmap", needs="vmap torch", level="contract")
@given(
    x=arrays("many", shape=(3, 2)),
    y=arrays("one", shape=(2,)),
    ruled=booleans(),
    last=booleans(),
)
@pytest.mark.filterwarnings("ignore:.*performance drop")
def test_an_operator_is_mapped_by_its_rule(be, x, y, ruled, last):
    """Mapped over an axis of some inputs, an operator has the values of its calls one by one; a
    rule registered for that runs once, told how many there are and along which axes.
    """
    told = []

    def rule(info, axes, a, b, factor):
        told.append((info.batch_size, axes))
        return be.movedim(a, axes[0], 0) * b * factor, 0

    operator = registered(be, lambda a, b, factor: a * b * factor, PRODUCT)
    if ruled:
        operator.register_vmap(rule)
    rows = be.tensor(x.T if last else x)
    mapped = be.vmap(lambda a, b: operator(a, b, 2.0), in_axes=(int(last), None))
    be.check(mapped(rows, be.tensor(y)), 2 * x * y)
    assert told == ([(3, (int(last), None, None))] if ruled else [])
