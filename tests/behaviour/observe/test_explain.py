"""`emplace.explain`: why a tensor or variable is where it is."""

from __future__ import annotations

import inspect

import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.core.context import intern_scope
from emplace.eager.place import Reason, explain_reason


def why(x: object) -> str:
    return emplace.explain(x).reason


@pytest.mark.gpus(0)
def test_without_a_gpu_the_cpu_is_all_there_is() -> None:
    assert why(tf.constant([1.0])) == "no device was asked for, and there is no GPU here"


@pytest.mark.gpus(2)
def test_gpus_go_before_cpus() -> None:
    x = tf.constant([1.0])
    assert why(x + x) == "no device was asked for; AddV2 has a GPU kernel, and GPUs go before CPUs"


@pytest.mark.gpus(3)
def test_the_first_gpu_is_taken_wherever_the_inputs_are() -> None:
    with tf.device("/GPU:1"):
        x = tf.constant([1.0])
    with tf.device("/GPU:2"):
        y = tf.constant([1.0])
    assert emplace.explain(x + y).device == "GPU:0"


@pytest.mark.gpus(2)
def test_a_device_that_was_asked_for() -> None:
    with tf.device("/GPU:1"):
        x = tf.constant([1.0])
    assert emplace.explain(x).device == "GPU:1"
    assert why(x) == "the program asked for this device"


@pytest.mark.gpus(2)
def test_an_op_on_a_variable_stays_with_it() -> None:
    with tf.device("/GPU:1"):
        v = tf.Variable([1.0])
    with tf.device("/GPU:0"):
        read = v.value()
    assert emplace.explain(read).device == "GPU:1"
    assert why(read) == "it works on a variable, and ops on a variable run where the variable is"


@pytest.mark.gpus(2)
def test_a_gradient_runs_where_its_op_ran() -> None:
    with tf.device("/GPU:1"):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
    with emplace.testing.assert_no_copies():
        gradient = tape.gradient(y, x)
    assert emplace.explain(gradient).device == "GPU:1"
    assert why(gradient) == "it is part of a gradient, and a gradient runs where its op ran"


@pytest.mark.gpus(2)
def test_a_device_that_is_asked_for_gets_the_gradient() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
    with tf.device("/GPU:1"):
        gradient = tape.gradient(y, x)
    assert emplace.explain(gradient).device == "GPU:1"
    assert why(gradient) == "the program asked for this device"


@pytest.mark.gpus(2)
def test_an_op_without_a_kernel_where_it_was_asked_for() -> None:
    emplace.set_op_devices("Cast", ["CPU"])
    with tf.device("/GPU:1"):
        x = tf.cast(tf.constant([1.0]), tf.int32)
    assert emplace.explain(x).device == "CPU:0"
    assert why(x) == "the program asked for GPU:1, but Cast has no GPU kernel for float32"


@pytest.mark.gpus(1)
def test_an_op_that_has_no_gpu_kernel() -> None:
    x = tf.strings.length(tf.constant(["a"]))
    assert why(x) == "no device was asked for, and StringLength has no GPU kernel for string"


@pytest.mark.gpus(1)
def test_a_missing_device_that_another_one_stood_in_for() -> None:
    tf.config.set_soft_device_placement(True)
    with tf.device("/GPU:7"):
        x = tf.constant([1.0])
    assert emplace.explain(x).device == "GPU:0"
    assert why(x) == (
        "the program asked for GPU:7, which does not exist; soft placement is on"
    )  # fmt: skip


@pytest.mark.gpus(1)
def test_a_value_that_no_op_made() -> None:
    with tf.device("/CPU:0"):
        host = tf.constant([1.0])
    taken = tf.convert_to_tensor(torch.ones(2))
    for x in (host, taken):
        assert str(emplace.explain(x)).splitlines()[1:] == [
            "  op      none",
            "  device  CPU:0",
            "  why     it is a value that was there already: a constant under the host's scope or "
            "of a function, or memory taken over from torch",
        ]


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_a_sentence_without_holes(reason: Reason) -> None:
    scope = intern_scope(tf.DeviceSpec.from_string("/job:localhost/replica:0/task:0/device:GPU:7"))
    sentence = explain_reason(reason, "Cast", scope, [tf.float32])
    assert len(sentence.split()) > 5
    assert "{" not in sentence
    assert "  " not in sentence


@pytest.mark.gpus(2)
def test_copies_are_listed_with_their_bytes() -> None:
    with tf.device("/CPU:0"):
        a = tf.constant([[1.0, 2.0, 3.0]])
    with tf.device("/GPU:1"):
        b = tf.constant([[1.0], [2.0], [3.0]])
    shown = str(emplace.explain(tf.matmul(a, b)))
    assert "  copied  input 'a': CPU:0 -> GPU:0, 12 B\n" in shown
    assert "  copied  input 'b': GPU:1 -> GPU:0, 12 B\n" in shown


@pytest.mark.gpus(2)
def test_inputs_of_a_list_are_told_apart() -> None:
    with tf.device("/GPU:1"):
        x = tf.constant([1.0])
    with tf.device("/GPU:0"):
        y = tf.constant([1.0])
    assert "  copied  input 'inputs[1]': GPU:1 -> GPU:0, 4 B\n" in str(
        emplace.explain(tf.add_n([y, x]))
    )


@pytest.mark.gpus(1)
def test_the_line_is_known_of_what_was_made_while_somebody_watched() -> None:
    before = tf.constant([1.0])
    with emplace.watch():
        number = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
        x = before + 1.0
    found = emplace.explain(x)
    assert found.line is not None
    assert (found.line.file, found.line.number) == (__file__, number)
    assert str(found).splitlines()[-1] == (
        f"  line    {__file__}:{number} in {found.line.function}: x = before + 1.0"
    )
    assert str(emplace.explain(before)).splitlines()[-1] == (
        "  line    not recorded; make it inside `with emplace.watch():` to know"
    )


def test_the_line_of_a_helper_is_the_helpers_own() -> None:
    def helper(x: tf.Tensor) -> tf.Tensor:
        return tf.add(x, x)

    with emplace.watch():
        found = emplace.explain(helper(tf.constant([1.0])))
    assert found.line is not None
    assert found.line.function == "helper"


@pytest.mark.gpus(2)
def test_a_variable_is_explained_by_where_it_was_made() -> None:
    with tf.device("/GPU:1"):
        v = tf.Variable([1.0, 2.0], name="weights")
    v.assign([3.0, 4.0])
    assert str(emplace.explain(v)).splitlines()[:4] == [
        "variable 'weights:0' float32 (2,)",
        "  op      VarHandleOp",
        "  device  GPU:1",
        "  why     the program asked for this device",
    ]
    assert why(v.assign_add([1.0, 1.0])) == "the program asked for this device"


@pytest.mark.gpus(2)
def test_an_explanation_is_plain_values_too() -> None:
    with tf.device("/CPU:0"):
        x = tf.constant([1.0])
    assert emplace.explain(x + x).to_dict() == {
        "what": "tensor float32 (1,)",
        "device": "GPU:0",
        "op": "AddV2",
        "reason": "no device was asked for; AddV2 has a GPU kernel, and GPUs go before CPUs",
        "copies": [{"input": 0, "name": "x", "from": "CPU:0", "to": "GPU:0", "bytes": 4}],
        "line": None,
    }


def test_a_tensor_made_before_a_reset_can_still_be_explained() -> None:
    emplace.virtual_gpus(2)
    with tf.device("/GPU:1"):
        x = tf.constant([1.0])
    emplace.reset(virtual=True)
    assert emplace.explain(x).device == "GPU:1"


@pytest.mark.parametrize("x", [1.0, "GPU:0", None, [1.0]])
def test_anything_else_is_refused(x: object) -> None:
    with pytest.raises(TypeError, match=r"\[explain\] got \w+; it takes a tensor, a variable"):
        emplace.explain(x)
