"""What a plan is projected to hold is what budgets count when it runs."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.devices.memory import Budget

v1 = tf.compat.v1


def budget_of(name: str = "GPU:0") -> Budget:
    budget = find_devices(short_name=name)[0].budget
    assert budget is not None
    return budget


def measured(run: Any, *args: Any, name: str = "GPU:0") -> int:
    """The peak of a run, without what is in use and is not its own: everything is, here."""
    budget = budget_of(name)
    mark = budget.mark()
    result = run(*args)
    del result
    return budget.peak_since(mark)


class Programs:
    """Random functions of a matrix and a variable."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variable = tf.Variable(tf.ones([32, 32]))

    def __call__(self, x: Any) -> Any:
        self.pool = [x, self.variable.read_value()]
        for _ in range(self.random.randrange(4, 14)):
            self.step()
        kept = self.random.sample(self.pool, min(2, len(self.pool)))
        return [*kept, tf.add_n([tf.reduce_sum(each) for each in self.pool])]

    def step(self) -> None:
        kind = self.random.choice(
            ["add", "mul", "matmul", "concat", "slice", "view", "assign", "cond", "loop", "move"]
        )
        x = self.random.choice(self.pool)
        y = self.random.choice(self.pool)
        getattr(self, kind)(x, y)

    def add(self, x: Any, y: Any) -> None:
        self.pool.append(x + tf.reduce_mean(y))

    def mul(self, x: Any, y: Any) -> None:
        self.pool.append(tf.nn.relu(x) * 2.0)

    def matmul(self, x: Any, y: Any) -> None:
        self.pool.append(tf.matmul(tf.transpose(x), x))

    def concat(self, x: Any, y: Any) -> None:
        self.pool.append(tf.concat([x, x], 0)[:96])

    def slice(self, x: Any, y: Any) -> None:
        self.pool.append(x[:16])

    def view(self, x: Any, y: Any) -> None:
        self.pool.append(tf.reshape(x, [-1, 2, x.shape[1] // 2])[:, 0])

    def assign(self, x: Any, y: Any) -> None:
        if self.random.random() < 0.5:
            self.variable.assign_add(self.variable * 0.5)
        else:
            self.variable.assign(self.variable * 2.0)

    def cond(self, x: Any, y: Any) -> None:
        test = tf.reduce_sum(x) > -1e30  # holds, and nobody knows
        self.pool.append(tf.cond(test, lambda: x + 1.0, lambda: x))

    def loop(self, x: Any, y: Any) -> None:
        def body(i: Any, x: Any) -> Any:
            return i + 1, tf.sin(x) + 1.0

        self.pool.append(tf.while_loop(lambda i, x: i < 3, body, [0, x])[1])

    def move(self, x: Any, y: Any) -> None:
        with tf.device("GPU:1"):
            moved = x + 1.0
        self.pool.append(moved * 2.0)


@pytest.mark.gpus(2, memory="64MB")
@pytest.mark.parametrize("seed", range(25))
def test_a_random_function_holds_what_was_projected(seed: int) -> None:
    programs = Programs(seed)
    function = tf.function(programs)
    x = tf.ones([64, 32])
    found = emplace.estimate(function, x).to_dict()["devices"]
    for name in ("GPU:0", "GPU:1"):
        function(x)  # constants of the plan are there by then
        peak = measured(function, x, name=name)
        assert abs(found[name]["peak_bytes"] - peak) <= 0.02 * peak


@pytest.mark.gpus(1, memory="64MB")
def test_a_gradient_holds_what_was_projected() -> None:
    v = tf.Variable(tf.ones([256, 256]))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.softmax(tf.sin(x @ v) @ v))
        v.assign_sub(tape.gradient(loss, v))
        return loss

    x = tf.ones([128, 256])
    found = emplace.estimate(step, x).devices["GPU:0"]
    assert abs(measured(step, x) - found.peak_bytes) <= 1024  # numbers of the program before it
    assert found.parts["variables"] == 256 * 256 * 4
    assert found.line is not None
    assert found.line.startswith("test_projections.py:")
    assert sum(found.parts.values()) == found.peak_bytes


@pytest.mark.gpus(1, memory="64MB")
def test_a_run_of_a_session_holds_what_was_projected() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 256])
        v = v1.get_variable("v", [256, 256])
        loss = tf.reduce_sum(tf.tanh(x @ v) @ v)
        train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        session.run(v1.global_variables_initializer())
        feed = {x: [[1.0] * 256] * 200}
        found = emplace.estimate(session, [loss, train], feed).devices["GPU:0"]
        peak = measured(session.run, [loss, train], feed)
    assert abs(found.peak_bytes - peak) <= 0.02 * peak


@pytest.mark.gpus(1, memory="64MB")
def test_nothing_is_allocated_and_nothing_changes() -> None:
    v = tf.Variable(tf.zeros([1000, 1000]))
    step = tf.function(lambda x: v.assign_add(x))
    before = budget_of().usage()
    found = emplace.estimate(step, tf.TensorSpec([1000, 1000]))
    assert budget_of().usage()[:2] == before[:2]
    assert float(tf.reduce_sum(v)) == 0.0
    assert found.devices["GPU:0"].peak_bytes >= 8_000_000


@pytest.mark.gpus(1, memory="64MB")
def test_the_larger_branch_counts_and_is_noted() -> None:
    @tf.function
    def f(x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            return tf.reduce_sum(tf.concat([x] * 8, 0))
        return tf.reduce_sum(x)

    found = emplace.estimate(f, tf.TensorSpec([100, 100]))
    assert found.devices["GPU:0"].peak_bytes >= 9 * 40_000
    (note,) = found.notes
    assert note.startswith("which branch of")
    assert note.endswith("this is the larger one")


def test_a_size_that_depends_on_values_is_told() -> None:
    f = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0.0)))
    with pytest.raises(ValueError, match="cannot be told before it runs"):
        emplace.estimate(f, tf.TensorSpec([100]))


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match=r"\[estimate\] got int; it takes a function"):
        emplace.estimate(3)


# -- refusals --------------------------------------------------------------------------------------


def growing(v: tf.Variable) -> Any:
    @tf.function
    def grow(x: Any) -> Any:
        v.assign_add(x)
        y = tf.concat([x @ x, x], 0)
        return tf.reduce_sum(tf.concat([y] * 8, 0))

    return grow


@pytest.mark.gpus(1, memory="40MB")
def test_a_function_that_cannot_fit_is_refused_before_it_runs() -> None:
    v, x = tf.Variable(tf.zeros([1000, 1000])), tf.ones([1000, 1000])
    grow = growing(v)
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        grow(x)
    text = str(caught.value)
    assert "OOM when allocating tensor with shape[16000,1000] and type float on" in text
    assert re.search(
        r"needs 7\d\.\d\d MiB on GPU:0 at `concat_1` \(test_projections\.py:\d+\)", text
    )
    assert "limit 40.00 MiB: 7.63 MiB of 40.00 MiB are in use" in text
    assert "Nothing of it has run." in text
    assert float(tf.reduce_sum(v)) == 0.0
    assert budget_of().usage().peak < 10 << 20


@pytest.mark.gpus(1, memory="18MB")
def test_a_function_whose_scratch_alone_does_not_fit_is_refused_before_it_runs() -> None:
    # What it makes, 12 MB of the sort above all, would fit twice: the sort takes as much besides.
    x = tf.random.uniform([1 << 20])
    first_four = tf.function(lambda x: tf.reduce_sum(x) + tf.sort(x)[:4])
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        first_four(x)
    assert "needs 24.00 MiB on GPU:0 at `Sort`" in str(caught.value)
    assert "Nothing of it has run." in str(caught.value)
    assert budget_of().usage().peak == 4 << 20


@pytest.mark.gpus(1, memory="40MB")
def test_who_wants_to_try_may() -> None:
    v, x = tf.Variable(tf.zeros([1000, 1000])), tf.ones([1000, 1000])
    with (
        emplace.try_anyway(),
        pytest.raises(tf.errors.ResourceExhaustedError, match=r"ConcatV2 \(.* needs"),
    ):
        growing(v)(x)
    assert budget_of().usage().peak > 15 << 20


@pytest.mark.gpus(1, memory="40MB")
def test_a_run_of_a_session_that_cannot_fit_is_refused() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [1000, 1000], initializer=v1.zeros_initializer())
        session.run(v1.global_variables_initializer())
        added = v1.assign_add(v, tf.ones([1000, 1000]))
        with v1.control_dependencies([added]):
            total = tf.reduce_sum(tf.concat([v.read_value() @ v] * 12, 0))
        with pytest.raises(tf.errors.ResourceExhaustedError, match="Nothing of it has run"):
            session.run(total)
        assert session.run(tf.reduce_sum(v)) == 0.0


@pytest.mark.gpus(1, memory="40MB")
def test_a_branch_that_would_fit_is_not_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            return tf.reduce_sum(tf.concat([x] * 16, 0))
        return tf.reduce_sum(x @ x)

    assert float(f(-tf.ones([1000, 1000]))) == 1e9
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"ConcatV2 \(.* needs"):
        f(tf.ones([1000, 1000]))


@pytest.mark.gpus(1, memory="40MB")
def test_garbage_is_no_reason_to_refuse() -> None:
    x = tf.ones([1000, 1000])
    f = tf.function(lambda x: tf.reduce_sum(tf.concat([x @ x] * 4, 0)))
    f(x)
    dead: list[Any] = [tf.ones([4000, 1000])]
    dead.append(dead)
    del dead
    assert float(f(x)) == 4e9


@pytest.mark.gpus(1, memory="40MB")
@pytest.mark.parametrize("seed", range(8))
def test_what_fits_by_a_hair_runs_and_what_does_not_is_refused(seed: int) -> None:
    programs = Programs(seed)
    programs.move = programs.mul  # type: ignore[method-assign]
    function = tf.function(programs)
    x = tf.ones([64, 32])
    function(x)
    peak = measured(function, x)
    with emplace.limit("GPU:0", peak):
        function(x)
    with emplace.limit("GPU:0", peak - 256), pytest.raises(tf.errors.ResourceExhaustedError):
        function(x)
