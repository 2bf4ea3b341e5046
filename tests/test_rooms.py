"""The house: rooms of one subject each, in an order in which imports go downward only."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from gradspec import conformance

HOUSE = Path(conformance.__file__).parent

ORDER = (
    "untrusted",
    "truth",
    "protocol",
    "backends",
    "strategies",
    "table",
    "claims",
    "results",
    "run",
    "adopting",
    "processes",
    "programs",
    "checking",
    "scripting",
    "submitting",
    "speed",
    "history",
    "report",
    "site",
)
"""From the lowest room up: each one may import what stands before it, and itself."""

TOP = {"__init__", "__main__", "cli", "entry", "plugin", "words"}
"""What stands on the top floor: what outsiders import, and what starts it."""

MODULES = {
    ".".join(path.relative_to(HOUSE).with_suffix("").parts): path for path in HOUSE.rglob("*.py")
}


def imported(module: str, text: str, *, running: bool = False) -> Iterator[str]:
    """Yield the modules of the house that a module of it imports, wherever in its text.

    What is imported for its types alone is left out of a program that is `running`.
    """
    package = ["gradspec", "conformance", *module.split(".")[:-1]]
    tree = ast.parse(text)
    if running:
        tree.body = [node for node in tree.body if not _is_for_types(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            house, _, rest = name.partition("gradspec.conformance.")
            if not house and (rest in MODULES or f"{rest}.__init__" in MODULES):
                yield rest


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def upward(module: str, text: str) -> list[str]:
    """Name what a module imports from a room above its own, or from the top floor."""
    room = module.partition(".")[0]
    if room in TOP:
        return []
    allowed = ORDER[: ORDER.index(room) + 1]
    return [name for name in imported(module, text) if name.partition(".")[0] not in allowed]


def test_every_room_has_its_place_and_says_what_lives_there():
    rooms = {module.partition(".")[0] for module in MODULES} - TOP
    assert rooms == set(ORDER)
    for room in rooms:
        told = ast.get_docstring(ast.parse(MODULES[f"{room}.__init__"].read_text("utf-8")))
        assert told is not None
        assert told.count(".") > 1, f"{room} says too little"


def test_on_the_top_floor_stands_what_starts_it():
    assert {name for name in MODULES if "." not in name} == TOP


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downward(module):
    assert upward(module, MODULES[module].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "from ..run.session import Session",
        "from ..run import session",
        "from .. import processes",
        "from gradspec.conformance.cli import main",
        "import gradspec.conformance.report.page",
        "def late():\n    from ..table.kinks import KINKS",
    ],
)
def test_an_import_against_the_order_is_seen(text):
    assert upward("protocol.subject", text)


def test_classes_of_one_room_have_names_of_their_own():
    """Adapters apart, of which each has its own modes."""
    places: dict[tuple[str, str], list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not module.startswith("backends."):
                places.setdefault((module.partition(".")[0], node.name), []).append(module)
    assert not [each for each in places.items() if len(each[1]) > 1]


def test_no_modules_import_each_other():
    graph = {
        module: set(imported(module, path.read_text("utf-8"), running=True)) & MODULES.keys()
        for module, path in MODULES.items()
        if module.partition(".")[0] not in TOP
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
