"""Steps of several kinds, each refused memory at a random point, and what must be as it was."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices

ROWS = 512
_v1 = tf.compat.v1
LARGE = 1 << 30


class Scene:
    """A program whose `step` may be refused; `state` is what a refusal leaves alone."""

    def __init__(self) -> None:
        with tf.device("/GPU:0"):
            self.variables = [tf.Variable(tf.ones([ROWS, 64]) * (i + 1.0)) for i in range(3)]
            self.x = tf.random.normal([ROWS, 64])
        self.make()

    def make(self) -> None:
        """Makes what the step needs."""

    def step(self) -> None:
        """A step."""
        raise NotImplementedError

    def state(self) -> list[Any]:
        """The values that a refused step must not change."""
        return [v.numpy() for v in self.variables]

    def close(self) -> None:
        """Lets go of everything."""


class Eager(Scene):
    """An op at a time; no op changes its variable by half."""

    def step(self) -> None:
        x = self.x
        for _ in range(3):
            x = tf.nn.gelu(tf.concat([x, x * 2.0], 0))[:ROWS]
        self.variables[0].assign(tf.sort(x, axis=0) + self.variables[0])


class Gradient(Scene):
    """A tape, and an optimizer's kernel that changes two variables at once."""

    def step(self) -> None:
        var, accum, other = self.variables
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.gelu(var * self.x) * tf.sigmoid(other))
        gradient = tape.gradient(y, var)
        tf.raw_ops.ResourceApplyAdagradV2(
            var=var.handle, accum=accum.handle, lr=0.1, epsilon=1e-3, grad=gradient
        )


class Function(Scene):
    """A function that changes all its variables, one after the other."""

    jit_compile: bool | None = None

    def make(self) -> None:
        @tf.function(jit_compile=self.jit_compile)
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(sum(tf.tanh(v * x) for v in self.variables))
            gradients = tape.gradient(y, self.variables)
            for v, g in zip(self.variables, gradients, strict=True):
                v.assign_sub(0.1 * g)
                v.assign(tf.concat([v[1:], v[:1]], 0))
            return y

        self._step = step

    def step(self) -> None:
        with tf.device("/GPU:0"):
            self._step(self.x)


class Loop(Function):
    """A function with a loop that adds to a variable."""

    def make(self) -> None:
        @tf.function
        def step(x: Any) -> Any:
            self.variables[1].assign_add(x)
            for _ in tf.range(4):
                x = tf.nn.softmax(x) + x * 0.5
                self.variables[0].assign_add(x)
            return x

        self._step = step


class Session(Scene):
    """A run of a session that changes two variables in order."""

    def make(self) -> None:
        with _v1.Graph().as_default() as graph:
            with tf.device("/GPU:0"), _v1.variable_scope("", use_resource=True):
                a, b = (
                    _v1.get_variable(n, [ROWS, 64], initializer=_v1.ones_initializer())
                    for n in "ab"
                )
                fed = _v1.placeholder(tf.float32, [ROWS, 64])
                first = a.assign_add(tf.tanh(fed), read_value=False)
                with _v1.control_dependencies([first]):
                    grown = tf.concat([b, a, fed], 0)
                    second = b.assign(tf.sort(grown, axis=0)[:ROWS], read_value=False)
            self._all, self._second = [a.read_value(), b.read_value()], second
            self._fed = fed
            ready = _v1.global_variables_initializer()
        self._session = _v1.Session(graph=graph)
        self._session.run(ready)

    def step(self) -> None:
        self._session.run(self._second, {self._fed: np.ones([ROWS, 64], np.float32)})

    def state(self) -> list[Any]:
        return list(self._session.run(self._all))

    def close(self) -> None:
        self._session.close()


class Fit(Scene):
    """A batch of Keras's `fit`: weights, and what the optimizer keeps."""

    def make(self) -> None:
        layers = tf.keras.layers
        with tf.device("/GPU:0"):
            self._model = tf.keras.Sequential([
                tf.keras.Input([64]), layers.Dense(96, activation="gelu"), layers.Dense(64),
            ])  # fmt: skip
            self._model.compile(tf.keras.optimizers.Adam(0.01), "mse")
            self._model.optimizer.build(self._model.trainable_variables)
        self._data = np.ones([ROWS, 64], np.float32)

    def step(self) -> None:
        with tf.device("/GPU:0"):
            self._model.fit(self._data, self._data, batch_size=ROWS, verbose=0, shuffle=False)

    def state(self) -> list[Any]:
        return [np.asarray(v) for v in [*self._model.weights, *self._model.optimizer.variables]]


class Dataset(Scene):
    """Elements that are mapped, prefetched to the GPU, and added to a variable."""

    def make(self) -> None:
        data = tf.data.Dataset.from_tensor_slices(np.ones([ROWS * 2, 64], np.float32)).batch(ROWS)
        data = data.map(lambda x: tf.nn.gelu(x) * 2.0)
        self._data = data.apply(tf.data.experimental.prefetch_to_device("/GPU:0"))

    def step(self) -> None:
        total = self.x
        with tf.device("/GPU:0"):
            for each in self._data:
                total = tf.nn.gelu(total + each)
            self.variables[0].assign_add(total)


SCENES: tuple[type[Scene], ...] = (Eager, Gradient, Function, Loop, Session, Fit, Dataset)


def refused_steps(scene: Scene, random_: random.Random, count: int) -> tuple[int, list[int]]:
    """Steps with limits anywhere between what is in use and what a step takes, until `count` were
    refused. Asserts that these change nothing and that the next step runs.

    Returns:
        How many steps that took, and bytes in use after each.
    """
    budget = find_devices(type="GPU")[0].budget
    assert budget is not None
    scene.step()
    scene.step()
    refused, levels = 0, []
    peak = _peak(budget, scene.step)
    while refused < count:
        assert len(levels) < 20 * count, f"{refused} of {len(levels)} steps were refused"
        before = scene.state()
        gc.collect(0)
        in_use = budget.usage().in_use
        limit = random_.randint(in_use, max(in_use + 1, peak))
        emplace.limit("GPU:0", limit)
        try:
            scene.step()
        except tf.errors.ResourceExhaustedError:
            refused += 1
            emplace.limit("GPU:0", LARGE)
            _assert_same(before, scene.state(), limit - in_use)
            scene.step()
            assert _changes(before, scene.state())
        finally:
            emplace.limit("GPU:0", LARGE)
        assert budget.usage().peak <= LARGE
        levels.append(budget.usage().in_use)
    return len(levels), levels


def _peak(budget: Any, step: Callable[[], None]) -> int:
    moment = budget.mark()
    step()
    return int(budget.peak_since(moment))


def _assert_same(before: list[Any], after: list[Any], room: int) -> None:
    changed = _changes(before, after)
    assert not changed, f"values {changed} of {len(before)} changed with {room} bytes of room"


def _changes(before: list[Any], after: list[Any]) -> list[int]:
    pairs = enumerate(zip(before, after, strict=True))
    return [i for i, (x, y) in pairs if not np.array_equal(x, y)]
