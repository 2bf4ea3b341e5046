"""Wrong backends, each made from a right one by replacing one piece of text.

`mutants/*.toml` lists mutants: what each one changes, where, and which claims it must turn red.
`variants.toml` lists legal variants: other choices that an implementation may make, on which every
claim must stay green. Both are data; this module turns an entry into a backend.
"""

import importlib
import itertools
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from gradspec import conformance, reference
from gradspec.conformance import Backend
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.loading import load
from gradspec.conformance.meters import Meters
from gradspec.conformance.workshop import Workshop

HERE = Path(__file__).parent
ROOMS = {
    "reference": Path(reference.__file__).parent,
    "conformance": Path(conformance.__file__).parent,
}
SERIAL = itertools.count()


@dataclass(frozen=True)
class Change:
    """One replaced piece of text, and what has to follow from it.

    A mutant `kills` claims. A variant does not declare the capabilities in `without`, and has a
    `probe`: an expression over `lib` whose value shows that the change has landed.
    """

    name: str
    changes: str
    file: str
    find: str
    replace: str
    kills: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    probe: str = ""

    @property
    def room(self) -> str:
        """The top folder of the changed file."""
        return Path(self.file).parts[0]

    @property
    def original(self) -> Path:
        """The file that is changed."""
        return ROOMS[self.room].joinpath(*Path(self.file).parts[1:])

    def source(self) -> str:
        """Return the changed source; raises ValueError unless `find` stands in it exactly once."""
        text = self.original.read_text(encoding="utf-8")
        if text.count(self.find) != 1:
            raise ValueError(
                f"{self.name}: its text stands {text.count(self.find)} times in {self.file}, "
                "not once; bring the entry up to date"
            )
        return text.replace(self.find, self.replace)


def read(path: Path, table: str) -> list[Change]:
    """Read the entries of a TOML file; raises TypeError for an unknown or missing field."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))[table]
    return [
        Change(**{key: tuple(v) if isinstance(v, list) else v for key, v in entry.items()})
        for entry in entries
    ]


def mutants() -> list[Change]:
    """Every mutant there is, chapter by chapter."""
    return [m for path in sorted((HERE / "mutants").glob("*.toml")) for m in read(path, "mutant")]


def variants() -> list[Change]:
    """Every legal variant there is."""
    return read(HERE / "variants.toml", "variant")


@contextmanager
def changed(change: Change) -> Iterator[Backend]:
    """Make the backend that `change` describes; the real one stays as it is."""
    if change.room == "reference":
        with changed_reference(change) as library:
            backend: Backend = Reference(library)
            backend.capabilities = backend.capabilities - set(change.without)
            yield backend
    else:
        yield changed_adapter(change)


@contextmanager
def changed_reference(change: Change) -> Iterator[ModuleType]:
    """Import a private copy of the reference with the change in it."""
    name = f"changed_reference_{next(SERIAL)}"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / name
        shutil.copytree(ROOMS["reference"], copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / change.original.name).write_text(change.source(), encoding="utf-8")
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            yield importlib.import_module(name)
        finally:
            sys.path.remove(folder)
            for module in [m for m in sys.modules if m.partition(".")[0] == name]:
                del sys.modules[module]


def changed_adapter(change: Change) -> Backend:
    """Execute the source of an adapter, or of a part of one, with the change in it."""
    package = "gradspec.conformance.backends"
    module = ModuleType(f"{package}.changed_{next(SERIAL)}")
    module.__dict__.update(__package__=package, __file__=str(change.original))
    exec(compile(change.source(), change.file, "exec"), module.__dict__)
    parts = Workshop | Meters
    classes = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, parts)]
    (part,) = [c for c in classes if c.__module__ == module.__name__]
    if issubclass(part, Backend):
        return part()
    # `torch_workshop.py` is a part of `torch`: in front of the whole it takes the place of its own.
    whole = type(load(change.original.stem.partition("_")[0]))
    return type("Changed", (part, whole), {})()
