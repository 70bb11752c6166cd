"""`emplace.watch` and its report, against programs counted by hand."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf
from emplace.core.context import PROCESS
from emplace.core.events import Call, Line, Observer, add_observer, remove_observer
from emplace.devices.inventory import INVENTORY
from emplace.observe.recorder import CopyCount, CopyPlace, Fallback, OpCount, Peak, Recording
from emplace.observe.report import MOST_LINES, Report, Section, fit

KIB = 256  # floats in one KiB


def on(device: str, floats: int = 1) -> tf.Tensor:
    with tf.device(device):
        return tf.fill([floats], 1.0)


def counts(report: Report) -> dict[tuple[str, str], int]:
    return {(each["op"], each["device"]): each["count"] for each in report.to_dict()["ops"]}


# Ops


@pytest.mark.gpus(2)
def test_ops_are_counted_by_device() -> None:
    x, y = on("/GPU:0"), on("/GPU:1")
    with emplace.watch() as seen:
        for _ in range(3):
            x + x
        with tf.device("/GPU:1"):
            y - y
            y + y
        tf.reshape(x, [1, 1])
    assert counts(seen.report()) == {
        ("AddV2", "GPU:0"): 3,
        ("Sub", "GPU:1"): 1,
        ("AddV2", "GPU:1"): 1,
        ("Reshape", "GPU:0"): 1,
    }


@pytest.mark.gpus(0)
def test_nothing_is_recorded_before_and_after() -> None:
    x = on("/CPU:0")
    watching = emplace.watch()
    x + x
    with watching:
        x - x
    x + x
    assert counts(watching.report()) == {("Sub", "CPU:0"): 1}


def test_seconds_are_those_of_the_kernels_and_of_the_watch() -> None:
    x = on("/CPU:0", 1000)
    with emplace.watch() as seen:
        for _ in range(10):
            x + x
    found = seen.report().to_dict()
    assert 0 < found["ops"][0]["seconds"] < found["seconds"]


def test_an_op_that_fails_is_not_counted() -> None:
    x, y = on("/CPU:0", 2), on("/CPU:0", 3)
    with emplace.watch() as seen, pytest.raises(tf.errors.InvalidArgumentError):
        x + y
    assert counts(seen.report()) == {}


def test_to_watch_does_not_start_the_devices() -> None:
    with emplace.watch() as seen:
        emplace.virtual_gpus(2)
        seen.report()
        assert not INVENTORY.is_initialized
        on("/GPU:1")
    assert ("Fill", "GPU:1") in counts(seen.report())


# Copies


@pytest.mark.gpus(2)
def test_hidden_copies_are_counted_by_line_and_op() -> None:
    x, y = on("/CPU:0", 10), on("/GPU:1", 10)
    with emplace.watch() as seen:
        for _ in range(3):
            x + y
        x - (x + x)
    here = f"{__file__}:"
    copies = seen.report().to_dict()["copies"]
    first = min(int(each["line"].removeprefix(here)) for each in copies)
    assert sorted((each.pop("line"), each["op"], each["from"], each) for each in copies) == [
        (f"{here}{line}", op, source, {
            "op": op, "from": source, "to": "GPU:0", "count": count, "bytes": 40 * count,
            "hidden": True,
        })
        for line, op, source, count in [
            (first, "AddV2", "CPU:0", 3),
            (first, "AddV2", "GPU:1", 3),
            (first + 1, "AddV2", "CPU:0", 1),
            (first + 1, "Sub", "CPU:0", 1),
        ]
    ]  # fmt: skip


@pytest.mark.gpus(2)
def test_constants_and_identity_are_copies_that_were_asked_for() -> None:
    x = on("/GPU:0", 10)
    with emplace.watch() as seen, tf.device("/GPU:1"):
        tf.constant([1.0, 2.0])
        tf.identity(x)
    copies = [
        (each["op"], each["from"], each["bytes"], each["hidden"])
        for each in seen.report().to_dict()["copies"]
    ]
    assert copies == [("Identity", "GPU:0", 40, False), ("_EagerConst", "CPU:0", 8, False)]
    text = str(seen.report())
    assert "\ncopies asked for: 48 B, by source line\n" in text
    assert "GPU:0 -> GPU:1  tf.identity\n" in text
    assert "no hidden copies" in text


@pytest.mark.gpus(4)
def test_copies_of_one_line_to_several_devices_are_one_row() -> None:
    x = on("/CPU:0", KIB)
    with emplace.watch() as seen:
        for gpu in (0, 1, 3):
            with tf.device(f"/GPU:{gpu}"):
                tf.square(x)
    rows = [row.split() for row in str(seen.report()).splitlines() if "for Square" in row]
    assert [row[1:] for row in rows] == [
        ["3", "x", "3.00", "KiB", "CPU:0", "->", "GPU:0-1,", "GPU:3", "for", "Square"]
    ]


@pytest.mark.gpus(2)
def test_copies_inside_a_function_name_the_line_that_made_the_operation() -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        with tf.device("/GPU:1"):
            y = x + x
        return tf.cond(tf.reduce_sum(y) > 0.0, lambda: y * 2.0, lambda: y)

    def g(x: tf.Tensor) -> tf.Tensor:
        return tf.function(lambda x: f(x))(x)

    first = f.python_function.__code__.co_firstlineno
    for run in (f, g):
        with emplace.watch() as seen:
            run(on("/GPU:0", 10))
        copies = seen.report().to_dict()["copies"]
        lines = {each["op"]: each["line"] for each in copies if each["op"] in ("AddV2", "Sum")}
        assert lines == {"AddV2": f"{__file__}:{first + 3}", "Sum": f"{__file__}:{first + 4}"}
        assert not any("<plan" in each["line"] for each in copies)


@pytest.mark.gpus(1)
def test_what_a_function_leaves_open_names_the_line_of_the_call() -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        y = tf.py_function(lambda x: x, [x], tf.float32)
        return tf.math.unsorted_segment_mean(y, tf.zeros_like(y, tf.int32), 1)

    f(on("/CPU:0", 3))
    with emplace.watch() as seen:
        f(on("/CPU:0", 3))
    copies = seen.report().to_dict()["copies"]
    assert copies
    assert not any("<plan" in each["line"] for each in copies)


# Fallbacks


@pytest.mark.gpus(1)
def test_fallbacks_are_counted_with_their_reason() -> None:
    emplace.set_op_devices("Cast", ["CPU"])
    x = on("/GPU:0")
    with emplace.watch() as seen, tf.device("/GPU:0"):
        for _ in range(2):
            tf.cast(x, tf.int32)
    report = seen.report()
    (found,) = report.to_dict()["fallbacks"]
    assert found.pop("line").startswith(f"{__file__}:")
    why = "the program asked for GPU:0, but Cast has no GPU kernel for float32"
    assert found == {"op": "Cast", "device": "CPU:0", "count": 2, "reason": why}
    assert f"2 x  Cast on CPU:0: {why}" in str(report)


# Memory


@pytest.mark.gpus(2, memory="1MB")
def test_peaks_are_those_of_the_watch() -> None:
    big = on("/GPU:0", 100 * KIB)
    del big
    kept = on("/GPU:0", 2 * KIB)
    with emplace.watch() as seen:
        temporary = on("/GPU:0", 3 * KIB)
        del temporary
        on("/GPU:0", KIB)
    found = seen.report().to_dict()
    # Each value of `fill` is a number of its own on the device: 256 bytes, made once and kept.
    assert found["peak_bytes"] == {"GPU:0": 5 * 1024 + 256, "GPU:1": 0}
    assert found["limit_bytes"] == {"GPU:0": 1 << 20, "GPU:1": 1 << 20}
    del kept


@pytest.mark.gpus(1, memory="1MB")
def test_an_inner_watch_does_not_change_what_the_outer_one_sees() -> None:
    on("/GPU:0")
    with emplace.watch() as outer:
        on("/GPU:0", 8 * KIB)
        with emplace.watch() as inner:
            on("/GPU:0", KIB)
    assert inner.report().to_dict()["peak_bytes"] == {"GPU:0": 1024 + 256}
    assert outer.report().to_dict()["peak_bytes"] == {"GPU:0": 8 * 1024 + 256}
    assert counts(outer.report()) == {("Fill", "GPU:0"): 2}
    assert counts(inner.report()) == {("Fill", "GPU:0"): 1}


@pytest.mark.gpus(1, memory="1MB")
def test_watches_may_overlap() -> None:
    on("/GPU:0")
    first, second = emplace.watch(), emplace.watch()
    first.__enter__()
    on("/GPU:0", 8 * KIB)
    second.__enter__()
    on("/GPU:0", KIB)
    first.__exit__()
    on("/GPU:0", 2 * KIB)
    second.__exit__()
    assert first.report().to_dict()["peak_bytes"] == {"GPU:0": 8 * 1024 + 256}
    assert second.report().to_dict()["peak_bytes"] == {"GPU:0": 2 * 1024 + 256}


@pytest.mark.gpus(1, memory="1MB")
def test_a_watch_does_not_change_what_the_program_is_told() -> None:
    on("/GPU:0", 8 * KIB)
    info = tf.config.experimental.get_memory_info
    before = info("GPU:0")
    with emplace.watch() as seen:
        assert info("GPU:0") == before
        on("/GPU:0", KIB)
        tf.config.experimental.reset_memory_stats("GPU:0")
        on("/GPU:0", 0)
        assert info("GPU:0") == {"current": 256, "peak": 256}
    assert info("GPU:0") == {"current": 256, "peak": 256}
    assert seen.report().to_dict()["peak_bytes"] == {"GPU:0": 1024 + 256}


@pytest.mark.gpus(1, memory="1MB")
def test_refused_allocations_are_counted() -> None:
    with emplace.watch() as seen:
        for _ in range(2):
            with pytest.raises(tf.errors.ResourceExhaustedError):
                on("/GPU:0", 10_000 * KIB)
    report = seen.report()
    assert report.to_dict()["refused_allocations"] == {"GPU:0": 2}
    assert "1.00 MiB  2 allocations refused\n" in str(report)


@pytest.mark.gpus(0)
def test_the_memory_of_the_host_is_not_counted() -> None:
    with emplace.watch() as seen:
        on("/CPU:0")
    assert seen.report().to_dict()["peak_bytes"] == {}
    row = next(row for row in str(seen.report()).splitlines() if row.startswith("CPU:0"))
    assert row.endswith("   not counted        none")


# Watches


@pytest.mark.gpus(0)
def test_a_watch_that_is_entered_again_goes_on() -> None:
    x = on("/CPU:0")
    seen = emplace.watch()
    for _ in range(2):
        with seen, seen:
            x + x
    assert counts(seen.report()) == {("AddV2", "CPU:0"): 2}
    assert PROCESS.observers == ()


@pytest.mark.gpus(0)
def test_all_threads_are_seen() -> None:
    x = on("/CPU:0")

    def work() -> None:
        for _ in range(100):
            x + x

    threads = [threading.Thread(target=work) for _ in range(4)]
    with emplace.watch() as seen:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            str(seen.report())
        for thread in threads:
            thread.join()
    assert counts(seen.report()) == {("AddV2", "CPU:0"): 400}


@pytest.mark.gpus(0)
def test_a_report_does_not_change_after_it_was_made() -> None:
    x = on("/CPU:0")
    with emplace.watch() as seen:
        x + x
        report = seen.report()
        text = str(report)
        x + x
    assert str(report) == text
    assert counts(report) == {("AddV2", "CPU:0"): 1}


def test_a_watch_ends_with_its_scope_also_if_that_fails() -> None:
    with pytest.raises(KeyError), emplace.watch():
        raise KeyError
    assert PROCESS.observers == ()


@pytest.mark.gpus(1)
def test_the_log_and_a_watch_may_listen_together(capfd: pytest.CaptureFixture[str]) -> None:
    with emplace.watch() as seen:
        tf.debugging.set_log_device_placement(True)
        tf.constant([1.0])
    assert counts(seen.report()) == {("_EagerConst", "GPU:0"): 1}
    assert capfd.readouterr().err.count("Executing op _EagerConst") == 1


@pytest.mark.gpus(1)
def test_to_watch_does_not_make_python_numbers_anew() -> None:
    x = tf.constant([1.0])
    x + 2.0
    with emplace.watch() as seen:
        x + 2.0
    x + 2.0
    assert counts(seen.report()) == {("AddV2", "GPU:0"): 1}


# Off means free


@pytest.mark.gpus(0)
def test_while_nobody_listens_routes_are_plain_and_tensors_know_only_their_route() -> None:
    x = on("/CPU:0")
    with emplace.watch():
        watched = x + x
    y = x + x
    assert watched._origin is not watched._origin.route
    assert y._origin is y._origin.route
    assert y._origin.is_plain


# Observers


class Broken(Observer):
    def executed(self, call: Call) -> None:
        raise ValueError("no good")

    def __repr__(self) -> str:
        return "<Broken>"


@pytest.mark.gpus(0)
def test_an_observer_that_raises_is_removed_and_named(
    capfd: pytest.CaptureFixture[str],
) -> None:
    x = on("/CPU:0")
    with emplace.watch() as seen:
        add_observer(Broken())
        assert (x + x).numpy().tolist() == [2.0]
        assert (x + x).numpy().tolist() == [2.0]
    assert counts(seen.report()) == {("AddV2", "CPU:0"): 2}
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("E0000")
    assert line.endswith("Observer <Broken> raised ValueError('no good') and was removed.")


def test_an_observer_is_told_placed_copied_executed_in_this_order() -> None:
    told: list[tuple[str, Any]] = []

    class Witness(Observer):
        def placed(self, call: Call) -> None:
            told.append(("placed", (call.op.name, call.device.short_name, call.outputs)))

        def copied(self, call: Call, copy: Any) -> None:
            told.append(("copied", (copy.position, copy.source.short_name, copy.nbytes)))

        def executed(self, call: Call) -> None:
            told.append(("executed", [x.numpy().tolist() for x in call.outputs]))

    emplace.virtual_gpus(1)
    x = on("/CPU:0", 2)
    witness = Witness()
    add_observer(witness)
    tf.square(x)
    remove_observer(witness)
    tf.square(x)
    assert told == [
        ("placed", ("Square", "GPU:0", ())),
        ("copied", (0, "CPU:0", 8)),
        ("executed", [[1.0, 1.0]]),
    ]


# The text


def recording(devices: int, ops: int, lines: int) -> Recording:
    """A recording with this many of each; seconds and bytes fall with the number."""
    names = [f"GPU:{i}" for i in range(devices)]
    places = [Line(f"/a/file{i}.py", i, "f") for i in range(lines)]
    return Recording(
        seconds=1.0,
        ops={(f"Op{i}", name): OpCount(1, 1 / (i + 1)) for i in range(ops) for name in names},
        copies={
            CopyPlace(line, "Op", name, "CPU:0", is_hidden): CopyCount(1, lines - i)
            for i, line in enumerate(places)
            for name in names
            for is_hidden in (True, False)
        },
        fallbacks={Fallback(line, "Op", names[0], "why"): 1 for line in places},
        peaks={name: Peak(1024, None) for name in names},
        refused=dict.fromkeys(names, 1),
    )


@pytest.mark.parametrize("sizes", [(1, 1, 1), (4, 10, 3), (64, 3, 2), (3, 200, 200), (64, 99, 99)])
def test_a_report_has_at_most_thirty_lines_and_every_section(sizes: tuple[int, ...]) -> None:
    text = str(Report(recording(*sizes)))
    lines = text.splitlines()
    assert len(lines) <= MOST_LINES
    titles = [line for before, line in itertools.pairwise(lines) if not before]
    assert [title.split(":")[0].split("  ")[0] for title in titles] == [
        "device", "ops, the slowest first", "hidden copies", "copies asked for",
        "ops that are not where they were wanted",
    ]  # fmt: skip


def test_what_is_left_out_is_said() -> None:
    lines = str(Report(recording(devices=64, ops=50, lines=40))).splitlines()
    rest = [line.strip() for line in lines if line.startswith("  and ")]
    assert rest == [
        "and 61 more devices", "and 47 more ops", "and 37 more lines", "and 37 more lines",
        "and 38 more lines",
    ]  # fmt: skip
    assert len(lines) == MOST_LINES


def test_room_that_one_section_does_not_need_goes_to_the_others() -> None:
    sections = [Section("a", ["row"] * 2, "row"), Section("b", ["row"] * 50, "row")]
    fit(sections, 20)
    assert [each.shown for each in sections] == [2, 13]
    assert sum(len(each.lines()) for each in sections) == 20


def test_a_last_row_is_shown_rather_than_said_to_be_missing() -> None:
    section = Section("a", ["row"] * 5, "row")
    fit([section], 7)
    assert section.lines() == ["", "a", "row", "row", "row", "row", "row"]


def test_the_slowest_op_and_the_largest_copy_come_first() -> None:
    found = recording(devices=2, ops=3, lines=3)
    text = str(Report(found))
    assert text.index("  Op0 ") < text.index("  Op1 ") < text.index("  Op2 ")
    assert text.index("file0.py:0") < text.index("file1.py:1")
    assert [each["op"] for each in Report(found).to_dict()["ops"]][::2] == ["Op0", "Op1", "Op2"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0"),
        (0.4e-6, "0.4 us"),
        (99e-6, "99.0 us"),
        (1.5e-3, "1.5 ms"),
        (2.5, "2,500.0 ms"),
        (75, "75.0 s"),
    ],
)
def test_durations_are_shown_in_a_unit_that_fits(seconds: float, shown: str) -> None:
    report = Report(Recording(seconds=1.0, ops={("MatMul", "GPU:0"): OpCount(1, seconds)}))
    assert str(report).splitlines()[0] == (
        f"emplace report: 1 op in 1,000.0 ms, {shown} of it in kernels"
    )
    assert f"x{shown:>12}  GPU:0" in str(report)


def test_a_report_of_nothing_says_so() -> None:
    assert str(Report(Recording())).splitlines() == [
        "emplace report: 0 ops in 0, 0 of it in kernels",
        "",
        "no device was used; no ops; no hidden copies; no copies asked for; no fallbacks",
    ]


# Files


def test_a_report_is_saved_as_text_or_json_by_its_name(tmp_path: Path) -> None:
    x = on("/CPU:0")
    with emplace.watch() as seen:
        x + x
    report = seen.report()
    report.save(str(tmp_path / "report.txt"))
    report.save(str(tmp_path / "report.json"))
    assert (tmp_path / "report.txt").read_text() == f"{report}\n"
    assert json.loads((tmp_path / "report.json").read_text()) == report.to_dict()


def test_a_report_that_cannot_be_saved_leaves_the_old_one(tmp_path: Path) -> None:
    seen = emplace.watch()
    with pytest.raises(OSError, match="No such file or directory"):
        seen.save(str(tmp_path / "missing" / "report.txt"))
    assert list(tmp_path.iterdir()) == []
