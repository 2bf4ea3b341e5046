"""A second semantics of programs, as naive as can be: every memory cell is one scalar.

A statement is one scalar equation for each entry. A scalar is an expression: a number, and for each
scalar that it was computed from the derivative by it, which is a scalar again, so that gradients of
gradients come by themselves. A gradient is the sum over all paths. Nothing is shared with the
reference: no tensors, no nodes, no views with histories. What shares memory has the same cells.

What can be refused is told by bookkeeping beside the scalars: which tensors have one history (a
base and its views), what a step has kept for its derivative and at which version of the memory,
whether it may run again.
"""

from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from gradspec.conformance.programs import keys
from gradspec.conformance.programs.machine import MIDWAY, Machine, Value
from gradspec.conformance.programs.reading import VALUES, size

SERIAL = count()

# ---- scalars -------------------------------------------------------------------------------------


class Scalar:
    """A number, and what it was computed from: pairs of a scalar and the derivative by it."""

    __slots__ = ("number", "paths", "serial")

    def __init__(self, number, paths=()):
        self.number = float(number)
        self.paths = tuple(paths)
        self.serial = next(SERIAL)

    def __add__(self, other):
        return Scalar(self.number + other.number, [(self, ONE), (other, ONE)])

    def __sub__(self, other):
        return Scalar(self.number - other.number, [(self, ONE), (other, MINUS)])

    def __mul__(self, other):
        return Scalar(self.number * other.number, [(self, other), (other, self)])

    def fixed(self):
        """Return the number alone."""
        return Scalar(self.number)


ZERO, ONE, MINUS = Scalar(0), Scalar(1), Scalar(-1)


def slopes(roots):
    """Return, for each scalar that weighted roots depend on, the sum over all paths to it."""
    found, order = {}, {}
    stack = [root for root, _ in roots]
    while stack:
        scalar = stack.pop()
        if scalar.serial not in order:
            order[scalar.serial] = scalar
            stack += [source for source, _ in scalar.paths]
    for root, weight in roots:
        found[root.serial] = found[root.serial] + weight if root.serial in found else weight
    for serial in sorted(order, reverse=True):  # users are younger than what they use
        if serial not in found:
            continue
        for source, slope in order[serial].paths:
            part = found[serial] * slope
            known = found.get(source.serial)
            found[source.serial] = part if known is None else known + part
    return found


def array(scalars, shape):
    """Return scalars as an array of objects."""
    made = np.empty(len(scalars), object)
    made[:] = scalars
    return made.reshape(shape)


# ---- tensors -------------------------------------------------------------------------------------


class Unmodelled(Exception):
    """A statement that the model does not speak of."""


class Refused(Exception):
    """A statement that is refused, by the word for it."""

    def __init__(self, *words):
        super().__init__(words[0])
        self.words = words


@dataclass(eq=False)
class Memory:
    """Numbers, and how often they were written, as each counter has it."""

    numbers: list


@dataclass(eq=False, repr=False)
class Step:
    """One recorded step: the steps before it, what it keeps, and whether it keeps anything."""

    before: tuple
    keeps: tuple = ()  # pairs of a counter and its reading
    once: bool = False
    done: bool = False
    leaf: object = None


@dataclass(eq=False)
class History:
    """What a base and its views have in common: the scalars in the cells, and the last step."""

    cells: dict = field(default_factory=dict)
    unrecorded: dict = field(default_factory=dict)
    last: Step | None = None
    first: Step | None = None  # of a leaf: where its gradient is added
    leaf: bool = False


@dataclass(eq=False)
class Tensor:
    """Cells of a memory in some shape."""

    memory: Memory
    places: np.ndarray
    history: History
    counter: list
    base: object = None
    source: object = None  # of a view: what it was made of,
    origins: tuple = ()  # and which of its positions
    lost: str = ""  # why its history cannot be written, nor found again after a write
    recorded: bool = True  # of a view: whether it was made of what requires grad, and recorded
    cut: bool = False  # of a view: whether it was made, or its source, while nothing was recorded
    seen: int = 0  # of a view: at which count of writes it was made
    grad: list | None = None
    own: dict = field(default_factory=dict)  # of a view: its scalars, each one of the base's
    own_at: int = -1  # at which count of writes
    own_step: Step | None = None

    @property
    def dead(self):
        """Whether nothing leads from it to what it is a view of."""
        return self.cut or (not self.recorded and self.current)

    @property
    def current(self):
        """Whether nothing was written since it was made; else a view is made anew of its base."""
        return bool(self.lost) or self.counter[0] == self.seen

    @property
    def tracked(self):
        return self.history.leaf or self.history.last is not None

    def scalars(self):
        """Return the scalars in its cells, in its shape."""
        flat = [self.scalar(*each) for each in enumerate(self.places.reshape(-1))]
        return array([*flat], self.places.shape)

    def scalar(self, position, place):
        number = self.memory.numbers[place]
        if self.dead:
            return Scalar(number)
        if self.base is None or not self.tracked:
            return self.below(place)
        as_made = self.counter[0] == self.seen
        found = self.source.scalar_at(self.origins[position]) if as_made else self.below(place)
        if self.own_at != self.counter[0]:
            self.own, self.own_step, self.own_at = {}, None, self.counter[0]
        return self.own.setdefault(position, Scalar(number, [(found, ONE)]))

    def scalar_at(self, position):
        """Return the scalar at a position, in row-major order."""
        return self.scalar(position, self.places.reshape(-1)[position])

    def below(self, place):
        """Return the scalar in a cell of the base."""
        number = self.memory.numbers[place]
        known = self.history.cells.get(place)
        if known is None and not self.tracked:
            return Scalar(number)
        if known is None:
            known = self.history.cells[place] = Scalar(number)
        if same(known.number, number):
            return known
        # What was written while nothing was recorded: another number, the same history.
        written = self.history.unrecorded.get(place)
        if written is None or not same(written.number, number):
            written = self.history.unrecorded[place] = Scalar(number, [(known, ONE)])
        return written

    def scalars_recorded(self):
        """Return the scalars that its history speaks of."""
        flat = [*self.scalars().reshape(-1)]
        if self.base is None:
            cells = self.history.cells
            flat = [cells.get(p, x) for p, x in zip(self.places.reshape(-1), flat, strict=True)]
        return flat


def same(x, y):
    return x == y or (x != x and y != y)  # noqa: PLR0124 - nan


class Model(Machine):
    """A run of a program on the model: what is seen is told as a machine tells it."""

    def __init__(self):
        self.variables, self.starts, self.seen, self.also = [], [], [], {}
        self.parts = set()
        self.at = 0
        self.recording, self.modes = True, []

    # ---- the run ---------------------------------------------------------------------------------

    def run(self, program):
        """Carry out all statements, then tell of all variables."""
        for at, (kind, operands, options, results) in enumerate(program):
            self.at = at
            given = [self.variables[number] for number in operands]
            made = ()
            if all(x is not None for x in given):
                self.operands = operands
                try:
                    made = getattr(self, f"do_{kind}")(given, options)
                except Refused as refusal:
                    self.refuse("refused", refusal)
                    made = ()
                    if refusal.words[0] in MIDWAY and kind in {"backward", "gradients"}:
                        return self.seen
            parts = made if isinstance(made, list) else [made] if made is not None else []
            if results > 1 and kind != "gradients":
                self.parts.update(range(len(self.variables), len(self.variables) + results))
            for place in range(results):
                x = parts[place] if made != () and place < len(parts) else None
                self.variables.append(x)
                self.starts.append(x.counter[0] if x else 0)
        self.tell_of_all(len(program))
        return self.seen

    def tell_of_all(self, end):
        """Tell of all variables at the end."""
        self.at = end
        for number, x in enumerate(self.variables):
            if x is None:
                continue
            try:
                answer = self.value(x), x.tracked, self.is_leaf(x), self.written(number, x)
            except Refused as refusal:
                self.refuse(f"v{number} refused", refusal)
            else:
                self.note(f"v{number}", answer)

    def refuse(self, what, refusal):
        """Note a refusal, and every other one that applies."""
        self.note(what, refusal.words[0])
        self.also[self.at] = refusal.words

    def written(self, number, x):
        return x.counter[0] - self.starts[number]

    def value(self, x):
        numbers = [x.memory.numbers[place] for place in x.places.reshape(-1)]
        shape = x.places.shape
        return Value("float64", shape, np.array(numbers, float).reshape(shape).tolist())

    def is_leaf(self, x):
        self.see_history(x)
        if x.base is not None and x.tracked:
            return not x.recorded and x.current
        return x.history.last is None

    # ---- making ----------------------------------------------------------------------------------

    def fresh(self, scalars, operands=(), keeps=(), once=False):  # noqa: FBT002
        """Make a result of scalars, with a step behind it if one is recorded."""
        scalars = np.asarray(scalars, object)
        flat = [Scalar(each.number, [(each, ONE)]) for each in scalars.reshape(-1)]
        memory = Memory([each.number for each in flat])
        x = Tensor(memory, np.arange(len(flat)).reshape(scalars.shape), History(), [0])
        if self.recording and any(y.tracked for y in operands):
            x.history.cells = dict(enumerate(flat))
            x.history.last = self.step(operands, keeps, once)
        return x

    def step(self, operands, keeps=(), once=False):  # noqa: FBT002
        """Record a step on operands, which keeps some of them."""
        for x in operands:
            self.see_history(x)
        before = tuple(self.last_of(x) for x in operands if x.tracked and not x.dead)
        return Step(before, tuple((x.counter, x.counter[0]) for x in keeps), once or bool(keeps))

    def last_of(self, x):
        """Return the step that leads to a tensor: a leaf has one that adds to its gradient."""
        if x.base is not None and not x.dead:
            if x.own_at != x.counter[0]:
                x.own, x.own_step, x.own_at = {}, None, x.counter[0]
            source = x.source if x.counter[0] == x.seen else x.base
            x.own_step = x.own_step or Step((self.last_of(source),))
            return x.own_step
        if x.history.last is None:
            x.history.first = x.history.first or Step((), leaf=x.history)
            return x.history.first
        return x.history.last

    def see_history(self, x):
        """Refuse to use a view that has lost its history by a write to its base."""
        if x.lost and x.tracked and x.counter[0] != x.seen:
            raise Refused(x.lost)

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
            x.history.cells[place] = Scalar(x.memory.numbers[place])

    def entrywise(self, given, function, keeps=(), once=False):  # noqa: FBT002
        """Compute entry by entry, with broadcasting."""
        operands = [x.scalars() for x in given]
        try:
            operands = np.broadcast_arrays(*operands) if len(operands) > 1 else operands
        except ValueError:
            raise Refused("shape") from None
        shape = operands[0].shape
        flat = [function(*each) for each in zip(*(o.reshape(-1) for o in operands), strict=True)]
        scalars = array([*flat], shape)
        return self.fresh(scalars, given, keeps, once)

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

    def do_where(self, given, options):
        entries, shape = options
        mask = np.array(entries, bool).reshape(shape)
        try:
            x, y, mask = np.broadcast_arrays(given[0].scalars(), given[1].scalars(), mask)
        except ValueError:
            raise Refused("shape") from None
        return self.fresh(np.where(mask, x, y), given, once=True)

    def do_sum(self, given, options):
        scalars = given[0].scalars()
        dim = options[0] if options and scalars.ndim else None
        return self.fresh(summed(scalars, dim), given)

    def do_matmul(self, given, options):
        x, y = (each.scalars() for each in given)
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

    # ---- looking ---------------------------------------------------------------------------------

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
        return self.view_of(given, lambda p: np.broadcast_to(p, options[0]))

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
        extent = x.places.shape[dim]
        spans = [range(a, min(a + step, extent)) for a in range(0, max(extent, 1), step)]
        return self.several(given, lambda p: [p.take(span, dim) for span in spans])

    def do_chunk(self, given, options):
        (x,) = given
        if not x.places.ndim:
            raise Refused("dimension")
        chunks, dim = options
        extent = x.places.shape[self.axis(x, dim)]
        return self.do_split(given, (max(1, -(-extent // chunks)), dim))

    # ---- writing ---------------------------------------------------------------------------------

    def write(self, x, scalars, operands=(), keeps=(), through=False, once=False):  # noqa: FBT002
        """Put scalars into the cells of a tensor, or refuse to."""
        self.check(x, operands, scalars)
        recorded = self.recording and any(y.tracked for y in (x, *operands))
        step = self.step((x, *operands), keeps, once) if recorded else None
        flat = np.broadcast_to(scalars, x.places.shape).reshape(-1)
        for place, scalar in zip(x.places.reshape(-1), [*flat], strict=True):
            if recorded:
                x.history.cells[place] = Scalar(scalar.number, [(scalar, ONE)])
            x.memory.numbers[place] = scalar.number
        x.counter[0] += 1
        if recorded:
            if x.base is not None or through:
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
        self.arithmetic(given, lambda x, y: y * ONE)

    def by_number(self, given, function, once=False):  # noqa: FBT002
        (x,) = given
        flat = [function(each) for each in self.fresh_view(x).scalars().reshape(-1)]
        made = array([*flat], x.places.shape)
        self.write(x, made, once=once)

    def do_add_number(self, given, options):
        self.by_number(given, lambda x: x + Scalar(options[0]))

    def do_sub_number(self, given, options):
        self.by_number(given, lambda x: x - Scalar(options[0]))

    def do_mul_number(self, given, options):
        self.by_number(given, lambda x: x * Scalar(options[0]), once=True)

    def do_fill_number(self, given, options):
        self.by_number(given, lambda x: Scalar(options[0]))

    def do_neg_(self, given, options):
        self.by_number(given, lambda x: x * MINUS)

    def do_zero_(self, given, options):
        self.by_number(given, lambda x: Scalar(0))

    def do_fill_(self, given, options):
        if given[1].places.ndim:
            raise Refused("shape")
        self.arithmetic(given, lambda x, y: y * ONE)

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
        self.by_number([self.part_of(given[0], options[0])], lambda x: Scalar(options[1]))

    def do_set_tensor(self, given, options):
        target, y = self.part_of(given[0], options[0]), given[1]
        if y.memory is target.memory and y.places.size:
            y = self.do_clone([y], ())
        scalars = y.scalars()
        while scalars.ndim > target.places.ndim and scalars.shape[0] == 1:
            scalars = scalars[0]
        made = [each * ONE for each in scalars.reshape(-1)]
        self.write(target, array([*made], scalars.shape), (y,))

    # ---- modes and flags -------------------------------------------------------------------------

    def do_no_grad(self, given, options):
        self.modes.append(self.recording)
        self.recording = False

    def do_enable_grad(self, given, options):
        self.modes.append(self.recording)
        self.recording = True

    def do_set_grad(self, given, options):
        self.recording = options[0]

    def do_set_grad_block(self, given, options):
        self.modes.append(self.recording)
        self.recording = options[0]

    def do_leave(self, given, options):
        if self.modes:
            self.recording = self.modes.pop()

    def do_requires_grad_(self, given, options):
        (x,) = given
        self.see_history(x)
        if options[0]:
            if not x.tracked and x.base is None:
                self.require(x)
            elif not x.tracked:
                raise Unmodelled
        elif any(y is not None and y.base is x for y in self.variables):
            return
        elif x.history.last is not None or x.base is not None:
            if x.tracked and not self.is_leaf(x):
                raise Refused("nonleaf_flag")
        else:
            x.history.leaf = False
            x.history.cells = {}

    def alias(self, x, counter):
        return Tensor(x.memory, x.places, History(), counter)

    def do_detach(self, given, options):
        return self.alias(given[0], given[0].counter)

    def do_clear_grad(self, given, options):
        given[0].grad = None

    # ---- differentiating -------------------------------------------------------------------------

    def weighted(self, x, seed):
        entries = [Scalar(VALUES[(seed + i) & 15]) for i in range(size(x.places.shape))]
        return [*zip([*x.scalars().reshape(-1)], entries, strict=True)]

    def pass_over(self, roots, wanted, options):
        """Walk the steps that a pass runs: refuse stale and freed ones, and free them."""
        for x in roots:
            self.see_history(x)
            if self.starts_nothing(x):
                raise Refused("no_graph")
        starts = [self.last_of(x) for x in roots]
        steps = run_by(starts, wanted)
        for step in steps:
            if step.once and step.done:
                raise Refused("freed_graph", *MIDWAY)
            if step.leaf is not None and step.leaf.last is not None:
                raise Refused("moved_leaf", *MIDWAY)
            if any(counter[0] != reading for counter, reading in step.keeps):
                raise Refused("stale_saved_value", *MIDWAY)
        if not options.get("retain_graph", options.get("create_graph", False)):
            for step in steps:
                step.done = True

    def starts_nothing(self, x):
        """Whether no pass can start at a tensor: it is a constant, or a view that was cut off."""
        return not x.tracked or (x.base is not None and not x.recorded and x.current)

    def do_backward(self, given, options):
        count_, seed, words = options
        roots, inputs = given[:count_], given[count_:]
        if inputs:
            raise Unmodelled
        weighted = [pair for i, x in enumerate(roots) for pair in self.weighted(x, seed + i)]
        self.pass_over(roots, None, dict(words))
        found = slopes(weighted)
        for x in self.variables:
            if x is None or x.base is not None or not x.history.leaf or x.history.last is not None:
                continue
            cells = [x.history.cells.get(place) for place in x.places.reshape(-1)]
            arrived = [found.get(cell.serial, ZERO) for cell in cells]
            if not dict(words).get("create_graph"):
                arrived = [each.fixed() for each in arrived]
            former = x.grad or [ZERO] * len(arrived)
            x.grad = [a + b for a, b in zip(former, arrived, strict=True)]

    # ---- observing -------------------------------------------------------------------------------

    def do_gradients(self, given, options):
        root, *inputs = given
        if any(map(self.is_part, inputs)):
            return []
        seed, told = options[0], dict(options[1])
        words = ["no_graph"] if self.starts_nothing(root) else []
        for x in (root, *inputs):
            words += [x.lost] if x.lost and x.tracked and x.counter[0] != x.seen else []
            words += [] if x.tracked else ["no_graph"]
        if words:
            raise Refused(*words)
        weighted = self.weighted(root, seed)
        goals = [None if x.dead else self.last_of(x) for x in inputs]
        self.pass_over([root], goals, told)
        found = slopes(weighted)
        reached = below([self.last_of(root)])
        results = []
        for x, goal in zip(inputs, goals, strict=True):
            if not any(step is goal for step in reached):
                if not (told.get("allow_unused") or told.get("materialize_grads")):
                    raise Refused("unreachable")
                results.append(self.unused(x, told))
                continue
            flat = [found.get(each.serial, ZERO) for each in x.scalars_recorded()]
            results.append(self.gradient(x, flat, told))
        return results

    def unused(self, x, told):
        """Return what stands for the gradient of what took no part."""
        if not told.get("materialize_grads"):
            return None
        made = self.gradient(x, [ZERO.fixed() for _ in range(x.places.size)], {})
        if told.get("create_graph") and self.recording:
            made.history.last = Step(())  # a clone of zeros that require grad
            made.history.cells = dict(enumerate(ZERO.fixed() for _ in range(x.places.size)))
        return made

    def gradient(self, x, flat, told):
        """Return a gradient as a tensor: with a history if the pass is recorded."""
        if not told.get("create_graph"):
            flat = [each.fixed() for each in flat]
        if told.get("create_graph") and not flat:
            raise Unmodelled  # whether nothing depends on something
        made = self.fresh(array([*flat], x.places.shape))
        if told.get("create_graph") and self.recording and any(map(self.follows, flat)):
            made.history.cells = dict(enumerate(flat))
            made.history.last = Step(())
        return made

    def follows(self, scalar):
        """Whether a scalar depends on a leaf."""
        leaves = {
            id(cell)
            for x in self.variables
            if x is not None and x.history.leaf
            for cell in x.history.cells.values()
        }
        seen, stack = set(), [scalar]
        while stack:
            each = stack.pop()
            if id(each) in leaves:
                return True
            if id(each) not in seen:
                seen.add(id(each))
                stack += [source for source, _ in each.paths]
        return False

    def do_look_value(self, given, options):
        self.note("value", self.value(given[0]))

    def do_look_flags(self, given, options):
        self.note("flags", (given[0].tracked, self.is_leaf(given[0])))

    def do_look_version(self, given, options):
        self.note("version", self.written(self.operands[0], given[0]))

    def do_look_grad(self, given, options):
        (x,) = given
        numbers = [0.0] * x.places.size if x.grad is None else [each.number for each in x.grad]
        shape = x.places.shape
        self.note("grad", Value("float64", shape, np.reshape(numbers, shape).tolist()))


def below(starts):
    """Return every step that these lead to, themselves among them."""
    seen, stack = {}, [*starts]
    while stack:
        step = stack.pop()
        if id(step) not in seen:
            seen[id(step)] = step
            stack += step.before
    return [*seen.values()]


def run_by(starts, wanted):
    """Return the steps that a pass runs: all, or those on a way to something wanted below them."""
    steps = below(starts)
    if wanted is None:
        return steps
    goals = {id(step) for step in wanted if step is not None}
    return [step for step in steps if any(id(each) in goals for each in below(step.before))]


def numbered(shape):
    """Return the positions of a tensor in its shape."""
    return np.arange(size(shape)).reshape(shape)


def summed(scalars, dim):
    """Add scalars up, along one axis or all."""
    if dim is None:
        total = ZERO * ONE
        for each in scalars.reshape(-1):
            total = total + each
        made = np.empty((), object)
        made[()] = total
        return made
    moved = np.moveaxis(scalars, dim, 0)
    made = np.empty(moved.shape[1:], object)
    made[...] = ZERO
    for each in moved:
        made = made + each
    return made


def full_key(key):
    """Return a key as numpy has it, with what is selected of all axes."""
    key = keys.made(key)
    return key if Ellipsis in key else (*key, ...)


def is_whole(item, extent):
    """Whether an item of a key selects all of an axis."""
    if item is Ellipsis:
        return True
    return isinstance(item, slice) and item.indices(extent) == (0, extent, 1)
