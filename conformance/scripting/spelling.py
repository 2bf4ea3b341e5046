"""How a function that an adapter lends is written in the library itself."""

import ast
import functools
import inspect
import operator
import sys
from collections.abc import Callable
from importlib import import_module
from types import CodeType, MethodType, ModuleType
from typing import Any

from ..checking.scripts import Unwritten, defined, used

SPACES = {
    "torch": (
        "torch",
        "torch.nn.functional",
        "torch.linalg",
        "torch.special",
        "torch.fft",
        "torch.Tensor",
    ),
    "jax": (
        "jax.numpy",
        "jax.nn",
        "jax.lax",
        "jax.scipy.special",
        "jax.numpy.linalg",
        "jax.numpy.fft",
        "jax.scipy.linalg",
    ),
    "autograd": (
        "autograd.numpy",
        "autograd.numpy.linalg",
        "autograd.numpy.fft",
        "autograd.scipy.special",
        "autograd.scipy.linalg",
        "autograd.scipy.stats.norm",
    ),
    "mygrad": ("mygrad", "mygrad.linalg", "mygrad.nnet", "mygrad.nnet.activations"),
    "mlx": ("mlx.core", "mlx.nn", "mlx.core.linalg", "mlx.core.fft", "mlx.nn.losses"),
    "tinygrad": ("tinygrad.Tensor",),
    "reference": ("gradspec.reference", "gradspec.reference.Tensor"),
}
"""Where the functions of a library are looked for, by the name of its adapter."""


class Spelling:
    """Expressions for functions of a library, and the lines that must stand before them.

    Nothing is imported from the module of the `adapter`: what it defines is quoted.
    """

    def __init__(self, library: str, adapter: str = "gradspec") -> None:
        self.spaces = [(name, found) for name in SPACES.get(library, ()) if (found := _at(name))]
        self.ours = {"gradspec", _root(adapter)}
        self.roots = {_root(name) for name, _ in self.spaces} - self.ours
        self.imports: dict[str, None] = {}
        self.definitions: dict[str, None] = {}
        self._quoted: set[tuple[str, int]] = set()

    def of(self, function: Callable[..., Any]) -> str:
        """Write a function; raises Unwritten if nothing else has a name for it."""
        for name, space in self.spaces:
            word = getattr(function, "__name__", "")
            for known in (word, *vars(space)):
                if known.isidentifier() and _same(getattr(space, known, None), function):
                    self.imports[f"import {_module_of(name)}"] = None
                    return f"{name}.{known}"
        match function:
            case functools.partial():
                self.imports["import functools"] = None
                words = [self.of(function.func)]
                words += [self.of(x) if callable(x) else repr(x) for x in function.args]
                words += [f"{name}={value!r}" for name, value in function.keywords.items()]
                return f"functools.partial({', '.join(words)})"
            case operator.attrgetter() | operator.methodcaller() | operator.itemgetter():
                self.imports["import operator"] = None
                return repr(function)
        if getattr(operator, getattr(function, "__name__", ""), None) is function:
            self.imports["import operator"] = None
            return f"operator.{function.__name__}"
        return self._own(function)

    def _own(self, function: Callable[..., Any]) -> str:
        """Quote a function of the adapter, and what it refers to."""
        code = getattr(function, "__code__", None)
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        name = getattr(function, "__name__", "a function")
        there = module is not None and getattr(module, name, None) is function
        if there and module is not None and _root(module.__name__) not in self.ours:
            self.imports[f"import {module.__name__}"] = None
            return f"{module.__name__}.{name}"
        if code is None or module is None or _root(module.__name__) in self.roots:
            raise Unwritten(f"{name} has no name in the library")
        node = _node_of(code, module)
        cells = [each.cell_contents for each in getattr(function, "__closure__", None) or ()]
        within = dict(zip(code.co_freevars, map(self._held, cells), strict=True))
        named = node.name if isinstance(node, ast.FunctionDef) else ""
        self._quote(module, used(node) - {named, *within})
        if isinstance(node, ast.Lambda):
            made = f"({ast.unparse(node)})"
        elif not within:
            self.definitions[ast.unparse(node)] = None
            return node.name
        else:
            body = ast.unparse(node).splitlines()
            made = f"make_{node.name}"
            lines = [f"def {made}({', '.join(within)}):", *(f"    {line}" for line in body)]
            self.definitions["\n".join([*lines, f"    return {node.name}"])] = None
        if isinstance(node, ast.Lambda) and within:
            made = f"(lambda {', '.join(within)}: {made})"
        return f"{made}({', '.join(within.values())})" if within else made

    def _held(self, value: Any) -> str:
        """Write what a function was made with."""
        if callable(value):
            return self.of(value)
        if isinstance(value, str | int | float | tuple | dict | type(None)):
            return repr(value)
        raise Unwritten(f"a {type(value).__name__} is held by a function of the adapter")

    def _quote(self, module: ModuleType, wanted: set[str]) -> None:
        """Put down what names of a module mean, and the names that those need."""
        for statement in _tree(module).body:
            found = wanted & defined(statement)
            place = (module.__name__, statement.lineno)
            if not found or isinstance(statement, ast.ClassDef) or place in self._quoted:
                continue
            if isinstance(statement, ast.ImportFrom) and statement.level:
                source = "." * statement.level + (statement.module or "")
                names = {(each.asname or each.name): each.name for each in statement.names}
                neighbour = import_module(source, module.__package__)
                self._quote(neighbour, {names[name] for name in found})
            elif isinstance(statement, ast.Import | ast.ImportFrom):
                self.imports[ast.unparse(statement)] = None
            else:
                self._quoted.add(place)
                self._quote(module, used(statement) - found)
                self.definitions[ast.unparse(statement)] = None


def _same(found: Any, function: Callable[..., Any]) -> bool:
    # A method of a class is made anew whenever it is looked at.
    return found is function or (isinstance(found, MethodType) and found == function)


def _root(name: str) -> str:
    return name.partition(".")[0]


def _at(name: str) -> Any:
    """Return a module, or what stands in one; None if it is not there."""
    try:
        return import_module(name)
    except ImportError:
        owner, _, last = name.rpartition(".")
        return getattr(_at(owner), last, None) if owner else None


def _module_of(name: str) -> str:
    try:
        import_module(name)
    except ImportError:
        return name.rpartition(".")[0]
    return name


def _tree(module: ModuleType) -> ast.Module:
    try:
        return ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError) as error:
        raise Unwritten(f"the source of {module.__name__} cannot be read") from error


def _node_of(code: CodeType, module: ModuleType) -> ast.Lambda | ast.FunctionDef:
    """Find the text of a function: the innermost that holds every place its code comes from."""
    # An instruction that belongs to no expression says that it comes from column 0.
    places = [(line, at) for line, _, at, end in code.co_positions() if line and at and end]
    found = [
        node
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Lambda | ast.FunctionDef)
        and getattr(node, "name", "<lambda>") == code.co_name
        and places
        and all(_begin(node) <= place <= _end(node) for place in places)
    ]
    if not found:
        raise Unwritten(f"the text of {code.co_name} is not found in {module.__name__}")
    return max(found, key=_begin)


def _begin(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0
