"""Files made wrong by chance, and the same ones for the same seed: bytes, lines and structure."""

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import tomli_w

DEEP = "@deep@"
"""Stands for what is nested more deeply than anything can be written down by a serializer."""

VALUES: list[Callable[[random.Random], Any]] = [
    lambda _: None,
    lambda _: True,
    lambda _: -1,
    lambda _: 0,
    lambda _: 10**18 + 1,
    lambda _: 10**30,
    lambda _: 9 * 10**4000,
    lambda _: -(10**30),
    lambda _: 0.5,
    lambda _: 1e308,
    lambda _: -1e-320,
    lambda _: float("nan"),
    lambda _: float("inf"),
    lambda _: "",
    lambda _: "inf",
    lambda _: "x" * 600,
    lambda _: "\ud800",
    lambda _: "\x1b[2J\r\n\0\u202e\u2028",
    lambda _: "</script><script>alert(1)</script>",
    lambda _: "$\\bogus$ {} %s {{ 7 }}",
    lambda _: "../../etc/passwd",
    lambda _: "é∑😀",
    lambda _: [],
    lambda _: {},
    lambda _: [[]],
    lambda _: {"": ""},
    lambda _: [None] * 50,
    lambda _: DEEP,
    lambda chance: chance.randrange(-(2**70), 2**70),
    lambda chance: chance.random() * 10 ** chance.randrange(-30, 30),
    lambda chance: "".join(chr(chance.randrange(1, 0x3000)) for _ in range(8)),
]
"""What is put in the place of a value."""

TOKENS = [
    *(bytes([byte]) for byte in b"\0\n\r\"\\'{}[],:=#-.\xff"),
    *(b"\r\n", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"null", b"NaN", b"1e999", b"-0", b"\\u0000"),
    *(b"[" * 20_000, b"9" * 5000, b"{" * 300, b'"\\ud800"', b'"""', b"[[", b"inf", b"{}\n", b"e9"),
]
"""What is put between bytes."""


# ---- bytes ---------------------------------------------------------------------------------------


def _flip(chance: random.Random, data: bytes, start: int, end: int) -> bytes:
    at = min(start, len(data) - 1)
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def _insert(chance: random.Random, data: bytes, start: int, end: int) -> bytes:
    return data[:start] + chance.choice(TOKENS) + data[start:]


def _overwrite(chance: random.Random, data: bytes, start: int, end: int) -> bytes:
    return data[:start] + chance.randbytes(end - start) + data[end:]


def _move(chance: random.Random, data: bytes, start: int, end: int) -> bytes:
    rest = data[:start] + data[end:]
    other = chance.randrange(len(rest) + 1)
    return rest[:other] + data[start:end] + rest[other:]


BYTES = [
    _flip,
    _insert,
    _overwrite,
    _move,
    lambda _, data, start, end: data[:start] + data[end:],
    lambda _, data, start, end: data[:end] + data[start:],
    lambda _, data, start, end: data[:start],
    lambda _, data, start, end: data[:start] + bytes(end - start) + data[end:],
]
"""What may be done to a piece of a file: the last four drop, repeat, cut, and blank it."""


def mutate_bytes(chance: random.Random, data: bytes) -> bytes:
    """Change bytes in one to four places."""
    for _ in range(chance.randint(1, 4)):
        if data:
            start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
            end = min(end, start + chance.choice((1, 4, 40, 4000)))
            data = chance.choice(BYTES)(chance, data, start, end)
    return data


def mutate_lines(chance: random.Random, data: bytes) -> bytes:
    """Drop, repeat, swap or move lines."""
    lines = data.splitlines(keepends=True)
    for _ in range(chance.randint(1, 3)):
        if not lines:
            break
        one, other = (chance.randrange(len(lines)) for _ in range(2))
        match chance.randrange(4):
            case 0:
                del lines[one]
            case 1:
                lines.insert(other, lines[one])
            case 2:
                lines[one], lines[other] = lines[other], lines[one]
            case 3:
                lines.insert(other, lines.pop(one))
    return b"".join(lines)


# ---- structure -----------------------------------------------------------------------------------


def _replace(chance: random.Random, holder: Any, key: Any, holders: Any) -> None:
    holder[key] = chance.choice(VALUES)(chance)


def _drop(chance: random.Random, holder: Any, key: Any, holders: Any) -> None:
    del holder[key]


def _transplant(chance: random.Random, holder: Any, key: Any, holders: Any) -> None:
    donor = chance.choice(holders)
    values = [*donor.values()] if isinstance(donor, dict) else donor
    if values:
        holder[key] = deepcopy(chance.choice(values))


def _rename(chance: random.Random, holder: Any, key: Any, holders: Any) -> None:
    if isinstance(holder, dict):
        holder[chance.choice(("", "x", "x" * 600, f"{key} ", "\ud800"))] = holder.pop(key)
    else:
        holder[key:key] = holder[: chance.randint(1, 20)]


def _add(chance: random.Random, holder: Any, key: Any, holders: Any) -> None:
    if isinstance(holder, dict):
        holder["mood"] = chance.choice(VALUES)(chance)
    else:
        chance.shuffle(holder)


def mutate_tree(chance: random.Random, tree: Any) -> Any:
    """Change a value, a key or a sequence in one to three places of nested data."""
    for _ in range(chance.randint(1, 3)):
        holders = [*_holders(tree)]
        if not holders:
            return chance.choice(VALUES)(chance)
        holder = chance.choice(holders)
        keys = [*holder] if isinstance(holder, dict) else range(len(holder))
        change = chance.choice((_replace, _replace, _drop, _transplant, _rename, _add))
        change(chance, holder, chance.choice(keys), holders)
    return tree


def _holders(tree: Any) -> Iterator[Any]:
    """Every dictionary and list of nested data that holds anything."""
    if isinstance(tree, dict | list) and tree:
        yield tree
        for value in tree.values() if isinstance(tree, dict) else tree:
            yield from _holders(value)


def places_of(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of nested data: what holds it, and the key."""
    for holder in _holders(tree):
        yield from (
            (holder, key) for key in (holder if isinstance(holder, dict) else range(len(holder)))
        )


def to_json(tree: Any) -> bytes:
    """Write JSON; nan, infinities and halves of surrogate pairs are written as Python does."""
    return json.dumps(tree).replace(f'"{DEEP}"', "[" * 20_000).encode("utf-8", "surrogatepass")


def to_toml(tree: Any) -> bytes:
    """Write TOML, of what it has words for."""
    text = tomli_w.dumps(_with_words(tree if isinstance(tree, dict) else {"x": tree}))
    return text.replace(f'"{DEEP}"', "[" * 20_000).encode("utf-8", "surrogatepass")


def _with_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _with_words(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_with_words(entry) for entry in value]
    return "none" if value is None else value


def mutate_json_lines(chance: random.Random, data: bytes) -> bytes:
    """Change the structure of one of several lines of JSON."""
    lines = data.splitlines()
    at = chance.randrange(len(lines))
    lines[at] = to_json(mutate_tree(chance, json.loads(lines[at])))
    return b"\n".join(lines) + b"\n"
