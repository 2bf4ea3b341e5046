"""Results that are handed in are believed as far as they are seen to be true."""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest

from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.claims.editions import current
from gradspec.conformance.cli import main
from gradspec.conformance.submitting import bundle, verifying
from gradspec.conformance.submitting.bundle import adapter_files, digest, read, write

CLAIMS = ("ACC-09", "ACC-60")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Run two claims on the reference."""
    path = tmp_path_factory.mktemp("run") / "results.jsonl"
    claims = [word for claim in CLAIMS for word in ("--claim", claim)]
    words = ["--backend", "reference", "-p", "no:cacheprovider", "--results", str(path), *claims]
    command = [sys.executable, "-m", "pytest", "--pyargs", "gradspec.spec", "-q", *words]
    subprocess.run(command, check=True, cwd=path.parent, stdout=subprocess.DEVNULL)  # noqa: S603
    return path


@pytest.fixture
def small(monkeypatch):
    """Let the edition ask for these claims alone."""
    edition = current()
    laws = {identity: edition.laws[identity] for identity in CLAIMS}
    few = {edition.name: replace(edition, laws=laws)}
    monkeypatch.setattr(verifying, "editions", lambda: few)


@pytest.fixture
def handed_in(tmp_path, results, small):
    path = tmp_path / "submission.zip"
    words = ["submit", str(results), "--backend", "reference", "--output", str(path)]
    assert main(words) == 0
    return path


def lines_of(path):
    return [json.loads(line) for line in read(path)[1].decode().splitlines()]


def again(path, lines=None, **changes):
    """Hand in something else, as somebody would who knows how submissions are made."""
    manifest, data = read(path)
    if lines is not None:
        data = "".join(json.dumps(line) + "\n" for line in lines).encode()
        changes.setdefault("results", digest(data))
    write(path, replace(manifest, **changes), data)
    return path


@pytest.mark.long
def test_what_is_true_holds(handed_in, capsys):
    assert main(["verify", str(handed_in)]) == 0
    assert "4 verdicts came out the same again" in capsys.readouterr().out


@pytest.mark.long
def test_a_verdict_that_was_written_otherwise_does_not_come_out_again(handed_in, capsys):
    lines = lines_of(handed_in)
    verdict = next(line["verdict"] for line in lines if "verdict" in line)
    verdict["status"] = "expected-failure"
    lines[-1]["footer"]["statuses"] = {"pass": 3, "expected-failure": 1}
    assert main(["verify", str(again(handed_in, lines))]) == 1
    assert "handed in as expected-failure, and here pass" in capsys.readouterr().out


def test_a_verdict_that_is_left_out_is_missed(handed_in, capsys):
    lines = [
        line for line in lines_of(handed_in) if line.get("verdict", {}).get("claim") != "ACC-60"
    ]
    lines[-1]["footer"]["statuses"] = {"pass": 2}
    lines[-1]["footer"]["planned"] = {"here": 2, "all": 2, "digest": "0" * 64}
    assert main(["verify", str(again(handed_in, lines))]) == 1
    assert "2 verdicts are left out, such as ACC-60 on reference-cpu-float32" in (
        capsys.readouterr().out
    )


def test_half_of_the_dtypes_is_half_a_run(handed_in, capsys):
    lines = [
        line for line in lines_of(handed_in) if line.get("verdict", {}).get("dtype") != "float64"
    ]
    header, footer = lines[0]["header"], lines[-1]["footer"]
    header["subjects"] = [s for s in header["subjects"] if s["dtype"] != "float64"]
    footer |= {"statuses": {"pass": 2}, "planned": {"here": 2, "all": 2, "digest": "0" * 64}}
    assert main(["verify", str(again(handed_in, lines))]) == 1
    assert "such as ACC-09 on reference-cpu-float64" in capsys.readouterr().out


@pytest.mark.long
def test_what_a_library_does_not_have_is_no_half_of_a_run(handed_in, capsys, monkeypatch):
    lines = [
        line for line in lines_of(handed_in) if line.get("verdict", {}).get("dtype") != "float32"
    ]
    header, footer = lines[0]["header"], lines[-1]["footer"]
    header["subjects"] = [s for s in header["subjects"] if s["dtype"] != "float32"]
    footer |= {"statuses": {"pass": 2}, "planned": {"here": 2, "all": 2, "digest": "0" * 64}}
    monkeypatch.setattr(Reference, "dtypes", ("float64",))
    assert main(["verify", str(again(handed_in, lines))]) == 0
    assert "2 verdicts came out the same again" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"results": "0" * 64}, "the results are not those that the manifest names"),
        ({"specification": "0" * 64}, "judged by another state of gradspec"),
        (
            {"adapter": {"reference.py": "0" * 64}},
            "reference.py of the adapter is not what is here",
        ),
        ({"adapter": {}}, "reference.py of the adapter is not what is here"),
        ({"version": "numpy-9"}, "is here, not numpy-9"),
        ({"seed": 7}, "the manifest says seed 7, the results another one"),
        ({"profile": "quick"}, "the manifest says profile quick, the results another one"),
    ],
)
def test_what_it_rests_on_has_to_be_here(handed_in, capsys, changes, told):
    assert main(["verify", str(again(handed_in, **changes))]) == 1
    assert told in capsys.readouterr().out


def test_a_run_that_was_broken_off_cannot_be_handed_in(results, tmp_path, capsys):
    lines = results.read_text(encoding="utf-8").splitlines()[:-1]
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["submit", str(broken), "--backend", "reference", "--output", str(tmp_path / "s.zip")]
    assert main(words) == 3
    assert "has no footer" in capsys.readouterr().err
    assert not (tmp_path / "s.zip").exists()


def test_results_of_another_library_are_refused(results, tmp_path, capsys):
    words = ["submit", str(results), "--backend", "torch", "--output", str(tmp_path / "s.zip")]
    assert main(words) == 2
    assert "has nothing of torch; name its --backend" in capsys.readouterr().err


def test_an_edition_that_is_not_known_is_refused(handed_in, capsys):
    lines = lines_of(handed_in)
    lines[0]["header"]["edition"] = "1999.01"
    assert main(["verify", str(again(handed_in, lines, edition="1999.01"))]) == 2
    assert "edition 1999.01 is not known here" in capsys.readouterr().err


@pytest.mark.long
def test_of_a_run_on_several_libraries_the_verdicts_of_one_are_run_again(handed_in, capsys):
    lines = lines_of(handed_in)
    more = [line for line in lines if "verdict" in line]
    others = [{"verdict": {**line["verdict"], "backend": "torch"}} for line in more]
    lines[-1]["footer"] |= {
        "statuses": {"pass": 8},
        "planned": {"here": 8, "all": 8, "digest": "0" * 64},
    }
    subject = {**lines[0]["header"]["subjects"][0], "subject": "torch-cpu", "backend": "torch"}
    lines[0]["header"]["subjects"].append(subject)
    assert main(["verify", str(again(handed_in, [*lines[:-1], *others, lines[-1]]))]) == 0
    assert "4 verdicts came out the same again" in capsys.readouterr().out


def test_results_of_another_library_say_nothing_of_this_one(handed_in, capsys):
    lines = lines_of(handed_in)
    for line in lines[1:-1]:
        if "verdict" in line:
            line["verdict"]["backend"] = "torch"
    for subject in lines[0]["header"]["subjects"]:
        subject["backend"] = "torch"
    assert main(["verify", str(again(handed_in, lines))]) == 1
    assert "the results have nothing of reference" in capsys.readouterr().out


def test_results_that_are_none_are_refused_by_the_name_of_the_file(handed_in, capsys):
    manifest, _ = read(handed_in)
    write(handed_in, manifest, b"nothing\n")
    assert main(["verify", str(handed_in)]) == 2
    assert f"{handed_in}: results.jsonl in it" in capsys.readouterr().err


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x03\x04" + b"\0" * 100, b"{}"])
def test_what_is_no_submission_is_refused(tmp_path, capsys, data):
    path = tmp_path / "s.zip"
    path.write_bytes(data)
    assert main(["verify", str(path)]) == 2
    assert "s.zip: is no zip that can be read" in capsys.readouterr().err


def test_nothing_else_may_be_in_it(handed_in, capsys):
    with zipfile.ZipFile(handed_in, "a") as archive:
        archive.writestr("../evil.py", "")
    assert main(["verify", str(handed_in)]) == 2
    assert "and nothing else" in capsys.readouterr().err


def test_what_swells_without_end_is_refused(handed_in, capsys, monkeypatch):
    monkeypatch.setattr(bundle, "LARGEST_FILE", 50_000)
    write(handed_in, read(handed_in)[0], b"\n" * 100_000)
    assert main(["verify", str(handed_in)]) == 2
    assert "bytes" in capsys.readouterr().err


def test_a_manifest_that_is_none_is_refused(handed_in, capsys):
    with zipfile.ZipFile(handed_in, "w") as archive:
        archive.writestr("manifest.json", '{"format": 2}')
        archive.writestr("results.jsonl", "")
    assert main(["verify", str(handed_in)]) == 2
    assert str(handed_in) in capsys.readouterr().err


def test_the_adapter_is_known_by_all_of_its_files(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine_too.py").write_text("class Mine: pass\n", encoding="utf-8")
    (tmp_path / "mine_too.toml").write_text("", encoding="utf-8")
    from mine_too import Mine  # noqa: PLC0415

    assert sorted(adapter_files(Mine)) == ["mine_too.py", "mine_too.toml"]
