"""What a backend answers at every kink."""

from typing import Any

from ..protocol.subject import Subject
from . import TABLE
from .analytic import COMPLEX
from .kinks import KINKS
from .singular import COMPLEX_KINKS


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
    found_complex, refused_complex = _measure_complex(be)
    return found | found_complex, refused | refused_complex


def _measure_complex(be: Subject) -> tuple[dict[str, list[Any]], dict[str, Exception]]:
    operations = {operation.name: operation for operation in COMPLEX}
    found, refused = {}, {}
    for kink in COMPLEX_KINKS:
        if not be.lacks(["vjp", "complex_numbers", kink.operation]):
            call = kink.of(operations[kink.operation])
            try:
                found[call.name] = be.plain(call.gradients_on(be))
            except Exception as error:
                refused[call.name] = error
    return found, refused
