"""What the options mean: which subjects, which claims, which results file, which process."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis.errors import InvalidArgument

from ..protocol.backend import DEVICES, Backend
from ..protocol.errors import OptionError
from ..protocol.mode import EAGER, Mode
from ..protocol.subject import Subject
from .commandline import given, spelled
from .loading import Fault, installed, load, place_of, suggestion
from .profiles import DEFAULT_SEED, PROFILES, profile
from .stand_in import stand_in

MONTH = 30 * 24 * 3600.0
"""More than anybody waits, and less than overflows a clock."""

LARGEST_SEED = 10**300
"""More than anybody needs, and as much as a results file holds."""

DEFAULT_BACKENDS = ("reference", "torch")
"""They share pytest's process, unless a run asks for another."""

DEFAULT_RESULTS = Path(".gradspec") / "results.jsonl"


@dataclass(frozen=True)
class Backends:
    """The backends that a run is about, and those that it should have been about."""

    found: list[Backend]
    words: list[str] = field(default_factory=list)
    """How those that were found are named."""
    faults: list[Fault] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Those that nobody asked for and that are not installed."""


SettingUp = Callable[[str, str], AbstractContextManager[None]]
"""Where a backend, named by a word and asked for by an option, is set up."""


def backends_for(
    config: pytest.Config,
    setting_up: SettingUp,
    lost: Mapping[str, str],
    shapes: Mapping[str, Mapping[str, Any]],
) -> Backends:
    """Set up the chosen backends; raises OptionError if a word is wrong, or if none is left.

    Those that are `lost` are known to end their process, for a reason, and are not tried again;
    those of them whose claims are being dealt out have left their `shapes`.
    """
    words: list[str] | None = given(config, "backend")
    option = spelled(config, "backend")
    absent = [] if words else [word for word in DEFAULT_BACKENDS if not installed(word)]
    chosen = Backends([], left_out=absent)
    for word in words or [word for word in DEFAULT_BACKENDS if word not in absent]:
        try:
            if word in lost:
                raise Fault(word, lost[word], option)
            with setting_up(word, option):
                backend = load(word, option)
        except Fault as fault:
            chosen.faults.append(fault)
            if word not in shapes:
                continue
            backend = stand_in(shapes[word])
        chosen.found.append(backend)
        chosen.words.append(word)
    if not chosen.found:
        raise OptionError("; ".join(map(str, chosen.faults)))
    return chosen


def subjects_for(config: pytest.Config, chosen: Backends) -> list[Subject]:
    """Bind the chosen backends to devices and dtypes; raises OptionError naming a bad option."""
    backends = chosen.found
    for twin in [b for b in backends if sum(b.name == other.name for other in backends) > 1][:1]:
        raise OptionError(
            f"{spelled(config, 'backend')}: two adapters are called {twin.name!r}, so that their "
            "results could not be told apart; give each one once, and an adapter of your own a "
            "name of its own"
        )
    devices = _devices(config, chosen)
    dtypes = _dtypes(config, backends)
    subjects = [
        Subject(backend, device, dtype, mode)
        for backend, modes in _modes(config, backends)
        for mode in modes
        for device in backend.devices()
        if devices is None or device in devices
        for dtype in (*backend.dtypes, *backend.small_dtypes)
        if (dtype in backend.dtypes if dtypes is None else dtype in dtypes)
    ]
    if not subjects:
        raise OptionError(
            f"no subject is left of {', '.join(b.name for b in backends)}: choose a "
            f"{spelled(config, 'device')}, a {spelled(config, 'dtype')} and a "
            f"{spelled(config, 'mode')} that one and the same backend declares"
        )
    return subjects


def small_subjects_for(config: pytest.Config, chosen: Backends) -> list[Subject]:
    """Bind backends to their dtypes of 16 bits on the host, for claims that say `small`.

    There are none where dtypes are named: all claims over the table are judged in these then.
    """
    here = "cpu" in (given(config, "device") or ["cpu"])
    if given(config, "dtype") or not here or EAGER not in (given(config, "mode") or [EAGER]):
        return []
    return [
        Subject(backend, "cpu", dtype)
        for backend in chosen.found
        if "cpu" in backend.devices()
        for dtype in backend.small_dtypes
    ]


def _devices(config: pytest.Config, chosen: Backends) -> list[str] | None:
    wanted: list[str] | None = given(config, "device")
    present = {device for backend in chosen.found for device in backend.devices()}
    for name in ("device", "require-device"):
        option = spelled(config, name)
        for device in given(config, name) or []:
            if device not in DEVICES:
                raise OptionError(
                    f"{option} {device}: unknown device{suggestion(device, DEVICES)}; "
                    f"known: {', '.join(DEVICES)}"
                )
            if device not in present:
                faults = "".join(f"; {fault}" for fault in chosen.faults)
                raise OptionError(f"{option} {device}: {absence(device, chosen.found)}{faults}")
    return wanted


def _dtypes(config: pytest.Config, backends: Sequence[Backend]) -> list[str] | None:
    chosen: list[str] | None = given(config, "dtype")
    known = sorted({d for b in backends for d in (*b.dtypes, *b.small_dtypes)})
    for dtype in chosen or []:
        if dtype not in known:
            raise OptionError(
                f"{spelled(config, 'dtype')} {dtype}: no chosen backend declares it"
                f"{suggestion(dtype, known)}; declared: {', '.join(known)}"
            )
    return chosen


def _modes(
    config: pytest.Config, backends: Sequence[Backend]
) -> Iterator[tuple[Backend, list[Mode | None]]]:
    """Set up the chosen modes of each backend; None stands for running it as it is."""
    chosen: list[str] = list(dict.fromkeys(given(config, "mode") or [EAGER]))
    known = {EAGER, *(mode.name for backend in backends for mode in backend.modes)}
    for word in chosen:
        if word not in known:
            raise OptionError(
                f"{spelled(config, 'mode')} {word}: no chosen backend has this mode"
                f"{suggestion(word, known)}; {_told_modes(backends)}"
            )
    for backend in backends:
        theirs = {mode.name: mode for mode in backend.modes if mode.name in chosen}
        made = {word: theirs[word](backend) for word in chosen if word in theirs}
        for word, mode in made.items():
            if reason := mode.absent():
                raise OptionError(f"{spelled(config, 'mode')} {word}: {backend.name} {reason}")
        yield backend, [made.get(word) for word in chosen if word == EAGER or word in made]


def _told_modes(backends: Sequence[Backend]) -> str:
    """List the modes of backends, with what is done in each and what it needs."""
    told = [f"{mode.name} ({mode.does})" for backend in backends for mode in backend.modes]
    return f"there are {EAGER}, and {', '.join(dict.fromkeys(told))}" if told else "they have none"


def absence(device: str, backends: Sequence[Backend]) -> str:
    """Say that no backend sees `device`, naming each one asked."""
    asked = ", ".join(f"{backend.name} {backend.version}" for backend in backends) or "no backend"
    return f"no {device} device is seen by {asked}"


def seed_of(config: pytest.Config) -> int:
    """Return the seed given to Hypothesis, or ours."""
    word = config.getoption("--hypothesis-seed", None)
    try:
        seed = DEFAULT_SEED if word is None else int(word)
    except ValueError:
        seed = LARGEST_SEED
    if abs(seed) >= LARGEST_SEED:
        raise OptionError(f"--hypothesis-seed {word}: not a whole number; give one, such as 7")
    return seed


def results_path(config: pytest.Config) -> Path:
    """Where verdicts go: as given, else below the directory pytest was called in."""
    word: str | None = given(config, "results")
    if word is not None and not word.strip():
        raise OptionError(
            f"{spelled(config, 'results')}: no file is named; name one, or leave the option out"
        )
    path = Path(word) if word else config.invocation_params.dir / DEFAULT_RESULTS
    baseline: str | None = given(config, "baseline")
    if baseline and Path(baseline).exists() and path.exists() and path.samefile(baseline):
        raise OptionError(
            f"{spelled(config, 'baseline')} {baseline}: is where the results of this run go, and "
            "would be lost; move it away, or give another --results"
        )
    return path


def isolate(config: pytest.Config, has_gpu: Callable[[], object]) -> None:
    """Have xdist run one worker, if claims are to be isolated; raises OptionError if it cannot be.

    They are by default if a library is neither PyTorch nor the reference, if what runs them may be
    a compiler, or if they may run on a GPU, which is lost to a process for good once a kernel has
    failed: wherever that is possible.
    """
    option = spelled(config, "isolate")
    asked, refused = given(config, "isolate"), given(config, "no-isolate")
    words: list[str] = given(config, "backend") or []
    for word in words:
        place_of(word, spelled(config, "backend"))
    if asked and refused:
        raise OptionError(f"{option} and {spelled(config, 'no-isolate')}: leave one of them out")
    if config.getoption("tx", None) or config.getoption("collectonly"):
        return
    needs = needs_this_process(config)
    if asked and needs:
        raise OptionError(f"{option}: {needs}")
    modes: list[str] = given(config, "mode") or []
    devices: list[str] = given(config, "device") or ["cuda"]
    dangerous = (
        not set(words) <= set(DEFAULT_BACKENDS)
        or any(word != EAGER for word in modes)
        or ("cuda" in devices and words != ["reference"] and has_gpu())
    )
    if asked or (not refused and not needs and dangerous):
        config.option.dist = "load"
        config.option.tx = ["popen"]


def needs_this_process(config: pytest.Config) -> str | None:
    """Say why claims can run in no other process than this one."""
    if not config.pluginmanager.has_plugin("xdist"):
        return "pytest-xdist is switched off (-p no:xdist); let it be loaded"
    here = {"--pdb": "usepdb", "--trace": "trace", "--benchmark-only": "benchmark_only"}
    for word, name in here.items():
        if config.getoption(name, False):
            return f"{word} needs the claims in this process; leave one of them out"
    if config.getoption("numprocesses", None) == 0:
        return "-n 0 keeps the claims in this process; leave one of them out"
    if sys.gettrace() is not None or config.pluginmanager.has_plugin("_cov"):
        return "a debugger, or what measures coverage, watches this process; use -n 1 with it"
    return None


def deadline_of(config: pytest.Config) -> float | None:
    """Return the seconds that a claim may take, if they are given."""
    deadline: float | None = given(config, "deadline")
    if deadline is not None and not 0 < deadline < MONTH:
        raise OptionError(
            f"{spelled(config, 'deadline')} {deadline:g}: not a time to wait; give a number of "
            "seconds above 0"
        )
    return deadline


def profile_of(config: pytest.Config) -> str:
    """Return the name of the Hypothesis profile; raises OptionError if there is none of it."""
    name: str = config.getoption("--hypothesis-profile", None) or "default"
    try:
        profile(name)
    except InvalidArgument:
        known = ", ".join(PROFILES)
        raise OptionError(f"--hypothesis-profile {name}: unknown profile; known: {known}") from None
    return name


def unknown_expectation(backend: str, claim: str, known: Sequence[str]) -> str:
    """Say that a backend is expected to fail a claim that does not exist."""
    return (
        f"an expected failure of {backend} names the claim {claim}, which does not exist"
        f"{suggestion(claim, known)}; correct or remove the entry beside its adapter"
    )


def unknown_claim(option: str, claim: str, known: Sequence[str]) -> str:
    """Say that no collected claim has an id, and which one comes near."""
    return (
        f"{option} {claim}: no collected claim has this id{suggestion(claim, known)}; "
        f"{len(known)} ids are collected"
    )
