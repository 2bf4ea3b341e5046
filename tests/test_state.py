"""What every example leaves as it found it: whoever changes it is named, and nobody else pays."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from bench import DOUBLED
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run import process_state

DOING = """
import ctypes, gc, locale, logging, math, random, signal, subprocess, threading, time, warnings
import sys
import numpy as np

LIBC = ctypes.CDLL(None) if os.name == "posix" else None
"""

DOES = """
@claim("TST-{number}", about="is_leaf")
@given(x=arrays())
def test_{number}(be, x):
    "A leaf is a leaf."
    assert be.is_leaf(be.leaf(x))
    {deed}
"""

DEEDS = {
    "os.chdir('..')": "working directory from ",
    "np.seterr(all='raise')": "numpy's handling of divide from ignore to raise, numpy's",
    "np.seterrcall(print)": "numpy's call for errors from None to <built-in function print>",
    "np.add = np.subtract": "attribute numpy.add from <ufunc 'add'> to <ufunc 'subtract'>",
    "np.linalg.norm = None": "attribute numpy.linalg.norm from <function norm> to None",
    "math.sin = math.cos": "attribute math.sin from ",
    "np.float = float": "attribute numpy.float added",
    "vars(np).pop('cumsum', 0)": "attribute numpy.cumsum removed",
    "__import__('builtins').open = None": "attribute builtins.open from ",
    "warnings.simplefilter('error')": "warning filter ('error', None, <class 'Warning'>, None, ",
    "warnings.filters.sort(key=str)": "warning filter: another order",
    "warnings.catch_warnings(record=True).__enter__()": "showing of warnings changed",
    "random.random()": "Python's random numbers changed",
    "random.seed(0)": "Python's random numbers changed",
    "np.random.rand()": "numpy's random numbers changed",
    "np.random.seed(0)": "numpy's random numbers changed",
    "np.random.set_state(('MT19937', range(624), 3))": "numpy's random numbers changed",
    "np.random.set_bit_generator(np.random.PCG64(1))": "numpy's random numbers changed",
    "os.environ['TST'] = '1'": "environment variable TST added",
    "os.environ['PATH'] = 'here'": "environment variable PATH from ",
    "os.environ.pop('PYTEST_CURRENT_TEST', 0)": "environment variable PYTEST_CURRENT_TEST removed",
    "sys.path.insert(0, 'there')": "sys.path entry there added",
    "sys.path.clear()": "sys.path entry ",
    "sys.path.sort(reverse=True)": "sys.path entry: another order",
    "sys.stdout = None": "stream stdout from ",
    "sys.stderr = sys.stdout": "stream stderr ",
    "sys.stdin = open(os.devnull)": "stream stdin ",
    "sys.excepthook = print": "hook excepthook from ",
    "threading.excepthook = print": "hook of threads from ",
    "sys.meta_path.insert(0, print)": "finder of modules <built-in function print> added",
    "signal.signal(signal.SIGINT, signal.SIG_IGN)": "handler of SIGINT from ",
    "sys.setrecursionlimit(5000)": "recursion limit from ",
    "sys.setswitchinterval(1)": "switch interval from 0.005 to 1.0",
    "sys.settrace(lambda *_: None)": "trace function from None to ",
    "gc.disable()": "garbage collection from (True, ",
    "gc.set_threshold(1)": "garbage collection from (True, ",
    "locale.setlocale(locale.LC_ALL, 'C')": "locale from ",
    "logging.disable()": "logging disabled below from 0 to 50",
    "logging.root.addHandler(logging.NullHandler())": "log handler <NullHandler (NOTSET)> added",
    "np.set_printoptions(precision=2)": "print option of numpy precision from 8 to 2",
}

# It is told by nothing but a change of it.
MASK = os.umask(0o77)
os.umask(MASK)

POSIX_DEEDS = {
    "LIBC.fesetround(0x800)": "floating-point rounding from nearest to upward",
    "LIBC.fesetround(0x400)": "floating-point rounding from nearest to downward",
    "LIBC.fesetround(0xC00)": "floating-point rounding from nearest to toward zero",
    "LIBC.feenableexcept(4)": "floating-point traps from 0x0 to 0x4",
    "signal.setitimer(signal.ITIMER_REAL, 1000)": "alarm from False to True",
    "os.umask(0o777)": f"mask of new files from {oct(MASK)} to 0o777",
    "signal.pthread_sigmask(0, [signal.SIGTERM])": "blocked signal SIGTERM added",
    "subprocess.Popen(['sleep', '1000'])": "child process sleep added",
}


@pytest.fixture
def doing(bench):
    """Run claims that hold, and do something else besides, in one process; return the verdicts."""

    def run(*deeds, words=(), things=""):
        rows = [f"TST-{number}" for number in range(20, 20 + len(deeds))]
        bench.write("sources.toml", bench.sources("TST-01", "TST-11", *rows))
        claims = [DOES.format(number=r[4:], deed=d) for r, d in zip(rows, deeds, strict=True)]
        bench.chapter(DOING + things, *claims, DOUBLED)
        bench.run_apart(*words)
        return [bench.verdicts()[row] for row in (*rows, "TST-01")]

    return run


def test_each_change_is_named_and_put_back(doing):
    deeds = DEEDS | (POSIX_DEEDS if sys.platform == "linux" else {})
    *verdicts, last = doing(*deeds)
    for (deed, report), verdict in zip(deeds.items(), verdicts, strict=True):
        assert verdict.status is Status.FAIL, deed
        assert verdict.reason.startswith(f"global state changed: {report}"), deed
        assert "values:" in verdict.reproduction, deed
    assert last.status is Status.PASS


def test_the_example_at_fault_is_shown(doing):
    """Of what is looked at once in a claim as well: the claim is run again for it."""
    change = "x.shape == (2, 3) and "
    for verdict in doing(f"{change}sys.setswitchinterval(1)", f"{change}LIBC.fesetround(0x800)")[
        :2
    ]:
        assert "x = np.array([[" in verdict.reproduction


def test_what_does_not_happen_again_is_told_without_an_example(doing):
    verdict, _ = doing(
        "if not (seen := globals().setdefault('seen', [])): seen.append(os.chdir('..'))"
    )
    assert verdict.reason.startswith("global state changed: working directory")
    assert "values:" not in verdict.reproduction


def test_a_failure_and_a_change_are_both_told(doing):
    fail = "; assert x.size > 99"
    verdicts = doing(f"os.environ['TST'] = '1'{fail}", f"np.seterr(all='raise'){fail}")
    for verdict in verdicts[:2]:
        assert verdict.reason.startswith("assert ")
    assert verdicts[0].reason.endswith("; global state changed: environment variable TST added")
    assert "; global state changed: numpy's handling of divide from" in verdicts[1].reason


# ---- arithmetic ----------------------------------------------------------------------------------

FLUSHING = """
def __init__(self):
    super().__init__()
    self.functions["exp"] = self.flushing(self.functions["exp"])

def flushing(self, exp):
    def call(x):
        import ctypes
        libc = ctypes.CDLL(None)
        memory = (ctypes.c_uint32 * 128)()
        libc.fegetenv(memory)
        memory[7] |= {bits}
        libc.fesetenv(memory)
        return exp(x)
    return call
"""
"""An adapter whose exp leaves subnormal numbers flushed to zero, as on x86 a kernel may."""

EXPONENTIAL = """
@claim("TST-02", about="exp")
def test_exponential(be):
    "The exponential of zero is one."
    be.check(be.exp(be.tensor([0.0])), [1.0])
"""

HALVED = """
@claim("TST-03", about="mul")
def test_halved(be):
    "Half of the smallest normal number is not zero."
    import numpy as np
    half = np.array([2.0**-1022]) * 0.5
    assert half[0] > 0
    be.check(be.mul(be.tensor([2.0**-1022]), 0.5), half)
"""

x86 = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="sets bits of an x86 register"
)


@x86
@pytest.mark.parametrize("bits", [0x8000, 0x40, 0x8040], ids=["results", "operands", "both"])
def test_a_kernel_that_flushes_to_zero_is_charged_to_the_claim_that_calls_it(bench, bits):
    bench.chapter(EXPONENTIAL, HALVED, DOUBLED)
    bench.run_apart(backend=bench.adapter(FLUSHING.format(bits=bits)))
    verdicts = bench.verdicts()
    flushed = "floating-point subnormal numbers from kept to flushed to zero"
    assert verdicts["TST-02"].reason == f"global state changed: {flushed}"
    assert verdicts["TST-03"].status is verdicts["TST-01"].status is Status.PASS


STUCK = "from gradspec.conformance.run import arithmetic\narithmetic._start = None\n"
"""What makes this process one in which the C library cannot put arithmetic back."""


@pytest.mark.long
@x86
def test_arithmetic_that_cannot_be_put_back_spoils_the_process_for_every_backend(bench):
    bench.write("conftest.py", STUCK)
    bench.chapter(EXPONENTIAL, HALVED)
    adapter = bench.adapter(FLUSHING.format(bits=0x8000))
    bench.run_apart("--backend", adapter, "--no-isolate").assert_outcomes(passed=1, failed=3)
    halved = [v.reason for v in bench.all_verdicts() if v.claim == "TST-03"]
    left = "TST-02 left floating-point subnormal numbers from kept to flushed to zero"
    assert all(reason.startswith(left) for reason in halved)
    bench.run_apart("--backend", adapter, "--isolate").assert_outcomes(passed=3, failed=1)


# ---- threads and processes -----------------------------------------------------------------------

SLEEPING = "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()"
TIMER = "threading.Timer(1000, print).start()"
OWN = "type('Own', (threading.Thread,), {'run': lambda _: time.sleep(1000)})(daemon=True).start()"


@pytest.mark.long
def test_a_thread_that_is_left_running_costs_one_claim_and_a_process(doing):
    *verdicts, last = doing(SLEEPING, TIMER, OWN, words=["--isolate"])
    for verdict in verdicts:
        assert verdict.reason.startswith("global state changed: running thread ")
    assert last.status is Status.PASS


@pytest.mark.long
def test_a_thread_that_is_left_running_is_told_by_its_work(doing):
    verdict, last = doing(f"x.size == 6 and {SLEEPING}")
    assert verdict.reason.startswith("global state changed: running thread sleep added")
    assert last.reason.startswith("TST-20 left running thread sleep added")


LAWFUL = {
    "soon": "threading.Thread(target=time.sleep, args=(0.01,)).start()",
    "pool": "POOL.submit(abs, 1).result()",
    "own pool": "multiprocessing.pool.ThreadPool(2).map(abs, [1])",
    "queue": "QUEUE.put(1)",
    "ends soon": "os.name == 'posix' and KEPT.append(subprocess.Popen(['sleep', '0.01']))",
    "tracker": "multiprocessing.resource_tracker.ensure_running()",
    "server": "multiprocessing.forkserver.ensure_running()",
    "registry": "warnings.warn('told', stacklevel=1)",
    "warns": "np.testing",
    "context": "exec('with np.errstate(all=\\'raise\\'): pass')",
    "put back": "random.setstate((random.getstate(), random.random())[0])",
    "same": "os.chdir('.'); os.environ.update(os.environ); sys.path[:] = sys.path",
    "import": "import at_home",
}
"""What leaves something behind that nobody minds."""

LAWFUL_THINGS = """
import concurrent.futures, multiprocessing, multiprocessing.pool, multiprocessing.resource_tracker
import multiprocessing.forkserver

POOL = concurrent.futures.ThreadPoolExecutor(4)
QUEUE = multiprocessing.Queue()
KEPT = []
"""

AT_HOME = """
import os, sys, threading, time, warnings

os.environ["AT_HOME"] = "1"
sys.path.append("at_home")
warnings.filterwarnings("ignore", "at home")
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
"""


def test_what_a_library_makes_when_it_is_first_used_is_no_change(doing, bench):
    bench.write("at_home.py", AT_HOME)
    verdicts = doing(*LAWFUL.values(), things=LAWFUL_THINGS)
    for name, verdict in zip(LAWFUL, verdicts, strict=False):
        assert (verdict.status, verdict.reason) == (Status.PASS, None), name


def test_an_import_may_add_to_what_there_is_and_not_change_it(doing, bench):
    bench.write("at_home.py", "import os, sys\nos.environ['HOME'] = 'at home'\nsys.path.clear()\n")
    verdict, _ = doing("import at_home")
    assert "environment variable HOME from" in verdict.reason
    assert "sys.path entry" in verdict.reason


def test_an_import_of_pythons_own_is_no_excuse(doing):
    verdict, _ = doing("import this; os.environ['TST'] = '1'")
    assert verdict.reason == "global state changed: environment variable TST added"


# ---- of a backend --------------------------------------------------------------------------------


ODD = """
import numpy as np

class Odd:
    __hash__ = None
    __eq__ = __repr__ = lambda *_: 1 / 0

looks = 0

def state(self):
    self.looks += 1
    return {"mode": self.mode()}

def mode(self):
    import numpy as np
    """


@pytest.mark.parametrize(
    ("mode", "report"),
    [
        ("np.arange(3) + self.looks", "mode from array(["),
        ("float('nan')", None),
        ("np.array([float('nan')])", None),
        ("{'a': self.looks}", "mode from {'a': "),
        ("self.Odd()", "mode changed"),
        ("'\\x1b[31m' * self.looks", "mode "),
        ("b'0' * 5000 + bytes([self.looks])", "mode changed"),
    ],
)
def test_states_of_any_kind_are_compared_and_told_briefly(bench, mode, report):
    bench.run(backend=bench.adapter(f"{ODD}return {mode}"))
    reason = bench.verdicts()["TST-01"].reason
    assert (
        reason is None if report is None else reason.startswith(f"global state changed: {report}")
    )
    assert report is None or (reason.isprintable() and len(reason) < 150)


# ---- what is broken off --------------------------------------------------------------------------

REFUSED = """
@claim("TST-02", about="vjp backward")
def test_refused(be):
    "What is raised inside comes out."
    import numpy as np
    def inside(x):
        raise {error}
    try:
        {way}
    except ZeroDivisionError:
        {then}
"""

PULLED = """
@claim("TST-03", about="vjp")
def test_pulled(be):
    "The derivative of a square is twice the input."
    import numpy as np
    value, pull = be.vjp(lambda x: be.mul(x, x), np.array([3.0]))
    be.check(pull(np.ones(1))[0], [6.0])
"""

HOOKED = """
@claim("TST-03", about="backward")
def test_hooked(be):
    "The gradient of a square is twice the input."
    leaf = be.leaf([3.0])
    be.backward(be.sum(be.mul(leaf, leaf)))
    be.check(be.grad(leaf), [6.0])
"""

BY_VJP = "be.vjp(inside, np.ones(2))"
BY_HOOK = "x = be.leaf([1.0]); be.register_hook(x, inside); be.backward(be.sum(be.mul(x, 2.0)))"

STALE = """
stale = False

def vjp(self, function, *inputs, create_graph=False):
    if self.stale:
        {worse}
    self.stale = True
    result = super().vjp(function, *inputs, create_graph=create_graph)
    self.stale = False
    return result

def backward(self, y, cotangent=None, **options):
    if self.stale:
        {worse}
    self.stale = True
    super().backward(y, cotangent, **options)
    self.stale = False
"""

LOUD = "raise RuntimeError('the tape is running')"
SILENT = "return None if 'y' in locals() else super().vjp(lambda x: x, *inputs)"


@pytest.mark.parametrize("worse", [LOUD, SILENT], ids=["loud", "silent"])
@pytest.mark.parametrize(
    ("way", "after"), [(BY_VJP, PULLED), (BY_HOOK, HOOKED)], ids=["function", "hook"]
)
@pytest.mark.parametrize("then", ["pass", "raise"], ids=["caught", "red"])
def test_what_is_broken_off_and_leaves_the_next_call_broken_is_charged(
    bench, worse, way, after, then
):
    refused = REFUSED.format(error="ZeroDivisionError", way=way, then=then)
    bench.chapter(refused, after)
    bench.run(backend=bench.adapter(STALE.format(worse=worse)))
    verdicts = bench.verdicts()
    broken = "what worked before it works no longer: "
    told = verdicts["TST-02"].reason
    assert broken in told
    assert told.startswith("ZeroDivisionError" if then == "raise" else broken)
    assert verdicts["TST-03"].reason.startswith("TST-02 left ")
    assert verdicts["TST-03"].reason.endswith("run with --isolate")


@pytest.mark.parametrize("then", ["pass", "raise"], ids=["caught", "red"])
def test_what_is_broken_off_and_leaves_nothing_is_no_concern_of_others(bench, then):
    bench.chapter(REFUSED.format(error="ZeroDivisionError", way=BY_VJP, then=then), PULLED, HOOKED)
    bench.write("sources.toml", bench.sources("TST-02", "TST-03", "TST-04"))
    bench.chapter(
        REFUSED.format(error="ZeroDivisionError", way=BY_VJP, then=then),
        PULLED,
        HOOKED.replace("TST-03", "TST-04"),
    )
    bench.run()
    told = bench.verdicts()["TST-02"].reason
    assert told is None if then == "pass" else "no longer" not in told
    assert bench.verdicts()["TST-03"].status is bench.verdicts()["TST-04"].status is Status.PASS


def test_a_mode_that_is_left_on_is_told_beside_what_was_raised(bench):
    body = (
        "def vjp(self, function, *inputs, create_graph=False):\n"
        "    self.library.set_grad_enabled(False)\n"
        "    function(*inputs)\n"
        "    self.library.set_grad_enabled(True)\n"
        "    return super().vjp(function, *inputs)\n"
    )
    bench.chapter(REFUSED.format(error="ZeroDivisionError", way=BY_VJP, then="raise"), HOOKED)
    bench.run(backend=bench.adapter(body))
    told = bench.verdicts()["TST-02"].reason
    assert told.startswith("ZeroDivisionError")
    assert "; global state changed: grad mode from True to False" in told
    assert bench.verdicts()["TST-03"].status is Status.PASS


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells of children elsewhere")
def test_a_thread_that_ends_while_it_is_looked_at_hides_nothing(tmp_path, monkeypatch):
    """Its list of children is gone by the time it is read, and the other threads' are not."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        for thread, told in (("1", ""), ("2", str(child.pid))):
            tmp_path.joinpath(thread).mkdir()
            tmp_path.joinpath(thread, "children").write_text(told, encoding="utf-8")
        read = Path.read_text

        def gone(path, *words, **options):
            if path.parent.name == "1":
                raise FileNotFoundError(path)
            return read(path, *words, **options)

        monkeypatch.setattr(process_state, "TASKS", tmp_path)
        monkeypatch.setattr(Path, "read_text", gone)
        assert list(process_state._children()) == [child.pid]
        child.communicate(b"\n")
