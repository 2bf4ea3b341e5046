"""The command line: which subjects, which claims, which results file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis.errors import InvalidArgument

from .backend import DEVICES, Backend
from .errors import OptionError
from .loading import installed, load, suggestion
from .profiles import DEFAULT_SEED, PROFILES, profile
from .subject import Subject

OPTIONS = (
    "--backend",
    "--device",
    "--dtype",
    "--require-device",
    "--baseline",
    "--shard",
    "--database",
)
"""Options that can be refused before anything is collected."""

MONTH = 30 * 24 * 3600.0
"""More than anybody waits, and less than overflows a clock."""

DEFAULT_BACKENDS = ("reference", "torch")
DEFAULT_RESULTS = Path(".gradspec") / "results.jsonl"


def add_options(parser: pytest.Parser) -> None:
    """Declare the options of a run."""
    group = parser.getgroup("gradspec", "the specification of automatic differentiation")
    group.addoption(
        "--backend",
        action="append",
        metavar="NAME",
        help="check this backend: a known name, or module:Class for an adapter of your own "
        "(repeatable; default: reference, and torch if it is installed)",
    )
    group.addoption(
        "--device",
        action="append",
        metavar="NAME",
        help="check on this device, cpu or cuda (repeatable; default: every device present)",
    )
    group.addoption(
        "--dtype",
        action="append",
        metavar="NAME",
        help="check in this dtype (repeatable; default: every dtype the backend declares)",
    )
    group.addoption(
        "--claim",
        action="append",
        metavar="ID",
        help="run only the claim with this id, such as ACC-01 (repeatable)",
    )
    group.addoption(
        "--require-device",
        action="append",
        metavar="NAME",
        help="fail unless some backend has this device (repeatable)",
    )
    group.addoption(
        "--isolate",
        action="store_true",
        help="run claims in a process of their own that is started anew when a claim ends it, "
        "so that a crash or a hang costs one claim (-n does so as well)",
    )
    group.addoption(
        "--deadline",
        type=float,
        metavar="SECONDS",
        help="end a claim, and the process it runs in, after so long (default: two minutes, and "
        "more in the deep profile; none without --isolate or -n)",
    )
    group.addoption(
        "--baseline",
        metavar="FILE",
        help="compare with the results of an earlier run, and fail for new failures only",
    )
    group.addoption(
        "--shard",
        metavar="I/N",
        help="run part I of N of the claims, of about equal time by the --baseline or by what is "
        "shipped; put together with `gradspec merge`",
    )
    group.addoption(
        "--update-expectations",
        action="store_true",
        help="write what fails down as expected, with a witness, beside the adapter, and take out "
        "what no longer fails; the reasons are yours to give",
    )
    group.addoption(
        "--database",
        metavar="PLACE",
        help="keep failing examples in a directory, redis://HOST:PORT/N or github:OWNER/NAME, and "
        "try them first; a run is then no longer a function of the code alone (default: nowhere)",
    )
    group.addoption(
        "--results",
        metavar="FILE",
        help=f"write verdicts to this file (default: {DEFAULT_RESULTS.as_posix()})",
    )


def subjects_for(config: pytest.Config) -> list[Subject]:
    """Bind the chosen backends to devices and dtypes; raises OptionError naming a bad option."""
    words = config.getoption("--backend")
    backends = [load(word) for word in words or filter(installed, DEFAULT_BACKENDS)]
    for twin in [b for b in backends if sum(b.name == other.name for other in backends) > 1][:1]:
        raise OptionError(
            f"--backend: two adapters are called {twin.name!r}, so that their results could not be "
            "told apart; give each one once, and an adapter of your own a name of its own"
        )
    devices = _devices(config, backends)
    dtypes = _dtypes(config, backends)
    subjects = [
        Subject(backend, device, dtype)
        for backend in backends
        for device in backend.devices()
        if devices is None or device in devices
        for dtype in (*backend.dtypes, *backend.small_dtypes)
        if (dtype in backend.dtypes if dtypes is None else dtype in dtypes)
    ]
    if not subjects:
        raise OptionError(
            f"no subject is left of {', '.join(b.name for b in backends)}: choose a --device and a "
            "--dtype that one and the same backend declares"
        )
    return subjects


def _devices(config: pytest.Config, backends: Sequence[Backend]) -> list[str] | None:
    chosen: list[str] | None = config.getoption("--device")
    required: list[str] = config.getoption("--require-device") or []
    present = {device for backend in backends for device in backend.devices()}
    for option, wanted in (("--device", chosen or []), ("--require-device", required)):
        for device in wanted:
            if device not in DEVICES:
                raise OptionError(
                    f"{option} {device}: unknown device{suggestion(device, DEVICES)}; "
                    f"known: {', '.join(DEVICES)}"
                )
            if device not in present:
                raise OptionError(f"{option} {device}: {absence(device, backends)}")
    return chosen


def _dtypes(config: pytest.Config, backends: Sequence[Backend]) -> list[str] | None:
    chosen: list[str] | None = config.getoption("--dtype")
    known = sorted({d for b in backends for d in (*b.dtypes, *b.small_dtypes)})
    for dtype in chosen or []:
        if dtype not in known:
            raise OptionError(
                f"--dtype {dtype}: no chosen backend declares it{suggestion(dtype, known)}; "
                f"declared: {', '.join(known)}"
            )
    return chosen


def absence(device: str, backends: Sequence[Backend]) -> str:
    """Say that no backend sees `device`, naming each one asked."""
    asked = ", ".join(f"{backend.name} {backend.version}" for backend in backends) or "no backend"
    return f"no {device} device is seen by {asked}"


@dataclass(frozen=True)
class Shard:
    """Part `number` of `count`."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def shard_of(word: str | None) -> Shard | None:
    """Read `i/n`; raises OptionError if it is no part of a whole."""
    if word is None:
        return None
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", word)
    shard = Shard(int(found[1]), int(found[2])) if found else None
    if shard is None or not 1 <= shard.number <= shard.count:
        raise OptionError(f"--shard {word}: no part of a run; give i/n, such as 1/3, 2/3 and 3/3")
    return shard


def seed_of(config: pytest.Config) -> int:
    """Return the seed given to Hypothesis, or ours."""
    word = config.getoption("--hypothesis-seed", None)
    try:
        return DEFAULT_SEED if word is None else int(word)
    except ValueError:
        raise OptionError(f"--hypothesis-seed {word}: not a whole number; give one") from None


def results_path(config: pytest.Config) -> Path:
    """Where verdicts go: as given, else below the directory pytest was called in."""
    given: str | None = config.getoption("--results")
    return Path(given) if given else config.invocation_params.dir / DEFAULT_RESULTS


def isolate(config: pytest.Config) -> str | None:
    """Have xdist run one worker, if claims are to be isolated; say so if that cannot be."""
    deadline: float | None = config.getoption("--deadline")
    if deadline is not None and not 0 < deadline < MONTH:
        return f"--deadline {deadline:g}: not a time to wait; give a number of seconds above 0"
    if not config.getoption("--isolate"):
        return None
    for option, name in (("--pdb", "usepdb"), ("--benchmark-only", "benchmark_only")):
        if config.getoption(name, False):
            return f"--isolate: {option} needs the claims in this process; leave one of them out"
    if not config.pluginmanager.has_plugin("xdist"):
        return "--isolate: pytest-xdist is switched off (-p no:xdist); let it be loaded"
    if not config.option.tx:
        config.option.dist = "load"
        config.option.tx = ["popen"]
    return None


def unknown_profile(config: pytest.Config) -> str | None:
    """Say that a Hypothesis profile does not exist, before Hypothesis does so in forty lines."""
    name = config.getoption("--hypothesis-profile", None)
    try:
        profile(name or "default")
    except InvalidArgument:
        return f"--hypothesis-profile {name}: unknown profile; known: {', '.join(PROFILES)}"
    return None


def unknown_expectation(backend: str, claim: str, known: Sequence[str]) -> str:
    """Say that a backend is expected to fail a claim that does not exist."""
    return (
        f"an expected failure of {backend} names the claim {claim}, which does not exist"
        f"{suggestion(claim, known)}; correct or remove the entry beside its adapter"
    )


def unknown_claim(claim: str, known: Sequence[str]) -> str:
    """Say that no collected claim has an id, and which one comes near."""
    return (
        f"--claim {claim}: no collected claim has this id{suggestion(claim, known)}; "
        f"{len(known)} ids are collected"
    )
