"""What replicas in the host's memory do alike is done once for the rows of all: the same losses,
weights, results, errors and charges as each replica by itself gives.
"""

from __future__ import annotations

import functools
import gc
from collections import Counter

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.graph.plan.together import RUNS_BEFORE, Together

pytestmark = [
    pytest.mark.gpus(4, memory="64MB"),
    pytest.mark.not_strict(
        "strict GPUs have memories of their own: nothing is joined", sometimes=True
    ),
]
RANDOM = np.random.RandomState(0)
IMAGES = RANDOM.normal(size=(24, 6, 6, 2)).astype("float32")
LABELS = RANDOM.randint(0, 3, 24)
STEPS = 9
SHAPES = {"f1": (3, 3, 2, 4), "b1": (4,), "f2": (3, 3, 4, 4), "w": (36, 3), "b2": (3,)}


def bare(x, w):
    """Everything joins up to the loss."""
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w["f1"], 1, "SAME"), w["b1"]))
    x = tf.nn.max_pool2d(x, 2, 2, "VALID")
    x = tf.nn.tanh(tf.nn.conv2d(x, w["f2"], 1, "SAME"))
    return tf.matmul(tf.reshape(x, [x.shape[0], -1]), w["w"]) + w["b2"]


def normalised(x, w):
    """Moments are each replica's."""
    x = tf.nn.conv2d(x, w["f1"], 1, "SAME") + w["b1"]
    mean, variance = tf.nn.moments(x, [0, 1, 2])
    x = tf.nn.relu((x - mean) * tf.math.rsqrt(variance + 1e-3))
    x = tf.nn.avg_pool2d(x, 2, 2, "VALID")
    x = tf.nn.conv2d(x, w["f2"], 1, "SAME")
    return tf.matmul(tf.reshape(x, [-1, 36]), w["w"]) + w["b2"]


def numbered(x, w):
    """What depends on the replica, and rows that are turned round."""
    number = tf.distribute.get_replica_context().replica_id_in_sync_group
    x = tf.nn.conv2d(x * (1.0 + tf.cast(number, tf.float32)), w["f1"], 1, "SAME") + w["b1"]
    x = tf.reverse(tf.nn.relu(x), [0])[:, ::2, ::2]
    x = tf.nn.conv2d(x, w["f2"], 1, "SAME")
    return tf.matmul(tf.reshape(x, [-1, 36]), w["w"]) + w["b2"]


def single(x, w):
    """A product over the rows, which no other product may be joined with."""
    x = tf.reshape(x, [-1, 72])
    x = tf.matmul(tf.matmul(x, x, transpose_b=True), x)
    return tf.matmul(x[:, :36], w["w"]) + w["b2"]


def reshaped(x, w):
    """Biases as Keras adds them, and what looks at scores without a gradient."""
    bias = tf.squeeze(tf.reshape(w["b1"], [1, 1, 1, 4]), [0, 1, 2])
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w["f1"], 1, "SAME"), bias))
    x = tf.nn.tanh(tf.nn.conv2d(tf.nn.max_pool2d(x, 2, 2, "VALID"), w["f2"], 1, "SAME"))
    scores = tf.nn.bias_add(tf.matmul(tf.reshape(x, [x.shape[0], -1]), w["w"]), w["b2"])
    best = tf.argmax(tf.where(scores != scores, -1.0, scores), axis=-1)
    return scores + 0.01 * tf.cast(tf.expand_dims(best, -1), tf.float32)


MODELS = {each.__name__: each for each in (bare, normalised, numbered, single, reshaped)}
OPTIMIZERS = ("sgd", "momentum", "adam")


class Training:
    """Steps of a model on some replicas."""

    def __init__(self, model, count, optimizer="sgd", decay=0.0, returns_logits=False):
        self.strategy = tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])
        random = np.random.RandomState(1)
        v1 = tf.compat.v1.train
        with self.strategy.scope():
            self.w = {
                name: tf.Variable(random.normal(size=shape).astype("float32") * 0.2)
                for name, shape in SHAPES.items()
            }
            step_of = {
                "sgd": v1.GradientDescentOptimizer(0.05),
                "momentum": v1.MomentumOptimizer(0.05, 0.9),
                "adam": v1.AdamOptimizer(0.01),
            }[optimizer]
        rows = len(IMAGES) // count

        def part(context):
            mine = slice(*(rows * (context.replica_id_in_sync_group + i) for i in (0, 1)))
            return tf.constant(IMAGES[mine]), tf.constant(self.labels[mine])

        self.labels = LABELS.copy()
        self.part = part

        def replica(x, labels):
            used = [v for v in self.w.values() if model is not single or v.shape[-1] == 3]
            with tf.GradientTape() as tape:
                logits = model(x, self.w)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
                loss = tf.reduce_sum(losses) / len(IMAGES)
                total = loss + decay * tf.nn.l2_loss(self.w["w"]) / count
            gradients = tape.gradient(total, used)
            step_of.apply_gradients(list(zip(gradients, used, strict=True)))
            return (loss, logits) if returns_logits else loss

        self.step = tf.function(lambda x, labels: self.strategy.run(replica, args=(x, labels)))

    def run(self):
        given = self.strategy.experimental_distribute_values_from_function(self.part)
        return self.step(*given)

    def values(self):
        """The variables on each replica."""
        return {name: [x.numpy() for x in v.values] for name, v in self.w.items()}

    def losses(self, steps=STEPS):
        return [self.strategy.reduce("SUM", self.run(), axis=None).numpy() for _ in range(steps)]


@pytest.fixture
def joined_runs(monkeypatch):
    """The runs that did once what replicas do alike."""
    runs, run = [], Together.run

    def noted(self, plan, tensors):
        runs.append(plan)
        return run(self, plan, tensors)

    monkeypatch.setattr(Together, "run", noted)
    return runs


@pytest.fixture
def apart(monkeypatch):
    """Lets each replica work by itself, from when it is called."""
    return lambda: monkeypatch.setattr(Together, "ready", lambda self: None)


def assert_same_losses(found, expected):
    """A loss is the difference of scores, which are as large as the largest loss: it cannot be
    more exact than they are, however small it is itself.
    """
    noise = np.finfo(np.float32).eps * max(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=noise)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("count", [2, 3])
def test_weights_and_losses_are_those_of_replicas_by_themselves(model, count, joined_runs, apart):
    together = Training(MODELS[model], count, decay=0.01)
    losses = together.losses()
    assert len(joined_runs) > 1
    apart()
    alone = Training(MODELS[model], count, decay=0.01)
    ran = len(joined_runs)
    assert_same_losses(losses, alone.losses())
    assert len(joined_runs) == ran
    for name, values in together.values().items():
        assert all((each == values[0]).all() for each in values), name
        np.testing.assert_allclose(values[0], alone.values()[name][0], atol=1e-5, err_msg=name)
    assert losses[0] > losses[-1]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_what_optimizers_keep_stays_the_same(optimizer, joined_runs, apart):
    together = Training(bare, 2, optimizer)
    losses = together.losses()
    assert len(joined_runs) > 1
    apart()
    assert_same_losses(losses, Training(bare, 2, optimizer).losses())


def test_a_variable_that_differs_is_read_on_each_replica(joined_runs, apart):
    def disturbed():
        training = Training(bare, 2)
        first = training.losses()
        training.w["w"].values[1].assign(training.w["w"].values[1] * 1.5)
        ran = len(joined_runs)
        second = training.losses(2)
        assert len(joined_runs) == ran
        kept = training.values()
        training.w["w"].values[1].assign(training.w["w"].values[0])
        return [*first, *second, *training.losses(3)], kept, len(joined_runs) - ran

    losses, kept, again = disturbed()
    assert again == 3
    assert not np.allclose(*kept["w"])
    apart()
    expected, kept_apart, _ = disturbed()
    assert_same_losses(losses, expected)
    for name in kept:
        np.testing.assert_allclose(kept[name], kept_apart[name], atol=1e-5)


def test_a_step_of_adam_on_one_replica_is_seen(joined_runs):
    training = Training(bare, 2)
    training.losses()
    var = training.w["w"].values[1]
    with tf.device(var.device):
        m, v = tf.Variable(tf.zeros_like(var)), tf.Variable(tf.zeros_like(var))
    tf.raw_ops.ResourceApplyAdam(
        var=var.handle, m=m.handle, v=v.handle, beta1_power=0.5, beta2_power=0.5, lr=0.1,
        beta1=0.9, beta2=0.999, epsilon=1e-7, grad=tf.ones_like(var),
    )  # fmt: skip
    ran = len(joined_runs)
    assert ran
    training.losses(2)
    assert len(joined_runs) == ran
    assert not np.allclose(*training.values()["w"])


def test_variables_of_torch_s_inference_mode(joined_runs, apart):
    """Torch counts none of their changes, so they are compared."""

    def losses():
        with torch.inference_mode():
            return Training(bare, 2).losses()

    found = losses()
    assert joined_runs
    apart()
    assert_same_losses(found, losses())


def test_a_replica_s_results_are_its_own(joined_runs):
    training = Training(bare, 4, returns_logits=True)
    for _ in range(RUNS_BEFORE):
        training.run()
    ran = len(joined_runs)
    for _ in range(8):
        before = {name: values[0] for name, values in training.values().items()}
        _, logits = training.run()
        expected = bare(tf.constant(IMAGES), before).numpy()
        for i, each in enumerate(logits.values):
            assert each.device.endswith(f"GPU:{i}")
            assert each._value.untyped_storage().nbytes() == each._value.nbytes
        np.testing.assert_allclose(np.concatenate(logits.values), expected, atol=1e-5)
    assert len(joined_runs) > ran


def test_devices_are_charged_what_replicas_by_themselves_are(joined_runs, apart):
    def in_use():
        return [tf.config.experimental.get_memory_info(f"GPU:{i}")["current"] for i in range(4)]

    def taken():
        gc.collect()
        before = in_use()
        training = Training(bare, 4, "momentum", returns_logits=True)
        held = [training.run() for _ in range(STEPS)]
        assert len(held) == STEPS
        return [now - then for now, then in zip(in_use(), before, strict=True)]

    taken()  # what a program keeps of its first strategy
    ran = len(joined_runs)
    found = taken()
    assert len(joined_runs) > ran
    apart()
    assert found == taken()
    assert min(found) > 0


def test_an_error_tells_of_one_replica_s_values(joined_runs):
    training = Training(bare, 2)
    training.losses()
    assert joined_runs
    training.labels[-1] = 7
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        training.run()
    assert "label value of 7 which is outside the valid range of [0, 3)" in str(caught.value)
    own = " ".join(str(each) for each in training.labels[12:])
    assert f"Label values: {own}" in str(caught.value)
    training.labels[-1] = 0
    ran = len(joined_runs)
    assert np.isfinite(training.losses(3)).all()
    assert len(joined_runs) == ran + 3


def records(runs):
    """How often each operation stands in the plan that ran last."""
    return Counter(step.operation.record.name for step in runs[-1].steps)


def test_a_change_that_all_replicas_make_is_made_once(joined_runs):
    training = Training(reshaped, 4, "momentum")
    training.losses()
    found = records(joined_runs)
    assert found["ResourceApplyMomentum"] == len(SHAPES)
    assert found["ReplicaFollow"] == 1
    # So are losses, of which only the sums are each replica's, and gradients of biases.
    assert found["ReplicaSparseSoftmaxCrossEntropyWithLogits"] == 1
    assert found["BiasAddGrad"] + found["Sum"] == len([n for n in SHAPES if n[0] == "b"]) + 4
    assert "SparseSoftmaxCrossEntropyWithLogits" not in found


class Steps:
    """A product whose weight two replicas change, and what else a step does."""

    def __init__(self, step):
        self.strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
        with self.strategy.scope():
            self.w = tf.Variable(np.eye(8, dtype="float32"))
            self.b = tf.Variable(tf.zeros([8]))
        step = functools.partial(step, self)
        self.step = tf.function(lambda x, *more: self.strategy.run(step, args=(x, *more)))
        x = np.random.RandomState(2).normal(size=(2, 4, 8)).astype("float32")
        self.x = self.strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(x[context.replica_id_in_sync_group])
        )

    def learn(self, x, change):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.matmul(x, self.w) ** 2 + self.b)
        context = tf.distribute.get_replica_context()
        gradients = context.all_reduce("SUM", tape.gradient(loss, [self.w, self.b]))
        context.merge_call(change, args=gradients)

    def change(self, strategy, for_w, for_b):
        for v, gradient in ((self.w, for_w), (self.b, for_b)):
            strategy.extended.update(v, lambda v, g: v.assign_sub(1e-3 * g), args=(gradient,))

    def values(self):
        return [[x.numpy() for x in v.values] for v in (self.w, self.b)]


def test_a_variable_that_a_replica_reads_between_changes_is_its_own(joined_runs, apart):
    def step(self, x):
        self.learn(x, self.change)
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        seen = tf.reduce_sum(self.w.read_value() * (1.0 + tf.cast(number, tf.float32)))
        self.learn(x, self.change)
        return seen, self.b.read_value()

    def told():
        steps = Steps(step)
        found = [steps.step(steps.x) for _ in range(STEPS)]
        return [[each.numpy() for each in pair.values] for made in found for pair in made], steps

    found, together = told()
    assert joined_runs
    apart()
    expected, alone = told()
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    np.testing.assert_allclose(together.values()[0], alone.values()[0], rtol=1e-5)
    assert all((each[0] == each[1]).all() for each in together.values())


def test_an_interrupted_step_leaves_replicas_the_same(monkeypatch):
    training, run = Training(bare, 2), Together.run
    training.losses()

    def interrupted(tensors):
        training.w["w"].values[0].assign_add(tf.ones([36, 3]))
        raise KeyboardInterrupt

    monkeypatch.setattr(
        Together, "run", lambda self, plan, tensors: run(self, interrupted, tensors)
    )
    before = training.values()["w"][0]
    with pytest.raises(KeyboardInterrupt):
        training.run()
    for each in training.values()["w"]:
        np.testing.assert_allclose(each, before + 1.0, rtol=1e-6)


def test_who_holds_a_replica_s_value_keeps_it(joined_runs):
    training = Training(bare, 2)
    training.losses()
    held = [v.values[1].read_value() for v in training.w.values()]
    before = [each.numpy().copy() for each in held]
    ran = len(joined_runs)
    training.losses(2)
    assert len(joined_runs) == ran + 2
    for now, then, values in zip(held, before, training.values().values(), strict=True):
        assert (now.numpy() == then).all()
        assert (values[0] == values[1]).all()
        assert not (values[1] == then).all()
