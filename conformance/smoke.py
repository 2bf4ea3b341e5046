"""The smoke check: is the adapter itself in order, before any claim is blamed on its library?"""

import numpy as np

from .backend import equal
from .capabilities import Capability
from .subject import Subject

SAMPLES = (
    np.array(1.5),
    np.zeros((0, 3)),
    np.arange(6.0).reshape(2, 3),
    np.arange(6.0).reshape(3, 2).T,
    np.arange(8.0)[1::2],
)


def smoke(subject: Subject) -> str | None:
    """Move values in and out and run one backward pass.

    Returns a sentence naming the adapter, the method at fault and the remedy, or None.
    """
    try:
        _round_trips(subject)
        if Capability.BACKWARD in subject.backend.capabilities:
            _backward(subject)
    except AssertionError as error:
        return f"adapter {type(subject.backend).__name__}: {error}"
    except Exception as error:
        return (
            f"adapter {type(subject.backend).__name__}: the smoke check met "
            f"{type(error).__name__}: {error}; run one program by hand and mend the adapter"
        )
    return None


def _round_trips(subject: Subject) -> None:
    for sample in SAMPLES:
        before = sample.copy()
        native = subject.tensor(sample)
        array = subject.numpy(native)
        assert equal(sample, before), "tensor changed its input; copy the array first"
        assert array.shape == sample.shape, (
            f"numpy returned shape {array.shape} for a tensor made from {sample.shape}; keep shapes"
        )
        assert array.dtype == subject.dtype, (
            f"numpy returned {array.dtype} for a tensor asked for in {subject.dtype}; keep dtypes"
        )
        assert np.array_equal(array, sample), "tensor and numpy do not give back the same values"
        named = subject.dtype_of(native)
        assert named == subject.dtype, f"dtype says {named!r} of a {subject.dtype} tensor"
        array += 1
        assert np.array_equal(subject.numpy(native), sample), "numpy returned an alias; copy"


def _backward(subject: Subject) -> None:
    leaf = subject.leaf(np.array([1.0, 2.0]))
    assert subject.backend.requires_grad(leaf), "leaf returned a tensor that requires no grad"
    subject.backward(subject.sum(subject.mul(leaf, leaf)))
    grad = subject.backend.grad(leaf)
    assert grad is not None, "grad returned None after backward"
    subject.check(grad, [2.0, 4.0], "the gradient of x * x")
