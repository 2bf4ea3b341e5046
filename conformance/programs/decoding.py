"""Any bytes are a program: what does not fit becomes another statement that does."""

from collections.abc import Mapping
from hashlib import shake_128

from .language import Kind, Program, Statement
from .reading import Reader

LENGTH = 8
"""Bytes of a statement: two for its kind, the rest for what it chooses."""

SHORTEST, LONGEST = 4, 20
"""Statements of a program that is drawn."""


def drawn_bytes(seed: int, number: int) -> bytes:
    """Return the bytes of a program by its number: they depend on nothing else."""
    source = shake_128(f"{seed}/{number}".encode())
    count = SHORTEST + source.digest(1)[0] % (LONGEST + 1 - SHORTEST)
    return source.digest(1 + LENGTH * count)[1:]


class Decoder:
    """Reads programs of the kinds that are given, the more often the heavier they are."""

    def __init__(self, kinds: Mapping[str, Kind], *, daring: bool = True) -> None:
        self.daring = daring
        self.first = kinds["leaf"].read
        self.reads = [kind.read for kind in kinds.values() for _ in range(kind.weight)]

    def read(self, data: bytes) -> Program:
        """Read a program: it begins with a leaf."""
        reader = Reader(data, daring=self.daring)
        first, reads = self.first, self.reads
        count = len(reads)
        reader.at, reader.end = 2, min(LENGTH, len(data))
        program: list[Statement] = [made] if (made := first(reader)) else []
        for start in range(LENGTH, len(data) - 1, LENGTH):
            reader.at, reader.end = start + 2, min(start + LENGTH, len(data))
            made = reads[((data[start] << 8) + data[start + 1]) % count](reader)
            if made is None:
                made = first(reader)
            if made is not None:
                program.append(made)
        return tuple(program)
