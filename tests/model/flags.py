"""Statements that switch recording, and change flags."""

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
            x.history.leaf = False
            x.history.cells = {}

    def alias(self, x, counter):
        return Tensor(x.memory, x.places, History(), counter)

    def do_detach(self, given, options):
        return self.alias(given[0], given[0].counter)

    def do_clear_grad(self, given, options):
        given[0].grad = None
