"""A step of summaries that is a variable among a function's arguments, in the function and out of
it.
"""

import tensorboard.backend.event_processing.event_file_loader as loader

import emplace.tensorflow as tf


def _set_by_a_function(variable):
    @tf.function
    def set_step(step):
        tf.summary.experimental.set_step(step)
        return tf.constant(0)

    set_step(variable)


def test_it_is_the_variable():
    variable = tf.Variable(5, dtype=tf.int64)
    _set_by_a_function(variable)
    assert tf.summary.experimental.get_step() is variable


def test_another_function_reads_the_variable():
    variable = tf.Variable(5, dtype=tf.int64)
    _set_by_a_function(variable)
    after = tf.function(lambda: tf.summary.experimental.get_step() + 1)
    assert int(after()) == 6
    variable.assign(9)
    assert int(after()) == 10


def test_its_own_trace_reads_the_argument(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def write(step):
        with writer.as_default(step=step):
            tf.summary.write("tag", 1)
            return tf.summary.experimental.get_step() + 0

    steps = [int(write(tf.Variable(number, dtype=tf.int64))) for number in (3, 4)]
    writer.close()
    assert steps == [3, 4]
    (path,) = tmp_path.iterdir()
    events = [event for event in loader.EventFileLoader(str(path)).Load() if event.summary.value]
    assert [event.step for event in events] == [3, 4]
