"""What a failure shows: the program, the values, and one command that runs it again."""

import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np

from .catalogue import rows_of_specification
from .claims import Claim
from .loading import address
from .subject import Subject
from .table.operation import Operation


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
    if values:
        lines += ["", "values:"]
        lines += [f"    {name} = {literal(value)}" for name, value in values.items()]
    lines += ["", f"rerun: {rerun(claim, subject, operation, seed, profile)}"]
    return "\n".join(lines)


def rerun(
    claim: Claim, subject: Subject, operation: Operation | None, seed: int, profile: str
) -> str:
    """Spell the command that runs `claim` on `subject` alone, with the same draws."""
    ours = claim.id in rows_of_specification()
    words = [
        f"pytest {'--pyargs gradspec.spec' if ours else shlex.quote(str(claim.path))}",
        f"--claim {claim.id} --backend {address(subject.backend)}",
        f"--device {subject.device} --dtype {subject.dtype} --hypothesis-seed {seed}",
    ]
    if operation is not None:
        # A test is called after its subject and its operation; the bracket keeps longer names out.
        words.append(f"-k {shlex.quote(f'{subject.dtype}-{operation.name}]')}")
    if profile != "default":
        words.append(f"--hypothesis-profile {profile}")
    return " ".join(words)


def literal(value: Any) -> str:
    """Write a drawn value as Python; an array with strides of its own says so."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    text = f"np.array({value.tolist()!r}, dtype={value.dtype.name!r})"
    if value.flags.c_contiguous:
        return text
    return f"{text}  # strides {tuple(s // value.itemsize for s in value.strides)}"
