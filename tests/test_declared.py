"""What adapters declare, beside what libraries export: nothing is left out without a reason."""

import operator
import subprocess
import sys
import tomllib
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from gradspec.conformance.backends.names import named
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


STRICT = """
import sys
from gradspec.conformance.backends import names
lenient = names.named
def named(module, words):
    found = lenient(module, words)
    lost.update({word.partition("=")[0] for word in words.split()} - found.keys())
    return found
names.named, lost = named, set()
from gradspec.conformance.run.loading import load
load(sys.argv[1])
print(*lost)
"""


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_installed_release_has_all_that_its_adapter_names(name):
    """What an older one lacks is left out without a word; so would be a name that is misspelled."""
    if not installed(name):
        pytest.skip(f"not run: {name} is not installed")
    run = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", STRICT, name], capture_output=True, text=True, check=True
    )
    assert not run.stdout.split()


def test_what_a_release_lacks_is_left_out():
    assert named(operator, "add power=pow sinc") == {"add": operator.add, "power": operator.pow}
