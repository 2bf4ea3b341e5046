"""`check`: every question to one function, and what fails made small."""

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import OptionError
from ..run.loading import load
from ..untrusted.texts import in_a_line, safe
from . import derivatives, pullbacks, ways
from .cases import Case, simpler
from .own import Own
from .question import Question
from .records import Answer, Failure, Report, Status
from .scripts import Unwritten, address_of, script_of, shows
from .trial import Broken, NotAsked, Refused, Trial

QUESTIONS: tuple[Question, ...] = (*derivatives.QUESTIONS, *pullbacks.QUESTIONS, *ways.QUESTIONS)
"""All of them, in the order in which they are asked."""

TRIES = 160
"""How many simpler cases are tried for all that fails; each failure may take half of what is left.

They are counted, not timed: one seed has one report."""


def check(
    function: Callable[..., Any],
    *inputs: Any,
    backend: str | Backend,
    modes: Iterable[str] = (),
    twin: Callable[..., Any] | None = None,
    seed: int = 0,
    scripts: bool = True,
) -> Report:
    """Put `function`, which computes with tensors of a library, to every question.

    `inputs` are its arguments: every floating array of numpy or tensor of the library among them,
    however nested in tuples, lists and dicts, is differentiated, in float64; so are the parameters
    of a module. All others are given as they are. Small inputs, of some ten entries, are best.

    `backend` is the name of the library, `module:Class` of an adapter, or an adapter. `modes` names
    what else the function is to run through: `vmap`, `compile`. `twin` computes the same results
    from arrays of numpy. Points, cotangents and directions are drawn from `seed`. Failures are
    written as `scripts`, each tried in a fresh interpreter.

    Raises OptionError, which says what to do, if the function or an argument is of no use.
    """
    lent = load(backend, "backend") if isinstance(backend, str) else backend
    if twin is not None and not callable(twin):
        raise OptionError(f"the twin is a {type(twin).__name__}: give a function")
    wanted = _modes(modes, lent)
    with _undisturbed(lent):
        own = Own(lent, function, inputs)
        base = Case(tuple(own.starts), seed=seed)
        _first_call(own, base)
        notes = _repeats(own, base)
        blocked = notes[-1] if notes and own.seed is None else ""
        calls, saved = _costs(own, base)
        library = f"{lent.name} {lent.version}"
        asker = _Asker(own, base, twin, library, scripts=scripts)
        answers = []
        for each in QUESTIONS:
            reason = blocked
            if each.mode and each.mode not in wanted:
                reason = f"modes does not name {each.mode}"
            elif own.seed is not None and not each.draws:
                reason = "other random numbers are drawn there"
            answers.append(asker.unasked(each, reason) if reason else asker.answer(each))
    return Report(_name(function), library, seed, answers, calls, saved, notes)


def _modes(modes: Iterable[str], backend: Backend) -> set[str]:
    known = {*backend.transforms, *(["vmap"] if Capability.VMAP in backend.capabilities else [])}
    wanted = {modes} if isinstance(modes, str) else {*modes}
    for mode in wanted - known:
        have = ", ".join(sorted(known)) or "none"
        raise OptionError(f"modes: {backend.name} has no mode {mode!r}; it has {have}")
    return wanted


def _name(function: Callable[..., Any]) -> str:
    try:
        module, expression = address_of(function)
    except Unwritten:
        return safe(str(getattr(function, "__qualname__", type(function).__name__)))
    return f"{module.__name__}:{expression}"


@contextmanager
def _undisturbed(backend: Backend) -> Iterator[None]:
    """Leave generators of random numbers as they are, and keep warnings for oneself."""
    has_random = Capability.RANDOM in backend.capabilities
    kept, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002
    with warnings.catch_warnings(), np.errstate(all="ignore"), backend.on_threads(1):
        warnings.simplefilter("ignore")
        with backend.fork_random() if has_random else nullcontext():
            try:
                yield
            finally:
                random.setstate(kept)
                np.random.set_state(legacy)  # noqa: NPY002


def _first_call(own: Own, base: Case) -> None:
    """Call the function as it was given; raises OptionError if that does not work."""
    trial = Trial(own, base)
    try:
        found = own(*trial.inputs())
    except OptionError:
        raise
    except NotAsked as reason:
        raise OptionError(f"{own.backend.name}: {reason}; see whether it works here") from reason
    except Exception as error:
        raise OptionError(
            f"the function raises {in_a_line(error)} for these inputs in float64: give others"
        ) from error
    if not found:
        raise OptionError("no result is a floating tensor: there is nothing to differentiate")


def _repeats(own: Own, base: Case) -> list[str]:
    """See whether two calls agree; if not, whether they do with generators seeded before each."""
    if _agree(own, base):
        return []
    own.seed = base.seed
    if _agree(own, base):
        return ["It draws random numbers: their generators are seeded before each call."]
    own.seed = None
    return ["not deterministic: two calls with the same inputs differ; fix its seed within it"]


def _agree(own: Own, base: Case) -> bool:
    first, second, third = (
        [np.asarray(own.backend.numpy(y)) for _, y in own(*Trial(own, base).inputs())]
        for _ in range(3)
    )
    return all(
        a.shape == b.shape == c.shape and a.tobytes() == b.tobytes() == c.tobytes()
        for a, b, c in zip(first, second, third, strict=True)
    )


def _costs(own: Own, base: Case) -> tuple[int, int | None]:
    """Count the calls of the function for a gradient, and the bytes that are kept for it."""
    before, saved, sizes = own.calls, None, list[int]()
    packs = Capability.PACKING in own.backend.capabilities

    def pack(x: Any) -> Any:
        sizes.append(np.asarray(own.backend.numpy(x)).nbytes)
        return x

    trial = Trial(own, base)
    try:
        with own.backend.saved_tensors_hooks(pack, lambda x: x) if packs else nullcontext():
            pull = trial.vjp(trial.inputs())
        saved = sum(sizes) if packs else None
        pull(trial.cotangent(pull.value))
    except (Broken, Refused):
        pass  # a question will tell of it
    return own.calls - before, saved


class _Asker:
    """Who puts questions to a function."""

    def __init__(
        self,
        own: Own,
        base: Case,
        twin: Callable[..., Any] | None,
        library: str,
        *,
        scripts: bool,
    ) -> None:
        self.own = own
        self.base = base
        self.twin = twin
        self.library = library
        self.scripts = scripts
        self.tries = TRIES // own.backend.example_divisor**2

    def unasked(self, question: Question, reason: str) -> Answer:
        """Answer that a question was not asked."""
        return Answer(question.name, question.law, Status.NOT_ASKED, reason)

    def answer(self, question: Question) -> Answer:
        """Ask a question on all its cases, until one fails."""
        reasons, cases, judged, undecided = [], 0, 0, 0
        for case in self.cases(question):
            trial = Trial(self.own, case, self.twin)
            try:
                question.ask(trial)
            except NotAsked as silence:
                reasons.append(str(silence))
            except Refused as error:
                reasons.append(f"refused: {error}")
            except Broken as broken:
                failure = self.failure(question, case, broken)
                return Answer(
                    question.name, question.law, Status.FAILS, "", cases + 1, judged, 0, failure
                )
            else:
                cases += 1
            judged += trial.judged
            undecided += trial.open
        several = dict.fromkeys(reasons)
        reason = "; ".join(several)
        if not judged or not cases:
            told = "no difference is good enough here: kinks, jumps or poles" if undecided else ""
            return self.unasked(question, reason or told or "there is no such case")
        return Answer(question.name, question.law, Status.HOLDS, reason, cases, judged, undecided)

    def cases(self, question: Question) -> Iterator[Case]:
        """Yield the cases of a question, for every result."""
        for result in range(len(self.own.places)):
            yield from question.cases(replace(self.base, result=result))

    def failure(self, question: Question, case: Case, broken: Broken) -> Failure:
        """Make a case that fails small, and write it down."""
        trial, broken = self.smallest(question, case, broken)
        inputs = [
            f"{name} = {np.array2string(x, separator=', ', threshold=40)}".replace("\n", "")
            for name, x in zip(self.own.names, trial.case.laid_out(), strict=True)
        ]
        if not self.scripts:
            return Failure(broken.what, inputs, unwritten="none was asked for")
        try:
            script = script_of(trial, broken, question.law, self.library)
        except Unwritten as silence:
            return Failure(broken.what, inputs, unwritten=str(silence))
        if not shows(script):
            reason = "the one that was written does not fail in a fresh interpreter"
            return Failure(broken.what, inputs, unwritten=reason)
        return Failure(broken.what, inputs, script)

    def smallest(self, question: Question, case: Case, broken: Broken) -> tuple[Trial, Broken]:
        """Return the simplest trial that was found in which the question fails."""
        trial = self.fails(question, case) or (Trial(self.own, case, self.twin), broken)
        tries = self.tries // 2
        self.tries -= tries
        found = True
        while found:
            found = False
            for other in simpler(trial[0].case):
                if tries == 0:
                    return trial
                tries -= 1
                simplest = self.fails(question, other)
                if simplest is not None:
                    trial, found = simplest, True
                    break
        return trial

    def fails(self, question: Question, case: Case) -> tuple[Trial, Broken] | None:
        """Ask a question on one case again."""
        trial = Trial(self.own, case, self.twin)
        try:
            question.ask(trial)
        except Broken as broken:
            return trial, broken
        except Exception:
            return None
        return None
