"""What a checkout adds to the installed plugin: `pytester`, for the tests of the instrument."""

pytest_plugins = ["pytester"]
