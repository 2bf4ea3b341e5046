"""An environment for a release of a library, and a run of the specification in it.

Nothing is put into the environment at hand. Beside the library there are gradspec as it is here,
Hypothesis in the same version, so that the same is drawn, and what both need.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path

from packaging.requirements import Requirement

from ..protocol.errors import OptionError
from ..results.reading import BrokenRun, read_run
from ..run.commandline import LONG

OWN = "gradspec"

WHAT_JUDGES = ("spec", "reference", "conformance")
"""The parts of gradspec that may change a verdict."""

TOLD = 3
LONGEST = 200
"""Lines of the end of a log that are shown where something failed, and characters of one."""


@dataclass(frozen=True)
class Asked:
    """How the specification is run: `words` are what else pytest is told."""

    profile: str
    seed: int
    processes: str
    words: Sequence[str] = ()


def package_of(backend: str) -> str:
    """Return what pip calls the library of a backend, with extras; raises OptionError if unknown.

    The extra of gradspec that has the backend's name says it.
    """
    for text in metadata.requires(OWN) or ():
        need = Requirement(text)
        if need.marker and need.marker.evaluate({"extra": backend}):
            extras = f"[{','.join(sorted(need.extras))}]" if need.extras else ""
            return f"{need.name}{extras}"
    raise OptionError(f"{backend}: is none of gradspec's extras; name what to install by --package")


class Environment:
    """A virtual environment with one release of a library."""

    def __init__(self, folder: Path, package: str, release: str) -> None:
        name = Requirement(package).name
        self.called = f"{name}-{release}"
        self.folder = folder
        self.place = folder / "environments" / self.called
        self.requirement = f"{package}=={release}"

    @property
    def python(self) -> Path:
        """The interpreter."""
        return self.place.joinpath(*(("Scripts", "python.exe") if _WINDOWS else ("bin", "python")))

    def make(self) -> None:
        """Make it, unless it stands already; raises OptionError if something cannot be had."""
        done = self.place / "made"
        if done.exists() and done.read_text(encoding="utf-8") == digest():
            return
        shutil.rmtree(self.place, ignore_errors=True)
        self._call(sys.executable, "-m", "venv", str(self.place))
        own = [str(Requirement(text)) for text in metadata.requires(OWN) or () if _needed(text)]
        same = f"hypothesis=={metadata.version('hypothesis')}"
        self._pip(self.requirement, *own, same)
        self._place_gradspec()
        done.write_text(digest(), encoding="utf-8")

    def results(self, backend: str, asked: Asked) -> Path:
        """Run the specification there, unless a whole run is kept; return its results file.

        Raises OptionError, which shows the end of the log, if the run was broken off.
        """
        key = digest(backend, asked.profile, str(asked.seed), *asked.words)[:12]
        path = self.folder / f"{self.called}-{key}.jsonl"
        try:
            read_run(path)
        except BrokenRun:
            self.make()
            self._run(backend, asked, path)
        return path

    def _run(self, backend: str, asked: Asked, path: Path) -> None:
        draft = path.with_suffix(".part")
        words = [
            *("-m", "pytest", "--pyargs", "gradspec.spec", "-q", "-p", "no:cacheprovider"),
            *(f"{LONG}backend", backend, f"{LONG}results", str(draft)),
            *("--hypothesis-profile", asked.profile, "--hypothesis-seed", str(asked.seed)),
            *("--numprocesses", asked.processes),
            *asked.words,
        ]
        self._call(str(self.python), *words, statuses=(0, 1))
        try:
            read_run(draft)
        except BrokenRun as error:
            raise OptionError(f"{self.called}: {error}; {self._log} tells more") from None
        draft.replace(path)

    @property
    def _log(self) -> Path:
        return self.folder / f"{self.called}.log"

    def _pip(self, *words: str) -> None:
        self._call(str(self.python), "-m", "pip", "install", "--quiet", *words)

    def _place_gradspec(self) -> None:
        """Put gradspec there as it is here: from its checkout, or file by file."""
        checkout = Path(__file__).parents[2]
        if (checkout / "pyproject.toml").exists():
            self._pip("--no-deps", str(checkout))
            return
        asked = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
        there = Path(
            subprocess.run(  # noqa: S603 - the interpreter of an environment that was made here
                [str(self.python), "-c", asked], check=True, capture_output=True, text=True
            ).stdout.strip()
        )
        for file in metadata.files(OWN) or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                there.joinpath(*file.parts).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), there.joinpath(*file.parts))

    def _call(self, *words: str, statuses: Sequence[int] = (0,)) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            done = subprocess.run(  # noqa: S603 - interpreters of ours, and words of the user
                words, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder, check=False
            )
        if done.returncode not in statuses:
            lines = self._log.read_text(encoding="utf-8", errors="backslashreplace").splitlines()
            end = "; ".join(line.strip()[:LONGEST] for line in lines[-TOLD:] if line.strip())
            raise OptionError(
                f"{self.called}: exit status {done.returncode} ({end}); {self._log} tells more"
            )


_WINDOWS = sys.platform == "win32"


def _needed(text: str) -> bool:
    need = Requirement(text)
    return need.marker is None or need.marker.evaluate({"extra": ""})


def digest(*words: str) -> str:
    """Return what tells this state of gradspec from any other, and the words with it."""
    found = hashlib.sha256("\n".join(words).encode())
    for path in _sources():
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def _sources() -> Iterator[Path]:
    for part in WHAT_JUDGES:
        package = import_module(f"{OWN}.{part}")
        for place in package.__path__:
            found = (path for path in Path(place).rglob("*") if path.suffix in (".py", ".toml"))
            yield from sorted(found)
