"""A shrunk program as a script in PyTorch's own API, which needs PyTorch alone.

It states what is expected, and why, prints what comes, and exits with status 1 while they differ.
What ends the process or never returns is run in a child.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..backends.torch_errors import KINDS
from . import own
from .instructions import Value
from .judging import Difference, laws
from .kinds import every_kind
from .language import Program, Statement
from .machine import Machine
from .naming import PARTS, sort_of
from .reading import VALUES

PATIENCE = 60
"""Seconds that a script may take, and that a child of one is waited for."""

HELPERS = {
    "cotangent": f'''
def cotangent(seed, x, form=""):
    """Small integers in the shape and dtype of a result, or in another form."""
    values = {[float(each) for each in VALUES]}
    shape, dtype = {{"one": (1,), "flat": (-1,), "axis": (1, *x.shape)}}.get(form, x.shape), x.dtype
    if form == "other":
        dtype = torch.float32 if x.dtype == torch.float64 else torch.float64
    if form == "whole":
        dtype = torch.int64
    entries = [values[(seed + i) % 16] for i in range(1 if form == "one" else x.numel())]
    return torch.tensor(entries, dtype=dtype).reshape(shape)
''',
    "chain": """
def chain(x, length):
    for _ in range(length):
        x = -x
    return x
""",
    "twice": """
def twice(root, leaves, seed):
    root.backward(cotangent(seed, root), create_graph=True)
    found = [leaf.grad for leaf in leaves]
    found = [g for g in found if g is not None and g.requires_grad]
    if found:
        torch.autograd.backward(found, [cotangent(seed + 1, g) for g in found])
""",
    "in_thread": """
def in_thread(work):
    raised = []

    def run():
        try:
            work()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
""",
    "generating": """
def generating(function):
    def generator(x):
        yield function(x)

    return generator
""",
    "aside": """
def aside(x, records):
    made = []

    def run():
        if records is not None:
            torch.set_grad_enabled(records)
        made.append(x * 2)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return made[0]
""",
    "doubled": """
def doubled(x):
    return x * 2
""",
    "part": """
def part(x):
    return x[...]
""",
    "overwritten": """
def overwritten(x):
    x[...] = x * 2
    return x[...]
""",
    "hook": """
calls = []
handles = []
tallies = []


def hook(x, action):
    name, total = len(handles), x.detach() * 0
    tallies.append(total)

    def call(g):
        calls.append((name, g.tolist(), torch.is_grad_enabled()))
        if action in ("double", "negate", "same"):
            return g * {"double": 2, "negate": -1, "same": 1}[action]
        if action == "wrong_shape":
            return g[None][None]
        if action == "number":
            return 2.0
        if action == "cast":
            return g.float() if g.dtype == torch.float64 else g.double()
        if action == "nested":
            with torch.enable_grad():
                y = g.detach().requires_grad_()
                return torch.autograd.grad(y * y, [y], torch.ones_like(y))[0]
        if action == "tally":
            with torch.no_grad():
                total[...] = total + g
        if action == "hurt":
            raise RuntimeError("hurt")
        if action == "once":
            own.pop().remove()
        return None

    own = [x.register_hook(call)]
    handles.extend(own)
""",
    "after": """
def after(x, action):
    def call(leaf):
        if leaf.grad is None:
            return
        calls.append((len(handles), leaf.grad.tolist()))
        if action == "clear":
            leaf.grad = None
        elif action == "double":
            with torch.no_grad():
                leaf.grad[...] = leaf.grad * 2
        elif action == "hurt":
            raise RuntimeError("hurt")

    handles.append(x.register_post_accumulate_grad_hook(call))
""",
    "node_hook": """
def node_hook(x, action):
    def doubled(gradients):
        if action.endswith("double"):
            return tuple(None if g is None else g * 2 for g in gradients)
        return None

    def before(outputs):
        calls.append([g if g is None else g.tolist() for g in outputs])
        return doubled(outputs)

    def behind(inputs, outputs):
        calls.append([[g if g is None else g.tolist() for g in each] for each in (inputs, outputs)])
        return doubled(inputs)

    node = x.grad_fn
    if node is not None:
        register = node.register_prehook if action.startswith("before") else node.register_hook
        handles.append(register(before if action.startswith("before") else behind))
""",
}
"""What a script may use, and then defines."""

SIMPLE = {
    "watch": "None",
    "double": "g * 2",
    "negate": "-g",
    "same": "g",
    "wrong_shape": "g[None][None]",
    "number": "2.0",
    "hurt": "1 / 0",
}
"""What hooks return, as an expression."""

LISTING = frozenset(["gradients", "gradients_of_two", "split", "chunk", "unbind"])
"""Kinds that return a list, of one element too."""


class Script:
    """The text of a script, made of a program, its first difference, and a run of the reference."""

    def __init__(
        self, program: Program, found: Difference, run: Machine, title: str, dtype: str, rule: str
    ) -> None:
        self.program = program
        self.found = found
        self.run = run
        self.title = title
        self.dtype = dtype
        self.rule = rule
        self.refused = {at for at, what, _ in run.seen if what == "refused"}

        kinds = {statement.kind for statement in program}
        self.tells_of_hooks = found.what.startswith("hooks") or "unhook" in kinds

    def text(self) -> str:
        """Return the script."""
        body = [*self.statements()]
        if self.found.what in {"crash", "hang"}:
            return self.as_child(body)
        lines = [f'"""{self.title}', "", f"Rule: {self.rule}", '"""', ""]
        lines += self.imports(body)
        lines += self.helpers(body)
        return "\n".join([*lines, *body]) + "\n"

    def imports(self, body: Sequence[str]) -> Iterator[str]:
        """Import what the script uses."""
        text = "\n".join(body)
        yield "import sys"
        if "in_thread" in text or "aside" in text:
            yield "import threading"
        yield ""
        yield "import torch"
        if "torch.utils.checkpoint" in text:
            yield "import torch.utils.checkpoint"
        yield ""

    def helpers(self, body: Sequence[str]) -> Iterator[str]:
        """Define what the script uses."""
        text = "\n".join(body)
        for name, definition in HELPERS.items():
            needed = re.search(rf"\b{name}\b", text) or (
                (name == "cotangent" and "twice(" in text)
                or (name == "hook" and re.search(r"\b(after|node_hook|handles)\b", text))
            )
            if needed:
                yield definition
        for name in own.FUNCTIONS:
            if f"{name}.apply(" in text:
                yield ""
                yield own.source(name)

    def statements(self) -> Iterator[str]:
        """Write the program up to where it differs, and what is to be seen there."""
        kinds, depth, empty = every_kind(), 0, False
        made: list[bool] = []
        for at, statement in enumerate(self.program):
            numbers = range(len(made), len(made) + statement.results)
            skipped = not all(made[n] for n in statement.operands)
            made += [not skipped and at not in self.refused] * statement.results
            if statement.kind == "forget":
                made[statement.operands[0]] = False
            if skipped:
                continue
            extent = kinds[statement.kind].extent
            if extent < 0:
                if empty:
                    yield "    " * depth + "pass"
                depth, empty = max(depth - 1, 0), False
                continue
            lines = self.written(at, statement, numbers)
            yield from ("    " * depth + line for line in lines)
            if at == self.found.at:
                return
            empty = extent > 0
            depth += extent
        if empty:
            yield "    " * depth + "pass"
        yield from self.end(made)

    def written(self, at: int, statement: Statement, numbers: range) -> Iterator[str]:
        """Write one statement: as it is, as one that may be refused, or as the one that differs."""
        kind, operands, options, results = statement
        text = every_kind()[kind].text([f"v{n}" for n in operands], options)
        if kind == "hook" and options[0] in SIMPLE and not self.tells_of_hooks:
            text = f"v{operands[0]}.register_hook(lambda g: {SIMPLE[options[0]]})"
        text = text.replace("DTYPE", f"torch.{self.dtype}")
        text = text.replace("OTHER", f"torch.{self.run.table.other}")
        if results:
            names = ", ".join(f"v{n}" for n in numbers)
            if kind in LISTING and results == 1:
                names += ","
            text = f"{names} = {text}"
        if at == self.found.at:
            yield from self.last(text, kind, operands)
        elif at in self.refused:
            yield from ("try:", f"    {text}", "except Exception:", "    pass")
        else:
            if kind == "packing":
                yield "kept = []"
            yield text

    def last(self, text: str, kind: str, operands: Sequence[int]) -> Iterator[str]:
        """Write the statement that differs."""
        got, expected = self.found.got, self.found.expected
        if self.found.what in {"crash", "hang"}:
            yield text
            return
        if "refused" in self.found.what or type(got) is str or type(expected) is str:
            yield from judged_refusal(text, expected)
            return
        name = f"v{operands[0]}" if operands else ""
        yield from self.judged_value(kind, name, got, expected)

    def judged_value(self, kind: str, name: str, got: Any, expected: Any) -> Iterator[str]:
        """Write a comparison of what is seen of a variable."""
        look = LOOKS.get(kind)
        if look is None:
            yield f"# {kind} differs: expected {expected}, got {got}"
            return
        yield f"expected = {literal(expected)}"
        yield f"got = {look.format(name)}"
        yield from REPORT

    def end(self, made: Sequence[bool]) -> Iterator[str]:
        """Write what is read at the end of the program, until it differs."""
        what, got, expected = self.found.what, self.found.got, self.found.expected
        if what in {"crash", "hang"}:
            names = ", ".join(f"v{n}" for n, there in enumerate(made) if there)
            yield f"everything = [{names}]"
            yield "roots = [v for v in everything if v.requires_grad]"
            yield "torch.autograd.backward(roots, [torch.ones_like(v) for v in roots])"
            return
        name = what.split(".")[0].split(" ")[0]
        if what == name and type(got) is tuple and type(expected) is tuple:
            part = next(p for p, x, y in zip(PARTS, got, expected, strict=True) if x != y)
            place = PARTS.index(part)
            yield from self.judged_value(f"look_{part}", name, got[place], expected[place])
        else:
            yield f"# {what} differs when everything is read and differentiated:"
            yield f"# expected {expected}, got {got}"

    def as_child(self, body: Sequence[str]) -> str:
        """Return a script that runs the program in a child of its own."""
        body = [*body]
        text = "\n".join([*self.imports(body), *self.helpers(body), *body])
        return CHILD.format(title=self.title, rule=self.rule, text=text, patience=PATIENCE)


CHILD = '''"""{title}

Rule: {rule}
"""

import subprocess
import sys

TRY = """
{text}
"""
expected = "exit status 0"
try:
    done = subprocess.run([sys.executable, "-c", TRY], timeout={patience}, check=False)
    got = f"exit status {{done.returncode}}"
except subprocess.TimeoutExpired:
    got = "no end"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
'''

REPORT = ('print("expected", expected)', 'print("got     ", got)', "sys.exit(got != expected)")

LOOKS = {
    "look_value": "{}.tolist()",
    "look_node": "{}.grad_fn is not None",
    "look_flags": "({0}.requires_grad, {0}.is_leaf)",
    "look_requires_grad": "{}.requires_grad",
    "look_is_leaf": "{}.is_leaf",
    "look_version": "{}._version",
    "look_grad": "None if {0}.grad is None else ({0}.grad.tolist(), {0}.grad.requires_grad)",
    "look_strides": "{}.stride()",
    "look_grad_strides": "{}.grad.stride()",
}


def judged_refusal(text: str, expected: str | None) -> Iterator[str]:
    """Write a statement that is to be refused so, or not to be refused."""
    yield f"expected = {'refused: ' + expected if expected else 'done'!r}"
    yield "try:"
    yield f"    {text}"
    yield '    got = "done"'
    yield "except Exception as error:"
    if expected:
        parts = [part for part, kind in KINDS.items() if kind == expected] or [expected]
        yield f"    texts = {parts}"
        yield "    got = expected if any(text in str(error) for text in texts) else str(error)"
    else:
        yield '    got = f"refused: {error}"'
    yield from REPORT


def literal(answer: Any) -> str:
    """Write an answer as Python has it after `tolist`."""
    if type(answer) is Value:
        text = str(answer.array().tolist())
        return re.sub(r"\b(nan|inf)\b", r'float("\1")', text)
    if isinstance(answer, tuple | list):
        return f"({', '.join(map(literal, answer))}{',' if len(answer) == 1 else ''})"
    return repr(answer)


def shown(answer: Any) -> str:
    """Write an answer for people."""
    if type(answer) is Value:
        return str(answer.array().tolist())
    if isinstance(answer, tuple | list):
        return f"({', '.join(map(shown, answer))})"
    return str(answer)


def tried(text: str, folder: Path) -> int | None:
    """Run a script in a fresh interpreter; return its exit status.

    None if it does not end, or breaks: then it tells nothing.
    """
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8", newline="\n")
    try:
        done = subprocess.run(  # noqa: S603 - the script is our own
            [sys.executable, str(path)], capture_output=True, timeout=2 * PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return None if b"Traceback" in done.stderr else done.returncode


def title_of(program: Program, found: Difference, library: str) -> str:
    """Say in one line what is wrong."""
    if found.what in {"crash", "hang"}:
        end = "ends the process" if found.what == "crash" else "never ends"
        return f"{library}: this program {end}."
    kind = program[found.at].kind if found.at < len(program) else "the end"
    return f"{library}: at {kind}, {sort_of(found)}."


def rule_of(found: Difference) -> str:
    """Say what a difference goes against."""
    sort = sort_of(found)
    return next((rule for words, rule in laws().items() if words in sort), "")
