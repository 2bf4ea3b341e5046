"""An executable specification of automatic differentiation, and its conformance suite."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .conformance.checking.asking import check

__all__ = ["check"]


def __getattr__(name: str) -> Any:
    # Imported when asked for: pytest imports this package in runs that have nothing to do with it.
    if name == "check":
        from .conformance.checking.asking import check  # noqa: PLC0415

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
