"""Conventions on record: read, written, compared; and what kinks have in common."""

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from gradspec.conformance import Subject, backends
from gradspec.conformance.protocol.conventions import agree, nearest, on_record, write
from gradspec.conformance.protocol.errors import OptionError
from gradspec.conformance.run.loading import installed, load, names
from gradspec.conformance.table import KINKED, TABLE
from gradspec.conformance.table.kinks import KINKS
from gradspec.conformance.table.measuring import measure

BACKENDS = Path(backends.__file__).parent

REFUSED = {
    "mygrad": {"std([2])"},
    "autograd": {
        "clamp_tensors(1, 1, 2)",
        "clamp_tensors(2, 1, 2)",
        "copysign(0, 1)",
        "copysign(0, -1)",
        "quantile([1, 3, 3], 0.5, 0, False, linear)",
        "vector_norm([0, 0], 2, None, False)",
        "vector_norm([3, -3], inf, None, False)",
        "cumprod([2, 0, 3], 0)",
        "frac(1)",
        "fmod(4, 2)",
        "matrix_norm([[1, 2], [2, 1]], inf)",
    },
    "tensorflow": {"fmod(4, 2)", "fmod_number(4, 2)"},
}
"""Where a library raises instead, which its expected failures know."""


def test_every_kink_is_one_of_an_operation_of_the_table():
    assert {kink.operation for kink in KINKS} == {operation.name for operation in KINKED}
    assert len({kink.name for kink in KINKS}) == len(KINKS)


@pytest.mark.parametrize("path", sorted(BACKENDS.glob("*.toml")), ids=lambda path: path.name)
def test_every_table_beside_an_adapter_can_be_read(path):
    """Those of libraries that are not installed too: nobody else would look at them here."""
    assert tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", names())
def test_the_record_is_what_is_measured_today(name):
    if not installed(name):
        pytest.skip(f"not run: {name} is not installed")
    backend = load(name)
    _, record = backend.conventions()
    measured, refused = measure(Subject(backend, "cpu", "float64"))
    assert refused.keys() == REFUSED.get(name, set())
    assert measured.keys() == record.keys()
    assert all(agree(measured[kink], record[kink], "float64") for kink in record)


def test_an_adapter_in_the_folder_at_hand_is_measured(tmp_path):
    """By the command as a user starts it, whose folder is not among those of its modules."""
    (tmp_path / "mine.py").write_text(
        "from gradspec.conformance.backends.reference import Reference\n"
        "class Mine(Reference):\n    name = 'mine'\n",
        encoding="utf-8",
    )
    words = [sys.executable, "-P", "-m", "gradspec.conformance", "conventions", "mine:Mine"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
    assert "relu(0)" in (tmp_path / "mine.conventions.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("1.9", "2.1.0"),
        ("2.1.0", "2.1.0"),
        ("2.1.5+cu130", "2.1.0"),
        ("2.2.0", "2.1.0"),
        ("2.14.0", "2.14.1"),
        ("2.14.0rc1", "2.14.1"),
        ("3.0", "2.14.1"),
        ("unreleased", "2.1.0"),
    ],
)
def test_a_version_that_is_not_on_record_is_held_to_the_one_before(version, found):
    """By number, wherever it stands in the file."""
    assert nearest(["2.14.1", "2.1.0"], version) == found
    on_cuda = [f"{name} on cuda" for name in ("2.14.1", "2.1.0")]
    assert nearest(on_cuda, version) == f"{found} on cuda"
    assert nearest([], version) is None


def test_what_a_release_chose_otherwise_is_on_record_for_it(monkeypatch):
    backend = load("torch")
    for version, slope in (("2.11.0", 1.0), ("2.13.0+cpu", 1.0), ("2.14.0", 0.0), ("99.0", 0.0)):
        monkeypatch.setattr(type(backend), "version", version)
        assert backend.conventions()[1]["clamp(0, 0, 1)"] == [slope]


def test_writing_keeps_other_versions(tmp_path):
    path = tmp_path / "a.conventions.toml"
    write(path, "1.0", {"abs(0)": [0.0], "sqrt(0)": [float("inf")], "max": ["none", [[1.0]]]})
    on_record.cache_clear()
    write(path, "2.0", {"abs(0)": [float("nan")]})
    on_record.cache_clear()
    table = on_record(path)
    assert list(table) == ["1.0", "2.0"]
    assert table["1.0"]["max"] == ["none", [[1.0]]]
    assert agree([float("nan")], table["2.0"]["abs(0)"], "float32")


def test_a_malformed_table_is_named(tmp_path):
    path = tmp_path / "a.conventions.toml"
    path.write_text("abs = 1\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"a\.conventions\.toml: it.abs must be object"):
        on_record(path)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ([[0.5, 0.5]], True),
        ([[1.0, 0.0]], False),
        ([[0.5]], False),
        (["none"], False),
        ([[float("nan"), 0.5]], False),
        ([[0.5, 0.5], "none"], False),
    ],
)
def test_gradients_agree_or_not(other, same):
    assert agree([[0.5, 0.5]], other, "float64") is same


def test_gradients_agree_in_sixteen_bits():
    assert agree([[0.125, float("inf")]], [[0.125, float("inf")]], "bfloat16")
    assert agree([[0.1001]], [[0.1]], "bfloat16")
    assert not agree([[0.11]], [[0.1]], "bfloat16")


def test_shares_of_a_tie_add_up_to_one():
    (kink,) = [kink for kink in KINKS if kink.name == "amax([1, 3, 3])"]
    operation = next(operation for operation in TABLE if operation.name == "amax")
    low, high = kink.of(operation).around()
    assert low == pytest.approx([0, 0, 0, 1], abs=1e-14)
    assert high == pytest.approx([0, 1, 1, 1], abs=1e-14)


@pytest.mark.parametrize(
    ("name", "gradient"),
    [("elu(0)", [1, 1]), ("square(0)", [0, 0]), ("prod([0, 2, 3])", [6, 0, 0, 6])],
)
def test_what_is_bent_at_a_kink_has_one_limit_from_all_sides(name, gradient):
    """However far the sides are looked at: what they are bent on the way is taken off."""
    (kink,) = [kink for kink in KINKS if kink.name == name]
    (operation,) = [operation for operation in TABLE if operation.name == kink.operation]
    low, high = kink.of(operation).around()
    assert np.all(low <= gradient)
    assert np.all(gradient <= high)
    assert np.all(high - low < 1e-13)
