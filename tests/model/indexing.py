"""Statements that read and write by index tensors and masks."""

import numpy as np

from .cells import COVERED, array, over
from .looking import numbered
from .tensors import Refused


class Indexing:
    """Masks, rows, and places along one axis."""

    def positions(self, x, key):
        """Return the positions that a key selects."""
        try:
            return numbered(x.places.shape)[key]
        except IndexError:
            raise Refused("index_range", "shape", "dimension") from None

    def do_masked(self, given, options):
        positions = self.positions(given[0], mask_of(*options))
        return self.fresh(given[0].scalars().reshape(-1)[positions], given, once=True)

    # ---- writes ----------------------------------------------------------------------------------

    def put(self, x, key, values, operands=()):
        """Write scalars at a key, broadcast to what it selects."""
        positions = self.positions(x, key)
        while values.ndim > 1 and values.shape[0] == 1:
            values = values[0]
        try:
            values = np.broadcast_to(values, positions.shape)
        except ValueError:
            self.check(x, operands)
            raise Refused("shape", "inplace_shape") from None
        new = self.fresh_view(x).scalars().reshape(-1)
        for place, each in zip(positions.reshape(-1), values.reshape(-1), strict=True):
            new[place] = over(each, new[place], COVERED)
        self.write(x, new.reshape(x.places.shape), operands, once=True)

    def put_tensor(self, given, key):
        x, y = given
        if y.memory is x.memory and (y is x or x.places.size):
            y = self.do_clone([y], ())
        self.put(x, key, y.scalars(), (y,))

    def do_set_mask_number(self, given, options):
        entries, shape, number = options
        self.put(given[0], mask_of(entries, shape), self.number(number))

    def do_set_mask_tensor(self, given, options):
        self.put_tensor(given, mask_of(*options))

    def do_set_rows(self, given, options):
        self.put_tensor(given, [*options[0]])

    def number(self, number):
        return self.do_constant((), ((number,), (), False)).scalars()

    # ---- along one axis --------------------------------------------------------------------------

    def addresses(self, x, options, source=None):
        """Return for each entry of an index the position that it names."""
        dim, entries, shape = options
        if any(each is not None and each.places.shape != shape for each in (x, source)):
            raise Refused("shape", "dimension", "index_range")
        index = np.array(entries).reshape(shape)
        mesh = [*np.ogrid[tuple(map(slice, shape))]]
        mesh[dim] = index
        if not ((index >= 0) & (index < shape[dim])).all():
            raise Refused("index_range", "shape")
        return numbered(shape)[tuple(mesh)]

    def do_gather(self, given, options):
        positions = self.addresses(given[0], options)
        return self.fresh(given[0].scalars().reshape(-1)[positions], given, once=True)

    def scattered(self, old, source, options, *, adds):
        new = old.scalars().reshape(-1)
        positions = self.addresses(old, options, source).reshape(-1)
        for place, each in zip(positions, source.scalars().reshape(-1), strict=True):
            new[place] = new[place] + each if adds else over(each, new[place], COVERED)
        return array([*new], old.places.shape)

    def do_scatter(self, given, options):
        return self.fresh(self.scattered(*given, options, adds=False), given, once=True)

    def do_scatter_add(self, given, options):
        made = self.scattered(*given, options, adds=True)
        return self.fresh(made, given, once=given[1].tracked)

    def scatter_into(self, given, options, *, adds):
        x, y = given
        if y.memory is x.memory and (y is x or x.places.size):
            y = self.do_clone([y], ())
        self.addresses(x, options, y)
        made = self.scattered(self.fresh_view(x), y, options, adds=adds)
        self.write(x, made, (y,), once=not adds or y.tracked)

    def do_scatter_(self, given, options):
        self.scatter_into(given, options, adds=False)

    def do_scatter_add_(self, given, options):
        self.scatter_into(given, options, adds=True)

    def do_index_put(self, given, options):
        x, y = given
        rows, accumulate = options
        positions = self.positions(x, [*rows])
        try:
            values = np.broadcast_to(y.scalars(), positions.shape).reshape(-1)
        except ValueError:
            raise Refused("shape", "inplace_shape") from None
        new = x.scalars().reshape(-1)
        for place, each in zip(positions.reshape(-1), values, strict=True):
            new[place] = new[place] + each if accumulate else over(each, new[place], COVERED)
        return self.fresh(array([*new], x.places.shape), given, once=True)


def mask_of(entries, shape):
    """Return zeros and ones as a mask."""
    return np.array(entries, bool).reshape(shape)
