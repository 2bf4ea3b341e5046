"""What changed since older results, and where a site is written."""

import errno
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from gradspec.conformance.results.verdict import Status
from gradspec.conformance.site import addresses
from gradspec.conformance.site.building import MARK
from html_pages import Html
from sites import DOCUMENTED, KNOWN, SINE, build, told
from written import FAILED, LACKING, PASSED, write_run

# ---- what changed --------------------------------------------------------------------------------


def test_what_became_red_or_green_is_told_and_fed(tmp_path):
    other = replace(PASSED, claim="ACC-58")
    declared = [replace(PASSED, claim=claim) for claim in (DOCUMENTED.claim, LACKING.claim)]
    old = write_run(tmp_path / "old.jsonl", PASSED, FAILED, KNOWN, other, *declared)
    now = [replace(PASSED, status=Status.FAIL, reason="worse"), replace(FAILED, status=Status.PASS)]
    now += [replace(KNOWN, status=Status.PASS), SINE, DOCUMENTED, LACKING]
    new = write_run(tmp_path / "new.jsonl", *now)
    site = build(tmp_path, new, older=[old], status=1)
    changes = told(site, "changes.html")["changes"]
    kinds = {
        (change["kind"], place["claim"]["text"]) for change in changes for place in change["places"]
    }
    assert kinds == {
        ("red", "ACC-01"),
        ("green", "ACC-05"),
        ("green", "ACC-60"),
        ("known", "ACC-52"),
        ("lost", "ACC-14"),
        ("lost", "ACC-58"),
    }
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ET.fromstring((site / "feed.xml").read_text(encoding="utf-8"))  # noqa: S314
    assert [entry.findtext(f"{atom}id") for entry in feed.iter(f"{atom}entry")] == [
        change["id"] for change in changes
    ]
    again = build(tmp_path, new, older=[old], status=1)
    assert told(again, "changes.html")["changes"] == changes
    for entry in feed.iter(f"{atom}entry"):
        page, _, part = entry.find(f"{atom}link").get("href").partition("#")
        assert part in Html((site / page).read_text(encoding="utf-8")).ids


def test_results_that_have_nothing_in_common_are_refused(tmp_path, capsys):
    old = write_run(tmp_path / "old.jsonl", replace(PASSED, backend="other"))
    new = write_run(tmp_path / "new.jsonl", PASSED)
    build(tmp_path, new, older=[old], status=2)
    assert "--older: no subject" in capsys.readouterr().err


def test_the_time_of_a_feed_can_be_told(tmp_path, monkeypatch):
    run = write_run(tmp_path / "run.jsonl", PASSED)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    site = build(tmp_path, run, older=[run])
    assert "<updated>1970-01-02T00:00:00Z</updated>" in (site / "feed.xml").read_text("utf-8")


# ---- where it is written -------------------------------------------------------------------------


@pytest.mark.long
def test_a_site_takes_the_place_of_the_one_before(tmp_path):
    run = write_run(tmp_path / "run.jsonl", replace(PASSED, backend="mine"))
    site = build(tmp_path, run)
    assert (site / "library" / "mine.html").is_file()
    build(tmp_path, write_run(run, PASSED))
    assert not (site / "library" / "mine.html").exists()
    assert (site / "library" / "torch.html").is_file()


@pytest.mark.long
def test_what_is_no_site_is_left_alone(tmp_path, capsys):
    run = write_run(tmp_path / "run.jsonl", PASSED)
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    build(tmp_path, run, status=2)
    assert "is no site of gradspec; name an empty folder" in capsys.readouterr().err
    # Nor does a list that somebody else wrote lead out of the folder.
    (folder / MARK).write_text(json.dumps(["mine.txt", "../run.jsonl", str(run), 3]))
    build(tmp_path, run)
    assert run.exists()
    assert not (folder / "mine.txt").exists()


@pytest.mark.long
def test_without_a_checkout_the_site_says_what_it_cannot_tell(tmp_path, monkeypatch, capsys):
    run = write_run(tmp_path / "run.jsonl", PASSED)
    build(tmp_path, run, status=2, checkout=tmp_path)
    assert "--checkout" in capsys.readouterr().err
    monkeypatch.setattr("gradspec.conformance.site.checkout.find_spec", lambda name: None)
    site = build(tmp_path, run)
    assert not told(site, "claim/ACC-01.html")["has_mutants"]
    assert "made without one" in (site / "claim" / "ACC-01.html").read_text(encoding="utf-8")
    assert "1366" not in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["../../evil", "CON", "con", "nul.", "a/b", "", "Ünï", "x" * 300])
def test_an_address_is_one_plain_file_name(name):
    for made in (addresses.library(name), addresses.operation(name), addresses.chapter(name)):
        file = made.partition("/")[2]
        assert re.fullmatch(r"[a-z0-9_][a-z0-9_.~-]{0,120}\.html", file), made
        assert not re.match(r"(con|nul|aux|prn|com\d|lpt\d)\.", file), made
    assert addresses.library(name) != addresses.library(name + "x")


@pytest.mark.long
@pytest.mark.parametrize("room", [0, 20])
def test_a_full_disk_leaves_a_folder_the_next_attempt_takes(tmp_path, monkeypatch, capsys, room):
    run = write_run(tmp_path / "run.jsonl", PASSED)
    files = iter(range(room))
    whole = Path.write_bytes

    def write_bytes(path, data):
        if next(files, None) is None:
            path.touch()
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write_bytes)
        site = build(tmp_path, run, status=2)
    assert "cannot be written (No space left" in capsys.readouterr().err
    assert [path.name for path in site.rglob("*") if path.is_file()] == [MARK]
    build(tmp_path, run)
    assert (site / "library" / "torch.html").is_file()


@pytest.mark.long
def test_a_disk_that_takes_nothing_keeps_the_site_that_stands_there(tmp_path, monkeypatch, capsys):
    run = write_run(tmp_path / "run.jsonl", PASSED)
    site = build(tmp_path, run)
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}

    def write_text(path, text, **options):
        path.write_bytes(b"")  # which is what opening for writing does
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", write_text)
        build(tmp_path, run, status=2)
    assert "cannot be written (No space left" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before
