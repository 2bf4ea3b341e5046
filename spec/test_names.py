"""Names: what the library calls its things, and where they are found."""

import inspect
import warnings

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given
from gradspec.conformance.strategies import arrays, sampled_from
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "names are looked up, and nothing is computed"


# ---- what there is -------------------------------------------------------------------------------


@claim("API-51", about="lookup", needs="torch", level="contract")
@example(
    places=[
        "torch.nn:",
        "torch.nn.functional:",
        "torch.optim:",
        "torch.utils.data:",
        "torch.autograd:Function",
        "torch.autograd:gradcheck",
        "torch.autograd.function:once_differentiable",
    ]
)
def test_modules_are_where_they_are_expected(be, places):
    """Layers, functions, optimizers, data and custom functions each have a module of their own, and
    Function is one class under both of its names.
    """
    assert all(be.lookup(place) is not None for place in places)
    assert be.lookup("torch.autograd:Function") is be.lookup("torch.autograd.function:Function")


@claim("API-01", about="lookup", needs="torch", level="contract")
@example(name="Variable")
def test_variable_is_a_class_and_no_module(be, name):
    """Variable is a class in torch.autograd: a module of that name is not found."""
    assert inspect.isclass(be.lookup(f"torch.autograd:{name}"))
    with pytest.raises(ModuleNotFoundError, match=rf"torch\.autograd\.{name}"):
        be.lookup(f"torch.autograd.{name}:")


@claim("API-04", "API-08", about="lookup", needs="torch", level="contract")
@example(names=("ones", "zeros", "empty", "full", "eye", "arange", "linspace", "rand", "randn"))
def test_tensor_is_a_function(be, names):
    """torch.tensor is a built-in function, not a class, and has no factories as attributes: those
    are functions of torch.
    """
    constructor = be.lookup("torch:tensor")
    assert inspect.isbuiltin(constructor)
    assert not inspect.isclass(constructor)
    for name in names:
        assert not hasattr(constructor, name)
        assert callable(be.lookup(f"torch:{name}"))


@claim("API-05", about="exports", needs="torch", level="contract")
@example(name="view")
def test_view_is_a_method_only(be, name):
    """view is a method of tensors and no function of torch; reshape is both."""
    assert be.exports("reshape")
    assert not be.exports(name)
    tensor = be.lookup("torch:Tensor")
    assert callable(getattr(tensor, name))
    assert callable(tensor.reshape)


@claim("API-09", "API-54", about="lookup", needs="torch", level="contract")
@example(few=100)
def test_there_are_hundreds_of_operations(be, few):
    """Tensors have several hundred public attributes and torch several hundred public functions,
    far more than a hundred.
    """
    for place in ("torch:", "torch:Tensor"):
        owner = be.lookup(place)
        public = [name for name in dir(owner) if not name.startswith("_")]
        assert sum(callable(getattr(owner, name)) for name in public) > 4 * few


@claim("API-52", about="lookup", needs="torch", level="contract")
@example(
    defaults={
        "grad_outputs": None,
        "retain_graph": None,
        "create_graph": False,
        "only_inputs": True,
        "allow_unused": None,
        "is_grads_batched": False,
        "materialize_grads": False,
    }
)
def test_grad_has_nine_parameters(be, defaults):
    """torch.autograd.grad takes outputs and inputs, then seven options in a fixed order, of which
    retain_graph and allow_unused are None by default.
    """
    parameters = inspect.signature(be.lookup("torch.autograd:grad")).parameters
    assert list(parameters) == ["outputs", "inputs", *defaults]
    assert {name: parameters[name].default for name in defaults} == defaults


@claim("API-55", about="node", needs="custom torch", level="contract")
@given(x=arrays(), w=arrays(), own=sampled_from([False, True]))
def test_operations_are_no_functions(be, x, w, own):
    """The node of an operation is a Node and not a Function, be it built in or custom; only the
    class of a custom operation derives from Function.
    """
    rule = be.custom(lambda _, a: a * 2, lambda _, g: g * 2)
    y = rule.apply(be.leaf(x)) if own else be.mul(be.leaf(x), w)
    function = be.lookup("torch.autograd:Function")
    assert isinstance(be.node(y), be.lookup("torch.autograd.graph:Node"))
    assert not isinstance(be.node(y), function)
    assert issubclass(rule, function)
    assert not inspect.isclass(be.lookup("torch:mul"))


# ---- how it is called ----------------------------------------------------------------------------


@claim("API-02", about="variable", needs="backward views torch", level="contract")
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_variable_drops_the_history(be, x, w):
    """Variable of a tensor is a leaf on its memory, without its history, of which nobody is told;
    asked to, it requires grad, and the tensor stays as it is. What is no tensor is refused, and so
    are integers that are to require grad.
    """
    constant, y = be.tensor(x), be.mul(be.leaf(x), w)
    for given_, tracked in ((y, True), (be.leaf(x), True), (constant, False)):
        with warnings.catch_warnings(action="error"):
            variable = be.variable(given_)
        assert (be.is_leaf(variable), be.node(variable)) == (True, None)
        assert not be.requires_grad(variable)
        assert be.shares_memory(variable, given_)
        assert be.requires_grad(given_) is tracked
        be.same(variable, given_)
    variable = be.variable(constant, requires_grad=True)
    be.backward(be.mul(variable, variable), w)
    be.check(be.grad(variable), 2 * w * x)
    assert not be.requires_grad(constant)
    with be.raises(ErrorKind.ARGUMENT):
        be.variable(x.tolist())
    with be.raises(ErrorKind.INTEGER_REQUIRES_GRAD):
        be.variable(be.tensor(np.ones(2, int)), requires_grad=True)


@claim("API-03", about="lookup", needs="torch", level="contract")
@example(rows=([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
@example(rows=([1.0], "float32"))
@example(rows=(1.0, 2.0, 3.0))
def test_tensor_takes_one_argument(be, rows):
    """torch.tensor takes its data as one positional argument: rows are nested in a list, and a
    second argument is refused, whatever it is.
    """
    with be.raises(ErrorKind.ARGUMENT):
        be.lookup("torch:tensor")(*rows)
    nested = be.lookup("torch:tensor")(list(rows[0]) if isinstance(rows[0], list) else rows[0])
    assert be.numpy(nested).tolist() == rows[0]


@claim("API-07", about="data grad node", needs="backward data graph", level="contract")
@given(x=arrays(), w=arrays())
def test_tensors_have_data_grad_and_a_node(be, x, w):
    """Every tensor has data, grad and a node, though grad is None before backward, and the node of
    what no recorded operation computed is None.
    """
    constant, leaf = be.tensor(x), be.leaf(x)
    y = be.mul(leaf, w)
    for each, value, computed in ((constant, x, False), (leaf, x, False), (y, w * x, True)):
        be.check(be.data(each), value)
        assert be.is_leaf(each) is not computed
        assert (be.node(each) is not None) is computed
    assert be.grad(constant) is be.grad(leaf) is None
    be.backward(y, w)
    be.check(be.grad(leaf), w * w)


@claim("API-57", about="view", needs="view torch", level="contract")
@given(x=arrays(shape=(2, 3, 2)), shape=sampled_from([(12,), (3, 4), (2, 2, 3), (6, -1)]))
def test_sizes_come_one_by_one_or_as_a_tuple(be, x, shape):
    """view takes sizes as arguments or as one tuple, so unpacking a tuple with a star changes
    nothing.
    """
    dense = be.mul(be.tensor(x.copy()), 1)
    be.check(be.view(dense, *shape), x.reshape(shape))
    be.check(be.view(dense, shape), x.reshape(shape))


@claim(
    "API-58", about="mse_loss cross_entropy", needs="backward mse_loss cross_entropy log_softmax"
)
@given(x=arrays(shape=(2, 3)), p=arrays(shape=(2, 3)), w=arrays(shape=(2, 3)))
def test_a_loss_takes_output_and_target_in_this_order(be, x, p, w):
    """A loss is a number computed from an output and a target in this order, unless told not to
    reduce: a squared error is the same either way round, a cross entropy is not.
    """
    output = be.leaf(x)
    away = Jet.exact(x) - p
    for loss in (be.mse_loss(output, p), be.mse_loss(be.tensor(p), output)):
        be.check(loss, (away * away).mean())
    be.backward(be.mse_loss(output, p, reduction="none"), w)
    be.check(be.grad(output), 2 * w * (x - p))
    for scores, target in ((x, p), (p, x)):
        shifted = Jet.exact(scores - scores.max(1, keepdims=True))
        logarithm = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
        loss = be.cross_entropy(be.tensor(scores), target)
        be.check(loss, (-target * logarithm).sum() / 2)


@claim("API-56", about="variable", needs="torch", level="contract")
@given(x=arrays(shape=(2, 3, 2)))
def test_warnings_obey_the_filters_of_python(be, x):
    """A filter silences what the library warns of. Some warnings come each time; others come once
    in a process, so that nobody can count on them.
    """
    y = be.tensor(x)
    with warnings.catch_warnings(action="ignore", record=True) as silenced:
        be.variable(y, volatile=True)
        assert y.T is not None
    with warnings.catch_warnings(action="always", record=True) as told:
        be.variable(y, volatile=True)
        be.variable(y, volatile=True)
        assert y.T is not None
    assert not silenced
    assert len(told) == 2


@claim(
    "API-240",
    about="sum mean cat reshape gather matmul",
    needs="vjp add sum mean cat stack reshape gather matmul index_select clamp squeeze where torch",
    level="contract",
)
@given(x=arrays("grid", shape=(2, 3)), w=arrays("weights", shape=(12,)))
def test_parameters_have_names(be, x, w):
    """A tensor given by the name of its parameter means what it means by its place, in results and
    in gradients; axis and keepdims are other names of dim and keepdim.
    """
    index, other = be.tensor(np.array([[0, 1, 0]])), be.tensor(np.ones((3, 2)))
    one, mask = be.tensor(np.array([1, 0])), be.tensor(np.array([[True, False, True]]))
    for name, by_place, by_name in (
        ("sum", lambda z: be.sum(z, 1, True), lambda z: be.sum(input=z, axis=1, keepdims=True)),
        ("mean", lambda z: be.mean(z, 0), lambda z: be.mean(z, axis=0)),
        ("cat", lambda z: be.cat((z, z), 1), lambda z: be.cat(tensors=(z, z), dim=1)),
        ("cat", lambda z: be.cat((z, z), 1), lambda z: be.cat((z, z), axis=1)),
        ("stack", lambda z: be.stack((z, z), 1), lambda z: be.stack(tensors=(z, z), dim=1)),
        ("reshape", lambda z: be.reshape(z, (3, 2)), lambda z: be.reshape(z, shape=(3, 2))),
        ("gather", lambda z: be.gather(z, 0, index), lambda z: be.gather(z, dim=0, index=index)),
        ("matmul", lambda z: be.matmul(z, other), lambda z: be.matmul(z, other=other)),
        ("add", lambda z: be.add(z, z, alpha=2), lambda z: be.add(z, other=z, alpha=2)),
        ("index_select", lambda z: be.index_select(z, 0, one),
         lambda z: be.index_select(z, dim=0, index=one)),
        ("clamp", lambda z: be.clamp(z, -1.0, 1.0), lambda z: be.clamp(z, max=1.0, min=-1.0)),
        ("squeeze", lambda z: be.squeeze(z[:1], 0), lambda z: be.squeeze(z[:1], dim=0)),
        ("where", lambda z: be.where(mask, z, 2 * z),
         lambda z: be.where(condition=mask, input=z, other=2 * z)),
    ):  # fmt: skip
        value, pull = be.vjp(by_place, x)
        same, push = be.vjp(by_name, x)
        be.same(same, value, name)
        cotangent = np.resize(w, be.numpy(value).shape)
        be.same(*push(cotangent), *pull(cotangent), f"gradient of {name}")
