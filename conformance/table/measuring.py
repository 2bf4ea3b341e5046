"""What a backend answers at every kink."""

from typing import Any

from ..protocol.subject import Subject
from . import TABLE
from .kinks import KINKS


def measure(be: Subject) -> tuple[dict[str, list[Any]], dict[str, Exception]]:
    """Ask a subject for its gradients at every kink of the functions that it has.

    Returns them by the name of the kink, and what the library raised at others.
    """
    operations = {operation.name: operation for operation in TABLE}
    found, refused = {}, {}
    for kink in KINKS:
        if not be.lacks(["vjp", kink.operation]):
            call = kink.of(operations[kink.operation])
            try:
                _, pull = be.vjp(call.on(be), *call.tensors)
                gradients = pull(call.cotangent)
            except Exception as error:
                refused[call.name] = error
            else:
                found[call.name] = be.plain(gradients)
    return found, refused
