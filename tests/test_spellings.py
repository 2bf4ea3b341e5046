"""Ways to write a function of PyTorch: what is wrong in one of them alone is found there."""

import pytest
import torch

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.backends.torch import Torch
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.table import TABLE

NAMED = {operation.name: operation for operation in TABLE}


def ends(name, backend):
    """Say how the claim about spellings ends for a function, by the message that refutes it."""
    subject = Subject(backend, "cpu", "float64")
    claim = claims_of(spec)["GEN-03"]
    run = Run(claim, subject, PROFILES["quick"], seed=0, operation=NAMED[name])
    try:
        run.execute(run.test)
    except AssertionError as error:
        return str(error).splitlines()[0]
    return "holds"


def in_the_next_place(xs, _each=torch._foreach_neg):
    return _each(xs)[1:] + _each(xs)[:1]


def of_the_last_alone(xs, _each=torch._foreach_neg_):
    return _each(xs[-1:])


def without_a_slope(xs, ys, _each=torch._foreach_mul):
    return [x.detach() + y - y.detach() for x, y in zip(_each(xs, ys), ys, strict=True)]


@pytest.mark.parametrize(
    ("name", "wrong", "about"),
    [
        ("_foreach_neg", in_the_next_place, "neg"),
        ("_foreach_neg_", of_the_last_alone, "neg"),
        ("_foreach_mul", without_a_slope, "mul"),
    ],
)
def test_functions_of_lists_are_met(monkeypatch, name, wrong, about):
    assert ends(about, Torch()) == "holds"
    monkeypatch.setattr(torch, name, wrong)
    assert ends(about, Torch()) != "holds"


def row_by_row(x, y, out=None):
    """Multiply into the memory of a tensor, as if there were no strides."""
    if out is None:
        return torch.mul(x, y)
    result = torch.mul(x, y)
    memory = out.resize_(result.shape).as_strided((result.numel(),), (1,))
    memory.copy_(result.ravel())
    return out


def test_strides_of_what_is_written_into_are_met(monkeypatch):
    backend = Torch()
    monkeypatch.setitem(backend.functions, "mul", row_by_row)
    assert "off by" in ends("mul", backend)


def first_alone(x, *, dim=None, keepdim=False, out=None):
    """Find least and greatest entries, and write only the least ones."""
    found = torch.aminmax(x, dim=dim, keepdim=keepdim)
    if out is None:
        return found
    out[0].resize_(found[0].shape).copy_(found[0])
    return out


def test_every_tensor_that_is_written_into_is_met(monkeypatch):
    backend = Torch()
    monkeypatch.setitem(backend.functions, "aminmax", first_alone)
    assert "as out" in ends("aminmax", backend)
