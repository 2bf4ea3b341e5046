"""What is global in PyTorch: how each thing is looked at, and put back."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import torch
from torch.autograd import forward_ad
from torch.nn.modules import module
from torch.overrides import _pop_mode as pop_function_mode
from torch.utils import _python_dispatch as dispatch
from torch.utils import deterministic

from .torch_groups import hanging

CUDNN: Any = torch.backends.cudnn
MKLDNN: Any = torch.backends.mkldnn
HOOKS: Any = torch._C._autograd


class Setting(NamedTuple):
    """Something that is the same for all of PyTorch; without `put` nobody can put it back."""

    look: Callable[[], object]
    put: Callable[[Any], object] | None = None


def _kept(place: Any, name: str) -> Setting:
    return Setting(lambda: getattr(place, name), lambda value: setattr(place, name, value))


def _random() -> bytes:
    return bytes(torch.get_rng_state().numpy())


def _numbers(kept: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(kept), dtype=torch.uint8)


def _of_gpus() -> Iterator[torch.Generator]:
    # A device has a generator once it is used, and is not to be woken for this.
    made = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    for gpu in range(torch.cuda.device_count() if made else 0):
        yield torch.cuda.default_generators[gpu]


def _random_of_gpus() -> list[bytes]:
    return [bytes(each.get_state().numpy()) for each in _of_gpus()]


def _put_random_of_gpus(kept: list[bytes]) -> None:
    for generator, state in zip(_of_gpus(), kept, strict=False):
        generator.set_state(_numbers(state))


def _device(told: str) -> None:
    torch.set_default_device(None if told == "cpu" else told)


def _deterministic() -> str:
    if not torch.are_deterministic_algorithms_enabled():
        return "off"
    return "warn" if torch.is_deterministic_algorithms_warn_only_enabled() else "on"


def _put_deterministic(told: str) -> None:
    torch.use_deterministic_algorithms(told != "off", warn_only=told == "warn")


def _anomaly() -> str:
    if not torch.is_anomaly_enabled():
        return "off"
    return "on" if torch.is_anomaly_check_nan_enabled() else "on, nan is let through"


def _put_anomaly(told: str) -> None:
    torch.set_anomaly_enabled(told != "off", told != "on, nan is let through")


def _packing() -> Any:
    return HOOKS._top_saved_tensors_default_hooks(True)


def _put_packing(pair: Any) -> None:
    while (now := _packing()) is not None and now != pair:
        HOOKS._pop_saved_tensors_default_hooks()
    if now != pair:
        HOOKS._push_saved_tensors_default_hooks(*pair)


def _put_refusal(told: str | None) -> None:
    if told is None:
        HOOKS._saved_tensors_hooks_enable()
    else:
        HOOKS._saved_tensors_hooks_disable(told)


def _autocast(device: str) -> tuple[bool, torch.dtype]:
    return torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)


def _put_autocast(device: str, told: tuple[bool, torch.dtype]) -> None:
    torch.set_autocast_enabled(device, told[0])
    torch.set_autocast_dtype(device, told[1])


def _shrink(depth: Callable[[], int], pop: Callable[[], object], told: int) -> None:
    while depth() > told:
        pop()


def _level() -> int:
    return forward_ad._current_level


def _leave_level() -> None:
    forward_ad.exit_dual_level()  # type: ignore[no-untyped-call]


def _hooks_of_modules() -> Mapping[str, Mapping[int, object]]:
    kept = vars(module).items()
    return {name: dict(held) for name, held in kept if name.endswith("_hooks") and held}


def _put_hooks_of_modules(told: Mapping[str, Mapping[int, object]]) -> None:
    for name in _hooks_of_modules().keys() | told.keys():
        held = getattr(module, name)
        held.clear()
        held.update(told.get(name, {}))


def _attention() -> dict[str, bool]:
    cuda = torch.backends.cuda
    ways = ("flash", "mem_efficient", "math", "cudnn")
    return {way: getattr(cuda, f"{way}_sdp_enabled")() for way in ways}


def _put_attention(told: Mapping[str, bool]) -> None:
    for way, enabled in told.items():
        getattr(torch.backends.cuda, f"enable_{way}_sdp")(enabled)


SETTINGS: Mapping[str, Setting] = {
    "grad mode": Setting(torch.is_grad_enabled, torch.set_grad_enabled),
    "inference mode": Setting(torch.is_inference_mode_enabled),
    "level of forward mode": Setting(_level, partial(_shrink, _level, _leave_level)),
    "level of transforms": Setting(torch._C._functorch.maybe_current_level),
    "backward on several threads": Setting(
        torch._C._is_multithreading_enabled,
        torch.autograd.set_multithreading_enabled,
    ),
    "hooks for saved tensors": Setting(_packing, _put_packing),
    "refusal of hooks for saved tensors": Setting(
        HOOKS._saved_tensors_hooks_get_disabled_error_message, _put_refusal
    ),
    "hooks of all modules": Setting(_hooks_of_modules, _put_hooks_of_modules),
    "default dtype": Setting(torch.get_default_dtype, torch.set_default_dtype),
    "default device": Setting(lambda: str(torch.empty(0).device), _device),
    "modes of functions": Setting(
        torch._C._len_torch_function_stack,
        partial(_shrink, torch._C._len_torch_function_stack, pop_function_mode),
    ),
    "modes of dispatch": Setting(
        torch._C._len_torch_dispatch_stack,
        partial(_shrink, torch._C._len_torch_dispatch_stack, dispatch._pop_mode),
    ),
    "random state": Setting(_random, lambda kept: torch.set_rng_state(_numbers(kept))),
    "random state of GPUs": Setting(_random_of_gpus, _put_random_of_gpus),
    **{
        f"autocast of {device}": Setting(partial(_autocast, device), partial(_put_autocast, device))
        for device in ("cpu", "cuda")
    },
    "cache of autocast": Setting(torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    "precision of float32 products": _kept(torch.backends.cuda.matmul, "fp32_precision"),
    "precision of float32 convolutions": _kept(CUDNN.conv, "fp32_precision"),
    "precision of float32 recurrent layers": _kept(CUDNN.rnn, "fp32_precision"),
    "precision of float32 products of oneDNN": _kept(MKLDNN.matmul, "fp32_precision"),
    "precision of float32 convolutions of oneDNN": _kept(MKLDNN.conv, "fp32_precision"),
    "use of oneDNN": _kept(MKLDNN, "enabled"),
    "use of cuDNN": _kept(CUDNN, "enabled"),
    "choice of convolutions by time": _kept(CUDNN, "benchmark"),
    "deterministic convolutions": _kept(CUDNN, "deterministic"),
    "ways of attention": Setting(_attention, _put_attention),
    "deterministic algorithms": Setting(_deterministic, _put_deterministic),
    "filling of new memory": _kept(deterministic, "fill_uninitialized_memory"),
    "anomaly detection": Setting(_anomaly, _put_anomaly),
    "groups": Setting(lambda: hanging() or "all ended"),
}
"""Whatever changes what is computed, recorded or drawn; modes come before what they set."""


def look() -> dict[str, object]:
    """Return what is set, by its name."""
    return {name: setting.look() for name, setting in SETTINGS.items()}


def put_back(seen: Mapping[str, object]) -> None:
    """Set what is no longer as it was seen, and can be set."""
    for name, setting in SETTINGS.items():
        # PyTorch's own tests forbid that some are set at all.
        if setting.put and setting.look() != seen[name]:
            setting.put(seen[name])
