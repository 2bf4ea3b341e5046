"""Networks made of layers, as the notes write them."""

from math import prod
from typing import Any

from ..backend import Native
from ..subject import Subject
from .arrays import Array


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


def fill(be: Subject, module: Any, *values: Array) -> Any:
    """Give the parameters of `module` these values, in the order in which it lists them."""
    for parameter, value in zip(module.parameters(), values, strict=True):
        be.set_data(parameter, be.tensor(value))
    return module
