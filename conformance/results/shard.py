"""Part of a run: `--shard I/N`."""

import re
from dataclasses import dataclass

from ..protocol.errors import OptionError


@dataclass(frozen=True)
class Shard:
    """Part `number` of `count`."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def shard_of(word: str | None, option: str = "--shard") -> Shard | None:
    """Read `i/n`; raises OptionError if it is no part of a whole."""
    if word is None:
        return None
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", word)
    shard = Shard(int(found[1]), int(found[2])) if found else None
    if shard is None or not 1 <= shard.number <= shard.count:
        raise OptionError(f"{option} {word}: no part of a run; give i/n, such as 1/3, 2/3 and 3/3")
    return shard
