"""A run in parts is the same run; what is no whole is refused."""

import json

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.cli import main
from gradspec.conformance.results.reading import read, read_run
from gradspec.conformance.results.verdict import lines
from gradspec.conformance.run.sharding import cost, deal

MANY = [
    SQUARED.replace("TST-02", f"TST-{n}").replace("squared", f"squared_{n}") for n in range(20, 26)
]


@pytest.fixture
def parts(bench, capsys):
    """Run a specification in three parts; return their files, and what merging them says."""
    bench.write("sources.toml", bench.sources(*(f"TST-{n:02}" for n in range(1, 30))))
    bench.chapter(DOUBLED, WRONG, *MANY)

    def run(i, *words):
        name = f"part-{i}.jsonl"
        words = ("--shard", f"{i}/3", "--results", name, *words)
        return bench.run(*words) if "-n" not in words else bench.run_apart(*words)

    def merge(*names, output="whole.jsonl"):
        capsys.readouterr()
        status = main(["merge", *(str(bench.path / n) for n in names), "--output", output])
        return status, capsys.readouterr()

    bench.part, bench.merge = run, merge
    return bench


ALL = ["part-1.jsonl", "part-2.jsonl", "part-3.jsonl"]


def test_three_thirds_are_the_whole(parts):
    parts.run("--dtype", "float32")
    whole = list(lines(parts.all_verdicts()))
    assert len(whole) == 16
    for i in (1, 3):
        parts.part(i, "--dtype", "float32")
    parts.part(2, "-n", "2", "--dtype", "float32")
    assert parts.merge(*reversed(ALL))[0] == 0
    merged = read_run(parts.path / "whole.jsonl")
    assert list(lines(merged.verdicts)) == whole
    assert merged.header["shard"] is None
    assert merged.footer["exit_status"] == 1
    shares = [{v.key for v in read(parts.path / name)[1]} for name in ALL]
    core = set.intersection(*shares)
    assert {key[0] for key in core} == {"TST-01"}
    assert sum(len(share - core) for share in shares) == 14
    assert all(4 <= len(share) <= 8 for share in shares)


UNSUPPORTED = """
@claim("TST-02", about="layer", needs="nn")
def test_layers(be):
    "A layer can be made."
    be.layer("Linear", 1, 1)
"""


def test_what_is_unsupported_may_be_the_core(parts):
    parts.chapter(UNSUPPORTED, DOUBLED, *MANY)
    for i in (1, 2, 3):
        parts.part(i)
    status, told = parts.merge(*ALL)
    assert (status, told.err) == (0, "")
    assert "TST-02" in {v.claim for v in read_run(parts.path / "whole.jsonl").verdicts}


def test_an_earlier_run_balances(parts):
    parts.run("--results", "old.jsonl")
    text = (parts.path / "old.jsonl").read_text().splitlines()
    for at, line in enumerate(text):
        fields = json.loads(line)
        if "verdict" in fields:
            fields["verdict"]["seconds"] = 9.0 if fields["verdict"]["claim"] == "TST-20" else 1.0
            text[at] = json.dumps(fields)
    (parts.path / "old.jsonl").write_text("\n".join(text))
    for i in (1, 2, 3):
        parts.part(i, "--baseline", "old.jsonl")
    shares = [{v.claim for v in read(parts.path / name)[1]} - {"TST-01"} for name in ALL]
    assert {"TST-20"} in shares
    assert parts.merge(*ALL)[0] == 0


def test_what_is_selected_is_shared(parts):
    for i in (1, 2, 3):
        parts.part(i, "-k", "TST-21 or TST-22 or TST-23")
    assert parts.merge(*ALL)[0] == 0
    merged = read_run(parts.path / "whole.jsonl")
    assert {v.claim for v in merged.verdicts} == {"TST-21", "TST-22", "TST-23"}
    assert merged.footer["exit_status"] == 0


@pytest.mark.parametrize(
    ("words", "names", "status", "complaint"),
    [
        ([], ALL[:2], 3, "without part 3/3 this is no whole run"),
        ([], ["part-1.jsonl", *ALL], 2, "part 1/3 is there already"),
        (["--hypothesis-seed", "5"], ALL, 2, "its seed is 5, not 0"),
        (["--hypothesis-profile", "quick"], ALL, 2, "its profile is 'quick', not 'default'"),
        (["-k", "TST-21"], ALL, 2, "part 2/3 is one of other claims or other subjects"),
        (["-x"], ALL, 3, "part-2.jsonl: it holds 1 of "),
    ],
    ids=["missing", "twice", "seed", "profile", "selection", "stopped"],
)
def test_what_is_not_one_run_is_not_merged(parts, words, names, status, complaint):
    # What comes first is part of every shard.
    parts.chapter(WRONG, DOUBLED, *MANY)
    parts.part(1)
    parts.part(2, *words)
    parts.part(3)
    ended, told = parts.merge(*names)
    assert ended == status
    assert complaint in told.err
    assert not (parts.path / "whole.jsonl").exists()


def test_parts_that_judge_the_core_otherwise_are_not_merged(parts):
    for i in (1, 2, 3):
        parts.part(i)
    path = parts.path / "part-2.jsonl"
    path.write_text(path.read_text().replace('"drawn"', '"worst": 0.5, "drawn"'))
    status, told = parts.merge(*ALL)
    assert status == 2
    assert "another verdict on TST-01 on reference-cpu-float64 than an earlier part" in told.err


def test_a_whole_run_is_no_part(parts):
    parts.run("--results", "part-1.jsonl")
    status, told = parts.merge("part-1.jsonl")
    assert status == 2
    assert "no part of a run, but a whole one" in told.err


@pytest.mark.parametrize("word", ["0/3", "4/3", "1", "1/0", "a/b", "1/3/3", "-1/3"])
def test_what_is_no_part_of_a_whole_is_refused(bench, word):
    result = bench.run(f"--shard={word}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--shard {word}: no part of a run" in complaint(result)


def test_parts_cost_about_the_same():
    costs = {f"t{n}": float(n % 7 + 1) for n in range(70)}
    sums = [sum(costs[name] for name in part) for part in deal(costs, 4)]
    assert sum(sums) == sum(costs.values())
    assert max(sums) - min(sums) <= 1


def test_what_was_never_timed_costs_as_much_as_others():
    seconds = {"A": {"torch": 4.0, "reference": 2.0}, "B": {"torch": 0.0}}
    assert cost("A", "torch", seconds) == 4.0
    assert cost("A", "jax", seconds) == 3.0
    assert cost("C", "jax", seconds) == 2.0
    assert cost("C", "jax", {}) == 1.0
