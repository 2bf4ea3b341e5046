"""What cannot be honoured on the command line gets one line: the culprit, and what to do."""

import pytest

from bench import DOUBLED, WRONG, complaint


@pytest.mark.parametrize(
    ("words", "culprit", "remedy"),
    [
        (["--backend", "torhc"], "torhc", "did you mean 'torch'?"),
        (["--backend", "mine"], "mine", "module:Class"),
        (["--device", "cdua"], "cdua", "did you mean 'cuda'?"),
        (["--dtype", "float46"], "float46", "declared: float16, float32, float64"),
        (["--claim", "TST-12"], "TST-12", "did you mean 'TST-1"),
        (["--claim", "nonsense"], "nonsense", "2 ids are collected"),
        (["--hypothesis-profile", "quikc"], "quikc", "known: quick, default, deep"),
        (["--hypothesis-seed", "lucky"], "lucky", "give one"),
        (["--require-device", "cdua"], "cdua", "did you mean 'cuda'?"),
        (["--results", "sources.toml/here"], "sources.toml/here", "a directory you may write to"),
        (["--results", "."], "--results .", "a directory you may write to"),
    ],
    ids=lambda value: value[1] if isinstance(value, list) else "",
)
def test_a_bad_option_is_refused_in_one_line(bench, words, culprit, remedy):
    result = bench.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert culprit in complaint(result)
    assert remedy in complaint(result)


@pytest.mark.parametrize("option", ["--require-device", "--device"])
def test_an_absent_device_is_refused_with_the_reason(bench, option):
    result = bench.run(option, "cuda")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{option} cuda: no cuda device is seen by reference" in complaint(result)


def test_adapters_of_one_name_are_refused(bench):
    result = bench.run("--backend", bench.adapter("name = 'reference'"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "two adapters are called 'reference'" in complaint(result)


def test_a_choice_that_leaves_no_subject_is_refused(bench):
    result = bench.run(backend=bench.adapter("def devices(self):\n    return ()"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "no subject is left of mine" in complaint(result)


def test_a_disk_that_fills_up_ends_the_run_in_one_line(bench):
    bench.chapter(WRONG, DOUBLED)
    bench.write(
        "conftest.py",
        """
        import os
        from gradspec.conformance import writing

        def full(descriptor):
            raise OSError(28, "No space left on device")

        def pytest_runtest_setup(item):
            writing.os = type("os", (), {**vars(os), "fsync": full})
        """,
    )
    result = bench.run_apart()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "No space left on device" in complaint(result)


def test_an_unknown_claim_is_refused_under_xdist_too(bench):
    result = bench.run_apart("--claim", "TST-12", "-n", "1")
    assert result.ret != pytest.ExitCode.OK
    assert "--claim TST-12: no collected claim has this id" in complaint(result)
