"""What adapters declare, beside what libraries export: nothing is left out without a reason."""

import tomllib
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from gradspec.conformance.run.loading import installed, load
from gradspec.conformance.table import TABLE

LIBRARIES = tomllib.loads(Path(__file__).with_name("left_out.toml").read_text(encoding="utf-8"))


def module(place):
    """Import the module before the colon of `place`, and get the attribute after it, if any."""
    name, _, attribute = place.partition(":")
    found = import_module(name)
    return attrgetter(attribute)(found) if attribute else found


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_exported_is_declared_or_left_out_for_a_reason(name):
    if not installed(name):
        pytest.skip(f"not run: {name} is not installed")
    declared = set(load(name).functions)  # its adapter sets a library up before it is imported
    modules = [module(place) for place in LIBRARIES[name]["modules"].split()]
    exported = {o.name for o in TABLE if any(callable(getattr(m, o.name, None)) for m in modules)}
    assert exported - declared == LIBRARIES[name]["left_out"].keys()
