"""Where failing examples are kept between runs, if they are: `--database`.

Without one, a run is a function of the code and the seed alone. With one, what an earlier search
has found is tried first, which is what a long search by several machines is for.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from hypothesis import Phase, settings
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    GitHubArtifactDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)

from .errors import OptionError

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


def database_of(word: str | None) -> Database | None:
    """Open the store that `--database` names; raises OptionError if it cannot be reached."""
    if word is None:
        return None
    if re.match(r"rediss?://", word):
        return Database("redis", _redis(word))
    if word.startswith("github:"):
        found = re.fullmatch(r"github:([\w.-]+)/([\w.-]+)", word)
        if found is None:
            raise OptionError(f"--database {word}: no repository; give github:OWNER/NAME")
        fetched = GitHubArtifactDatabase(found[1], found[2], artifact_name=ARTIFACT)
        local = DirectoryBasedExampleDatabase(LOCAL)
        return Database("github", MultiplexedDatabase(local, ReadOnlyDatabase(fetched)))
    if "://" in word:
        raise OptionError(
            f"--database {word}: give a directory, redis://HOST:PORT/N or github:OWNER/NAME"
        )
    if Path(word).exists() and not Path(word).is_dir():
        raise OptionError(f"--database {word}: is a file; give a directory")
    return Database("directory", DirectoryBasedExampleDatabase(word))


def _redis(word: str) -> ExampleDatabase:
    shown = re.sub(r"//.*@", "//...@", word)
    if find_spec("redis") is None:
        raise OptionError(f"--database {shown}: needs redis; run `pip install gradspec[redis]`")
    import redis  # noqa: PLC0415 - an optional extra
    from hypothesis.extra.redis import RedisExampleDatabase  # noqa: PLC0415

    try:
        server = redis.Redis.from_url(word, socket_connect_timeout=5)
        server.ping()
    except (redis.RedisError, ValueError) as error:
        reason = re.sub(r"//.*@", "//...@", str(error))
        raise OptionError(f"--database {shown}: does not answer ({reason})") from None
    return RedisExampleDatabase(server)
