"""What a backend answers at every kink."""

from typing import Any

from ..subject import Subject
from . import TABLE
from .kinks import KINKS


def measure(be: Subject) -> dict[str, list[Any]]:
    """Ask a subject for its gradients at every kink of the functions that it has."""
    operations = {operation.name: operation for operation in TABLE}
    found = {}
    for kink in KINKS:
        if not be.lacks(["vjp", kink.operation]):
            call = kink.of(operations[kink.operation])
            _, pull = be.vjp(call.on(be), *call.tensors)
            gradients = pull(call.cotangent)
            found[call.name] = ["none" if g is None else be.numpy(g).tolist() for g in gradients]
    return found
