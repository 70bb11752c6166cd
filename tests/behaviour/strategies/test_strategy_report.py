"""`strategy.report`: what replicas do, measured; its text from figures that are given."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.core.events import observed_by
from emplace.distribute.analysis.device_times import Share, Shares
from emplace.distribute.analysis.measuring import measure
from emplace.distribute.analysis.scaling import StrategyReport, Timing

FULL = "/job:localhost/replica:0/task:0/device:"


def share(index, compute, copy=0.0, reduce=0.0):
    return Share(f"{FULL}GPU:{index}", compute, copy, reduce)


def timing(rows, many, one):
    return Timing(rows, [many * 1.1, many, many * 3], [one, one * 2, one * 1.01])


def test_the_report_shows_replicas_scaling_and_what_pays():
    report = StrategyReport(
        [share(0, 0.040, 0.0, 0.002), share(1, 0.038, 0.003, 0.001)],
        timing(64, 0.050, 0.080), timing(32, 0.030, 0.042),
    )  # fmt: skip
    assert str(report).splitlines() == [
        "2 replicas, batches of 64: 50.00 ms a step, 80.00 ms on GPU:0 alone",
        "replica       compute       copy     reduce       idle",
        "GPU:0        40.00 ms     0.0 us    2.00 ms    8.00 ms",
        "GPU:1        38.00 ms    3.00 ms    1.00 ms    8.00 ms",
        "scaling: 1.60 times one device, 80% of what 2 could be",
        "held back by what is no kernel and no copy, such as Python between them: 16% of a step",
        "more replicas pay from batches of 11 on: a step takes 10.00 ms + 625.0 us an example, on "
        "one device 4.00 ms + 1.19 ms",
    ]
    assert (report.speedup, report.scaling) == pytest.approx((1.6, 0.8))
    assert report.to_dict()["pays_from"] == 11


@pytest.mark.parametrize(
    ("shares", "is_shared", "text"),
    [
        (
            [share(0, 0.04), share(1, 0.04)],
            True,
            "replicas share one processor and run in turn: 40%",
        ),
        (
            [share(0, 0.01, 0.04), share(1, 0.01, 0.02, 0.06)],
            False,
            "copies and reductions: 60% of",
        ),
        (
            [share(0, 0.09), share(1, 0.01)],
            False,
            "GPU:0 computes longer than the others: 40% of a",
        ),
        (
            [share(0, 0.01), share(1, 0.01)],
            False,
            "what is no kernel and no copy, such as Python be",
        ),
        (
            [share(0, 0.01), share(1, 0.01)],
            True,
            "what is no kernel and no copy, such as Python bet",
        ),
    ],
)
def test_what_takes_most_is_what_holds_back(shares, is_shared, text):
    report = StrategyReport(shares, timing(8, 0.1, 0.1), is_shared=is_shared)
    assert report.held_back_by.startswith(text), report.held_back_by


@pytest.mark.parametrize(
    ("half", "whole", "pays", "text"),
    [
        # (all replicas, one device) for 32 and for 64 examples
        (
            (0.030, 0.042),
            (0.050, 0.080),
            11,
            "more replicas pay from batches of 11 on: a step takes",
        ),
        (
            (0.052, 0.042),
            (0.092, 0.080),
            math.inf,
            "more replicas pay at no batch size: a step takes",
        ),
        ((0.020, 0.042), (0.040, 0.080), 1, "more replicas pay from batches of 1 on"),
        (
            (0.050, 0.042),
            (0.051, 0.080),
            None,
            "cannot be told: batches of 32 and of 64 take the s",
        ),
        (
            (0.050, 0.079),
            (0.080, 0.080),
            None,
            "cannot be told: batches of 32 and of 64 take the s",
        ),
    ],
)
def test_the_batch_from_which_replicas_pay_is_from_measured_costs(half, whole, pays, text):
    report = StrategyReport([share(0, 0.01), share(1, 0.01)], timing(64, *whole), timing(32, *half))
    assert report.pays_from == pays
    assert text in str(report)


def test_times_that_vary_tell_no_costs():
    noisy = Timing(64, [0.02, 0.05, 0.09, 0.09], [0.08] * 4)
    report = StrategyReport([share(0, 0.01), share(1, 0.01)], noisy, timing(32, 0.03, 0.042))
    assert report.pays_from is None


def test_a_batch_that_is_too_small_to_be_halved_tells_no_costs():
    report = StrategyReport([share(0, 0.01), share(1, 0.01)], timing(3, 0.1, 0.1))
    assert report.pays_from is None
    assert "the batch is too small to be halved, give one of at least 2 examples" in str(report)


# -- measuring -------------------------------------------------------------------------------------


@pytest.fixture
def program():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        w = tf.Variable(tf.ones([8, 1]))

    def step(x, y):
        with tf.GradientTape() as tape:
            errors = tf.reduce_sum(tf.square(tf.matmul(x, w) - y), axis=1)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=16)
        total = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, w))
        w.assign_sub(0.1 * total)
        return loss

    return strategy, w, step


def batches(rows=16):
    random = np.random.RandomState(0)
    x, y = random.rand(rows, 8).astype("float32"), random.rand(rows, 1).astype("float32")
    return tf.data.Dataset.from_tensors((x, y))


@pytest.mark.gpus(2, memory="64MB")
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_a_report_measures_and_leaves_all_as_it_was(program, as_function):
    strategy, w, step = program
    report = strategy.report(tf.function(step) if as_function else step, batches(), steps=2)
    assert [v.numpy().tolist() for v in w.values] == [[[1.0]] * 8] * 2
    found = report.to_dict()
    assert [each["device"] for each in found["replicas"]] == [f"{FULL}GPU:{i}" for i in range(2)]
    for each in found["replicas"]:
        assert each["compute"] > 0
        assert min(each["copy"], each["reduce"], each["idle"]) >= 0
    assert sum(each["reduce"] for each in found["replicas"]) > 0
    assert (found["batch"], report.half.rows, report.is_shared) == (16, 8, True)
    assert found["seconds"] > 0
    assert found["speedup"] == pytest.approx(found["seconds_of_one_device"] / found["seconds"])
    assert len(str(report).splitlines()) == 7


@pytest.mark.gpus(2, memory="64MB")
def test_times_are_those_of_the_clock(program):
    strategy, _, step = program
    clock = itertools.count().__next__  # a second later whenever somebody looks
    report = measure(strategy, tf.function(step), batches(), 3, True, lambda: float(clock()))
    assert report.whole == Timing(16, [1.0] * 3, [1.0] * 3)
    assert report.half == Timing(8, [1.0] * 3, [1.0] * 3)
    assert (report.speedup, report.pays_from) == (1.0, None)


@pytest.mark.gpus(3, memory="64MB")
def test_computing_copying_and_reducing_are_told_apart():
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    seen = Shares(strategy.replica_devices)
    with tf.device("GPU:0"):
        x = tf.ones([1000])
    with tf.device("GPU:2"):
        other = tf.ones([1000])
    with observed_by(seen):
        with tf.device("GPU:1"):
            tf.identity(x)  # copied from the other replica
        assert (seen.shares[1].compute, seen.shares[1].reduce) == (0.0, 0.0)
        assert seen.shares[1].copy > 0
        with tf.device("GPU:1"):
            x + x  # of another replica's value
        assert seen.shares[1].compute == 0.0
        assert seen.shares[1].reduce > 0
        with tf.device("GPU:0"):
            x + other
        assert seen.shares[0].compute > 0
        assert seen.shares[0].copy > 0


@pytest.mark.gpus(2, memory="64MB")
def test_a_report_refuses_what_it_cannot_measure(program):
    strategy, _, step = program
    with pytest.raises(ValueError, match="report got no data: give it at least one batch"):
        strategy.report(step, [])
    with pytest.raises(TypeError, match=r"report takes a tf.data.Dataset of batches, or a list"):
        strategy.report(step, 3)
    with pytest.raises(ValueError, match="has one replica: there is nothing to compare it with"):
        tf.distribute.MirroredStrategy(["GPU:0"]).report(step, batches())
    with pytest.raises(ValueError, match="report takes at least 1 step"):
        strategy.report(step, batches(), steps=0)
