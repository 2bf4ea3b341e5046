"""Programs: whatever features meet in drawn programs, they mean what they mean alone."""

from gradspec.conformance import claim, example, given
from gradspec.conformance.programs.agreeing import agree, agree_as_functions
from gradspec.conformance.strategies import integers

NO_WORKLOAD = "a drawn program is no workload: the chapters of its parts have theirs"

ALL = integers(0, 2**32)
"""Numbers of programs: each stands for some. Those named by a claim have found faults before."""

COMPUTED = "making looking differentiating observing"
OVERWRITTEN = f"{COMPUTED} writing"


@claim("PRG-01", about="backward", needs="backward gradients graph")
@given(number=ALL)
def test_computed(be, number):
    """Passes over drawn operations and views, from any results, to any tensors, retained, recorded
    or repeated, give the gradients of the chain rule, or are refused for what was freed.
    """
    agree(be, number, COMPUTED)


@claim("PRG-02", about="backward", needs="backward gradients graph views inplace")
@example(number=5)
@given(number=ALL)
def test_overwritten(be, number):
    """A program that writes through any views of results, leaves and constants, in any order, has
    the values, flags and gradients of the one that computes new tensors instead; what it may not
    write, and what a pass may no longer use, is refused.
    """
    agree(be, number, OVERWRITTEN)


@claim(
    "PRG-03", about="backward", needs="backward gradients graph views inplace no_grad detach data"
)
@example(number=9)
@example(number=111)
@given(number=ALL)
def test_switched_and_flagged(be, number):
    """Modes, flags, detached aliases and .data that meet views, writes and passes change what is
    recorded and nothing else.
    """
    agree(be, number, f"{OVERWRITTEN} modes flags")


@claim("PRG-04", about="backward", needs="backward gradients graph views inplace no_grad hooks")
@example(number=2)
@example(number=105)
@example(number=113)
@given(number=ALL)
def test_hooked(be, number):
    """Hooks that meet views, writes, modes and passes are called with the whole gradient of the
    value that their tensor had, in the order in which they were put, and replace it.
    """
    agree(be, number, f"{OVERWRITTEN} modes flags hooking")


@claim("PRG-05", about="backward", needs="backward gradients graph views inplace no_grad custom")
@example(number=19)
@example(number=200)
@given(number=ALL)
def test_written_by_hand(be, number):
    """Custom functions that meet views, writes, modes, hooks and recorded passes are differentiated
    by their own backward.
    """
    agree(be, number, f"{OVERWRITTEN} modes flags hooking own")


@claim("PRG-06", about="vjp", needs="vjp mul sum", modes=True)
@given(number=ALL)
def test_as_functions(be, number):
    """A drawn program is a function of its leaves, whose pullback gives its gradients."""
    agree_as_functions(be, number, "gradients")


@claim("PRG-07", about="vjp", needs="vjp create_graph mul sum", modes=True)
@given(number=ALL)
def test_as_functions_of_second_order(be, number):
    """The gradients of a drawn program are functions of its leaves, whose pullbacks give its second
    derivatives.
    """
    agree_as_functions(be, number, "second derivatives")


@claim("PRG-08", about="jvp", needs="vjp jvp mul sum", modes=True)
@given(number=ALL)
def test_in_forward_mode(be, number):
    """The derivative of a drawn program along tangents, of one that writes over what it computes
    through any views as well, is that of its gradients along them.
    """
    agree_as_functions(be, number, "tangents", "jvp")


@claim("PRG-09", about="vmap", needs="vjp vmap mul sum")
@given(number=ALL)
def test_slice_by_slice(be, number):
    """A drawn program that is mapped computes of each slice what it computes of that alone, also
    where it writes over what it has computed, and passes gradients back to each.
    """
    agree_as_functions(be, number, "slices", "vmap")


@claim("PRG-470", about="vjp", needs="vjp inplace views mul sum")
@given(number=ALL)
def test_as_functions_that_write(be, number):
    """A drawn program that writes over what it computes, through any views, is a function of its
    leaves as well, whose pullback gives its gradients.
    """
    agree_as_functions(be, number, "gradients of what was written")
