"""Ways to do what an adapter has to say, as they would stand in it: each is tried on the library.

In the bodies `{library}` is the module that has what is called, `{make}` what makes a tensor.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from textwrap import indent
from types import ModuleType
from typing import Any

MAKERS = (
    "tensor", "array", "asarray", "Tensor", "Variable", "constant", "to_tensor", "Parameter",
)  # fmt: skip
"""What makes a tensor of an array in libraries that are known."""

FORMS = (
    "{make}(array.astype(dtype))",
    "{make}(array, dtype=dtype)",
    "{make}(array.tolist(), dtype=dtype)",
    "{make}(array.astype(dtype), dtype=getattr({library}, dtype))",
    "{make}(array.tolist(), dtype=getattr({library}, dtype))",
    "{make}(array.astype(dtype), requires_grad=False)",
)

VALUES = (
    "np.array(x.detach().numpy())",
    "np.array(x.numpy())",
    "np.array(x)",
    "np.array(x.data)",
    "np.array(x.value)",
    "np.array(x.array)",
    "np.array(x.tolist(), self.dtype_of(x))",
)
"""What gives the values of a tensor."""

DTYPES = (
    "str(x.dtype).rpartition('.')[2]",
    "x.dtype.name",
    "str(x.data.dtype)",
    "np.array(x.data).dtype.name",
    "self.numpy(x).dtype.name",
)
"""What names the dtype of a tensor."""

LEAVES = (
    "[x.detach().requires_grad_() for x in inputs]",
    "[{make}(self.numpy(x), requires_grad=True) for x in inputs]",
    "[{make}(self.numpy(x), diff=True) for x in inputs]",
    "[self.tensor(self.numpy(x), self.dtype_of(x), 'cpu') for x in inputs]",
)

MARKS = (
    "",
    "leaf.requires_grad = True",
    "leaf.stop_gradient = False",
    "leaf.requires_grad_()",
    "{library}.enable_grad(leaf)",
)
"""What makes a tensor ask for its gradient, if it does not do so by itself."""

PASSES = (
    "value.backward(cotangent)",
    "{library}.backward(value, cotangent)",
    "{library}.backward(value, self.numpy(cotangent))",
    "value.backward(self.numpy(cotangent))",
    "value.backward(gradient=cotangent)",
    "(value * cotangent).sum().backward()",
    "{library}.sum(value * cotangent).backward()",
    "{library}.backward({library}.sum(value * cotangent))",
    "(value * cotangent).backward()",
)

WRAPPED = """\
[None if leaf.grad is None else self.tensor(np.array(leaf.grad), self.dtype_of(leaf), "cpu")
            for leaf in leaves]"""

GRADIENTS = ("[leaf.grad for leaf in leaves]", WRAPPED)

FUNCTIONAL = {
    "vjp": ("""\
value, pull = {library}.vjp(function, *inputs)
return value, lambda cotangent: tuple(pull(cotangent))""", """\
def pull(cotangent):
    every = lambda *tensors: [function(*tensors)]
    return {library}.vjp(every, list(inputs), [cotangent])[1]

return function(*inputs), pull"""),
    "make_vjp": ("""\
pull, value = {library}.make_vjp(function, tuple(range(len(inputs))))(*inputs)
return value, lambda cotangent: tuple(pull(cotangent))""",),
    **{name: (f"""\
with {{library}}.{name}(persistent=True) as tape:
    for x in inputs:
        tape.watch(x)
    value = function(*inputs)
return value, lambda cotangent: tape.gradient(value, list(inputs), cotangent)""",)
       for name in ("GradientTape", "Tape")},
    "get_gradients": ("""\
def pull(cotangent):
    leaves = [self.tensor(self.numpy(x), self.dtype_of(x), "cpu") for x in inputs]
    found = {library}.get_gradients(function(*leaves) * cotangent)
    return [self.tensor(found[x], self.dtype_of(x), "cpu") if x in found else None for x in leaves]

return function(*inputs), pull""",),
    "grad": ("""\
def pull(cotangent):
    paired = lambda *tensors: (function(*tensors) * cotangent).sum()
    return {library}.grad(paired, argnums=tuple(range(len(inputs))))(*inputs)

return function(*inputs), pull""", """\
def pull(cotangent):
    paired = lambda *tensors: (function(*tensors) * cotangent).sum()
    found = {library}.grad(paired)(*inputs)
    return found if len(inputs) > 1 else (found,)

return function(*inputs), pull"""),
}  # fmt: skip
"""Pullbacks of libraries that differentiate functions, by what has to be there."""

BY_TENSORS = """\
def pull(cotangent):
    leaves = {leaves}
{mark}    value = function(*leaves)
    {backward}
    return {gradients}

return function(*inputs), pull"""
"""A pullback of libraries that differentiate tensors: each cotangent has a forward pass."""


@dataclass(frozen=True)
class Place:
    """Something public in a library: the expression for it in an adapter, and the thing itself."""

    word: str
    thing: Any


def modules_of(named: Iterable[ModuleType]) -> list[Place]:
    """Return the modules, and those of the same library that stand in them by a public name."""
    found: dict[str, Place] = {}
    for module in named:
        top = module.__name__.partition(".")[0]
        found.setdefault(module.__name__, Place(module.__name__, module))
        queue = [Place(module.__name__, module)]
        while queue and len(found) < 60:
            place = queue.pop(0)
            for name in sorted(_public(place.thing)):
                thing = getattr(place.thing, name, None)
                word = f"{place.word}.{name}"
                same = isinstance(thing, ModuleType) and thing.__name__.split(".")[0] == top
                if (
                    same
                    and word.count(".") < 3
                    and all(p.thing is not thing for p in found.values())
                ):
                    found[word] = Place(word, thing)
                    queue.append(found[word])
    return [*found.values()]


def _public(thing: object) -> list[str]:
    names = getattr(thing, "__all__", None) or dir(thing)
    return [str(name) for name in names if not str(name).startswith("_")]


def makers(places: Iterable[Place]) -> Iterator[str]:
    """Name what may make a tensor: known words first, then classes that can be added up."""
    places = [*places]
    for place, name in product(places, MAKERS):
        if callable(getattr(place.thing, name, None)):
            yield f"{place.word}.{name}"
    for place in places:
        for name in sorted(_public(place.thing), key=lambda name: "tensor" not in name.lower()):
            thing = getattr(place.thing, name, None)
            if isinstance(thing, type) and {"__add__", "__mul__"} <= {*dir(thing)}:
                yield f"{place.word}.{name}"


def tensors(library: str, places: Iterable[Place]) -> Iterator[str]:
    """Return bodies of `tensor`, the likeliest first."""
    for make in dict.fromkeys(makers(places)):
        for form in FORMS:
            yield "return " + form.format(make=make, library=library)


def pullbacks(make: str, places: Iterable[Place]) -> Iterator[str]:
    """Return bodies of `vjp`, the likeliest first."""
    places = [*places]
    for name, bodies in FUNCTIONAL.items():
        for place in places:
            if callable(getattr(place.thing, name, None)):
                yield from (body.format(library=place.word) for body in bodies)
    for leaves, mark, backward, gradients in product(LEAVES, MARKS, PASSES, GRADIENTS):
        called = {*re.findall(r"{library}\.(\w+)", mark + backward)}
        lenders = [place for place in places if called <= {*dir(place.thing)}]
        for place in lenders if called else [Place("", None)]:
            yield BY_TENSORS.format(
                leaves=leaves.format(make=make),
                mark=f"    for leaf in leaves:\n        {mark}\n" if mark else "",
                backward=backward,
                gradients=gradients,
            ).format(library=place.word)


def method(head: str, body: str) -> str:
    """Write a method of an adapter."""
    return f"    {head}\n{indent(body, ' ' * 8)}\n"
