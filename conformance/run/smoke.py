"""The smoke check: is the adapter itself in order, before any claim is blamed on its library?"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..protocol.backend import equal
from ..protocol.calls import Array
from ..protocol.capabilities import Capability
from ..protocol.errors import AdapterError
from ..protocol.subject import Subject
from ..truth.floats import FLOATS
from ..untrusted.texts import first_line, in_a_line
from .process_state import OFTEN, things_of
from .state import look, settle

SAMPLES = (
    np.array(1.5),
    np.zeros((0, 3)),
    np.arange(6.0).reshape(2, 3),
    np.arange(6.0).reshape(3, 2).T,
    np.arange(8.0)[1::2],
)

POINT = np.array([1.0, 2.0])
"""Where the small computation is made."""


def smoke(subject: Subject) -> str | None:
    """Move values in and out and see that a backward pass arrives.

    Returns a sentence naming the adapter, the method at fault and the remedy, or None; then it is
    known what a small computation comes to. If a state was changed, claims will find out.
    """
    try:
        things = [*OFTEN, *things_of(subject.backend)]
        before = look(things)
        for sample in SAMPLES:
            _round_trip(subject, sample)
        if Capability.DEVICES in subject.backend.capabilities_on(subject.device):
            _placed(subject)
        if Capability.BACKWARD in subject.backend.capabilities:
            _backward(subject)
        subject.rest = pulse(subject)
        settle(things, before)
    except AdapterError as error:
        return f"adapter {type(subject.backend).__name__}: {first_line(error)}"
    except Exception as error:
        return (
            f"adapter {type(subject.backend).__name__}: the smoke check met "
            f"{in_a_line(error)}; run one program by hand and mend the adapter"
        )
    return None


def pulse(subject: Subject) -> dict[str, str]:
    """Say what a small computation comes to, by every way to its derivative, or what it raises.

    Whether that is right is for claims to judge: compared with what it came to before, it tells
    whether something broken off has left a tape running or a mode switched.
    """
    ways = {
        "x * x": (None, _square),
        "its gradient by backward": (Capability.BACKWARD, _by_backward),
        "its gradient by vjp": (Capability.VJP, _by_vjp),
        "its derivative by jvp": (Capability.JVP, _by_jvp),
    }
    declared = subject.backend.capabilities_on(subject.device)
    # What `subject` knows of the last example is still to be told.
    another = Subject(subject.backend, subject.device, subject.dtype, subject.running_mode)
    return {
        name: _outcome(way, another)
        for name, (capability, way) in ways.items()
        if capability is None or capability in declared
    }


def _outcome(way: Callable[[Subject], Any], subject: Subject) -> str:
    try:
        return str(subject.numpy(way(subject)).tolist())
    except Exception as error:
        return in_a_line(error)


def _square(be: Subject) -> Any:
    return be.mul(be.tensor(POINT), be.tensor(POINT))


def _by_backward(be: Subject) -> Any:
    leaf = be.leaf(POINT)
    be.backward(be.sum(be.mul(leaf, leaf)))
    return be.backend.grad(leaf)


def _by_vjp(be: Subject) -> Any:
    _, pull = be.vjp(lambda x: be.mul(x, x), POINT)
    return pull(np.ones(2))[0]


def _by_jvp(be: Subject) -> Any:
    return be.jvp(lambda x: be.mul(x, x), [POINT], [np.ones(2)])[1]


def lost_device(subject: Subject) -> str | None:
    """Say that the device of `subject` no longer answers, as after an error of its context.

    On CUDA such an error is raised by every later call, whatever that call does.
    """
    if subject.device == "cpu":
        return None
    try:
        subject.backend.synchronize(subject.device)
        subject.backend.numpy(subject.backend.tensor(SAMPLES[2], subject.dtype, subject.device))
        subject.backend.synchronize(subject.device)
    except Exception as error:
        return f"{subject.device} does not answer after it: {in_a_line(error)}"
    return None


def _expect(condition: bool, fault: str) -> None:  # noqa: FBT001
    if not condition:
        raise AdapterError(fault)


def _round_trip(subject: Subject, sample: Array) -> None:
    before = sample.copy()
    native = subject.tensor(sample)
    array = subject.numpy(native)
    wanted = subject.dtype
    _expect(equal(sample, before), "tensor changed its input; copy the array first")
    _expect(array.shape == sample.shape, f"numpy gave {array.shape} for shape {sample.shape}")
    crossing = FLOATS[wanted].crossing
    _expect(array.dtype == crossing, f"numpy gave {array.dtype} for a {wanted} tensor; keep dtypes")
    _expect(np.array_equal(array, sample), "tensor and numpy do not give back the same values")
    named = subject.dtype_of(native)
    _expect(named == wanted, f"dtype_of says {named!r} of a {wanted} tensor; say {wanted!r}")
    array += 1
    _expect(np.array_equal(subject.numpy(native), sample), "numpy returned an alias; copy")
    sample_again = sample.copy()
    native = subject.tensor(sample_again)
    sample_again += 1
    _expect(np.array_equal(subject.numpy(native), sample), "tensor kept its input; copy the array")


def _placed(subject: Subject) -> None:
    leaves = Capability.BACKWARD in subject.backend.capabilities
    for name in ("tensor", "leaf") if leaves else ("tensor",):
        place = subject.backend.device_of(getattr(subject, name)(POINT))
        _expect(
            place == subject.device,
            f"{name} was told the device {subject.device} and made a tensor on {place}; pass it on",
        )


def _backward(subject: Subject) -> None:
    leaf = subject.leaf(np.array([1.0, 2.0]))
    _expect(subject.requires_grad(leaf), "leaf returned a tensor that requires no grad")
    subject.backward(subject.sum(subject.mul(leaf, leaf)))
    grad = subject.backend.grad(leaf)
    _expect(grad is not None, "grad returned None after backward; return what .grad holds")
    # Its values are the library's affair, for claims to judge.
    shape = subject.numpy(grad).shape
    _expect(shape == (2,), f"grad gave shape {shape} for a leaf of two; return what .grad holds")
