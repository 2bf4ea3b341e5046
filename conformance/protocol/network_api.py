"""The part of the protocol for what is built on automatic differentiation: layers, optimizers, ...

This text is normative, as that of `Backend`, which inherits it. The library's own classes are asked
for by PyTorch's names and made with PyTorch's arguments.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from .capabilities import Capability, part_of


class NetworkApi:
    """What a backend may offer besides tensors and their derivatives."""

    @part_of(Capability.NN)
    def layer(self, name: str, *sizes: Any, dtype: str, device: str, **options: Any) -> Any:
        """Make the layer called `name`, such as `Linear`, with its parameters of `dtype`.

        It is callable, and has `parameters()`, `zero_grad(...)`, `train()`, `eval()` and what else
        PyTorch's modules have, so far as claims ask for it. The global random state is left as it
        was.
        """
        raise NotImplementedError

    @part_of(Capability.OPTIM)
    def optimizer(self, name: str, parameters: Sequence[Any], **options: Any) -> Any:
        """Make the optimizer called `name`, such as `SGD`, with `step()` and `zero_grad(...)`.

        `parameters` are tensors, or groups of them: dicts with a list under `params`.
        """
        raise NotImplementedError

    # ---- mixed precision -------------------------------------------------------------------------

    @part_of(Capability.AUTOCAST)
    def autocast(
        self, device: str, dtype: str, *, enabled: bool = True
    ) -> AbstractContextManager[object]:
        """Compute products of tensors of float32 in `dtype`, in a block; not if not `enabled`."""
        raise NotImplementedError

    @part_of(Capability.AUTOCAST)
    def scaler(self, device: str, **options: Any) -> Any:
        """Make what scales losses, and gradients back; `options` are PyTorch's.

        It has `scale(loss)`, `unscale_(optimizer)`, `step(optimizer)`, `update()` and
        `get_scale()`. Among the options are `init_scale` and `growth_interval`.
        """
        raise NotImplementedError

    # ---- distributions ---------------------------------------------------------------------------

    @part_of(Capability.DISTRIBUTIONS)
    def distribution(self, name: str, *parameters: Any, **named: Any) -> Any:
        """Make the distribution called `name`, such as `Normal`, of tensors or distributions.

        It has `sample(shape)`, `rsample(shape)`, `has_rsample`, `log_prob(value)`, `expand(shape)`
        and what else PyTorch's have, so far as claims ask for it.
        """
        raise NotImplementedError

    @part_of(Capability.DISTRIBUTIONS)
    def bijection(self, name: str, *parameters: Any) -> Any:
        """Make the transform called `name`, such as `ExpTransform`: a function that has `inv`."""
        raise NotImplementedError

    @part_of(Capability.DISTRIBUTIONS)
    def divergence(self, p: Any, q: Any) -> Any:
        """Return the divergence of Kullback and Leibler of two distributions of one kind."""
        raise NotImplementedError

    # ---- networks of one's own -------------------------------------------------------------------

    @part_of(Capability.NN)
    def module(self) -> type:
        """Return the class that layers derive from, and networks written by hand.

        A network calls its `__init__` first, keeps parameters and other modules as attributes, and
        defines `forward`; it is called as a layer is.
        """
        raise NotImplementedError

    @part_of(Capability.NN)
    def parameter(self, x: Any, **options: Any) -> Any:
        """Make a parameter of a tensor, on its memory: a leaf that a module keeps account of.

        It requires grad unless `requires_grad=False` is among the `options`.
        """
        raise NotImplementedError

    # ---- data sets -------------------------------------------------------------------------------

    @part_of(Capability.DATASETS)
    def loader(self, dataset: Any, **options: Any) -> Any:
        """Make a `DataLoader` of `dataset`: anything with a length and items by integer index.

        `options` are PyTorch's, among them `batch_size`, `shuffle`, `drop_last`, `sampler`,
        `collate_fn`, `num_workers` and `generator`.
        """
        raise NotImplementedError

    @part_of(Capability.DATASETS)
    def generator(self, seed: int, device: str = "cpu") -> Any:
        """Make a generator of random numbers of its own for draws on `device`, seeded with `seed`.

        It has `get_state()`, `set_state(state)` and `initial_seed()`, as PyTorch's has.
        """
        raise NotImplementedError

    # ---- files -----------------------------------------------------------------------------------

    @part_of(Capability.SERIALIZE)
    def save(self, obj: Any, file: Path) -> None:
        """Write `obj` to `file`: tensors, states of modules and optimizers, dicts of such things.

        Where this is offered, layers and optimizers have `state_dict()` and `load_state_dict(...)`.
        """
        raise NotImplementedError

    @part_of(Capability.SERIALIZE)
    def load(self, file: Path, **options: Any) -> Any:
        """Return what `save` wrote to `file`; `options` are `map_location` and `weights_only`."""
        raise NotImplementedError

    # ---- devices ---------------------------------------------------------------------------------

    @part_of(Capability.DEVICES)
    def to(self, x: Any, target: str, **options: bool) -> Any:
        """Bring a tensor or a layer to `target`, the name of a device or of a dtype.

        `options` are `copy` and `non_blocking`, for tensors.
        """
        raise NotImplementedError

    @part_of(Capability.DEVICES)
    def device_of(self, x: Any) -> str:
        """Name the device that a tensor lies on, as `devices` does."""
        raise NotImplementedError

    @part_of(Capability.DEVICES)
    def pin(self, x: Any) -> Any:
        """Copy a tensor on the host into memory that is never paged out."""
        raise NotImplementedError

    @part_of(Capability.DEVICES)
    def is_pinned(self, x: Any) -> bool:
        """Whether a tensor lies in memory that is never paged out."""
        raise NotImplementedError

    @part_of(Capability.DEVICES)
    def data_parallel(self, layer: Any) -> Any:
        """Wrap `layer`: called with a batch, each device computes a part of it, if there are any.

        The wrapper holds `layer` under the name `module`.
        """
        raise NotImplementedError

    @part_of(Capability.DEVICES)
    def distributed(
        self, member: Callable[[int, Callable[..., Any]], Any], ranks: int
    ) -> list[Any]:
        """Call `member(rank, replicate)` for each rank of a group on the host, all at a time.

        `replicate(layer)` wraps a layer that every member has made in the same form: they start
        from the values of rank 0, and backward leaves the mean of all members' gradients in the
        .grad of each, as long as the wrapper lives. `replicate(layer, sent)` also calls
        `sent(count)` with the number of entries whenever a member hands some in. Returns what the
        members returned; raises what one raised.
        """
        raise NotImplementedError
