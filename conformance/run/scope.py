"""What an entry of expected failures covers, where that is not its whole claim.

    only = { says = "one memory location" }     # failures that say so
    only = { calls = "laid out by" }            # examples that read so, as a failure prints them
    only = { times = 1e7 }                      # results off by up to so many times what is allowed

`says` and `calls` are regular expressions, looked for anywhere: in the type of an exception and the
first line of what it says, and in the values of an example. What is given together has to hold
together. Where a result is off in several entries, `says` has to cover what is said of each. After
a comparison that is known the program goes on: what it checks next is judged like anything else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..untrusted.texts import in_a_line


@dataclass(frozen=True)
class Scope:
    """Which failures of a claim are known: those that say, and that have come of, such things.

    Raises ValueError if it covers nothing in particular, or is no regular expression.
    """

    says: str | None = None
    calls: str | None = None
    times: float | None = None

    def __post_init__(self) -> None:
        if self.says is not None and self.times is not None:
            raise ValueError("only: a failure is known by what it says or by its size, not by both")
        for name, pattern in (("says", self.says), ("calls", self.calls)):
            try:
                re.compile(pattern or "")
            except re.error as error:
                raise ValueError(f"only.{name} is no regular expression: {error}") from None

    def meets(self, values: Mapping[str, Any]) -> bool:
        """Whether it speaks of an example with these values."""
        if self.calls is None:
            return True
        text = ", ".join(f"{name} = {value!r}" for name, value in values.items())
        return re.search(self.calls, text) is not None

    def covers(self, error: BaseException) -> bool:
        """Whether it speaks of this failure of an example that it meets."""
        if self.times is not None:
            return False  # What it allows has been allowed.
        return self.says is None or re.search(self.says, in_a_line(error)) is not None
