"""`emplace.explain` of functions and sessions: what runs, where, why, what is copied."""

from __future__ import annotations

import pytest

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1


@pytest.mark.gpus(2)
def test_a_functions_plan_is_shown_with_reasons_copies_and_bytes():
    @tf.function
    def towers(x):
        with tf.device("/GPU:1"):
            y = tf.matmul(x, x)
        with tf.device("/CPU:0"):
            return tf.reduce_sum(y)

    found = emplace.explain(towers, tf.ones([4, 4]))
    matmul, total = found.steps
    assert (matmul.name, matmul.device, matmul.nbytes) == ("MatMul", "GPU:1", 64)
    assert matmul.reason == "the program asked for this device"
    assert total.copies == (("MatMul:0", "GPU:1", 64),)
    assert "test_explain_plans.py" in total.line
    text = str(found)
    assert "function towers: 2 operations, 2 copies between devices, 128 B" in text
    assert "copies MatMul:0 from GPU:1, 64 B" in text


def test_a_plan_shows_its_own_source():
    function = tf.function(lambda x: x + 1.0)
    assert emplace.explain(function, tf.constant(1.0)).source.startswith("def plan(a0):\n")


def test_branches_and_loops_are_shown_one_step_further_in():
    @tf.function
    def branched(x):
        return tf.cond(x > 0.0, lambda: tf.sin(x), lambda: tf.cos(x))

    steps = emplace.explain(branched, tf.constant(1.0)).steps
    assert [(step.op, step.depth) for step in steps] == [("Greater", 0), ("Sin", 1), ("Cos", 1)]


@pytest.mark.gpus(1)
def test_a_sessions_plan_is_shown_before_anything_runs():
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [2], name="x")
        y = tf1.multiply(x, 2.0, name="y")
        found = emplace.explain(session, y, {x: [1.0, 2.0]})
    assert [step.name for step in found.steps] == ["y"]
    assert found.steps[0].copies == (("x:0", "CPU:0", 8),)
    assert found.to_dict()["steps"][0]["copies"] == [{"input": "x:0", "from": "CPU:0", "bytes": 8}]


def test_what_cannot_be_explained_is_named():
    with pytest.raises(TypeError, match=r"a tf\.function or a session"):
        emplace.explain(3)


def here_and_there(x, words):
    """Ops that get the device they ask for, lack a kernel there, or ask for none."""
    with tf.device("/GPU:1"):
        made = [tf.strings.length(words), x + 1.0]
    with tf.device("/GPU:7"):
        made += [x * 2.0]
    return [*made, tf.strings.upper(words), tf.reduce_sum(x)]


REASONS = {
    "StringLength": "the program asked for GPU:1, but StringLength has no GPU kernel for string",
    "AddV2": "the program asked for this device",
    "Mul": "the program asked for GPU:7, which does not exist; soft placement is on",
    "StringUpper": "no device was asked for, and StringUpper has no GPU kernel for string",
    "Sum": "no device was asked for; Sum has a GPU kernel, and GPUs go before CPUs",
}


@pytest.fixture
def soft():
    tf.config.set_soft_device_placement(True)


@pytest.mark.gpus(2)
def test_a_function_has_the_reasons_of_eager_mode(soft):
    given = tf.constant([1.0, 2.0]), tf.constant(["a", "b"])
    for x in here_and_there(*given):
        found = emplace.explain(x)
        assert (found.op, found.reason) == (found.op, REASONS[found.op])
    unknown = [tf.TensorSpec([None]), tf.TensorSpec([None], tf.string)]
    for signature in (None, unknown):
        function = tf.function(here_and_there, input_signature=signature)
        steps = emplace.explain(function, *given).steps
        assert {step.op: step.reason for step in steps} == REASONS
        results = [emplace.explain(x) for x in function(*given)]
        assert {found.op: found.reason for found in results} == REASONS


@pytest.mark.gpus(2)
@pytest.mark.parametrize("size", [2, None])
def test_a_session_has_the_reasons_of_eager_mode(size):
    config = tf1.ConfigProto(allow_soft_placement=True)
    with tf1.Graph().as_default(), tf1.Session(config=config) as session:
        x, words = tf1.placeholder(tf.float32, [size]), tf1.placeholder(tf.string, [size])
        fetches = here_and_there(x, words)
        feeds = {x: [1.0, 2.0], words: ["a", "b"]}
        steps = emplace.explain(session, fetches, feeds).steps
        assert {step.op: step.reason for step in steps} == REASONS
        with emplace.watch() as watched:
            session.run(fetches, feeds)
    told = {row["op"]: row["reason"] for row in watched.report().to_dict()["fallbacks"]}
    assert told == {op: REASONS[op] for op in ("StringLength", "Mul", "StringUpper")}


@pytest.mark.gpus(2)
def test_a_device_scope_around_a_call_is_what_the_program_asks_for(soft):
    function = tf.function(lambda x, words: (x + 1.0, tf.strings.length(words)))
    given = tf.constant([1.0, 2.0]), tf.constant(["a", "b"])
    with tf.device("/GPU:1"):
        steps = emplace.explain(function, *given).steps
    assert {step.op: step.reason for step in steps} == {
        op: REASONS[op] for op in ("AddV2", "StringLength")
    }
    with tf.device("/GPU:7"):
        assert "GPU:7, which does not exist" in emplace.explain(function, *given).steps[0].reason


@pytest.mark.gpus(1)
def test_a_constant_that_a_function_returns_was_there_already():
    (constant,) = tf.function(lambda: [tf.constant([1.0, 2.0])])()
    assert "a constant under the host's scope or of a function" in emplace.explain(constant).reason


@tf.function
def sizes_of_what_is_left(x):
    left = tf.boolean_mask(x, x > 1.0)
    return tf.shape(left), tf.size(left), tf.shape(tf.unique(left)[0])


@pytest.mark.gpus(1)
def test_nothing_is_copied_to_ask_for_a_shape():
    x = tf.constant([1.0, 2.0, 3.0])
    with emplace.testing.assert_no_copies():
        found = sizes_of_what_is_left(x)
    assert [value.numpy().tolist() for value in found] == [[2], 2, [2]]
    assert "nothing is copied between devices" in str(emplace.explain(sizes_of_what_is_left, x))


@pytest.mark.gpus(1)
def test_the_sum_of_copies_says_where_sizes_are_not_known():
    @tf.function
    def moved(x):
        left = tf.boolean_mask(x, x > 1.0)
        with tf.device("/CPU:0"):
            return left + 1.0, left * 2.0

    @tf.function
    def moved_with_more(x):
        found = moved(x)
        with tf.device("/CPU:0"):
            return *found, x - 1.0

    x = tf.constant([1.0, 2.0, 3.0])
    head = "2 copies between devices, of sizes that are known when it runs\n"
    assert head in str(emplace.explain(moved, x))
    assert "copies between devices, 12 B and more\n" in str(emplace.explain(moved_with_more, x))
