"""What a run that measured prints: limits, sizes from which on a device wins, answers of laws."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .findings import Answer
from .laws import Judgement
from .parts import put_off
from .record import Gain, Record


def lines(record: Record) -> Iterator[str]:
    """Return what a run measured: limits, break-even sizes, verdicts."""
    threads = record.header["threads"]
    yield f"{record.header['processor']}, {threads} threads; {_devices(record.header['devices'])}"
    for device, told in record.header.get("conditions", {}).items():
        yield from (f"{device} {when}: {told[when]}" for when in ("before", "after") if told[when])
    for limit in record.limits:
        rates = (_rate(limit.bytes_per_second, "GB/s"), _rate(limit.flops_per_second, "GFLOP/s"))
        yield f"limits of {limit.device}: {', '.join(rates)}"
    yield ""
    yield from _gain_lines(record.gains)
    yield ""
    for each in record.judgements:
        yield f"{each.law}  {each.device:5} {each.answer:13} {_reason(each)}"
    timed = sum(m.left_out is None for m in record.measurements)
    later = sum(map(put_off, record.measurements))
    yield f"{timed} cells timed, {len(record.measurements) - timed - later} left out"
    if later:
        yield f"{later} cells are not measured yet: run again with --speed-resume"


def _devices(devices: Mapping[str, Mapping[str, Any]]) -> str:
    return ", ".join(f"{name}: {fields['model']}" for name, fields in devices.items())


def _rate(value: float | None, unit: str) -> str:
    return f"{value / 1e9:.1f} {unit}" if value else f"no {unit}"


def _gain_lines(gains: Sequence[Gain]) -> Iterator[str]:
    yield f"{'chapter':18}{'workload':20}{'device':8}{'timed':12}{'wins from size':>16}  best gain"
    for gain in gains:
        place = f"{gain.chapter:18}{gain.workload:20}{gain.device:8}{gain.part:12}"
        if gain.break_even is None:
            yield f"{place}{'unmeasured':>16}  {gain.unmeasured}"
            continue
        best = max(gain.points.values(), key=lambda point: point.value)
        start = gain.break_even.value
        words = {0.0: "smallest", float("inf"): "none"}
        yield f"{place}{words.get(start, f'{start:.0f}'):>16}  {best.value:.1f}"


def _reason(judgement: Judgement) -> str:
    if judgement.answer is Answer.UNMEASURED:
        return str(judgement.reason)
    shown = next(c for c in judgement.comparisons if c.answer is judgement.answer)
    return (
        f"{shown.what} = {shown.value:.3g} [{shown.low:.3g}, {shown.high:.3g}] "
        f"{shown.relation} {shown.bound:g}"
    )
