"""The process that runs candidates: a program comes in on a line, what it shows goes out on one."""

import gc
import json
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..run.loading import load_from_here
from ..untrusted.texts import first_line
from .comparing import Comparison
from .functional import Functions, comparison_of
from .judging import Difference
from .language import Program, program_of
from .naming import sort_of
from .scripts import Script, rule_of, shown, title_of


def main() -> None:
    """Answer until the questions end."""
    subject = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    backend = load_from_here(subject["backend"])
    comparison = comparison_of(backend, subject["dtype"], subject["device"])
    gc.collect()
    gc.freeze()
    # What a library prints is not an answer.
    answers, sys.stdout = sys.stdout, sys.stderr
    with np.errstate(all="ignore"), backend.on_threads(1):
        print(json.dumps({"ready": f"{backend.name} {backend.version}"}), file=answers, flush=True)
        for line in sys.stdin:
            question = json.loads(line)
            program = program_of(question["program"])
            try:
                found = comparison.difference(program)
                answer = described(comparison, program, found, script=question["script"])
            except Exception as error:  # not of the library: what that raises is a refusal
                answer = {"broken": f"{type(error).__name__}: {first_line(error)}"}
            print(json.dumps(answer), file=answers, flush=True)


def described(
    comparison: Comparison, program: Program, found: Difference | None, *, script: bool
) -> Mapping[str, Any]:
    """Tell of a difference in plain data."""
    if found is None:
        return {"sort": "", "at": 0}
    told: dict[str, Any] = {"sort": sort_of(found), "at": found.at}
    if not script:
        return told
    told |= {"got": shown(found.got), "expected": shown(found.expected)}
    if isinstance(comparison, Functions):  # scripts are written in PyTorch's API
        return told
    library = f"{comparison.backend.name} {comparison.backend.version}"
    title = title_of(program, found, library)
    text = Script(
        program, found, comparison.again(program), title, comparison.known.dtype, rule_of(found)
    ).text()
    return {**told, "script": text}


if __name__ == "__main__":
    main()
