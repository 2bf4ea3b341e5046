"""Every kind of statement, by family, and those that a backend can run."""

from collections.abc import Iterable, Mapping
from functools import cache

from ..protocol.backend import Backend
from . import differentiating, flags, hooking, looking, making, modes, observing, own, writing
from .language import Kind

FAMILIES: Mapping[str, tuple[Kind, ...]] = {
    "making": making.KINDS,
    "looking": looking.KINDS,
    "writing": writing.KINDS,
    "modes": modes.KINDS,
    "flags": flags.KINDS,
    "hooking": hooking.KINDS,
    "own": own.KINDS,
    "differentiating": differentiating.KINDS,
    "observing": observing.KINDS,
}


@cache
def every_kind() -> Mapping[str, Kind]:
    """Return all kinds by name."""
    return {kind.name: kind for family in FAMILIES.values() for kind in family}


def kinds_of(*backends: Backend, families: Iterable[str] = FAMILIES) -> dict[str, Kind]:
    """Return the kinds of some families that all of these backends can run."""
    return {
        kind.name: kind
        for family in families
        for kind in FAMILIES[family]
        if all(
            need in backend.functions or need in backend.capabilities
            for backend in backends
            for need in kind.needs
        )
    }
