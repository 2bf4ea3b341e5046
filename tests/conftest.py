"""A bench for runs of the suite; the tally of mutants and variants, printed at the end."""

import importlib
import os
import signal
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import hypothesis
import pytest

from bench import Bench
from sites import build
from written import FAILED, write_run

RESULTS = Path(__file__).parent.parent / "results"
TALLY = "tally"


# A shell that starts the tests in the background has them ignore interrupts, and what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(config):
    """Leave tests of the instrument alone where a device is named: none of them bears its mark.

    So a run of `-m cuda` in a checkout needs nothing of what they import.
    """
    words = config.option.markexpr.split()
    return True if "cuda" in words and "not" not in words else None


def pytest_xdist_auto_num_workers(config):
    """Have a worker more than there are cores: many tests wait for processes of their own."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of the parameters of a `sampled` test, leave all but one in so many to the long run."""
    met = Counter()
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            name = item.nodeid.partition("[")[0]
            if met[name] % sampled.args[0]:
                item.add_marker("long")
            met[name] += 1


@pytest.fixture(autouse=True)
def recording():
    """A test that leaves PyTorch as it did not find it is to blame, not those after it."""
    yield
    if torch := sys.modules.get("torch"):
        records = torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        assert records, "this test leaves PyTorch without gradients"
        assert not torch.is_inference_mode_enabled(), "this test leaves PyTorch in inference mode"
        state, left = torch._C._autograd, []
        while hooks := state._top_saved_tensors_default_hooks(True):
            left.append(hooks)
            state._pop_saved_tensors_default_hooks()
        assert not left, f"this test leaves hooks for what is saved: {left}"


@pytest.fixture
def bench(pytester, monkeypatch):
    """A directory with a small specification; runs in this process leave Hypothesis as it is."""
    monkeypatch.setattr(hypothesis.core, "global_force_seed", hypothesis.core.global_force_seed)
    profile = hypothesis.settings.get_current_profile_name()
    yield Bench(pytester)
    hypothesis.settings.load_profile(profile)


@pytest.fixture
def backend():
    """PyTorch's adapter."""
    return importlib.import_module("gradspec.conformance.backends.torch").Torch()


@pytest.fixture
def cuda(backend):
    """PyTorch's adapter where a CUDA device is pretended."""
    with importlib.import_module("pretended_cuda").pretended_cuda():
        yield backend


@pytest.fixture(scope="session")
def whole_site(tmp_path_factory):
    """The site of all results that are committed, with changes of one library.

    Whichever worker asks first makes it, and the others wait.
    """
    here = tmp_path_factory.getbasetemp()
    folder = (here.parent if "PYTEST_XDIST_WORKER" in os.environ else here) / "whole"
    site, done = folder / "site", folder / "done"
    try:
        folder.mkdir()
    except FileExistsError:
        for _ in range(6000):
            if done.exists():
                break
            time.sleep(0.1)
        assert (site / "index.html").exists(), "the worker that makes the site failed"
        return site
    try:
        before = [replace(FAILED, backend="jax", claim=claim) for claim in ("ACC-53", "ACC-18")]
        older = write_run(folder / "older.jsonl", *before)
        return build(folder, RESULTS, older=[older], checkout=RESULTS.parent)
    finally:
        done.touch()


@pytest.fixture
def tally(record_property):
    """Count what a block judges: good if it ends, bad if it raises."""

    @contextmanager
    def judged(kind: str):
        good = False
        try:
            yield
            good = True
        finally:
            record_property(TALLY, [kind, good])

    return judged


class Tally:
    """Adds up what the tests counted, wherever they ran."""

    def __init__(self) -> None:
        self.good: Counter[str] = Counter()
        self.all: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report):
        for name, value in report.user_properties if report.when == "call" else ():
            if name == TALLY:
                kind, good = value
                self.all[kind] += 1
                self.good[kind] += good

    def pytest_terminal_summary(self, terminalreporter):
        words = {"mutants": "killed", "legal variants": "green"}
        counts = [
            f"{kind}: {self.good[kind]} of {self.all[kind]} {word}"
            for kind, word in words.items()
            if self.all[kind]
        ]
        if counts:
            terminalreporter.write_line("; ".join(counts))


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally())
