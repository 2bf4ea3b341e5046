"""Passes: which steps run, what is refused, and the sums over all paths."""

from gradspec.conformance.programs.machine import MIDWAY
from gradspec.conformance.programs.reading import VALUES, size

from .cells import ONE, ZERO, Scalar, array, slopes
from .tensors import Refused, Step, Unmodelled, below, run_by


class Differentiating:
    """Backward and gradients."""

    def weighted(self, x, seed, form=""):
        shape = x.places.shape
        entries = [Scalar(VALUES[(seed + i) & 15]) for i in range(size(shape))]
        if form == "tracked":
            raise Unmodelled
        if form == "number":
            raise Refused("argument", "no_graph")
        given = {"one": (1,), "flat": (len(entries),), "axis": (1, *shape)}.get(form, shape)
        if given != shape:
            raise Refused("cotangent_shape", "no_graph", "argument")
        if form == "none":
            if len(entries) != 1:
                raise Refused("nonscalar_backward", "no_graph", "argument")
            entries = [ONE]
        return [*zip([*x.scalars().reshape(-1)], entries, strict=True)]

    def pass_over(self, roots, wanted, options):
        """Walk the steps that a pass runs: refuse stale and freed ones, and free them."""
        self.began = self.changes
        for x in roots:
            self.see_history(x)
            if self.starts_nothing(x):
                raise Refused("no_graph")
        starts = [self.last_of(x) for x in roots]
        steps = run_by(starts, wanted)
        for step in steps:
            if step.made_at not in (None, self.changes):
                raise Unmodelled  # what its own steps keep may be stale or freed
            if step.once and step.done:
                raise Refused("freed_graph", *MIDWAY)
            if step.leaf is not None and step.leaf.last is not None:
                raise Refused("moved_leaf", *MIDWAY)
            if any(counter[0] != reading for counter, reading in step.keeps):
                raise Refused("stale_saved_value", *MIDWAY)
        if not options.get("retain_graph", options.get("create_graph", False)):
            self.changes += 1
            for step in steps:
                step.done = True

    def starts_nothing(self, x):
        """Whether no pass can start at a tensor: it is a constant, or a view that was cut off."""
        return not x.tracked or (x.base is not None and not x.recorded and x.current)

    def do_backward(self, given, options):
        count_, seed, words = options
        roots, inputs = given[:count_], given[count_:]
        form = dict(words).get("cotangent", "")
        if ("inputs", ()) in words or (form and len(roots) > 1):
            raise Unmodelled
        goals = None
        if inputs:
            inputs = [x for x in inputs if self.is_leaf(x)]
            if not inputs:
                return
            for x in inputs:
                if not x.tracked:
                    raise Refused("no_graph")
            goals = [self.last_of(x) for x in inputs]
        weighted = [pair for i, x in enumerate(roots) for pair in self.weighted(x, seed + i, form)]
        self.pass_over(roots, goals, dict(words))
        found = slopes(weighted)
        for x in self.variables:
            if x is None or x.base is not None or not x.history.leaf or x.history.last is not None:
                continue
            if inputs and not any(x is each for each in inputs):
                continue
            cells = [x.history.cells.get(place) for place in x.places.reshape(-1)]
            arrived = [found.get(cell.serial, ZERO) for cell in cells]
            if not dict(words).get("create_graph"):
                arrived = [each.fixed() for each in arrived]
            former = x.grad or [ZERO] * len(arrived)
            x.grad = [a + b for a, b in zip(former, arrived, strict=True)]

    def do_thread(self, given, options):
        self.do_backward(given, options)

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
        weighted = self.weighted(root, seed, told.get("cotangent", ""))
        goals = [self.last_of(x) if x.leads else None for x in inputs]
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
            made.history.last = Step((), made_at=self.began)  # a clone of zeros that require grad
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
            made.history.last = Step((), made_at=self.began)
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
