"""Whether a submission is true: whole, resting on what is here, and the same in a sample again."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path
from random import Random

from ..claims.catalogue import SPECIFICATION, claims_of
from ..claims.editions import Edition, editions
from ..protocol.backend import Backend
from ..protocol.errors import OptionError
from ..results.reading import BrokenRun, RunRead, read_run
from ..results.verdict import UNCHECKED, Key, Verdict, key, name_of
from ..run.loading import load_from_here
from .bundle import RESULTS, Manifest, adapter_files, digest, read, specification


def verify(path: Path, sample: int) -> tuple[list[str], int]:
    """Return what speaks against a submission, and how many verdicts were run again.

    Raises OptionError if it is none, or if its adapter is not here.
    """
    manifest, data = read(path)
    backend = load_from_here(manifest.backend)
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.jsonl")
        results.write_bytes(data)
        try:
            run = read_run(results)
        except BrokenRun as error:
            raise OptionError(f"{path}: {RESULTS} in it {_without(results, error)}") from None
        told = [
            *_beside(manifest, data, run),
            *_files(manifest.adapter, adapter_files(type(backend))),
            *_left_out(run, editions()[manifest.edition], backend),
        ]
        if backend.version != manifest.version:
            told.append(f"{backend.name} {backend.version} is here, not {manifest.version}")
        if told:
            # What is rerun by another judge says nothing.
            return told, 0
        own = [verdict for verdict in run.verdicts if verdict.backend == backend.name]
        again = chosen(own, sample, manifest.results)
        return [*_rerun(manifest, again, Path(folder))], len(again)


def _without(path: Path, error: BrokenRun) -> str:
    return str(error).removeprefix(f"{path}: ")


def _beside(manifest: Manifest, data: bytes, run: RunRead) -> Iterator[str]:
    """Compare the manifest with the results, and with the specification that is here."""
    if manifest.edition not in editions():
        raise OptionError(f"edition {manifest.edition} is not known here, only {[*editions()]}")
    if manifest.results != digest(data):
        yield "the results are not those that the manifest names"
    if manifest.specification != specification():
        yield "it was judged by another state of gradspec than the one that is here"
    for name in ("edition", "gradspec", "seed", "profile"):
        if run.header.get(name) != getattr(manifest, name):
            yield f"the manifest says {name} {getattr(manifest, name)}, the results another one"
    if run.trouble:
        yield f"the results are not whole: {run.trouble}"


def _files(theirs: Mapping[str, str], ours: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*theirs, *ours}):
        if theirs.get(name) != ours.get(name):
            yield f"{name} of the adapter is not what is here"


def _left_out(run: RunRead, edition: Edition, backend: Backend) -> Iterator[str]:
    """Say what the edition asks for, and the results have no verdict on."""
    have = {verdict.key for verdict in run.verdicts}
    if not any(subject["backend"] == backend.name for subject in run.header["subjects"]):
        yield f"the results have nothing of {backend.name}"
    missing = [each for each in asked(run, edition, backend) if each not in have]
    if missing:
        yield f"{len(missing)} verdicts are left out, such as {name_of(missing[0])}"


def asked(run: RunRead, edition: Edition, backend: Backend) -> Iterator[Key]:
    """Return the keys of all verdicts that a run on these subjects has to have.

    That is in every dtype that the library has; those of 16 bits are asked for by name.
    """
    claims = claims_of(import_module(SPECIFICATION))
    devices = {
        s["device"]
        for s in run.header["subjects"]
        if s["backend"] == backend.name and "mode" not in s and s["dtype"] in backend.dtypes
    }
    # A run in one dtype alone is half of one.
    for device, dtype in product(sorted(devices), backend.dtypes):
        for identity in edition.laws:
            claim = claims[identity]
            if claim.device not in (None, device):
                continue
            over = [one.name for one in claim.over if one.name in edition.operations]
            names: list[str | None] = [*over] or [None]
            yield from (key(identity, backend.name, device, dtype, name, None) for name in names)


def chosen(verdicts: Sequence[Verdict], sample: int, seed: str) -> list[Verdict]:
    """Choose what is run again: by the results themselves, so that nobody can choose it."""
    looked = sorted((v for v in verdicts if v.status not in UNCHECKED), key=lambda v: v.key)
    return Random(seed).sample(looked, min(sample, len(looked)))  # noqa: S311


def _rerun(manifest: Manifest, verdicts: Sequence[Verdict], folder: Path) -> Iterator[str]:
    results = folder / "again.jsonl"
    words = [
        *("--pyargs", "gradspec.spec", "-q", "-p", "no:cacheprovider", "--alone", "0"),
        *("--backend", manifest.backend, "--results", str(results)),
        *("--hypothesis-seed", str(manifest.seed), "--hypothesis-profile", manifest.profile),
        *(word for verdict in verdicts for word in ("--verdict", verdict.name)),
    ]
    command = [sys.executable, "-m", "pytest", *words]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # noqa: S603
    again = {verdict.key: verdict for verdict in read_run(results).verdicts}
    for verdict in verdicts:
        now = again.get(verdict.key)
        if now is None or now.status is not verdict.status:
            came = now.status if now else "no verdict"
            yield f"{verdict.name}: handed in as {verdict.status}, and here {came}"
