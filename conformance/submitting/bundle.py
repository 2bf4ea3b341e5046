"""A submission: a zip of a whole run's results and a manifest of what they rest on, by hashes."""

import inspect
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from ..claims.catalogue import rooms_of_specification
from ..protocol.backend import Backend
from ..protocol.errors import OptionError
from ..results.reading import LARGEST_FILE, NotWhole, RunRead
from ..untrusted.files import LARGEST, check, opened, parse_json

RESULTS, MANIFEST = "results.jsonl", "manifest.json"
"""What is in it, and nothing else."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of everything in it: the same results make the same file."""


@dataclass(frozen=True)
class Manifest:
    """What the results rest on: versions, and SHA-256 of the specification, adapter and results.

    `backend` is the word after `--backend`; `adapter` has the files of the adapter by their names.
    """

    edition: str
    gradspec: str
    specification: str
    backend: str
    version: str
    adapter: Mapping[str, str]
    results: str
    seed: int
    profile: str
    format: int = 1


def manifest_of(run: RunRead, data: bytes, word: str, backend: Backend) -> Manifest:
    """Say what a run rests on. Raises OptionError if it is no run that can be handed in."""
    header = run.header
    subjects = [s for s in header["subjects"] if s["backend"] == backend.name]
    if not subjects:
        raise OptionError(f"{run.path}: has nothing of {backend.name}; name its --backend")
    if run.trouble:
        raise NotWhole(f"{run.path}: {run.trouble}")
    if header["shard"]:
        raise OptionError(f"{run.path}: is a part of a run; put it together by `gradspec merge`")
    if "edition" not in header:
        raise OptionError(f"{run.path}: is older than editions; run it again")
    return Manifest(
        edition=header["edition"],
        gradspec=header["gradspec"],
        specification=specification(),
        backend=word,
        version=subjects[0]["version"],
        adapter=adapter_files(type(backend)),
        results=digest(data),
        seed=header["seed"],
        profile=header["profile"],
    )


def write(path: Path, manifest: Manifest, results: bytes) -> None:
    """Write a submission; raises OptionError if that is not possible."""
    told = json.dumps(asdict(manifest), indent=1, sort_keys=True).encode()
    try:
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in ((MANIFEST, told), (RESULTS, results)):
                place = zipfile.ZipInfo(name, EPOCH)
                archive.writestr(place, data, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise OptionError(f"--output {path}: cannot be written ({error.strerror})") from None


def read(path: Path) -> tuple[Manifest, bytes]:
    """Read a submission, which may come from anybody. Raises OptionError if it is none."""
    try:
        with opened(path, LARGEST_FILE) as file, zipfile.ZipFile(file) as archive:
            names = [entry.filename for entry in archive.infolist()]
            if sorted(names) != sorted((MANIFEST, RESULTS)):
                raise ValueError(f"a submission has {MANIFEST} and {RESULTS}, and nothing else")
            fields = parse_json(_member(archive, MANIFEST, LARGEST))
            check("submission", fields)
            return Manifest(**fields), _member(archive, RESULTS, LARGEST_FILE)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        raise OptionError(f"{path}: is no zip that can be read") from None
    except ValueError as error:
        raise OptionError(f"{path}: {error}") from None


def _member(archive: zipfile.ZipFile, name: str, largest: int) -> bytes:
    with archive.open(name) as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise ValueError(f"{name} has more than {largest} bytes")
    return data


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return sha256(data).hexdigest()


def specification() -> str:
    """Return the digest of all that judges: the specification, and the instrument that runs it."""
    found = sha256()
    for room in (*rooms_of_specification(), Path(__file__).parents[1]):
        for path in sorted(_sources(room)):
            found.update(path.relative_to(room).as_posix().encode() + b"\0" + _text(path))
    return found.hexdigest()


def _sources(room: Path) -> Iterator[Path]:
    for ending in (".py", ".toml", ".json"):
        yield from (p for p in room.rglob(f"*{ending}") if p.parent.name != "backends")


def adapter_files(adapter: type[Backend]) -> dict[str, str]:
    """Return the digests of an adapter's module and of the tables beside it, by name."""
    path = Path(inspect.getfile(adapter))
    return {
        each.name: digest(_text(each))
        for each in sorted(path.parent.glob(f"{path.stem}*.*"))
        if each.suffix in (".py", ".toml")
    }


def _text(path: Path) -> bytes:
    # A checkout of Windows ends lines in its own way.
    return path.read_bytes().replace(b"\r\n", b"\n")
