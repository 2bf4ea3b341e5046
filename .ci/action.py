"""The steps of `action.yml`: `python action.py install`, `check` and `summarize`.

Inputs come as variables of the environment. Lists of words among them follow the shell's rules of
quoting, and nothing else of the shell: no pattern is expanded and nothing is executed.
"""  # noqa: INP001

import html
import os
import shlex
import subprocess
import sys
from pathlib import Path

INSTALLED = (sys.executable, "-P", "-X", "utf8", "-m")
"""Runs what is installed, and not what lies in the working directory under the same name."""

LINES = 30
"""So much is shown of what a command said that could not do its work."""


def words(name: str) -> list[str]:
    """Split an input into words; ends the step if that cannot be done."""
    text = os.environ.get(name.upper(), "")
    try:
        return shlex.split(text)
    except ValueError as error:
        complaint = f"gradspec: the input `{name}` is not well quoted ({error}): {text}"
        tell("the job is set up wrongly", complaint)
        sys.stdout.write(f"::error::{' '.join(complaint.split())}\n")
        sys.exit(2)


def tell(title: str, text: str) -> None:
    """Add to the page of the job what went wrong, as text."""
    told = "\n".join(text.strip().splitlines()[-LINES:])
    add(f"## gradspec: {title}\n\n<pre>{html.escape(told)}</pre>\n")


def add(markdown: str) -> None:
    """Add to the page of the job."""
    with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as page:
        page.write(markdown)


def baseline() -> list[str]:
    """Return the option for the file to compare with, if there is one."""
    file = os.environ.get("BASELINE")
    return ["--baseline", file] if file else []


def install() -> int:
    """Install gradspec, and what is to be checked."""
    here = str(Path(__file__).parent.parent)
    command = [sys.executable, "-m", "pip", "install", here, *words("packages")]
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE)  # noqa: S603
    told = done.stderr.decode("utf-8", "replace")
    sys.stderr.write(told)
    if done.returncode:
        tell("nothing is checked, as it could not be installed", told)
    return done.returncode


def check() -> int:
    """Run the specification."""
    results = Path(os.environ["RESULTS"])
    chosen = [word for name in words("backend") for word in ("--backend", name)]
    options = ["-n", "auto", "--results", str(results), *chosen, *baseline(), *words("arguments")]
    # Verdicts of another run, if any, are not to be taken for those of this one.
    if str(results) != os.environ.get("BASELINE"):
        results.unlink(missing_ok=True)
    command = [*INSTALLED, "pytest", "--pyargs", "gradspec.spec", *options]
    return subprocess.run(command, check=False).returncode  # noqa: S603


def summarize() -> int:
    """Show the verdicts, also those of a run that was broken off; such a run is red."""
    command = [*INSTALLED, "gradspec.conformance", "summary", os.environ["RESULTS"], *baseline()]
    done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603
    told, complaint = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    sys.stderr.write(complaint)
    add(told)
    if done.returncode and complaint.strip():
        tell("no verdicts to show", complaint)
    return done.returncode


if __name__ == "__main__":
    sys.exit({"install": install, "check": check, "summarize": summarize}[sys.argv[1]]())
