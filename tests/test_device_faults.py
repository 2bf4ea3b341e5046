"""What goes wrong on a device: artefacts of pretending one, and adapters that forget it."""

import os

import pytest
import torch
from judging import RED, holds, judged
from pretended_cuda import left_out, switched

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.backends.torch import Torch
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.processes.copies import how_it_ends
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.smoke import smoke
from gradspec.conformance.table import OPTIONED, TABLE

LEFT_OUT = left_out()
OTHERWISE = {"chance", "host", "ends"}
ARTEFACTS = [name for name, entry in LEFT_OUT.items() if not entry.keys() & OTHERWISE]
OF_THE_HOST = [(name, entry["host"]) for name, entry in LEFT_OUT.items() if "host" in entry]
ENDS = [(name, entry["ends"]) for name, entry in LEFT_OUT.items() if "ends" in entry]


@pytest.mark.parametrize("name", ARTEFACTS)
def test_what_is_left_out_on_the_pretended_device_is_red_there(cuda, name):
    """A claim, an operation, or a claim on an operation; an operation fails as soon as it runs."""
    first, _, last = name.rstrip("]").partition("[")
    word, asked = (first, last) if first in claims_of(spec) else ("GEN-01", first)
    operations = {operation.name: operation for operation in TABLE}
    each = operations.get(asked)
    assert judged(claims_of(spec)[word], Subject(cuda, "cuda", "float32"), each).status in RED
    assert holds(word, Subject(cuda, "cpu", "float32"), operation=each)


@pytest.mark.parametrize(("claim", "operation"), OF_THE_HOST)
def test_what_the_host_does_wrong_is_red_on_both(cuda, claim, operation):
    operations = {operation.name: operation for operation in (*TABLE, *OPTIONED)}
    each, known = operations[operation] if operation else None, claims_of(spec)
    # What an operation does wrong is wrong as soon as it runs.
    word = claim.partition("[")[0] if claim != operation else "GEN-01"
    for device in ("cpu", "cuda"):
        assert judged(known[word], Subject(cuda, device, "float32"), each).status in RED


@pytest.mark.parametrize(("name", "ends"), ENDS)
def test_what_ends_the_process_on_the_host_ends_it(cuda, name, ends):
    word, _, asked = name.rstrip("]").partition("[")
    each = {operation.name: operation for operation in TABLE}[asked]
    subject = Subject(cuda, "cpu", "float32")
    assert how_it_ends(lambda: judged(claims_of(spec)[word], subject, each)) == ends


def test_a_switch_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"no switch 'atomic': name some of asynchronous, late"):
        switched("atomic").__enter__()


def test_a_process_that_was_forked_has_no_device(cuda):
    x, beyond = torch.ones(2, device="cuda"), []
    child = os.fork()
    if child == 0:
        try:
            beyond.append((x + 1).tolist())
        finally:
            os._exit(len(beyond))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


WRONG = {
    "reads before the copy is done": (
        """
        def numpy(self, x):
            host = torch.zeros(x.shape, dtype=x.dtype).pin_memory()
            return host.copy_(x.detach(), non_blocking=True).numpy().copy()
        """,
        "DEV-02",
    ),
    "makes out on the host": (
        """
        def spellings(self, name):
            def out(*xs, **named):
                return self.functions[name](*xs, out=torch.empty(0, dtype=xs[0].dtype), **named)

            return {"out": out}
        """,
        "GEN-03[add] GEN-03[matmul]",
    ),
    "passes no device on": (
        """
        def tensor(self, array, dtype, device):
            return super().tensor(array, dtype, "cpu")
        """,
        "DEV-56 DEV-58",
    ),
    "does not wait for the device": (
        """
        def moved(self, x, device, *, wait=True):
            return super().moved(x, device, wait=False)

        def numpy(self, x):
            host = torch.zeros(x.shape, dtype=x.dtype).pin_memory()
            host.copy_(x.detach(), non_blocking=True)
            self.synchronize("cuda")
            return host.numpy().copy()

        def synchronize(self, device):
            pass
        """,
        "DEV-02 DEV-62",
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_an_adapter_that_forgets_is_red(cuda, fault):
    body, killed = WRONG[fault]
    room = {"Torch": Torch, "torch": torch}
    exec(f"class Wrong(Torch):\n{body}", room)
    for word in killed.split():
        name, _, about = word.rstrip("]").partition("[")
        (operation,) = [each for each in TABLE if each.name == about] or [None]
        with switched("late"):
            for adapter, red in ((room["Wrong"](), True), (cuda, False)):
                subject = Subject(adapter, "cuda", "float32")
                verdict = judged(claims_of(spec)[name], subject, operation)
                assert (verdict.status is Status.PASS) is not red, (word, verdict.reason)


def test_an_adapter_that_passes_no_device_on_is_told_so(cuda, monkeypatch):
    make = type(cuda).tensor
    monkeypatch.setattr(
        type(cuda), "tensor", lambda self, array, dtype, _: make(self, array, dtype, "cpu")
    )
    assert smoke(Subject(cuda, "cpu", "float32")) is None
    told = str(smoke(Subject(cuda, "cuda", "float32")))
    assert "tensor was told the device cuda and made a tensor on cpu; pass it on" in told
