"""Who finds what: `gradspec.check` beside the libraries' own checks, on the same wrong functions.

`python tests/who_finds_what.py [torch] [jax]` writes `results/checks/own-functions.json`, which
`results/README.md` describes; what it says of libraries that are not named stays. Each check is
given the same inputs, in float64, and nothing but its defaults.
"""

import json
import platform
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np

import gradspec
from gradspec.conformance.run.loading import load

PLACE = Path(__file__).parent.parent / "results" / "checks" / "own-functions.json"


def by_gradcheck(function, inputs):
    """Run both checks of PyTorch; say whether one of them complains."""
    import torch  # noqa: PLC0415

    call = function.apply if isinstance(function, type) else function
    leaves = [torch.tensor(x, requires_grad=True) for x in inputs]
    try:
        torch.autograd.gradcheck(call, leaves)
        torch.autograd.gradgradcheck(call, leaves)
    except Exception:  # theirs, or what they made the function raise
        return True
    return False


def by_check_grads(function, inputs):
    """Run the check of JAX, in reverse mode to the second order; say whether it complains."""
    from jax.test_util import check_grads  # noqa: PLC0415

    try:
        check_grads(function, tuple(inputs), order=2, modes=["rev"])
    except Exception:  # as above
        return True
    return False


THEIRS = {
    "torch": ("gradcheck and gradgradcheck", by_gradcheck),
    "jax": ("check_grads, order 2, rev", by_check_grads),
}


def rows(libraries):
    """Yield a row for every wrong function."""
    for library in libraries:
        check, theirs = THEIRS[library]
        module, backend = import_module(f"wrong_{library}"), load(library)
        for name, (wrong, right, *inputs) in module.PAIRS.items():
            row = {"library": library, "mistake": name, "theirs": check}
            for kind, function in (("wrong", wrong), ("right", right)):
                start = time.perf_counter()
                report = gradspec.check(function, *inputs, backend=backend, scripts=False)
                ours = time.perf_counter() - start
                with warnings.catch_warnings(action="ignore"):
                    complains = theirs(function, [np.array(x) for x in inputs])
                took = time.perf_counter() - start - ours
                row[kind] = {
                    "gradspec": [answer.question for answer in report.failures],
                    "library": complains,
                    "seconds": {"gradspec": round(ours, 2), "library": round(took, 3)},
                }
            yield row


def main():
    """Write what was found, on the libraries that are named: on PyTorch by default."""
    libraries = sys.argv[1:] or ["torch"]
    before = json.loads(PLACE.read_text(encoding="utf-8"))
    others = [row for row in before["functions"] if row["library"] not in libraries]
    found = sorted([*others, *rows(libraries)], key=lambda row: [*THEIRS].index(row["library"]))
    versions = before["versions"] | {library: load(library).version for library in libraries}
    told = {"versions": versions, "platform": platform.machine(), "functions": found}
    PLACE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
