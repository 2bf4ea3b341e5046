"""What is handed out: the source distribution is the whole project, the wheel what runs."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

CHECKOUT = Path(__file__).parent.parent
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HOME = PROJECT["urls"]["Homepage"]
ROOMS = {"package": "gradspec"} | {n: f"gradspec/{n}" for n in ("conformance", "reference", "spec")}
UNTRACKED = re.compile(r"PKG-INFO|setup\.cfg|gradspec\.egg-info/.+")
"""What setuptools adds to a source distribution."""
UNUSED = {"spec/README.md", *(f"spec/chapters/{p.name}" for p in CHECKOUT.glob("spec/chapters/*"))}
"""Files of the rooms that are for readers of the project, and stay out of the wheel."""
HERE = [path for path in sys.path if path.endswith("-packages")]
"""Where the packages of this environment lie."""
QUICK = ("--backend", "reference", "--dtype", "float64", "-q", "-p", "no:cacheprovider")


# ---- what needs no building ----------------------------------------------------------------------


def test_links_of_the_readme_lead_somewhere_from_any_page():
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    for link in links:
        place = re.fullmatch(rf"{HOME}/(?:blob|raw)/main/(.+)", link)
        assert place, link
        assert (CHECKOUT / place[1]).is_file()


def test_there_is_one_address():
    told = [*PROJECT["urls"].values()]
    told += re.findall(r"(?:uses: |git\+)(\S*gradspec/\S+)", read("examples/workflow.yml"))
    assert len(told) > 5
    name = HOME.removeprefix("https://github.com/")
    assert not [each for each in told if name not in each]


def test_every_package_of_a_room_is_listed():
    tool = tomllib.loads(read("pyproject.toml"))["tool"]["setuptools"]
    found = {
        ".".join((ROOMS[room], *path.parent.relative_to(CHECKOUT / room).parts)).replace("/", ".")
        for room in ROOMS
        for path in (CHECKOUT / room).rglob("__init__.py")
    }
    assert sorted(tool["packages"]) == sorted(found)


EXTRAS = PROJECT["optional-dependencies"]


@pytest.mark.parametrize(
    ("constraints", "needed"),
    [
        ("constraints-oldest.txt", PROJECT["dependencies"]),
        (
            "constraints-oldest-libraries.txt",
            [
                requirement
                for library in Requirement(*EXTRAS["libraries"]).extras
                for requirement in EXTRAS[library]
            ],
        ),
    ],
)
def test_the_oldest_that_will_do_is_what_is_run(constraints, needed):
    _, *lines = read(constraints).splitlines()
    pinned, needed = (
        # "2.1" and "2.1.0" are the same version.
        {each.name: Version(str(each.specifier)[2:]) for each in map(Requirement, words)}
        for words in (lines, needed)
    )
    assert pinned == needed
    assert all("==" in line for line in lines)


def read(name):
    return (CHECKOUT / name).read_text(encoding="utf-8")


# ---- what is built -------------------------------------------------------------------------------


def command(*words, cwd, **variables):
    """Run a command; return what it said if it went well."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | variables
    done = subprocess.run(  # noqa: S603
        [*map(str, words)], cwd=cwd, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked():
    """Name the files of the project; in an unpacked source distribution, what it lists."""
    git = shutil.which("git") if (CHECKOUT / ".git").exists() else None
    if git:
        return set(command(git, "ls-files", cwd=CHECKOUT).splitlines())
    listed = read("gradspec.egg-info/SOURCES.txt").splitlines()
    return {name for name in listed if not UNTRACKED.fullmatch(name)}


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the project, wherein building leaves what it leaves."""
    folder = tmp_path_factory.mktemp("clone") / "gradspec"
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CHECKOUT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def dist(clone, tmp_path_factory):
    """The source distribution, and the wheel that is built from it."""
    # `build` alone would also be the folder that building a wheel leaves in a checkout.
    for name in ("build.__main__", "setuptools"):
        pytest.importorskip(name, reason="packages are built by `tox run -e build`")
    folder = tmp_path_factory.mktemp("dist")
    command(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, clone, cwd=folder)
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return {"sdist": source, "wheel": wheel, "checkout": clone, "editable": clone}


@pytest.fixture(scope="module")
def unpacked(dist, tmp_path_factory):
    """The folder that a source distribution unpacks to."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(dist["sdist"]) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


class Installed:
    """An environment of its own, with gradspec in it and the rest of this one's packages."""

    def __init__(self, folder, *words):
        venv.create(folder, with_pip=False)
        (self.site,) = [path for path in folder.rglob("site-packages") if path.is_dir()]
        self.before = sorted(self.site.rglob("*"))
        (self.python,) = [*folder.glob("bin/python"), *folder.glob("Scripts/python.exe")]
        self.rest = self.site / "rest.pth"
        self.folder = folder
        # Building finds setuptools in this environment; pip installs beside it, not over it.
        self.pip("install", "--ignore-installed", *words, PYTHONPATH=os.pathsep.join(HERE))
        self.rest.write_text("\n".join(HERE), encoding="utf-8")

    def pip(self, verb, *words, **variables):
        pip = (sys.executable, "-m", "pip", "--python", self.python, verb)
        command(*pip, "--disable-pip-version-check", *words, cwd=self.folder, **variables)

    def run(self, *words, cwd):
        return command(self.python, *words, cwd=cwd)


def install(folder, *words):
    offline = ("--no-index", "--no-deps", "--no-build-isolation")
    return Installed(folder, *offline, *words)


def test_the_source_distribution_is_the_whole_project(unpacked):
    files = {p.relative_to(unpacked).as_posix() for p in unpacked.rglob("*") if p.is_file()}
    assert {name for name in files if not UNTRACKED.fullmatch(name)} == tracked()


def test_the_wheel_is_the_rooms(dist):
    names = set(zipfile.ZipFile(dist["wheel"]).namelist())
    expected = {
        name.replace(room, ROOMS[room], 1)
        for name in tracked() - UNUSED
        if (room := name.partition("/")[0]) in ROOMS
    }
    assert {name for name in names if ".dist-info/" not in name} == expected


def test_an_index_shows_where_the_project_lives(dist):
    with zipfile.ZipFile(dist["wheel"]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
        told = message_from_string(wheel.read(name).decode())
    assert dict(url.split(", ") for url in told.get_all("Project-URL")) == PROJECT["urls"]
    assert told.get_payload().strip() == read("README.md").strip()


@pytest.mark.long
def test_tests_run_from_the_unpacked_source_distribution(unpacked, tmp_path):
    installed = install(tmp_path / "env", unpacked)
    files = [f"tests/test_{name}.py" for name in ("contents", "packages", "contributing")]
    words = ("-q", "-p", "no:cacheprovider", "-k", "not unpacked and not installed")
    told = installed.run("-m", "pytest", *files, *words, cwd=unpacked)
    assert re.search(r"\d\d passed", told)
    told = installed.run("-m", "pytest", "spec", "--claim", "ACC-01", *QUICK, cwd=unpacked)
    assert "1 passed" in told


SELDOM = [pytest.param(kind, marks=pytest.mark.long) for kind in ("sdist", "checkout", "editable")]
"""What may be installed besides the wheel, which CI installs to run the specification as well."""


@pytest.mark.parametrize("kind", ["wheel", *SELDOM])
def test_installed_from_anything_it_runs_and_leaves_nothing_behind(dist, tmp_path, kind):
    words = ["--editable"] if kind == "editable" else []
    installed = install(tmp_path / "env", *words, dist[kind])
    # pytest keeps what it has compiled beside the sources of any plugin; pip does not know of it.
    run = ("-B", "-m", "pytest", "--pyargs", "gradspec.spec", "--claim", "ACC-01", *QUICK)
    assert "1 passed" in installed.run(*run, cwd=tmp_path)
    installed.run("-m", "gradspec.conformance", "--help", cwd=tmp_path)
    installed.rest.unlink()
    installed.pip("uninstall", "--yes", "gradspec")
    assert sorted(installed.site.rglob("*")) == installed.before


def test_a_clone_beside_is_not_taken_for_what_is_installed(dist, clone, tmp_path):
    installed = install(tmp_path / "env", dist["wheel"])
    told = installed.run("-c", "import gradspec.spec as s; print(s.__file__)", cwd=clone.parent)
    assert Path(told.strip()).is_relative_to(installed.site)
