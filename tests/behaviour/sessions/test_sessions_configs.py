"""What a session's configuration does to devices, and where nodes are placed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import emplace
import emplace.tensorflow.compat.v1 as tf1

FULL = "/job:localhost/replica:0/task:0/device:"


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def session(**options: Any) -> tf1.Session:
    """A session with these GPU options."""
    return tf1.Session(config=tf1.ConfigProto(gpu_options=tf1.GPUOptions(**options)))


def names(of: tf1.Session) -> list[str]:
    return [device.name.removeprefix(FULL) for device in of.list_devices()]


@pytest.mark.gpus(4)
def test_visible_devices_are_numbered_in_the_order_of_the_list():
    assert names(session(visible_device_list="2,1")) == ["CPU:0", "GPU:0", "GPU:1"]
    assert [row.physical for row in emplace.devices()][1:] == ["GPU:2", "GPU:1"]
    with pytest.raises(tf1.errors.AlreadyExistsError) as caught:
        session(visible_device_list="1,2")
    assert "(GPU:0) is being mapped to multiple devices (1 now, and 2 previously)" in str(
        caught.value
    )


@pytest.mark.gpus(4)
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("9", "'visible_device_list' listed an invalid Device id '9' but visible device count is"),
        ("a", "Could not parse entry in 'visible_device_list': 'a'."),
        ("1,1", "visible_device_list contained a duplicate entry"),
    ],
)
def test_a_list_of_devices_that_makes_no_sense_is_refused(text, error):
    with pytest.raises(tf1.errors.InvalidArgumentError, match=error):
        session(visible_device_list=text)


@pytest.mark.gpus(4)
@pytest.mark.parametrize(
    ("counts", "wanted"),
    [
        ({"GPU": 0}, ["CPU:0"]),
        ({"GPU": 2}, ["CPU:0", "GPU:0", "GPU:1"]),
        ({"CPU": 3, "GPU": 0}, ["CPU:0", "CPU:1", "CPU:2"]),
    ],
)
def test_device_counts_hide_gpus_and_multiply_cpus(counts, wanted):
    assert names(tf1.Session(config=tf1.ConfigProto(device_count=counts))) == wanted


@pytest.mark.gpus(2, memory="1000MB")
def test_the_first_sessions_fraction_stays():
    for fraction in (0.4, 0.25):
        limits = [
            device.memory_limit_bytes
            for device in session(per_process_gpu_memory_fraction=fraction).list_devices()
        ]
        assert limits[1:] == [400 << 20] * 2


def places(of: Any, fetch: Any) -> dict[str, str]:
    """Where a session has placed the nodes of its graph."""
    of.run(fetch)
    placed: dict[str, str] = of.placements
    return placed


@pytest.mark.gpus(2)
def test_a_constant_follows_those_who_read_it_if_they_agree():
    a = tf1.constant(1.0, name="a")
    b = tf1.constant(2.0, name="b")
    with tf1.device("/gpu:1"):
        c = tf1.identity(a, name="c")
        d = tf1.identity(b, name="d")
    with tf1.device("/cpu:0"):
        e = tf1.identity(b, name="e")
    with tf1.Session() as one:
        found = places(one, [c, d, e])
    assert [found[name] for name in "abcde"] == ["GPU:1", "GPU:0", "GPU:1", "GPU:1", "CPU:0"]


@pytest.mark.gpus(2)
def test_an_assignment_stays_where_the_variable_is_without_soft_placement():
    with tf1.device("/cpu:0"):
        v = tf1.Variable([1.0, 2.0], name="v")
    with tf1.device("/gpu:1"):
        change = v.assign([3.0, 4.0], name="change", read_value=False)
        after = tf1.identity(v.value(), name="after")
    with tf1.Session() as one:
        one.run(v.initializer)
        found = places(one, [change, after])
    assert found[change.name] == "CPU:0"
    assert found["after"] == "GPU:1"
