"""Statements that observe."""

import numpy as np

from gradspec.conformance.programs.instructions import Value


class Observing:
    """What is seen midway."""

    def do_look_value(self, given, options):
        self.note("value", self.value(given[0]))

    def do_look_flags(self, given, options):
        self.note("flags", (given[0].tracked, self.is_leaf(given[0])))

    def do_look_node(self, given, options):
        self.note("node", not self.is_leaf(given[0]))

    def do_look_shared(self, given, options):
        x, y = given
        if x.places.size and y.places.size:
            self.note("shared", x.memory is y.memory)

    def do_look_version(self, given, options):
        self.note("version", self.written(self.operands[0], given[0]))

    def do_look_grad(self, given, options):
        (x,) = given
        numbers = [0.0] * x.places.size if x.grad is None else [each.number for each in x.grad]
        shape = x.places.shape
        self.note("grad", Value("float64", shape, np.reshape(numbers, shape).tolist()))
