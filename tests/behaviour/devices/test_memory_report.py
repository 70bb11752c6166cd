"""`emplace.memory()` and what an out-of-memory error tells: who holds what, made in which line."""

from __future__ import annotations

import functools
import gc
import json
import re
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.holders.refusals import MOST_LINES

MB = 1 << 20

small = pytest.mark.gpus(2, memory="64MB")


def held(name: str = "GPU:0") -> list[dict[str, Any]]:
    """What holds a device's memory; their bytes are all that is in use."""
    device = emplace.memory().to_dict()["devices"][name]
    assert sum(each["bytes"] for each in device["holders"]) == device["in_use_bytes"]
    return list(device["holders"])


def one(name: str) -> dict[str, Any]:
    (found,) = [each for each in held() if each["name"] == name]
    return found


def here(text: str) -> str:
    """The line of this file with a text in it, as reports write it."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if text in line and "here(" not in line]
    return f"{Path(__file__).name}:{number}"


def refused(device: str = "/GPU:0") -> str:
    with tf.device(device), pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        tf.zeros([1 << 30])
    return str(caught.value)


@small
def test_a_value_has_its_name_op_shape_bytes_and_line() -> None:
    with tf.device("/GPU:0"):
        big = tf.zeros([MB // 4])  # makes big
    assert one("big") == {
        "kind": "other", "name": "big", "op": "Fill", "shape": [MB // 4], "dtype": "float32",
        "bytes": MB, "line": here("# makes big"),
    }  # fmt: skip
    assert big is not None


@pytest.mark.gpus(1, memory="64MB")
def test_small_values_have_the_line_of_the_program_however_they_are_made() -> None:
    a = tf.ones([4, 4])
    v = tf.Variable(a)
    matrix = tf.ones([4, 4])

    def makes(values: dict[str, Any]) -> None:
        values["sum"] = a + matrix  # by an operator
        values["reflected"] = 2.0 * a  # from the right
        values["product"] = tf.matmul(a, matrix)  # by a function
        values["of a variable"] = v * a  # of a variable
        values["mapped"] = next(map(tf.exp, [a]))  # by C
        values["reduced"] = functools.reduce(tf.add, [a, matrix])  # by a library
        values["in a library"] = tf.nest.map_structure(lambda x: tf.sqrt(x), a)  # back to here

    for _ in range(3):  # the first of each are charged in other ways than those after them
        values: dict[str, Any] = {}
        makes(values)
        charges = a._kind.device.budget.biggest(1000)
        lines = {
            name: {
                str(charge.line)
                for charge in charges
                if charge() is not None and charge()._cdata == value._value.untyped_storage()._cdata  # type: ignore[union-attr]
            }
            for name, value in values.items()
        }
        assert lines == {
            "sum": {here("# by an operator")},
            "reflected": {here("# from the right")},
            "product": {here("# by a function")},
            "of a variable": {here("# of a variable")},
            "mapped": {here("# by C")},
            "reduced": {here("# by a library")},
            "in a library": {here("# back to here")},
        }


@small
def test_views_have_no_bytes_of_their_own() -> None:
    with tf.device("/GPU:0"):
        whole = tf.zeros([4, MB // 16])
        part = tf.reshape(whole, [-1])[3:]
        del whole
    (found,) = [each for each in held() if each["bytes"] == MB]
    assert (found["op"], found["shape"], found["name"]) == ("Fill", [4, MB // 16], "part")
    assert part is not None


@small
def test_variables_are_parameters_by_their_names() -> None:
    with tf.device("/GPU:0"), tf.name_scope("layer"):
        w = tf.Variable(tf.zeros([MB // 4]), name="w")
    assert one("layer/w")["kind"] == "parameters"
    w.assign_add(tf.ones([MB // 4]))
    copy = w.read_value()
    w.assign_add(copy)
    assert one("layer/w")["kind"] == "parameters"
    assert one("copy")["kind"] == "other"


@small
def test_a_tape_keeps_activations_and_what_goes_back_are_gradients() -> None:
    with tf.device("/GPU:0"):
        x = tf.ones([MB // 4])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.exp(x) * 2.0  # the forward line
        grad = tape.gradient(y, x)
    kinds = {each["name"]: each["kind"] for each in held() if each["bytes"] == MB}
    assert kinds == {
        "x": "activations kept for gradients", "y": "activations kept for gradients",
        "Exp": "activations kept for gradients", "grad": "gradients",
    }  # fmt: skip
    assert one("Exp")["line"] == here("# the forward line")
    of_tape = emplace.memory(tape)
    assert str(of_tape).splitlines()[0] == "the tape keeps 3.00 MiB on GPU:0, in 4"
    ((name, device),) = of_tape.to_dict()["devices"].items()
    assert (name, device["in_use_bytes"]) == ("GPU:0", 3 * MB + 256)
    del tape, grad
    gc.collect()
    assert one("y")["kind"] == "other"


@pytest.mark.gpus(0)
def test_a_tape_tells_what_it_keeps_where_nobody_counts() -> None:
    x = tf.ones([1024])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x)
    device = emplace.memory(tape).to_dict()["devices"]["CPU:0"]
    assert sorted(each["name"] for each in device["holders"]) == ["x", "y"]
    assert device["in_use_bytes"] == 2 * 4096
    assert y is not None
    assert str(emplace.memory()) == "no device whose memory is counted"


def test_only_tapes_can_be_asked_about() -> None:
    with pytest.raises(TypeError, match=r"`tape` must be a tf.GradientTape, got 3\. Call it with"):
        emplace.memory(3)  # type: ignore[arg-type]


@small
def test_elements_on_a_gpu_are_of_datasets() -> None:
    data = tf.data.Dataset.from_tensor_slices(np.zeros([4, MB // 4], np.float32))
    on_gpu = data.apply(tf.data.experimental.prefetch_to_device("/GPU:0", 2))  # the dataset
    iterator = iter(on_gpu)
    element = next(iterator)
    deadline = time.monotonic() + 20  # a thread may be about to put one into the buffer
    while True:
        found = [each for each in held() if each["bytes"] == MB]
        if {each["kind"] for each in found} == {"datasets"} or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    assert {each["kind"] for each in found} == {"datasets"}
    assert {each["line"] for each in found} == {here("# the dataset")}
    assert element is not None


@small
def test_constants_of_plans_are_constants_with_the_lines_that_made_them() -> None:
    @tf.function
    def add(x: Any) -> Any:
        return x + tf.constant(np.arange(MB // 4, dtype=np.float32))  # in the function

    with tf.device("/GPU:0"):
        total = add(tf.zeros([MB // 4]))
    found = [each for each in held() if each["op"] == "Const" and each["bytes"] == MB]
    assert [(each["kind"], each["line"]) for each in found] == [
        ("constants", here("# in the function"))
    ]
    (found,) = [each for each in held() if each["op"] == "AddV2"]
    assert (found["line"], found["bytes"]) == (here("# in the function"), MB)
    assert total is not None


@small
def test_results_of_functions_have_the_lines_of_their_operations_in_each_form() -> None:
    @tf.function
    def four(x: Any) -> Any:
        return tf.tanh(tf.exp(tf.square(tf.abs(x))))  # four operations

    with tf.device("/GPU:0"):
        x = tf.zeros([MB // 4])
        for _ in range(9):  # instrumented, then with memory set aside for a plain plan
            y = four(x)
            (found,) = [each for each in held() if each["op"] == "Tanh"]
            assert (found["line"], found["name"]) == (here("# four operations"), "Tanh")
            assert y is not None


@small
def test_slots_of_an_optimizer_of_tf_1_are_told_from_parameters() -> None:
    v1 = tf.compat.v1
    with v1.Graph().as_default(), tf.device("/GPU:0"):
        w = v1.get_variable("w", [MB // 4], use_resource=True)
        train = v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(train)
            kinds = {each["name"]: each["kind"] for each in held() if each["bytes"] == MB}
    assert kinds == {
        "w": "parameters", "w/Adam": "optimizer slots", "w/Adam_1": "optimizer slots",
    }  # fmt: skip


@small
def test_keras_variables_have_paths_and_slots_their_parameters() -> None:
    with tf.device("/GPU:0"):
        dense = tf.keras.layers.Dense(512, name="wide")  # the layer
        model = tf.keras.Sequential([tf.keras.Input((512,)), dense], name="net")  # the model
        model.compile(tf.keras.optimizers.Adam(name="adam"), "mse")
        model.fit(np.ones([4, 512], np.float32), np.ones([4, 512]), verbose=0)  # the fit
    kinds = {each["name"]: (each["kind"], each["line"]) for each in held() if each["bytes"] == MB}
    assert kinds == {
        "net/wide/kernel": ("parameters", here("# the model")),
        "momentum of net/wide/kernel (adam)": ("optimizer slots", here("# the fit")),
        "velocity of net/wide/kernel (adam)": ("optimizer slots", here("# the fit")),
    }


@small
def test_what_is_set_aside_is_a_holder_of_its_own() -> None:
    budget = emplace.devices.inventory.find_devices(type="GPU")[0].budget  # type: ignore[attr-defined]
    before = sum(each["bytes"] for each in held())
    budget.reserve(3 * MB)
    found = one("set aside, not made yet")
    assert (found["kind"], found["bytes"], found["op"]) == ("other", 3 * MB, "")
    budget.cancel(3 * MB)
    assert sum(each["bytes"] for each in held()) == before


@small
def test_holders_near_the_peak_are_told_after_they_have_died() -> None:
    def work() -> None:
        kept = [tf.zeros([MB // 4]) for _ in range(20)]  # at the peak
        del kept

    with tf.device("/GPU:0"):
        work()
    device = emplace.memory().to_dict()["devices"]["GPU:0"]
    near = device["near_peak"]
    assert near["in_use_bytes"] <= device["peak_bytes"] <= near["in_use_bytes"] * 9 / 8
    assert sum(each["bytes"] for each in near["holders"]) == near["in_use_bytes"]
    lines = {each["line"] for each in near["holders"] if each["bytes"] == MB}
    assert lines == {here("# at the peak")}
    assert "near the peak, when 1" in str(emplace.memory())
    tf.config.experimental.reset_memory_stats("GPU:0")
    assert emplace.memory().to_dict()["devices"]["GPU:0"]["near_peak"]["holders"] == []


@small
def test_the_report_is_text_json_and_files(tmp_path: Path) -> None:
    with tf.device("/GPU:0"):
        kept = {"a": tf.zeros([MB // 4]), "b": [tf.zeros([MB // 4]) for _ in range(3)]}
    report = emplace.memory()
    assert "   3.00 MiB  3 x kept['b'][...]" in str(report).replace("[...][...]", "['b'][...]")
    assert json.loads(report.to_json()) == report.to_dict()
    report.save(str(tmp_path / "memory.json"))
    assert json.loads((tmp_path / "memory.json").read_text()) == report.to_dict()
    report.save(str(tmp_path / "memory.txt"))
    assert (tmp_path / "memory.txt").read_text() == f"{report}\n"
    assert kept


@small
def test_an_error_has_twenty_lines_at_most_and_its_groups_add_up() -> None:
    with tf.device("/GPU:0"):
        weights = [tf.Variable(tf.zeros([100 * i + 1000]), name=f"w{i}") for i in range(40)]
        x = tf.ones([10_000])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            for _ in range(30):
                x = tf.tanh(x + 1.0)
        grad = tape.gradient(x, x)
        others = [tf.ones([10_000 + i]) for i in range(30)]
    text = refused()
    first, *rest = text.splitlines()
    assert first.startswith("OOM when allocating tensor with shape[1073741824] and type float on ")
    assert len(rest) <= MOST_LINES
    assert re.fullmatch(
        r"Fill \(test_memory_report.py:\d+\) needs 4.00 GiB on GPU:0; [\d.]+ MiB of 64.00 MiB are "
        r"in use, [\d.]+ MiB are left \(peak [\d.]+ MiB\)\.", rest[0],
    )  # fmt: skip
    kinds = [
        line.split(":")[0] for line in rest if re.match(r"[a-z ]+: [\d.]+ [KM]iB in \d+", line)
    ]
    assert {"parameters", "activations kept for gradients", "gradients", "other"} <= set(kinds)
    assert rest[-1].endswith(" GiB more memory would do: a larger device.")
    assert grad is not None
    assert len(weights) + len(others) == 70


@small
def test_the_error_says_which_gpu_has_room_and_what_to_let_go() -> None:
    with tf.device("/GPU:0"):
        history = [tf.zeros([4 * MB]) for _ in range(3)]
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            tf.zeros([8 * MB])
    text = str(caught.value)
    assert '  GPU:1 has 64.00 MiB left: `with tf.device("GPU:1"):`.' in text
    assert re.search(
        r"  The name `history` of test_the_error_says_which_gpu_has_room_and_what_to_let_go "
        r"\(test_memory_report.py:\d+\) keeps 3 values, 48.00 MiB: let it go in time\.", text,
    )  # fmt: skip
    assert "GPU:1 has" not in refused()  # it has too little for that
    assert history


@pytest.mark.gpus(1, memory="64MB")
def test_a_limit_below_the_hardware_may_be_raised() -> None:
    refuses = pytest.raises(tf.errors.ResourceExhaustedError)
    with emplace.limit("GPU:0", "8MB"), tf.device("/GPU:0"), refuses as caught:
        tf.zeros([3 * MB])
    assert (
        "  4.00 MiB more memory would do: a higher limit (`emplace.limit`, `EMPLACE_LIMIT`)."
        in str(caught.value)
    )


@small
def test_the_error_of_a_function_has_the_line_of_the_operation() -> None:
    @tf.function
    def grow(x: Any) -> Any:
        return tf.tile(x, [1 << 20])  # what grows

    with tf.device("/GPU:0"), pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        grow(tf.zeros([1024]))
    assert f"Tile ({here('# what grows')}) needs 4.00 GiB on GPU:0; " in str(caught.value)


class Box:
    """Something to watch the death of."""


@small
def test_asking_keeps_nothing_alive() -> None:
    def work() -> Any:
        box, big = Box(), tf.zeros([MB // 4])
        emplace.memory()
        for _ in range(2):
            try:
                tf.zeros([1 << 30])
            except tf.errors.ResourceExhaustedError as error:
                text = str(error)
            assert "big" in text
        del big
        assert not [each for each in held() if each["bytes"] == MB], "the tensor was deleted"
        return weakref.ref(box)

    gc.collect()
    gc.disable()
    try:
        with tf.device("/GPU:0"):
            assert work()() is None
    finally:
        gc.enable()


@small
def test_locals_that_a_program_has_asked_for_stay() -> None:
    def work() -> dict[str, Any]:
        big = tf.zeros([4])
        mine = locals()
        emplace.memory()
        assert big is not None
        return mine

    assert "big" in work()
