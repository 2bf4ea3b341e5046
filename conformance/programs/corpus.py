"""A folder of programs, from which the next search goes on."""

import json
from pathlib import Path

from ..protocol.errors import OptionError
from .language import Program, lines_of, program_of
from .searching import Subject


class Corpus:
    """A folder that keeps what a search has found out, so that the next one goes on from there."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.programs: list[Program] = []
        self.next: dict[str, int] = {}
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            state = folder / "state.json"
            if state.exists():
                self.next = json.loads(state.read_text(encoding="utf-8"))
            for path in sorted(folder.glob("*.program")):
                self.programs.append(program_of(path.read_text(encoding="utf-8").splitlines()))
        except (OSError, ValueError) as error:
            raise OptionError(f"--corpus {folder}: {error}; give another folder") from None

    def first(self, subject: Subject, seed: int) -> int:
        """Return the number of the first program that was not run yet."""
        return self.next.get(self.name(subject, seed), 0)

    def name(self, subject: Subject, seed: int) -> str:
        """Name a search."""
        return f"{subject.backend} {subject.dtype} {subject.device} {seed}"

    def keep(self, program: Program) -> None:
        """Keep a program that has reached something new."""
        self.programs.append(program)
        if self.folder is not None:
            path = self.folder / f"{len(self.programs):06}.program"
            path.write_text("\n".join(lines_of(program)) + "\n", encoding="utf-8", newline="\n")

    def save(self, subject: Subject, seed: int, number: int) -> None:
        """Note how far a search has come."""
        self.next[self.name(subject, seed)] = number
        if self.folder is not None:
            text = json.dumps(self.next, indent=1)
            (self.folder / "state.json").write_text(text, encoding="utf-8", newline="\n")
