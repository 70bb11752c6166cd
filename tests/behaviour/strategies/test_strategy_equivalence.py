"""`strategy.check_equivalence` says whether replicas learn what one device learns, finds the faults
that programs have, and leaves everything as it was.
"""

from __future__ import annotations

import doctest
import random

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace import runtime

v1 = tf.compat.v1
pytestmark = pytest.mark.gpus(4, memory="64MB")
SUM = tf.VariableAggregation.SUM
RANDOM = np.random.RandomState(0)
X = RANDOM.normal(size=(22, 3)).astype("float32")
Y = RANDOM.normal(size=(22, 1)).astype("float32")


def data(batch=8):
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch)


class Program:
    """A linear model, its optimizer, and steps, right and wrong."""

    def __init__(self, count=3, optimizer=None):
        self.strategy = tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])
        with self.strategy.scope():
            self.w = tf.Variable([[0.5], [-0.3], [0.1]], name="w")
            self.b = tf.Variable([0.0], name="b")
            self.seen = tf.Variable(
                0.0, name="seen", synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=SUM,
            )  # fmt: skip
        self.optimizer = optimizer or v1.train.GradientDescentOptimizer(0.1)

    def errors(self, x, y):
        return tf.reduce_sum(tf.square(tf.matmul(x, self.w) + self.b - y), axis=1)

    def learn(self, tape, loss):
        variables = [self.w, self.b]
        pairs = zip(tape.gradient(loss, variables), variables, strict=True)
        self.optimizer.apply_gradients(list(pairs))
        return loss

    def right(self, x, y):
        with tf.GradientTape() as tape:
            sizes = tf.distribute.get_replica_context().all_reduce("SUM", tf.shape(x)[0])
            loss = tf.nn.compute_average_loss(self.errors(x, y), global_batch_size=sizes)
        self.seen.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
        return self.learn(tape, loss)

    def check(self, step, *more, **options):
        return self.strategy.check_equivalence(step, *(more or (data(),)), **options)


@pytest.mark.parametrize("optimizer", ["GradientDescent", "Momentum", "Adam"])
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_a_right_step_is_equivalent_and_says_what_was_compared(optimizer, as_function):
    given = (0.1, 0.9) if optimizer == "Momentum" else (0.1,)
    program = Program(3, getattr(v1.train, f"{optimizer}Optimizer")(*given))
    step = tf.function(program.right) if as_function else program.right
    found = program.check(step)
    assert found, found
    assert (found.steps, found.num_losses, found.largest[0] < 1e-5) == (3, 1, True)
    first, second = str(found).splitlines()
    assert first.startswith("equivalent: 3 steps on 3 replicas and on GPU:0 alone agree in 1 loss")
    assert second.startswith("the largest difference is ")
    assert found.num_variables == {"GradientDescent": 3, "Momentum": 5, "Adam": 9}[optimizer]


def test_a_step_for_all_replicas_calls_run_itself():
    program = Program()

    @tf.function
    def step(batch):
        return program.strategy.reduce(
            "SUM", program.strategy.run(program.right, args=batch), axis=None
        )

    assert program.check(step, in_replicas=False)


def test_a_step_takes_a_batch_as_it_is_or_in_parts():
    program = Program()
    assert program.check(lambda batch: program.right(*batch))
    assert program.check(program.right, [(X[:5], Y[:5]), (X[5:7], Y[5:7])]).steps == 2


def test_rows_that_replicas_return_are_put_together():
    program = Program()
    found = program.check(program.errors)
    assert (bool(found), found.num_losses) == (True, 1)


def test_a_value_that_all_replicas_have_is_that_of_the_whole():
    program = Program()

    def step(x, y):
        return tf.distribute.get_replica_context().all_reduce("SUM", tf.reduce_sum(x))

    assert program.check(step)


def test_the_example_of_its_documentation_runs(monkeypatch):
    runtime.reset(virtual=True)
    method = tf.distribute.MirroredStrategy.check_equivalence
    (example,) = doctest.DocTestFinder().find(method, "check_equivalence", globs={})
    assert len(example.examples) == 8
    assert doctest.DocTestRunner().run(example).failed == 0


# -- planted faults --------------------------------------------------------------------------------


def test_a_loss_that_each_replica_averages_is_found():
    program = Program(4)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(program.errors(x, y))
        return program.learn(tape, loss)

    found = program.check(step)
    assert not found
    assert (found.steps, found.first_variable) == (1, "w:0")
    lines = str(found).splitlines()
    assert (
        lines[0] == "not equivalent: step 0 on 4 replicas and on GPU:0 alone gives something else"
    )
    assert lines[1].startswith("  the loss differs by ")
    assert lines[2].startswith("  the first variable: w:0 differs by ")
    assert lines[3] == "  of 2 variables 2 differ"
    assert lines[4].startswith("  perhaps: the loss is about 4 times that of one device: divide by")


def test_only_the_last_short_batch_tells_a_size_that_is_fixed():
    program = Program(2)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(program.errors(x, y)) / 2.0
        return program.learn(tape, loss)

    def alone(x, y):
        with tf.GradientTape() as tape:
            count = tf.distribute.get_strategy().num_replicas_in_sync
            loss = tf.reduce_mean(program.errors(x, y)) / count
        return program.learn(tape, loss)

    found = program.check(alone, data(7))  # parts of 4 and 3 examples
    assert (found.steps, found.first_variable) == (1, "w:0")
    found = program.check(alone, data(4))  # 2 and 2, and of the last 2 one each
    assert found
    assert not program.check(step)


def test_moments_of_each_replicas_part_are_found():
    program = Program(2)
    with program.strategy.scope():
        mean = tf.Variable(tf.zeros([3]), name="norm/moving_mean", trainable=False,
                           aggregation=tf.VariableAggregation.MEAN)  # fmt: skip

    def step(x, y):
        center, spread = tf.nn.moments(x, axes=[0])
        mean.assign_sub(0.5 * (mean - center))
        return program.right((x - center) * tf.math.rsqrt(spread + 1e-3), y)

    found = program.check(step)
    assert found.first_variable in ("norm/moving_mean:0", "w:0")
    assert not found


def test_an_aggregation_that_leaves_replicas_out_is_found_by_name():
    program = Program(2)
    with program.strategy.scope():
        total = tf.Variable(0.0, name="total", trainable=False,
                            aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)  # fmt: skip

    def step(x, y):
        total.assign_add(tf.reduce_sum(x))

    found = program.check(step)
    assert (found.first_variable, found.steps, found.num_losses) == ("total:0", 1, 0)
    assert "total:0 has the aggregation ONLY_FIRST_REPLICA: what the other replicas" in str(found)


def test_a_variable_without_aggregation_is_found_where_its_components_part():
    program = Program(2)
    with program.strategy.scope():
        last = tf.Variable(0.0, name="last", trainable=False)

    def step(x, y):
        last.assign(tf.reduce_sum(x))

    found = program.check(step)
    assert found.first_variable == "last:0"
    assert "last:0 has no aggregation: each replica's component is its own" in str(found)


@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_dropout_with_seeds_of_replicas_is_found(as_function):
    program = Program(2)
    tf.random.set_seed(1)

    def step(x, y):
        return program.right(tf.nn.dropout(x, 0.5), y)

    found = program.check(tf.function(step) if as_function else step)
    assert not found
    assert "the step draws random numbers (" in str(found)
    assert "test_strategy_equivalence.py:" in str(found)


def test_a_variable_of_no_strategy_is_changed_by_each_replica():
    program, count = Program(2), tf.Variable(0, name="count")

    def step(x, y):
        count.assign_add(1)

    found = program.check(step)
    assert found.first_variable == "count"
    assert found.differences[0].gap[:4] == (1.0, 1.0, 2.0, 1.0)


def test_what_is_no_number_is_a_difference():
    program = Program(2)
    found = program.check(lambda x, y: tf.constant(float("nan")) * tf.reduce_sum(x))
    assert not found
    assert "the loss differs by nan" in str(found)


def test_a_tolerance_decides():
    program = Program(2)
    step = tf.function(lambda x, y: tf.reduce_sum(x) * 1e-3 + 1.0)
    assert not program.check(step, tolerance=0.5)
    assert program.check(step, tolerance=1.5)


# -- everything is as it was -----------------------------------------------------------------------


def test_variables_and_slots_are_as_they_were():
    program = Program(3, v1.train.AdamOptimizer(0.1))
    assert program.check(program.right, steps=2)  # makes the slots
    x, y = next(iter(program.strategy.experimental_distribute_dataset(data())))
    program.strategy.run(program.right, args=(x, y))
    names = [program.w, program.b, program.seen, *program.optimizer.variables()]
    before = [[each.numpy().tolist() for each in v.values] for v in names]
    other = Program(3, v1.train.AdamOptimizer(0.1))
    other.strategy.run(other.right, args=(x, y))
    names_there = [other.w, other.b, other.seen, *other.optimizer.variables()]
    assert before == [[each.numpy().tolist() for each in v.values] for v in names_there]
    program.check(program.right)
    assert [[each.numpy().tolist() for each in v.values] for v in names] == before


def test_random_numbers_and_shuffles_go_on_as_if_nothing_had_been():
    def drawn(checks):
        tf.random.set_seed(3)
        random.seed(3)
        np.random.seed(3)
        program, generator = Program(2), tf.random.Generator.from_seed(1)
        shuffled = data(1).shuffle(22, seed=5).batch(4)
        noise = tf.function(lambda: tf.random.normal([2]))
        first = [noise(), *[x for x, _ in shuffled.take(1)]]

        def step(x, y):
            generator.normal([2]), noise(), random.random(), np.random.rand()
            return tf.reduce_sum(tf.random.normal([2])) * 0.0 + tf.reduce_sum(x)

        if checks:
            assert program.check(step, shuffled)
        after = [generator.normal([2]), noise(), tf.random.normal([2]), np.random.rand()]
        after += [x for x, _ in shuffled.take(1)]
        return [np.asarray(each).tolist() for each in first + after] + [random.random()]

    assert drawn(True) == drawn(False)


def test_an_error_of_a_step_leaves_all_as_it_was():
    program = Program(2)

    def step(x, y):
        program.w.assign_add(tf.ones([3, 1]))
        if program.strategy.num_replicas_in_sync == 1:
            raise KeyError("oops")

    with program.strategy.scope():
        program.w = tf.Variable([[1.0], [1.0], [1.0]], aggregation=SUM)
    with pytest.raises(KeyError, match="oops"):
        program.check(step)
    assert program.strategy.num_replicas_in_sync == 2
    assert [each.numpy().tolist() for each in program.w.values] == [[[1.0]] * 3] * 2


def test_functions_keep_the_traces_that_they_have():
    program, traces = Program(2), []

    @tf.function
    def step(x, y):
        traces.append(tf.distribute.get_strategy().num_replicas_in_sync)
        return program.right(x, y)

    x, y = next(iter(program.strategy.experimental_distribute_dataset(data())))
    program.strategy.run(step, args=(x, y))
    assert program.check(step)
    program.strategy.run(step, args=(x, y))
    assert traces.count(1) == 2  # batches of 8 and of 6 examples
    assert traces[-1] == 1


# -- what cannot be compared -----------------------------------------------------------------------


def test_one_replica_has_nothing_to_be_compared_with():
    for strategy in (
        tf.distribute.MirroredStrategy(["GPU:0"]), tf.distribute.OneDeviceStrategy("GPU:0"),
        tf.distribute.get_strategy(),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="has one replica: there is nothing to compare it wi"):
            strategy.check_equivalence(lambda x: x, data())


@pytest.mark.parametrize(
    ("step", "given", "options", "kind", "text"),
    [
        (3, None, {}, TypeError, "takes a function as step: got 3"),
        (
            len,
            3,
            {},
            TypeError,
            "takes a tf.data.Dataset of batches, or a list of batches: got int",
        ),
        (len, [], {}, ValueError, "got no data: give it at least one batch"),
        (len, None, {"steps": 0}, ValueError, "at least 1 step and a tolerance"),
        (len, None, {"tolerance": -1.0}, ValueError, "at least 1 step and a tolerance"),
    ],
)
def test_what_is_no_step_and_no_data_is_refused(step, given, options, kind, text):
    program = Program(2)
    with pytest.raises(kind, match=text):
        program.check(step, data() if given is None else given, **options)


def test_a_distributed_dataset_is_refused():
    program = Program(2)
    made = program.strategy.experimental_distribute_dataset(data())
    with pytest.raises(TypeError, match="takes the dataset before it is distributed: one device n"):
        program.check(program.right, made)


def test_a_step_that_makes_variables_in_every_call_is_refused():
    program = Program(2)
    with pytest.raises(
        RuntimeError, match="The step makes the variable 'local' anew whenever it i"
    ):
        program.check(lambda x, y: tf.Variable(1.0, name="local") * tf.reduce_sum(x))


def test_it_is_called_in_eager_mode_only():
    program = Program(2)
    inside = tf.function(lambda: program.check(program.right), autograph=False)
    with pytest.raises(RuntimeError, match="call it outside of functions and graphs"):
        inside()
    with pytest.raises(RuntimeError, match="Method requires being in cross-replica context"):
        program.strategy.run(lambda: program.check(program.right))
