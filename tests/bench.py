"""A bench: a small specification and adapters of its own, and runs of the suite on them."""

import re
from pathlib import Path
from textwrap import dedent, indent

# The plugin is imported here, before any run in this process: what a run imports, numpy among it,
# is forgotten after it and cannot be imported again.
from gradspec.conformance import plugin  # noqa: F401
from gradspec.conformance.results.reading import read
from gradspec.conformance.results.verdict import Verdict

CHAPTER = """
\"\"\"Planted: claims that show what the instrument does.\"\"\"

import os

from gradspec.conformance import ErrorKind, claim, every, example, given
from gradspec.conformance.strategies import arrays, integers
"""

DOUBLED = """
@claim("TST-01", "TST-11", about="backward")
def test_doubled(be):
    "The gradient of x + x is two."
    leaf = be.leaf([1.0, 2.0])
    be.backward(be.sum(be.add(leaf, leaf)))
    be.check(be.grad(leaf), [2.0, 2.0])
"""
"""A claim that every right backend passes."""

SQUARED = """
@claim("TST-02", about="mul", level="contract")
@given(x=arrays(), w=arrays())
def test_squared(be, x, w):
    "The gradient of a square is twice the input."
    leaf = be.leaf(x)
    be.backward(be.mul(leaf, leaf), w)
    be.check(be.grad(leaf), 2 * w * x)
"""
"""A claim with drawn values that every right backend passes."""

WRONG = """
@claim("TST-03", about="mul")
@given(x=arrays(), times=integers(1, 3))
def test_wrong(be, x, times):
    "A square is its input."
    leaf = be.leaf(x)
    be.check(be.mul(leaf, leaf), x)
"""
"""A claim that no backend passes."""

ABORTING = """
@claim("TST-03", about="mul")
def test_aborting(be):
    "This ends the process."
    be.mul(be.tensor([1.0]), 2.0)
    os.abort()
"""
"""A claim that ends the process."""

SINES = """
from gradspec.conformance.table import TABLE, calls

@claim("TST-02", over=[operation for operation in TABLE if operation.name in ("sin", "cos")])
@given(call=calls())
def test_sines(be, call):
    "Nothing is the sine of anything."
    call.on(be)(*call.tensors)
    assert call.operation.name == "{right}"
"""
"""A claim over two operations, which passes of one at most: that which is called right."""


class Bench:
    """A directory of its own, wherein pytest runs in this process or in another one."""

    def __init__(self, pytester) -> None:
        self.pytester = pytester
        self.path: Path = pytester.path
        self.results = self.path / ".gradspec" / "results.jsonl"
        self.write("sources.toml", self.sources("TST-01", "TST-02", "TST-03", "TST-11"))
        self.chapter(DOUBLED)

    def write(self, name: str, text: str) -> Path:
        """Write a file into the directory."""
        path = self.path / name
        path.write_text(dedent(text), encoding="utf-8")
        return path

    @staticmethod
    def sources(*rows: str) -> str:
        """Return the sources of claims with these ids."""
        return "".join(f'[{row}]\nnotes = "000:1"\nverdict = "holds"\n' for row in rows)

    def chapter(self, *claims: str) -> None:
        """Make `claims` the specification."""
        self.write("test_planted.py", "\n".join(map(dedent, (CHAPTER, *claims))))

    def adapter(self, body: str) -> str:
        """Write an adapter that differs from the reference's in `body`; return its address."""
        self.write(
            "mine.py",
            "from gradspec.conformance import Backend, ErrorKind, part_of\n"
            "from gradspec.conformance.backends.reference import Reference\n\n\n"
            "class Mine(Reference):\n"
            f"    name = 'mine'\n\n{indent(dedent(body), '    ')}\n",
        )
        return "mine:Mine"

    def run(self, *words: str, backend: str = "reference", dtype: str | None = "float64"):
        """Run the specification in this process, by default on one subject."""
        here = [*_options(backend, dtype), "--no-isolate"]
        return self.pytester.runpytest_inprocess(*here, *words)

    def run_apart(self, *words: str, backend: str = "reference", dtype: str | None = "float64"):
        """Run the specification in a process of its own."""
        return self.pytester.runpytest_subprocess(*_options(backend, dtype), *words, timeout=300)

    def all_verdicts(self) -> list[Verdict]:
        """Read the results of the last run."""
        return read(self.results)[1]

    def verdicts(self) -> dict[str, Verdict]:
        """Read the results of a run on one subject, by claim."""
        return {verdict.claim: verdict for verdict in self.all_verdicts()}


def _options(backend: str, dtype: str | None) -> list[str]:
    words = ["-p", "no:cacheprovider", "--backend", backend, "--alone", "0"]
    return [*words, *(["--dtype", dtype] if dtype else [])]


def complaint(result) -> str:
    """Return the one line with which a run was refused; a traceback is no such line."""
    text = [line for line in (*result.outlines, *result.errlines) if line.strip()]
    assert not any("Traceback" in line or "INTERNALERROR" in line for line in text), text
    # In a wide terminal pytest puts a short message in the middle of a line of exclamation marks.
    (line,) = [line for line in text if re.match("ERROR: |Exit: |!+ ", line)]
    return line
