"""Where failing examples are kept between runs, if they are: `--database`.

Without one, a run is a function of the code and the seed alone. With one, what an earlier search
has found is tried first, which is what a long search by several machines is for.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from hypothesis import Phase, settings
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    GitHubArtifactDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)

from ..protocol.errors import OptionError
from ..untrusted.texts import message_of

LOCAL = Path(".gradspec") / "examples"
"""Where examples are written that come from a GitHub artifact, to become the next one."""

ARTIFACT = "gradspec-examples"
"""The name of that artifact."""


class Database(NamedTuple):
    """A store of examples, and of what kind it is: its place may hold a password."""

    kind: str
    store: ExampleDatabase

    def used_by(self, chosen: settings) -> settings:
        """Return the settings `chosen` with this store, whose examples are tried first."""
        return settings(chosen, database=self.store, phases=(*chosen.phases, Phase.reuse))


def database_of(word: str | None, option: str) -> Database | None:
    """Open the store that `--database` names; raises OptionError if it cannot be reached."""
    if word is None:
        return None
    if re.match(r"rediss?://", word):
        return Database("redis", _redis(word, option))
    if word.startswith("github:"):
        found = re.fullmatch(r"github:([\w.-]+)/([\w.-]+)", word)
        if found is None:
            raise OptionError(f"{option} {word}: no repository; give github:OWNER/NAME")
        fetched = GitHubArtifactDatabase(found[1], found[2], artifact_name=ARTIFACT)
        local = _directory(LOCAL, f"{option} {word}")
        return Database("github", MultiplexedDatabase(local, ReadOnlyDatabase(fetched)))
    if "://" in word:
        raise OptionError(
            f"{option} {word}: give a directory, redis://HOST:PORT/N or github:OWNER/NAME"
        )
    return Database("directory", _directory(Path(word), f"{option} {word}"))


def _directory(path: Path, asked: str) -> ExampleDatabase:
    """Open a directory, in which something can be written: Hypothesis would not say if not."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path):
            pass
    except OSError as error:
        raise OptionError(
            f"{asked}: nothing can be kept in {path} ({error.strerror}); give a directory you may "
            "write to"
        ) from None
    return DirectoryBasedExampleDatabase(path)


def _redis(word: str, option: str) -> ExampleDatabase:
    shown = re.sub(r"//.*@", "//...@", word)
    if find_spec("redis") is None:
        raise OptionError(f"{option} {shown}: needs redis; run `pip install gradspec[redis]`")
    import redis  # noqa: PLC0415 - an optional extra
    from hypothesis.extra.redis import RedisExampleDatabase  # noqa: PLC0415

    try:
        server = redis.Redis.from_url(word, socket_connect_timeout=5)
        server.ping()
    except (redis.RedisError, ValueError) as error:
        reason = re.sub(r"//.*@", "//...@", message_of(error))
        raise OptionError(f"{option} {shown}: does not answer ({reason})") from None
    return RedisExampleDatabase(server)
