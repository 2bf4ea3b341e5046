"""Statements that make tensors, entry by entry."""

import numpy as np

from . import functions
from .cells import COVERED, MINUS, ONE, Scalar, array, over, summed
from .tensors import Refused, Unmodelled


class Making:
    """Leaves, constants and operations."""

    def do_leaf(self, given, options):
        x = self.do_constant(given, options)
        self.require(x)
        return x

    def do_constant(self, given, options):
        entries, shape, _ = options
        return self.fresh(array([*map(Scalar, entries)], shape))

    def require(self, x):
        x.history.leaf = True
        for place in x.places.reshape(-1):
            x.history.cells.setdefault(place, Scalar(x.memory.numbers[place]))

    def entrywise(self, given, function, keeps=(), once=False, keeps_it=False):  # noqa: FBT002
        """Compute entry by entry, with broadcasting."""
        operands = [x.scalars() for x in given]
        try:
            operands = np.broadcast_arrays(*operands) if len(operands) > 1 else operands
        except ValueError:
            raise Refused("shape") from None
        shape = operands[0].shape
        flat = [function(*each) for each in zip(*(o.reshape(-1) for o in operands), strict=True)]
        scalars = array([*flat], shape)
        return self.fresh(scalars, given, keeps, once, keeps_it)

    def do_neg(self, given, options):
        return self.entrywise(given, lambda x: x * MINUS)

    def do_clone(self, given, options):
        return self.entrywise(given, lambda x: x * ONE)

    def do_add(self, given, options):
        return self.entrywise(given, lambda x, y: x + y)

    def do_sub(self, given, options):
        return self.entrywise(given, lambda x, y: x - y)

    def do_mul(self, given, options):
        return self.entrywise(given, lambda x, y: x * y, self.factors(given))

    def factors(self, given):
        """Return the factors that a product keeps: each for the sake of the other one."""
        x, y = given
        return [*([y] if x.tracked else []), *([x] if y.tracked else [])]

    def do_times(self, given, options):
        return self.entrywise(given, lambda x: x * Scalar(options[0]), once=True)

    def do_power(self, given, options):
        def power(x):
            made = ONE
            for _ in range(options[0]):
                made = made * x
            return made

        return self.entrywise(given, power, given)

    def do_abs(self, given, options):
        return self.entrywise(given, functions.absolute, given)

    def do_sin(self, given, options):
        return self.entrywise(given, functions.sin, given)

    def do_relu(self, given, options):
        return self.entrywise(given, functions.relu, keeps_it=True)

    def do_exp(self, given, options):
        return self.entrywise(given, functions.exp, keeps_it=True)

    def do_tanh(self, given, options):
        return self.entrywise(given, functions.tanh, keeps_it=True)

    def do_sigmoid(self, given, options):
        return self.entrywise(given, functions.sigmoid, keeps_it=True)

    def do_sqrt(self, given, options):
        return self.entrywise(given, functions.sqrt, keeps_it=True)

    def do_clamp(self, given, options):
        return self.entrywise(given, lambda x: functions.clamp(x, *options), given)

    def do_div(self, given, options):
        x, y = given
        keeps = [*([y] if x.tracked or y.tracked else []), *([x] if y.tracked else [])]
        return self.entrywise(given, functions.div, keeps)

    def do_maximum(self, given, options):
        return self.entrywise(given, functions.larger, given)

    def do_minimum(self, given, options):
        return self.entrywise(given, functions.smaller, given)

    def do_softmax(self, given, options):
        return self.along(given, options[0], functions.softmax)

    def do_log_softmax(self, given, options):
        return self.along(given, options[0], functions.log_softmax)

    def along(self, given, dim, function):
        """Compute row by row; a scalar is a row of itself."""
        scalars = given[0].scalars()
        axis = self.axis(given[0], dim)
        rows = np.moveaxis(scalars.reshape(scalars.shape or (1,)), axis, -1)
        flat = rows.reshape(-1, rows.shape[-1])
        made = [each for row in flat for each in function([*row])]
        moved = np.moveaxis(array(made, rows.shape), -1, axis)
        return self.fresh(moved.reshape(scalars.shape), given, keeps_it=True)

    def do_cumsum(self, given, options):
        scalars = given[0].scalars()
        axis = self.axis(given[0], options[0])
        if not scalars.size:
            return self.fresh(scalars, given)
        made = np.cumsum(scalars.reshape(scalars.shape or (1,)), axis=axis, dtype=object)
        return self.fresh(made.reshape(scalars.shape), given)

    def do_mean(self, given, options):
        scalars = given[0].scalars()
        dim = options[0] if options and scalars.ndim else None
        total = np.asarray(summed(scalars, dim), object)
        count = scalars.size if dim is None else scalars.shape[dim]
        share = Scalar(np.divide(1.0, count))
        flat = [
            functions.made(np.divide(each.number, count), (each, share))
            for each in total.reshape(-1)
        ]
        return self.fresh(array(flat, total.shape), given)

    def do_chain(self, given, options):
        if options[0] > 20:
            raise Unmodelled  # as it looks for what leads where step by step
        made = given[0]
        for _ in range(options[0]):
            made = self.do_neg([made], ())
        return made

    def do_where(self, given, options):
        entries, shape = options
        mask = np.array(entries, bool).reshape(shape)
        try:
            x, y, mask = np.broadcast_arrays(given[0].scalars(), given[1].scalars(), mask)
        except ValueError:
            raise Refused("shape") from None
        flat = zip(*(each.reshape(-1) for each in (x, y, mask)), strict=True)
        made = [over(*((a, b) if chosen else (b, a)), COVERED) for a, b, chosen in flat]
        return self.fresh(array(made, x.shape), given, once=True)

    def do_sum(self, given, options):
        scalars = given[0].scalars()
        dim = options[0] if options and scalars.ndim else None
        return self.fresh(summed(scalars, dim), given)

    def do_matmul(self, given, options):
        x, y = (each.scalars() for each in given)
        if 1 in (x.ndim, y.ndim):
            raise Unmodelled
        if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[0]:
            raise Refused("shape")
        made = summed(x[:, :, None] * y[None, :, :], 1)
        return self.fresh(made, given, self.factors(given))

    def do_stack(self, given, options):
        if given[0].places.shape != given[1].places.shape:
            raise Refused("shape")
        return self.fresh(np.stack([x.scalars() for x in given]), given)

    def do_cat(self, given, options):
        x, y = (each.scalars() for each in given)
        if x.ndim == 0 or y.ndim != x.ndim or x.shape[1:] != y.shape[1:]:
            raise Refused("shape")
        return self.fresh(np.concatenate([x, y]), given)

    def do_flip(self, given, options):
        if not given[0].places.ndim:
            self.axis(given[0], options[0][0])
            return self.do_clone(given, ())
        return self.fresh(np.flip(given[0].scalars(), self.axis(given[0], options[0][0])), given)

    def do_rows(self, given, options):
        (x,) = given
        if not x.places.ndim:
            raise Refused("dimension")
        if max(options[0]) >= len(x.places):
            raise Refused("index_range")
        return self.fresh(x.scalars()[[*options[0]]], given, once=True)

    def axis(self, x, dim):
        extent = max(x.places.ndim, 1)
        if not -extent <= dim < extent:
            raise Refused("dimension")
        return dim
