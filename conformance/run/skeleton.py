"""A new adapter, written as far as it can be guessed from the library.

What a library calls by gradspec's own names is lent at once; what has to be said by somebody who
knows the library raises NotImplementedError with a sentence that says what is wanted, which the
smoke check repeats.
"""

from collections.abc import Iterator
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from string import Template
from types import ModuleType

from ..protocol.backend import CORE_FUNCTIONS
from ..protocol.errors import OptionError
from ..protocol.operations import FACTORIES, OPERATIONS
from ..untrusted.texts import first_line

TEXT = Template('''\
"""What gradspec has to know of $name.

    pytest --pyargs gradspec.spec --backend $file:$cls

The text of gradspec.conformance.Backend says what each method means, and which ones a further
capability asks for. Declare what the library has, and nothing that it has not.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import $module

from gradspec.conformance import Backend, Capability, ErrorKind


class $cls(Backend):
    """$name as it is: nothing here adds to what the library does."""

    name = "$name"
    capabilities = frozenset([Capability.VJP])
    dtypes = ("float32", "float64")
    functions = {
$functions
    }

    @property
    def version(self) -> str:
        return $version

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Any:
        raise NotImplementedError("tensor: copy the array into a constant of the dtype")

    def numpy(self, x: Any) -> np.ndarray[Any, Any]:
        raise NotImplementedError("numpy: copy the values of a tensor into an array")

    def dtype_of(self, x: Any) -> str:
        raise NotImplementedError("dtype_of: name the dtype of a tensor in numpy's words")

    def error_kind(self, error: Exception) -> ErrorKind | None:
        return None

    def vjp(
        self, function: Callable[..., Any], *inputs: Any, create_graph: bool = False
    ) -> tuple[Any, Callable[[Any], Sequence[Any | None]]]:
        raise NotImplementedError("vjp: return function(*inputs) and its pullback")
''')


def skeleton(module: str) -> str:
    """Write an adapter for the library imported as `module`.

    Raises OptionError if there is none of that name.
    """
    if not all(word.isidentifier() and not iskeyword(word) for word in module.split(".")):
        raise OptionError(
            f"new-backend {module!r}: is no name of a module; name an installed one, such as torch"
        )
    top = module.partition(".")[0]
    try:
        library = import_module(module)
        known = hasattr(import_module(top), "__version__")
        lent = "\n".join(functions(library))
    except (Exception, SystemExit) as error:  # which some modules end themselves by
        name = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
        raise OptionError(
            f"new-backend {module}: cannot be imported ({name}{first_line(error)}); "
            "name an installed module"
        ) from None
    return TEXT.substitute(
        name=top,
        module=module,
        file=file_name(module).stem,
        cls=class_name(module),
        functions=lent,
        version=f"{module}.__version__" if known and top == module else '"unknown"',
    )


def functions(library: ModuleType) -> Iterator[str]:
    """List what the library calls by gradspec's names, and what the core still lacks."""
    for name, meaning in OPERATIONS.items():
        if callable(getattr(library, name, None)) and name not in FACTORIES:
            yield f'        "{name}": {library.__name__}.{name},'
        elif name in CORE_FUNCTIONS:
            yield f'        # "{name}": {meaning}. Every adapter has it.'


def file_name(module: str) -> Path:
    """Name the file of an adapter."""
    return Path(f"{module.partition('.')[0]}_adapter.py")


def class_name(module: str) -> str:
    """Name the class of an adapter."""
    return "".join(word.capitalize() for word in module.partition(".")[0].split("_"))
