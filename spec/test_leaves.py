"""Leaves: requires_grad and is_leaf."""

import warnings
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, booleans, sampled_from

WHOLE = ("int8", "int16", "int32", "int64", "uint8", "bool")
REAL = ("float64", "complex64", "complex128")
FACTORIES = {
    "zeros": (2, 3),
    "ones": (2, 4),
    "full": ((2, 3), 0.5),
    "eye": (3,),
    "arange": (6.0,),
    "linspace": (0.0, 1.0, 4),
    "empty": (2, 3),
    "from_data": ([1.0, 2.0, 3.0],),
}


@workload
def restarted(be, leaf, w=1.0):
    """The gradient of a weighted square for its root, a product made while its leaf was off."""
    be.set_requires_grad(leaf, False)
    start = leaf * leaf
    be.set_requires_grad(leaf)
    be.set_requires_grad(start)
    be.backward(be.sum(be.mul(start * start + leaf, w)))
    return be.grad(start)


# ---- the flag ------------------------------------------------------------------------------------


@claim("GRF-01", about="requires_grad", needs="backward")
@every(dtype=WHOLE + REAL)
def test_nothing_requires_grad_unless_asked(be, dtype):
    """A tensor of any dtype has a flag requires_grad, which is False unless it was asked for."""
    made = be.tensor(np.ones(2, dtype))
    assert be.requires_grad(made) is False
    assert be.requires_grad(made + made) is False


@claim(
    "GRF-02",
    about="requires_grad set_requires_grad",
    needs="torch nn zeros ones full eye arange linspace empty from_data",
    level="contract",
)
@example(factory="ones")
@every(factory=FACTORIES)
def test_flag_is_set_at_creation_or_later(be, factory):
    """A factory asked for requires_grad=True returns what setting or assigning the flag makes of
    its plain result: a leaf. Only a bool can be assigned, and parameters of layers have the flag.
    """
    make, arguments = getattr(be, factory), FACTORIES[factory]
    created, flagged, assigned = make(*arguments, requires_grad=True), make(*arguments), be.ones(2)
    assert not be.requires_grad(flagged)
    with pytest.raises(RuntimeError, match="must be a bool"):
        assigned.requires_grad = 1
    assigned.requires_grad = True
    parameters = be.layer("Linear", 2, 3).parameters()
    for made in (created, be.set_requires_grad(flagged), assigned, *parameters):
        assert be.requires_grad(made)
        assert be.is_leaf(made)
        assert be.node(made) is be.grad(made) is None


@claim("GRF-101", about="from_data from_numpy", needs="torch numpy_interop", level="contract")
@every(dtype=WHOLE + REAL)
def test_no_way_to_make_a_tensor_sets_the_flag(be, dtype):
    """A factory, a copy of data and a tensor on the memory of an array do not require grad unless
    they are told to, even where gradients are recorded and the default dtype is another.
    """
    array = np.ones(2, dtype)
    made = [be.from_data([1, 0], dtype=dtype), be.from_numpy(array), be.variable(be.tensor(array))]
    made += [getattr(be, name)(*arguments) for name, arguments in FACTORIES.items()]
    assert not any(each.requires_grad for each in made)


@claim("GRF-03", about="set_requires_grad", needs="backward", level="contract")
@example(refused="int64", accepted="float64")
@given(refused=sampled_from(WHOLE), accepted=sampled_from(REAL))
def test_only_floating_and_complex_tensors_may_require_grad(be, refused, accepted):
    """Asking a tensor of integers or bools to require grad is refused at once; floating and complex
    ones accept it. A leaf may be told not to, whatever it holds.
    """
    whole, real = be.tensor(np.ones(2, refused)), be.tensor(np.ones(2, accepted))
    with be.raises(ErrorKind.INTEGER_REQUIRES_GRAD):
        be.set_requires_grad(whole)
    assert not be.requires_grad(whole)
    assert be.requires_grad(be.set_requires_grad(real))
    for each in (whole, real):
        assert not be.requires_grad(be.set_requires_grad(each, False))


@claim("GRF-07", "GRF-57", about="set_requires_grad", needs="backward")
@given(x=arrays(), w=arrays(), flag=sampled_from(((), (True,), (False,))), before=booleans())
def test_requires_grad_in_place_switches_on_by_default(be, x, w, flag, before):
    """requires_grad_ sets the flag of a leaf in place and returns that leaf; called without an
    argument it switches tracking on.
    """
    leaf = be.leaf(x) if before else be.tensor(x)
    asked = flag != (False,)
    assert be.set_requires_grad(leaf, *flag) is leaf
    assert be.requires_grad(leaf) is asked
    assert be.requires_grad(be.mul(w, leaf)) is asked
    be.check(leaf, x)


@claim("GRF-10", about="requires_grad set_requires_grad", needs="torch", level="contract")
@given(x=arrays(), flag=booleans())
def test_requires_grad_is_an_attribute_and_its_namesake_a_method(be, x, flag):
    """requires_grad is a bool and cannot be called; requires_grad_ is a method, takes nothing but a
    bool, and assigning to its name leaves the flag as it is.
    """
    leaf = be.set_requires_grad(be.tensor(x), flag)
    assert leaf.requires_grad is be.requires_grad(leaf) is flag
    with pytest.raises(TypeError, match="'bool' object is not callable"):
        leaf.requires_grad()
    with pytest.raises(TypeError, match="must be bool, not int"):
        leaf.requires_grad_(1)
    leaf.requires_grad_ = not flag
    assert be.requires_grad(leaf) is flag


# ---- when it changes -----------------------------------------------------------------------------


@claim("GRF-06", "GRF-59", about="set_requires_grad", needs="backward")
@example(x=np.array([[0.5, 2.0], [3.0, -1.0]]), w=np.ones((2, 2)))
@given(x=arrays(), w=arrays())
def test_flag_is_not_retroactive(be, x, w):
    """What was computed before the flag was set stays a constant, through which nothing flows; it
    can be made a leaf of its own, where a new graph starts.
    """
    leaf = be.leaf(x)
    be.check(restarted(be, leaf, w), 2 * w * x**2)
    be.check(be.grad(leaf), w)
    late = be.tensor(x)
    product = late * late
    be.set_requires_grad(late)
    assert not be.requires_grad(product)
    assert be.requires_grad(late * late)


@claim(
    "GRF-58",
    about="set_requires_grad",
    needs="backward views unsqueeze expand permute select narrow",
    level="contract",
)
@given(
    x=arrays(shape=(2, 3)),
    w=arrays(shape=()),
    view=sampled_from(
        (
            ("unsqueeze", 0),
            ("expand", 4, 2, 3),
            ("permute", (1, 0)),
            ("select", 0, 1),
            ("narrow", 1, 0, 2),
        )
    ),
)
def test_view_taken_before_the_flag_requires_grad_in_vain(be, x, w, view):
    """A view taken before its base is flagged reports that it requires grad too, yet it has no
    history: backward through it runs and reaches nothing. A view taken afterwards reaches the base.
    """
    base = be.tensor(x)
    name, *arguments = view
    early = getattr(be, name)(base, *arguments)
    be.set_requires_grad(base)
    assert be.requires_grad(early)
    assert be.is_leaf(early)
    be.backward(be.sum(be.mul(w, early)))
    assert be.grad(base) is be.grad(early) is None
    be.backward(be.sum(be.mul(w, be.unsqueeze(base, 0))))
    be.check(be.grad(base), w * np.ones((2, 3)))


@claim("GRF-170", about="set_requires_grad", needs="backward views select", level="contract")
@given(x=arrays(shape=(2, 3)), w=arrays(shape=(3,)))
def test_a_view_is_flagged_alone(be, x, w):
    """A view of a constant that is made to require grad is a leaf of its own, which receives what
    is computed from it. Its base and the other views of that stay constants.
    """
    base = be.tensor(x)
    other, flagged = be.select(base, 0, 1), be.select(base, 0, 1)
    assert be.set_requires_grad(flagged) is flagged
    assert be.is_leaf(flagged)
    assert not any(map(be.requires_grad, (base, other, base * 1)))
    be.backward(flagged * flagged + other, w)
    be.check(be.grad(flagged), 2 * w * x[1])
    assert be.grad(base) is be.grad(other) is None


@claim(
    "GRF-08",
    about="set_requires_grad backward",
    needs="backward gradients retain_graph",
    level="contract",
)
@given(x=arrays(), w=arrays(), a=arrays())
def test_a_leaf_switched_off_takes_no_delivery(be, x, w, a):
    """Switching a leaf off leaves earlier results tracked, but backward from them passes it by and
    asking for its gradient is refused; switched on again, it receives what they send. What .grad
    holds stays there either way.
    """
    leaf, other = be.leaf(x), be.leaf(a)
    y = leaf * leaf * other
    be.set_requires_grad(leaf, False)
    assert be.requires_grad(y)
    be.backward(y, w, retain_graph=True)
    assert be.grad(leaf) is None
    be.check(be.grad(other), w * x**2)
    with be.raises(ErrorKind.NO_GRAPH):
        be.gradients(y, [leaf], be.tensor(w), retain_graph=True)
    be.set_requires_grad(leaf)
    be.backward(y, w)
    for flag in (True, False, True):
        be.set_requires_grad(leaf, flag)
        be.check(be.grad(leaf), 2 * w * x * a)


@claim("GRF-102", about="set_requires_grad", needs="backward inplace add_", level="contract")
@given(x=arrays(layouts=DENSE), w=arrays())
def test_a_leaf_that_became_a_result_takes_no_gradient(be, x, w):
    """A leaf that was used, told not to require grad and then written with a tracked tensor has
    become a result: a pass that would add to it is refused, and .grad stays.
    """
    leaf = be.leaf(x)
    y = leaf * 2
    be.set_requires_grad(leaf, False)
    be.add_(leaf, be.leaf(w))
    assert not be.is_leaf(leaf)
    with be.raises(ErrorKind.MOVED_LEAF):
        be.backward(y, w)


@claim("GRF-09", about="set_requires_grad", needs="backward detach", level="contract")
@given(x=arrays(), w=arrays())
def test_computed_tensor_cannot_be_switched_off(be, x, w):
    """Telling a computed tensor not to require grad is refused, and telling it to changes nothing;
    detach is the way out.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    with be.raises(ErrorKind.NONLEAF_FLAG):
        be.set_requires_grad(y, False)
    assert be.set_requires_grad(y) is y
    assert not be.requires_grad(be.detach(y))
    assert not be.is_leaf(y)
    be.backward(y, w)
    be.check(be.grad(leaf), 2 * w * x)


# ---- what is a leaf ------------------------------------------------------------------------------


@claim("GRF-15", about="is_leaf", needs="backward no_grad detach inplace views unsqueeze add_")
@given(x=arrays(layouts=DENSE), w=arrays())
def test_leaf_is_what_no_recorded_operation_made(be, x, w):
    """A tensor is a leaf unless a recorded operation computed it: results that do not require grad,
    detached ones included, are leaves, while a view of a leaf and a constant written with a tracked
    value are none.
    """
    leaf, constant = be.leaf(x), be.tensor(x)
    with be.no_grad():
        silent = leaf * leaf
    for made in (leaf, constant, constant * constant, silent, be.detach(leaf), leaf > 0):
        assert be.is_leaf(made)
    view, written = be.unsqueeze(leaf, 0), constant * 1
    be.add_(written, leaf)
    for computed in (leaf * constant, view, written):
        assert not be.is_leaf(computed)
    be.backward(view + written, w[None])
    be.check(be.grad(leaf), 2 * w)


@claim("GRF-103", about="cast", needs="backward cast", level="contract")
@given(x=arrays(), dtype=sampled_from(WHOLE), computed=booleans())
def test_what_is_cast_to_whole_numbers_is_a_constant(be, x, dtype, computed):
    """Casting a tensor to integers or bools gives a leaf that does not require grad."""
    leaf = be.leaf(np.abs(x))
    made = be.cast(leaf * 1 if computed else leaf, dtype)
    assert not be.requires_grad(made)
    assert be.is_leaf(made)
    be.same(made, np.asarray(np.abs(x)).astype(dtype))


@claim("GRF-56", about="is_leaf", needs="torch", level="contract")
@given(x=arrays(), w=arrays())
def test_converted_leaf_is_no_leaf(be, x, w):
    """Converting a leaf to another dtype makes a recorded tensor, whose gradient comes back in the
    dtype of the leaf; converting it to its own dtype returns the leaf.
    """
    leaf = be.leaf(x)
    converted = leaf.half()
    assert not be.is_leaf(converted)
    assert leaf.to(leaf.dtype) is leaf
    be.backward(converted.to(leaf.dtype), w)
    be.check(be.grad(leaf), w)


@claim("GRF-68", about="is_leaf", needs="torch", level="contract")
@given(x=arrays(), w=arrays())
def test_is_leaf_and_grad_fn_are_read_only(be, x, w):
    """is_leaf and grad_fn follow from what was recorded and cannot be assigned; data and grad can,
    and so can requires_grad on a leaf of floats, while on a computed tensor even True is refused.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    for tensor, name in product((leaf, y), ("is_leaf", "grad_fn")):
        with pytest.raises(AttributeError, match="not writable"):
            setattr(tensor, name, None)
    with be.raises(ErrorKind.NONLEAF_FLAG):
        y.requires_grad = True
    whole = be.tensor(np.ones(2, int))
    with be.raises(ErrorKind.INTEGER_REQUIRES_GRAD):
        whole.requires_grad = True
    assert not whole.requires_grad
    y.data, leaf.data = be.tensor(x), be.tensor(w)
    leaf.requires_grad, leaf.grad = False, be.tensor(x)
    be.same(leaf.grad, y)
    be.check(leaf, w)
    assert be.is_leaf(leaf)
    assert not be.is_leaf(y)


@claim("GRF-65", about="mul add", needs="backward graph")
@example(x=2.0, w=1.0, v=1.0)
@given(x=arrays(), w=arrays(), v=arrays())
def test_leaves_and_nodes_of_a_worked_graph(be, x, w, v):
    """In y = (x + w)(w + 1) only x and w are leaves and only the other three have nodes, although
    the two factors are made of leaves alone.
    """
    leaves = be.leaf(x), be.leaf(w)
    a, b = leaves[0] + leaves[1], leaves[1] + 1
    y = be.mul(a, b)
    for leaf in leaves:
        assert be.is_leaf(leaf)
        assert be.node(leaf) is None
    for computed in (a, b, y):
        assert not be.is_leaf(computed)
        assert be.node(computed) is not None
    be.check(y, Total.of(x * w, x, w * w, w))
    be.backward(y, v)
    be.check(be.grad(leaves[0]), Total.of(v * w, v))
    be.check(be.grad(leaves[1]), Total.of(v * x, v * w, v * (w + 1)))


@claim("GRF-21", about="sub", needs="backward graph")
@example(x=1.0, g=-40.0)
@given(x=arrays(), g=arrays())
def test_updated_leaf_is_another_tensor(be, x, g):
    """w = w - g makes a new tensor, recorded and no leaf; the former leaf keeps its value and its
    place.
    """
    w = leaf = be.leaf(x)
    w = be.sub(w, g)
    be.check(w, Total.of(x, -g))
    assert not be.is_leaf(w)
    assert be.leaf_of(be.next_nodes(be.node(w))[0]) is leaf
    assert be.is_leaf(leaf)
    be.check(leaf, x)


# ---- .grad of others, and an old name ------------------------------------------------------------


@claim("GRF-23", about="backward", needs="torch", level="contract")
@example(x=np.ones((2, 4)), w=np.ones((2, 4)))
@given(x=arrays(), w=arrays())
def test_reading_grad_of_a_computed_tensor_warns(be, x, w):
    """The .grad of a computed tensor is None before and after backward, and reading it warns;
    reading that of a leaf never does.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None
    be.backward(y, w)
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None
    with warnings.catch_warnings(action="error"):
        be.check(leaf.grad, 2 * w * x)


@claim("GRF-67", "API-06", about="variable", needs="torch views nn", level="contract")
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_variable_is_a_plain_tensor(be, x, w):
    """Variable(x) is a new plain tensor on the memory of x, which may require grad; every tensor,
    and nothing else, is an instance of Variable. Its volatile flag only warns.
    """
    constant = be.tensor(x)
    variable = be.variable(constant, requires_grad=True)
    assert type(variable) is type(constant)
    assert variable is not constant
    assert be.shares_memory(variable, constant)
    be.backward(variable * variable, w)
    be.check(be.grad(variable), 2 * w * x)
    assert not be.requires_grad(constant)
    whole, kind = be.tensor(np.ones(2, int)), be.lookup("torch.autograd:Variable")
    tensors = (
        constant,
        variable,
        variable * variable,
        whole,
        *be.layer("Linear", 1, 1).parameters(),
    )
    assert all(isinstance(tensor, kind) for tensor in tensors)
    assert not any(isinstance(other, kind) for other in (1.0, None, x, kind))
    with pytest.warns(UserWarning, match="volatile was removed"):
        be.variable(constant, volatile=True)
