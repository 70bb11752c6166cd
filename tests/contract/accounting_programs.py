"""Random programs that make, view, change and drop values on two GPUs, and a count of what lives
there that asks no budget.
"""

from __future__ import annotations

import contextlib
import gc
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

import emplace.tensorflow as tf
from emplace.core.tensor import EagerTensor
from emplace.devices.inventory import find_devices
from emplace.devices.memory import round_up
from emplace.devices.strict import StrictTensor
from emplace.ops.variables.resource import Storage

GPUS = ("/GPU:0", "/GPU:1")
ROWS = 64
_PATIENCE_S = 20.0


def charged() -> dict[str, int]:
    """What the budgets say is in use, in bytes by GPU."""
    gpus = find_devices(type="GPU")
    return {gpu.short_name: gpu.budget.usage().in_use for gpu in gpus if gpu.budget is not None}


def strangers() -> list[torch.UntypedStorage]:
    """What lives already, such as that of devices of another time."""
    return [storage_of(value) for _, value in _values(gc.get_objects())]


def counts(
    others: Sequence[torch.UntypedStorage], is_over: bool = False
) -> tuple[dict[str, int], dict[str, int]]:
    """Both counts, without `others`, once threads that prefetch have come to rest; those of a
    program that is over, once they have ended.
    """
    end = time.monotonic() + _PATIENCE_S
    while True:
        by_budgets, by_objects = charged(), living(others)
        is_settled = by_budgets == by_objects and not (is_over and any(by_budgets.values()))
        if is_settled or time.monotonic() > end:
            return by_budgets, by_objects
        time.sleep(0.01)


def living(others: Sequence[torch.UntypedStorage]) -> dict[str, int]:
    """What really lives there: the distinct storages of all tensors that Python holds, in bytes,
    without `others`.
    """
    storages: dict[tuple[str, int], int] = {}
    objects = gc.get_objects()
    uncounted = {storage_of(value)._cdata for value in _uncounted(objects)}
    uncounted |= {storage._cdata for storage in others}
    for name, value in _values(objects):
        storage = storage_of(value)
        if storage.nbytes() and storage._cdata not in uncounted:
            storages[name, storage._cdata] = round_up(storage.nbytes())
    total: Counter[str] = Counter({gpu.short_name: 0 for gpu in find_devices(type="GPU")})
    for (name, _), nbytes in storages.items():
        total[name] += nbytes
    return dict(total)


def storage_of(value: torch.Tensor) -> torch.UntypedStorage:
    """The memory behind a tensor, also a strict one's."""
    return (value.elements if isinstance(value, StrictTensor) else value).untyped_storage()


def _uncounted(objects: Sequence[Any]) -> Iterator[torch.Tensor]:
    """What Emplace keeps on GPUs for itself and no budget counts: docs/DIFFERENCES.md says so."""
    for each in objects:
        kind = type(each).__name__
        if kind == "_Kept":
            yield from _tensors_in(each)
        elif kind == "_Flag":
            yield from _tensors_in(vars(each))


def _tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _tensors_in(part)


def _values(objects: Sequence[Any]) -> Iterator[tuple[str, torch.Tensor]]:
    gpus = find_devices(type="GPU")
    by_torch = {gpu.torch_device: gpu.short_name for gpu in gpus}
    by_budget = {id(gpu.budget): gpu.short_name for gpu in gpus}
    for each in objects:
        kind = type(each)
        if kind is StrictTensor:
            yield by_torch[each.device], each
        elif kind is EagerTensor and isinstance(each._value, torch.Tensor):
            if each._kind.device.short_name in by_torch.values():
                yield each._kind.device.short_name, each._value
        elif kind is Storage and isinstance(each.value, torch.Tensor) and each.budget is not None:
            yield by_budget.get(id(each.budget), "of another time"), each.value


class AccountingProgram:
    """A pool of values and variables, and one random deed after the other.

    Args:
        seed: which program.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.pool: list[Any] = []
        self.variables: list[Any] = []
        self.others: list[Any] = []  # iterators, tapes, arrays
        self._functions = {
            "plain": tf.function(_work),
            "gradient": tf.function(_gradient),
            "loop": tf.function(_loop),
            "step": tf.function(_step),
        }
        self.deeds: list[str] = []

    def step(self) -> None:
        """Does one thing."""
        deeds = [name for name in dir(self) if name.startswith("do_")]
        deed = self._random.choice(deeds)
        self.deeds.append(deed)
        with tf.device(self._random.choice(GPUS)):
            getattr(self, deed)()
        while len(self.pool) > 12:
            self.pool.pop(self._random.randrange(len(self.pool)))

    def run(self, steps: int) -> None:
        """Does so many things."""
        for _ in range(steps):
            self.step()

    # -- what it does ---------------------------------------------------------------------------

    def do_make(self) -> None:
        self.pool.append(tf.random.normal([ROWS, self._random.choice([1, 3, 16, 64])]))

    def do_compute(self) -> None:
        x = self._one()
        made: Callable[[Any], Any] = self._random.choice([
            tf.exp, tf.nn.softmax, tf.transpose, tf.square, tf.sort, tf.cumsum,
            lambda x: x + 1.0, lambda x: tf.matmul(x, x, transpose_b=True)[:, :3],
            lambda x: tf.concat([x, x], 0)[:ROWS], lambda x: tf.reduce_sum(x, keepdims=True),
            lambda x: tf.gather(x, [1, 2, 2]), lambda x: tf.where(x > 0.0, x, 0.0),
            lambda x: tf.linalg.norm(x), lambda x: tf.argmax(x, 0), lambda x: tf.size(x),
        ])  # fmt: skip
        self.pool.append(made(x))

    def do_view(self) -> None:
        x = self._one()
        made: Callable[[Any], Any] = self._random.choice([
            lambda x: x[1:], lambda x: x[:, 0], lambda x: tf.reshape(x, [-1]), tf.identity,
            tf.stop_gradient, lambda x: tf.expand_dims(x, 0), lambda x: tf.squeeze(x),
            lambda x: tf.broadcast_to(x[:1, :1], [ROWS, 5]),
        ])  # fmt: skip
        self.pool.append(made(x))

    def do_pieces(self) -> None:
        pieces = tf.unstack(self._one(), axis=0)
        self.pool.append(self._random.choice(pieces))

    def do_copy(self) -> None:
        self.pool.append(tf.identity(self._one()))

    def do_read_on_the_host(self) -> None:
        self.others.append(self._one().numpy())

    def do_drop(self) -> None:
        for some in (self.pool, self.variables, self.others):
            if some and self._random.random() < 0.5:
                some.pop(self._random.randrange(len(some)))

    def do_variable(self) -> None:
        first: Any = self._random.choice([
            self._one(), np.zeros([ROWS, 3], np.float32), lambda: tf.ones([ROWS, 3]),
        ])  # fmt: skip
        self.variables.append(tf.Variable(first))

    def do_change(self) -> None:
        if not self.variables:
            return self.do_variable()
        v = self._random.choice(self.variables)
        change: Callable[[Any], Any] = self._random.choice([
            lambda v: v.assign(tf.ones(v.shape)), lambda v: v.assign_add(v * 0.5),
            lambda v: v.assign_sub(tf.ones(v.shape)), lambda v: self.pool.append(v.read_value()),
            lambda v: self.pool.append(tf.convert_to_tensor(v)), lambda v: v[0].assign(v[1] * 2.0),
            lambda v: v.scatter_add(tf.IndexedSlices(v[:2] * 1.0, [0, 1])),
        ])  # fmt: skip
        return change(v)

    def do_call(self) -> None:
        name = self._random.choice(["plain", "gradient", "loop"])
        x = self._one()
        for _ in range(self._random.choice([1, 2, 7])):
            made = self._functions[name](x)
        self.pool.append(made)

    def do_train(self) -> None:
        x = self._one()
        v = next((each for each in self.variables if each.shape == x.shape), None)
        if v is not None:
            for _ in range(self._random.choice([1, 7])):
                self._functions["step"](v, x)

    def do_gradient(self) -> None:
        x = self._one()
        with tf.GradientTape(persistent=self._random.random() < 0.3) as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x) * x)
        self.pool.append(tape.gradient(y, x))
        if self._random.random() < 0.3:
            self.others.append(tape)

    def do_fail(self) -> None:
        x = self._one()
        failure: Callable[[Any], Any] = self._random.choice([
            lambda x: tf.matmul(x, tf.ones([ROWS + 1, 2])), lambda x: tf.reshape(x, [7, -1, 11]),
            lambda x: tf.concat([x, tf.ones([ROWS, 2, 2])], 0),
            lambda x: self._functions["plain"](tf.ones([3, 3, 3])),
            lambda x: tf.zeros([1 << 16, 1 << 14]),  # there is no room for it
            lambda x: tf.function(lambda: tf.zeros([1 << 16, 1 << 14]) + 1.0)(),
        ])  # fmt: skip
        with contextlib.suppress(tf.errors.OpError, ValueError):
            failure(x)

    def do_session(self) -> None:
        with tf.compat.v1.Graph().as_default(), tf.device(self._random.choice(GPUS)):
            fed = tf.compat.v1.placeholder(tf.float32, [ROWS, 4])
            with tf.compat.v1.variable_scope("", use_resource=True):
                w = tf.compat.v1.get_variable("w", [4, 4])
            y = tf.matmul(fed, w)
            change = w.assign_add(tf.matmul(y, y, transpose_a=True) * 1e-3)
            with tf.compat.v1.Session() as session:
                session.run(w.initializer)
                for _ in range(self._random.choice([1, 6])):
                    session.run([y, change], {fed: np.ones([ROWS, 4], np.float32)})

    def do_dataset(self) -> None:
        data = tf.data.Dataset.from_tensor_slices(np.ones([20, 8], np.float32)).batch(6)
        if self._random.random() < 0.5:
            data = data.map(lambda x: x * 2.0)
        if self._random.random() < 0.5:
            data = data.prefetch(2)
        to = tf.data.experimental.prefetch_to_device(self._random.choice(GPUS))
        iterator = iter(data.apply(to) if self._random.random() < 0.5 else data)
        self.pool.append(next(iterator))
        self.others += [iterator] if self._random.random() < 0.3 else []

    def do_in_threads(self) -> None:
        device, x = self._random.choice(GPUS), self._one()

        def work() -> None:
            with tf.device(device):
                made.append(self._functions["plain"](tf.exp(x)))

        made: list[Any] = []
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.pool.append(made[0])

    def _one(self) -> Any:
        """A float matrix of the pool, or a new one."""
        found = [x for x in self.pool if x.dtype == tf.float32 and x.shape.rank == 2]
        found = [x for x in found if x.shape[0] == ROWS]
        return self._random.choice(found) if found else tf.random.normal([ROWS, 3])


def _work(x: Any) -> Any:
    y = tf.nn.relu(x) + 1.0
    return tf.reshape(tf.exp(y - tf.reduce_max(y)) * tf.transpose(tf.transpose(y)), [ROWS, -1])


def _gradient(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sigmoid(x) ** 2)
    return tape.gradient(y, x)


def _loop(x: Any) -> Any:
    for _ in tf.range(3):
        x = x * 0.5 + tf.reduce_mean(x)
    return x


def _step(v: Any, x: Any) -> None:
    with tf.GradientTape() as tape:
        tape.watch(v)
        loss = tf.reduce_sum((v - x) ** 2)
    v.assign_sub(0.1 * tape.gradient(loss, v))
