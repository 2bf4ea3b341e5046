"""Tools of modules and of sequences, what they take and such as they refuse."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..protocol.subject import Subject

Made = Callable[[Subject], Any]
"""What is made anew for each call."""


@dataclass(frozen=True, repr=False)
class Tool:
    """A function, what it is given, an option, and what this may and may not be."""

    place: str
    given: Sequence[Made]
    others: Mapping[str, Any]
    option: str
    legal: Sequence[Any]
    wrong: Sequence[Any]

    def __repr__(self) -> str:
        return f"{self.place} told {self.option} of {self.legal}, not of {self.wrong}"

    def call(self, be: Subject, value: Any) -> Any:
        """Call it with this value, which may be one that is made."""
        told = {
            word: each(be) if callable(each) else each
            for word, each in {**self.others, self.option: value}.items()
        }
        return be.lookup(self.place)(*(each(be) for each in self.given), **told)


# ---- what tools are given ------------------------------------------------------------------------


def linear(be: Subject) -> Any:
    """Make a linear map of two entries."""
    return be.layer("Linear", 2, 2)


def linear_of_complex(be: Subject) -> Any:
    """Make a linear map of two complex entries."""
    return be.layer("Linear", 2, 2).to(be.lookup("torch:complex64"))


def evaluating(name: str, *arguments: Any, **options: Any) -> Made:
    """Make a layer that is not in training."""
    return lambda be: be.layer(name, *arguments, **options).eval()


def tensor(*shape: int) -> Made:
    """Make a tensor of ones."""
    return lambda be: be.tensor(np.ones(shape))


def whole(*numbers: int) -> Made:
    """Make a tensor of whole numbers."""
    return lambda be: be.lookup("torch:tensor")(numbers)


def packed(be: Subject) -> Any:
    """Pack two sequences of three entries and two."""
    return be.lookup("torch.nn.utils.rnn:pack_padded_sequence")(be.tensor(np.ones((3, 2))), [3, 2])


def step(
    forward: Callable[..., Any], inverse: Callable[[Any], Any] | None = None
) -> Callable[[Subject], Any]:
    """Make a module that computes a weight, perhaps with a right inverse."""

    def made(be: Subject) -> Any:
        module = be.module()()
        module.forward = forward
        if inverse is not None:
            module.right_inverse = inverse
        return module

    return made


KEPT = step(lambda x: x)
CUT = step(lambda x: x[0])
WIDER = step(lambda x: x.cfloat())
NO_TENSOR = step(lambda _: 1.0)


def computed(be: Subject) -> Any:
    """Make a linear map whose weight is computed by one step."""
    register = be.lookup("torch.nn.utils.parametrize:register_parametrization")
    return register(linear(be), "weight", KEPT(be))


def computed_of_two(be: Subject) -> Any:
    """Make a linear map whose weight is computed of two tensors."""
    register = be.lookup("torch.nn.utils.parametrize:register_parametrization")
    return register(linear(be), "weight", step(lambda a, b: a + b, lambda x: (x, 0 * x))(be))


def pruned(be: Subject) -> Any:
    """Make a linear map of which an entry of the weight is pruned."""
    return be.lookup("torch.nn.utils.prune:l1_unstructured")(linear(be), "weight", 1)


def twice(be: Subject) -> Any:
    """Make a module that has one linear map under two names."""
    module = be.module()()
    module.first = module.second = linear(be)
    module.forward = lambda x: module.second(module.first(x))
    return module


def weights(*names: str) -> Made:
    """Make a dict of weights and biases of a linear map by their names, each of its own."""
    return lambda be: {
        name: be.tensor(np.ones((2,) if name.endswith("bias") else (2, 2))) for name in names
    }


def several(*made: Made) -> Made:
    """Make a list."""
    return lambda be: [each(be) for each in made]


# ---- tools ---------------------------------------------------------------------------------------

UTILS = "torch.nn.utils"
AMOUNTS = -1, -0.5, 1.5, 5, "a"
BOTH = ("weight", "bias")
PRUNERS: Mapping[str, Mapping[str, Any]] = {
    "l1_unstructured": {"name": "weight"},
    "random_unstructured": {"name": "weight"},
    "ln_structured": {"name": "weight", "n": 2, "dim": 0},
    "random_structured": {"name": "weight", "dim": 1},
}

TOOLS: Sequence[Tool] = [
    *(
        Tool(f"{UTILS}.prune:{name}", [linear], others, "amount", (0, 2, 0.0, 1.0), AMOUNTS)
        for name, others in PRUNERS.items()
    ),
    Tool(f"{UTILS}.prune:l1_unstructured", [linear], {"amount": 1}, "name", BOTH, ("w",)),
    Tool(
        f"{UTILS}.prune:ln_structured",
        [linear],
        {"name": "weight", "n": 2, "amount": 1},
        "dim",
        (0, 1, -1),
        (2, -3),
    ),
    Tool(
        f"{UTILS}.prune:ln_structured",
        [linear],
        {"n": 2, "dim": 0, "amount": 1},
        "name",
        ("weight",),
        ("bias",),
    ),
    Tool(
        f"{UTILS}.prune:custom_from_mask",
        [linear],
        {"name": "weight"},
        "mask",
        (tensor(2, 2),),
        (tensor(3, 2), tensor(2)),
    ),
    Tool(f"{UTILS}.prune:remove", [pruned], {}, "name", ("weight",), ("bias",)),
    Tool(
        f"{UTILS}.parametrizations:orthogonal",
        [linear],
        {},
        "orthogonal_map",
        ("matrix_exp", "cayley", "householder", None),
        ("qr",),
    ),
    Tool(
        f"{UTILS}.parametrizations:orthogonal",
        [linear_of_complex],
        {},
        "orthogonal_map",
        ("matrix_exp", "cayley", None),
        ("householder",),
    ),
    Tool(f"{UTILS}.parametrizations:orthogonal", [linear], {}, "name", ("weight",), ("bias", "w")),
    *(
        Tool(f"{UTILS}{place}:spectral_norm", [linear], {}, "n_power_iterations", (1, 3), (0, -1))
        for place in ("", ".parametrizations")
    ),
    Tool(f"{UTILS}.parametrizations:spectral_norm", [linear], {}, "dim", (0, 1, -1, -2), (2, -3)),
    *(
        Tool(f"{UTILS}.parametrizations:{name}", [linear], {}, "name", ("weight",), ("w",))
        for name in ("spectral_norm", "weight_norm")
    ),
    *(
        Tool(f"{UTILS}:remove_{name}", [older], {}, "name", ("weight",), ("bias",))
        for name, older in {
            "weight_norm": lambda be: be.lookup(f"{UTILS}:weight_norm")(linear(be)),
            "spectral_norm": lambda be: be.lookup(f"{UTILS}:spectral_norm")(linear(be)),
        }.items()
    ),
    Tool(
        f"{UTILS}.parametrize:register_parametrization",
        [linear],
        {"parametrization": KEPT},
        "tensor_name",
        BOTH,
        ("w",),
    ),
    *(
        Tool(
            f"{UTILS}.parametrize:register_parametrization",
            [layer],
            {"tensor_name": "weight", "unsafe": unsafe},
            "parametrization",
            (KEPT, step(lambda x: 2 * x, lambda x: x / 2), *(CUT, WIDER) * unsafe),
            () if unsafe else (NO_TENSOR, CUT, WIDER, step(lambda x: x, lambda _: 1.0)),
        )
        for layer in (linear, computed)
        for unsafe in (False, True)
    ),
    Tool(
        f"{UTILS}.parametrize:remove_parametrizations",
        [computed],
        {},
        "tensor_name",
        ("weight",),
        ("bias", "w"),
    ),
    Tool(
        f"{UTILS}.parametrize:remove_parametrizations",
        [computed_of_two],
        {"tensor_name": "weight"},
        "leave_parametrized",
        (True,),
        (False,),
    ),
    Tool(
        f"{UTILS}.fusion:fuse_linear_bn_eval",
        [evaluating("Linear", 2, 2)],
        {},
        "bn",
        (evaluating("BatchNorm1d", 2), evaluating("BatchNorm1d", 1)),
        (
            evaluating("BatchNorm1d", 3),
            evaluating("BatchNorm1d", 2, track_running_stats=False),
            lambda be: be.layer("BatchNorm1d", 2),
        ),
    ),
    Tool(
        f"{UTILS}.fusion:fuse_conv_bn_eval",
        [evaluating("Conv1d", 2, 2, 1)],
        {},
        "bn",
        (evaluating("BatchNorm1d", 2),),
        (
            evaluating("BatchNorm1d", 2, track_running_stats=False),
            lambda be: be.layer("BatchNorm1d", 2),
        ),
    ),
    Tool(
        f"{UTILS}:vector_to_parameters",
        [],
        {"parameters": lambda be: linear(be).parameters()},
        "vec",
        (tensor(6),),
        (tensor(5), [1.0] * 6),
    ),
    Tool(
        f"{UTILS}:skip_init",
        [],
        {"in_features": 2, "out_features": 2},
        "module_cls",
        (lambda be: be.lookup("torch.nn:Linear"),),
        (lambda _: int, lambda be: be.lookup("torch.nn:ReLU")),
    ),
    Tool(
        f"{UTILS}.rnn:pack_padded_sequence",
        [tensor(3, 2)],
        {},
        "lengths",
        ([3, 3], [2, 1]),
        ([1, 2], [2, 0], [2], [1, 1, 1]),
    ),
    Tool(
        f"{UTILS}.rnn:pack_padded_sequence",
        [tensor(3, 2)],
        {"enforce_sorted": False},
        "lengths",
        ([3, 3], [1, 2]),
        ([0, 2], [2, -1]),  # more lengths than sequences would be read beyond the end on a device
    ),
    Tool(f"{UTILS}.rnn:pad_packed_sequence", [packed], {}, "total_length", (None, 3, 5), (2, 0)),
    Tool(
        f"{UTILS}.rnn:pad_sequence",
        [several(tensor(2), tensor(3))],
        {},
        "padding_side",
        ("left", "right"),
        ("up",),
    ),
    Tool(
        f"{UTILS}.rnn:pack_sequence",
        [several(tensor(2), tensor(3))],
        {},
        "enforce_sorted",
        (False,),
        (True,),
    ),
    Tool(
        f"{UTILS}.rnn:unpad_sequence",
        [tensor(3, 2)],
        {},
        "lengths",
        (whole(3, 1), whole(1, 2)),
        (whole(1), whole(1, 2, 3)),
    ),
    *(
        Tool(
            "torch.func:functional_call",
            [module],
            {"args": tensor(1, 2), **told},
            "parameter_and_buffer_dicts",
            legal,
            wrong,
        )
        for module, told, legal, wrong in (
            (
                linear,
                {"strict": True},
                (weights(*BOTH),),
                (weights("weight"), weights("bias"), weights(*BOTH, "w"), weights()),
            ),
            (
                linear,
                {},
                (weights("weight"), several(weights("weight"), weights("bias"))),
                (several(weights("weight"), weights("weight")), [1]),
            ),
            (
                twice,
                {},
                (weights("first.weight"), weights("second.weight")),
                (weights("first.weight", "second.weight"),),
            ),
            (twice, {"tie_weights": False}, (weights("first.weight", "second.weight"),), ()),
        )
    ),
    Tool(
        "torch.func:stack_module_state",
        [],
        {},
        "models",
        (several(linear), several(linear, linear)),
        (
            [],
            several(linear, evaluating("Linear", 2, 2)),
            several(linear, lambda be: be.layer("Bilinear", 2, 2, 2)),
            several(linear, lambda be: linear(be).requires_grad_(False)),
        ),
    ),
]
"""Tools that refuse."""
