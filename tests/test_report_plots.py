"""Drawings of times, and the command that writes the page."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from gradspec.conformance.cli import main
from gradspec.conformance.report.page import page
from gradspec.conformance.report.plots import drawings
from gradspec.conformance.speed.cells import Cell, Measurement, Part


def measured(device, size, seconds):
    cell = Cell("speed", "product", size, Part.KERNEL, "torch", device, "float32")
    return Measurement(
        cell, median=seconds, low=0.9 * seconds, high=1.1 * seconds, q1=seconds, q3=seconds
    )


SIZES = (10, 1000, 100_000)
CPU = [measured("cpu", size, 1e-9 * size) for size in SIZES]
CUDA = [measured("cuda", size, 1e-6) for size in SIZES]


def texts(drawing):
    return "".join(ET.fromstring(drawing).itertext())  # noqa: S314 - our own drawing


def test_two_devices_give_speed_ups_break_even_and_times():
    found = dict(drawings([*CPU, *CUDA]))
    assert list(found) == [
        "Speed-up of cuda over the CPU, by size",
        "Where cuda starts to win",
        "Time in seconds, by size",
    ]
    assert all("product (torch)" in texts(drawing) for drawing in found.values())


def test_without_a_device_there_are_times_alone():
    assert [title for title, _ in drawings(CPU)] == ["Time in seconds, by size"]


def test_what_was_left_out_is_not_drawn():
    left = replace(CPU[0], left_out="too large", median=None, low=None, high=None)
    assert [*drawings([left])] == []


def test_drawings_take_the_colour_of_text_and_load_nothing():
    for _, drawing in drawings([*CPU, *CUDA]):
        assert "currentColor" in drawing
        assert "#123456" not in drawing
        assert 'href="http' not in drawing.replace('xlink"', "")


def test_a_drawing_is_the_same_every_time():
    assert [*drawings(CPU)] == [*drawings(CPU)]


def test_a_page_shows_answers_with_their_figures():
    compared = {"what": "gain", "value": 7.0, "low": 6.0, "high": "inf", "relation": ">"}
    judged = {"law": "SPD-04", "text": "Large products gain.", "backend": "torch", "device": "cuda"}
    judged |= {"answer": "supported", "comparisons": [{**compared, "bound": 1.0}], "reason": None}
    text = page([{"gradspec": "0.1.0", "platform": "somewhere"}], [], [], [judged])
    assert "gain: 7 (6 to inf) &gt; 1" in text


@pytest.mark.parametrize(
    ("files", "message"),
    [(["none.jsonl"], "none.jsonl: cannot be read"), (["none.json"], "none.json: cannot be read")],
)
def test_a_file_that_is_not_there_is_named(files, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["report", *files]) == 2
    assert message in capsys.readouterr().err


def test_the_command_writes_the_page(pytester, capsys):
    run = ("--pyargs", "gradspec.spec.test_kinks", "--backend", "reference", "-k", "abs")
    assert pytester.runpytest_inprocess(*run, "-p", "no:cacheprovider").ret == 0
    assert main(["report", ".gradspec/results.jsonl", "--output", "page.html"]) == 0
    assert "At a kink a library gives" in (pytester.path / "page.html").read_text(encoding="utf-8")
    assert main(["report", ".gradspec/results.jsonl", "--output", "new/page.html"]) == 0
    assert main(["report", ".gradspec/results.jsonl", "--output", "page.html/no.html"]) == 2
    assert "--output page.html" in capsys.readouterr().err
