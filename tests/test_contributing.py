"""What contributors are told is so: files and commands are there, and forms are forms."""

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest
import test_rooms

from gradspec import spec
from gradspec.conformance.claims.catalogue import claims_of

CHECKOUT = Path(__file__).parent.parent
PAGE = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FORMS = sorted((CHECKOUT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
KINDS = {"input", "textarea", "dropdown"}


def test_every_file_that_is_named_is_there():
    named = re.findall(r"`((?:spec|tests|conformance|results)/[\w./-]*)`", PAGE)
    assert len(named) >= 4
    assert [each for each in named if not (CHECKOUT / each).exists()] == []


def test_every_room_is_told_in_its_order():
    assert re.findall(r"(?m)^        (\w+)/ ", PAGE) == [*test_rooms.ORDER]


def test_every_environment_of_tox_is_one():
    tox = configparser.ConfigParser()
    tox.read(CHECKOUT / "tox.ini", encoding="utf-8")
    named = re.findall(r"tox run -e (\w+)", PAGE)
    assert len(named) >= 2
    assert [each for each in named if f"testenv:{each}" not in tox] == []


@pytest.mark.parametrize("command", ["pytest tests/test_catalogue.py", "python tests/contents.py"])
def test_every_command_can_be_begun(command):
    assert f"`{command}`" in PAGE
    program, file = command.split()
    words = (
        ["-m", "pytest", "--collect-only", "-q"] if program == "pytest" else ["-m", "py_compile"]
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, *words, file], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_forms_of_disputes_are_named_as_they_are():
    yaml = pytest.importorskip("yaml")
    names = {yaml.safe_load(path.read_text(encoding="utf-8"))["name"] for path in FORMS}
    called = set(re.findall(r"the form \*([^*]+)\*", PAGE))
    assert called
    assert called <= names


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_what_is_needed(path):
    yaml = pytest.importorskip("yaml")
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form.keys() == {"name", "description", "labels", "body"}
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids)) > 1
    for field in form["body"]:
        assert field["type"] in KINDS
        assert field["attributes"]["label"]
        assert field["validations"] == {"required": True}
        assert (field["type"] == "dropdown") == ("options" in field["attributes"])
    for claim in re.findall(r"placeholder: ([A-Z]+-\d+)", path.read_text(encoding="utf-8")):
        assert claim in claims_of(spec)


def test_the_newest_changes_come_first_and_are_of_this_version_or_to_come():
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.findall(r"^## (.+)$", text, re.MULTILINE)[0]
    version = re.search(
        r'^version = "(.+)"$', (CHECKOUT / "pyproject.toml").read_text("utf-8"), re.MULTILINE
    )
    assert first in {"Unreleased", version[1]}
