"""Random programs: ops, variables, branches, loops, device scopes. One text, several ways to run.

A program is a list of instructions on a pool of tensors; `execute` carries it out with public
functions, so that the same program runs eagerly, in a traced function, and in a session.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import emplace.tensorflow as tf

Instruction = tuple[Any, ...]
SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (3, 2))

_UNARY: dict[str, Callable[[Any], Any]] = {
    "tanh": tf.tanh, "relu": tf.nn.relu, "negative": tf.negative, "sigmoid": tf.sigmoid,
    "abs": tf.abs, "identity": tf.identity, "sin": tf.sin, "softplus": tf.nn.softplus,
    "stop": tf.stop_gradient, "floor": tf.floor,
    "rounded": lambda x: tf.cast(tf.cast(x * 4.0, tf.int32) // 2, tf.float32),
    "scaled": lambda x: x * 0.5 + 1.0,
}  # fmt: skip
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": tf.add, "subtract": tf.subtract, "multiply": tf.multiply, "maximum": tf.maximum,
    "minimum": tf.minimum, "difference": tf.math.squared_difference,
    "chosen": lambda x, y: tf.where(x > y, x, y * 0.5),
}  # fmt: skip
_RESHAPING: dict[tuple[int, ...], dict[str, Callable[[Any], Any]]] = {
    (): {"ones": lambda x: x * tf.ones([3]), "fill": lambda x: tf.fill([2, 3], x)},
    (3,): {
        "sum": tf.reduce_sum,
        "rows": lambda x: tf.stack([x, x * 2.0]),
        "first": lambda x: x[0],
        "reversed": lambda x: x[::-1],
        "tiled": lambda x: tf.reshape(tf.tile(x, [2]), [3, 2]),
    },
    (2, 3): {
        "transposed": tf.transpose,
        "mean": lambda x: tf.reduce_mean(x, 0),
        "reshaped": lambda x: tf.reshape(x, [tf.shape(x)[1], -1]),
        "softmax": tf.nn.softmax,
        "row": lambda x: x[1],
        "gathered": lambda x: tf.gather(x, [1, 0]),
    },
    (3, 2): {
        "transposed": tf.transpose,
        "sum": tf.reduce_sum,
        "product": lambda x: tf.matmul(x, tf.transpose(x))[:, 0],
        "split": lambda x: tf.concat(tf.split(x, 2, axis=1)[::-1], 1),
    },
}


def make_program(seed: int, size: int = 12) -> list[Instruction]:
    """A program, always the same one for the same seed."""
    return _block(random.Random(seed), size, depth=2)


def _block(rng: random.Random, size: int, depth: int) -> list[Instruction]:
    kinds = ["unary"] * 4 + ["binary"] * 4 + ["reshaping"] * 3 + ["matmul", "read", "assign", "add"]
    if depth:
        kinds += ["cond", "loop", "device", "cond", "loop"]
    return [_instruction(rng, rng.choice(kinds), depth) for _ in range(rng.randint(2, size))]


def _instruction(rng: random.Random, kind: str, depth: int) -> Instruction:
    place = rng.randrange(1000)
    if kind == "unary":
        return kind, rng.choice(sorted(_UNARY)), place
    if kind == "binary":
        return kind, rng.choice(sorted(_BINARY)), place, rng.randrange(1000)
    if kind == "reshaping":
        return kind, rng.randrange(1000), place
    if kind == "cond":
        return kind, place, _block(rng, 4, depth - 1), _block(rng, 4, depth - 1)
    if kind == "loop":
        return kind, place, rng.randint(0, 3), _block(rng, 4, depth - 1)
    if kind == "device":
        return kind, rng.choice(("/CPU:0", "/GPU:0", "/GPU:1", None)), _block(rng, 4, depth - 1)
    if kind in ("assign", "add", "read"):
        return kind, rng.randrange(len(SHAPES)), place
    return kind, place


class Machine:
    """Carries out a program: a pool of tensors, variables by shape, and what was changed."""

    def __init__(self, inputs: list[Any], variables: list[Any]) -> None:
        self.pool = list(inputs)
        self.variables = variables
        self.effects: list[Any] = []

    def run(self, program: list[Instruction]) -> None:
        """Carries out all instructions."""
        for kind, *arguments in program:
            getattr(self, kind)(*arguments)

    def pick(self, place: int, shape: Any = None) -> Any:
        """A tensor of the pool, of a shape if one is given."""
        found = [x for x in self.pool if shape is None or tuple(x.shape) == shape]
        return found[place % len(found)]

    def put(self, x: Any) -> None:
        """Adds a tensor, kept small."""
        self.pool.append(tf.clip_by_value(x, -4.0, 4.0))

    def unary(self, name: str, place: int) -> None:
        self.put(_UNARY[name](self.pick(place)))

    def binary(self, name: str, one: int, other: int) -> None:
        x = self.pick(one)
        self.put(_BINARY[name](x, self.pick(other, tuple(x.shape))))

    def reshaping(self, name: int, place: int) -> None:
        x = self.pick(place)
        ways = _RESHAPING[tuple(x.shape)]
        self.put(ways[sorted(ways)[name % len(ways)]](x))

    def matmul(self, place: int) -> None:
        x = tf.matmul(self.pick(place, (2, 3)), self.pick(place, (3, 2)))
        self.put(tf.reduce_sum(x))

    def read(self, which: int, place: int) -> None:
        self.put(self.variables[which] * 1.0 if place % 2 else self.variables[which].value())

    def assign(self, which: int, place: int) -> None:
        value = tf.tanh(self.pick(place, SHAPES[which]))
        self.effects.append(self.variables[which].assign(value))

    def add(self, which: int, place: int) -> None:
        value = tf.tanh(self.pick(place, SHAPES[which]))
        self.effects.append(self.variables[which].assign_add(value))

    def inner(self, program: list[Instruction], first: Any) -> Any:
        """A block on a copy of the pool; returns its last tensor of the first one's shape."""
        machine = Machine([*self.pool, first], self.variables)
        machine.run(program)
        return machine.pick(-1, tuple(first.shape))

    def cond(self, place: int, yes: list[Instruction], no: list[Instruction]) -> None:
        x = self.pick(place)
        result = tf.cond(
            tf.reduce_sum(x) > 0.3, lambda: self.inner(yes, x), lambda: self.inner(no, x)
        )
        self.effects.append(result)
        self.pool.append(result)

    def loop(self, place: int, rounds: int, program: list[Instruction]) -> None:
        x = self.pick(place)
        count, result = tf.while_loop(
            lambda i, x: i < rounds,
            lambda i, x: (i + 1, self.inner(program, x) * 0.9),
            (tf.constant(0), x),
        )
        self.effects.append(count)
        self.pool.append(result)

    def device(self, name: str | None, program: list[Instruction]) -> None:
        with tf.device(name):
            self.run(program)


def outcome(
    program: list[Instruction], inputs: list[Any], variables: list[Any]
) -> tuple[list[Any], list[Any]]:
    """The last tensors of a program with the gradients of their sum, and what must have run."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        machine = Machine(inputs, variables)
        machine.run(program)
        last = machine.pool[-5:]
        total = tf.add_n([tf.reduce_sum(x) for x in last])
    gradients = tape.gradient(total, inputs, unconnected_gradients="zero")
    return [*last, *map(tf.convert_to_tensor, gradients)], machine.effects
