"""Items of data sets and trees of modules: every kind of part is drawn, in every kind of whole."""

from test_drawn_calls import shares

from gradspec.conformance.strategies.datasets import PARTS, Pair, structures
from gradspec.conformance.strategies.states import LAYERS, keys, trees


def within(structure):
    """List a structure and everything in it."""
    if isinstance(structure, str):
        return [structure]
    parts = structure.values() if isinstance(structure, dict) else structure
    return [structure, *(each for part in parts for each in within(part))]


def test_items_are_built_in_every_way_of_every_part():
    nested, *rest = shares(
        structures(),
        lambda s: any(not isinstance(each, str) for each in within(s)[1:]),
        *(lambda s, p=part: p in within(s) for part in PARTS),
        *(lambda s, k=kind: k in map(type, within(s)) for kind in (list, tuple, dict, Pair)),
    )
    assert nested > 0.2
    assert min(rest) > 0.1


def test_trees_grow_and_hold_every_layer():
    deep, several, unsorted, *layers = shares(
        trees(),
        lambda tree: any(key.count(".") > 1 for key in keys(tree)),
        lambda tree: len(keys(tree)) > 5,
        lambda tree: keys(tree) != sorted(keys(tree)),
        *(lambda tree, name=layer: name in within(tree) for layer in LAYERS),
    )
    assert deep > 0.1
    assert several > 0.1
    assert unsorted > 0.3
    assert min(layers) > 0.15
