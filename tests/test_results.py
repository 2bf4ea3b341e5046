"""Results on disk: whole or refused, one line a verdict, the same for the same seed."""

import json

import pytest

from bench import DOUBLED, SQUARED, WRONG
from gradspec.conformance.results.reading import BrokenRun, read
from gradspec.conformance.results.verdict import Status, lines

VACUOUS = """
@claim("TST-01", about="cumsum")
@given(x=arrays())
def test_vacuous(be, x):
    "A running sum is never asked for."
    be.check(be.tensor(x), x)
"""

UNSUPPORTED = """
@claim("TST-01", about="mul", needs="torch")
def test_unsupported(be):
    "This is about PyTorch alone."
"""

MISTAKEN = """
@claim("TST-01", about="mul")
def test_mistaken(be):
    "Division by zero says nothing about a backend."
    be.mul(be.leaf([1.0]), 1 / 0)
"""

REJECTING = """
@claim("TST-01", about="mul")
@given(x=arrays())
def test_rejecting(be, x):
    "No example is good enough."
    __import__("hypothesis").assume(False)
"""

REFUSED = """
@claim("TST-01", about="mul")
def test_refused(be):
    "A constant has a gradient."
    be.backward(be.mul(be.tensor([1.0]), 2.0))
"""


@pytest.mark.parametrize(
    ("claim", "status", "exit_status"),
    [
        (DOUBLED, Status.PASS, 0),
        (WRONG, Status.FAIL, 1),
        (REFUSED, Status.FAIL, 1),
        (MISTAKEN, Status.ERROR, 1),
        (REJECTING, Status.ERROR, 1),
        (VACUOUS, Status.VACUOUS, 1),
        (UNSUPPORTED, Status.UNSUPPORTED, 5),
    ],
    ids=["pass", "fail", "refused", "error", "all rejected", "vacuous", "unsupported"],
)
def test_each_outcome_has_a_status_and_an_exit_status(bench, claim, status, exit_status):
    bench.chapter(claim)
    assert bench.run().ret == exit_status
    (verdict,) = bench.all_verdicts()
    assert verdict.status is status
    assert verdict.subject == "reference-cpu-float64"
    assert (verdict.reproduction is not None) == (exit_status == 1)


def test_a_refusal_is_named_by_its_kind(bench):
    bench.chapter(REFUSED)
    bench.run()
    assert bench.verdicts()["TST-01"].kind == "no_graph"


def test_what_hypothesis_complains_of_is_named(bench):
    bench.chapter(REJECTING)
    bench.run()
    assert bench.verdicts()["TST-01"].reason.startswith("FailedHealthCheck: ")


def test_a_file_has_a_header_verdicts_and_a_footer(bench):
    bench.chapter(DOUBLED, WRONG, SQUARED)
    bench.run("--hypothesis-seed", "7", "--hypothesis-profile", "quick")
    first, *lines, last = map(json.loads, bench.results.read_text().splitlines())
    begun, verdicts = lines[::2], lines[1::2]
    assert [line["begun"][0] for line in begun] == ["TST-01", "TST-03", "TST-02"]
    header = first["header"]
    assert (header["seed"], header["profile"], header["format"]) == (7, "quick", 2)
    assert [subject["subject"] for subject in header["subjects"]] == ["reference-cpu-float64"]
    assert header["subjects"][0]["version"].startswith("numpy-")
    assert {"gradspec", "commit", "numpy", "hypothesis", "python", "platform"} <= header.keys()
    assert [line["verdict"]["claim"] for line in verdicts] == ["TST-01", "TST-03", "TST-02"]
    assert last["footer"]["statuses"] == {"pass": 2, "fail": 1}
    assert last["footer"]["exit_status"] == 1


def test_what_was_drawn_reached_and_measured_is_counted(bench):
    bench.chapter(SQUARED)
    bench.run()
    verdict = bench.verdicts()["TST-02"]
    assert verdict.drawn == verdict.reached == 30
    assert verdict.rejected == 0
    assert 0 <= verdict.worst < 1
    assert verdict.cpu_seconds > 0


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda text: text[:-1], "has no footer"),
        (lambda text: text[1:], "the header comes first"),
        (lambda text: [*text[:1], *text[2:]], "the footer counts other verdicts"),
        (lambda text: [*text[:1], text[1].replace('"pass"', '"fail"'), text[2]], "counts other"),
        (lambda text: [*text[:-1], text[-1].replace("1", "2", 1)], "the footer counts other"),
        (lambda text: [*text[:-1], text[-1][:9]], "has no footer"),
        (lambda text: [*text[:-2], text[-2][:90]], "has no footer"),
        (lambda text: [*text[:-2], text[-2][:90], text[-1]], "not a results file"),
        (lambda text: [line.replace('"claim"', '"calm"') for line in text], "not a results file"),
        (lambda text: [line.replace("statuses", "stature") for line in text], "not a results file"),
        (lambda text: [*text, "3"], "not a results file"),
        (lambda text: [*text, text[1]], "something comes after the footer"),
        (lambda text: [text[0], *text], "the header comes first, and once"),
        (lambda text: ["[]" for _ in text], "not a results file"),
        (lambda _: [], "has no header"),
    ],
)
def test_less_than_a_whole_run_is_broken(bench, damage, complaint):
    bench.run()
    read(bench.results)
    text = [line for line in bench.results.read_text().splitlines() if "begun" not in line]
    bench.results.write_text("\n".join(damage(text)))
    with pytest.raises(BrokenRun, match=complaint) as refusal:
        read(bench.results)
    assert str(bench.results) in str(refusal.value)


def test_a_verdict_is_told_again_once_the_claim_was_repeated_alone(bench):
    bench.chapter(WRONG)
    bench.run()
    text = bench.results.read_text().splitlines()
    again = json.loads(text[2])
    again["verdict"]["alone"] = "fails"
    bench.results.write_text("\n".join([*text[:3], json.dumps(again), *text[3:]]))
    (verdict,) = bench.all_verdicts()
    assert (verdict.status, verdict.alone) == (Status.FAIL, "fails")
    again["verdict"]["alone"] = "sometimes"
    bench.results.write_text("\n".join([*text[:3], json.dumps(again), *text[3:]]))
    with pytest.raises(BrokenRun, match="not a results file"):
        read(bench.results)


def test_a_missing_file_is_a_broken_run(bench):
    with pytest.raises(BrokenRun, match="cannot be read"):
        read(bench.path / "nothing.jsonl")


def test_a_seed_fixes_every_verdict_however_the_run_is_spread(bench):
    bench.chapter(DOUBLED, WRONG, SQUARED)

    def run(*words, seed=3):
        execute = bench.run_apart if "-n" in words else bench.run
        execute("--hypothesis-seed", str(seed), "--dtype", "float32", *words)
        return list(lines(bench.all_verdicts()))

    once = run()
    assert len(once) == 6
    assert run() == once
    assert run("-n", "2") == once
    assert run("-k", "TST-03") == [line for line in once if "TST-03" in line]
    assert run(seed=4) != once


def test_without_a_seed_the_seed_is_zero(bench):
    bench.chapter(WRONG, SQUARED)
    bench.run()
    first = list(lines(bench.all_verdicts()))
    bench.run("--hypothesis-seed", "0")
    assert list(lines(bench.all_verdicts())) == first


def test_an_infinite_ratio_survives_the_file_which_is_json(bench):
    bench.chapter(WRONG.replace("be.mul(leaf, leaf), x)", "be.mul(leaf, 0.0) + 1.0, 0 * x)"))
    bench.run()
    assert bench.verdicts()["TST-03"].worst == float("inf")
    for line in bench.results.read_text().splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
