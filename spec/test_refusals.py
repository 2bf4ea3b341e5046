"""Refusals: names, options and inputs that modules and layers do not take."""

from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, every, given
from gradspec.conformance.strategies import booleans, sampled_from
from gradspec.conformance.strategies.modules import assemble, attribute
from gradspec.conformance.strategies.refusals import (
    AXES,
    CHOICES,
    REGISTERED,
    TAKEN_FROM,
    WIDTH,
    assigned,
    own,
)
from gradspec.conformance.strategies.refused_calls import CALLS
from gradspec.conformance.strategies.refused_inputs import FUNCTIONS, LAYERS, tensors
from gradspec.conformance.strategies.refused_tools import TOOLS

NO_WORKLOAD = "what is refused takes no time"

REFUSED = (ValueError, TypeError, KeyError, RuntimeError, IndexError, AssertionError)

# ---- names ---------------------------------------------------------------------------------------


@claim("NNM-840", about="module", needs="nn torch", level="contract")
@every(kind=list(REGISTERED))
@given(name=sampled_from(["", "a.b", 3, "note", "forward"]), before=booleans())
def test_names_in_a_module_are_taken_once(be, kind, name, before):
    """A parameter, a buffer or a module is registered under a string that is not empty, has no dot
    and is no name of another attribute; once more under its own name it takes the place of what was
    there. Nothing is registered that is not of its kind.
    """
    names = {other: f"a{n}" for n, other in enumerate(REGISTERED)}
    module = assemble(be, list(REGISTERED), twice=False)
    module.note, register, new = 3, getattr(module, REGISTERED[kind]), attribute(be, kind)
    if before:
        register("again", attribute(be, kind))
        register("again", new)
        assert dict(own(module, kind))["again"] is new
    for taken in (name, *(names[other] for other in REGISTERED if other != kind)):
        with be.raises(ErrorKind.ARGUMENT):
            register(taken, new)
    with be.raises(ErrorKind.PARAMETER_ASSIGNMENT):
        register("new", attribute(be, "number"))
    assert [word for word, _ in own(module, kind)] == [names[kind], *["again"] * before]


@claim("NNM-841", about="module", needs="nn torch", level="contract")
@every(pair=list(product(REGISTERED, [*REGISTERED, "number"])))
@given(again=booleans())
def test_a_name_is_of_what_was_assigned_last(be, pair, again):
    """A parameter that is assigned to an attribute takes the name from whatever had it, a module
    from all but a parameter, a buffer from a buffer: it is listed as one of its kind, and nothing
    else is under that name. Anything else is refused, and leaves what was there.
    """
    kind, former = pair
    module, taken = be.module()(), former in TAKEN_FROM[kind]
    module.a = before = assigned(be, former)
    for _ in range(1 + again):
        with nullcontext() if taken else pytest.raises(REFUSED):
            module.a = assigned(be, kind)
    assert (module.a is before) is not taken
    for each in REGISTERED:
        listed = each == (kind if taken else former)
        assert own(module, each) == ([("a", module.a)] if listed else [])


# ---- options -------------------------------------------------------------------------------------


@claim("NNM-842", about="layer", needs="nn torch", level="contract", widest=True)
@every(choice=CHOICES)
def test_layers_refuse_what_has_no_meaning(be, choice):
    """A size, a share, a number of groups or a way that there is not is refused when a layer is
    made, which takes those at the bounds.
    """
    name, others, option, legal, wrong = choice
    for value in legal:
        assert be.layer(name, **{**others, option: value}) is not None
    for value in wrong:
        with pytest.raises(REFUSED):
            be.layer(name, **{**others, option: value})


@claim("NNM-844", about="lookup", needs="random torch", level="contract", widest=True)
@every(call=CALLS)
def test_functions_refuse_what_has_no_meaning(be, call):
    """A size, a share, an axis or a way that there is not is refused by the functions of networks,
    which take those at the bounds.
    """
    name, given, others, option, legal, wrong = call
    function, tensors = be.lookup(f"torch.nn.functional:{name}"), [*map(be.tensor, given)]
    with be.fork_random():
        for value in legal:
            assert function(*tensors, **{**others, option: value}) is not None
        for value in wrong:
            with pytest.raises(REFUSED):
                function(*tensors, **{**others, option: value})


# ---- inputs --------------------------------------------------------------------------------------


@claim("NNM-843", about="layer", needs="nn random torch", level="contract", widest=True)
@every(name=list(AXES))
@given(training=booleans())
def test_layers_refuse_inputs_of_other_axes(be, name, training):
    """A layer takes a batch, or one item of it where nothing is shared in a batch, and refuses what
    has more axes or fewer.
    """
    sizes, legal = AXES[name]
    layer = be.layer(name, *sizes).train(training)
    for axes in range(1, 7):
        right = nullcontext() if axes in legal else pytest.raises(REFUSED)
        with be.fork_random(), right:
            layer(be.tensor(np.ones((WIDTH,) * axes)))


@claim("NNM-845", about="lookup", needs="torch", level="contract", widest=True)
@every(name=list(FUNCTIONS))
def test_functions_refuse_tensors_that_do_not_fit(be, name):
    """A function of networks refuses tensors of which one does not fit to the others; weights and
    statistics of channels, and targets of chances, even where they could be broadcast.
    """
    options, shapes, wrong = FUNCTIONS[name]
    function = be.lookup(f"torch.nn.functional:{name}")
    assert function(**tensors(be, shapes), **options) is not None
    for word, shape in ((word, shape) for word, each in wrong.items() for shape in each):
        with pytest.raises(REFUSED):
            function(**tensors(be, {**shapes, word: shape}), **options)


@claim("NNM-846", about="layer", needs="nn torch", level="contract", widest=True)
@every(name=list(LAYERS))
@given(training=booleans(), recorded=booleans())
def test_layers_refuse_tensors_that_do_not_fit(be, name, training, recorded):
    """A layer of several inputs refuses such of which one does not fit to the others or to the
    layer, states and masks too, in either mode, recorded or not.
    """
    sizes, shapes, wrong = LAYERS[name]
    layer = be.layer(name, *sizes).train(training)
    with be.set_grad_enabled(recorded):
        assert layer(**tensors(be, shapes)) is not None
        for word, shape in ((word, shape) for word, each in wrong.items() for shape in each):
            with pytest.raises(REFUSED):
                layer(**tensors(be, {**shapes, word: shape}))


# ---- tools ---------------------------------------------------------------------------------------


@claim("NNM-850", about="lookup", needs="nn random complex_numbers torch", level="contract")
@every(tool=TOOLS)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_tools_of_modules_refuse_what_has_no_meaning(be, tool):
    """What prunes, parametrizes, normalizes, fuses, packs, stacks or calls modules, or sequences,
    refuses a name, a share, a size, a step or a way that there is not, and takes those at bounds.
    """
    with be.fork_random():
        for value in tool.legal:
            assert tool.call(be, value) is not None or tool.option == "vec"
        for value in tool.wrong:
            with pytest.raises((*REFUSED, AttributeError)):
                tool.call(be, value)
