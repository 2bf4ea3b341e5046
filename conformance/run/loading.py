"""Find a backend by name, by `module:Class`, or by entry point, and see that it is whole.

A word that names no adapter, or one that breaks the protocol, is refused: that is its user's
affair. What a library does while it is imported or set up is the library's fault, and costs that
backend alone.
"""

import difflib
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

from packaging.version import InvalidVersion, Version

from ..protocol.backend import DEVICES, REQUIRED, Backend, methods_of
from ..protocol.capabilities import Capability
from ..protocol.errors import AdapterError, OptionError
from ..protocol.operations import OPERATIONS
from ..protocol.subject import Subject
from ..results.environment import described
from ..truth.floats import FLOATS
from ..untrusted.texts import first_line
from .expectations import expectations_of

GROUP = "gradspec.backends"

LONGEST_NAME = 200
"""Characters of what an adapter calls itself, its version or a device."""


class Fault(OptionError):
    """A backend cannot be imported or set up, through no fault of the word that names it."""

    def __init__(self, backend: str, reason: str, option: str = "") -> None:
        super().__init__(f"{option} {backend}: {reason}".lstrip())
        self.backend = backend
        self.reason = reason


def names() -> list[str]:
    """Name the backends that installed distributions announce."""
    return sorted({entry.name for entry in metadata.entry_points(group=GROUP)})


def load(word: str, option: str = "") -> Backend:
    """Return the backend called `word`, which has shown that it can be asked what it is.

    Raises OptionError if there is none or it is not whole, and Fault if it cannot be set up; they
    name the `option` by which it was asked for.
    """
    process = os.getpid()
    try:
        backend = _class_of(word, option)()
        inspect_adapter(backend)
        _ask(backend)
    except Fault as fault:
        raise Fault(word, fault.reason, option) from fault
    except OptionError:
        raise
    except AdapterError as error:
        raise OptionError(f"{option} {word}: {first_line(error)}".lstrip()) from error
    except BaseException as error:
        reason = f"cannot be set up ({_told(error)}); make one by hand and mend it"
        raise Fault(word, reason, option) from error
    finally:
        if os.getpid() != process:
            # A copy of this process that was forked on the way: there is nothing for it to do here.
            os._exit(1)
    return backend


def load_from_here(word: str) -> Backend:
    """Return the backend called `word`, which may also lie in the folder at hand.

    What is installed goes before it, as in a run of pytest.
    """
    folder = str(Path.cwd())
    if ":" in word and folder not in sys.path:
        sys.path.append(folder)
    return load(word)


def address(backend: Backend) -> str:
    """Return the word by which `load` finds this backend again."""
    place = f"{type(backend).__module__}:{type(backend).__qualname__}"
    return _announced().get(place, place)


def place_of(word: str, option: str = "") -> str:
    """Return `module:Class` for a word; raises OptionError if nobody announces it."""
    place = word if ":" in word else {n: place for place, n in _announced().items()}.get(word)
    if place is None:
        raise OptionError(
            f"{option} {word}: unknown backend{suggestion(word, names())}; known are "
            f"{', '.join(names())}; an adapter of your own is named as module:Class".lstrip()
        )
    return place


@cache
def _announced() -> dict[str, str]:
    return {entry.value: entry.name for entry in metadata.entry_points(group=GROUP)}


def installed(word: str) -> bool:
    """Whether the library behind an announced backend, which is called as it is, is to be found.

    Whether it can be imported as well is another question.
    """
    if word == "reference":
        return True
    with suppress(metadata.PackageNotFoundError):
        metadata.distribution(word)
        return True
    with suppress(ImportError):
        found = find_spec(word)
        # A folder of the name is no library.
        return found is not None and found.origin is not None
    return False


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
    _inspect_texts(backend, adapter.__name__)
    _inspect_release(backend, adapter.__name__)


def _inspect_release(backend: Backend, adapter: str) -> None:
    """Refuse releases that the adapter is not for; one that is no number is not judged."""
    with suppress(InvalidVersion):
        if backend.oldest and Version(backend.version) < Version(backend.oldest):
            raise AdapterError(
                f"{adapter} is for {backend.oldest} and newer releases, and {backend.version} is "
                "installed: install a newer one"
            )


def _inspect_texts(backend: Backend, adapter: str) -> None:
    """See that a results file can hold what an adapter tells; raises AdapterError."""
    devices = backend.devices()
    if isinstance(devices, str) or not isinstance(devices, Sequence):
        raise AdapterError(f"{adapter}.devices() is {devices!r}: return a tuple of names")
    for device in devices:
        if device not in DEVICES:
            raise AdapterError(
                f"{adapter}.devices names {device!r:.60}: name some of {', '.join(DEVICES)}"
            )
    told: dict[str, object] = {"name": backend.name, "version": backend.version}
    told |= {f"device_model({device!r})": backend.device_model(device) for device in devices}
    for what, text in told.items():
        if not (isinstance(text, str) and 0 < len(text) <= LONGEST_NAME and text.isprintable()):
            raise AdapterError(f"{adapter}.{what} is {text!r:.60}: make it a text, of one line")


def _inspect_functions(backend: Backend, adapter: str) -> None:
    if REQUIRED not in backend.functions:
        raise AdapterError(f"{adapter}.functions has no {REQUIRED!r}: add it")
    for name in backend.functions:
        if name not in OPERATIONS:
            raise AdapterError(
                f"{adapter}.functions has {name!r}, which is no operation"
                f"{suggestion(name, OPERATIONS)}"
            )


def _ask(backend: Backend) -> None:
    """Ask a backend all that no later stage expects to fail."""
    backend.state()
    dtypes = (*backend.dtypes, *backend.small_dtypes)
    subjects = [Subject(backend, device, dtype) for device in backend.devices() for dtype in dtypes]
    described(subjects)
    for subject in subjects:
        subject.lacks(())
    expectations_of(backend)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Propose the nearest known word, as the end of a sentence."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _require(adapter: type[Backend], name: str, why: str) -> None:
    if getattr(adapter, name) is getattr(Backend, name):
        raise AdapterError(f"{adapter.__name__} lacks {name}, though {why}: implement it")


def _class_of(word: str, option: str) -> type[Backend]:
    """Import what a word names; raises AdapterError, or Fault if the import fails."""
    module, _, attribute = place_of(word, option).partition(":")
    try:
        imported = import_module(module)
    except ModuleNotFoundError as error:
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise AdapterError(f"cannot import {module}: there is no such module here") from None
        raise Fault(word, f"cannot be imported ({_told(error)}); install what it needs") from error
    except BaseException as error:
        raise Fault(word, f"cannot be imported ({_told(error)}); mend that module") from error
    try:
        found = getattr(imported, attribute)
    except AttributeError:
        raise AdapterError(f"{module} has no {attribute}; name a class that is there") from None
    if not (isinstance(found, type) and issubclass(found, Backend)):
        raise AdapterError(f"{word} is not a subclass of gradspec.conformance.Backend")
    return found


def _told(error: BaseException) -> str:
    """Say in a line what an exception of a library is, and what it says."""
    name, text = type(error).__name__, first_line(error)
    return name if text == name else f"{name}: {text}"
