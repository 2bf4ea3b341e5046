"""The smoke check: is the adapter itself in order, before any claim is blamed on its library?"""

import numpy as np

from .backend import equal
from .capabilities import Capability
from .errors import AdapterError
from .floats import FLOATS
from .subject import Array, Subject

SAMPLES = (
    np.array(1.5),
    np.zeros((0, 3)),
    np.arange(6.0).reshape(2, 3),
    np.arange(6.0).reshape(3, 2).T,
    np.arange(8.0)[1::2],
)


def smoke(subject: Subject) -> str | None:
    """Move values in and out and see that a backward pass arrives.

    Returns a sentence naming the adapter, the method at fault and the remedy, or None.
    """
    try:
        for sample in SAMPLES:
            _round_trip(subject, sample)
        if Capability.BACKWARD in subject.backend.capabilities:
            _backward(subject)
    except AdapterError as error:
        return f"adapter {type(subject.backend).__name__}: {error}"
    except Exception as error:
        return (
            f"adapter {type(subject.backend).__name__}: the smoke check met "
            f"{type(error).__name__} ({error}); run one program by hand and mend the adapter"
        )
    return None


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
        first = str(error).partition("\n")[0]
        return f"{subject.device} does not answer after it: {type(error).__name__}: {first}"
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


def _backward(subject: Subject) -> None:
    leaf = subject.leaf(np.array([1.0, 2.0]))
    _expect(subject.backend.requires_grad(leaf), "leaf returned a tensor that requires no grad")
    subject.backward(subject.sum(subject.mul(leaf, leaf)))
    grad = subject.backend.grad(leaf)
    _expect(grad is not None, "grad returned None after backward; return what .grad holds")
    # Its values are the library's affair, for claims to judge.
    shape = subject.numpy(grad).shape
    _expect(shape == (2,), f"grad gave shape {shape} for a leaf of two; return what .grad holds")
