"""Wrong backends, each made from a right one by one small change.

`mutants/*.toml` lists mutants: what each one changes, where, and which claims it must turn red.
`variants.toml` lists legal variants: other choices that an implementation may make, on which every
claim must stay green. Both are data; this module turns an entry into a backend.

An entry changes text, or something that has a name. Text is what `find` quotes and `replace` takes
the place of; it stands once in its room, the reference or else the instrument, or in `file`. A name
is what `replace` says, and `by` is the source of a function that stands there instead and is given
the former one first:

    replace = "engine.accumulate"                           a function, wherever it is imported
    replace = "tensor.Tensor.detach"                        a method, or what reads a property
    replace = "tensor.Tensor.grad.fset"                     what assigns to a property
    replace = "elementwise.mul.forward"                     what a primitive computes
    replace = "elementwise.mul.x"                           its rule for an argument
    replace = "primitives.REGISTRY.sum.x"                   of a primitive that no module names
    replace = "torch.Torch.functions.mul"                   what an adapter lends by a name
    by = "lambda former, g, y: 2 * former(g, y)"            or a `def`; None is no rule at all
"""

import ast
import functools
import importlib
import itertools
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from gradspec import conformance, reference
from gradspec.conformance import Backend
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.protocol.control import ControlFlow
from gradspec.conformance.protocol.network_api import NetworkApi
from gradspec.conformance.protocol.profiling_api import ProfilingApi
from gradspec.conformance.protocol.transforms import Transforms
from gradspec.conformance.run.loading import load

HERE = Path(__file__).parent
ROOMS = {
    "reference": Path(reference.__file__).parent,
    "conformance": Path(conformance.__file__).parent,
}
SERIAL = itertools.count()


@functools.cache
def sources(room: str) -> dict[str, str]:
    """Return the source of every module of a room, by its path from the room's parent."""
    folder = ROOMS[room]
    return {
        path.relative_to(folder.parent).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


@dataclass(frozen=True)
class Change:
    """One changed piece of text, or one thing by its name, and what has to follow from it.

    A mutant `kills` claims, in a `dtype`. A variant does not declare the capabilities in `without`,
    and has a `probe`: an expression over `lib` whose value shows that the change has landed.
    """

    name: str
    changes: str
    replace: str
    find: str = ""
    by: str = ""
    file: str = ""
    kills: tuple[str, ...] = ()
    dtype: str = "float64"
    without: tuple[str, ...] = ()
    probe: str = ""

    @property
    def room(self) -> str:
        """The room of the changed file."""
        return next(room for room, folder in ROOMS.items() if folder in self.original.parents)

    @functools.cached_property
    def original(self) -> Path:
        """The file that is changed; raises ValueError unless what is changed stands there once."""
        if self.by:
            module = f"{self.replace.partition('.')[0]}.py"
            places = [ROOMS["reference"] / module, ROOMS["conformance"] / "backends" / module]
            found = [path for path in places if path.exists()]
            if len(found) != 1:
                raise ValueError(f"{self.name}: {len(found)} modules are called {module}, not one")
            return found[0]
        for room, folder in ROOMS.items():
            texts = {name: text for name, text in sources(room).items() if self.file in ("", name)}
            found = {
                name: text.count(self.find) for name, text in texts.items() if self.find in text
            }
            if list(found.values()) == [1]:
                return folder.parent.joinpath(*found)
            if found:
                raise ValueError(
                    f"{self.name}: its text does not stand once, but so often: {found}"
                )
        raise ValueError(f"{self.name}: its text stands nowhere; bring the entry up to date")

    def source(self, place: Path | None = None) -> str:
        """Return the source of the changed file, with the change in it if it is one of text.

        The file is read at `place`, where other changes may have been made in a copy of it.
        """
        text = (place or self.original).read_text(encoding="utf-8")
        return text if self.by else text.replace(self.find, self.replace)


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
def changed(*changes: Change) -> Iterator[Backend]:
    """Make the backend that `changes` describe together; the real one stays as it is.

    Several are changes of the reference.
    """
    if changes[0].room == "reference":
        with changed_reference(*changes) as library:
            backend: Backend = Reference(library)
            backend.capabilities = backend.capabilities.difference(*(c.without for c in changes))
            yield backend
    else:
        (change,) = changes
        with changed_adapter(change) as adapter:
            yield adapter


def member(owner: Any, name: str) -> Any:
    """Return what `owner` calls by this name; raises LookupError if that is nothing."""
    if name in getattr(owner, "inputs", ()):
        rule = owner.rules[owner.inputs.index(name)]
        return rule and rule[0]
    held = owner if isinstance(owner, Mapping) else getattr(owner, "__dict__", {})
    if name in held:
        return held[name]
    if isinstance(owner, Mapping | type | ModuleType) or not hasattr(owner, name):
        raise LookupError(f"{getattr(owner, '__name__', type(owner).__name__)} has no {name}")
    return getattr(owner, name)


def made(by: str, namespace: dict[str, Any]) -> Any:
    """Return the function that a source defines or is, with the names of a module in sight."""
    tree = ast.parse(by)
    if isinstance(tree.body[-1], ast.Expr):
        return eval(by, namespace)
    scope: dict[str, Any] = {}
    exec(by, namespace, scope)
    return scope.popitem()[1]


def bound(wrong: Callable[..., Any], former: Any) -> Callable[..., Any]:
    """Return `wrong` with the former function as its first argument."""

    def planted(*arguments: Any, **options: Any) -> Any:
        return wrong(former, *arguments, **options)

    return planted


def like(former: Any, wrong: Callable[..., Any]) -> Any:
    """Return what stands in the place of a function, a property or a method of a class."""
    if isinstance(former, property):
        return property(bound(wrong, former.fget), former.fset)
    if isinstance(former, classmethod | staticmethod):
        return type(former)(bound(wrong, former.__func__))
    return bound(wrong, former)


def plant(change: Change, modules: Mapping[str, ModuleType]) -> None:
    """Put what `by` makes in the place of what `replace` names, wherever these modules hold it.

    Raises ValueError if nothing has that name, or the source is none.
    """
    first, *path = change.replace.split(".")
    try:
        *owners, former = itertools.accumulate(path, member, initial=modules[first])
        wrong = made(change.by, vars(modules[first]))
    except (LookupError, SyntaxError) as error:
        raise ValueError(f"{change.name}: {change.replace} does not land: {error}") from None
    owner, name = owners[-1], path[-1]
    if isinstance(owner, property):
        accessors = {"fget": owner.fget, "fset": owner.fset, name: bound(wrong, former)}
        setattr(owners[-2], path[-2], property(**accessors))
    elif name in getattr(owner, "inputs", ()):
        replace_rule(owner, name, former, wrong)
    elif isinstance(owner, dict):
        owner[name] = bound(wrong, former)
    elif not isinstance(owner, ModuleType | type):
        setattr(owner, name, bound(wrong, former))
    else:
        planted = like(former, wrong)
        for module in modules.values():
            classes = [each for each in vars(module).values() if isinstance(each, type)]
            for holder in (module, *classes):
                for held in [held for held, each in vars(holder).items() if each is former]:
                    setattr(holder, held, planted)


def replace_rule(primitive: Any, argument: str, former: Any, wrong: Any) -> None:
    """Give a primitive another rule for an argument; its parameters say what it needs, as ever."""
    rule = None
    if wrong is not None:
        names = ", ".join(wrong.__code__.co_varnames[1 : wrong.__code__.co_argcount])
        scope = {"wrong": wrong, "former": former}
        function = eval(f"lambda {names}: wrong(former, {names})", scope)
        rule = function, primitive._needs(argument, function)
    rules, position = primitive.rules, primitive.inputs.index(argument)
    primitive.rules = (*rules[:position], rule, *rules[position + 1 :])
    primitive.plan.cache_clear()


@contextmanager
def changed_reference(*changes: Change) -> Iterator[ModuleType]:
    """Import a private copy of the reference with the changes in it.

    What is compiled of the other files is copied as well: compiling is most of an import.
    """
    name = f"changed_reference_{next(SERIAL)}"
    compiled = [f"{change.original.stem}.*.pyc" for change in changes]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / name
        shutil.copytree(ROOMS["reference"], copy, ignore=shutil.ignore_patterns(*compiled))
        for change in changes:
            file = copy / change.original.name
            file.write_text(change.source(file), encoding="utf-8")
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            library = importlib.import_module(name)
            parts = {
                part.rpartition(".")[2]: module
                for part, module in sys.modules.items()
                if part.partition(".")[0] == name
            }
            for change in changes:
                if change.by:
                    plant(change, parts)
            yield library
        finally:
            sys.path.remove(folder)
            for module in [m for m in sys.modules if m.partition(".")[0] == name]:
                del sys.modules[module]


@contextmanager
def changed_adapter(change: Change) -> Iterator[Backend]:
    """Execute the source of an adapter, or of a part of one, with the change in it.

    The file that it says it is from is the original, beside which its conventions stand.
    """
    package = "gradspec.conformance.backends"
    module = ModuleType(f"{package}.changed_{next(SERIAL)}")
    module.__dict__.update(__package__=package, __file__=str(change.original))
    sys.modules[module.__name__] = module
    try:
        yield executed(change, module)
    finally:
        del sys.modules[module.__name__]


def executed(change: Change, module: ModuleType) -> Backend:
    """Fill a module with the changed source, and make the backend that it describes."""
    exec(compile(change.source(), change.original.name, "exec"), module.__dict__)
    if change.by:
        plant(change, {change.original.stem: module})
    parts = NetworkApi | ProfilingApi | Transforms | ControlFlow
    classes = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, parts)]
    (part,) = [c for c in classes if c.__module__ == module.__name__]
    if issubclass(part, Backend):
        return part()
    # `torch_network_api.py` is a part of `torch`: in front of the whole it takes the place of its
    # own.
    whole = type(load(change.original.stem.partition("_")[0]))
    return type("Changed", (part, whole), {"__module__": whole.__module__})()
