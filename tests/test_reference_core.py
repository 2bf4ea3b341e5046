"""The core of the reference runs by itself, and the arrows between its files run one way."""

import ast
import importlib
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest

from gradspec import reference
from gradspec.conformance.protocol.errors import ErrorKind
from gradspec.reference.errors import Kind

ROOM = Path(reference.__file__).parent
CORE = ["errors", "modes", "graph", "tensor", "primitives", "engine", "views"]
OPERATIONS = ["elementwise", "shaping", "reductions", "indexing"]
EXTRAS = ["hooks", "methods", "function", "gradcheck", "__init__"]


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A package with the files of the core and no other; its names in one place."""
    folder = tmp_path_factory.mktemp("core")
    package = folder / "core_alone"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in CORE:
        shutil.copy(ROOM / f"{name}.py", package)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        modules = [importlib.import_module(f"core_alone.{name}") for name in CORE]
        yield SimpleNamespace(**{name: each for m in modules for name, each in vars(m).items()})
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "core_alone"]:
            del sys.modules[name]


@pytest.fixture(scope="module")
def language(core):
    """A language of three operations and two views, defined in ten lines."""
    p, v = core.primitive, core.view_primitive
    mul = p("mul", np.multiply, broadcasts=True, x=lambda g, y: mul(g, y), y=lambda g, x: mul(g, x))
    sin = p("sin", np.sin, x=lambda g, x: mul(g, cos(x)))
    cos = p("cos", np.cos, x=lambda g, x: mul(g, mul(sin(x), -1.0)))
    turned = v("turned", np.transpose, x=lambda g: turned(g))
    flipped = v("flipped", lambda x: x[::-1], x=lambda g: flipped(g))
    return SimpleNamespace(mul=mul, sin=sin, cos=cos, turned=turned, flipped=flipped)


@pytest.fixture
def leaf(core):
    return core.Tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], requires_grad=True)


G = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]])


def test_three_primitives_are_a_library(core, language, leaf):
    """The derivative of sin(x * x) is cos(x * x) * 2x."""
    core.backward(language.sin(language.mul(leaf, leaf)), core.Tensor(G))
    x = leaf.array
    np.testing.assert_allclose(leaf.grad.array, G * np.cos(x * x) * 2 * x, rtol=1e-14)


def test_it_differentiates_again(core, language, leaf):
    (g,) = core.grad(language.sin(leaf), leaf, core.Tensor(G), create_graph=True)
    (h,) = core.grad(g, leaf, core.Tensor(G))
    np.testing.assert_allclose(h.array, -G * G * np.sin(leaf.array), rtol=1e-14)


def test_it_broadcasts_and_casts(core, language, leaf):
    w = core.Tensor(np.float32(2.0), requires_grad=True)
    for create_graph in (False, True):
        (g,) = core.grad(language.mul(leaf, w), w, core.Tensor(G), create_graph=create_graph)
        assert (g.shape, g.dtype) == ((), np.float32)
        assert g.item() == pytest.approx((G * leaf.array).sum(), rel=1e-6)


@pytest.mark.parametrize("view", ["turned", "flipped"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_an_older_view_hears_of_writes_through_another(core, language, leaf, view, create_graph):
    look = getattr(language, view)
    b = language.mul(leaf, 3.0)
    older, written = look(b), look(b)
    core.inplace(language.sin, written)
    core.inplace(language.mul, b, 5.0)
    x = leaf.array
    np.testing.assert_allclose(older.array, look(5 * np.sin(3 * x)), rtol=1e-14)
    (g,) = core.grad(older, leaf, core.Tensor(look(G)), create_graph=create_graph)
    np.testing.assert_allclose(g.array, G * 15 * np.cos(3 * x), rtol=1e-13)
    if create_graph:
        (h,) = core.grad(g, leaf, core.Tensor(G))
        np.testing.assert_allclose(h.array, -G * G * 45 * np.sin(3 * x), rtol=1e-13)


def test_it_frees_refuses_and_stops_recording(core, language, leaf):
    y = language.sin(leaf)
    core.backward(y, core.Tensor(G))
    with pytest.raises(core.AutogradError, match="retain_graph") as refusal:
        core.backward(y, core.Tensor(G))
    assert refusal.value.kind == "freed_graph"
    with pytest.raises(core.AutogradError) as refusal:
        core.inplace(language.sin, leaf)
    assert refusal.value.kind == "leaf_inplace"
    view = language.flipped(b := language.mul(leaf, 3.0))
    core.inplace(language.mul, b, view.detach())
    with pytest.raises(core.AutogradError) as refusal:
        core.backward(view, core.Tensor(G))
    assert refusal.value.kind == "stale_saved_value"  # b was multiplied by what was then written
    with core.no_grad():
        assert not language.sin(leaf).requires_grad


def imports(tree):
    """The neighbours that a file imports, and whether each import stands at its top."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            names = [node.module] if node.module else [each.name for each in node.names]
            yield from ((name, node in tree.body) for name in names)


def test_arrows_run_one_way():
    """From the core to operations to what is built on them; and no file is left out."""
    order = [*CORE, *OPERATIONS, *EXTRAS]
    assert {path.stem for path in ROOM.glob("*.py")} == set(order)
    for place, name in enumerate(order):
        tree = ast.parse((ROOM / f"{name}.py").read_text(encoding="utf-8"))
        for imported, at_top in imports(tree):
            assert at_top, f"{name} imports {imported} where it is late"
            assert imported in order[:place], f"{name} imports {imported}, which stands above it"


def test_its_kinds_of_refusals_are_those_of_the_instrument():
    assert set(get_args(Kind)) <= {each.value for each in ErrorKind}
