"""The pages in docs/: commands run and print what is shown; code is a file they use, or ours."""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from gradspec.conformance.untrusted.files import check

ROOT = Path(__file__).parent.parent
PAGES = sorted(ROOT.joinpath("docs").glob("*.md"))
EVERYWHERE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
BLOCK = re.compile(r"^```(\w+)(.*)\n((?:.*\n)*?)^```$", re.MULTILINE)
TUTORIAL = "writing-an-adapter"
SCRIPTS = str(Path(sys.executable).parent)
by_name = pytest.mark.parametrize("page", EVERYWHERE, ids=lambda page: page.stem)


def words_of(info):
    return dict(word.split("=") for word in info.split())


def elsewhere(page):
    """The commands of a page that need a network, a device, or an hour: lines set in by four."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    lines = re.findall(r"^    (?=python|pytest|gradspec|tox)(.+)$", text, re.MULTILINE)
    return [
        line.split("   ")[0]
        for line in [*lines, *re.findall(r"`((?:pytest|tox|gradspec) [^`]+)`", text)]
    ]


def run(line, folder):
    """Run a line of a shell that has no shell's signs; what it prints, and its exit status."""
    name, *words = shlex.split(line)
    program = shutil.which(name, path=SCRIPTS)
    assert program, f"{name} is not in this environment"
    done = subprocess.run(  # noqa: S603 - the pages are our own
        [program, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr, done.returncode


@cache
def helped(command):
    """What a command says of itself, and its exit status."""
    return run(f"{command} --help", ROOT)


def matches(line, shown):
    """Whether a line is what a page shows of it, with `*` for what it leaves out."""
    return re.fullmatch(".*".join(map(re.escape, shown.split("*"))), line)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_runs_ends_and_prints_as_it_says(page, tmp_path):
    pytest.importorskip("torch")
    told = ""
    for language, info, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        said = words_of(info)
        if language == "sh":
            told = ""
            for line in body.splitlines():
                output, status = run(line, tmp_path)
                assert status == int(said.get("status", 0)), f"{line}\n{output}"
                told += output
        elif language == "text":
            for shown in body.splitlines():
                assert any(matches(line, shown) for line in told.splitlines()), f"{shown}\n{told}"
        elif "show" in said:
            assert body in ROOT.joinpath(said["show"]).read_text(encoding="utf-8")
        elif language == "toml":
            check("expectations", tomllib.loads(body))
        else:
            assert language == "python"
            name, _, code = body.partition("\n")
            compile(code, name, "exec")
            if page.stem == TUTORIAL:  # test_own_backend.py puts its blocks together
                continue
            assert re.fullmatch(r"# \w+\.py", name), f"a block is no file: {name}"
            tmp_path.joinpath(name[2:]).write_text(dedent(code), encoding="utf-8")


@by_name
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not link.startswith("https:"):
            assert page.parent.joinpath(link).exists(), link


def test_every_page_is_named_in_the_readme():
    readme = ROOT.joinpath("README.md").read_text(encoding="utf-8")
    assert not [page.name for page in PAGES if f"docs/{page.name})" not in readme]


@by_name
def test_options_and_environments_that_are_named_exist(page):
    known = helped("pytest")[0]
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    environments = {name for each in tox.sections() for name in re.findall(r"\w+", each)}
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.findall(r"gradspec\[([\w,]+)\]", page.read_text(encoding="utf-8"))
    assert {each for found in extras for each in found.split(",")} <= {
        *project["optional-dependencies"]
    }
    for line in elsewhere(page):
        for named in re.findall(r"tox run -e ([\w,]+)", line):
            assert {*named.split(",")} <= environments, line
        if line.startswith("pytest"):
            for option in re.findall(r"--[\w-]+", line):
                assert re.search(rf"{option}\b", known), line
        if line.startswith("gradspec"):
            told, status = helped(" ".join(line.split()[:2]))
            assert status == 0, line
            assert not [o for o in re.findall(r"--[\w-]+", line) if o not in told], line
