"""PyTorch's devices, and its ways of training on several of them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import timedelta
from functools import partial
from typing import Any

import torch
from torch import Tensor, distributed
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DataParallel, DistributedDataParallel

from ..workshop import Workshop

PATIENCE = timedelta(seconds=20)
"""How long a member of a group waits for the others."""


class TorchDevices(Workshop):
    """PyTorch's devices; groups are threads that talk over gloo, through the loopback interface."""

    def to(self, x: Any, target: str, **options: bool) -> Any:
        dtype = getattr(torch, target, None)
        return x.to(dtype if isinstance(dtype, torch.dtype) else target, **options)

    def device_of(self, x: Tensor) -> str:
        return x.device.type

    def pin(self, x: Tensor) -> Tensor:
        return x.pin_memory()

    def is_pinned(self, x: Tensor) -> bool:
        return x.is_pinned()

    def data_parallel(self, layer: Any) -> Any:
        return DataParallel(layer)

    def distributed(
        self, member: Callable[[int, Callable[..., Any]], Any], ranks: int
    ) -> list[Any]:
        store = distributed.HashStore()  # type: ignore[attr-defined]

        def run(rank: int) -> Any:
            group = _group(store, rank, ranks)
            try:
                return member(rank, partial(_replica, group))
            finally:
                group.shutdown()

        with ThreadPoolExecutor(ranks) as pool:
            members = [pool.submit(run, rank) for rank in range(ranks)]
            # Where one failed, the others fail later, having waited for it: the first one counts.
            for each in as_completed(members):
                each.result()
        return [done.result() for done in members]


def _group(store: Any, rank: int, ranks: int) -> distributed.ProcessGroup:
    """Join a group of one's own: the process-wide default group stays as it is."""
    kind = distributed.ProcessGroup.BackendType.GLOO
    options = distributed.ProcessGroupGloo._Options()  # type: ignore[attr-defined]
    options._devices = [distributed.ProcessGroupGloo.create_device(hostname="127.0.0.1")]
    options._timeout = PATIENCE
    gloo = distributed.ProcessGroupGloo(store, rank, ranks, options)
    group = distributed.ProcessGroup(store, rank, ranks)
    group._set_default_backend(kind)
    group._register_backend(torch.device("cpu"), kind, gloo)
    return group


def _replica(
    group: distributed.ProcessGroup, layer: Any, sent: Callable[[int], None] | None = None
) -> Any:
    """Wrap `layer`; where somebody counts, gradients are combined by a hook that tells how many."""
    replica = DistributedDataParallel(layer, process_group=group)
    if sent is not None:
        # The annotation is read: a hook has to say that it takes a bucket.
        def count(
            _: object,
            bucket: distributed.GradBucket,  # type: ignore[name-defined]
        ) -> torch.futures.Future[Tensor]:
            sent(bucket.buffer().numel())
            return allreduce_hook(group, bucket)

        replica.register_comm_hook(None, count)
    return replica
