"""Differentiation by its definition: over all paths, the product of the local derivatives, summed.

Scalars only, no sharing, exponential in the depth; obviously right. A program is a list of
instructions (operation, arguments); an argument is the number of an earlier value, the first
`inputs` values being given.
"""

import math

Instruction = tuple[str, tuple[int, ...]]

# For each operation: its value, and its derivative with respect to each argument.
OPERATIONS = {
    "add": (lambda x, y: x + y, (lambda x, y: 1.0, lambda x, y: 1.0)),
    "sub": (lambda x, y: x - y, (lambda x, y: 1.0, lambda x, y: -1.0)),
    "mul": (lambda x, y: x * y, (lambda x, y: y, lambda x, y: x)),
    "neg": (lambda x: -x, (lambda x: -1.0,)),
    "sin": (math.sin, (math.cos,)),
    "tanh": (math.tanh, (lambda x: 1.0 - math.tanh(x) ** 2,)),
}


def evaluate(program: list[Instruction], inputs: list[float]) -> list[float]:
    """All values of the program, the inputs first."""
    values = list(inputs)
    for name, arguments in program:
        values.append(OPERATIONS[name][0](*(values[a] for a in arguments)))
    return values


def derivative(program: list[Instruction], inputs: list[float], of: int, by: int) -> float:
    """D value[of] / d value[by]: over all paths from `of` to `by`, the product of what is local."""
    values = evaluate(program, inputs)

    def paths(place: int) -> float:
        if place == by:
            return 1.0
        if place < len(inputs):
            return 0.0
        name, arguments = program[place - len(inputs)]
        given = [values[a] for a in arguments]
        return sum(
            local(*given) * paths(argument)
            for local, argument in zip(OPERATIONS[name][1], arguments, strict=True)
        )

    return paths(of)
