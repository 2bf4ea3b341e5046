"""Sites as tests make them: of results written without a run."""

import json
from dataclasses import replace

from gradspec.conformance.cli import main
from gradspec.conformance.results.verdict import Status
from written import PASSED

KNOWN = replace(
    PASSED,
    claim="ACC-60",
    status=Status.EXPECTED_FAILURE,
    expected="defect",
    reason="the order matters (https://github.com/some/where/issues/7)",
)
DOCUMENTED = replace(
    PASSED,
    claim="ACC-52",
    status=Status.EXPECTED_FAILURE,
    expected="difference",
    reason="a new tensor (https://some.where/doc)",
)
SINE = replace(PASSED, claim="GEN-04", chapter="operations", operation="sin")


def build(folder, *files, status=0, older=(), **options):
    """Make a site; return its folder."""
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    words += ["--older", *older] if older else []
    output = folder / "site"
    assert main(["site", *map(str, [*files, "--output", output, *words])]) == status
    return output


def told(site, address):
    """Return what stands in the file beside a page."""
    return json.loads((site / address.replace(".html", ".json")).read_text(encoding="utf-8"))
