"""No grad: recording switched off."""

from contextlib import closing, suppress

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    lists,
)
from gradspec.conformance.strategies.modes import Escape

FUNCTIONS = ("neg", "exp", "sin", "sum")
VIEWS = (
    ("t",),
    ("unsqueeze", 0),
    ("select", 0, 1),
    ("permute", (1, 0)),
    ("narrow", 1, 0, 2),
    ("transpose", 0, 1),
    ("expand", 4, 2, 3),
)


@workload
def descend(be, leaf, w=1.0):
    """A step against the gradient of a weighted sum of squares, taken in place under no_grad."""
    be.backward(be.sum(be.mul(be.mul(leaf, leaf), w)))
    with be.no_grad():
        return be.sub_(leaf, be.grad(leaf))


# ---- what is recorded ----------------------------------------------------------------------------


@claim("NOG-01", "NOG-51", about="no_grad", needs="backward no_grad")
@given(x=arrays(), w=arrays())
def test_results_under_no_grad_are_constants(be, x, w):
    """What is computed under no_grad has its usual value but is a leaf that does not require grad;
    its inputs keep their flag, and after the block the same computation is recorded.
    """
    leaf = be.leaf(x)
    for name in FUNCTIONS:
        function = getattr(be, name)
        with be.no_grad():
            inner = function(leaf)
            made = be.mul(w, inner)
        recorded = be.mul(w, function(leaf))
        be.same(made, recorded, name)
        for silent in (inner, made):
            assert be.is_leaf(silent), name
            assert not be.requires_grad(silent), name
        assert be.requires_grad(leaf)
        assert be.requires_grad(recorded)


@claim("NOG-108", about="no_grad", needs="backward no_grad cat stack where maximum matmul")
@given(
    x=arrays(shape=(2, 2)),
    y=arrays(shape=(2, 2)),
    tracked=lists(booleans(), min_size=5, max_size=5),
)
def test_what_takes_several_tensors_records_nothing_either(be, x, y, tracked):
    """An operation of two, three or five tensors records nothing under no_grad, whichever of them
    require grad.
    """
    five = [be.leaf(x) if flag else be.tensor(y) for flag in tracked]
    with be.no_grad():
        made = [be.cat(five), be.stack(five), be.where(five[0] > 0, five[1], five[2])]
        made += [f(five[3], five[4]) for f in (be.mul, be.maximum, be.matmul)]
    assert not any(map(be.requires_grad, made))
    assert all(map(be.is_leaf, made))


@claim(
    "NOG-02",
    about="no_grad",
    needs="backward gradients no_grad views inplace zero_ "
    "t unsqueeze select permute narrow transpose expand",
    level="contract",
)
@every(view=VIEWS)
@given(
    x=arrays(shape=(2, 3), layouts=DENSE),
    w=arrays(shape=()),
    computed=booleans(),
)
def test_a_view_taken_under_no_grad_leads_nowhere(be, x, w, view, computed):
    """A view taken under no_grad is a leaf that requires grad because its base does, yet backward
    through it reaches neither the base nor the view. While recording, it and its views refuse to
    be written.
    """
    leaf = be.leaf(x)
    base = (leaf * leaf)[...] if computed else leaf
    with be.no_grad():
        name, *arguments = view
        taken = getattr(be, name)(base, *arguments)
    assert be.requires_grad(taken)
    assert be.is_leaf(taken)
    be.backward(be.sum(be.mul(w, taken)))
    assert be.grad(leaf) is None
    assert be.grad(taken) is None
    with be.raises(ErrorKind.UNREACHABLE):
        be.gradients(be.sum(taken), [base])
    for written in (taken, taken[...]):
        with be.raises(ErrorKind.NO_GRAD_VIEW_INPLACE):
            be.zero_(written)


@claim(
    "NOG-180",
    about="no_grad",
    needs="backward no_grad views inplace mul_ t unsqueeze select permute narrow transpose expand",
    level="contract",
)
@every(view=VIEWS)
@given(
    x=arrays(shape=(2, 3), layouts=DENSE),
    w=arrays(shape=()),
)
def test_a_view_of_a_constant_taken_under_no_grad_stays_outside(be, x, w, view):
    """A view of a constant taken under no_grad refuses to be written with what requires grad. Once
    its base is written so it refuses to be used while recording; under no_grad it shows the memory.
    """
    base, leaf, (name, *arguments) = be.tensor(x), be.leaf(w), view
    with be.no_grad():
        taken = getattr(be, name)(base, *arguments)
    with be.raises(ErrorKind.NO_GRAD_VIEW_INPLACE):
        be.mul_(taken, leaf)
    be.check(base, x)
    be.mul_(base, leaf)
    with be.raises(ErrorKind.NO_GRAD_VIEW_INPLACE):
        be.sum(taken)
    with be.no_grad():
        be.same(taken * 1, getattr(be, name)(base, *arguments))


@claim("NOG-05", about="no_grad", needs="backward no_grad")
@given(x=arrays(), v=arrays(), w=arrays())
def test_no_grad_lets_leaves_be_made(be, x, v, w):
    """A tensor made or flagged under no_grad to require grad does so, and after the block it
    receives gradients.
    """
    with be.no_grad():
        made, flagged = be.leaf(x), be.set_requires_grad(be.tensor(v))
        assert not be.requires_grad(made * flagged)
    be.backward(made * flagged, w)
    be.check(be.grad(made), w * v)
    be.check(be.grad(flagged), w * x)


@claim(
    "NOG-101",
    about="zeros ones full from_data",
    needs="torch no_grad zeros ones full from_data",
    level="contract",
)
@example(w=2.0)
def test_factories_flag_what_they_make_under_no_grad(be, w):
    """A factory told under no_grad that its result requires grad makes a leaf that does, and that
    receives gradients after the block.
    """
    with be.no_grad():
        made = [be.zeros(3, requires_grad=True), be.ones(2, 3, requires_grad=True)]
        made += [be.full((2,), 0.5, requires_grad=True)]
        made += [be.from_data([1.0, 2.0], requires_grad=True)]
    for leaf in made:
        assert be.requires_grad(leaf)
        assert be.is_leaf(leaf)
        (leaf * w).sum().backward()
        assert be.tolist(leaf.grad.unique()) == [w]


@claim("NOG-09", about="no_grad", needs="backward no_grad")
@example(x=3.0, w=1.0, c=10.0)
@given(x=arrays(), w=arrays(), c=arrays())
def test_a_term_computed_under_no_grad_has_no_derivative(be, x, w, c):
    """A term computed under no_grad adds its value to a sum and nothing to the gradient."""
    leaf = be.leaf(x)
    with be.no_grad():
        term = be.mul(c, leaf * leaf)
    y = leaf * leaf + term
    be.check(y, Total.of(x * x, c * x * x))
    be.backward(y, w)
    be.check(be.grad(leaf), 2 * w * x)


@claim("NOG-53", about="no_grad", needs="backward no_grad saved_tensors")
@example(x=1.0, steps=20)
@given(x=arrays(), steps=integers(1, 8))
def test_no_grad_saves_nothing(be, x, steps):
    """Under no_grad no value is saved for backward; while recording, every sine saves one."""
    silent = recorded = be.leaf(x)
    with be.saved_tensors() as saved:
        with be.no_grad():
            for _ in range(steps):
                silent = be.sin(silent)
        assert saved.packed == 0
        for _ in range(steps):
            recorded = be.sin(recorded)
    assert saved.packed >= steps
    be.same(silent, recorded)


# ---- backward ------------------------------------------------------------------------------------


@claim("NOG-52", about="no_grad", needs="backward no_grad")
@example(x=2.0, w=1.0)
@given(x=arrays(), w=arrays())
def test_backward_runs_under_no_grad(be, x, w):
    """Under no_grad, backward from a recorded result adds to .grad as it does elsewhere."""
    leaf = be.leaf(x)
    be.backward(leaf * leaf, w)
    y = leaf * leaf
    with be.no_grad():
        be.backward(y, w)
    be.check(be.grad(leaf), 4 * w * x)


@claim("NOG-17", about="no_grad", needs="backward no_grad", level="contract")
@given(x=arrays(), w=arrays())
def test_backward_needs_a_recorded_forward(be, x, w):
    """Backward from a result computed under no_grad is refused, for there is no graph."""
    leaf = be.leaf(x)
    with be.no_grad():
        y = leaf * leaf
    with be.raises(ErrorKind.NO_GRAPH):
        be.backward(y, w)
    assert be.grad(leaf) is None


# ---- updates -------------------------------------------------------------------------------------


@claim("NOG-54", about="sub_", needs="backward no_grad inplace sub_")
@example(x=1.0, w=0.25)
@given(x=arrays(layouts=DENSE), w=arrays())
def test_a_leaf_is_updated_under_no_grad(be, x, w):
    """Under no_grad a leaf that requires grad is written in place; it stays such a leaf, and the
    next gradient is taken at its new value as if it had always been that.
    """
    leaf = be.leaf(x)
    assert descend(be, leaf, w) is leaf
    new = x - 2 * w * x
    be.check(leaf, Total.of(x, -2 * w * x))
    assert be.is_leaf(leaf)
    assert be.requires_grad(leaf)
    be.clear(leaf)
    be.backward(leaf * leaf, w)
    be.check(be.grad(leaf), Total.of(2 * w * x, 2 * w * (new - x)))


@claim("NOG-55", about="mul_", needs="backward no_grad inplace mul_")
@example(x=2.0, c=2.0, w=1.0)
@given(x=arrays(), c=arrays(), w=arrays())
def test_a_write_under_no_grad_leaves_the_history_alone(be, x, c, w):
    """Under no_grad an in-place write changes the value of a recorded result but not its history:
    backward yields the gradient of the computation as it was recorded.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    with be.no_grad():
        be.mul_(y, c)
    be.check(y, c * x * x)
    be.backward(y, w)
    be.check(be.grad(leaf), 2 * w * x)


@claim("NOG-18", about="no_grad data set_data", needs="backward no_grad data inplace sub_")
@example(x=1.0, w=-40.0, v=1.0)
@given(x=arrays(layouts=DENSE), w=arrays(), v=arrays())
def test_untracked_updates_agree(be, x, w, v):
    """A step w - g gives the same leaf, still with its gradient, whether it is written in place
    under no_grad or through .data, or assigned to .data, recorded or not.
    """
    leaves = written, through, assigned, recorded = [be.leaf(x) for _ in range(4)]
    for leaf in leaves:
        be.backward(be.mul(w, leaf), v)
    with be.no_grad():
        be.sub_(written, be.grad(written))
    be.sub_(be.data(through), be.grad(through))
    be.set_data(assigned, be.data(assigned) - be.grad(assigned))
    be.set_data(recorded, recorded - be.grad(recorded))
    for leaf in leaves:
        be.check(leaf, Total.of(x, -w * v))
        be.check(be.grad(leaf), w * v)
        assert be.is_leaf(leaf)
        assert be.requires_grad(leaf)


# ---- evaluation ----------------------------------------------------------------------------------


@claim("NOG-03", about="layer", needs="backward no_grad nn")
@given(x=arrays(shape=(2, 3)), w=arrays(shape=(2, 2)))
def test_parameters_keep_their_flag_under_no_grad(be, x, w):
    """A layer called under no_grad gives a result that does not require grad; its parameters still
    do, and training goes on.
    """
    layer = be.layer("Linear", 3, 2)
    with be.no_grad():
        assert not be.requires_grad(layer(be.tensor(x)))
    assert all(be.requires_grad(parameter) for parameter in layer.parameters())
    be.backward(layer(be.tensor(x)), w)
    weight, bias = layer.parameters()
    be.check(be.grad(weight), Total.matmul(w.T, x))
    be.check(be.grad(bias), Total.along(w, 0))


@claim("NOG-61", "NOG-19", about="layer", needs="backward no_grad nn")
@example(x=1.0, w=1.0, training=True, recording=False)
@example(x=1.0, w=1.0, training=False, recording=True)
@given(x=arrays(), w=arrays(), training=booleans(), recording=booleans())
def test_no_grad_is_not_evaluation_mode(be, x, w, training, recording):
    """Evaluation mode decides what a layer computes and no_grad whether that is recorded; neither
    does the work of the other.
    """
    leaf, layer = be.leaf(x), be.layer("Dropout", 1.0)
    (layer.train if training else layer.eval)()
    with be.enable_grad() if recording else be.no_grad():
        y = be.mul(w, layer(leaf))
    be.check(y, 0 * x if training else w * x)
    assert be.requires_grad(y) == recording
    assert be.requires_grad(leaf)


@claim("NOG-62", about="inference_mode", needs="backward inference", level="contract")
@given(x=arrays(), v=arrays())
def test_inference_tensors_are_never_saved(be, x, v):
    """A tensor made under inference_mode cannot be saved for backward, not even after the block;
    a recorded operation that would need it is refused.
    """
    leaf = be.leaf(x)
    with be.inference_mode():
        made = be.neg(be.tensor(v))
    with be.raises(ErrorKind.INFERENCE_TENSOR):
        be.mul(leaf, made)


@claim("NOG-181", about="lookup", needs="inference torch", level="contract")
@given(x=arrays(), fails=booleans())
def test_inference_mode_holds_where_it_is_asked_for(be, x, fails):
    """inference_mode(False) gives ordinary tensors within inference mode, as a block or around a
    function. A function or generator
    that inference_mode decorates makes inference tensors, and nobody else while it is suspended.
    """
    mode = be.lookup("torch:inference_mode")
    with mode():
        with suppress(Escape), mode(mode=False):
            inner = be.tensor(x) * 1
            raise Escape
        called = mode(mode=False)(be.tensor)(x)
        outer = be.tensor(x) * 1
    assert [be.is_inference(each) for each in (inner, called, outer)] == [False, False, True]

    def plain():
        with suppress(KeyError):
            yield be.tensor(x) * 1
        yield be.tensor(x) * 1

    with closing(mode()(plain)()) as running:
        for step in (
            lambda: next(running),
            lambda: running.throw(KeyError) if fails else next(running),
        ):
            assert be.is_inference(step())
            assert not be.is_inference(be.tensor(x) * 1)
    assert be.is_inference(mode()(be.neg)(be.tensor(x)))
    assert not be.is_inference(be.tensor(x) * 1)


@claim(
    "NOG-170",
    about="inference_mode",
    needs="backward inference no_grad views inplace version_counter mul_ clone",
    level="contract",
)
@given(x=arrays(layouts=DENSE), w=arrays(), recording=booleans())
def test_inference_tensors_refuse_writes_elsewhere(be, x, w, recording):
    """What is made under inference_mode, and every view of it, is an inference tensor: outside it
    refuses writes and the flag, and has no version. Views of other tensors and results computed
    after the block are none, and a write in the block to another tensor is counted.
    """
    leaf = be.leaf(x)
    saved = leaf * 1
    square = saved * saved
    with be.inference_mode():
        made, part = leaf * 1, saved[...]
        be.mul_(saved, 2)
    copy = be.clone(made)
    found = [be.is_inference(each) for each in (made, made[...], part, saved, copy, made * 1)]
    assert found == [True, True, False, False, False, False]
    assert not any(map(be.requires_grad, (made, copy)))
    refused = (lambda z: be.mul_(z, 2), be.set_requires_grad, be.version_of)
    with be.enable_grad() if recording else be.no_grad():
        for use in refused:
            with be.raises(ErrorKind.INFERENCE_TENSOR):
                use(made)  # PyTorch writes before it refuses: the value is not looked at
    be.check(be.mul_(copy, 2), 2 * x)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(square, w)
