"""What sessions are fed of sparse tensors, how constants are called, and what managers recover."""

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def types(graph):
    return [(each.name, each.type) for each in graph.get_operations()]


@pytest.mark.parametrize("make", [tf.constant, v1.constant])
def test_a_constant_that_is_filled_is_one_operation_of_its_name(make):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        filled = make(10.0, shape=[2, 3], name="W1")
        assert types(graph) == [("W1", "Const")]
        assert session.run(tf.identity(filled), {"W1:0": np.ones([2, 3])}).sum() == 6.0


def fed(placeholder, parts):
    with v1.Session() as session:
        return session.run(tf.identity(placeholder.dense_shape), {placeholder: parts}).tolist()


def test_a_sparse_placeholder_of_known_sizes_may_be_fed_without_them():
    with tf.Graph().as_default() as graph:
        known = v1.sparse_placeholder(tf.float32, [7, None], name="p")
        assert types(graph) == [
            ("p/shape_default", "Const"), ("p/shape", "PlaceholderWithDefault"),
            ("p/values", "Placeholder"), ("p/indices", "Placeholder"),
        ]  # fmt: skip
        places, values = np.zeros([1, 2], np.int64), np.ones([1], np.float32)
        assert fed(known, (places, values)) == [7, -1]
        assert fed(known, (places, values, [5, 6])) == [5, 6]
        with pytest.raises(ValueError, match="is fed with 3 parts, and here are 1"):
            fed(known, (places,))
        unknown = v1.sparse_placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"dtype int64 and shape \[\?\]"):
            fed(unknown, (places, values))


def test_a_partial_run_says_what_must_be_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        handle = session.partial_run_setup([x * 2.0], [])
        text = "You must feed a value for placeholder tensor 'x' with dtype float\n"
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.partial_run(handle, "mul:0")


def manager(**arguments):
    return v1.train.SessionManager(**arguments)


def test_a_manager_needs_what_it_is_ready_for():
    text = r"you must also pass a local_init_op , ready_for_local_init_op \[x\]"
    with pytest.raises(ValueError, match=text):
        manager(ready_for_local_init_op="x")


def test_local_variables_are_recovered_with_and_without_a_checkpoint(tmp_path):
    with tf.Graph().as_default() as graph:
        v = v1.Variable(1, name="v")
        w = v1.Variable(v, trainable=False, collections=[v1.GraphKeys.LOCAL_VARIABLES], name="w")
        missing = v1.report_uninitialized_variables(v1.global_variables())
        recovering = manager(
            ready_op=v1.report_uninitialized_variables(), ready_for_local_init_op=missing,
            local_init_op=w.initializer,
        )  # fmt: skip
        saver = v1.train.Saver({"v": v})
        session, is_there = recovering.recover_session(
            "", saver=saver, checkpoint_dir=str(tmp_path)
        )
        assert not is_there
        session.run(v.initializer)
        session.run(v.assign(7))
        saver.save(session, str(tmp_path / "model"))
        session, is_there = recovering.recover_session(
            "", saver=saver, checkpoint_dir=str(tmp_path)
        )
        assert is_there
        assert session.run([v, w]) == [7, 7]
        with tf.Graph().as_default():
            initialized = v1.is_variable_initialized(graph.get_tensor_by_name("w:0"))
        assert session.run(initialized)
        alone = manager(ready_op=missing, local_init_op=v1.variables_initializer([w]))
        session, is_there = alone.recover_session("", saver=saver)
        assert not is_there
        assert session.run(w) == 1


def test_a_manager_does_not_wait_beyond_its_deadline():
    with tf.Graph().as_default():
        v1.Variable(1)
        waiting = manager(ready_op=v1.report_uninitialized_variables(), recovery_wait_secs=30)
        with pytest.raises(tf.errors.DeadlineExceededError, match="not ready after waiting 3 secs"):
            waiting.wait_for_session("", max_wait_secs=3)
