"""The specification as a document: every row is settled once, every law is well formed."""

import ast
import re
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from gradspec import spec
from gradspec.conformance import Backend, Capability, claim
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.claims.catalogue import claims_of, rows_of_specification
from gradspec.conformance.claims.claim import SOURCES, read_sources
from gradspec.conformance.protocol.operations import OPERATIONS
from gradspec.conformance.protocol.subject import Subject
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.loading import GROUP, installed
from gradspec.conformance.speed.laws import laws_of
from gradspec.conformance.speed.workloads import workloads_of
from gradspec.conformance.table.drawn import ALL

CHAPTERS = Path(spec.__file__).parent
ROOT = Path(__file__).parent.parent
ROWS = read_sources(CHAPTERS / SOURCES)
CLAIMS = claims_of(spec)
MEASURED = laws_of(spec)

claims = pytest.mark.parametrize("each", CLAIMS.values(), ids=CLAIMS)


def test_every_row_stands_in_exactly_one_claim():
    settled = [row for each in (*CLAIMS.values(), *MEASURED.values()) for row in each.rows]
    assert len(settled) == len(set(settled))
    missing = sorted(row for row in ROWS.keys() - set(settled) if "nothing" not in ROWS[row])
    assert not missing, f"{len(missing)} of {len(ROWS)} rows are settled by no claim: {missing}"


def test_the_sources_are_found_without_importing_a_chapter():
    assert rows_of_specification() == ROWS.keys()


def test_what_only_holds_is_told_in_one_line():
    rows = tomllib.loads((CHAPTERS / SOURCES).read_text(encoding="utf-8"))
    plain = {"notes", "verdict"}
    assert not [
        row for row, fields in rows.items() if isinstance(fields, dict) and fields.keys() == plain
    ]


@pytest.mark.parametrize("row", ROWS)
def test_rows_say_where_they_come_from_and_what_is_wrong(row):
    fields = ROWS[row]
    assert re.fullmatch(r"[A-Z]{3}-\d{2,3}", row)
    assert re.match(r"\d{3}:\d+", fields["notes"])
    assert fields["verdict"] in {"holds", "imprecise", "false", "outdated"}
    assert ("errs" in fields) == (fields["verdict"] != "holds")


@pytest.mark.parametrize("each", [*CLAIMS.values(), *MEASURED.values()], ids=lambda each: each.id)
def test_a_law_is_of_one_or_two_sentences(each):
    law = each.law
    assert law.endswith(".")
    assert len(re.findall(r"[a-z0-9)'\"`]\.(?= |$)", law)) <= 2
    assert not re.search(r"\b(should|must|tests? that|checks? that|verif)", law, re.IGNORECASE)


@claims
def test_a_claim_has_sources_and_speaks_of_something(each):
    assert each.sources
    assert each.id == each.rows[0]
    assert each.about or each.over
    for word in each.about:
        assert word in OPERATIONS or callable(getattr(Backend, word, None)), word
    for word in each.needs:
        assert word in OPERATIONS or word in frozenset(Capability), word


@claims
def test_what_a_claim_draws_is_what_it_takes(each):
    for operation in each.over or [None]:
        strategies = each.strategies(operation)
        for values in filter(None, (strategies, *each.examples)):
            assert values.keys() == each.arguments
        given = strategies or not each.arguments
        assert given or (each.corners(operation, ALL) if operation else each.examples)


def test_laws_are_said_once():
    laws = [each.law for each in (*CLAIMS.values(), *MEASURED.values())]
    assert sorted(laws) == sorted(set(laws))


@pytest.mark.parametrize("path", sorted(CHAPTERS.glob("test_*.py")), ids=lambda path: path.stem)
def test_a_chapter_defines_claims_and_workloads_and_no_helpers(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            marks = " ".join(map(ast.unparse, node.decorator_list))
            assert re.search(r"\b(claim|measured|timed_over|workload|parametrize)\b", marks), (
                node.name
            )
        else:
            assert isinstance(node, ast.Import | ast.ImportFrom | ast.Expr | ast.Assign), (
                node.lineno
            )


@pytest.mark.parametrize("path", sorted(CHAPTERS.glob("test_*.py")), ids=lambda path: path.stem)
def test_a_chapter_has_a_workload_or_says_why_not(path):
    chapter = import_module(f"{spec.__name__}.{path.stem}")
    excuse = getattr(chapter, "NO_WORKLOAD", "")
    own = [w for w in workloads_of(spec) if w.program.__module__ == chapter.__name__]
    assert bool(own) != bool(excuse), f"{path.name}: mark a program as @workload, or say why not"
    assert "\n" not in excuse
    assert all(workload.law.endswith(".") for workload in own)


@pytest.mark.parametrize("entry", entry_points(group=GROUP), ids=lambda entry: entry.name)
def test_expected_failures_name_claims_and_fit_them(entry):
    if not installed(entry.name):
        pytest.skip(f"not run: {entry.name} is not installed")
    backend = entry.load()()
    subject, declared = (
        Subject(backend, "cpu", "float32"),
        {*backend.capabilities, *backend.functions},
    )
    for expected in expectations_of(backend):
        owner = next(each for each in CLAIMS.values() if expected.claim in each.rows)
        operation = next((o for o in owner.over if o.name == expected.operation), None)
        assert expected.mismatch(owner, operation) is None
        # A run does not ask this of an adapter for a range of releases; of the one here it holds.
        needs = [*owner.needs, *([operation.name] if operation else [])]
        stale = set(subject.lacks(needs)) - declared if expected.current else set()
        assert not stale, (expected.claim, stale)
        # To a report, or to the script that shows it where nobody has reported it.
        assert re.match(r"https://\S+$", expected.link) or (ROOT / expected.link).is_file()


# ---- what a claim may not be ---------------------------------------------------------------------


def law_of(text):
    """Make a claim of a function with this docstring, from the rows of a file beside it."""

    def test_it(be):
        pass

    test_it.__doc__ = text
    return test_it


@pytest.mark.parametrize(
    ("rows", "options", "complaint"),
    [
        (["NOT-01"], {"about": "mul"}, "no row 'NOT-01'"),
        (["TST-01"], {"about": "mul", "needs": "backwards"}, "needs 'backwards'"),
        (["TST-01"], {"about": "multiply"}, "about 'multiply'"),
        (["TST-01"], {"about": ""}, "about nothing"),
        (["TST-01"], {"about": "mul", "level": "rule"}, "rule"),
        (["TST-01"], {"about": "mul", "device": "gpu"}, "is for 'gpu': name one of cpu, cuda"),
    ],
)
def test_a_claim_of_unknown_words_is_refused(tmp_path, monkeypatch, rows, options, complaint):
    (tmp_path / "sources.toml").write_text('[TST-01]\nnotes = "000:1"\nverdict = "holds"\n')
    monkeypatch.setattr("inspect.getfile", lambda _: str(tmp_path / "test_it.py"))
    with pytest.raises(ValueError, match=complaint):
        claim(*rows, **options)(law_of("A law."))


def test_a_claim_without_a_law_is_refused():
    with pytest.raises(ValueError, match="test_it has no docstring"):
        claim("ACC-01", about="mul")(law_of(None))


def test_two_claims_on_one_row_are_refused(tmp_path, monkeypatch):
    for chapter in ("test_one", "test_two"):
        (tmp_path / f"{chapter}.py").write_text(
            "from gradspec.conformance import claim\n"
            "@claim('TST-01', about='mul')\n"
            "def test_it(be):\n    'A law.'\n"
        )
    (tmp_path / "sources.toml").write_text('[TST-01]\nnotes = "000:1"\nverdict = "holds"\n')
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path.parent))
    package = import_module(tmp_path.name)
    with pytest.raises(ValueError, match="TST-01 stands in two claims"):
        claims_of(package)


def test_no_operation_is_hidden_by_what_a_subject_is():
    """A claim that asks `be` for an operation gets it, and nothing that stands on a subject."""
    taken = {*vars(Subject(Reference(), "cpu", "float64")), *vars(Subject)}
    assert not taken & set(OPERATIONS)
