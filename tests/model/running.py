"""A run of a program on the model, and how it records what leads where."""

import numpy as np

from gradspec.conformance.programs.instructions import Value
from gradspec.conformance.programs.machine import GRADIENTS, Machine, is_midway

from .cells import ONE, Scalar
from .tensors import History, Memory, Refused, Step, Tensor


class Running(Machine):
    """The variables, what is seen of them, and the recording."""

    def __init__(self):
        self.variables, self.starts, self.seen, self.also = [], [], [], {}
        self.parts = set()
        self.at = 0
        self.recording, self.modes = True, []
        self.changes = 0  # writes, and passes that freed something

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
                    if is_midway(kind, refusal.words[0]):
                        self.note("recording", self.recording)
                        return self.seen
            parts = made if isinstance(made, list) else [made] if made is not None else []
            if results > 1 and kind not in GRADIENTS:
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
        self.note("recording", self.recording)
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

    # ---- recording -------------------------------------------------------------------------------

    def fresh(self, scalars, operands=(), keeps=(), once=False, keeps_it=False):  # noqa: FBT002
        """Make a result of scalars, with a step behind it if one is recorded, which may keep it."""
        scalars = np.asarray(scalars, object)
        flat = [Scalar(each.number, [(each, ONE)]) for each in scalars.reshape(-1)]
        memory = Memory([each.number for each in flat])
        x = Tensor(memory, np.arange(len(flat)).reshape(scalars.shape), History(), [0])
        if self.recording and any(y.tracked for y in operands):
            x.history.cells = dict(enumerate(flat))
            x.history.last = self.step(operands, [*keeps, *([x] if keeps_it else [])], once)
        return x

    def step(self, operands, keeps=(), once=False):  # noqa: FBT002
        """Record a step on operands, which keeps some of them."""
        for x in operands:
            self.see_history(x)
        before = tuple(self.last_of(x) for x in operands if x.tracked and x.leads)
        return Step(before, tuple((x.counter, x.counter[0]) for x in keeps), once or bool(keeps))

    def last_of(self, x):
        """Return the step that leads to a tensor: a leaf has one that adds to its gradient."""
        if x.base is not None:
            x.kept()
            source = x.source if x.counter[0] == x.seen else x.base
            x.own_step = x.own_step or Step(() if x.dead else (self.last_of(source),))
            return x.own_step
        if x.history.last is None:
            x.history.first = x.history.first or Step((), leaf=x.history)
            return x.history.first
        return x.history.last

    def see_history(self, x):
        """Refuse to use a view that has lost its history by a write to its base."""
        if x.lost and x.tracked and x.counter[0] != x.seen:
            raise Refused(x.lost)
