"""Changes land where they say, and say what is wrong with them where they do not."""

import pytest

from gradspec import reference
from mutation import Change, changed, changed_reference


def change(replace: str, by: str = "", **fields: str) -> Change:
    return Change("planted", "", replace, by=by, **fields)


def gradient(library, function, *values):
    """The gradient of a function of some numbers with respect to the first."""
    leaf = library.Tensor(values[0], dtype=float, requires_grad=True)
    return library.grad(function(leaf, *values[1:]), leaf)[0].item()


def test_a_function_is_replaced_wherever_it_is_imported():
    with changed_reference(
        change("shaping.reshape", "lambda former, x, *shape: former(x, *shape) * 2.0")
    ) as lib:
        assert lib.reshape(lib.Tensor([1.0]), 1).item() == 2.0
        assert lib.Tensor([1.0]).reshape(1).item() == 2.0
        assert lib.flatten(lib.Tensor(1.0)).item() == 2.0
    assert reference.reshape(reference.Tensor([1.0]), 1).item() == 1.0


def test_a_method_is_replaced_and_its_former_self_is_bound():
    with changed_reference(
        change("tensor.Tensor.detach", "def wrong(former, self):\n    return former(self) + 1.0\n")
    ) as lib:
        assert lib.Tensor(1.0).detach().item() == 2.0
        assert lib.detach(lib.Tensor(1.0)).item() == 2.0


def test_a_property_keeps_what_assigns_to_it():
    with changed_reference(change("tensor.Tensor.grad", "lambda former, self: 7")) as lib:
        x = lib.Tensor(1.0)
        x.grad = None
        assert (x.grad, x.gradient) == (7, None)


def test_what_assigns_to_a_property_is_replaced():
    by = "lambda former, self, value: former(self, None)"
    with changed_reference(change("tensor.Tensor.grad.fset", by)) as lib:
        x = lib.Tensor(1.0)
        x.grad = lib.Tensor(2.0)
        assert x.grad is None


def test_class_and_static_methods_stay_such():
    by = "lambda former, cls, *inputs: (cls.__name__, former(cls, *inputs))"
    with changed_reference(change("function.Function.apply", by)) as lib:

        class Same(lib.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1.0

        assert Same.apply(lib.Tensor(3.0))[0] == "Same"
    by = "lambda former, array, requires_grad=False: former(array * 2, requires_grad)"
    with changed_reference(change("tensor.Tensor.from_array", by)) as lib:
        assert lib.Tensor(3.0).item() == 6.0


@pytest.mark.parametrize(
    ("replace", "by", "value", "derivative"),
    [
        ("elementwise.mul.forward", "lambda former, x, y: former(x, y) + 1.0", 13.0, 4.0),
        ("elementwise.mul.x", "lambda former, g, y: -former(g, y)", 12.0, -4.0),
        ("elementwise.mul.x", "lambda former, g, x, out: g * x * out", 12.0, 36.0),
        ("primitives.REGISTRY.mul.x", "lambda former, g, x_shape: g * 5.0", 12.0, 5.0),
    ],
)
def test_a_primitive_computes_or_is_differentiated_otherwise(replace, by, value, derivative):
    with changed_reference(change(replace, by)) as lib:
        assert (lib.Tensor(3.0) * 4.0).item() == value
        assert gradient(lib, lambda x, y: x * y, 3.0, 4.0) == derivative
    assert gradient(reference, lambda x, y: x * y, 3.0, 4.0) == 4.0


def test_a_rule_may_be_taken_away():
    with changed_reference(change("elementwise.neg.x", "None")) as lib:
        assert not (-lib.Tensor(1.0, requires_grad=True)).requires_grad


def test_the_source_sees_the_names_of_the_module():
    with changed_reference(change("elementwise.exp.x", "lambda former, g, x: g * cos(x)")) as lib:
        assert gradient(lib, lambda x: x.exp(), 0.0) == 1.0


def test_an_adapter_is_changed_by_name():
    backend = "changed to this"
    by = f"lambda former, self: {backend!r}"
    with changed(change("reference.Reference.version", by, file="")) as wrong:
        assert wrong.version == backend


def test_text_is_found_wherever_it_stands_once():
    entry = change("raise AutogradError('argument', 'changed')", find="raise NotImplementedError")
    assert (entry.room, entry.original.name) == ("reference", "graph.py")
    assert "'changed'" in entry.source()


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        (change("", find="no such text"), "its text stands nowhere"),
        (change("", find="from __future__"), "does not stand once, but so often: {'reference/"),
        (change("", find="def inplace(", file="reference/engine.py"), "its text stands nowhere"),
        (change("nowhere.f", "None"), "0 modules are called nowhere.py"),
        (change("engine.no_such_function", "None"), "engine has no no_such_function"),
        (change("tensor.Tensor.no_such", "None"), "Tensor has no no_such"),
        (change("primitives.REGISTRY.none.x", "None"), "has no none"),
        (change("engine.grad", "lambda former: ("), "engine.grad does not land: "),
    ],
)
def test_what_does_not_land_says_so_and_names_the_entry(entry, complaint):
    with pytest.raises(ValueError, match="planted: ") as refusal, changed(entry):
        pass
    assert complaint in str(refusal.value)
