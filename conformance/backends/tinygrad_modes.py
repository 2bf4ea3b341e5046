"""Another way in which tinygrad runs a function: captured once, and then repeated."""

from collections.abc import Callable, Sequence

from tinygrad import Tensor, TinyJit

from ..protocol.capabilities import Capability
from ..protocol.mode import Mode

Function = Callable[..., Tensor]

RUNS = 3
"""The first call runs a function as it is, the second one is captured, the third one repeats it."""


class Jit(Mode):
    """Functions as the programs that they came to once."""

    name = "jit"
    does = "functions and their gradients by TinyJit, in the call that repeats what was captured"
    lost = frozenset({Capability.CREATE_GRAPH})
    example_divisor = 2

    def repeated(self, function: Callable[..., list[Tensor]], *given: Tensor) -> list[Tensor]:
        """Return what a captured function makes of tensors, captured while it ran on others."""

        def realized(*tensors: Tensor) -> list[Tensor]:
            return [x.contiguous().realize() for x in function(*tensors)]

        jit = TinyJit(realized)
        for run in range(RUNS):
            last = run == RUNS - 1
            made = jit(*((x if last else x * 0.5 + 1).contiguous().realize() for x in given))
        return [x.clone().realize() for x in made]

    def wrap(self, function: Function, about: str) -> Function:
        def run(*tensors: Tensor) -> Tensor:
            return self.repeated(lambda *given: [function(*given)], *tensors)[0]

        run.__dict__["plain"] = function
        return run

    def vjp(
        self, function: Function, *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        plain: Function = getattr(function, "plain", function)

        def gradients(cotangent: Tensor, *given: Tensor) -> list[Tensor]:
            found: Sequence[Tensor] = self.backend.vjp(plain, *given)[1](cotangent)
            return list(found)

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            return self.repeated(gradients, cotangent, *inputs)

        return self.wrap(plain, "")(*inputs), pull


class Backward(Mode):
    """Gradients in `.grad`, where a backward pass of the whole graph leaves them."""

    name = "backward"
    does = "gradients by Tensor.backward, from .grad"
    lost = frozenset({Capability.CREATE_GRAPH})
    example_divisor = 2

    def vjp(
        self, function: Function, *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        # What others have left in .grad is not for these.
        places = [x.clone() for x in inputs]
        value = function(*places)

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            for x in places:
                x.grad = None
            value.backward(cotangent)
            return [x.grad for x in places]

        return value, pull


MODES = (Jit, Backward)
