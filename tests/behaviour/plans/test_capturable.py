"""Whether a CUDA graph could repeat a plan, and if not, which operation prevents it and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def explained(function: Callable[..., Any], *args: Any) -> Any:
    return emplace.explain(tf.function(function), *args)


def perceptron() -> tuple[Callable[..., Any], Any, Any]:
    """A training step by hand, and a batch."""
    layers = [tf.Variable(tf.ones(shape)) for shape in ([20, 16], [16], [16, 10], [10])]

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(x, layers[0]) + layers[1])
            logits = tf.matmul(hidden, layers[2]) + layers[3]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        for v, gradient in zip(layers, tape.gradient(loss, layers), strict=True):
            v.assign_sub(0.1 * gradient)
        return loss

    return step, tf.ones([8, 20]), tf.constant(np.arange(8) % 10)


def convolutional() -> tuple[Callable[..., Any], Any, Any]:
    kernel, dense = tf.Variable(tf.ones([3, 3, 1, 4]) / 9), tf.Variable(tf.ones([36, 10]) / 9)
    means = [tf.Variable(tf.zeros_like(v)) for v in (kernel, dense)]

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            maps = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME")), 2, 2, "VALID")
            logits = tf.matmul(tf.reshape(maps, [tf.shape(maps)[0], -1]), dense)
            loss = tf.reduce_mean(
                tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(y, 10), logits)
            )
        gradients = tape.gradient(loss, [kernel, dense])
        for v, mean, gradient in zip((kernel, dense), means, gradients, strict=True):
            mean.assign(0.9 * mean + gradient)
            v.assign_sub(0.01 * mean)
        return loss, tf.reduce_mean(tf.cast(tf.argmax(logits, 1) == y, tf.float32))

    return step, tf.ones([8, 6, 6, 1]), tf.constant(np.arange(8) % 10)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("make", [perceptron, convolutional])
def test_a_training_step_can_be_captured(make, strict, virtual_gpus) -> None:
    virtual_gpus(1, memory="1GB", strict=strict)
    step, *batch = make()
    found = explained(step, *batch)
    assert str(found).splitlines()[1] == "  capturable: yes"
    assert found.capturable
    assert found.to_dict()["capturable"] is True
    assert found.to_dict()["obstacles"] == []


def sparse_places(x):
    return tf.where(x > 1.0)


def branch(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x + 1.0, lambda: x - 1.0)


def until_large(x):
    return tf.while_loop(lambda x: tf.reduce_sum(x) < 99.0, lambda x: [x * 2.0], [x])[0]


def shape_of_values(x):
    return tf.zeros([tf.cast(tf.reduce_max(x), tf.int32)])


def on_the_host(x):
    with tf.device("/CPU:0"):
        return tf.reduce_sum(x)


def words(x):
    return tf.strings.length(tf.strings.as_string(x))


def calls_python(x):
    return tf.py_function(lambda x: x * 2.0, [x], tf.float32)


def seeded(x):
    return x + tf.random.uniform([3], seed=7)


def shuffled(x):
    return tf.random.shuffle(x)


def distinct(x):
    return tf.unique(tf.reshape(x, [-1]))[0]


WHY = {
    sparse_places: "makes the host wait: the size of the result depends on values",
    branch: "makes the host wait: its condition is read",
    until_large: "makes the host wait: its condition is read",
    shape_of_values: "makes the host wait: the value of",
    on_the_host: "runs on CPU:0, which a graph of a GPU would not repeat",
    words: "runs on CPU:0, which a graph of a GPU would not repeat",
    calls_python: "calls Python",
    seeded: "draws by a seed: where its numbers begin is counted on the host",
    shuffled: "draws other numbers in each call, by a key that the host makes",
    distinct: "makes the host wait: ",
}
OPS = {
    sparse_places: "Where", branch: "StatelessIf", until_large: "StatelessWhile",
    shape_of_values: "Fill", on_the_host: "Sum", words: "AsString", calls_python: "EagerPyFunc",
    seeded: "RandomUniform", shuffled: "RandomShuffle", distinct: "Unique",
}  # fmt: skip


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("program", WHY, ids=lambda program: program.__name__)
def test_what_prevents_it_is_named_with_the_reason_and_the_line(
    program, strict, virtual_gpus
) -> None:
    virtual_gpus(1, memory="1GB", strict=strict)
    found = explained(lambda x: program(x * 1.0), tf.constant(X))
    (told,) = found.to_dict()["obstacles"][:1]
    assert told["op"] == OPS[program]
    assert told["why"].startswith(WHY[program])
    number = int(told["line"].partition("test_capturable.py:")[2])
    first = program.__code__.co_firstlineno
    assert first < number <= first + 2
    line = str(found).splitlines()[1]
    assert line.startswith(
        f"  capturable: no: `{OPS[program]}` (test_capturable.py:{number}) {WHY[program]}"
    )


@pytest.mark.gpus(2)
def test_a_graph_is_of_one_gpu() -> None:
    def spread(x):
        with tf.device("/GPU:0"):
            y = x + 1.0
        with tf.device("/GPU:1"):
            return y * 2.0

    (only,) = explained(spread, tf.constant(X)).obstacles
    assert only.why == "runs on GPU:1, and a graph is of one GPU, here GPU:0"


@pytest.mark.gpus(1)
def test_a_step_that_takes_its_batch_from_a_dataset_names_the_dataset() -> None:
    batches = iter(tf.data.Dataset.from_tensors(X).repeat())
    found = explained(lambda batches: next(batches) * 2.0, batches)
    assert found.obstacles[0].text.endswith("takes the next element of a dataset, on the host")


@pytest.mark.gpus(1)
def test_numbers_of_a_gpus_own_generator_are_no_obstacle() -> None:
    assert explained(lambda x: x + tf.random.normal([3]), tf.constant(X)).capturable


@pytest.mark.gpus(1)
def test_a_branch_that_a_constant_decides_is_no_obstacle() -> None:
    program = tf.function(lambda x: tf.cond(tf.constant(True), lambda: x + 1, lambda: x - 1))
    assert emplace.explain(program, tf.constant(X)).capturable


def a_loop(x):
    for i in tf.range(3):
        x = x * 2.0 + tf.cast(i, tf.float32)
    return x


def a_loop_in_a_loop(x):
    for i in tf.range(2):
        for j in tf.range(3):
            if (i + j) % 2 == 0:
                x = x + x[:, : j + 1][:, :1]
    return x


def so_often(x, n):
    for _ in tf.range(n):
        x = x * 2.0
    return x


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("program", [a_loop, a_loop_in_a_loop])
def test_counters_of_which_the_host_knows_the_same_in_each_call_are_no_obstacle(
    program, strict, virtual_gpus
) -> None:
    virtual_gpus(1, memory="1GB", strict=strict)
    assert [each.text for each in explained(program, tf.constant(X)).obstacles] == []


@pytest.mark.gpus(1, strict=True)
def test_a_loop_whose_count_is_an_argument_is_another_in_each_call() -> None:
    (only,) = explained(so_often, tf.constant(X), tf.constant(3)).obstacles
    assert only.why == "decides by numbers that may be others in each call: its condition is read"


@pytest.mark.gpus(1)
def test_only_the_first_obstacle_is_told_in_text_and_how_many_more_there_are() -> None:
    found = explained(lambda x: (sparse_places(x), seeded(x), shuffled(x)), tf.constant(X))
    assert [each.op for each in found.obstacles] == ["Where", "RandomUniform", "RandomShuffle"]
    assert str(found).splitlines()[1].endswith("depends on values, and 2 more")


@pytest.mark.gpus(1)
def test_a_sessions_plan_says_it_too() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [2, 3])
        found = [emplace.explain(session, y, {x: X}) for y in (x * 2.0, tf1.where(x > 0.0))]
    assert [each.capturable for each in found] == [True, False]


@pytest.mark.gpus(0)
def test_a_plan_without_a_gpu_is_none_and_says_nothing_of_it_in_text() -> None:
    found = explained(lambda x: x * 2.0, tf.constant(X))
    assert not found.capturable
    assert found.obstacles[0].text == "nothing of it runs on a GPU"
    assert "capturable" not in str(found)
