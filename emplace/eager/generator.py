"""Generators of random numbers with a state of their own (`tf.random.Generator`)."""

from __future__ import annotations

import math
import secrets
import threading
from collections.abc import Sequence
from typing import Any

from ..base import dtypes
from ..base.dtypes import as_dtype
from ..base.errors import invalid_argument
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..core.context import LOCAL, PROCESS, at_reset, device
from ..core.symbolic_value import SymbolicValue
from ..core.tensor import Tensor
from ..ops.arguments import is_symbolic, known_int, one_number, static_ints
from ..ops.array.joining import stack, unstack
from ..ops.array.making import zeros_like
from ..ops.array.shaping import bitcast
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast
from ..ops.math.reduction import reduce_prod
from ..ops.op import apply
from ..ops.random import distributions, stateless as s
from ..ops.random.generator_state import (
    READ_AND_SKIP,
    REPLICA_STATE,
    of_replica,
    signed,
    skipped,
)
from ..ops.random.seeds import Algorithm, algorithm
from .variable import Variable

_STATE_SIZE = {Algorithm.PHILOX: 3, Algorithm.THREEFRY: 2}
_TRIALS = 100  # numbers that a binomial one may take
_BITS64 = (1 << 64) - 1


def _concrete(alg: object) -> Algorithm:
    chosen = algorithm(Algorithm.AUTO_SELECT if alg is None else alg)
    return Algorithm.PHILOX if chosen is Algorithm.AUTO_SELECT else chosen


def _as_state(seed: Sequence[int] | int, alg: Algorithm) -> list[int]:
    """A seed of any length as the numbers of a state."""
    size = _STATE_SIZE[alg]
    if isinstance(seed, int):
        return [signed(seed >> 64 * i) for i in range(size)]
    numbers = [signed(each) for each in static_ints(seed, "a seed")]
    return [*numbers, *[0] * size][:size]


def create_rng_state(seed: Any, alg: TensorLike) -> Tensor:
    """The state that a generator begins with (`tf.random.create_rng_state`).

    Args:
        seed: an integer or several.
        alg: the algorithm.

    Returns:
        An int64 tensor: for Philox the counter in two numbers and the key.

    >>> create_rng_state(5, "philox").numpy().tolist()
    [5, 0, 0]
    """
    return to_tensor(_as_state(seed, _concrete(alg)), dtypes.int64)


class Generator:
    """A source of random numbers that counts how many it has given (`tf.random.Generator`).

    Its numbers are TensorFlow's, on every device. The state lies in the host's memory.

    Args:
        copy_from: a generator to begin where it is.
        state: the state to begin with, with `alg`.
        alg: the algorithm of the state.

    >>> generator = Generator.from_seed(5)
    >>> generator.state.numpy().tolist()
    [5, 0, 0]
    """

    def __init__(
        self, copy_from: Any = None, state: Sequence[int] | None = None, alg: Any = None
    ) -> None:
        self._lock = threading.RLock()
        context = LOCAL.state.strategy
        self._strategy = None if context is None else context.strategy
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("give either `copy_from` or `state` and `alg`, not both.")
            state, alg = copy_from.state.numpy().tolist(), copy_from._algorithm
        if state is None or alg is None:
            raise ValueError("a generator needs `state` and `alg`, or another generator.")
        self._algorithm = _concrete(alg)
        if not is_symbolic(state):
            state = [signed(each) for each in static_ints(state, "a state")]
            self._check(state)
        with device("/CPU:0"):
            self._state = Variable(state, dtype=dtypes.int64, trainable=False, name="StateVar")

    def _check(self, numbers: list[int]) -> None:
        size = _STATE_SIZE[self._algorithm]
        if len(numbers) != size:
            raise ValueError(f"Shapes ({len(numbers)},) and [{size}] are incompatible")

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator that begins with a seed, an integer or several."""
        chosen = _concrete(alg)
        return cls(state=_as_state(seed, chosen), alg=chosen)

    @classmethod
    def from_state(cls, state: Sequence[int], alg: TensorLike) -> Generator:
        """A generator that begins with a state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: TensorLike) -> Generator:
        """Makes a generator that begins with a key and a counter of two numbers.

        Args:
            key: one number.
            counter: two numbers.
            alg: "philox", "threefry", or a member of `tf.random.Algorithm`.
        """
        numbers = [*static_ints(counter, "a counter"), *static_ints(key, "a key")]
        return cls(state=numbers, alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that begins anywhere.

        Raises:
            RuntimeError: determinism is wished for.
        """
        if PROCESS.deterministic:
            raise RuntimeError(
                '"from_non_deterministic_state" cannot be called when determinism is enabled.'
            )
        chosen = _concrete(alg)
        numbers = [signed(secrets.randbits(64)) for _ in range(_STATE_SIZE[chosen])]
        return cls(state=numbers, alg=chosen)

    @property
    def state(self) -> Variable:
        """The state: for Philox the counter in two numbers and the key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._algorithm.value

    @property
    def key(self) -> Any:
        """The key."""
        return self._state.read_value()[-1]

    def reset(self, state: Sequence[int]) -> None:
        """Goes on from a state."""
        if is_symbolic(state):
            self._state.assign(cast(state, dtypes.int64))
            return
        numbers = [signed(each) for each in static_ints(state, "a state")]
        self._check(numbers)
        self._state.assign(numbers)

    def reset_from_seed(self, seed: int) -> None:
        """Goes on from a seed."""
        self.reset(_as_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Goes on from a key and a counter."""
        self.reset([*static_ints(counter, "a counter"), *static_ints(key, "a key")])

    def skip(self, delta: TensorLike) -> Any:
        """Leaves out as many numbers as `delta`.

        Returns:
            The state before, as an int64 tensor.
        """
        count = one_number(delta, "delta")
        if not LOCAL.state.target.is_eager:
            return self._advance_later(count)
        return to_tensor(self._advance(count), dtypes.int64)

    def _advance_later(self, delta: TensorLike) -> Any:
        """The state before, as a tensor of a graph; each run of the graph goes on from there."""
        if self._algorithm is not Algorithm.PHILOX:
            raise s.threefry()
        return self._state._changed_once(
            lambda: apply(READ_AND_SKIP, (self._state.handle,), {"delta": delta})
        )

    def _advance(self, delta: int) -> list[int]:
        if self._algorithm is not Algorithm.PHILOX:
            raise s.threefry()
        before: list[int] = self._state._changed_once(lambda: self._advance_now(delta))
        return before

    def _advance_now(self, delta: int) -> list[int]:
        with self._lock:
            before: list[int] = self._state.numpy().tolist()
            self._state.assign(skipped(before, delta))
            return before

    def _next(self, numbers: int) -> Any:
        """The key and counter of the next so many numbers."""
        if not LOCAL.state.target.is_eager:
            state, replica = self._advance_later(numbers), self._replica()
            if replica is not None:
                state = apply(REPLICA_STATE, (state,), {"number": replica})
            words = bitcast(state, dtypes.uint64)
            return SymbolicValue(words, 2), SymbolicValue(words, "counter")
        before, replica = self._advance(numbers), self._replica()
        key = before[2] & _BITS64 if replica is None else of_replica(before[2], replica)
        return key, before[0] & _BITS64 | (before[1] & _BITS64) << 64

    def _replica(self) -> int | None:
        """The replica that asks, if replicas share the state: each of them has a key of its own."""
        context = LOCAL.state.strategy
        if self._strategy is None or context is None or context.replica is None:
            return None
        number: int = context.number
        return number

    def _made(self, record: Any, shape: Any, dtype: Any) -> Any:
        sizes = s.sized(shape, record.name)
        return s.made(record, sizes, self._next(_count(shape, sizes)), as_dtype(dtype))

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Draws numbers with a mean and a standard deviation.

        Args:
            shape: of the result.
            mean: their mean.
            stddev: their standard deviation.
            dtype: of the result, floating.
            name: not used.
        """
        wanted = as_dtype(dtype)
        s.check_floating(wanted)
        return s.moved(self._made(s.NORMAL, shape, wanted), mean, stddev, wanted)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Draws numbers as `normal` does, none of them farther than two deviations from the mean.

        Args:
            shape: of the result.
            mean: the mean before the rest is left out.
            stddev: the standard deviation before that.
            dtype: of the result, floating.
            name: not used.
        """
        wanted = as_dtype(dtype)
        s.check_floating(wanted)
        return s.moved(self._made(s.TRUNCATED, shape, wanted), mean, stddev, wanted)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Any:
        """Draws numbers spread evenly from minval up to, not including, maxval.

        Args:
            shape: of the result.
            minval: the lower end.
            maxval: the upper end; 1 for floats if None, and no limit for integers if both are None.
            dtype: of the result.
            name: not used.

        Raises:
            ValueError: integers with only one of both ends.
        """
        out_dtype = as_dtype(dtype)
        if not out_dtype.is_integer:
            return s.scaled(self._made(s.UNIFORM, shape, out_dtype), minval, maxval, out_dtype)
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {out_dtype!r}, minval and maxval must be both `None` or both "
                f"non-`None`; got minval={minval} and maxval={maxval}"
            )
        count = _count(shape, s.sized(shape, s.UNIFORM_INT.name))
        return s.integers(shape, lambda: self._next(count), minval, maxval, out_dtype)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Any:
        """Integers of all bits.

        Raises:
            InvalidArgumentError: the dtype is not int32, int64, uint32 or uint64.
        """
        wanted = as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64):
            raise invalid_argument(
                f"Value for attr 'dtype' of {wanted.name} is not in the list of allowed values: "
                f"int32, int64, uint32, uint64 [Op:{s.FULL_INT.name}] name: "
            )
        return self._made(s.FULL_INT, shape, wanted)

    def binomial(
        self,
        shape: ShapeLike | None,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Draws numbers of the binomial distribution.

        Args:
            shape: of the result.
            counts: of how many trials.
            probs: how likely each of them succeeds.
            dtype: of the result.
            name: not used.
        """
        count = math.prod(s.sized(shape, distributions.BINOMIAL.name))
        batches = math.prod(size or 0 for size in distributions.trials(counts, probs)[2])
        each = count // batches if batches else 0
        key = self._next(batches * 2 * _TRIALS * (each + 3) // 4)
        return distributions.binomial(shape, key, counts, probs, as_dtype(dtype))

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless ops.

        Returns:
            An int64 tensor of shape (2, count).
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Generators whose numbers have nothing to do with each other's."""
        keys = self.uniform_full_int([count], dtypes.int64)
        if is_symbolic(keys):
            states: Any = [stack([0, 0, key]) for key in unstack(keys)]
        else:
            states = [[0, 0, key] for key in keys.numpy().tolist()]
        return [Generator(state=state, alg=self._algorithm) for state in states]


def _count(shape: Any, sizes: Sequence[Any]) -> Any:
    """How many numbers a shape has; a graph may not know it yet."""
    if isinstance(sizes, SymbolicValue) or any(isinstance(size, SymbolicValue) for size in sizes):
        return known_int(reduce_prod(cast(to_tensor(shape), dtypes.int64)))
    return math.prod(sizes)


class _Global:
    """The generator of the process."""

    generator: Generator | None = None


_LOCK = threading.Lock()


@at_reset
def _forget_generator() -> None:
    _Global.generator = None


def get_global_generator() -> Generator:
    """The generator of the process, made when it is first asked for
    (`tf.random.get_global_generator`).
    """
    with _LOCK:
        if _Global.generator is None:
            if PROCESS.deterministic:
                raise RuntimeError(
                    '"get_global_generator" cannot be called if determinism is enabled, unless '
                    '"set_global_generator" has already been called. Please call '
                    '"set_global_generator" first.'
                )
            _Global.generator = Generator.from_non_deterministic_state()
        return _Global.generator


def set_global_generator(generator: Generator) -> None:
    """Replaces the generator of the process (`tf.random.set_global_generator`)."""
    with _LOCK:
        _Global.generator = generator
