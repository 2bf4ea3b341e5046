"""The files of a new adapter: itself, its entries, a test, and a workflow."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from string import Template
from textwrap import wrap
from typing import Any

from ..protocol.backend import CORE_FUNCTIONS, REQUIRED
from ..protocol.operations import OPERATIONS
from .pieces import method

OPERATORS = {
    "div": "operator.truediv",
    **{
        name: f"operator.{name}"
        for name in ("add", "sub", "mul", "neg", "pow", "abs", "matmul", "getitem")
    },
    **{name: f"operator.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}
"""Operations that a tensor may have as an operator of Python."""

ADAPTER = Template('''\
"""What gradspec has to know of $name.

    pytest --pyargs gradspec.spec --backend $file:$cls

It was written by trying what $name has. Whatever was not found raises NotImplementedError, and says
what is wanted; a question stands beside what is not sure. gradspec.conformance.Backend says what
each method means, and which ones a further capability asks for: declare what the library has, and
nothing that it has not.
"""

$imports


class $cls(Backend):
    """$name as it is: nothing here adds to what the library does."""

    name = "$name"
    $capabilities
    dtypes = $dtypes
    functions = {
$functions
    }

    @property
$version
$tensor
$numpy_method
$dtype_of
    def error_kind(self, error):
        # What do its exceptions mean? Claims expect a refusal by its kind, an ErrorKind.
        return None

$vjp''')

ENTRIES = Template("""\
# What $name is known to do otherwise than the specification says, beside its adapter.
#
#     pytest --pyargs gradspec.spec --backend $file:$cls --update-expectations
#
# writes an entry with a witness for all that is red. The reason, the kind (defect, difference,
# missing or parity) and the link are yours to write.
""")

TEST = Template('''\
"""$name under gradspec: what passes today has to pass tomorrow."""

import subprocess
import sys


def test_gradspec():
    words = ["--pyargs", "gradspec.spec", "--backend", "$file:$cls", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([sys.executable, "-m", "pytest", *words], check=False)
    assert done.returncode == 0
''')

WORKFLOW = Template("""\
name: gradspec

on: [push, pull_request]

permissions:
  contents: read

jobs:
  gradients:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: { python-version: "3.12" }
      - uses: gradspec/gradspec@main
        with:
          backend: "$file:$cls"
          packages: .
""")

OPEN = {
    "tensor": "copy the array into a constant of the dtype",
    "numpy": "copy the values of a tensor into an array",
    "dtype_of": "name the dtype of a tensor in numpy's words",
    "vjp": "return function(*inputs) and its pullback",
}
"""What is wanted of the methods that nothing was found for."""

PULLS = "frozenset([Capability.VJP])"
LACKS_VJP = f"frozenset()  # {PULLS} once vjp below is written"
"""What is declared: a method that is not written yet is nothing that the library has."""

HEADS = {
    "tensor": "def tensor(self, array, dtype, device):",
    "numpy": "def numpy(self, x):",
    "dtype_of": "def dtype_of(self, x):",
    "vjp": "def vjp(self, function, *inputs, create_graph=False):",
}


@dataclass
class Lent:
    """A function that may be an operation: on how many corners they agree, and why on no more."""

    name: str
    word: str
    agrees: int
    of: int
    why: str

    @property
    def sure(self) -> bool:
        """Whether they agree on all."""
        return self.agrees == self.of > 0


@dataclass
class Found:
    """What was found of a library. A body that is empty was not."""

    modules: list[str]
    tensor: str = ""
    numpy: str = ""
    dtype_of: str = ""
    vjp: str = ""
    version: str = 'return "unknown"'
    dtypes: list[str] = field(default_factory=lambda: ["float32", "float64"])
    why: str = ""
    """What the likeliest way to make a tensor ended in, if none did better."""
    numpy_modules: list[str] = field(default_factory=list)
    """What has names of NumPy, the most of them first."""
    functions: list[Lent] = field(default_factory=list)
    untried: list[Lent] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the library: that of its package."""
        return self.modules[0].partition(".")[0]

    @property
    def file(self) -> str:
        """The name of the adapter's module."""
        return f"{self.name}_adapter"

    @property
    def cls(self) -> str:
        """The name of the adapter's class."""
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def sure(self) -> list[Lent]:
        """The functions that are what they are called."""
        return [lent for lent in self.functions if lent.sure]

    @property
    def wanting(self) -> list[str]:
        """What has to be written before a claim can be run."""
        methods = [name for name in ("tensor", "numpy", "dtype_of") if not getattr(self, name)]
        have = {lent.name for lent in self.functions if lent.agrees}
        return methods + [f"functions[{REQUIRED!r}]"] * (REQUIRED not in have)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Found":
        """Read what `to_json` wrote."""
        lists = {name: [Lent(**one) for one in fields[name]] for name in ("functions", "untried")}
        return cls(**{**fields, **lists})


def adapter(found: Found) -> str:
    """Write the adapter."""
    bodies = {"tensor": found.tensor, "numpy": found.numpy, "dtype_of": found.dtype_of}
    bodies["vjp"] = found.vjp
    methods = {
        name: method(HEADS[name], body or f'raise NotImplementedError("{name}: {OPEN[name]}")')
        for name, body in bodies.items()
    }
    return ADAPTER.substitute(
        name=found.name,
        file=found.file,
        cls=found.cls,
        imports="\n".join(_imports(found, "\n".join([found.version, *_functions(found)]))),
        capabilities="capabilities = " + (PULLS if found.vjp else LACKS_VJP),
        dtypes="(" + " ".join(f'"{dtype}",' for dtype in found.dtypes) + ")",
        functions="\n".join(f"        {line}" for line in _functions(found)),
        version=method("def version(self):", found.version),
        tensor=methods["tensor"],
        numpy_method=methods["numpy"],
        dtype_of=methods["dtype_of"],
        vjp=methods["vjp"],
    )


def _imports(found: Found, text: str) -> Iterator[str]:
    """Write what stands above the class, as far as the `text` in it needs it."""
    yield from ["import operator"] * ("operator." in text)
    yield from ["from importlib import metadata"] * ("metadata." in text)
    yield from ["", "import numpy as np", *(f"import {name}" for name in found.modules), ""]
    yield "from gradspec.conformance import Backend, Capability"
    if found.numpy_modules:
        modules = ", ".join(found.numpy_modules)
        yield "from gradspec.conformance.backends.numpy_forms import numpy_forms"
        yield "from gradspec.conformance.backends.numpy_names import numpy_names"
        yield f"\nNUMPY = {{**numpy_forms({modules}), **numpy_names({modules})}}"
        yield f'"""What {found.name} calls by the names of NumPy, under those of gradspec."""'


def _functions(found: Found) -> Iterator[str]:
    for lent in found.functions:
        entry = f'"{lent.name}": {lent.word},'
        if not lent.sure:
            told = f"Is it this one? It agrees on {lent.agrees} of {lent.of} calls. {lent.why}"
            yield from (f"# {line}" for line in wrap(told, 88))
        yield entry if lent.agrees else f"# {entry}"
    for lent in found.untried:
        yield "# Is it this one? Nothing was tried."
        yield f'# "{lent.name}": {lent.word},'
    have = {lent.name for lent in found.functions if lent.agrees}
    for name in CORE_FUNCTIONS:
        if name not in have:
            yield f'# "{name}": {OPERATIONS[name]}. Many claims use it.'


def files(found: Found) -> dict[Path, str]:
    """Write every file of the adapter, by its place."""
    words = {"name": found.name, "file": found.file, "cls": found.cls}
    return {
        Path(f"{found.file}.py"): adapter(found),
        Path(f"{found.file}.toml"): ENTRIES.substitute(words),
        Path(f"test_{found.name}_gradspec.py"): TEST.substitute(words),
        Path(".github", "workflows", "gradspec.yml"): WORKFLOW.substitute(words),
    }
