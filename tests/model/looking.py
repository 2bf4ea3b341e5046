"""Statements that look: other positions of the same cells."""

import numpy as np

from gradspec.conformance.programs import keys
from gradspec.conformance.programs.reading import size

from .tensors import Refused, Tensor


class Looking:
    """Views."""

    def look(self, x, positions, lost=""):
        """Make a view: other positions of the same tensor."""
        if self.recording:
            self.see_history(x)
        base = x.base or x
        lost = x.lost or lost or ("" if self.recording else "no_grad_view_inplace")
        recorded = self.recording and x.tracked
        cut = (not self.recording or x.dead) and x.tracked
        return Tensor(
            x.memory,
            x.places.reshape(-1)[positions],
            x.history,
            x.counter,
            base,
            x,
            (*positions.reshape(-1),),
            lost,
            recorded,
            cut,
            x.counter[0],
        )

    def view_of(self, given, function):
        (x,) = given
        try:
            positions = function(numbered(x.places.shape))
        except IndexError:
            raise Refused("index_range", "dimension", "shape") from None
        except (ValueError, TypeError):
            raise Refused("shape", "dimension", "index_range") from None
        return self.look(x, positions)

    def do_getitem(self, given, options):
        return self.view_of(given, lambda p: p[full_key(options[0])])

    def do_select(self, given, options):
        dim, place = options
        (x,) = given
        if not x.places.ndim:
            raise Refused("dimension")
        self.axis(x, dim)
        if place >= x.places.shape[dim]:
            raise Refused("index_range")
        return self.view_of(given, lambda p: np.moveaxis(p, dim, 0)[place, ...])

    def do_narrow(self, given, options):
        dim, start, length = options
        (x,) = given
        if not x.places.ndim:
            raise Refused("dimension")
        self.axis(x, dim)
        start += x.places.shape[dim] if start < 0 else 0
        if length < 0:
            raise Refused("shape", "index_range", "argument")
        if start < 0:
            raise Refused("index_range", "shape", "argument")
        if start > x.places.shape[dim]:
            raise Refused("index_range")
        if start + length > x.places.shape[dim]:
            raise Refused("shape")
        return self.view_of(given, lambda p: p.take(range(start, start + length), dim))

    def do_transpose(self, given, options):
        (x,) = given
        for dim in options:
            self.axis(x, dim)
        return self.view_of(given, lambda p: p.swapaxes(*options) if p.ndim else p)

    def do_permute(self, given, options):
        if len(options[0]) != given[0].places.ndim:
            raise Refused("dimension")
        return self.view_of(given, lambda p: p.transpose(options[0]))

    def do_movedim(self, given, options):
        for dim in options:
            self.axis(given[0], dim)
        return self.view_of(given, lambda p: np.moveaxis(p, *options) if p.ndim else p)

    def do_t(self, given, options):
        if given[0].places.ndim > 2:
            raise Refused("shape")
        return self.view_of(given, lambda p: p.T)

    def do_squeeze(self, given, options):
        (x,) = given
        if options:
            self.axis(x, options[0])
        dims = [d % max(x.places.ndim, 1) for d in options] if options else range(x.places.ndim)
        drop = tuple(d for d in dims if d < x.places.ndim and x.places.shape[d] == 1)
        return self.view_of(given, lambda p: np.squeeze(p, drop))

    def do_unsqueeze(self, given, options):
        (x,) = given
        if options[0] > x.places.ndim:
            raise Refused("dimension")
        return self.view_of(given, lambda p: np.expand_dims(p, options[0]))

    def do_expand(self, given, options):
        shape = given[0].places.shape
        sizes = [*options[0]]
        for axis in range(-min(len(shape), len(sizes)), 0):
            sizes[axis] = shape[axis] if sizes[axis] == -1 else sizes[axis]
        return self.view_of(given, lambda p: np.broadcast_to(p, sizes))

    def do_diagonal(self, given, options):
        if given[0].places.ndim < 2:
            raise Refused("dimension")
        return self.view_of(given, lambda p: np.diagonal(p, options[0]))

    def several(self, given, cut):
        (x,) = given
        parts = cut(numbered(x.places.shape))
        return [self.look(x, part, "multi_output_view_inplace") for part in parts]

    def do_unbind(self, given, options):
        (x,) = given
        if not x.places.ndim:
            raise Refused("dimension")
        dim = self.axis(x, options[0])
        extent = x.places.shape[dim]
        return self.several(
            given, lambda p: [np.moveaxis(p, dim, 0)[i, ...] for i in range(extent)]
        )

    def do_split(self, given, options):
        (x,) = given
        if not x.places.ndim:
            raise Refused("dimension")
        step, dim = options[0], self.axis(x, options[1])
        if step <= 0:
            raise Refused("shape", "argument")
        extent = x.places.shape[dim]
        spans = [range(a, min(a + step, extent)) for a in range(0, max(extent, 1), step)]
        return self.several(given, lambda p: [p.take(span, dim) for span in spans])

    def do_chunk(self, given, options):
        (x,) = given
        if not x.places.ndim:
            raise Refused("dimension")
        chunks, dim = options
        if chunks <= 0:
            raise Refused("shape", "argument")
        extent = x.places.shape[self.axis(x, dim)]
        return self.do_split(given, (max(1, -(-extent // chunks)), dim))


def numbered(shape):
    """Return the positions of a tensor in its shape."""
    return np.arange(size(shape)).reshape(shape)


def full_key(key):
    """Return a key as numpy has it, with what is selected of all axes."""
    if ("slice", None, None, -1) in key:
        raise Refused("argument", "index_range", "dimension", "shape")
    key = keys.made(key)
    return key if Ellipsis in key else (*key, ...)
