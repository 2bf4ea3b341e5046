"""PyTorch's clocks, memory, transfers and compiler, as they are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from ..protocol.profiling_api import Memory, ProfilingApi
from . import nvidia


class TorchProfilingApi(ProfilingApi):
    """What PyTorch tells of its devices when it is measured."""

    def threads(self) -> int | None:
        return torch.get_num_threads()

    def driver(self, device: str) -> str | None:
        if device != "cuda":
            return None
        cudnn: Any = torch.backends.cudnn
        told = nvidia.driver_and_limits(_which(device))
        parts = [told, f"CUDA {torch.version.cuda}", f"cuDNN {cudnn.version()}"]
        return ", ".join(filter(None, parts))

    def condition(self, device: str) -> str | None:
        return nvidia.condition(_which(device)) if device == "cuda" else None

    def free_memory(self, device: str) -> int | None:
        if device != "cuda":
            return None
        # What the allocator keeps in reserve is free for its own tensors.
        reserve = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        return int(torch.cuda.mem_get_info()[0]) + reserve

    def cache_size(self, device: str) -> int | None:
        if device != "cuda":
            return None
        return int(torch.cuda.get_device_properties(device).L2_cache_size)

    @contextmanager
    def full_precision(self) -> Iterator[None]:
        cudnn: Any = torch.backends.cudnn
        places = (torch.backends.cuda.matmul, cudnn.conv, cudnn.rnn)
        before = [place.fp32_precision for place in places]
        try:
            for place in places:
                place.fp32_precision = "ieee"
            yield
        finally:
            for place, precision in zip(places, before, strict=True):
                place.fp32_precision = precision

    def device_seconds(self, work: Callable[[], object], device: str) -> float:
        event: Any = torch.cuda.Event
        start, end = event(enable_timing=True), event(enable_timing=True)
        start.record()
        result = work()
        end.record()
        torch.cuda.synchronize(device)
        del result
        return float(start.elapsed_time(end)) / 1e3

    def memory(self, work: Callable[[], object], device: str) -> Memory:
        return _of_cuda(work) if device == "cuda" else _of_cpu(work)

    def moved(self, x: torch.Tensor, device: str, *, wait: bool = True) -> torch.Tensor:
        return x.to(device, non_blocking=not wait)

    def pinned(self, x: torch.Tensor) -> torch.Tensor:
        return x.pin_memory()

    def replicated(self, layer: Any, count: int) -> Any:
        return torch.nn.DataParallel(layer, device_ids=range(count))

    def fused(self, function: Callable[..., Any], device: str) -> Callable[..., Any]:
        # A compiler of C++, or Triton, has to be installed; that shows only when it is called.
        try:
            torch.compile(lambda x: x + 1)(torch.ones(2, device=device))
        except Exception as error:
            first = str(error).strip().partition("\n")[0]
            raise NotImplementedError(f"torch.compile does not work here ({first})") from error
        return torch.compile(function, fullgraph=True)


def _which(device: str) -> str:
    # Which devices PyTorch sees, and in which order, the driver does not know; a UUID it does.
    uuid = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    return f"GPU-{uuid}" if uuid else nvidia.FIRST


def _of_cuda(work: Callable[[], object]) -> Memory:
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    result = work()
    torch.cuda.synchronize()
    peak, kept = torch.cuda.max_memory_allocated(), torch.cuda.memory_allocated()
    del result
    return Memory(peak - before, kept - before)


def _of_cpu(work: Callable[[], object]) -> Memory:
    # The allocator of the CPU counts nothing; the profiler sees each of its calls.
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        result = work()
    peak = kept = 0
    events = seen.profiler.kineto_results.events()
    for event in sorted((e for e in events if e.name() == "[memory]"), key=lambda e: e.start_ns()):
        kept += event.nbytes()
        peak = max(peak, kept)
    del result
    return Memory(peak, kept)
