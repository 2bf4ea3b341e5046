"""What a process writes down for others in case it dies, and what they make of it.

A line of ours says what it was about; after it comes what faulthandler has written.
"""

import re
from pathlib import Path

SPOILED = "gradspec: spoiled\n"
"""The last words of a process that ends itself because a claim has spoiled it."""

SETTING_UP = "setting up"
CHECKING = "checking"
"""What a process may be about while no claim runs: a backend, or whether a subject is fit."""

FRAMES = 12
"""How much of a stack is shown, innermost call first."""

FAULTHANDLER = r"(?m)^(?=Timeout \(|Fatal Python error: |Windows fatal exception: )"


def words_of(folder: str, worker: str, process: int) -> Path:
    """Name the file in which a worker leaves its last words, and who it was."""
    return Path(folder, f"{worker}-{process}.txt")


def about(deed: str, what: str) -> str:
    """Return the line that says what a process is about to do."""
    return f"gradspec: {deed} {what}\n"


def deed_of(words: str) -> tuple[str, str] | None:
    """Return what a process was about when it died, if not a claim."""
    found = re.match(rf"gradspec: ({SETTING_UP}|{CHECKING}) (.*)\n", words)
    return (found[1], found[2]) if found else None


def cause(words: str) -> str:
    """Say in a line what ended a process."""
    told = re.split(FAULTHANDLER, words, maxsplit=1)[1:]
    if not told:
        return "the process ended without a word: it left by itself, or was killed"
    if late := re.match(r"Timeout \((.*)\)!", told[0]):
        return f"it had not ended after {late[1]}, its deadline"
    return told[0].partition("\n")[0]


def is_late(words: str) -> bool:
    """Whether a process was ended by its deadline."""
    return cause(words).startswith("it had not ended")


def stack(words: str) -> str:
    """Return the innermost frames of the thread that ran the claim."""
    threads = re.split(r"(?m)^(?=(?:Current thread|Thread) )", words)[1:]
    # A deadline has no current thread; pytest runs in the first one, which is listed last.
    chosen = next((t for t in threads if t.startswith("Current")), threads[-1] if threads else "")
    return "\n".join(line for line in chosen.splitlines()[: FRAMES + 1] if line)
