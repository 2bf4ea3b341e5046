"""Programs that change dicts and lists of parameters, and what is in them afterwards."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject

KEYS = ("b", "a", "d", "c")
OF_A_DICT = (
    "set", "set a parameter", "delete", "pop", "popitem", "setdefault", "update", "merge", "copy",
)  # fmt: skip
OF_A_LIST = ("append", "append a parameter", "extend", "add", "set", "set from the end", "slice")

Change = tuple[str, int]


def steps(words: Sequence[str]) -> st.SearchStrategy[list[Change]]:
    """Draw a program: what to do, and where."""
    step = st.tuples(st.sampled_from(words), st.sampled_from(range(4)))
    return st.lists(step, min_size=1, max_size=8)


class Container:
    """A container of parameters, and what is to be in it."""

    def __init__(self, be: Subject, name: str) -> None:
        self.be, self.name, self.count = be, name, 0
        self.made = be.layer(name)

    def new(self, word: str = "") -> tuple[Any, Any]:
        """Return another tensor, or a parameter that does not learn, and what it is to become."""
        self.count += 1
        x = self.be.tensor(np.full(2, float(self.count)))
        if "parameter" in word:
            return (one := self.be.parameter(x, requires_grad=False)), one
        return x, self.count

    def check(self, expected: Sequence[tuple[str, Any]]) -> None:
        """Compare names, parameters and their order. Raises AssertionError."""
        names = [name for name, _ in expected]
        for found in (self.made.named_parameters(), self.made.state_dict().items()):
            assert [name for name, _ in found] == names
        assert len(self.made) == len(expected)
        for found, (name, want) in zip(self.made.parameters(), expected, strict=True):
            if isinstance(want, int):
                assert self.be.is_leaf(found)
                assert self.be.requires_grad(found)
                self.be.same(found, np.full(2, want, self.be.dtype), f"parameter {name}")
            else:
                assert found is want, f"parameter {name} is another one"


def check_dict(be: Subject, program: Sequence[Change]) -> None:
    """Change a dict of parameters, and compare after each step. Raises AssertionError."""
    held, true = Container(be, "ParameterDict"), dict[str, Any]()
    for word, place in program:
        if word in {"update", "merge", "copy"}:
            _add_several(held, true, word, place)
        elif word in {"delete", "pop", "popitem"}:
            _take_out(held.made, true, word, KEYS[place])
        else:
            given, want = held.new(word)
            if word == "setdefault":
                found = held.made.setdefault(KEYS[place], given)
                assert found is held.made[KEYS[place]]
                true.setdefault(KEYS[place], want)
            else:
                held.made[KEYS[place]], true[KEYS[place]] = given, want
        made = held.made
        assert list(made) == list(made.keys()) == list(true)
        assert list(reversed(made)) == list(reversed(true))
        assert all(x is getattr(made, name) is made.get(name) for name, x in made.items())
        held.check(list(true.items()))


def _add_several(held: Container, true: dict[str, Any], word: str, place: int) -> None:
    made, both = held.made, {KEYS[n]: held.new() for n in (place, place - 1)}
    pairs = OrderedDict((name, x) for name, (x, _) in both.items())
    if word == "update":
        made.update(pairs if place % 2 else list(pairs.items()))
    else:
        copied = word == "copy"
        held.made = made.copy() if copied else made | held.be.layer("ParameterDict", pairs)
        assert type(held.made) is type(made)
        assert held.made is not made
        assert all(held.made[name] is made[name] for name in true if copied or name not in both)
    if word != "copy":
        true.update({name: want for name, (_, want) in both.items()})


def _take_out(made: Any, true: dict[str, Any], word: str, key: str) -> None:
    if word == "popitem" and true:
        key = list(true)[-1]
    if key not in true:
        assert key not in made
        assert made.get(key) is None
        return
    parameter = made[key]
    if word == "delete":
        del made[key]
    else:
        name, found = made.popitem() if word == "popitem" else (key, made.pop(key))
        assert name == key
        assert found is parameter
    del true[key]


def check_list(be: Subject, program: Sequence[Change]) -> None:
    """Change a list of parameters, and compare after each step. Raises AssertionError."""
    held, true = Container(be, "ParameterList"), list[Any]()
    for word, place in program:
        made = held.made
        given, want = held.new(word)
        if word.startswith("append"):
            assert made.append(given) is made
            true.append(want)
        elif word in {"extend", "add"}:
            other, also = held.new()
            if word == "add":
                made += [given, other]
            else:
                assert made.extend([given, other]) is made
            true += [want, also]
        elif word == "slice":
            held.made = made[place // 2 : place + 1]
            assert type(held.made) is type(made)
            kept = list(made)[place // 2 : place + 1]
            assert all(x is y for x, y in zip(held.made, kept, strict=True))
            true = true[place // 2 : place + 1]
        elif true:
            at = place % len(true) - len(true) * (word == "set from the end")
            made[at], true[at] = given, want
        made = held.made
        assert all(x is made[n] for n, x in enumerate(list(made)))
        assert not true or made[-1] is made[len(true) - 1]
        held.check([(str(n), x) for n, x in enumerate(true)])
