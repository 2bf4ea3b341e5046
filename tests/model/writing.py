"""Statements that write: new scalars for cells, and when that is refused."""

from dataclasses import replace

import numpy as np

from . import functions
from .cells import COVERED, MINUS, NOTHING, ONE, Scalar, array, over
from .looking import full_key, numbered
from .tensors import Refused, Step, Unmodelled


class Writing:
    """In-place operations and assignments."""

    def write(self, x, scalars, operands=(), keeps=(), once=False, keeps_it=False):  # noqa: FBT002
        """Put scalars into the cells of a tensor, or refuse to; the step may keep what it wrote."""
        self.check(x, operands, scalars)
        recorded = self.recording and any(y.tracked for y in (x, *operands))
        step = self.step((x, *operands), keeps, once) if recorded else None
        flat = np.broadcast_to(scalars, x.places.shape).reshape(-1)
        for place, scalar in zip(x.places.reshape(-1), [*flat], strict=True):
            if recorded and x.base is not None and x.tracked:
                x.history.cells[place] = over(scalar, x.below(place), COVERED)
            elif recorded:
                x.history.cells[place] = Scalar(scalar.number, [(scalar, ONE)])
            x.memory.numbers[place] = scalar.number
        x.counter[0] += 1
        self.changes += 1
        if recorded:
            if keeps_it:
                step.keeps, step.once = (*step.keeps, (x.counter, x.counter[0])), True
            if x.base is not None:
                before = (self.last_of(x.base or x),) if x.tracked else ()
                step = Step((*before, step), once=True)
            x.history.last, x.history.leaf = step, False

    def check(self, x, operands, scalars=None):
        """Refuse a write, telling all the reasons that there are."""
        words = []
        if self.recording and any(y.tracked for y in (x, *operands)):
            base = x.base or x
            if x.base is not None and x.lost:
                words.append(x.lost)
            elif x.base is not None and x.tracked and base.history.last is None:
                words += ["view_of_leaf_inplace", *(["leaf_inplace"] if self.is_leaf(x) else [])]
            elif x.tracked and self.is_leaf(x):
                words.append("leaf_inplace")
            words += [y.lost for y in operands if y.lost and y.tracked and y.counter[0] != y.seen]
        flat = x.places.reshape(-1)
        if len(set(flat.tolist())) < len(flat):
            words.append("overlapping_write")
        if scalars is not None:
            try:
                if np.broadcast_shapes(np.shape(scalars), x.places.shape) != x.places.shape:
                    words += ["inplace_shape", "shape"]
            except ValueError:
                words += ["shape", "inplace_shape"]
        if words:
            raise Refused(*words)

    def fresh_view(self, x):
        """Return what a write reads: of a view, one that is made for it."""
        return x if x.base is None else replace(x, own={}, own_at=-1, own_step=None, seen=-1)

    def arithmetic(self, given, function, keeps=()):
        x, y = given
        if y is not x and y.memory is x.memory and x.places.size:
            y = self.do_clone([y], ())
            keeps = [y] if keeps else []
        old, other = self.fresh_view(x).scalars(), y.scalars()
        try:
            old, other = np.broadcast_arrays(old, other)
        except ValueError:
            self.check(x, (y,), other)
        flat = [function(*each) for each in zip(old.reshape(-1), other.reshape(-1), strict=True)]
        self.write(x, array([*flat], old.shape), (y,), keeps)

    def do_add_(self, given, options):
        self.arithmetic(given, lambda x, y: x + y)

    def do_sub_(self, given, options):
        self.arithmetic(given, lambda x, y: x - y)

    def do_mul_(self, given, options):
        # The old value is kept as a copy, so a write makes only the other factor stale.
        self.arithmetic(given, lambda x, y: x * y, [given[1]] if given[0].tracked else [])

    def do_copy_(self, given, options):
        self.arithmetic(given, lambda x, y: over(y, x, NOTHING))

    def do_div_(self, given, options):
        self.arithmetic(given, functions.div, [given[1]])

    def by_number(self, given, function, once=False, keeps_it=False):  # noqa: FBT002
        (x,) = given
        flat = [function(each) for each in self.fresh_view(x).scalars().reshape(-1)]
        made = array([*flat], x.places.shape)
        self.write(x, made, once=once, keeps_it=keeps_it)

    def do_add_number(self, given, options):
        self.by_number(given, lambda x: x + Scalar(options[0]))

    def do_sub_number(self, given, options):
        self.by_number(given, lambda x: x - Scalar(options[0]))

    def do_mul_number(self, given, options):
        self.by_number(given, lambda x: x * Scalar(options[0]), once=True)

    def do_fill_number(self, given, options):
        self.by_number(given, lambda x: over(Scalar(options[0]), x, NOTHING))

    def do_neg_(self, given, options):
        self.by_number(given, lambda x: x * MINUS)

    def do_zero_(self, given, options):
        self.by_number(given, lambda x: over(Scalar(0), x, NOTHING))

    def do_div_number(self, given, options):
        self.by_number(given, lambda x: functions.div(x, Scalar(options[0])), once=True)

    def do_exp_(self, given, options):
        self.by_number(given, functions.exp, keeps_it=True)

    def do_tanh_(self, given, options):
        self.by_number(given, functions.tanh, keeps_it=True)

    def do_sigmoid_(self, given, options):
        self.by_number(given, functions.sigmoid, keeps_it=True)

    def do_relu_(self, given, options):
        self.by_number(given, functions.relu, keeps_it=True)

    def do_sin_(self, given, options):
        self.by_number(given, functions.sin, once=True)

    def do_clamp_(self, given, options):
        self.by_number(given, lambda x: functions.clamp(x, *options), once=True)

    def do_fill_(self, given, options):
        if given[1].places.ndim:
            raise Refused("shape")
        self.arithmetic(given, lambda x, y: over(y, x, NOTHING))

    def part_of(self, x, key):
        """Return what an assignment writes into: a view, or the tensor itself if that is all."""
        try:
            key = full_key(key)
            places = x.places[key]
        except IndexError:
            raise Refused("index_range", "dimension", "shape") from None
        whole = all(is_whole(k, n) for k, n in zip(key, (*x.places.shape, 0), strict=False))
        base = x.base if whole else x.base or x
        return replace(x, places=places, base=base, source=x.source or x, origins=(), seen=-1)

    def do_set_number(self, given, options):
        target = self.part_of(given[0], options[0])
        self.by_number([target], lambda x: over(Scalar(options[1]), x, NOTHING))

    def do_set_tensor(self, given, options):
        target, y = self.part_of(given[0], options[0]), given[1]
        if y.memory is target.memory and y.places.size:
            y = self.do_clone([y], ())
        scalars = y.scalars()
        while scalars.ndim > target.places.ndim and scalars.shape[0] == 1:
            scalars = scalars[0]
        try:
            old, scalars = np.broadcast_arrays(self.fresh_view(target).scalars(), scalars)
        except ValueError:
            self.check(target, (y,), scalars)
        pairs = zip(old.reshape(-1), scalars.reshape(-1), strict=True)
        made = [over(each, former, NOTHING) for former, each in pairs]
        self.write(target, array(made, old.shape), (y,))

    # ---- turns: the tensor itself has another shape from then on ---------------------------------

    def turn(self, x, function):
        """Give a tensor the shape of a view of it."""
        if x.tracked and not self.recording:
            return  # what becomes of its history is said nowhere
        if not x.tracked and x.grad is not None:
            if not any(each.number for each in x.grad):
                raise Unmodelled  # zeros and no gradient are the same here
            return  # nor what becomes of a gradient of the former shape
        positions = function(numbered(x.places.shape))
        self.check(x, ())
        if x.base is not None:
            former = replace(x)
            for name, value in vars(self.look(former, positions)).items():
                setattr(x, name, value)
        else:
            below = [x.below(place) for place in x.places.reshape(-1)]
            x.places = x.places.reshape(-1)[positions]
        x.counter[0] += 1
        self.changes += 1
        if x.tracked:
            x.seen = x.counter[0]
        if x.tracked and x.base is None:
            places = x.places.reshape(-1)[np.argsort(positions.reshape(-1))]
            made = (Scalar(each.number, [(each, ONE)]) for each in below)
            x.history.cells |= dict(zip(places, made, strict=True))
            x.history.last = Step((x.history.last,))

    def do_t_(self, given, options):
        if given[0].places.ndim > 2:
            raise Refused("shape")
        self.turn(given[0], lambda p: p.T)

    def do_squeeze_(self, given, options):
        self.turn(given[0], np.squeeze)

    def do_unsqueeze_(self, given, options):
        if options[0] > given[0].places.ndim:
            raise Refused("dimension")
        self.turn(given[0], lambda p: np.expand_dims(p, options[0]))


def is_whole(item, extent):
    """Whether an item of a key selects all of an axis."""
    if item is Ellipsis:
        return True
    return isinstance(item, slice) and item.indices(extent) == (0, extent, 1)
