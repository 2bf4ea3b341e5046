"""Editions of the specification: what they list stands, and scores are counted against them."""

from dataclasses import replace

import pytest
from test_standings import PASSED, ROOT, run

import gradspec.spec
from bench import SQUARED, WRONG
from gradspec.conformance.claims import editions as room
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.claims.claim import State
from gradspec.conformance.claims.editions import Edition, current, judged_in, read_edition
from gradspec.conformance.cli import main
from gradspec.conformance.results.standings import overview, standings

RELEASED = {}
"""The digest of each released edition's file, by name: what is released is never changed."""


@pytest.fixture(scope="module")
def claims():
    return claims_of(gradspec.spec)


@pytest.fixture(scope="module")
def settled(claims):
    """What the claims of today would be as a released edition."""
    laws = {claim.id: claim.law for claim in claims.values()}
    return Edition("2026.12", draft=False, laws=laws, operations=judged_in(claims.values()))


def test_the_draft_lists_the_specification_as_it_is(claims, settled):
    """`gradspec editions --write` writes it."""
    edition = current()
    assert edition.draft or edition.name in RELEASED
    assert [*edition.misfits(claims)] == []
    if edition.draft:
        active = {i: law for i, law in settled.laws.items() if claims[i].state is State.ACTIVE}
        assert (edition.laws, edition.operations) == (active, settled.operations)


def test_every_edition_that_is_no_draft_is_as_it_was_released():
    found = {name: each for name, each in room.editions().items() if not each.draft}
    assert {name: each.digest for name, each in found.items()} == RELEASED


def test_a_digest_tells_any_word_that_was_changed_and_no_line_ending(tmp_path):
    path = tmp_path / "edition-2030.01.toml"
    written = 'draft = false\noperations = []\n[laws]\nACC-01 = "Gradients add up."\n'

    def digest(text):
        path.write_bytes(text.encode())
        return read_edition(path).digest

    assert digest(written) == digest(written.replace("\n", "\r\n"))
    assert digest(written) != digest(written.replace("add", "adds"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"law": "Something else."}, "ACC-01 says something else"),
        ({"law": "Something else.", "edition": "2027.06"}, ""),
        ({"state": State.DEPRECATED}, ""),
        ({"id": "ACC-99"}, "ACC-01 is gone"),
    ],
)
def test_what_an_edition_settled_is_kept(claims, settled, change, told):
    changed = replace(claims["ACC-01"], **change)
    rest = {identity: claim for identity, claim in claims.items() if identity != "ACC-01"}
    found = [*settled.misfits({changed.id: changed, **rest})]
    assert (not found and not told) or found[0].startswith(told)
    assert bool(found) == bool(told)


def test_what_enters_later_names_its_edition(claims, settled):
    new = replace(claims["ACC-01"], id="ACC-99")
    (told,) = settled.misfits({**claims, "ACC-99": new})
    assert told.startswith("ACC-99 is new")
    assert not [*settled.misfits({**claims, "ACC-99": replace(new, edition="2027.06")})]
    assert not [*settled.misfits({**claims, "ACC-99": replace(new, state=State.PROPOSED)})]


def test_an_operation_may_not_go(claims, settled):
    more = replace(settled, operations=settled.operations | {"frobnicate"})
    assert [*more.misfits(claims)] == ["the operation frobnicate is gone"]


def test_scores_count_what_the_edition_asks():
    edition = Edition("1", draft=False, laws={"ACC-01": "", "GEN-04": ""}, operations={"sin"})
    verdicts = [
        PASSED,
        replace(PASSED, claim="ACC-98"),
        replace(PASSED, claim="GEN-04", operation="sin"),
        replace(PASSED, claim="GEN-04", operation="cos"),
    ]
    assert overview(standings([run(*verdicts)], edition))[1][2:5] == ["2", "2", "2"]


def test_an_edition_is_named_or_refused(capsys):
    assert main(["editions"]) == 0
    assert capsys.readouterr().out.startswith("2026.12 ")
    results = str(ROOT / "results" / "mygrad-cpu.jsonl")
    assert main(["standings", results, "--edition", "1999.01"]) == 2
    assert "--edition 1999.01: there is no such edition" in capsys.readouterr().err


def test_the_draft_is_written_and_a_released_one_is_not(tmp_path, monkeypatch, claims):
    monkeypatch.setattr(room, "rooms_of_specification", lambda: [tmp_path])
    path = tmp_path / "edition-2030.01.toml"
    path.write_text("draft = true\noperations = []\n[laws]\n", encoding="utf-8")
    room.editions.cache_clear()
    try:
        few = {"ACC-01": claims["ACC-01"], "GEN-04": replace(claims["GEN-04"], state="proposed")}
        assert room.write_draft(few) == path
        assert read_edition(path).laws == {"ACC-01": claims["ACC-01"].law}
        path.write_text("draft = false\noperations = []\n[laws]\n", encoding="utf-8")
        room.editions.cache_clear()
        with pytest.raises(room.OptionError, match=r"2030\.01 is released"):
            room.write_draft(few)
    finally:
        room.editions.cache_clear()


@pytest.mark.parametrize("state", ["proposed", "disputed", "deprecated"])
def test_what_is_not_active_is_run_only_if_it_is_named(bench, state):
    bench.chapter(SQUARED, WRONG.replace('about="mul"', f'about="mul", state="{state}"'))
    bench.run().assert_outcomes(passed=1, deselected=1)
    assert [*bench.verdicts()] == ["TST-02"]
    bench.run("--claim", "TST-03").assert_outcomes(failed=1, deselected=1)
    with pytest.raises(ValueError, match="'new' is not a valid State"):
        State("new")


def test_results_name_their_edition(bench):
    bench.chapter(SQUARED)
    bench.run()
    assert f'"edition": "{current().name}"' in bench.results.read_text(encoding="utf-8")
