"""PyTorch's compiler.

It would follow whatever Python calls a function makes, ours among them. So a function is first run
once, and the calls of PyTorch that it makes are written down as a program of its tensors and of the
constants that it has met: that is what is compiled, as a whole or not at all. Functions that come
to the same program share what was compiled for it.
"""

import operator
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MethodWrapperType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

from ..protocol.capabilities import Capability
from ..protocol.errors import AdapterError
from ..protocol.mode import Mode

Function = Callable[..., Tensor]

METHODS: Mapping[Any, str] = {
    method: name
    for name, method in vars(Tensor).items()
    if getattr(method, "__module__", None) == "torch._tensor"
}
"""Methods that are written in Python: no module has them by the name that they go by."""

KINDS_OF_INPUTS = 10_000
"""For so many a program may be compiled; the next one is refused, and not run as it is."""


def without_compiler(device: str = "cpu") -> str | None:
    """Say what Inductor needs and this machine does not have; None if nothing is missing."""
    if device == "cuda" and not import_module("torch.utils._triton").has_triton():
        return "needs Triton for a CUDA device; install the package triton"
    names = [os.environ.get("CXX", ""), "c++", "g++", "clang++", "cl"]
    if not any(map(shutil.which, filter(None, names))):
        return "needs a C++ compiler here; install one, or name it in the variable CXX"
    folders = [sysconfig.get_path("include"), sysconfig.get_path("include", "posix_prefix")]
    if not any(Path(folder, "Python.h").exists() for folder in folders):
        return "needs the headers of Python, which Debian has in the package python3-dev"
    return None


class Recorder(TorchFunctionMode):
    """Notes the calls of PyTorch that are made while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, Sequence[Any], Mapping[str, Any], Any]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(func, MethodWrapperType):
            # What reads an attribute, such as x.mT.
            read: Any = func.__self__
            func, args = getattr, (args[0], read.__name__)
        self.calls.append((func, tuple(args), dict(kwargs or {}), result))
        return result


def recorded(function: Function, tensors: Sequence[Tensor]) -> tuple[Any, list[Tensor]]:
    """Run a function once; return it as a program, and the constants that follow its tensors."""
    with torch.no_grad():
        given = [x.detach() for x in tensors]
        with Recorder() as recorder:
            result = function(*given)
    known = {id(x) for x in given}
    calls, constants = [], []
    for func, args, kwargs, made in recorder.calls:
        operands = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
        results = [x for x in tree_leaves(made) if isinstance(x, Tensor)]
        # An assignment has no result, and is made all the same.
        written = func is Tensor.__setitem__
        if (results or written) and any(id(x) in known for x in operands):
            constants += [x for x in operands if id(x) not in known]
            known |= {id(x) for x in (*operands, *results)}
            calls.append((func, args, kwargs, made))
    if id(result) not in known:
        constants.append(result)

    graph = torch.fx.Graph()
    nodes = {id(x): graph.placeholder(f"x{n}") for n, x in enumerate((*given, *constants))}

    def node(x: Any) -> Any:
        return nodes[id(x)] if isinstance(x, Tensor) else x

    for func, args, kwargs, made in calls:
        words = tree_map(node, args), tree_map(node, kwargs)
        method = METHODS.get(func)
        called = graph.call_method(method, *words) if method else graph.call_function(func, *words)
        if made is None:
            continue
        nodes[id(made)] = called
        if not isinstance(made, Tensor):
            for place, x in enumerate(made):
                entry = graph.call_function(operator.getitem, (nodes[id(made)], place))
                nodes[id(x)] = entry
    graph.output(node(result))
    return torch.fx.GraphModule(torch.nn.Module(), graph), constants


class Compiled(Mode):
    """Programs through dynamo and AOTAutograd, and kernels of PyTorch's own."""

    name = "compile"
    does = "functions by torch.compile with the backend aot_eager"
    lost = frozenset({Capability.JVP, Capability.CREATE_GRAPH})
    example_divisor = 4
    compiler = "aot_eager"

    def __init__(self, backend: Any) -> None:
        super().__init__(backend)
        # An import of seconds, which no other mode has to wait for.
        self.dynamo: Any = import_module("torch._dynamo")
        # A pullback may be asked again, which needs buffers that are not given away; when a program
        # is compiled once more, PyTorch forgets what is set for a block alone.
        settings: Any = import_module("torch._functorch.config")
        settings.donated_buffer = False
        self.about = ""
        self.programs: dict[str, Function] = {}
        self.captured = 0
        """How many graphs were handed to the compiler."""

    def absent(self) -> str | None:
        if self.dynamo.config.disable or os.environ.get("TORCH_COMPILE_DISABLE") == "1":
            return "has its compiler switched off; unset TORCH_COMPILE_DISABLE"
        return None

    def spellings(self, name: str) -> Mapping[str, Function]:
        # A tensor that would have to grow is refused, as is documented.
        return {w: f for w, f in super().spellings(name).items() if not w.endswith("out")}

    def wrap(self, function: Function, about: str) -> Function:
        if about != self.about:
            # What is compiled for one operation is of no use to another, and takes room.
            self.dynamo.reset()
            self.programs.clear()
            self.about = about

        def run(*tensors: Tensor) -> Tensor:
            program, constants = recorded(function, tensors)
            compiled = self.programs.get(program.code)
            if compiled is None:
                compiled = self.programs[program.code] = self._compiled(program)
            with self.dynamo.config.patch(
                recompile_limit=KINDS_OF_INPUTS, accumulated_recompile_limit=KINDS_OF_INPUTS
            ):
                return compiled(*tensors, *constants)

        return run

    def _compiled(self, program: Any) -> Function:
        """Return what runs a program compiled; raises AdapterError if it is run as it is."""
        inner = self.dynamo.lookup_backend(self.compiler)

        def compiler(graph: Any, inputs: Any, **options: Any) -> Any:
            self.captured += 1
            return inner(graph, inputs, **options)

        compiled: Any = torch.compile(program, backend=compiler, fullgraph=True)

        def first(*tensors: Tensor) -> Tensor:
            before = self.captured
            result: Tensor = compiled(*tensors)
            if self.captured == before and len(program.graph.nodes) > len(tensors) + 1:
                raise AdapterError(f"torch.compile ran {self.about} as it is, and compiled nothing")
            self.programs[program.code] = compiled
            return result

        return first


class Inductor(Compiled):
    """Programs through dynamo and AOTAutograd, in kernels that Inductor writes and has compiled."""

    name = "inductor"
    does = "functions by torch.compile with Inductor, which needs a C++ compiler"
    compiler = "inductor"
    deep = 2000
    """How deep calls may be nested from the first program on that Inductor was given."""

    def __init__(self, backend: Any) -> None:
        super().__init__(backend)
        # It raises the limit for good, which is no fault of the claim that is the first to compile.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), self.deep))

    def absent(self) -> str | None:
        return without_compiler() or super().absent()
