"""`python -m gradspec.conformance` is the command `gradspec`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
