"""The table against PyTorch's own database of operations and samples.

`torch.testing._internal` is no public interface: `opinfo.toml` names the release that it was read
in, and what it has that the table has not, each with a reason. Every sample of float64 that can be
given to one of our forward functions is: values, and the gradients of one backward pass by complex
step, agree, or the operation is named with a reason.
"""

import inspect
import tomllib
from collections import Counter, defaultdict
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from gradspec.conformance.table import TABLE
from gradspec.conformance.truth.oracles.steps import gradients

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

KNOWN = tomllib.loads(Path(__file__).with_name("opinfo.toml").read_text(encoding="utf-8"))
OURS = {operation.name: operation for operation in TABLE}
KINDS = ["_log_prob", "_entropy", "_divergence", "_cdf", "_icdf"]
DENSITIES = {name for name in OURS if any(kind in name for kind in KINDS)}
PREFIXES = ("nn.functional.", "linalg.", "special.", "fft.", "_")
FEW, SMALL = 12, 450
"""Samples of an operation, and entries of one, that are looked at: one step for each entry."""

if not torch.__version__.startswith(KNOWN["version"]):
    pytest.skip(f"not run: this was read in {KNOWN['version']}", allow_module_level=True)


@cache
def database():
    from torch.testing._internal.common_methods_invocations import op_db  # noqa: PLC0415

    named = defaultdict(list)
    for entry in op_db:
        if entry.supports_autograd:
            named[entry.name].append(entry)
    return named


def records(name):
    """Our operations of this name: the plain one, and its forms."""
    if name in KNOWN["names"]:
        return [OURS[each] for each in KNOWN["names"][name].split()]
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    # A density is no form of the function that draws from it.
    forms = [each for each in OURS if each.startswith(f"{name}_") and each not in DENSITIES]
    return [OURS[each] for each in ([name] if name in OURS else []) + forms]


def plain(value):
    """What numpy knows of an argument."""
    return value.detach().numpy().copy() if isinstance(value, torch.Tensor) else value


def flattened(sample):
    """The arguments of a sample one by one, those of lists of tensors too."""
    for value in (sample.input, *sample.args):
        tensors = isinstance(value, list | tuple) and any(
            isinstance(each, torch.Tensor) for each in value
        )
        yield from value if tensors else [value]


def differentiable(value):
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def called(operation, sample):
    """A sample as a call of our forward function: tensors, and what makes a result of them.

    Raises TypeError if it cannot be one.
    """
    values = [*flattened(sample)]
    count = next((n for n, v in enumerate(values) if not differentiable(v)), len(values))
    tensors, rest = values[:count], values[count:]
    named = {KNOWN["renamed"].get(k, k): v for k, v in sample.kwargs.items()}
    if not tensors or any(map(differentiable, [*rest, *named.values()])):
        raise TypeError("a tensor comes after options")
    known = inspect.signature(operation.forward).parameters
    taken = [*known][: len(values)]
    for word, default in KNOWN["defaults"].items():
        if word in known and word not in taken and known[word].default is inspect.Parameter.empty:
            named.setdefault(word, default)
    options = [*map(plain, rest)]
    words = {word: plain(value) for word, value in named.items()}
    inspect.signature(operation.forward).bind(*tensors, *options, **words)

    def forward(*arrays):
        result = operation.forward(*arrays, *options, **words)
        return np.asarray(result[0] if isinstance(result, list | tuple) else result)

    return tensors, forward


def agrees(operation, sample, result):
    """Whether our forward function computes what PyTorch did, and has its gradients.

    Raises what our function raises if the sample is none of its calls.
    """
    tensors, forward = called(operation, sample)
    arrays = [plain(t) for t in tensors]
    with np.errstate(all="ignore"):
        ours = forward(*arrays)
        if ours.shape != result.shape or not close(plain(result), np.real(ours)):
            return False
        if not (operation.differentiable and result.requires_grad):
            return True
        weights = np.resize([1.0, -2.0, 0.5, 3.0, 0.25], result.shape)
        steps = gradients(lambda *x: np.asarray((forward(*x) * weights).sum()), *arrays)
    wanted = [t for t in tensors if t.requires_grad]
    found = torch.autograd.grad(result, wanted, torch.from_numpy(weights), allow_unused=True)
    mine = [s.reshape(t.shape) for s, t in zip(steps, tensors, strict=True) if t.requires_grad]
    return all(
        close(np.zeros(step.shape) if each is None else plain(each), step)
        for each, step in zip(found, mine, strict=True)
    )


def close(found, true):
    return np.allclose(found, true, rtol=1e-7, atol=1e-8, equal_nan=True)


@cache
def judged(name):
    """How many samples agree, do not, or are no call of ours; which options were given."""
    counts, seen, given = Counter(), set(), set()
    for entry in database()[name]:
        torch.manual_seed(0)
        samples = entry.sample_inputs("cpu", torch.float64, requires_grad=True)
        for sample in islice(samples, FEW):
            seen |= sample.kwargs.keys()
            if sum(v.numel() for v in flattened(sample) if differentiable(v)) > SMALL:
                continue
            result = entry(sample.input, *sample.args, **sample.kwargs)
            result = result[0] if isinstance(result, tuple | list) else result
            answers = set()
            for operation in records(name):
                try:
                    answers.add(agrees(operation, sample, result))
                except Exception:  # no call of this function
                    answers.add(None)
            answer = True if True in answers else False if False in answers else None
            counts[answer] += 1
            given |= sample.kwargs.keys() if answer else set()
    return counts, seen - given


def test_what_the_table_has_not_is_named():
    missing = {name for name in database() if not records(name)}
    assert missing == KNOWN["missing"].keys()


@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(n for n in database() if records(n)))
def test_samples_agree(name):
    counts, options = judged(name)
    assert bool(counts[False]) == (name in KNOWN["otherwise"]), f"{counts[False]} samples disagree"
    assert (not counts[True]) == (name in KNOWN["unfed"]), f"{counts[True]} samples agree"
    assert " ".join(sorted(options)) == KNOWN["options"].get(name, ""), "options never given"


def test_every_reason_is_needed():
    for table in ("otherwise", "unfed", "options", "names"):
        assert KNOWN[table].keys() <= database().keys()
