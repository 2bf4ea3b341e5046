"""What a failure shows: the program, the values, and one command that runs it again."""

import shlex
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ..claims.catalogue import rows_of_specification
from ..claims.claim import Claim
from ..claims.witness import encode, in_toml
from ..protocol.subject import Subject
from ..table.call import Call
from ..table.operation import Operation
from ..untrusted.texts import safe
from .commandline import LONG
from .loading import address


def reproduction(
    claim: Claim,
    subject: Subject,
    operation: Operation | None,
    values: Mapping[str, Any],
    seed: int,
    profile: str,
) -> str:
    """Write a refuted claim down for a reader who has nothing else."""
    where = f"{subject.id} for {operation.name}" if operation else subject.id
    lines = [f"{claim.id} on {where}: {claim.law}", "", "program:"]
    lines += [f"    {line}" for line in claim.program.splitlines()]
    lines += ["", f"rerun: {rerun(claim, subject, operation, seed, profile)}"]
    return safe(with_values("\n".join(lines), values_text(values)))


def values_text(values: Mapping[str, Any]) -> str:
    """Write the values of an example, each in lines of its own, and calls as a witness as well."""
    lines, witnesses = [], ""
    for name, value in values.items():
        if type(value) is Call:
            text, witness = _known(value, name)
        else:
            text, witness = literal(value), _witness(value, name)
        lines.append(f"    {name} = {text}")
        witnesses += witness
    if witnesses:
        lines += ["", "witness:", *(f"    {line}" for line in witnesses.strip().splitlines())]
    return "\n".join(lines)


@lru_cache(2_000)
def _known(call: Call, name: str) -> tuple[str, str]:
    # Several claims, backends and dtypes meet one call in turn, and writing it takes milliseconds.
    return literal(call), _witness(call, name)


def _witness(value: Any, name: str) -> str:
    if not isinstance(value, Call):
        return ""
    return in_toml(encode({name: value}) or {}, "expected.witness")


def with_values(text: str, values: str) -> str:
    """Put the values of an example, if there are any, into a reproduction that has none yet."""
    program, found, line = text.rpartition("\nrerun: ")
    return f"{program}\nvalues:\n{values}\n{found}{line}" if values and found else text


def rerun(
    claim: Claim, subject: Subject, operation: Operation | None, seed: int, profile: str
) -> str:
    """Spell the command that runs `claim` on `subject` alone, with the same draws."""
    words = [
        f"pytest {file_word(claim)}",
        f"{LONG}claim {claim.id} {LONG}backend {address(subject.backend)}",
        # The short names may be another plugin's where it is run again.
        f"{LONG}device {subject.device} {LONG}dtype {subject.dtype} --hypothesis-seed {seed}",
    ]
    if operation is not None:
        # A test is called after its subject and its operation; the bracket keeps longer names out.
        last = subject.running_mode.name if subject.running_mode else subject.dtype
        end = f"{last}-{operation.name}]"
        words.append(f"-k {shlex.quote(end)}")
    if subject.running_mode is not None:
        words.append(f"{LONG}mode {subject.running_mode.name}")
    if profile != "default":
        words.append(f"--hypothesis-profile {profile}")
    return " ".join(words)


def file_word(claim: Claim) -> str:
    """Spell where `claim` stands, for a command line."""
    ours = claim.id in rows_of_specification()
    return "--pyargs gradspec.spec" if ours else shlex.quote(str(claim.path))


def literal(value: Any) -> str:
    """Write a drawn value as Python; an array with strides of its own says so.

    What cannot be written says so, too: a failure is told whatever its values are.
    """
    if not isinstance(value, np.ndarray):
        try:
            return repr(value)
        except Exception as fault:
            return f"a {type(value).__name__}, whose __repr__ raised {type(fault).__name__}"
    text = f"np.array({value.tolist()!r}, dtype={value.dtype.name!r})"
    if value.flags.c_contiguous:
        return text
    return f"{text}  # strides {tuple(s // value.itemsize for s in value.strides)}"
