"""A trial that fails as a script, which needs the library and the function's own source alone.

It exits with status 1 while it fails. None is shown that a fresh interpreter did not end so.
"""

import ast
import inspect
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..untrusted.texts import printable
from .dialects import Dialect
from .trial import Broken, Trial

PATIENCE = 120
"""Seconds that a script may take."""


class Unwritten(Exception):
    """No script can be written, for a reason."""


def script_of(trial: Trial, broken: Broken, law: str, library: str) -> str:
    """Write a script; raises Unwritten if there are no words for it, or no source."""
    words = trial.notes.words
    if words is None:
        raise Unwritten(f"gradspec does not know how scripts for {trial.backend.name} are written")
    defined = list(source_of(trial.own.function))
    imports = ["import sys", "", "import numpy as np", *words.imports]
    if "tree_unflatten" in words.opened and trial.own.parameters:
        imports.append("from mlx.utils import tree_unflatten")
    title = textwrap.fill(printable(broken.what), 96)
    rule = textwrap.fill(f"Rule: {law} Found with {library}.", 96)
    lines = [f'"""{title}', "", rule, '"""', "", *imports, "", *defined, ""]
    lines += helpers(trial, words)
    *before, last = trial.notes.lines or ["pass"]
    if broken.got:
        lines += [*before, last, *ending(broken)]
    else:
        lines += [*before, "try:", *(f"    {each}" for each in last.splitlines())]
        lines += [
            "except Exception as error:",
            '    print("raised", repr(error))',
            "    sys.exit(1)",
        ]
    return "\n".join(lines) + "\n"


def helpers(trial: Trial, words: Dialect) -> Iterator[str]:
    """Define what the lines of a trial use."""
    yield from ["", "def array(x):", f"    return None if x is None else {words.array}", "", ""]
    if trial.own.parameters:
        yield "def opened(parameters, *arguments):"
        yield from (f"    {line}" for line in words.opened.splitlines())
        yield from ["", ""]
    if trial.own.seed is not None and words.seed:
        yield "def seeded(call):"
        yield f"    {words.seed.format(seed=trial.own.seed)}"
        yield from ["    return call()", "", ""]


def ending(broken: Broken) -> Iterator[str]:
    """Compare what is seen with what is expected."""
    want = np.asarray(broken.want)
    allowed = float(np.max(broken.allowed))
    text = f"np.array({want.tolist()!r})" if want.size else f"np.zeros({want.shape})"
    for name in ("nan", "inf"):
        text = text.replace(name, f"np.{name}")
    yield f"got = {broken.got}"
    yield f"expected = {text}"
    yield 'print("expected", expected)'
    yield 'print("got     ", got)'
    same = "np.array_equal(got, expected, equal_nan=True)"
    if allowed and np.isfinite(allowed):
        same = f"(np.abs(got - expected) <= {allowed:.3g}).all()"
    fits = "got is not None and np.shape(got) == expected.shape"
    yield f"sys.exit(not ({fits}{'' if np.isinf(allowed) else f' and {same}'}))"


# ---- the function's source -----------------------------------------------------------------------


def address_of(function: Callable[..., Any]) -> tuple[ModuleType, str]:
    """Return the module of a function, and the expression that it is there; raises Unwritten."""
    owner = getattr(function, "__self__", None)
    thing, rest = (owner, f".{function.__name__}") if isinstance(owner, type) else (function, "")
    first = [getattr(thing, "__module__", None), type(thing).__module__]
    # What decorators make of a function may not know where it stands.
    places = dict.fromkeys([*filter(None, first), *sys.modules])
    for module in filter(
        None, map(sys.modules.get, [*(p for p in places if p != "__main__"), "__main__"])
    ):
        for name, value in list(vars(module).items()):
            if value is thing:
                return module, name + rest
    raise Unwritten(
        "the function is not in a module by a name of its own: define it at the top of one"
    )


def source_of(function: Callable[..., Any]) -> Iterator[str]:
    """Write what defines a function, as far as its module does, and call it `f`."""
    module, expression = address_of(function)
    if _installed(module):
        yield f"from {module.__name__} import {expression.partition('.')[0]}"
        yield from ["", f"f = {expression}"] if expression != "f" else []
        return
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError) as error:
        raise Unwritten(f"the source of {module.__name__} cannot be read") from error
    wanted, kept = {expression.partition(".")[0]}, set[int]()
    changed = True
    while changed:
        changed = False
        for at, statement in enumerate(tree.body):
            if at not in kept and wanted & defined(statement):
                kept.add(at)
                wanted |= used(statement)
                changed = True
    for at, statement in enumerate(tree.body):
        if at in kept:
            if isinstance(statement, ast.ImportFrom) and statement.level:
                raise Unwritten(f"{module.__name__} imports its neighbours by place")
            block = not isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign)
            yield from ["", ""] if block else []
            yield from ast.unparse(statement).splitlines()
    yield from ["", f"f = {expression}"] if expression != "f" else []


def _installed(module: ModuleType) -> bool:
    place = getattr(module, "__file__", None)
    return place is None or any(part.endswith("-packages") for part in Path(place).parts)


def defined(statement: ast.stmt) -> set[str]:
    """Name what a statement of a module defines, or tells something."""
    match statement:
        case ast.FunctionDef(decorator_list=[ast.Attribute(value=ast.Name(id=owner))], name=name):
            return {name, owner}  # such as @f.vjp: it tells f something
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(each.asname or each.name).partition(".")[0] for each in names}
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return {name}  # such as f.defvjp(...)
        case ast.Expr(value=ast.Call(func=ast.Name(id=word), args=[ast.Name(id=name), *_])):
            return {name} if word.startswith("def") else set()  # such as defvjp(f, ...)
        case ast.Assign() | ast.AnnAssign():
            stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            return {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    return set()


def used(statement: ast.AST) -> set[str]:
    """Name what a statement or an expression uses."""
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


# ---- trying --------------------------------------------------------------------------------------


def shows(text: str) -> bool:
    """Run a script in a fresh interpreter, and say whether it shows the failure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.py"
        path.write_text(text, encoding="utf-8", newline="\n")
        # What the function imports is found where it was found here.
        places = os.pathsep.join(dict.fromkeys([*sys.path, str(Path.cwd())]))
        try:
            done = subprocess.run(  # noqa: S603 - the script is our own
                [sys.executable, str(path)],
                capture_output=True,
                timeout=PATIENCE,
                check=False,
                env={**os.environ, "PYTHONPATH": places},
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 1 and b"Traceback" not in done.stderr
