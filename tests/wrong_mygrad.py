"""Functions for MyGrad as people write them, wrong in a common way and right."""

import mygrad
import numpy as np
from mygrad.operation_base import Operation

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])


class Cube(Operation):
    def __call__(self, x):
        self.variables = (x,)
        return x.data**3

    def backward_var(self, grad, index, **kwargs):
        return 3 * grad * self.variables[0].data ** 2


class Halved(Cube):
    def backward_var(self, grad, index, **kwargs):
        return grad * (3 * self.variables[0].data ** 2).astype(np.float32)


def cube(x):
    return mygrad.execute_op(Cube, x)


def halved_cube(x):
    return mygrad.execute_op(Halved, x)


def detached_factor(x):
    return x / float((x.data**2).sum()) ** 0.5


def right_factor(x):
    return x / mygrad.sqrt((x**2).sum())


PAIRS = {
    "float32 in backward": (halved_cube, cube, X),
    "detached factor": (detached_factor, right_factor, X),
}
OTHERS = {"softmax": (mygrad.nnet.softmax, X)}
