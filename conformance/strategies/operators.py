"""Operators that are registered with the library, by what they compute and how they are written."""

from collections.abc import Callable
from typing import Any

from ..protocol.subject import Subject


def registered(
    be: Subject, function: Callable[..., Any], schema: str, *written: str, **rule: Any
) -> Any:
    """Register `function` as an operator with this schema, which writes over what is `written`.

    A `rule` has a `backward` and may have a `setup_context`. Each operator replaces the last one.
    """
    operator = be.lookup("torch.library:custom_op")(
        "gradspec::operator", function, mutates_args=written, schema=schema
    )
    if rule:
        backward = rule.pop("backward")
        operator.register_autograd(backward, **rule)
    return operator
