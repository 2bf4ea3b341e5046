"""Tables beside an adapter may come from anybody: expected failures, witnesses, conventions."""

import re
import tomllib

import numpy as np
import pytest

from bench import SINES, complaint
from gradspec.conformance.claims.witness import decode
from gradspec.conformance.cli import main
from gradspec.conformance.protocol import conventions
from gradspec.conformance.protocol.backend import DEVICES
from gradspec.conformance.protocol.conventions import on_record
from gradspec.conformance.protocol.errors import OptionError
from gradspec.conformance.run.expectations import FAILING, read_expectations
from gradspec.conformance.truth.floats import FLOATS
from gradspec.conformance.untrusted.files import schema_of

ENTRY = """
[[expected]]
claim = "TST-03"
reason = "so"
link = "https://example.org/1"
"""

DEEP = "x = " + "[" * 10**5


def witness(text):
    return f"{ENTRY}witness = {{ x = {text} }}"


def call(text):
    return witness(f"{{ tensors = [{{ array = [1.0] }}], {text} }}")


HOSTILE = [
    ("[[expected]", "Expected"),
    (DEEP, "nested without end"),
    ("x = " + "9" * 5000, "Exceeds the limit"),
    ("expected = 3", "it.expected must be array"),
    ("expected = [1]", "it.expected[0] must be object"),
    ("mood = 'good'", "it must not contain {'mood'} properties"),
    (ENTRY.replace("reason", "raison"), "it.expected[0] must"),
    ('[[expected]]\nclaim = "TST-03"\nreason = "so"', "it.expected[0] must contain"),
    (ENTRY + ENTRY.replace("link", "x"), "it.expected[1] must"),
    (ENTRY + "device = 3", "it.expected[0].device must be one of ['cpu', 'cuda']"),
    (ENTRY + 'status = "pass"', "it.expected[0].status must be one of"),
    (ENTRY + "search = 1", "it.expected[0].search must be boolean"),
    (ENTRY + "version = 1979-05-27", "it.expected[0].version must be string"),
    (ENTRY + "witness = 3", "it.expected[0].witness must be object"),
    (ENTRY + "witness = [3]", "it.expected[0].witness must be object"),
    (ENTRY.replace("TST-03", " "), "expected[0]: it names no claim"),
    (ENTRY.replace("TST-03", "TST-03[") + "search = true", "expected[0]: claim = 'TST-03['"),
    (witness("1979-05-27"), "it.expected[0].witness.x must be string or number or boolean"),
    (witness("[1]"), "it.expected[0].witness.x must be string or number or boolean"),
    (witness("{}"), "it.expected[0].witness.x must contain"),
    (witness("{ arr = [3.0] }"), "it.expected[0].witness.x must not contain {'arr'}"),
    (witness("{ array = 3 }"), "witness.x.array must be array"),
    (witness('{ array = ["three"] }'), "witness.x.array[0] must be number or boolean"),
    (witness("{ array = [[1], [2, 3]] }"), "expected[0]: the witness of x: "),
    (witness(f"{{ array = [{9 * 10**400}] }}"), "expected[0]: the witness of x: "),
    (witness(f"{{ array = {'[' * 70}1{']' * 70} }}"), "expected[0]: the witness of x: "),
    (witness('{ array = [1], dtype = "object" }'), "witness.x.dtype must be one of"),
    (witness('{ array = [1], dtype = "U999999999" }'), "witness.x.dtype must be one of"),
    (witness("{ array = [1], shape = [3] }"), "the witness of x: cannot reshape"),
    (witness("{ array = [1], shape = [-1] }"), "witness.x.shape[0] must be bigger"),
    (witness("{ array = [1], shape = ['a'] }"), "witness.x.shape[0] must be integer"),
    (witness("{ array = [1], strides = [1] }"), "missing dependency shape for strides"),
    (witness("{ array = [1], shape = [3], strides = [9] }"), "does not lie in its memory"),
    (witness("{ array = [1], shape = [3], strides = [1, 2] }"), "the witness of x: "),
    (witness("{ array = [[1]], shape = [1], strides = [1] }"), "does not lie in its memory"),
    (
        witness("{ array = [1], shape = [1000000, 1000000], strides = [0, 0] }"),
        "has 1000000000000 entries",
    ),
    (witness('{ literal = "open()" }'), "the witness of x: 'open()' is no literal"),
    (witness("{ literal = 3 }"), "witness.x.literal must be string"),
    (witness('{ literal = "{[]}" }'), "is no literal"),
    (witness(f'{{ literal = "{"-" * 19000}1" }}'), "is no literal"),
    (witness(f'{{ literal = "{"(" * 19000}" }}'), "is no literal"),
    (witness(f'{{ literal = "{"[" * 30000}" }}'), "witness.x.literal must be shorter"),
    (witness(f'{{ literal = "({9 * 10**4000},)" }}'), "is larger than any number"),
    (witness(str(9 * 10**4000)), "is larger than any number"),
    (witness("{ array = [1], imaginary = 3 }"), "witness.x.imaginary must be array"),
    (witness("{ imaginary = [1.0] }"), "witness.x must not contain {'imaginary'}"),
    (witness("{ array = [1], imaginary = [1, 2] }"), "as many imaginary parts as real ones"),
    (witness("{ array = [1], imaginary = [1], dtype = 'bool' }"), "has imaginary parts if"),
    (witness("{ slice = 3 }"), "witness.x.slice must be string"),
    (witness("{ slice = '1:__import__' }"), "witness.x.slice must match"),
    (witness(f"{{ slice = '{'9' * 60}:' }}"), "is larger than any number"),
    (witness("{ tensors = 3 }"), "witness.x.tensors must be array"),
    (witness("{ tensors = [] }"), "witness.x.tensors must contain at least 1"),
    (witness("{ tensors = [3.0] }"), "witness.x.tensors[0] must be object"),
    (witness("{ tensors = [{ literal = '1' }] }"), "witness.x.tensors[0] must"),
    (call("dim = 3"), "witness.x must not contain {'dim'}"),
    (call("options = 3"), "witness.x.options must be array"),
    (call("options = [[1]]"), "witness.x.options[0] must be string or number or boolean"),
    (call("options = [{}]"), "witness.x.options[0] must contain"),
    (call("options = [{ tensors = [] }]"), "witness.x.options[0] must not contain {'tensors'}"),
    (call("named = [1]"), "witness.x.named must be object"),
    (call("named = { dim = [1] }"), "witness.x.named.dim must be string or number or boolean"),
    (call("weights = 1.0"), "witness.x.weights must be array"),
    (call("weights = ['..']"), "witness.x.weights[0] must be same as const"),
    (call("weights = [true, '...']"), "witness.x.weights[0] must be number"),
    (call("weights = [1.0]"), "the witness of x: weights are 17 finite numbers"),
    (call("weights = [inf, '...']"), "the witness of x: weights are 17 finite numbers"),
    (call("weights = ['...', '...']"), "once at the most"),
    (call(f"weights = {[1.0] * 18}"), "witness.x.weights must contain less than or equal to 17"),
    (call("which = -1"), "witness.x.which must be bigger"),
    (call("which = 1.5"), "witness.x.which must be integer"),
    (call("which = true"), "witness.x.which must be integer"),
    (call("which = 1.0"), "one from 0 to 255"),
    (call("weights = [2.0, '...'], which = 255"), None),
    (witness("{ tuple = 3 }"), "witness.x.tuple must be array"),
    (witness("{ tuple = [{ list = [{}] }] }"), "witness.x.tuple[0].list[0] must contain"),
    (witness("{ tuple = [], list = [] }"), "witness.x must contain less than or equal to 1"),
    (witness('{ record = "indices.Nothing" }'), "'indices.Nothing' is no record"),
    (witness("{ record = 3 }"), "witness.x.record must be string"),
    (witness('{ record = "..os" }'), "witness.x.record must match"),
    (witness('{ record = "os.path" }'), "'os.path' is no record"),
    (witness('{ record = "indices.Scatter" }'), "the witness of x: "),
    (witness('{ record = "indices.Scatter", y = 3 }'), "the witness of x: "),
    (witness('{ record = "indices.Scatter", y = {} }'), "witness.x.y must contain"),
    (witness("{ tuple = " + "[{ tuple = " * 20 + "[]" + "}]" * 20 + " }"), None),
]


@pytest.mark.parametrize(("text", "fault"), HOSTILE)
def test_expected_failures_that_are_none_are_refused_in_one_line(tmp_path, text, fault):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    if fault is None:
        read_expectations(path, "1.0")
        return
    with pytest.raises(OptionError) as refusal:
        read_expectations(path, "1.0")
    told = str(refusal.value)
    assert told.startswith(f"{path}: ")
    assert fault in told
    assert told.isprintable()
    assert len(told.removeprefix(str(path))) < 400


@pytest.mark.parametrize(
    ("data", "fault"),
    [(b"\xff\xfe", "decode"), (b"\0", "line 1"), (b"a = 1\r", "line 1"), (None, "is no file")],
)
def test_what_is_no_text_is_refused(tmp_path, data, fault):
    path = tmp_path / "mine.toml"
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    for read in (lambda: read_expectations(path, "1.0"), lambda: on_record(path)):
        with pytest.raises(OptionError, match=f"mine.toml: .*{fault}"):
            read()


def test_a_table_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "mine.toml"
    with path.open("wb") as file:
        file.truncate(33 * 2**20)
    for read in (lambda: read_expectations(path, "1.0"), lambda: on_record(path)):
        with pytest.raises(OptionError, match="more than such a file ever has"):
            read()


def test_line_ends_of_windows_are_line_ends(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes((ENTRY + "search = true\n").replace("\n", "\r\n").encode())
    assert read_expectations(path, "1.0")[0].claim == "TST-03"


def test_a_broken_table_ends_a_run_in_one_line(bench):
    adapter = bench.adapter("")
    bench.write("mine.toml", DEEP)
    result = bench.run(backend=adapter)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "mine.toml: it is nested without end" in complaint(result)


def test_the_schema_speaks_of_what_there_is():
    fields = schema_of("expectations")["definitions"]["entry"]["properties"]
    assert fields["device"]["enum"] == [*DEVICES]
    several = fields["dtype"]["pattern"]
    assert {*re.findall(r"\w+", several)} == {*FLOATS}
    assert re.search(several, " ".join(FLOATS))
    assert not any(re.search(several, word) for word in ("", "float16,float32", "xfloat16"))
    assert sorted(fields["status"]["enum"]) == sorted(FAILING)


@pytest.mark.parametrize("word", ["bogus", "narrow contiguous:zz", "narrow:00", "3"])
def test_a_witness_that_names_no_call_is_an_error_of_its_entry(bench, word):
    bench.chapter(SINES.format(right="sin"))
    adapter = bench.adapter("")
    entry = ENTRY.replace("TST-03", "TST-02[cos]")
    bench.write("mine.toml", f'{entry}witness = {{ call = "{word}" }}')
    bench.run(backend=adapter)
    verdict = {v.operation: v for v in bench.all_verdicts()}["cos"]
    assert verdict.reason.startswith("the witness of TST-02")
    assert "correct the entry beside the adapter" in verdict.reason


@pytest.mark.parametrize(
    "values",
    [
        "{ x = 1.0 }",
        "{}",
        "{ call = 3 }",
        "{ call = { array = [] } }",
        "{ call = { tensors = [{ array = [] }, { array = [] }] } }",
        "{ call = { tensors = [{ array = [1] , dtype = 'int64' }] } }",
        "{ call = { tensors = [{ array = [1.0] }], options = ['so'] } }",
        "{ call = { tensors = [{ array = [1.0] }], named = { out = 3 } } }",
    ],
)
def test_a_witness_without_a_call_is_an_error_of_its_entry(bench, values):
    bench.chapter(SINES.format(right="sin"))
    adapter = bench.adapter("")
    bench.write("mine.toml", f"{ENTRY.replace('TST-03', 'TST-02[cos]')}witness = {values}")
    bench.run(backend=adapter)
    verdict = {v.operation: v for v in bench.all_verdicts()}["cos"]
    assert verdict.reason.startswith("the witness of TST-02")


@pytest.mark.parametrize(
    "value",
    [
        {"array": [10**400]},
        {"array": [1], "dtype": ["x"]},
        {"array": [1e300], "dtype": "float32"},
        {"array": [300], "dtype": "uint8"},
        {"array": [1], "shape": 3},
        {"record": 3},
        {"tuple": 3},
        {"literal": "{[]}"},
        {"array": [1], "shape": [1.5], "strides": [1]},
        {"array": [1], "shape": [-1], "strides": [1]},
        {"array": [1], "shape": [0, -2], "strides": [1, 1]},
        {"array": [[1], [2]], "imaginary": [1, 2]},
        {"array": [1], "imaginary": ["i"]},
        {"array": [1], "imaginary": [1], "dtype": "M8"},
        {"slice": [1]},
        {"slice": "::::"},
        {"tensors": [{"tensors": []}]},
        {"tensors": {"x": 1}},
        {"tensors": [{"array": ["a"], "dtype": "str"}], "which": 10**400},
        {"tensors": [{"array": [1]}], "weights": {"...": 1}},
        {"tensors": [{"array": [1]}], "named": [["dim", 1]]},
        10**4000,
    ],
)
def test_a_witness_is_refused_by_one_kind_of_error(value):
    with pytest.raises(ValueError, match="the witness of x: "):
        decode({"x": value})


# ---- conventions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("abs = 1", "it.abs must be object"),
        ("[a]\nb = 3", "it.a.b must be array"),
        ('[a]\nb = ["some"]', "it.a.b[0] must be same as const"),
        ("[a]\nb = [{ x = 1 }]", "it.a.b[0] must be number"),
        ("[a]\nb = [1979-05-27]", "it.a.b[0] must be number"),
        ("[a]\nb = [[[1], ['x']]]", "must be number"),
        ("[a]\nb = [[[1], [2, 3]]]", "b: "),
        (f"[a]\nb = [{9 * 10**400}]", "b: "),
        (f"[a]\nb = [{'[' * 70}1{']' * 70}]", "b: "),
        (DEEP, "nested without end"),
        ("[a]\n[a]", "line 2"),
    ],
)
def test_conventions_that_are_none_are_refused_in_one_line(tmp_path, text, fault):
    path = tmp_path / "mine.conventions.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError) as refusal:
        on_record(path)
    told = str(refusal.value)
    assert told.startswith(f"{path}: ")
    assert fault in told
    assert told.isprintable()
    assert len(told.removeprefix(str(path))) < 400


def test_a_version_with_quotes_is_written_and_read_again(tmp_path):
    path = tmp_path / "a.conventions.toml"
    conventions.write(path, 'a"b\\c', {'k"': [1.0]})
    on_record.cache_clear()
    assert on_record(path) == {'a"b\\c': {'k"': [1.0]}}
    assert tomllib.loads(path.read_text(encoding="utf-8"))


def test_a_record_that_cannot_be_written_is_told_in_one_line(bench, capsys, monkeypatch):
    monkeypatch.syspath_prepend(bench.path)
    adapter = bench.adapter("")
    bench.write("mine.toml", "")
    (bench.path / "mine.conventions.toml").mkdir()
    assert main(["conventions", adapter]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "mine.conventions.toml: " in line


def test_what_numpy_reads_is_what_was_written(tmp_path):
    path = tmp_path / "a.conventions.toml"
    conventions.write(path, "1", {"k": [float("nan"), [float("-inf"), -0.0]]})
    on_record.cache_clear()
    (nan, (inf, zero)) = on_record(path)["1"]["k"]
    assert (np.isnan(nan), inf, np.signbit(zero)) == (True, float("-inf"), True)
