"""What stands for a backend that could be set up once, and then no more.

A worker that replaces a dead one has to collect the very claims that its predecessor did, for xdist
deals them out by number. So those of a backend that cannot be set up any more are collected from
what was declared; each of them is an error, and calls nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..protocol.backend import Backend
from ..protocol.mode import Mode


def shape_of(backend: Backend) -> dict[str, Any]:
    """Write down what `backend` declares, as plain data."""
    devices = [str(device) for device in backend.devices()]
    dtypes = [*backend.dtypes, *backend.small_dtypes]
    return {
        "place": [type(backend).__module__, type(backend).__qualname__],
        "name": backend.name,
        "version": backend.version,
        "dtypes": [*backend.dtypes],
        "small_dtypes": [*backend.small_dtypes],
        "example_divisor": backend.example_divisor,
        "functions": sorted(backend.functions),
        "capabilities": sorted(backend.capabilities),
        "on": {device: sorted(backend.capabilities_on(device)) for device in devices},
        "modes": [
            {
                "name": mode.name,
                "example_divisor": mode.example_divisor,
                "lost": sorted(mode.lost),
                "lacking": sorted(mode.lacking),
            }
            for mode in backend.modes
        ],
        "lacking": [[t, d, sorted(backend.lacking(t, d))] for d in devices for t in dtypes],
    }


class StandIn(Backend):
    """A backend of which there is nothing but what it has declared."""

    shape: Mapping[str, Any]

    @property
    def version(self) -> str:
        """The version that it had."""
        return str(self.shape["version"])

    def devices(self) -> Sequence[str]:
        """Name the devices that it had."""
        return [*self.shape["on"]]

    def capabilities_on(self, device: str) -> frozenset[Any]:
        """Name what it offered on a device."""
        return frozenset(self.shape["on"].get(device, self.shape["capabilities"]))

    def lacking(self, dtype: str, device: str) -> frozenset[str]:
        """Name the functions that it did not have in a dtype, on a device."""
        found = {(t, d): names for t, d, names in self.shape["lacking"]}
        return frozenset(found.get((dtype, device), ()))

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        """Have another way to write each function: what there was is not known."""
        return {f"another {name}": self.shape.get}


def stand_in(shape: Mapping[str, Any]) -> Backend:
    """Make what stands for the backend that declared `shape`."""
    module, name = shape["place"]
    body = {
        "__module__": module,
        "__qualname__": name,
        "shape": shape,
        "name": shape["name"],
        "dtypes": tuple(shape["dtypes"]),
        "small_dtypes": tuple(shape["small_dtypes"]),
        "example_divisor": shape["example_divisor"],
        "modes": tuple(
            type("Mode", (Mode,), each | {n: frozenset(each[n]) for n in ("lost", "lacking")})
            for each in shape["modes"]
        ),
        "capabilities": frozenset(shape["capabilities"]),
        "functions": dict.fromkeys(shape["functions"]),
    }
    made: Backend = type(name.rpartition(".")[2], (StandIn,), body)()
    return made
