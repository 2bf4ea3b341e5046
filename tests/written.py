"""Results files as runs would leave them, written without a run."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from gradspec.conformance.results.verdict import Status, Verdict, dump

PASSED = Verdict(
    claim="ACC-01",
    chapter="accumulation",
    level="law",
    backend="torch",
    device="cpu",
    dtype="float64",
    status=Status.PASS,
    drawn=30,
    reached=30,
    seconds=0.5,
    cpu_seconds=0.5,
)
FAILED = replace(PASSED, claim="ACC-05", status=Status.FAIL, reason="off", reproduction="rerun: it")
LACKING = replace(
    PASSED, claim="ACC-14", status=Status.UNSUPPORTED, drawn=0, reached=0, reason="torch lacks it"
)
SECOND = replace(PASSED, claim="ACC-18")

HEADER = {
    "format": 2,
    "gradspec": "0.1.0",
    "commit": None,
    "numpy": "2.4.6",
    "hypothesis": "6.170.15",
    "python": "3.11.7",
    "platform": "somewhere",
    "cpu_count": 2,
    "seed": 0,
    "profile": "default",
    "database": None,
    "shard": None,
}
DIGEST = 64 * "0"

TIMES_HEADER = {
    "gradspec": "0.1.0",
    "commit": None,
    "numpy": "2.4.6",
    "hypothesis": "6.170.15",
    "python": "3.11.7",
    "platform": "somewhere",
    "cpu_count": 2,
    "processor": "one",
    "memory_free": 10**10,
    "threads": 1,
    "library": "torch",
    "version": "1.0",
    "devices": {"cpu": {"model": "cpu", "driver": None}},
    "conditions": {"cpu": {"before": None, "after": None}},
    "absent": {"cuda": "no cuda device is seen"},
    "budget_seconds": 6.0,
    "confidence": 0.95,
    "exit_status": 0,
}
"""What a file of measured times says of the run that measured."""


def subject(verdict: Verdict) -> dict:
    """Return what a header tells of the subject of a verdict."""
    return {
        "subject": verdict.subject,
        "backend": verdict.backend,
        "version": "1.0",
        "device": verdict.device,
        "device_model": "cpu",
        "dtype": verdict.dtype,
        "capabilities": ["backward"],
        "functions": ["add"],
    }


def run_lines(
    *verdicts: Verdict,
    exit_status=None,
    here=None,
    planned=True,
    footer=True,
    together=(),
    **header,
):
    """Return the lines of a run with these verdicts; by default a whole one.

    What was not looked at may be told `together`, as in a file that was shortened.
    """
    subjects = list({v.subject: subject(v) for v in verdicts}.values()) or [subject(PASSED)]
    text = [dump({"header": {**HEADER, "subjects": subjects, **header}})]
    for verdict in verdicts:
        text += [dump({"begun": list(verdict.key)}), dump({"verdict": verdict.to_json()})]
    if together:
        shared = {"backend": "torch", "device": "cpu", "status": "unsupported"}
        claims = [[v.claim, v.chapter, v.level, [v.dtype], []] for v in together]
        text.append(dump({"unchecked": {"verdict": shared, "claims": claims}}))
        verdicts = (*verdicts, *together)
    if exit_status is None:
        exit_status = int(any(verdict.status is Status.FAIL for verdict in verdicts))
    keys = {verdict.key for verdict in verdicts}
    here = len(keys) if here is None else here
    plan = {"here": here, "all": here, "digest": DIGEST} if planned else None
    statuses = Counter({v.key: v.status.value for v in verdicts}.values())
    if footer:
        last = {"statuses": statuses, "exit_status": exit_status, "planned": plan}
        text.append(dump({"footer": last}))
    return text


def write_run(path: Path, *verdicts: Verdict, **words) -> Path:
    """Write a results file; see `run_lines`."""
    path.write_text("".join(run_lines(*verdicts, **words)), encoding="utf-8")
    return path


def change_footer(path: Path, **fields) -> Path:
    """Replace fields of a footer, whatever stood there."""
    *text, last = path.read_text(encoding="utf-8").splitlines()
    footer = {**json.loads(last)["footer"], **fields}
    path.write_text("\n".join([*text, json.dumps({"footer": footer})]) + "\n", encoding="utf-8")
    return path
