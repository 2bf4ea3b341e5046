"""Projects that never heard of gradspec do not notice that it is installed."""

import os
import re
import sys
from textwrap import dedent

import pytest

from bench import DOUBLED, SQUARED
from gradspec.conformance.results.verdict import Status

SHORT = ("--backend", "--device", "--dtype", "--claim", "--isolate", "--deadline", "--results")
NAMES = (*SHORT, *(f"--gradspec-{name[2:]}" for name in SHORT))
"""Names of options that others may have as well."""

OPTIONS = f"""
def pytest_addoption(parser):
    for name in {NAMES}:
        parser.addoption(name, action="append", help="of somebody else")
"""
"""A plugin, or a conftest, that has options of those names."""

GIVEN = """
import pytest

@pytest.mark.parametrize("name", {names})
def test_given(request, name):
    assert request.config.getoption(name) == ["theirs"]
"""
"""Their test: each option came to them."""


@pytest.fixture
def project(pytester, monkeypatch):
    """A project of somebody else, run in a process of its own."""
    # What a run of our own tests by several workers leaves in the environment.
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)

    def run(*words, **files):
        for name, text in files.items():
            pytester.path.joinpath(f"{name}.py").write_text(dedent(text), encoding="utf-8")
        words = ["-p", "no:cacheprovider", *words]
        return pytester.runpytest_subprocess(*words, timeout=120)

    return run


def told_by_us(result):
    """Return what a run said of gradspec, besides the name of the plugin."""
    told = [*result.outlines, *result.errlines]
    return [line for line in told if "gradspec" in line and "plugins: " not in line]


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
@pytest.mark.parametrize("place", ["conftest", "plugin"])
def test_their_options_are_theirs(project, place, workers):
    plugin = ["-p", "others"] if place == "plugin" else []
    module = "others" if plugin else "conftest"
    given = [word for name in NAMES for word in (name, "theirs")]
    files = {module: OPTIONS, "test_theirs": GIVEN.format(names=NAMES)}
    result = project(*plugin, *workers, *given, **files)
    result.assert_outcomes(passed=len(NAMES))
    assert not told_by_us(result)


def test_options_of_a_conftest_that_is_found_late_are_theirs(project, pytester):
    pytester.mkdir("deep")
    pytester.path.joinpath("deep", "inner").mkdir()
    pytester.path.joinpath("deep", "inner", "conftest.py").write_text(OPTIONS)
    test = "def test_default(request):\n    assert request.config.getoption('--backend') is None\n"
    pytester.path.joinpath("deep", "inner", "test_inner.py").write_text(test)
    project().assert_outcomes(passed=1)


def test_nothing_of_ours_is_imported(project):
    test = """
        import sys

        def test_modules():
            ours = {name for name in sys.modules if name.startswith("gradspec.")}
            allowed = {"gradspec.conformance", *(f"gradspec.conformance.{n}" for n in OURS)}
            assert ours <= allowed
            assert not {"numpy", "hypothesis", "torch", "fastjsonschema"} & set(sys.modules)

        OURS = ("entry", "run", "run.commandline", "run.workers")
        """
    project(test_modules=test).assert_outcomes(passed=1)


SPY = """
import sys
from pathlib import Path
Path(__file__).with_name("called").touch()
print(0)
print(1)
"""


@pytest.mark.parametrize("told", [None, "0,1"])
def test_devices_of_workers_are_left_alone(project, pytester, monkeypatch, told):
    program = pytester.path / "nvidia-smi"
    program.write_text(f"#!{sys.executable}\n{SPY}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(pytester.path), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if told:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
    test = f"""
        import os

        def test_devices():
            assert os.environ.get("CUDA_VISIBLE_DEVICES") == {told!r}
        """
    project("-n", "2", test_devices=test).assert_outcomes(passed=1)
    assert not (pytester.path / "called").exists()


DYING = """
import os
import pytest

@pytest.mark.parametrize("n", range(8))
def test_dying(n):
    os.abort()
"""


def test_the_place_of_a_crash_is_told_where_it_always_was(project):
    result = project("-n", "1", "--max-worker-restart", "0", test_dying=DYING)
    result.stderr.fnmatch_lines(["Fatal Python error: Aborted", "*in test_dying*"])


def test_as_many_workers_are_started_anew_as_xdist_would(project):
    result = project("-n", "1", test_dying=DYING)
    result.stdout.fnmatch_lines(["*maximum crashed workers reached: 4*"])
    result.assert_outcomes(failed=5)


def test_workers_that_never_begin_are_counted_by_xdist(project):
    conftest = "import os\nif 'PYTEST_XDIST_WORKER' in os.environ: os._exit(3)"
    result = project("-n", "1", conftest=conftest, test_one="def test_one(): pass")
    result.stdout.fnmatch_lines(["*maximum crashed workers reached: 4*"])
    assert not told_by_us(result)


FIXTURES = ("be", "operation", "part", "stopwatch", "program", "size")

FIXTURE_TEXTS = "".join(
    f"@pytest.fixture\ndef {name}():\n    return 'my {name}'\n\n" for name in FIXTURES
)

OWN_FIXTURES = f"""
import pytest

{FIXTURE_TEXTS}

def test_all({", ".join(FIXTURES)}):
    assert [{", ".join(FIXTURES)}] == [f"my {{name}}" for name in {FIXTURES}]

def test_two(be, benchmark):
    assert (be, benchmark(sum, [1, 2])) == ("my be", 3)

def test_one(stopwatch):
    assert stopwatch == "my stopwatch"

@pytest.mark.parametrize(("be", "part"), [(1, 2)])
def test_parameters(be, part, stopwatch):
    assert be + part == 3

def test_law(be):
    pass

test_law.claim = "nobody ever walked on the moon"

def test_work(be):
    pass

test_work.workloads = "nine to five"
"""


def test_fixtures_of_our_names_are_theirs(project):
    result = project(test_theirs=OWN_FIXTURES)
    result.assert_outcomes(passed=6)
    assert not told_by_us(result)


def test_fixtures_of_our_names_are_theirs_beside_claims(bench):
    bench.chapter(DOUBLED, SQUARED)
    bench.write("test_theirs.py", OWN_FIXTURES)
    bench.run().assert_outcomes(passed=8)
    assert set(bench.verdicts()) == {"TST-01", "TST-02"}


def test_their_benchmarks_are_theirs(project):
    test = "def test_sum(benchmark):\n    benchmark(sum, [1, 2])\n"
    project("--benchmark-only", test_sum=test).assert_outcomes(passed=1)
    result = project("--benchmark-only", "-n", "1", test_sum=test)
    assert "--benchmark-only with -n" not in "".join(result.errlines)


@pytest.mark.parametrize("mark", ["cuda", "cpu", "law"])
def test_their_marks_are_theirs(project, mark):
    test = f"""
        import sys
        import pytest

        @pytest.mark.{mark}
        def test_marked():
            assert "torch" not in sys.modules
        """
    result = project("-m", mark, test_marked=test)
    result.assert_outcomes(passed=1)
    assert not told_by_us(result)
    result = project("-m", mark, "--strict-markers", test_marked=test)
    assert f"'{mark}' not found in `markers`" in result.stdout.str()


OWN_PROFILE = """
from hypothesis import settings
settings.register_profile("quick", max_examples=3)
"""


def test_their_profiles_are_theirs(project):
    test = "from hypothesis import settings\ndef test(): assert settings().max_examples == 3"
    result = project("--hypothesis-profile", "quick", conftest=OWN_PROFILE, test_quick=test)
    result.assert_outcomes(passed=1)


def test_no_profile_is_made_that_nobody_asked_for(project):
    test = """
        import pytest
        from hypothesis import errors, settings

        @pytest.mark.parametrize("name", ["quick", "deep"])
        def test_absent(name):
            with pytest.raises(errors.InvalidArgument):
                settings.get_profile(name)
        """
    project(test_profiles=test).assert_outcomes(passed=2)


def test_one_name_switches_all_of_it_off(project):
    test = """
        def test_plugins(pytestconfig):
            found = {name for name, plugin in pytestconfig.pluginmanager.list_name_plugin()
                     if "gradspec" in repr((name, plugin))}
            assert found <= {"gradspec", "pytest_gradspec"}
            assert pytestconfig.pluginmanager.get_plugin("gradspec") is None
        """
    project("-p", "no:gradspec", test_plugins=test).assert_outcomes(passed=1)


# ---- beside claims -------------------------------------------------------------------------------


def test_options_are_told_apart_beside_claims(bench):
    """Where `--device` is another's, ours has its long name; where it is free, both do."""
    bench.chapter(DOUBLED)
    only = 'def pytest_addoption(parser):\n    parser.addoption("--device", action="append")\n'
    bench.write("conftest.py", only)
    bench.write("test_theirs.py", GIVEN.format(names=["--device"]))
    words = ["--device", "theirs", "--gradspec-device", "cpu"]
    result = bench.run_apart(*words)
    result.assert_outcomes(passed=2)
    assert bench.verdicts()["TST-01"].device == "cpu"
    result.stdout.fnmatch_lines(["*--device is another plugin's here: say --gradspec-device*"])


def test_long_names_do_what_short_ones_do(bench):
    bench.chapter(DOUBLED)
    words = ["--gradspec-backend=reference", "--gradspec-dtype", "float32", "test_planted.py"]
    result = bench.pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n", "1", *words)
    result.assert_outcomes(passed=1)
    assert [v.subject for v in bench.all_verdicts()] == ["reference-cpu-float32"]


def test_options_may_stand_in_files_and_in_the_environment(bench, monkeypatch):
    bench.chapter(DOUBLED)
    bench.write("words.txt", "--backend=reference\n--dtype=float32\n")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--results=here.jsonl")
    bench.write("pytest.ini", "[pytest]\naddopts = --claim=TST-01\n")
    result = bench.pytester.runpytest_subprocess("-p", "no:cacheprovider", "@words.txt")
    result.assert_outcomes(passed=1)
    assert (bench.path / "here.jsonl").exists()


def test_help_tells_of_both_names(pytester):
    result = pytester.runpytest_subprocess("--help")
    result.stdout.fnmatch_lines(["  --gradspec-backend*NAME, --backend*NAME"])


def test_help_is_there_whoever_has_our_names(project):
    assert project("--help", conftest=OPTIONS).ret == pytest.ExitCode.OK


def test_what_nobody_knows_is_still_refused(project):
    result = project("--backed", "torch", test_one="def test_one(): pass")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unrecognized arguments: --backed*"])


AROUND = """
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def kept():
    yield "kept"
    Path("ended").touch()

def test_before(kept):
    assert kept == "kept"
"""

LACKING = """
@claim("TST-01", about="mul", needs="mul torch")
@example(x=1.0)
def test_lacking(be, x):
    "A product is there."
    be.mul(be.tensor(x), 2.0)
"""

THEN = """
from pathlib import Path

def test_that_it_ended():
    assert Path("ended").exists()
"""


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["here", "in a worker"])
def test_their_fixtures_end_where_claims_are_unsupported(bench, words):
    bench.write("test_then.py", THEN)
    bench.chapter(AROUND, LACKING, LACKING.replace("TST-01", "TST-02").replace("_lacking", "_more"))
    result = bench.run(*words, "--junitxml=told.xml")
    result.assert_outcomes(passed=2, skipped=2)
    # A letter for each would fill pages, for a library that has little.
    letters = re.findall(r"(?m)^(?:\S+\.py )?([.sFE]+) *(?:\[|$)", str(result.stdout))
    assert "".join(letters) == ".."
    assert [v.status for v in bench.all_verdicts()] == [Status.UNSUPPORTED] * 2
    told = (bench.pytester.path / "told.xml").read_text(encoding="utf-8")
    assert told.count('value="unsupported"') == 2
