"""Recording: where the mode that switches it holds, as a block, a decorator or a statement."""

from contextlib import ExitStack, nullcontext, suppress

import pytest

from gradspec.conformance import claim, example, given
from gradspec.conformance.strategies import booleans, integers, lists
from gradspec.conformance.strategies.modes import Escape, Scope, modelled, observed, scopes

NO_WORKLOAD = "a mode is a flag, and is switched as quickly everywhere"


@claim("NOG-04", about="no_grad enable_grad", needs="backward no_grad")
@example(scopes=(Scope("block", False, False, (Scope("thread", False, False, ()),)),))
@example(scopes=(Scope("block", False, False, (Scope("block", False, True, ()),)),))
@given(scopes=scopes())
def test_modes_are_scoped(be, scopes):
    """A mode holds within its block, or while the function or generator it decorates runs; however
    that ends, the mode found there returns. A new thread starts out recording and touches no other.
    """
    assert observed(be, be.leaf(2.0), scopes) == list(modelled(scopes))


@claim("NOG-104", about="no_grad enable_grad", needs="no_grad", level="contract")
@given(recording=booleans(), fails=booleans())
def test_a_decorated_generator_goes_on_as_it_is(be, recording, fails):
    """A decorated generator takes the arguments of the plain one, receives what is sent to it,
    catches what is thrown into it, and returns its own result; its mode holds while it runs, and
    not while it is suspended.
    """

    def plain(first, /, *rest, last="none"):
        assert [first, *rest, last] == ["first", "second", "last"]
        try:
            sent = yield be.is_grad_enabled()
        except KeyError:
            sent = "caught"
        yield sent, be.is_grad_enabled()
        return "done"

    mode = be.enable_grad() if recording else be.no_grad()
    running, before = mode(plain)("first", "second", last="last"), be.is_grad_enabled()
    assert next(running) is recording
    assert be.is_grad_enabled() is before
    second = running.throw(KeyError()) if fails else running.send("sent")
    assert second == ("caught" if fails else "sent", recording)
    assert be.is_grad_enabled() is before
    with pytest.raises(StopIteration) as stopped:
        next(running)
    assert stopped.value.value == "done"


@claim("NOG-106", about="no_grad enable_grad", needs="no_grad", level="contract")
@given(recording=booleans(), fails=booleans())
def test_a_decorated_generator_ends_in_its_mode(be, recording, fails):
    """A decorated generator that is closed while it is suspended finishes in its mode; an exception
    that it raises then comes out.
    """
    seen = []

    def plain():
        try:
            yield
        finally:
            seen.append(be.is_grad_enabled())
            if fails:
                raise KeyError

    mode, before = be.enable_grad() if recording else be.no_grad(), be.is_grad_enabled()
    running = mode(plain)()
    next(running)
    with pytest.raises(KeyError) if fails else nullcontext():
        running.close()
    assert seen == [recording]
    assert be.is_grad_enabled() is before


@claim("NOG-107", about="no_grad enable_grad", needs="no_grad", level="contract")
@given(recording=booleans())
def test_a_decorated_function_is_called_as_before(be, recording):
    """A function decorated by a mode takes the same positional and keyword arguments, returns the
    same result, and keeps its name. It may call itself: what it leaves is the mode it found.
    """

    def plain(first, *rest, named=0, **more):
        return first, rest, named, more, be.is_grad_enabled()

    decorated = (be.enable_grad() if recording else be.no_grad())(plain)
    assert decorated(1, 2, 3, named=4, other=5) == (1, (2, 3), 4, {"other": 5}, recording)
    assert decorated.__name__ == "plain"

    @(be.enable_grad() if recording else be.no_grad())
    def counted(depth):
        return [*(counted(depth - 1) if depth else ()), be.is_grad_enabled()]

    with be.no_grad() if recording else be.enable_grad():
        assert counted(2) == [recording] * 3
        assert be.is_grad_enabled() is not recording


@claim("NOG-105", about="set_grad_enabled", needs="no_grad switches", level="contract")
@given(recording=booleans())
def test_a_switch_that_decorates_waits(be, recording):
    """As a decorator set_grad_enabled acts while the function runs, not before. As a statement it
    acts from now on, and as a block until the block ends, if by an exception, whichever mode was
    there.
    """
    before = be.is_grad_enabled()
    decorated = be.set_grad_enabled(recording)(be.is_grad_enabled)
    assert be.is_grad_enabled() is before
    assert decorated() is recording
    assert be.is_grad_enabled() is before
    for outer in (recording, not recording):
        with be.enable_grad() if outer else be.no_grad():
            with suppress(Escape), be.set_grad_enabled(recording):
                assert be.is_grad_enabled() is recording
                raise Escape
            assert be.is_grad_enabled() is outer
            be.set_grad_enabled(recording)
            assert be.is_grad_enabled() is recording
        assert be.is_grad_enabled() is before


@claim("NOG-280", about="no_grad enable_grad", needs="no_grad", level="contract")
@example(recording=True, around=[False, False])
@given(recording=booleans(), around=lists(booleans(), min_size=1, max_size=4))
def test_a_mode_may_be_entered_again(be, recording, around):
    """One object of a mode serves for one block after the other and for calls of what it decorates,
    whatever blocks lie around: each leaves the mode that it found.
    """
    mode = be.enable_grad() if recording else be.no_grad()
    decorated = mode(be.is_grad_enabled)
    with ExitStack() as blocks:
        for outer in around:
            blocks.enter_context(be.enable_grad() if outer else be.no_grad())
            with mode:
                assert be.is_grad_enabled() is recording
            assert be.is_grad_enabled() is outer
            assert decorated() is recording
            assert be.is_grad_enabled() is outer
    assert be.is_grad_enabled()


@claim(
    "NOG-840",
    about="set_grad_enabled inference_mode",
    needs="no_grad switches inference torch",
    level="contract",
)
@given(flag=booleans(), outer=booleans(), times=integers(1, 3))
def test_a_mode_that_is_kept_acts_in_its_blocks(be, flag, outer, times):
    """An object of inference_mode acts in its blocks, and no longer than these, if it is kept; one
    of set_grad_enabled acts in a block that is entered later, whatever was switched until then.
    """
    mode = be.lookup("torch:inference_mode")(flag)
    with be.enable_grad() if outer else be.no_grad():
        for _ in range(times):
            with mode:
                assert be.is_inference(be.tensor(1.0)) is flag
            assert not be.is_inference(be.tensor(1.0))
            assert be.is_grad_enabled() is outer
        switch = be.set_grad_enabled(flag)
        be.set_grad_enabled(not flag)
        with switch:
            assert be.is_grad_enabled() is flag
        assert be.is_grad_enabled() is outer
