"""Statements that switch recording, and change flags."""

from .cells import Scalar
from .tensors import History, Refused, Tensor, Unmodelled


class Flags:
    """Modes, flags and detached aliases."""

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
            x.history.leaf = False  # it may be told again, and is the same leaf then

    def alias(self, x, counter):
        return Tensor(x.memory, x.places, History(), counter)

    def do_detach(self, given, options):
        return self.alias(given[0], given[0].counter)

    def do_detach_(self, given, options):
        (x,) = given
        if any(y is not None and y.base is x for y in self.variables):
            return
        if x.base is not None:
            raise Refused("detach_view")
        if x.history.last is not None:
            x.history.last, x.history.cells = None, {}
        x.history.leaf = False

    def do_forget(self, given, options):
        self.variables[self.operands[0]] = None

    def do_aside(self, given, options):
        self.modes.append(self.recording)
        self.recording = options[0] is not False
        try:
            return self.do_times(given, (2,))
        finally:
            self.recording = self.modes.pop()

    def do_decorated(self, given, options):
        way, action = options
        self.modes.append(self.recording)
        self.recording = way.startswith("enable")
        try:
            if action == "doubled":
                return self.do_times(given, (2,))
            if action == "overwritten":
                self.do_set_tensor([given[0], self.do_times(given, (2,))], (("...",),))
            return self.do_getitem(given, (("...",),))
        finally:
            self.recording = self.modes.pop()

    # ---- .grad -----------------------------------------------------------------------------------

    def do_clear_grad(self, given, options):
        given[0].grad = None

    def do_grad(self, given, options):
        (x,) = given
        if x.grad is None or not any(each.number for each in x.grad):
            raise Unmodelled  # zeros and no gradient are the same here
        return self.gradient(x, x.grad, {"create_graph": True})

    def do_write_grad(self, given, options):
        (x,) = given
        if x.grad is not None and any(map(self.follows, x.grad)):
            raise Unmodelled  # a write into what a recorded pass has made
        if x.grad is not None:
            x.grad = [Scalar(each.number * options[0]) for each in x.grad]

    def do_set_grad_of(self, given, options):
        x, y = given
        if "itself" in options:
            raise Refused("grad_assignment")
        if x.places.shape != y.places.shape:
            raise Refused("grad_assignment")
        x.grad = [each.fixed() for each in y.scalars().reshape(-1)]
