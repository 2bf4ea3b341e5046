"""What a checkout adds to the installed plugin: `pytester`, for the tests of the instrument."""

import importlib.util

import pytest

if importlib.util.find_spec("gradspec") is None:
    raise pytest.UsageError("gradspec is not installed: run `python -m pip install -e .[torch]`")

pytest_plugins = ["pytester"]
