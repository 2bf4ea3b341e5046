"""Functional calls: modules that run with parameters other than their own."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, sampled_from
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.strategies.transforms import summed

NO_WORKLOAD = "a call takes the time of the module that it calls"


@claim("TRF-13", about="functional_call", needs="functional nn backward gradients transforms")
@given(
    x=arrays("rows", shape=(4, 3)),
    weight=arrays("weight", shape=(2, 3)),
    w=arrays("cotangent", shape=(4, 2)),
)
def test_a_module_called_with_other_parameters(be, x, weight, w):
    """A module called with parameters that are not its own computes with them, passes gradients to
    them, and is left with its own and their .grad as they were.
    """
    module = be.layer("Linear", 3, 2)
    own = {name: be.numpy(p) for name, p in module.named_parameters()}
    objects = dict(module.named_parameters())
    inputs = be.tensor(x)

    def called(other):
        return be.functional_call(module, {"weight": other}, inputs)

    result = be.functional_call(module, {"weight": be.tensor(weight)}, inputs)
    products = Total.matmul(x, weight.T)
    bias = np.broadcast_to(own["bias"].astype(np.float64), products.value.shape)
    be.check(result, summed([products, Total.of(bias)]))
    be.check(*be.pulled(called, [be.tensor(weight)], be.tensor(w)), Total.matmul(w.T, x))
    leaf = be.leaf(weight)
    be.check(*be.gradients(called(leaf), [leaf], w), Total.matmul(w.T, x))
    for name, parameter in module.named_parameters():
        assert parameter is objects[name], f"{name} is another object"
        be.same(parameter, own[name], name)
        assert be.grad(parameter) is None, f"{name} has a gradient"


@claim(
    "TRF-171",
    about="functional_call",
    needs="functional nn backward gradients torch",
    level="contract",
)
@given(
    x=arrays("rows", shape=(4, 2)),
    weight=arrays("weight", shape=(2, 2)),
    w=arrays("cotangent", shape=(4, 2)),
)
def test_parameters_that_are_shared_are_replaced_together(be, x, weight, w):
    """A parameter that a module has under two names is replaced under both, whichever of them is
    given, and receives the sum of what both uses contribute; given under both with different values
    it is refused. A call that is refused leaves the module with its own parameters as well.
    """
    first, second = (be.layer("Linear", 2, 2, bias=False) for _ in range(2))
    second.weight = own = first.weight
    module, inputs = be.layer("Sequential", first, second), be.tensor(x)
    for name in ("0.weight", "1.weight"):
        leaf = be.leaf(weight)
        result = be.functional_call(module, {name: leaf}, inputs)
        inner = Total.matmul(x, weight.T)
        be.check(result, Total.matmul(inner.value, weight.T))
        (found,) = be.gradients(result, [leaf], w)
        uses = Total.matmul(w.T, inner.value), Total.matmul((w @ weight).T, x)
        be.check(found, summed(uses))
    with be.raises(ErrorKind.ARGUMENT):
        both = {"0.weight": be.tensor(weight), "1.weight": be.tensor(weight + 1)}
        be.functional_call(module, both, inputs)
    with be.raises(ErrorKind.SHAPE):
        be.functional_call(module, {"0.weight": be.tensor(np.ones((3, 3)))}, inputs)
    assert first.weight is second.weight is own
    assert be.grad(own) is None


@claim("TRF-400", about="lookup", needs="functional nn gradients add_ torch", level="contract")
@given(x=arrays(layouts=DENSE), y=arrays(layouts=DENSE), anew=booleans())
def test_what_a_module_makes_of_its_buffers_is_handed_back(be, x, y, anew):
    """What a module assigns to its buffers while it is called with others, or writes into them, is
    in the mapping of these afterwards, and its own are as they were. Several mappings count
    together.
    """

    class Counting(be.module()):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", be.tensor(x))
            self.register_buffer("factor", be.tensor(np.array(2.0)))

        def forward(self, more):
            if anew:
                self.total = self.total + more
            else:
                be.add_(self.total, more)
            return self.total * self.factor

    module, given = Counting(), {"total": be.tensor(y)}
    own, call = module.total, be.lookup("torch.func:functional_call")
    result = call(module, given, (be.tensor(y),))
    be.check(result, 4 * y)
    be.check(given["total"], 2 * y)
    assert module.total is own
    be.check(own, x)
    factor = be.leaf(np.array(3.0))
    result = call(module, ({"total": be.tensor(y)}, {"factor": factor}), (be.tensor(y),))
    be.check(result, 6 * y)
    be.check(*be.gradients(be.sum(result), [factor]), Total.along((2 * y).ravel(), 0))


@claim(
    "TRF-290",
    about="functional_call lookup",
    needs="functional nn backward gradients vmap torch",
    level="contract",
)
@given(
    x=arrays("x", shape=(2, 3)),
    weights=arrays("weights", shape=(3, 4, 3)),
    w=arrays("w", shape=(3, 2, 4)),
    shared=booleans(),
)
def test_modules_are_stacked(be, x, weights, w, shared):
    """stack_module_state stacks the parameters of modules, and their buffers, each into a leaf of
    its own: mapped over the stacks, one module computes what all of them do, and each slice has the
    gradients of its own module.
    """
    layers = [fill(be, be.layer("Linear", 3, 4, bias=False), weight) for weight in weights]
    norms = [be.layer("BatchNorm1d", 4).eval() for _ in layers]
    for norm, weight in zip(norms, weights, strict=True):
        be.copy_(norm.running_mean, be.tensor(weight[:, 0]))
    models = [be.layer("Sequential", *pair) for pair in zip(layers, norms, strict=True)]
    parameters, buffers = be.lookup("torch.func:stack_module_state")(models)
    assert list(parameters) == [name for name, _ in models[0].named_parameters()]
    assert list(buffers) == [name for name, _ in models[0].named_buffers()]
    leaf, inputs = parameters["0.weight"], be.tensor(x if shared else np.stack([x, -x, x / 2]))
    be.check(leaf, weights)
    be.check(buffers["1.running_mean"], weights[:, :, 0])
    assert be.is_leaf(leaf)

    def call(own, held, row):
        return be.functional_call(models[0], {**own, **held}, row)

    y = be.vmap(call, (0, 0, None if shared else 0))(parameters, buffers, inputs)
    (slopes,) = be.gradients(y, [leaf], be.tensor(w))
    for n, model in enumerate(models):
        one = model(inputs if shared else inputs[n])
        sizes = map(abs, (x, weights[n], weights[n][:, 0]))
        true = Total.products(lambda a, b, c: a @ b.T + c, *sizes)
        be.check(y[n], Total.again([be.numpy(one)], [true]))
        (slope,) = be.gradients(one, [model[0].weight], be.tensor(w[n]))
        true = Total.again([be.numpy(slope)], [Total.matmul(abs(w[n].T), abs(x))])
        be.check_gradient(slopes[n], true)


@claim(
    "TRF-291",
    about="functional_call",
    needs="functional nn backward gradients torch",
    level="contract",
)
@given(
    x=arrays("x", shape=(2, 3)),
    weight=arrays("weight", shape=(3, 3)),
    other=arrays("weight", shape=(3, 3)),
    w=arrays("w", shape=(2, 3)),
    second=booleans(),
)
def test_tied_parameters_are_replaced_together(be, x, weight, other, w, second):
    """A module is called with another tensor in all places of a parameter that it has twice, by
    whichever of its names: the gradient is the sum of both, and the module stays as it was. Told
    not to tie weights, the call has it in the place that is named alone.
    """
    first, last = (be.layer("Linear", 3, 3, bias=False) for _ in range(2))
    last.weight = fill(be, first, weight).weight
    model, leaf = be.layer("Sequential", first, last), be.leaf(other)
    y = be.functional_call(model, {f"{int(second)}.weight": leaf}, be.tensor(x))
    be.check(y, Total.products(lambda a, b: a @ b.T @ b.T, x, other))
    (slope,) = be.gradients(y, [leaf], be.tensor(w))

    def formula(a, b, c):
        return c.T @ (a @ b.T) + (c @ b).T @ a

    be.check_gradient(slope, Total.products(formula, x, other, w))
    call = be.lookup("torch.func:functional_call")
    alone = call(model, {f"{int(second)}.weight": leaf}, (be.tensor(x),), tie_weights=False)
    pair = (weight, other) if second else (other, weight)
    be.check(alone, Total.products(lambda a, b, c: a @ b.T @ c.T, x, *pair))
    be.check(model[0].weight, weight)
    assert model[0].weight is model[1].weight


@claim("TRF-601", about="lookup", needs="functional nn torch", level="contract")
@given(
    x=arrays("x", shape=(2, 3)),
    weight=arrays("weight", shape=(4, 3)),
    bias=arrays("bias", shape=(4,)),
    whole=booleans(),
    more=booleans(),
)
def test_a_strict_call_takes_every_name_and_no_other(be, x, weight, bias, whole, more):
    """Told to be strict, a call of a module is refused if a tensor of it is not given or one that
    it has not is; otherwise the module computes with what is given.
    """
    given = {"weight": be.tensor(weight), **({"bias": be.tensor(bias)} if whole else {})}
    named = {**given, **({"other": be.tensor(bias)} if more else {})}
    call, layer = be.lookup("torch.func:functional_call"), be.layer("Linear", 3, 4)
    if more or not whole:
        with pytest.raises(RuntimeError):
            call(layer, named, (be.tensor(x),), strict=True)
    else:
        result = call(layer, named, (be.tensor(x),), strict=True)
        be.check(result, Total.products(lambda a, b, c: a @ b.T + c, x, weight, bias))


@claim("TRF-292", about="lookup", needs="backward gradients inplace clone torch", level="contract")
@given(
    x=arrays("x", shape=(2, 3)),
    v=arrays("x", shape=(2, 3), layouts=DENSE),
    w=arrays("x", shape=(2, 3)),
    remove=sampled_from(["mutations", "mutations_and_views"]),
)
def test_a_function_that_writes_is_made_one_that_does_not(be, x, v, w, remove):
    """functionalize gives a function that writes in place, through views as well, the same results
    and gradients; what the function writes into its argument is there afterwards.
    """

    def function(a, place):
        y = be.clone(a)
        be.mul_(y[0], 2)
        be.add_(be.transpose(y, 0, 1)[1], y[0, 0])
        be.add_(place[1], 1)
        return y * a

    made, leaf = be.lookup("torch.func:functionalize")(function, remove=remove), be.leaf(x)
    written, place = be.tensor(v), be.tensor(v)
    true, found = function(leaf, written), made(leaf, place)
    be.same(found, true)
    be.same(place, written)
    for got, want in zip(
        *(be.gradients(y, [leaf], be.tensor(w)) for y in (found, true)), strict=True
    ):
        be.same(got, want)
