"""Find a backend by name, by `module:Class`, or by entry point, and see that it is whole."""

import difflib
from collections.abc import Iterable
from functools import cache
from importlib import import_module, metadata

from .backend import CORE_FUNCTIONS, Backend, methods_of
from .capabilities import Capability
from .errors import AdapterError, OptionError
from .floats import FLOATS
from .operations import OPERATIONS

GROUP = "gradspec.backends"


def names() -> list[str]:
    """Name the backends that installed distributions announce."""
    return sorted({entry.name for entry in metadata.entry_points(group=GROUP)})


def load(word: str) -> Backend:
    """Return the backend called `word`; raises OptionError if there is none or it is not whole."""
    try:
        backend = _class_of(word)()
        inspect_adapter(backend)
        # What no later stage expects to fail.
        _ = backend.version, backend.state(), [*map(backend.device_model, backend.devices())]
    except AdapterError as error:
        raise OptionError(f"--backend {word}: {error}") from error
    except Exception as error:
        raise OptionError(
            f"--backend {word}: the adapter cannot be set up ({type(error).__name__}: {error}); "
            "make one by hand and mend it"
        ) from error
    return backend


def address(backend: Backend) -> str:
    """Return the word by which `load` finds this backend again."""
    place = f"{type(backend).__module__}:{type(backend).__qualname__}"
    return _announced().get(place, place)


@cache
def _announced() -> dict[str, str]:
    return {entry.value: entry.name for entry in metadata.entry_points(group=GROUP)}


def installed(word: str) -> bool:
    """Whether the library behind an announced backend can be imported."""
    try:
        _class_of(word)
    except AdapterError:
        return False
    return True


def inspect_adapter(backend: Backend) -> None:
    """Compare an adapter with its declarations; raises AdapterError naming the first gap."""
    adapter = type(backend)
    for name in ("name", "functions"):
        if not hasattr(backend, name):
            raise AdapterError(f"{adapter.__name__} has no {name}: set it")
    for name in ("tensor", "numpy", "dtype_of", "error_kind", "version"):
        _require(adapter, name, "every adapter has one")
    for capability in backend.capabilities:
        if capability not in frozenset(Capability):
            raise AdapterError(f"{adapter.__name__} declares the unknown capability {capability!r}")
        for name in methods_of(Capability(capability)):
            _require(adapter, name, f"it declares {str(capability)!r}")
    for dtype in (*backend.dtypes, *backend.small_dtypes):
        if dtype not in FLOATS:
            raise AdapterError(
                f"{adapter.__name__} declares the dtype {dtype!r}: name some of {', '.join(FLOATS)}"
            )
    _inspect_functions(backend, adapter.__name__)


def _inspect_functions(backend: Backend, adapter: str) -> None:
    for name in CORE_FUNCTIONS:
        if name not in backend.functions:
            raise AdapterError(f"{adapter}.functions has no {name!r}: add it")
    for name in backend.functions:
        if name not in OPERATIONS:
            raise AdapterError(
                f"{adapter}.functions has {name!r}, which is no operation"
                f"{suggestion(name, OPERATIONS)}"
            )


def suggestion(word: str, known: Iterable[str]) -> str:
    """Propose the nearest known word, as the end of a sentence."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _require(adapter: type[Backend], name: str, why: str) -> None:
    if getattr(adapter, name) is getattr(Backend, name):
        raise AdapterError(f"{adapter.__name__} lacks {name}, though {why}: implement it")


def _class_of(word: str) -> type[Backend]:
    module, _, attribute = word.partition(":")
    if not attribute:
        entries = [e for e in metadata.entry_points(group=GROUP) if e.name == word]
        if not entries:
            raise AdapterError(
                f"unknown backend{suggestion(word, names())} Known are {', '.join(names())}; "
                "an adapter of your own is named as module:Class"
            )
        module, _, attribute = entries[0].value.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except ImportError as error:
        raise AdapterError(f"cannot import {module} ({error}); install what it needs") from error
    except AttributeError:
        raise AdapterError(f"{module} has no {attribute}; name a class that is there") from None
    except Exception as error:
        raise AdapterError(
            f"importing {module} failed with {type(error).__name__}: {error}; mend that module"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Backend)):
        raise AdapterError(f"{word} is not a subclass of gradspec.conformance.Backend")
    return found
