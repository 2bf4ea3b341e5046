"""The smallest program that still shows what a program showed.

Statements go first, many at a time; then what is left becomes of simpler kinds, operands become
earlier ones, shapes smaller, entries ones, options none. Whether a simpler program still shows it
is for the caller to say; what makes no sense is refused by everybody alike, so nothing has to fit.
Then the end of the program is spelt out: what is read there becomes a statement.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from .kinds import every_kind
from .language import Program, Statement
from .machine import GRADIENTS, PASSES
from .own import ARITY, RESULTS
from .reading import size

Shows = Callable[[Program], bool]

SHAPES = ((), (1,), (2,), (1, 2), (2, 1), (2, 2))
"""Shapes that are tried for leaves and constants, the simplest first."""

TRIES = 1500
"""How many programs are tried for one."""


def shrink(program: Program, shows: Shows, tries: int = TRIES) -> Program:
    """Return a program in which nothing can be left out or made simpler, as far as was tried."""
    left = [tries]

    def better(candidate: Program) -> bool:
        left[0] -= 1
        return left[0] >= 0 and shows(candidate)

    program = _fewer(program, better)
    while left[0] > 0:
        simpler = next((each for each in _simpler(program) if better(each)), None)
        if simpler is None:
            break
        program = _fewer(simpler, better) if len(simpler) < len(program) else simpler
    return program


def _fewer(program: Program, better: Shows) -> Program:
    """Leave statements out, half of them at a time, then a quarter, at last one by one."""
    step = max(1, len(program) // 2)
    while True:
        at = len(program) - step
        while at > -step:
            candidate = without(program, range(max(at, 0), at + step))
            if len(candidate) < len(program) and better(candidate):
                program = candidate
            at -= step
        if step == 1:
            return program
        step //= 2


def without(program: Program, places: range) -> Program:
    """Leave statements out, and what is computed from what they make."""
    numbers: list[int | None] = []  # of each variable, afterwards
    made: list[Statement] = []
    count = 0
    for position, statement in enumerate(program):
        operands = [numbers[n] for n in statement.operands]
        known = [n for n in operands if n is not None]
        if position in places or len(known) < len(operands):
            numbers += [None] * statement.results
            continue
        made.append(statement._replace(operands=tuple(known)))
        numbers += range(count, count + statement.results)
        count += statement.results
    return tuple(made)


def _simpler(program: Program) -> Iterator[Program]:
    for at in reversed(range(len(program))):
        yield without(program, range(at, at + 1))
    yield from _bypassed(program)
    for at, statement in enumerate(program):
        for other in simpler(statement):
            yield (*program[:at], other, *program[at + 1 :])


def _bypassed(program: Program) -> Iterator[Program]:
    """Leave a statement out, and use its first operand where its result was used."""
    count = 0
    for at, statement in enumerate(program):
        if statement.results == 1 and statement.operands:
            passed = statement.operands[0]
            rest = [
                each._replace(operands=tuple(_renumbered(n, count, passed) for n in each.operands))
                for each in program[at + 1 :]
            ]
            yield (*program[:at], *rest)
        count += statement.results


def _renumbered(number: int, gone: int, passed: int) -> int:
    if number == gone:
        return passed
    return number - (number > gone)


PLAIN: dict[tuple[int, int], tuple[Statement, ...]] = {
    (1, 1): (Statement("times", (), (2,)), Statement("getitem", (), (("...",),))),
    (2, 1): (Statement("mul"),),
    (1, 0): (Statement("mul_number", (), (2,)), Statement("zero_")),
    (2, 0): (Statement("add_"), Statement("mul_")),
}
"""The simplest statements by how many operands and results they have."""

RANKS = """
leaf constant times getitem mul mul_number add_ mul_ zero_ detach no_grad leave backward gradients
hook own retain_grad
"""
"""Kinds that are simpler than others, the simplest first."""


@cache
def _rank(kind: str) -> int:
    ranks = RANKS.split()
    return ranks.index(kind) if kind in ranks else len(ranks)


TOLD: Mapping[str, tuple[Any, ...]] = {
    "own": ("Double", "Square", "Itself"),
    "hook": ("watch", "double"),
    "after": ("watch", "double"),
    "node_hook": ("watch", "double"),
    "times": (2,),
    "mul_number": (2,),
    "add_number": (2,),
    "getitem": (("...",),),
}
"""The simplest things that statements of a kind may be told, the simplest first."""


def simpler(statement: Statement) -> Iterator[Statement]:
    """Return statements that say less, simpler ones first."""
    kind, operands, options, results = statement
    if kind in {"leaf", "constant"}:
        yield from _simpler_source(statement)
        return
    if every_kind()[kind].extent == 0:
        for plain in PLAIN.get((len(operands), results), ()):
            if _rank(plain.kind) < _rank(kind):
                yield plain._replace(operands=operands, results=results)
    choices = TOLD.get(kind, ())
    for each in choices[: choices.index(options[0]) if choices and options[0] in choices else None]:
        # Another function of one's own has to take and to return as many tensors.
        if kind != "own" or (ARITY[each], RESULTS.get(each, 1)) == (len(operands), results):
            yield statement._replace(options=(each, *options[1:]))
    if kind in PASSES and kind != "twice":
        yield from _plainer_pass(statement)
    for place, number in enumerate(operands):
        for earlier in range(min(number, 4)):
            swapped = (*operands[:place], earlier, *operands[place + 1 :])
            yield statement._replace(operands=swapped)


def _simpler_source(statement: Statement) -> Iterator[Statement]:
    entries, shape, other = statement.options
    if statement.kind == "leaf":
        yield statement._replace(kind="constant")
    for smaller in SHAPES:
        if (size(smaller), len(smaller)) < (size(shape), len(shape)):
            yield statement._replace(options=((1,) * size(smaller), smaller, other))
    if other:
        yield statement._replace(options=(entries, shape, False))
    if set(entries) - {1}:
        yield statement._replace(options=((1,) * len(entries), shape, other))


def _plainer_pass(statement: Statement) -> Iterator[Statement]:
    kind, operands, options, results = statement
    if kind == "thread":
        yield statement._replace(kind="backward")
    *rest, words = options
    for word in words:
        yield statement._replace(options=(*rest, tuple(w for w in words if w != word)))
    if kind in GRADIENTS:
        if options[0]:
            yield statement._replace(options=(0, words))
        return
    count, seed, _ = options
    if len(operands) > count:
        yield Statement(kind, operands[:count], options, results)
    if count > 1:
        for root in range(count):
            yield Statement(kind, (operands[root], *operands[count:]), (1, seed, words), results)
    if seed:
        yield statement._replace(options=(count, 0, words))


# ---- the end, spelt out --------------------------------------------------------------------------


def spelt_out(program: Program, shows: Shows) -> Program:
    """Return the program with what shows at its end as statements; itself if that is not found."""
    count = sum(statement.results for statement in program)
    for more in _endings(count):
        candidate = (*program, *more)
        if shows(candidate):
            return candidate
    return program


def _endings(count: int) -> Iterator[tuple[Statement, ...]]:
    retained = ((("retain_graph", True),),)
    for number in reversed(range(count)):
        for look in ("look_value", "look_flags", "look_version", "look_grad"):
            yield (Statement(look, (number,)),)
    for root in reversed(range(count)):
        backward = Statement("backward", (root,), (1, 0, ()))
        yield (backward,)
        yield (backward._replace(options=(1, 0, *retained)),)
        for number in range(count):
            yield (backward, Statement("look_grad", (number,)))
    every = (*range(count),)
    yield (Statement("backward", every, (count, 0, ())),)
    for root in reversed(range(count)):
        for number in range(count):
            yield (Statement("gradients", (root, number), (0, (("allow_unused", True),)), 1),)
