"""The command line: options that exist in no run but those which use them.

Each has a long name that begins with `--gradspec-`, and a short one, which is ours only where no
other plugin and no conftest has it: whoever asks for an option after all of these have spoken
cannot be in anybody's way.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

LONG = "--gradspec-"
SHORT = "--"

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "backend": {
        "action": "append",
        "metavar": "NAME",
        "help": "check this backend: a known name, or module:Class for an adapter of your own; "
        "any but reference and torch is isolated where that is possible (repeatable; default: "
        "reference, and torch if it is installed)",
    },
    "device": {
        "action": "append",
        "metavar": "NAME",
        "help": "check on this device, cpu or cuda (repeatable; default: every device present)",
    },
    "dtype": {
        "action": "append",
        "metavar": "NAME",
        "help": "check in this dtype (repeatable; default: every dtype the backend declares)",
    },
    "mode": {
        "action": "append",
        "metavar": "NAME",
        "help": "run functions in this mode, such as vmap or compile: another way of the library "
        "to run the same mathematics (repeatable; default: eager, that is, as it is)",
    },
    "claim": {
        "action": "append",
        "metavar": "ID",
        "help": "run only the claim with this id, such as ACC-01 (repeatable)",
    },
    "require-device": {
        "action": "append",
        "metavar": "NAME",
        "help": "fail unless some backend has this device (repeatable)",
    },
    "isolate": {
        "action": "store_true",
        "help": "run claims in a process beside this one, which they share until one of them ends "
        "or spoils it; the next one gets a fresh one, so that a crash or a hang costs one claim "
        "(-n does so as well; the default beside a GPU)",
    },
    "no-isolate": {
        "action": "store_true",
        "help": "run claims, and set up libraries, in this process, whatever they may do to it",
    },
    "deadline": {
        "type": float,
        "metavar": "SECONDS",
        "help": "end a claim, and the process it runs in, after so long (default: two minutes, and "
        "more in the deep profile; none without --isolate or -n)",
    },
    "baseline": {
        "metavar": "FILE",
        "help": "compare with the results of an earlier run, and fail for new failures only, and "
        "for what is lost",
    },
    "allow-lost": {
        "action": "store_true",
        "help": "do not fail for what the baseline looked at and this run does not: what vanished, "
        "is no longer supported or was not run, or if they have no subject in common",
    },
    "shard": {
        "metavar": "I/N",
        "help": "run part I of N of the claims, of about equal time by the --baseline or by what "
        "is shipped; put together with `gradspec merge`",
    },
    "update-expectations": {
        "action": "store_true",
        "help": "write what fails down as expected, with a witness, beside the adapter, and take "
        "out what no longer fails; the reasons are yours to give",
    },
    "database": {
        "metavar": "PLACE",
        "help": "keep failing examples in a directory, redis://HOST:PORT/N or github:OWNER/NAME, "
        "and try them first; a run is then no longer a function of the code alone (default: "
        "nowhere)",
    },
    "alone": {
        "type": float,
        "metavar": "SECONDS",
        "help": "how long to repeat red claims when the run is over, each in a fresh process, and "
        "to look for what has to run before those that pass there (default: 60; 0: not at all)",
    },
    "verdict": {
        "action": "append",
        "metavar": "NAME",
        "help": "run what has this verdict, such as 'GEN-04[sin] on torch-cpu-float64', and "
        "nothing else (repeatable; they run in the order given)",
    },
    "results": {
        "metavar": "FILE",
        "help": "write verdicts to this file (default: .gradspec/results.jsonl)",
    },
    "speed-results": {
        "metavar": "DIR",
        "help": "write measured times to DIR/<device>-<library>-<version>.json (default: "
        ".gradspec)",
    },
    "speed-budget": {
        "metavar": "SECONDS",
        "help": "leave out sizes whose rounds would take longer (default: 6; 90 where there is a "
        "device besides the CPU)",
    },
    "speed-time": {
        "metavar": "SECONDS",
        "help": "begin no cell after so many seconds of measuring, and take first what tells most: "
        "the ends and the middle of each workload's sizes; go on with --speed-resume",
    },
    "speed-operations": {
        "action": "store_true",
        "help": "time every operation of the table as well, by itself and with the way back, at "
        "sizes of three classes",
    },
    "speed-resume": {
        "action": "store_true",
        "help": "keep what the file of times holds already, if it is of this machine, also if its "
        "run was broken off, and measure the rest",
    },
}
"""The options by their names, without what they begin with, as argparse takes them."""

SPELLED = pytest.StashKey[dict[str, str]]()
"""The options that are given, as their user wrote them."""

OTHERS = pytest.StashKey[list[str]]()
"""Short names on the command line that are another plugin's here."""


def declare(config: pytest.Config, parser: pytest.Parser, args: Sequence[str]) -> None:
    """Make those options known that are used and that nobody has; all of them for `--help`."""
    shown = bool(getattr(config.known_args_namespace, "help", False))
    words = {word.partition("=")[0] for word in args}
    names = {f"{start}{name}": name for name in OPTIONS for start in (LONG, SHORT)}
    # A word that begins with @ names a file of words.
    if not (shown or words & names.keys() or any(word.startswith("@") for word in words)):
        return
    unknown = {word.partition("=")[0] for word in parser.parse_known_and_unknown_args(args)[1]}
    spelled = {names[word]: word for word in sorted(unknown & names.keys(), reverse=True)}
    config.stash[SPELLED] = spelled
    config.stash[OTHERS] = sorted(
        word for word in words - unknown if word in names and not word.startswith(LONG)
    )
    if not (shown or spelled):
        return
    group = parser.getgroup(
        "gradspec",
        "the specification of automatic differentiation; --gradspec-backend is --backend as well, "
        "and so on, where nobody else has an option of that name",
    )
    for name, settings in OPTIONS.items():
        both = (f"{LONG}{name}", f"{SHORT}{name}")
        free = [word for word in both if word in unknown or (shown and _is_free(parser, word))]
        if free:
            group.addoption(*free, dest=_place(name), **settings)


def given(config: pytest.Config, name: str) -> Any:
    """Return what was given for an option of ours; None if nothing was."""
    return config.getoption(_place(name), None)


def any_given(config: pytest.Config) -> bool:
    """Whether an option of ours is given."""
    return bool(config.stash.get(SPELLED, None))


def spelled(config: pytest.Config, name: str) -> str:
    """Return the name of an option as its user wrote it, else the long one."""
    return config.stash.get(SPELLED, {}).get(name, f"{LONG}{name}")


def misread(config: pytest.Config) -> Iterable[str]:
    """Say which words on the command line went to other plugins, though they read like ours."""
    for word in config.stash.get(OTHERS, []):
        yield f"{word} is another plugin's here: say {LONG}{word.removeprefix(SHORT)}"


def _place(name: str) -> str:
    # No option that somebody else declares is kept under a name with a hyphen.
    return f"gradspec-{name}"


def _is_free(parser: pytest.Parser, word: str) -> bool:
    try:
        return word in parser.parse_known_and_unknown_args([word])[1]
    except pytest.UsageError:
        return False
