"""What variables alone decide is computed once while they do not change:
graph/passes/kept_values.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.codegen import adam
from emplace.graph.passes import kept_values
from emplace.ops.math.kept_values import KeptValues

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)
_SIZE = 16


def _row(size: int = _SIZE) -> Any:
    return tf.Variable(_RANDOM.uniform(0.5, 2.0, size).astype("float32"))


class _Layer:
    """A convolution of one tap and batch normalization with known statistics."""

    def __init__(self) -> None:
        self.filter = tf.Variable(_RANDOM.normal(size=(1, 1, 3, _SIZE)).astype("float32"))
        self.rows = [_row() for _ in range(4)]

    def __call__(self, x: Any) -> Any:
        mean, variance, gamma, beta = self.rows
        y = tf.nn.conv2d(x, self.filter, 1, "SAME")
        return tf.nn.relu(tf.nn.batch_normalization(y, mean, variance, beta, gamma, 1e-3))

    @property
    def variables(self) -> list[Any]:
        """All its variables."""
        return [self.filter, *self.rows]


@pytest.fixture
def images() -> Any:
    """Large enough for the filter to be scaled."""
    return tf.constant(_RANDOM.normal(size=(4, 16, 16, 3)).astype("float32"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Has an entry for each time that values were computed."""
    times: list[int] = []
    compute = KeptValues._made

    def counted(self: KeptValues, inputs: Any) -> Any:
        times.append(len(inputs))
        return compute(self, inputs)

    monkeypatch.setattr(KeptValues, "_made", counted)
    return times


def _steps(function: Any, *args: Any) -> list[str]:
    return [step.op for step in emplace.explain(function, *args).steps]


def test_values_are_computed_once(images, made):
    layer = _Layer()
    function = tf.function(layer.__call__)
    for _ in range(4):
        np.testing.assert_allclose(function(images), layer(images), rtol=1e-5, atol=1e-5)
    assert len(made) == 1
    steps = _steps(function, images)
    assert steps.count("_KeptValues") == 1
    assert not {"Mul", "Rsqrt", "Sub", "_FusedRows"} & set(steps)


_CHANGES: dict[str, Callable[[Any], Any]] = {
    "assign": lambda v: v.assign(v * 1.5),
    "assign_add": lambda v: v.assign_add(tf.ones_like(v)),
    "assign_sub": lambda v: v.assign_sub(tf.ones_like(v) * 0.1),
    "a slice": lambda v: v[..., 1:].assign((v * 1.5 + 0.5)[..., 1:]),
    "rows": lambda v: tf.raw_ops.ResourceScatterAdd(
        resource=v.handle, indices=[0], updates=tf.ones_like(v)[:1]
    ),
    "descent": lambda v: tf.raw_ops.ResourceApplyGradientDescent(
        var=v.handle, alpha=0.1, delta=tf.ones_like(v)
    ),
}


@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES)
def test_every_change_is_seen(change, images):
    layer = _Layer()
    function = tf.function(layer.__call__)
    for variable in layer.variables:
        before = function(images).numpy()
        change(variable)
        now = function(images).numpy()
        np.testing.assert_allclose(now, layer(images), rtol=1e-5, atol=1e-5)
        assert np.abs(now - before).max() > 1e-4


@pytest.mark.parametrize("numbers_before", [0, 1 << 60], ids=["machine code", "torch"])
def test_steps_of_adam_are_seen(numbers_before, images, monkeypatch):
    monkeypatch.setattr(adam, "NUMBERS_BEFORE", numbers_before)
    layer = _Layer()
    function = tf.function(layer.__call__)
    means, squares = ([tf.Variable(tf.zeros_like(v)) for v in layer.variables] for _ in range(2))

    @tf.function
    def train():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(images) ** 2)
        gradients = tape.gradient(loss, layer.variables)
        for parts in zip(layer.variables, means, squares, gradients, strict=True):
            tf.raw_ops.ResourceApplyAdam(
                var=parts[0].handle, m=parts[1].handle, v=parts[2].handle,
                beta1_power=0.9, beta2_power=0.999, lr=0.1, beta1=0.9, beta2=0.999,
                epsilon=1e-7, grad=parts[3],
            )  # fmt: skip
        return loss

    for _ in range(3):
        before = function(images).numpy()
        train()
        now = function(images).numpy()
        np.testing.assert_allclose(now, layer(images), rtol=1e-4, atol=1e-4)
        assert np.abs(now - before).max() > 1e-3


def test_variables_still_change_where_they_are(images):
    layer = _Layer()
    function = tf.function(layer.__call__)
    function(images)
    for variable in layer.variables:
        place = variable.handle._value.value.data_ptr()
        variable.assign_add(tf.ones_like(variable))
        assert variable.handle._value.value.data_ptr() == place


def test_a_restored_variable_is_seen(images, tmp_path):
    layer = _Layer()
    function = tf.function(layer.__call__)
    before = function(images).numpy()
    checkpoint = tf.train.Checkpoint(rows=layer.rows, filter=layer.filter)
    path = checkpoint.write(str(tmp_path / "state"))
    for variable in layer.variables:
        variable.assign(variable * 2.0)
    assert np.abs(function(images).numpy() - before).max() > 1e-3
    checkpoint.restore(path)
    np.testing.assert_array_equal(function(images).numpy(), before)


def test_what_changes_a_variable_keeps_nothing(images):
    layer = _Layer()

    @tf.function
    def function(x):
        y = layer(x)
        layer.rows[0].assign_add(tf.ones(_SIZE))
        return y

    assert "_KeptValues" not in _steps(function, images)
    for _ in range(3):
        wanted = layer(images)
        np.testing.assert_allclose(function(images), wanted, rtol=1e-5, atol=1e-5)


def test_a_value_that_the_program_gets_is_its_own(images, made):
    layer = _Layer()

    @tf.function
    def function(x):
        factor = tf.math.rsqrt(layer.rows[1] + 1e-3) * layer.rows[2]
        return layer(x), factor

    (_, first), (_, second) = function(images), function(images)
    variable = tf.Variable(first)
    variable.assign_add(tf.ones(_SIZE))
    _, third = function(images)
    for each in (first, second, third):
        wanted = tf.math.rsqrt(layer.rows[1] + 1e-3) * layer.rows[2]
        np.testing.assert_allclose(each, wanted, rtol=1e-6)


def test_parts_of_kept_values_stay_what_they_are():
    rows = [_row() for _ in range(3)]

    @tf.function
    def function(i):
        return (rows[0] * rows[1] + rows[2] * 3.0)[i:]

    part = function(tf.constant(2))
    before = part.numpy().copy()
    variable = tf.Variable(part)
    variable.assign_add(tf.ones_like(part))
    for row in rows:
        row.assign_add(tf.ones(_SIZE))
    function(tf.constant(2))
    np.testing.assert_array_equal(part.numpy(), before)
    np.testing.assert_array_equal(variable.numpy(), before + 1.0)


def test_parameters_in_another_type(made):
    weights = [tf.Variable(_RANDOM.normal(size=(8, 8)).astype("float32")) for _ in range(4)]

    def python(x):
        for each in weights:
            x = tf.matmul(x, tf.cast(each, tf.bfloat16))
        return x

    x = tf.cast(tf.ones([2, 8]), tf.bfloat16)
    function = tf.function(python)
    for _ in range(3):
        np.testing.assert_array_equal(
            tf.cast(function(x), tf.float32), tf.cast(python(x), tf.float32)
        )
    assert made == [4]
    weights[1].assign(-weights[1])
    np.testing.assert_array_equal(tf.cast(function(x), tf.float32), tf.cast(python(x), tf.float32))


def test_numbers_that_follow_from_shapes_are_there_in_time(made):
    row = _row()

    def python(x):
        first = x * ((row + 1.0) * 2.0)
        size = tf.cast(tf.shape(first)[0], tf.float32)
        return first, x * (row - size) / size

    function = tf.function(python)
    for _ in range(2):
        x = tf.ones([3, _SIZE])
        for result, wanted in zip(function(x), python(x), strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-6)
    assert len(made) == 1


def test_what_nobody_takes_is_not_kept(monkeypatch):
    monkeypatch.setattr(kept_values, "_LEAST_OPERATIONS", 0)
    row = _row()

    def python(x):
        unused = tf.sqrt(row) * 2.0 + 1.0
        return x, unused

    function = tf.function(lambda x: python(x)[0] + row)
    np.testing.assert_allclose(function(tf.ones([_SIZE])), row + 1.0, rtol=1e-6)


def test_large_values_are_not_kept():
    size = 1 << 10
    weights = [tf.Variable(tf.random.normal([size, size]) / size) for _ in range(2)]

    @tf.function
    def function(x):
        return tf.matmul(x, (weights[0] * 2.0 + weights[1]) * weights[0])

    assert "_KeptValues" not in _steps(function, tf.ones([2, size]))


def test_a_session_keeps_them_too(images):
    array = images.numpy()
    rows = [row.numpy() for row in _Layer().rows]
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, array.shape)
        variables = [
            tf.compat.v1.get_variable(f"v{i}", initializer=tf.constant(row))
            for i, row in enumerate(rows)
        ]
        filter = tf.compat.v1.get_variable("f", initializer=tf.ones([1, 1, 3, _SIZE]))
        mean, variance, gamma, beta = variables
        y = tf.nn.batch_normalization(
            tf.nn.conv2d(x, filter, 1, "SAME"), mean, variance, beta, gamma, 1e-3
        )
        larger = tf.compat.v1.assign_add(beta, tf.ones(_SIZE))
        with tf.compat.v1.Session() as session:
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
                session.run(y, {x: array})
            session.run(tf.compat.v1.global_variables_initializer())
            first = session.run(y, {x: array})
            session.run(larger)
            np.testing.assert_allclose(
                session.run(y, {x: array}), first + 1.0, rtol=1e-5, atol=1e-6
            )


def test_a_function_compiled_by_torch_sees_changes(images, monkeypatch):
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", "eager")
    layer = _Layer()
    function = tf.function(layer.__call__, jit_compile=True)
    for _ in range(3):
        np.testing.assert_allclose(function(images), layer(images), rtol=1e-5, atol=1e-5)
        for variable in layer.variables:
            variable.assign_add(tf.ones_like(variable) * 0.5)
    np.testing.assert_allclose(function(images), layer(images), rtol=1e-5, atol=1e-5)


def test_variables_of_torch_s_inference_mode(images):
    layer = _Layer()
    function = tf.function(layer.__call__)
    with torch.inference_mode():
        for variable in layer.variables:
            variable.assign(variable * 1.5)
        for _ in range(3):
            np.testing.assert_allclose(function(images), layer(images), rtol=1e-5, atol=1e-5)
            layer.rows[0].assign_add(tf.ones(_SIZE))


_UNARY = (
    tf.negative, tf.sqrt, tf.square, tf.sigmoid, tf.math.rsqrt, tf.identity, tf.stop_gradient,
    lambda x: tf.reshape(x, [1, *x.shape]), lambda x: tf.reshape(x, [-1])[:4],
    lambda x: tf.expand_dims(x, 0), lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32),
)  # fmt: skip
_BINARY = (tf.add, tf.multiply, tf.maximum, lambda x, y: x / (y + 1.0), lambda x, y: x)


def _applied(random: np.random.Generator) -> Any:
    """A function of two positive values, whose own are positive."""
    if random.random() < 0.6:
        return _BINARY[random.integers(len(_BINARY))]
    function = _UNARY[random.integers(len(_UNARY))]
    return lambda x, _: tf.abs(function(x)) + 0.5


@pytest.mark.parametrize("seed", range(40))
def test_random_arithmetic_sees_random_changes(seed, monkeypatch):
    """Of variables and an argument, all positive numbers, some results of variables alone."""
    monkeypatch.setattr(kept_values, "_LEAST_OPERATIONS", 1)
    random = np.random.default_rng(seed)
    variables = [tf.Variable(random.uniform(0.5, 2.0, 4).astype("float32")) for _ in range(3)]
    recipe = [(_applied(random), *random.integers(0, 4 + i, 2)) for i in range(16)]
    wanted = sorted({*random.integers(4, 20, 2), 19})

    def python(x):
        values = [x, *variables]
        for function, i, j in recipe:
            values.append(function(values[i], values[j]))
        return [values[i] for i in wanted]

    function, held = tf.function(python), []
    for _ in range(6):
        x = tf.constant(random.uniform(0.5, 2.0, 4).astype("float32"))
        for made, expected in zip(function(x), python(x), strict=True):
            np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-6)
            held.append((made, made.numpy().copy()))
        changed = variables[random.integers(3)]
        by = tf.constant(random.uniform(0.1, 0.5, 4).astype("float32"))
        (changed.assign, changed.assign_add, tf.identity)[random.integers(3)](by)
    for made, numbers in held:
        np.testing.assert_array_equal(made, numbers)


def test_nothing_is_kept_without_fusion(images, monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    assert "_KeptValues" not in _steps(tf.function(_Layer().__call__), images)


@pytest.mark.gpus(0)
def test_each_cpu_computes_its_own(made):
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    rows = []
    for number in range(2):
        with tf.device(f"/CPU:{number}"):
            rows.append([_row(), _row()])

    def python(x):
        found = []
        for number, (one, other) in enumerate(rows):
            with tf.device(f"/CPU:{number}"):
                found.append(x + tf.sqrt(one * other) * (one + other))
        return found

    function = tf.function(python)
    x = tf.ones([_SIZE])
    for _ in range(3):
        for result, wanted in zip(function(x), python(x), strict=True):
            assert result.device == wanted.device
            np.testing.assert_allclose(result, wanted, rtol=1e-6)
        rows[1][0].assign_add(tf.ones(_SIZE))
    assert len(made) == 1
