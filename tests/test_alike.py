"""Red verdicts are told by what is said of them."""

from dataclasses import replace

from bench import DOUBLED, WRONG
from gradspec.conformance.results.alike import SHOWN, alike, told, unmapped
from gradspec.conformance.results.verdict import Status, Verdict

PASSED = Verdict("ACC-01", "accumulation", "law", "torch", "cpu", "float64", Status.PASS)
OFF = replace(PASSED, status=Status.FAIL, reason="gradient[0, 1] is 2.5e-3, expected inf")


def test_one_cause_is_one_group_whatever_the_numbers():
    other = replace(OFF, claim="ACC-05", reason="gradient[1, 0] is -7, expected 0.5")
    elsewhere = replace(OFF, claim="ACC-09", reason="result[0] is 2, expected 3")
    broken = replace(OFF, claim="ACC-14", status=Status.ERROR)
    groups = alike([elsewhere, PASSED, OFF, other, broken])
    assert [[v.claim for v in group] for group in groups] == [
        ["ACC-01", "ACC-05"], ["ACC-09"], ["ACC-14"],
    ]  # fmt: skip


def test_what_is_green_is_in_no_group():
    assert alike([PASSED, replace(PASSED, status=Status.UNSUPPORTED)]) == []


def test_a_group_is_told_by_one_of_its_verdicts_with_its_operations():
    of = [replace(OFF, claim="GEN-04", operation=name) for name in ("sin", "cos")]
    first, where = told(alike(of))
    assert first == f"2 x fail: {OFF.reason}"
    assert where == "    GEN-04[cos] on torch-cpu-float64, and 1 more; of cos, sin"


def test_many_groups_are_counted():
    reasons = [chr(ord("a") + n) for n in range(SHOWN + 2)]
    groups = alike([replace(OFF, reason=reason) for reason in reasons])
    assert [*told(groups)][-1] == "and 2 more kinds"


def test_what_error_kind_does_not_map_is_listed_ready_to_paste():
    reasons = (
        'ValueError, which error_kind does not map where SHAPE is expected: 3 "is" 4',
        'ValueError, which error_kind does not map where SHAPE is expected: 5 "is" 4',
        "KeyError, which error_kind does not map where NO_GRAPH or DTYPE is expected: no: way",
        "KeyError, which error_kind does not map: 'neg'",
        "a wrong value",
    )
    red = [replace(OFF, claim="TST-02", reason=reason) for reason in reasons]
    known, other = unmapped(red)
    assert known.startswith("""    '3 "is" 4': ErrorKind.SHAPE,  # ValueError; TST-02 on torch-""")
    assert known.endswith(", and 1 more")
    assert other.startswith("    'no: way': ErrorKind.NO_GRAPH,  # or DTYPE; KeyError; TST-02 on ")


REFUSED = """
@claim("TST-02", about="mul")
def test_refused(be):
    "A refusal has a kind."
    with be.raises(ErrorKind.SHAPE, ErrorKind.DTYPE):
        raise OSError("the size\\n  is 3")
"""


def test_a_run_lists_what_error_kind_does_not_map(bench):
    bench.chapter(REFUSED)
    result = bench.run()
    result.stdout.fnmatch_lines(
        [
            "for error_kind, which does not know what stands for these refusals:",
            "    'the size': ErrorKind.SHAPE,  # or DTYPE; OSError; TST-02 on *",
        ]
    )


def test_a_run_tells_causes_where_there_are_several(bench):
    bench.chapter(WRONG, DOUBLED)
    result = bench.run(backend=bench.adapter("def item(self, x):\n    return None"))
    assert "red, by what is said of it:" not in result.stdout.str()
    raising = WRONG.replace("TST-03", "TST-02").replace("be.check(", "raise OSError(")
    bench.chapter(WRONG, raising.replace("test_wrong", "test_raising"))
    result = bench.run()
    result.stdout.fnmatch_lines(["red, by what is said of it:", "1 x *", "*TST-0* on *"])
