"""What CI needs: Markdown, JUnit, examples kept between runs, one device to each worker."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from pathlib import Path

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.cli import main
from gradspec.conformance.entry import Listener
from gradspec.conformance.processes.pinning import VISIBLE, devices_present, pin
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.commandline import OPTIONS
from gradspec.conformance.run.workers import SLOT
from gradspec.conformance.words import COMMANDS

RARE = """
@claim("TST-02", about="mul")
@given(x=integers(0, 10**6))
def test_rare(be, x):
    "One number in a million is not seen."
    be.mul(be.tensor([1.0]), 2.0)
    assert x != int(os.environ.get("RARE", "-1"))
"""


def markdown(capsys, *words):
    capsys.readouterr()
    main(["summary", *map(str, words)])
    return capsys.readouterr().out


def test_a_summary_tells_what_failed(bench, capsys):
    bench.chapter(DOUBLED, WRONG)
    bench.run()
    text = markdown(capsys, bench.results)
    assert text.startswith("## gradspec: 1 red\n")
    assert "| planted | 2 | 1/2 1 RED |" in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert "rerun: pytest" in text
    text = markdown(capsys, bench.results, "--baseline", bench.results)
    assert text.startswith("## gradspec: as before\n")
    assert "red as before: 1" in text
    assert "<details>" not in text


def test_a_hostile_summary_is_text(bench, capsys):
    bench.chapter(WRONG)
    bench.run()
    evil = r"</pre><script>|`@all`[x](http://y)\n\n# \u001b[2J"
    text = bench.results.read_text().replace("planted", evil).replace("A square", evil)
    bench.results.write_text(text)
    told = markdown(capsys, bench.results)
    assert told.count("</pre>") == 1
    assert "<script>" not in told
    for bad in ("\x1b", "`@all`", "](http"):
        assert bad not in told.split("<details>")[0]
    assert all(line.count("|") == 4 for line in told.splitlines() if line.startswith("|"))


def test_junit_tells_the_claim_and_its_verdict(bench):
    bench.chapter(DOUBLED, WRONG)
    bench.run("--junit-xml", "junit.xml")
    cases = ET.parse(bench.path / "junit.xml").getroot().iter("testcase")  # noqa: S314
    told = {
        c.get("name"): {p.get("name"): p.get("value") for p in c.iter("property")} for c in cases
    }
    wrong = told["test_wrong[reference-cpu-float64]"]
    assert (wrong["claim"], wrong["status"], wrong["level"]) == ("TST-03", "fail", "law")
    assert wrong["subject"] == "reference-cpu-float64"
    assert told["test_doubled[reference-cpu-float64]"]["status"] == "pass"
    assert not any("gradspec" in name for properties in told.values() for name in properties)


# ---- examples kept between runs ------------------------------------------------------------------


@pytest.fixture
def remembers(bench, monkeypatch):
    """Find a rare failure where it is easy, and see whether it is found again where it is not."""

    def check(place, seed="7"):
        bench.chapter(RARE.replace("assert x !=", "assert x <"), SQUARED.replace("02", "11"))
        monkeypatch.setenv("RARE", "543210")
        bench.run("--database", place)
        bench.chapter(RARE, SQUARED.replace("02", "11"))
        other = ("--hypothesis-seed", seed)
        bench.run(*other)
        assert bench.verdicts()["TST-02"].status is Status.PASS
        bench.run(*other, "--database", place)
        assert bench.verdicts()["TST-11"].status is Status.PASS
        return bench.verdicts()["TST-02"].status is Status.FAIL

    return check


def test_a_directory_remembers(bench, remembers):
    assert remembers("kept")
    assert '"database": "directory"' in bench.results.read_text().splitlines()[0]


@pytest.fixture
def redis_url(tmp_path):
    """A Redis server of its own, where one is installed."""
    redis = pytest.importorskip("redis")
    program = shutil.which("redis-server") or pytest.skip("redis-server is not installed")
    words = [program, "--save", "", "--dir", str(tmp_path), "--port"]
    # A port that is free now may be taken when the server asks for it; then it ends, without delay.
    for _ in range(5):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        with subprocess.Popen([*words, port], stdout=subprocess.DEVNULL) as server:  # noqa: S603
            last = time.monotonic() + 300
            while server.poll() is None and time.monotonic() < last:
                with suppress(redis.ConnectionError):
                    told = redis.Redis(port=int(port)).config_get("dir")
                    if told["dir"] == str(tmp_path.resolve()):
                        yield f"redis://127.0.0.1:{port}/0"
                        server.terminate()
                        return
                time.sleep(0.05)
            server.kill()
    pytest.fail("no Redis server begins to answer")


def test_redis_remembers(bench, remembers, redis_url):
    assert remembers(redis_url)
    assert '"database": "redis"' in bench.results.read_text().splitlines()[0]


@pytest.mark.parametrize(
    ("place", "remedy"),
    [
        ("sources.toml", "give a directory"),
        ("github:nobody", "give github:OWNER/NAME"),
        ("ftp://somewhere", "give a directory, redis://"),
    ],
)
def test_a_place_that_is_none_is_refused(bench, place, remedy):
    result = bench.run("--database", place)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert remedy in complaint(result)


@pytest.mark.parametrize("place", ["sources.toml/examples", "github:owner/name"])
def test_a_place_where_nothing_can_be_kept_is_refused(bench, place):
    """And before anything runs: no claim is to blame for it."""
    (bench.path / ".gradspec").write_text("a file where examples of an artifact would go")
    result = bench.run("--database", place, "--results", "here.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--database {place}: nothing can be kept in" in complaint(result)
    assert "give a directory you may write to" in complaint(result)


def test_a_server_that_does_not_answer_is_refused_without_its_password(bench):
    pytest.importorskip("redis")
    result = bench.run("--database", "redis://user:secret@127.0.0.1:1/0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "does not answer" in complaint(result)
    assert "secret" not in complaint(result)


# ---- several devices -----------------------------------------------------------------------------


class Node:
    """A worker as its controller sees it."""

    def __init__(self):
        self.workerinput = {}


def test_each_worker_gets_a_place_and_a_successor_gets_it_back():
    listener = Listener(None)
    nodes = [Node() for _ in range(5)]
    for node in nodes[:4]:
        listener.pytest_configure_node(node)
    assert [node.workerinput[SLOT]["slot"] for node in nodes[:4]] == [0, 1, 2, 3]
    listener.pytest_testnodedown(nodes[1], "it died")
    listener.pytest_configure_node(nodes[4])
    assert nodes[4].workerinput[SLOT]["slot"] == 1


def test_a_pinned_worker_sees_its_device_alone(monkeypatch):
    monkeypatch.setenv(VISIBLE, "2,GPU-7")
    assert devices_present() == ["2", "GPU-7"]
    pin(3)
    assert devices_present() == ["GPU-7"]
    pin(4)
    assert devices_present() == ["GPU-7"]


PINNED = """
@claim("TST-01", about="mul")
def test_pinned(be):
    "A worker sees one device."
    be.mul(be.tensor([1.0]), 2.0)
    assert os.environ["CUDA_VISIBLE_DEVICES"] in ("3", "5")
"""


@pytest.mark.long
def test_workers_are_pinned(bench, monkeypatch):
    monkeypatch.setenv(VISIBLE, "3,5")
    bench.chapter(PINNED)
    bench.run_apart("-n", "2").assert_outcomes(passed=1)
    bench.run().assert_outcomes(failed=1)


# ---- the action ----------------------------------------------------------------------------------

CHECKOUT = Path(__file__).parent.parent

RECORDER = """
import json, os, shutil, sys
if {name!r} == "pytest" and "PLANT" in os.environ:
    shutil.copy(os.environ["PLANT"], "gradspec-results.jsonl")
with open(os.environ["RECORD"], "a") as file:
    print(json.dumps([{name!r}, *sys.argv[1:]]), file=file)
print({name!r}, "says <this>", file=sys.stderr)
sys.exit(int(os.environ.get("{name}_STATUS", 0)))
"""
"""A program in the place of another one, which writes down what it was called with."""


def told_to_ci(file):
    """Read a file of YAML."""
    return pytest.importorskip("yaml").safe_load((CHECKOUT / file).read_text(encoding="utf-8"))


@pytest.fixture
def shell():
    """Where bash is, which runs the steps of workflows."""
    return shutil.which("bash") or pytest.skip("no bash here")


@pytest.fixture
def act(bench, shell):
    """Run the action in an empty folder, step by step as its conditions say.

    Returns the status of each step that ran, and the page of the job. Programs that it calls are
    replaced by ones that record their arguments, all of them or those in `replaced`.
    """
    action = told_to_ci("action.yml")
    page, record = bench.path / "page.md", bench.path / "record"
    folder = bench.path / "stubs"
    defaults = {name: field["default"] for name, field in action["inputs"].items()}

    def run(inputs, replaced=("pip", "pytest"), **variables):
        for name in replaced:
            stub = folder / name / "__main__.py"
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.write_text(RECORDER.format(name=name), encoding="utf-8")
            stub.with_name("__init__.py").touch()
        page.write_text("", encoding="utf-8")
        outcomes = {}
        for step in action["runs"]["steps"]:
            checked = "Check" in outcomes or "steps.check" not in step.get("if", "")
            gone_well = not any(outcomes.values()) or "always()" in step.get("if", "")
            if "run" not in step or not checked or not gone_well:
                continue
            environment = {
                **os.environ,
                "RECORD": str(record),
                "GITHUB_STEP_SUMMARY": str(page),
                "GITHUB_ACTION_PATH": str(CHECKOUT),
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                # The summary is made by the real ones.
                **({} if step["name"] == "Summary" else {"PYTHONPATH": str(folder)}),
                **variables,
            }
            for name, value in step.get("env", {}).items():
                (given,) = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value).groups()
                environment[name] = {**defaults, **inputs}[given]
            done = subprocess.run(  # noqa: S603
                [shell, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                env=environment,
                cwd=bench.path,
                check=False,
                capture_output=True,
                text=True,
            )
            outcomes[step["name"]] = done.returncode
            run.said[step["name"]] = done.stdout + done.stderr
        return outcomes, page.read_text(encoding="utf-8")

    run.said = {}
    run.calls = lambda: [json.loads(line) for line in record.read_text().splitlines()]
    return run


TOLD = ["action.yml", "examples/workflow.yml", ".github/workflows/release.yml"]
"""The action and the workflows."""


@pytest.mark.parametrize("file", TOLD)
def test_what_ci_is_told_is_yaml_and_names_what_there_is(file):
    assert told_to_ci(file)
    text = (CHECKOUT / file).read_text(encoding="utf-8")
    known = {*COMMANDS, *(f"--{name}" for name in OPTIONS)}
    asked = re.findall(r"(?m)(?:^|\s)gradspec ([a-z]+) ", text)
    asked += re.findall(r"(--(?:baseline|shard|results|backend|database|require-device))\b", text)
    assert asked
    assert set(asked) <= known


def test_the_workflow_asks_for_no_more_than_it_needs():
    workflow = told_to_ci("examples/workflow.yml")
    inputs = told_to_ci("action.yml")["inputs"]
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        asked = job.get("permissions", {})
        assert set(asked.values()) <= {"read"}
        assert ("actions" in asked) == ("GITHUB_TOKEN" in job.get("env", {})), name
        # PyYAML reads the key `on` as a truth value.
        assert "pull_request_target" not in workflow[True]
        if "self-hosted" in job["runs-on"]:
            assert job["if"] == "github.event_name == 'schedule'"
        # A red job does not end the others, whose verdicts are wanted as well.
        assert job.get("strategy", {"fail-fast": False})["fail-fast"] is False
        for step in job["steps"]:
            if "gradspec" in step.get("uses", ""):
                assert set(step["with"]) <= set(inputs)


@pytest.mark.parametrize("file", TOLD)
def test_every_action_is_pinned_to_a_version(file):
    used = re.findall(r"uses: (\S+)", (CHECKOUT / file).read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+|gradspec/gradspec@main", action)


def test_a_release_is_uploaded_by_a_job_that_runs_nothing_of_the_project():
    workflow = told_to_ci(".github/workflows/release.yml")
    assert workflow[True] == {"push": {"tags": ["v*"]}}
    assert workflow["permissions"] == {}
    build, upload = workflow["jobs"]["build"], workflow["jobs"]["upload"]
    assert [*workflow["jobs"]] == ["build", "upload"]
    assert build["permissions"] == {"contents": "read"}
    assert (upload["permissions"], upload["needs"]) == ({"id-token": "write"}, "build")
    assert upload["environment"] == "release"
    assert not [step for step in upload["steps"] if "uses" not in step or "password" in str(step)]
    (kept,) = [step for step in build["steps"] if "upload-artifact" in step.get("uses", "")]
    (fetched,) = [step for step in upload["steps"] if "download-artifact" in step["uses"]]
    assert (kept["with"]["name"], kept["with"]["path"]) == (*fetched["with"].values(),)
    assert build["steps"].index(kept) == len(build["steps"]) - 1
    assert "secrets." not in str(workflow)


@pytest.mark.parametrize(
    ("tag", "heading", "status"),
    [("v1.2", "1.2", 0), ("v1.3", "1.2", 1), ("v1.2", "Unreleased", 1), ("v1.2", "1.20", 1)],
)
def test_a_tag_has_to_be_the_version_and_its_changes_told(tmp_path, shell, tag, heading, status):
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## {heading}\n", encoding="utf-8")
    steps = told_to_ci(".github/workflows/release.yml")["jobs"]["build"]["steps"]
    script = next(step["run"] for step in steps if step.get("name", "").startswith("The tag"))
    done = subprocess.run(  # noqa: S603
        [shell, "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={
            **os.environ,
            "GITHUB_REF_NAME": tag,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == status


@pytest.mark.parametrize("file", TOLD)
def test_no_input_is_pasted_into_a_script(file):
    told = told_to_ci(file)
    jobs = told["jobs"].values() if "jobs" in told else [told["runs"]]
    lines = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    assert lines
    assert not [line for line in lines if "${{" in line]


HOSTILE = """-k "a or b" -m 'law and not speed' '*' $HOME `id` $(id)
--claim  ACC-01
--results "C:\\\\a b" ; && | > x # "ü" \\"q\\" ''"""


def test_words_reach_pytest_as_they_were_given(act, bench):
    (bench.path / "a file that a star would find").touch()
    backend = "torch 'my lib:Mine'"
    outcomes, _ = act({"arguments": HOSTILE, "backend": backend, "baseline": "old one.jsonl"})
    assert outcomes["Check"] == 0
    (words,) = [words for words in act.calls() if words[0] == "pytest"]
    assert words == [
        *("pytest", "--pyargs", "gradspec.spec", "-n", "auto"),
        *("--results", "gradspec-results.jsonl", "--backend", "torch", "--backend", "my lib:Mine"),
        *("--baseline", "old one.jsonl", "-k", "a or b", "-m", "law and not speed", "*"),
        *("$HOME", "`id`", "$(id)", "--claim", "ACC-01", "--results", "C:\\a b"),
        *(";", "&&", "|", ">", "x", "#", "ü", '"q"', ""),
    ]


def test_packages_reach_pip_as_they_were_given(act):
    act({"packages": "--pre 'torch>=2.11; python_version<\"4\"'\n*  numpy[a]"})
    (words,) = [words for words in act.calls() if words[0] == "pip"]
    package = 'torch>=2.11; python_version<"4"'
    assert words == ["pip", "install", str(CHECKOUT), "--pre", package, "*", "numpy[a]"]


@pytest.mark.parametrize(
    ("name", "step"), [("packages", "Install"), ("backend", "Check"), ("arguments", "Check")]
)
def test_quotes_that_do_not_close_are_refused_by_name(act, name, step):
    outcomes, page = act({name: "-k 'a or\nb"})
    assert outcomes[step] == 2
    assert f"::error::gradspec: the input `{name}` is not well quoted" in act.said[step]
    assert page.startswith("## gradspec: the job is set up wrongly")
    assert f"`{name}`" in page


def test_what_cannot_be_installed_is_told_and_nothing_else_is_done(act):
    outcomes, page = act({}, pip_STATUS="3")
    assert outcomes == {"Install": 3}
    assert page.startswith("## gradspec: nothing is checked, as it could not be installed\n")
    assert "pip says &lt;this&gt;" in page


def test_a_machine_without_python_is_told(act, tmp_path):
    outcomes, page = act({}, PATH=str(tmp_path))
    assert outcomes == {"Install": 1}
    assert page == "## gradspec: nothing is checked, as there is no python\n"


@pytest.mark.parametrize("status", [1, 2, 3, 4, 5])
def test_a_run_without_verdicts_is_told_and_red(act, bench, status):
    """Not even verdicts of an older run are shown."""
    bench.run("--results", "gradspec-results.jsonl")
    outcomes, page = act({}, pytest_STATUS=str(status))
    assert (outcomes["Install"], outcomes["Check"]) == (0, status)
    assert outcomes["Summary"] != 0
    assert page.startswith("## gradspec: no verdicts to show\n")
    assert "gradspec-results.jsonl" in page


@pytest.mark.parametrize("whole", [True, False])
def test_a_run_that_was_broken_off_is_told_and_red(act, bench, whole):
    bench.run()
    lines = bench.results.read_text(encoding="utf-8").splitlines(keepends=True)
    planted = bench.write("planted.jsonl", "".join(lines if whole else lines[:-1]))
    outcomes, page = act({}, PLANT=str(planted))
    assert (outcomes["Summary"] == 0) == whole
    assert ("all green" in page) == whole
    assert whole or page.startswith("## gradspec: ")


def test_what_the_summary_says_is_shown_whatever_its_status(act, bench):
    for name in ("gradspec", "gradspec/conformance"):
        (bench.path / name).mkdir()
        bench.write(f"{name}/__init__.py", "")
    said = "print('## told'); import sys; sys.exit(3)"
    bench.write("gradspec/conformance/__main__.py", said)
    outcomes, page = act({}, PYTHONPATH=f"{bench.path}{os.pathsep}{bench.path / 'stubs'}")
    assert (outcomes["Check"], outcomes["Summary"]) == (0, 3)
    assert page == "## told\n"


def test_the_file_to_compare_with_is_never_removed(act, bench):
    (bench.path / "one.jsonl").touch()
    act({"results": "one.jsonl", "baseline": "one.jsonl"})
    assert (bench.path / "one.jsonl").exists()


@pytest.mark.long
def test_the_action_runs_by_hand(act, bench):
    """A folder called as an installed package does not take its place."""
    (bench.path / "numpy").mkdir()
    (bench.path / "numpy" / "__init__.py").write_text("raise OSError('not me')")
    words = "--claim ACC-01 --dtype float64 -n 0 -k 'ACC or adds'"
    outcomes, page = act({"backend": "reference", "arguments": words}, replaced=["pip"])
    assert outcomes == {"Install": 0, "Check": 0, "Summary": 0}, act.said
    assert page.startswith("## gradspec: all green\n")
