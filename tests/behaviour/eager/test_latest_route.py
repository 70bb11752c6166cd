"""An op remembers the route of its last call; calls that are unlike that one find their own."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

FLOATS, INTEGERS = [1.0, 2.0], [1, 2]


@pytest.mark.gpus(2)
def test_scopes_and_types_take_turns():
    for _ in range(3):
        for device in ("/CPU:0", "/GPU:0", "/GPU:1"):
            with tf.device(device):
                for values in (FLOATS, INTEGERS):
                    x = tf.constant(values)
                    for y in (tf.add(x, x), tf.negative(x)):
                        assert y.device.endswith(device.replace("/", "/device:"))
                        assert y.dtype is x.dtype
                        assert y._value.dtype is x.dtype.torch
                    np.testing.assert_array_equal(tf.add(x, x), 2 * np.array(values))


def test_so_do_numbers_of_inputs():
    x = tf.constant(FLOATS)
    for _ in range(3):
        for count in (1, 2, 3, 2, 1):
            np.testing.assert_array_equal(tf.add_n([x] * count), count * np.array(FLOATS))


@pytest.mark.gpus(1)
def test_what_was_decided_anew_holds_at_once():
    x = tf.constant(FLOATS)
    assert "GPU:0" in tf.add(x, x).device
    emplace.set_op_devices("AddV2", ["CPU"])
    assert "CPU:0" in tf.add(x, x).device
    emplace.set_op_devices("AddV2", None)
    assert "GPU:0" in tf.add(x, x).device
    with emplace.watch() as watched:
        tf.add(x, x)
    tf.add(x, x)
    (row,) = watched.report().to_dict()["ops"]
    assert (row["op"], row["count"]) == ("AddV2", 1)


@pytest.mark.gpus(1)
def test_threads_have_scopes_of_their_own():
    x = tf.constant(FLOATS)
    wrong: list[str] = []

    def work(name: str) -> None:
        with tf.device(name):
            for _ in range(300):
                if not tf.add(x, x).device.endswith(name.replace("/", "/device:")):
                    wrong.append(name)

    threads = [threading.Thread(target=work, args=(f"/{kind}:0",)) for kind in ("CPU", "GPU")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
