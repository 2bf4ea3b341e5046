"""Look at a library: try every piece an adapter may be made of, in a process that may end.

    python -m gradspec.conformance.adopting.looking JOURNAL MODULE [MODULE ...]

Each try is noted in the journal before it is made, and its outcome after it: who starts the process
again after it has died gets on with the next try.
"""

import json
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module, metadata
from itertools import islice, product
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from ..backends.numpy_names import numpy_names
from ..protocol.backend import Backend
from ..protocol.operations import FACTORIES, OPERATIONS
from ..protocol.subject import Subject
from ..run.smoke import SAMPLES
from ..table import TABLE
from ..table.drawn import calls
from ..table.operation import Operation
from ..untrusted.texts import in_a_line
from .pieces import DTYPES, VALUES, Place, modules_of, pullbacks, tensors
from .writing import OPERATORS, Found, Lent, adapter

CLOSED = "closed"
"""What a journal says once no more is to be tried."""

UNTRIED = "it was not tried: processes that tried others ended too often"
"""The outcome of what is not tried any more."""

DEAD = "the process ended"
"""The outcome of a try that nobody lived to note."""

MOST = 2000
"""How many ways are tried to do one thing."""

SEVERAL = 8
"""From how many names of NumPy on a module is taken to follow NumPy."""

WIDTHS = ("float32", "float64")

LONGEST = 150
"""Characters of an exception that are told."""

FEW = 6
"""How many functions are tried for one operation."""


class Journal:
    """What was tried, and what came of it, line by line in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            self._known.update(json.loads(line))

    def tried(self, key: str, attempt: Callable[[], Any]) -> Any:
        """Return what comes of `attempt`, which returns plain data or raises; told if it raises."""
        if key not in self._known and CLOSED in self._known:
            return UNTRIED
        if key not in self._known:
            self._write({key: DEAD})
            try:
                outcome = attempt()
            except Exception as error:
                outcome = in_a_line(error)
            self._write({key: outcome})
        return self._known[key]

    def _write(self, line: dict[str, Any]) -> None:
        self._known.update(line)
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(line) + "\n")


@dataclass
class Look:
    """One look at a library, by the names of its modules."""

    names: list[str]
    journal: Journal
    found: Found = field(init=False)
    places: list[Place] = field(init=False)

    def __post_init__(self) -> None:
        modules = [import_module(name) for name in self.names]
        self.places = modules_of(modules)
        self.found = Found(self.names)

    def whole(self) -> Found:
        """Look for everything, each thing with what was found before."""
        self._version()
        self._values()
        if self.found.tensor:
            self._functions()
            self._pullback()
        return self.found

    # ---- values in and out -----------------------------------------------------------------------

    def _values(self) -> None:
        best = 0
        for body, values in islice(product(tensors(self.names[0], self.places), VALUES), MOST):
            found = Found(self.names, tensor=body, numpy=f"return {values}")
            marks = self.journal.tried(f"{body}; {values}", partial(_carried, found))
            if isinstance(marks, str):
                self.found.why = self.found.why or f"{body}; return {values}: {marks}"
                continue
            if sum(marks) > best:
                best, self.found.tensor, self.found.numpy = sum(marks), body, f"return {values}"
                self.found.dtypes = [d for d, count in zip(WIDTHS, marks, strict=True) if count]
            if best == len(WIDTHS) * len(SAMPLES):
                break
        if not best:
            return
        self.found.why = ""
        for word in DTYPES:
            found = replace(self.found, dtype_of=f"return {word}")
            if self.journal.tried(f"dtype {word}", partial(_named, found)) is True:
                self.found.dtype_of = f"return {word}"
                return

    # ---- functions -------------------------------------------------------------------------------

    def _functions(self) -> None:
        own = [*self.places, *self._methods(_made(self.found))]
        counts = {place.word: len(numpy_names(place.thing)) for place in own}
        following = [word for word, count in counts.items() if count > SEVERAL]
        self.found.numpy_modules = sorted(following, key=lambda word: -counts[word])
        namespace = {"operator": operator, **_executed(self.found)}
        for operation in TABLE:
            # Whatever has no operator has one that raises.
            lent = self._best(operation, own, namespace)
            if lent and not (lent.word.startswith("operator.") and 2 * lent.agrees < lent.of):
                self.found.functions.append(lent)
        judged = {operation.name for operation in TABLE}
        for name in sorted(OPERATIONS.keys() - judged - FACTORIES):
            for word in islice(_words(name, own, namespace), 1):
                self.found.untried.append(Lent(name, word, 0, 0, ""))

    def _best(
        self, operation: Operation, places: Iterable[Place], namespace: dict[str, Any]
    ) -> Lent | None:
        """Return the function that agrees with an operation on the most calls, if there is any."""
        found: list[Lent] = []
        made, dtype = namespace[self.found.cls](), self.found.dtypes[-1]
        for word in _words(operation.name, places, namespace):
            attempt = partial(_agrees, made, operation, eval(word, namespace), dtype)  # noqa: S307
            told = self.journal.tried(f"{operation.name} as {word}", attempt)
            agrees, of, why = told if isinstance(told, list) else (0, 1, told)
            found.append(Lent(operation.name, word, agrees, of, why))
            if found[-1].sure:
                break
        return max(found, key=lambda lent: lent.agrees / lent.of, default=None)

    def _methods(self, made: Backend) -> Iterator[Place]:
        """Return the class of tensors, if it has a public name."""
        kind = type(made.tensor(np.array([1.0]), self.found.dtypes[-1], "cpu"))
        for place in self.places:
            if getattr(place.thing, kind.__name__, None) is kind and kind is not np.ndarray:
                yield Place(f"{place.word}.{kind.__name__}", kind)
                return

    # ---- derivatives -----------------------------------------------------------------------------

    def _pullback(self) -> None:
        make = self.found.tensor.removeprefix("return ").partition("(")[0]
        times = [lent for lent in self.found.functions if lent.name == "mul"]
        fewest: list[str] | None = None
        for body in islice(pullbacks(make, self.places), MOST):
            found = replace(self.found, vjp=body, functions=times, untried=[])
            wrong = self.journal.tried(f"vjp {body}", partial(_pulls, found))
            if isinstance(wrong, list) and (fewest is None or len(wrong) < len(fewest)):
                fewest = wrong
                told = f"# Is it this one? It is right of products, not of {' and '.join(wrong)}.\n"
                self.found.vjp = told * bool(wrong) + body
            if fewest == []:
                return

    def _version(self) -> None:
        top = self.names[0].partition(".")[0]
        if hasattr(sys.modules[top], "__version__") and top in self.names:
            self.found.version = f"return {top}.__version__"
        else:
            with suppress(metadata.PackageNotFoundError):
                metadata.version(top)
                self.found.version = f'return metadata.version("{top}")'


def _executed(found: Found) -> dict[str, Any]:
    """Run the adapter, of what is found so far: it is what will be written."""
    namespace: dict[str, Any] = {}
    exec(adapter(found), namespace)  # noqa: S102
    return namespace


def _made(found: Found) -> Backend:
    backend: Backend = _executed(found)[found.cls]()
    return backend


def _carried(found: Found) -> list[int]:
    """Count the samples that come out as they went in, by dtype; raises what a matrix raises."""
    made = _made(found)
    raised: list[Exception] = []
    marks = [sum(_same(made, x.astype(d), d, raised) for x in SAMPLES) for d in WIDTHS]
    matrix = SAMPLES[2]
    if not any(_same(made, matrix.astype(dtype), dtype, raised) for dtype in WIDTHS):
        raise raised[-1] if raised else ValueError("a matrix does not come out as it went in")
    return marks


def _same(made: Backend, array: Any, dtype: str, raised: list[Exception]) -> bool:
    try:
        value = made.numpy(made.tensor(array, dtype, "cpu"))
    except Exception as error:
        raised.append(error)
        return False
    return bool(value.dtype == dtype and value.shape == array.shape and (value == array).all())


def _named(found: Found) -> bool:
    made = _made(found)
    samples = [made.tensor(np.array([1.0, 2.0]), dtype, "cpu") for dtype in found.dtypes]
    return [made.dtype_of(x) for x in samples] == [*found.dtypes]


def _words(name: str, places: Iterable[Place], namespace: dict[str, Any]) -> Iterator[str]:
    """Return expressions for what may be an operation, no function twice."""
    seen: list[Any] = []
    words = [f"{place.word}.{name}" for place in places if hasattr(place.thing, name)]
    words += [f'NUMPY["{name}"]'] if name in namespace.get("NUMPY", ()) else []
    words += [OPERATORS[name]] if name in OPERATORS else []
    for word in words:
        thing = eval(word, namespace)  # noqa: S307
        if callable(thing) and all(thing is not one for one in seen) and len(seen) < FEW:
            seen.append(thing)
            yield word


def _agrees(made: Backend, operation: Operation, function: Any, dtype: str) -> list[Any]:
    """Say on how many of the corners a function agrees with the operation, and why on no more."""
    made.functions = {**made.functions, operation.name: function}
    corners, why, agrees = calls().corners(operation), "", 0
    for call in corners:
        subject = Subject(made, "cpu", dtype)
        try:
            subject.begin()
            call.check(subject, call.on(subject)(*map(subject.tensor, call.tensors)))
            agrees += 1
        except Exception as error:
            why = why or shorten(in_a_line(error), LONGEST, placeholder=" ...")
    return [agrees, len(corners), why]


def _pulls(found: Found) -> list[str]:
    """Say what a pullback is wrong of; raises ValueError if it is of products of two tensors."""
    subject = Subject(_made(found), "cpu", found.dtypes[-1])
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    value, pull = subject.vjp(lambda a, b: subject.mul(subject.mul(a, a), b), x, y)
    _expect(subject, [value], x * x * y)
    for cotangent in (np.array([1.0, 10.0]), np.array([2.0, 0.0])):
        _expect(subject, pull(cotangent), 2 * x * y * cotangent, x * x * cotangent)
    wrong = []
    for words, function, inputs, gradients in (
        ("a function of one tensor", lambda a: subject.mul(a, a), (x,), (2 * x,)),
        ("a tensor that does not matter", lambda a, _: subject.mul(a, a), (x, y), (2 * x, 0 * y)),
    ):
        try:
            _expect(subject, subject.vjp(function, *inputs)[1](np.ones(2)), *gradients)
        except Exception:  # of whatever kind: the library is a stranger
            wrong.append(words)
    return wrong


def _expect(subject: Subject, found: Iterable[Any], *expected: Any) -> None:
    for each, right in zip(found, expected, strict=True):
        values = 0 * right if each is None else subject.numpy(each)
        if (values != right).any():
            raise ValueError(f"{values} is not {right}")


def main(journal: str, *names: str) -> None:
    """Look at a library, and leave what was found at the end of the journal."""
    path = Path(journal)
    # What a library prints while it is looked at is not ours.
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout = nowhere
        found = Look([*names], Journal(path)).whole()
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps({"found": found.to_json()}) + "\n")


if __name__ == "__main__":
    sys.path.append("")
    main(*sys.argv[1:])
