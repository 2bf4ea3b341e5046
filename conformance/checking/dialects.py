"""How scripts write what a trial does, in the words of each library.

In braces: `{x}` a name, `{values}` nested lists of numbers, `{laid}` an array of numpy in some
other memory, `{wrt}` the inputs that are differentiated, `{places}` their numbers, `{call}` a call
of a function, `{y}` its result, `{pull}` its pullback, `{c}` a cotangent and `{g}` the gradients.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Dialect:
    """A library's own words."""

    imports: tuple[str, ...]
    tensor: str
    array: str
    """What is done with `x`, a tensor that may be within a graph, to look at it."""
    vjp: tuple[str, ...]
    pull: tuple[str, ...]
    create: tuple[str, ...] = ()
    """As `pull`, where the gradients are to be differentiated."""
    laid: str = ""
    constant: str = ""
    """As `tensor`, of what is not differentiated, where that differs."""
    variable: str = ""
    """What makes a tensor one that is differentiated, where that is said of it."""
    jvp: tuple[str, ...] = ()
    transforms: Mapping[str, str] = field(default_factory=dict)
    seed: str = ""
    opened: str = ""
    """A function that calls `f` with other parameters than those in it."""
    accumulate: tuple[str, ...] = ()
    """A backward pass that adds to gradients kept with the inputs."""
    unrecorded: str = ""
    """What opens a block in which nothing is recorded."""


DIALECTS: Mapping[str, Dialect] = {
    "torch": Dialect(
        imports=("import torch",),
        tensor="torch.tensor({values}, dtype=torch.{dtype})",
        laid="torch.from_numpy({laid})",
        array="x.detach().numpy()",
        variable="{x}.requires_grad_()",
        vjp=("{y} = {call}",),
        pull=(
            "{g} = torch.autograd.grad({y}, [{wrt}], {c}, retain_graph=True, allow_unused=True)",
        ),
        create=(
            "{g} = torch.autograd.grad({y}, [{wrt}], {c}, create_graph=True, allow_unused=True)",
        ),
        jvp=("{y}, {g} = torch.func.jvp(lambda {wrt}: {call}, ({wrt},), ({c},))",),
        transforms={
            "vmap": "torch.func.vmap({f})",
            "compile": 'torch.compile({f}, backend="aot_eager")',
        },
        seed="torch.manual_seed({seed})",
        opened="return torch.func.functional_call(f, parameters, arguments)",
        accumulate=("{y}.backward({c})",),
        unrecorded="with torch.no_grad():",
    ),
    "jax": Dialect(
        imports=(
            "import jax",
            "import jax.numpy as jnp",
            "",
            'jax.config.update("jax_enable_x64", True)',
        ),
        tensor="jnp.array({values}, {dtype!r})",
        array="np.array(x)",
        vjp=("{y}, {pull} = jax.vjp(lambda {wrt}: {call}, {wrt})",),
        pull=("{g} = {pull}({c})",),
        jvp=("{y}, {g} = jax.jvp(lambda {wrt}: {call}, ({wrt},), ({c},))",),
        transforms={"vmap": "jax.vmap({f})", "compile": "jax.jit({f})"},
    ),
    "autograd": Dialect(
        imports=("from autograd import make_jvp, make_vjp",),
        tensor="np.array({values}, {dtype!r})",
        laid="{laid}",
        array="np.array(x)",
        vjp=("{pull}, {y} = make_vjp(lambda {wrt}: {call}, ({places},))({wrt})",),
        pull=("{g} = {pull}({c})",),
        jvp=("{y}, {g} = make_jvp(lambda {wrt}: {call}, ({places},))({wrt})(({c},))",),
    ),
    "mygrad": Dialect(
        imports=("import mygrad",),
        tensor="mygrad.tensor({values}, dtype={dtype!r})",
        laid="mygrad.tensor({laid}, copy=False)",
        constant="mygrad.tensor({values}, dtype={dtype!r}, constant=True)",
        array="np.array(x.data)",
        vjp=("{y} = {call}",),
        pull=("{y} = {call}", "{y}.backward({c})", "{g} = [x.grad for x in [{wrt}]]"),
    ),
    "mlx": Dialect(
        imports=("import mlx.core as mx", "", "mx.set_default_device(mx.cpu)"),
        tensor="mx.array({values}, dtype=mx.{dtype})",
        array="np.array(x)",
        vjp=("{y} = {call}",),
        pull=("(_,), {g} = mx.vjp(lambda {wrt}: {call}, [{wrt}], [{c}])",),
        jvp=("({y},), ({g},) = mx.jvp(lambda {wrt}: {call}, [{wrt}], [{c}])",),
        transforms={"vmap": "mx.vmap({f})", "compile": "mx.compile({f})"},
        opened="f.update(tree_unflatten(list(parameters.items())))\nreturn f(*arguments)",
    ),
    "tinygrad": Dialect(
        imports=(
            "import os",
            "",
            'os.environ.setdefault("DEV", "PYTHON")',
            "from tinygrad import Tensor, dtypes",
        ),
        tensor="Tensor({values}, dtype=dtypes.{dtype}).reshape({shape})",
        array="x.numpy()",
        vjp=("{y} = {call}",),
        pull=("{g} = {y}.gradient({wrt}, gradient={c})",),
    ),
    "reference": Dialect(
        imports=("from gradspec import reference",),
        tensor="reference.Tensor.from_array(np.array({values}, {dtype!r}))",
        laid="reference.Tensor.from_array({laid})",
        array="x.array",
        variable="{x}.requires_grad_()",
        vjp=("{y} = {call}",),
        pull=("{g} = reference.grad({y}, [{wrt}], {c}, retain_graph=True, allow_unused=True)",),
        create=("{g} = reference.grad({y}, [{wrt}], {c}, create_graph=True, allow_unused=True)",),
        accumulate=("reference.backward({y}, {c})",),
        unrecorded="with reference.no_grad():",
    ),
}
"""The words of each library that scripts are written for, by the name of its adapter."""
