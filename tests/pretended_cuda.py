"""A CUDA device for PyTorch on a machine that has none, so that claims about one can be run there.

Tensors on it say that they lie on `cuda:0`, hold their values on the host all the same, and refuse
to be mixed with those that say they lie on the host. To PyTorch's own machinery, which does not let
anything be on a device that is absent, they lie on `meta`. Speed, kernels and streams are not
pretended, nor are groups of processes and generators of random numbers.
"""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from unittest import mock

import torch
import torch._dynamo  # which the pretending would import in the middle of a claim
from torch import Tensor
from torch.nn.parallel import scatter_gather
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

ELSEWHERE = torch.device("meta")


class Distant(Tensor):
    """A tensor on the pretended device; `held` has its values."""

    @staticmethod
    def __new__(cls, held):
        made = Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=ELSEWHERE,
        )
        made.held = held
        return made

    @property
    def device(self):
        return torch.device("cuda", 0)

    @property
    def data(self):
        return Tensor.data.__get__(self)

    @data.setter
    def data(self, value):
        Tensor.data.__set__(self, value)
        self.held = value.held

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return computed(func, args, kwargs or {})


def computed(func, args, kwargs):
    """Do what PyTorch asks for on the values held, and say where the result lies."""
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
    distant = any(isinstance(x, Distant) for x in tensors)
    target = kwargs.get("device")
    if not distant and target != ELSEWHERE:
        return func(*args, **kwargs)
    moving = func in {torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default}
    if distant and not moving and any(x.dim() and not isinstance(x, Distant) for x in tensors):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices"
        )
    args_held, kwargs_held = tree_map(
        lambda x: x.held if isinstance(x, Distant) else x, (args, kwargs)
    )
    if target is not None:
        kwargs_held["device"] = torch.device("cpu")
    result = func(*args_held, **kwargs_held)
    if func._schema.is_mutable:
        return args[0]
    if target == torch.device("cpu"):
        return result
    return tree_map(lambda x: Distant(x) if isinstance(x, Tensor) else x, result)


class Values(TorchDispatchMode):
    """Lets operations on pretended tensors compute, below the recording of gradients."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return computed(func, args, kwargs or {})


class Names(TorchFunctionMode):
    """Lets tensors be made on the pretended device, and sent there, by its name."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        x = args[0] if args else None
        if func is Tensor.numpy and isinstance(x, Distant):
            if not kwargs.get("force"):
                raise TypeError("can't convert cuda:0 device type tensor to numpy")
            return func(x.detach().held)
        if func is Tensor.pin_memory:
            pinned = x.clone()
            pinned.pinned = True
            return pinned
        if func is Tensor.is_pinned:
            return getattr(x, "pinned", False)
        if func is Tensor.cuda:
            index = args[1] if len(args) > 1 else kwargs.get("device")
            return x.to(translated("cuda" if index is None else f"cuda:{index}"))
        if func is Tensor.__repr__ and isinstance(x, Distant):
            return written(x)
        if func is Tensor.to:
            args = tuple(map(translated, args))
        if "device" in kwargs:
            kwargs["device"] = translated(kwargs["device"])
            if func is torch.tensor:
                target = kwargs.pop("device")
                return func(*args, **kwargs).to(target)
        return func(*args, **kwargs)


def translated(word):
    """Read the name of a CUDA device; as with a real one, only those that are there can be had."""
    if not isinstance(word, torch.device) and not (
        isinstance(word, str) and word.partition(":")[0] == "cuda"
    ):
        return word
    device = torch.device(word)
    if device.type != "cuda":
        return word
    if device.index not in (None, 0):
        raise RuntimeError("CUDA error: invalid device ordinal")
    return ELSEWHERE


def written(x):
    """Write a tensor as PyTorch does: its entries, where it is, and what is recorded of it."""
    facts = [repr(x.detach().held)[:-1], "device='cuda:0'"]
    if x.grad_fn is not None:
        facts.append(f"grad_fn=<{type(x.grad_fn).__name__}>")
    elif x.requires_grad:
        facts.append("requires_grad=True")
    return ", ".join(facts) + ")"


def sent(tensor, devices, *_):
    """Send a whole batch to the one device there is."""
    assert list(devices) == [0]
    return (tensor.to("cuda"),)


@contextmanager
def pretended_cuda() -> Iterator[None]:
    """Pretend for a block that this machine has one CUDA device."""
    before = torch.__future__.get_swap_module_params_on_conversion()
    # A layer's parameters stay the same objects when they move, as they do with a real device.
    torch.__future__.set_swap_module_params_on_conversion(True)
    facts = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "get_device_name": lambda *_: "pretended",
        "synchronize": lambda *_: None,
        "device": lambda *_: contextlib.nullcontext(),
        "get_device_properties": lambda *_: SimpleNamespace(
            total_memory=1, multi_processor_count=1
        ),
    }
    accelerator = {
        "is_available": lambda: True,
        "current_accelerator": lambda **_: torch.device("cuda"),
    }
    try:
        with (
            mock.patch.multiple(torch.cuda, **facts),
            mock.patch.multiple(torch.accelerator, **accelerator),
            mock.patch.object(scatter_gather.Scatter, "apply", lambda to, _, __, x: sent(x, to)),
            Names(),
            Values(),
        ):
            yield
    finally:
        torch.__future__.set_swap_module_params_on_conversion(before)
