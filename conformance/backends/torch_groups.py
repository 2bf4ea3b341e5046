"""Training on several devices: PyTorch's wrappers, and groups of workers on the host.

The members of a group are threads that talk over gloo, through the loopback interface.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from datetime import timedelta
from functools import partial
from threading import Event, Thread
from typing import Any

import torch
from torch import Tensor, distributed
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DataParallel, DistributedDataParallel

from ..protocol.network_api import NetworkApi

PATIENCE = 20.0
"""Seconds that a group may take on a machine with nothing else to do; it takes a fraction of one.

One that hangs is named after three times as long, when gloo has given up waiting for it.
"""

ATTEMPTS = 3
"""So many times a group tries to connect, each time through other ports."""

_hanging: dict[Thread, str] = {}


class TorchGroups(NetworkApi):
    """PyTorch's ways of dividing a batch."""

    def data_parallel(self, layer: Any) -> Any:
        return DataParallel(layer)

    def distributed(
        self, member: Callable[[int, Callable[..., Any]], Any], ranks: int
    ) -> list[Any]:
        patience = _patience()
        _refuse_beside_hanging()
        answers: list[Future[Any]] = [Future() for _ in range(ranks)]
        over = Event()
        threads = [
            # A thread cannot be ended from outside: one that hangs is not to keep the process.
            Thread(target=_take_part, args=(member, place, answer, over), daemon=True)
            for place, answer in zip(_connected(ranks, patience), answers, strict=True)
        ]
        for thread in threads:
            thread.start()
        try:
            ended, late = wait(answers, patience, FIRST_EXCEPTION)
        finally:
            over.set()
        # Who waits for another one is woken when that one leaves, or else by gloo in its time.
        end = time.monotonic() + 2 * patience
        for rank, thread in enumerate(threads):
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                _hanging[thread] = f"member {rank} of {ranks} hangs, {3 * patience:.0f} s on"
        for answer in answers:
            # What others raise later, they raise because this one is gone.
            if answer in ended:
                answer.result()
        _refuse_beside_hanging()
        for rank, answer in enumerate(answers):
            if answer in late and (error := answer.exception()):
                told = f"member {rank} of {ranks} waited {patience:.0f} s for the others"
                raise AssertionError(told) from error
        return [answer.result() for answer in answers]


def hanging() -> str:
    """Name a member that has not ended with its group; empty if all have."""
    for thread in [thread for thread in _hanging if not thread.is_alive()]:
        del _hanging[thread]
    return next(iter(_hanging.values()), "")


def _refuse_beside_hanging() -> None:
    # Also before a group begins: a search for a smaller example is not to wait once more for each.
    if told := hanging():
        raise AssertionError(told)


def _patience() -> float:
    """Return the seconds to wait for a group: more, the more others wait for a core."""
    # Windows does not count them.
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return PATIENCE * max(1.0, busy / (os.cpu_count() or 1))


class _Place:
    """The place of one member in a group: its connections, and the replicas that it has made."""

    def __init__(self, device: Any, store: Any, ranks: int, patience: float, rank: int) -> None:
        kind = distributed.ProcessGroup.BackendType.GLOO
        options = distributed.ProcessGroupGloo._Options()  # type: ignore[attr-defined]
        options._devices = [device]
        # Longer than the group itself has: who hangs is to be named, not who waits for it.
        options._timeout = timedelta(seconds=1.5 * patience)
        gloo = distributed.ProcessGroupGloo(store, rank, ranks, options)
        self.rank = rank
        self.replicas: list[Any] = []
        # A group of one's own: the process-wide default group stays as it is.
        self.group = distributed.ProcessGroup(store, rank, ranks)
        self.group._set_default_backend(kind)
        self.group._register_backend(torch.device("cpu"), kind, gloo)

    def replicate(self, layer: Any, sent: Callable[[int], None] | None = None) -> Any:
        """Wrap `layer`; where somebody counts, a hook that tells how many combines gradients."""
        replica = DistributedDataParallel(layer, process_group=self.group)
        self.replicas.append(replica)
        if sent is not None:
            # The annotation is read: a hook has to say that it takes a bucket.
            def count(
                _: object,
                bucket: distributed.GradBucket,  # type: ignore[name-defined]
            ) -> torch.futures.Future[Tensor]:
                sent(bucket.buffer().numel())
                return allreduce_hook(self.group, bucket)

            replica.register_comm_hook(None, count)
        return replica

    def leave(self) -> None:
        """Close the connections: gloo closes them when nothing holds the group any longer."""
        for replica in self.replicas:
            for name in ("process_group", "reducer", "logger"):
                vars(replica).pop(name, None)
        del self.group


def _connected(ranks: int, patience: float) -> list[_Place]:
    """Connect each member with each other one, and return when all of them say so.

    A busy machine may refuse a connection or lose one: nothing has begun, so it is tried again.
    """
    for _ in range(ATTEMPTS):
        store = distributed.HashStore()  # type: ignore[attr-defined]
        try:
            device = distributed.ProcessGroupGloo.create_device(hostname="127.0.0.1")
            join = partial(_Place, device, store, ranks, patience)
            with ThreadPoolExecutor(ranks) as pool:
                return list(pool.map(join, range(ranks)))
        except RuntimeError as error:
            refused = error
    told = f"{ranks} members did not connect in {ATTEMPTS} attempts: {refused}"
    raise ConnectionError(told) from refused


def _take_part(
    member: Callable[[int, Callable[..., Any]], Any],
    place: _Place,
    answer: Future[Any],
    over: Event,
) -> None:
    try:
        answer.set_result(member(place.rank, place.replicate))
    except BaseException as error:
        answer.set_exception(error)
    # Others may still read what this one has sent; closed connections would lose it.
    over.wait()
    place.leave()
