"""Networks made of layers, as the notes write them, and modules made of all sorts of things."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..protocol.backend import Native
from ..protocol.subject import Subject
from .arrays import Array


def fill(be: Subject, module: Any, *values: Array) -> Any:
    """Give the parameters of `module` these values, in the order in which it lists them."""
    for parameter, value in zip(module.parameters(), values, strict=True):
        be.set_data(parameter, be.tensor(value))
    return module


# ---- networks ------------------------------------------------------------------------------------


def lenet(be: Subject, channels: int = 1) -> Any:
    """Make the small convolutional net of the notes, after LeCun et al. (1998).

    It takes a batch of images (n, channels, 32, 32) and returns ten scores for each: (n, 10).
    """

    class Net(be.module()):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = be.layer("Conv2d", channels, 6, 5)
            self.conv2 = be.layer("Conv2d", 6, 16, 5)
            self.fc1 = be.layer("Linear", 400, 120)
            self.fc2 = be.layer("Linear", 120, 84)
            self.fc3 = be.layer("Linear", 84, 10)

        def forward(self, x: Native) -> Native:
            x = be.max_pool2d(be.relu(self.conv1(x)), 2)
            x = be.max_pool2d(be.relu(self.conv2(x)), 2)
            x = be.view(x, -1, prod(be.shape(x)[1:]))
            return self.fc3(be.relu(self.fc2(be.relu(self.fc1(x)))))

    return Net()


def lenet_shapes(channels: int = 1) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the parameters of `lenet`, in order."""
    weights = {
        "conv1": (6, channels, 5, 5),
        "conv2": (16, 6, 5, 5),
        "fc1": (120, 400),
        "fc2": (84, 120),
        "fc3": (10, 84),
    }
    shapes: dict[str, tuple[int, ...]] = {}
    for name, shape in weights.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return shapes


def lenet_values(seed: int, channels: int = 1, share: float = 0.15) -> list[Array]:
    """Return `ternary` parameters for `lenet`.

    On images of such numbers every value and gradient is whole, and small enough for float32.
    """
    return ternary(seed, *lenet_shapes(channels).values(), share=share)


def ternary(seed: int, *shapes: tuple[int, ...], share: float = 0.15) -> list[Array]:
    """Return arrays of random numbers, a `share` of which is 1 or -1 and all others 0."""
    random = np.random.default_rng(seed)
    drawn = (random.uniform(-1, 1, shape) / (1 - share) for shape in shapes)
    return [np.trunc(each).astype(np.float64) for each in drawn]


def perceptron(be: Subject, *parameters: Array) -> Any:
    """Make a sequence of affine maps of these parameters, with a relu between one and the next."""
    layers: list[Any] = []
    for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
        layers += [fill(be, be.layer("Linear", *weight.shape[::-1]), weight, bias)]
        layers += [be.layer("ReLU")]
    return be.layer("Sequential", *layers[:-1])


def dynamic_net(be: Subject, *parameters: Array) -> Any:
    """Make the net of the notes that uses its middle layer as often as it is told to.

    It is given six parameters, and called with rows of inputs and a number of times.
    """
    width, inputs = parameters[0].shape
    outputs = len(parameters[-1])

    class DynamicNet(be.module()):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.input_linear = be.layer("Linear", inputs, width)
            self.middle_linear = be.layer("Linear", width, width)
            self.output_linear = be.layer("Linear", width, outputs)

        def forward(self, x: Native, times: int) -> Native:
            x = be.relu(self.input_linear(x))
            for _ in range(times):
                x = be.relu(self.middle_linear(x))
            return self.output_linear(x)

    return fill(be, DynamicNet(), *parameters)


WAYS: dict[str, Callable[[Subject, Native], Native]] = {
    "a square": lambda _, h: h * h,
    "a branch and a loop": lambda be, h: sum((h for _ in range(2)), h) if be.dim(h) else h,
    "detach": lambda be, h: be.detach(h),
    "numpy": lambda be, h: be.tensor(be.numpy(h)),
    "item": lambda be, h: be.item(be.sum(h)) * be.ones_like(h),
    "argmax": lambda be, h: be.one_hot(be.argmax(h, 1), be.shape(h)[1]) * be.ones_like(h),
}
"""What a network may do to a matrix between two of its layers."""

SLOPES: dict[str, Callable[[Array], Array]] = {
    "a square": lambda h: 2 * h,
    "a branch and a loop": lambda h: np.full(h.shape, 3.0),
}
"""The derivatives of those ways that have one."""


Made = tuple[str, tuple[int, ...], dict[str, bool], list[tuple[int, ...]]]

LAYERS: dict[str, Made] = {
    "Linear": ("Linear", (2, 3), {}, [(3, 2), (3,)]),
    "Linear without bias": ("Linear", (2, 3), {"bias": False}, [(3, 2)]),
    "Conv2d": ("Conv2d", (2, 3, 4), {}, [(3, 2, 4, 4), (3,)]),
    "Conv2d without bias": ("Conv2d", (2, 3, 4), {"bias": False}, [(3, 2, 4, 4)]),
    "BatchNorm2d": ("BatchNorm2d", (5,), {}, [(5,), (5,)]),
    "BatchNorm2d of no parameters": ("BatchNorm2d", (5,), {"affine": False}, []),
    "ReLU": ("ReLU", (), {}, []),
}
"""Layers: how each is made, and the shapes of its weight and its bias, as far as it has them."""


def stack(be: Subject, labels: Sequence[str]) -> Any:
    """Make a sequence of `LAYERS`."""
    made = (LAYERS[label] for label in labels)
    return be.layer("Sequential", *[be.layer(name, *s, **options) for name, s, options, _ in made])


def stack_shapes(labels: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the parameters of a `stack`, in order."""
    return {
        f"{n}.{name}": shape
        for n, label in enumerate(labels)
        for name, shape in zip(("weight", "bias"), LAYERS[label][3], strict=False)
    }


# ---- registration --------------------------------------------------------------------------------

KINDS = {
    "parameter": [""],
    "Linear": [".weight", ".bias"],
    "ParameterList": [".0", ".1"],
    "ModuleList": [".0.weight", ".0.bias"],
    "tensor": [],
    "buffer": [],
    "list": [],
    "dict": [],
    "number": [],
}
"""What can be an attribute of a module, and how the parameters go on that are listed for it."""


def attribute(be: Subject, kind: str) -> Any:
    """Make something of one of the `KINDS`."""
    x = be.tensor(np.ones(2))
    values: dict[str, Callable[[], Any]] = {
        "parameter": lambda: be.parameter(x),
        "Linear": lambda: be.layer("Linear", 2, 1),
        "ParameterList": lambda: be.layer("ParameterList", [be.parameter(x), be.parameter(x)]),
        "ModuleList": lambda: be.layer("ModuleList", [be.layer("Linear", 2, 1)]),
        "tensor": lambda: x,
        "buffer": lambda: x,
        "list": lambda: [be.parameter(x), be.layer("Linear", 2, 1)],
        "dict": lambda: {"a": be.parameter(x)},
        "number": lambda: 1.5,
    }
    return values[kind]()


def assemble(be: Subject, kinds: Sequence[str], *, twice: bool) -> Any:
    """Make a module with attributes a0, a1, ... of these kinds, and the first one once more."""
    module = be.module()()
    for n, kind in enumerate(kinds):
        value = attribute(be, kind)
        if kind == "buffer":
            module.register_buffer(f"a{n}", value)
        else:
            setattr(module, f"a{n}", value)
    if twice:
        module.again = module.a0
    return module


def listed(kinds: Sequence[str], *, twice: bool) -> list[str]:
    """Return the names of the parameters of such a module: its own first, then those of others."""
    attributes = {f"a{n}": KINDS[kind] for n, kind in enumerate(kinds)}
    if twice:
        attributes["again"] = KINDS[kinds[0]]
    names = [name + rest for name, ends in attributes.items() for rest in ends]
    return sorted(names, key=lambda name: "." in name)
