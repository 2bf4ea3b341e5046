"""Groups of workers: they end, whatever becomes of their members."""

import threading
from datetime import timedelta

import pytest

torch_devices = pytest.importorskip("gradspec.conformance.backends.torch_devices")
torch = pytest.importorskip("torch")


def test_a_member_that_fails_is_named_and_ends_its_group(monkeypatch):
    """The others wait in vain for its part, and their complaint about that is not the one shown."""
    monkeypatch.setattr(torch_devices, "PATIENCE", timedelta(seconds=1))
    layers = [torch.nn.Linear(2, 1) for _ in range(2)]

    def member(rank, replicate):
        replica = replicate(layers[rank])
        if rank == 1:
            raise ArithmeticError("mine")
        replica(torch.ones(3, 2)).sum().backward()

    threads = threading.active_count()
    with pytest.raises(ArithmeticError, match="mine"):
        torch_devices.TorchDevices().distributed(member, 2)
    assert threading.active_count() == threads


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_members_answer_in_order_and_leave_nothing_behind(ranks):
    group = torch_devices.TorchDevices()
    assert group.distributed(lambda rank, _: rank, ranks) == list(range(ranks))
    assert not torch.distributed.is_initialized()
