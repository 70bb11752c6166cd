"""Loss scales and the optimizer of TF 1's mixed precision, as TensorFlow 2.21 has them."""

import math

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
mixed = v1.mixed_precision


def test_a_dynamic_scale_grows_and_shrinks():
    scale = mixed.DynamicLossScale(initial_loss_scale=4, increment_period=2, multiplier=2)
    found = []
    for good in [False, True, True, True, False, True, False, True, True, True, False]:
        _, is_taken = scale.update([tf.constant(1.0 if good else math.nan), None])
        assert bool(is_taken) == good
        found.append(float(scale()))
    assert found == [2, 2, 4, 4, 2, 2, 1, 1, 2, 2, 1]


def test_a_dynamic_scale_stays_finite_and_at_least_one():
    largest = float(tf.float32.max)
    scale = mixed.DynamicLossScale(initial_loss_scale=largest / 2, increment_period=1)
    found = []
    for _ in range(3):
        scale.update(tf.constant(1.0))
        found.append(float(scale()))
    assert found == [largest, largest, largest]
    small = mixed.DynamicLossScale(initial_loss_scale=1.5)
    small.update([tf.constant([1.0, math.inf])])
    assert float(small()) == 1.0


def test_scales_tell_what_they_are():
    assert repr(mixed.FixedLossScale(123)) == "FixedLossScale(123.0)"
    scale = mixed.DynamicLossScale(1, increment_period=2, multiplier=3)
    assert repr(scale) == (
        "DynamicLossScale(current_loss_scale=1.0, num_good_steps=0, initial_loss_scale=1.0, "
        "increment_period=2, multiplier=3.0)"
    )
    again = mixed.DynamicLossScale.from_config(scale.get_config())
    assert again.get_config() == scale.get_config()
    with pytest.raises(ValueError, match=r"loss_scale_value must be at least 1\."):
        mixed.FixedLossScale(0.5)


def in_graph(steps):
    """What a variable, the step and the scale are after each step, in a session."""
    with tf.Graph().as_default():
        factor = v1.placeholder(tf.float32, [])
        weights = v1.get_variable("w", initializer=[1.0, 2.0])
        count = v1.train.get_or_create_global_step()
        optimizer = mixed.enable_mixed_precision_graph_rewrite(
            v1.train.MomentumOptimizer(1.0, 1.0), mixed.DynamicLossScale(2, increment_period=1)
        )
        step = optimizer.minimize(tf.reduce_sum(weights * factor), global_step=count)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = []
            for value in steps:
                session.run(step, {factor: value})
                asked = session.run([weights, count, optimizer._loss_scale()])
                found.append([each.tolist() for each in asked])
    mixed.disable_mixed_precision_graph_rewrite()
    return found


def test_a_step_that_is_not_finite_is_left_out():
    assert in_graph([1.0, math.nan, 1.0]) == [
        [[0.0, 1.0], 1, 4.0], [[0.0, 1.0], 1, 2.0], [[-2.0, -1.0], 2, 4.0],
    ]  # fmt: skip


def test_eager_steps_are_those_of_a_graph():
    weights = tf.Variable([1.0, 2.0])
    optimizer = mixed.MixedPrecisionLossScaleOptimizer(
        v1.train.MomentumOptimizer(1.0, 1.0), mixed.DynamicLossScale(2, increment_period=1)
    )
    found = []
    for value in [1.0, math.nan, 1.0]:
        optimizer.minimize(lambda value=value: tf.reduce_sum(weights * value), var_list=[weights])
        found.append([weights.numpy().tolist(), float(optimizer._loss_scale())])
    assert found == [[weights_, scale] for weights_, _, scale in in_graph([1.0, math.nan, 1.0])]


@pytest.mark.gpus(2, memory="64MB")
def test_replicas_leave_out_a_step_together(tmp_path):
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    with strategy.scope():
        weights = tf.Variable([5.0])
        scale = mixed.DynamicLossScale(2, increment_period=1)
        optimizer = mixed.MixedPrecisionLossScaleOptimizer(
            v1.train.GradientDescentOptimizer(1.0), scale
        )

        def step(bad):
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            factor = tf.where(tf.logical_and(bad, tf.equal(number, 1)), math.nan, 1.0)
            return optimizer.minimize(lambda: weights * factor, var_list=[weights])

        found = []
        for bad in (False, True, False):
            strategy.run(step, args=(tf.constant(bad),))
            found.append((weights.numpy().tolist(), float(scale())))
    assert found == [([3.0], 4.0), ([3.0], 2.0), ([1.0], 4.0)]
    checkpoint = tf.train.Checkpoint(optimizer=optimizer)
    path = checkpoint.write(str(tmp_path / "ckpt"))
    scale.update(tf.constant(math.nan))
    checkpoint.read(path).assert_consumed()
    assert float(scale()) == 4.0


def test_only_optimizers_of_tf_1_are_wrapped_and_once():
    with pytest.raises(ValueError, match=r'"opt" must be an instance of a tf\.train\.Opt'):
        mixed.enable_mixed_precision_graph_rewrite(1)
    once = mixed.MixedPrecisionLossScaleOptimizer(v1.train.AdamOptimizer(), "dynamic")
    with pytest.raises(ValueError, match='"opt" must not already be an instance of a MixedPrec'):
        v1.train.experimental.enable_mixed_precision_graph_rewrite(once)
    with pytest.raises(ValueError, match="loss_scale cannot be None"):
        mixed.MixedPrecisionLossScaleOptimizer(v1.train.AdamOptimizer(), None)
    assert not tf.config.optimizer.get_experimental_options().get("auto_mixed_precision", False)
