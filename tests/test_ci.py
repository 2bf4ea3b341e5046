"""What CI needs: Markdown, JUnit, examples kept between runs, one device to each worker."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.cli import COMMANDS, main
from gradspec.conformance.pinning import GPU, VISIBLE, Pinning, devices_present, pin
from gradspec.conformance.results import Status

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
    assert main(["summary", *map(str, words)]) == 0
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
    pytest.importorskip("redis")
    program = shutil.which("redis-server") or pytest.skip("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [program, "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as server:  # noqa: S603
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()


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


def test_a_server_that_does_not_answer_is_refused_without_its_password(bench):
    pytest.importorskip("redis")
    result = bench.run("--database", "redis://user:secret@127.0.0.1:1/0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "does not answer" in complaint(result)
    assert "secret" not in complaint(result)


# ---- several devices -----------------------------------------------------------------------------


def test_each_worker_gets_a_device_and_a_successor_gets_it_back():
    pinning = Pinning(["0", "1"])
    nodes = [SimpleNamespace(workerinput={}) for _ in range(5)]
    for node in nodes[:4]:
        pinning.pytest_configure_node(node)
    assert [node.workerinput[GPU] for node in nodes[:4]] == ["0", "1", "0", "1"]
    pinning.pytest_testnodedown(nodes[1])
    pinning.pytest_configure_node(nodes[4])
    assert nodes[4].workerinput[GPU] == "1"


def test_a_pinned_worker_sees_its_device_alone(monkeypatch):
    monkeypatch.setenv(VISIBLE, "2,GPU-7")
    assert devices_present() == ["2", "GPU-7"]
    pin({})
    assert devices_present() == ["2", "GPU-7"]
    pin({GPU: "GPU-7"})
    assert devices_present() == ["GPU-7"]


PINNED = """
@claim("TST-01", about="mul")
def test_pinned(be):
    "A worker sees one device."
    be.mul(be.tensor([1.0]), 2.0)
    assert os.environ["CUDA_VISIBLE_DEVICES"] in ("3", "5")
"""


def test_workers_are_pinned(bench, monkeypatch):
    monkeypatch.setenv(VISIBLE, "3,5")
    bench.chapter(PINNED)
    bench.run_apart("-n", "2").assert_outcomes(passed=1)
    bench.run().assert_outcomes(failed=1)


# ---- the action ----------------------------------------------------------------------------------

CHECKOUT = Path(__file__).parent.parent


@pytest.mark.parametrize("file", ["action.yml", "examples/workflow.yml"])
def test_what_ci_is_told_is_yaml_and_names_what_there_is(file):
    yaml = pytest.importorskip("yaml")
    text = (CHECKOUT / file).read_text()
    assert yaml.safe_load(text)
    known = {
        *COMMANDS,
        *re.findall(r'"(--[a-z-]+)"', (CHECKOUT / "conformance/options.py").read_text()),
    }
    asked = re.findall(r"(?m)(?:^|\s)gradspec ([a-z]+) ", text)
    asked += re.findall(r"(--(?:baseline|shard|results|backend|database|require-device))\b", text)
    assert asked
    assert set(asked) <= known


def test_the_action_runs_by_hand(bench, capsys):
    """The lines of its two steps, with their inputs as a job would set them."""
    yaml = pytest.importorskip("yaml")
    shell = shutil.which("bash") or pytest.skip("no bash here")
    steps = {
        s["name"]: s for s in yaml.safe_load((CHECKOUT / "action.yml").read_text())["runs"]["steps"]
    }
    page = bench.path / "page.md"
    inputs = {
        "BACKEND": "reference",
        "ARGUMENTS": "--claim ACC-01 --dtype float64",
        "BASELINE": "",
        "RESULTS": "out.jsonl",
        "GITHUB_STEP_SUMMARY": str(page),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for name in ("Check", "Summary"):
        words = [shell, "-euo", "pipefail", "-c", steps[name]["run"]]
        environment = {**os.environ, **inputs}
        done = subprocess.run(  # noqa: S603
            words, env=environment, cwd=bench.path, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert page.read_text().startswith("## gradspec: all green\n")
