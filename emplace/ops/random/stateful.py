"""Random numbers that go on from call to call: uniform, normal, shuffle and others; seeds.

With a seed, global or of the op, the numbers of `uniform`, `normal`, `truncated_normal`,
`shuffle` and `categorical` are TensorFlow's own, on every device. Without any they come from
torch's generators, one per device, which are faster.
"""

from __future__ import annotations

import math
import random as python_random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from ...core.context import LOCAL, PROCESS, at_reset
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...devices.constants import bring
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from .. import infer
from ..arguments import one_number
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, Op, apply, op
from . import draws
from .distributions import drawn_dtype, gamma_kernel, poisson_kernel, scaled_by_rate, together
from .philox import BITS128, of_op_seeds
from .seeds import Key
from .stateless import (
    bounds,
    categorical_kernel,
    check_bounds,
    check_floating,
    check_logits,
    class_dtype,
    moved,
    reorder_kernel,
    scaled,
    sized,
)

_LOCK = threading.Lock()
_DEFAULT_GRAPH_SEED = 87654321
_MOST = 2**31 - 1
_UNKNOWN_SIZE = 2**40
_BELOW_TWO = 1.9999999  # the largest float32 below 2
_RESERVED = 256  # counters that TensorFlow sets aside for each number


def refuse_if_deterministic() -> None:
    """Refuses a draw that nobody can repeat where determinism is wished for."""
    if PROCESS.deterministic:
        raise RuntimeError(
            "Random ops require a seed to be set when determinism is enabled. Please "
            "set a seed before running the op, e.g. by calling tf.random.set_seed(1)."
        )


class _Seeds:
    """The global seed, and how far the numbers of each pair of seeds have been used."""

    def __init__(self, value: int | None = None) -> None:
        self.value = value
        self.drawn = python_random.Random(value)
        self.used: dict[tuple[Any, ...], int] = {}

    def next(self, user: tuple[Any, ...], seed: int | None, counters: Any) -> Key | None:
        """The key and counter of the next draw; None for one nobody can repeat. In a graph the
        operation draws whenever it runs.

        Args:
            user: the op and what else TensorFlow keeps separate generators for.
            seed: the op's own seed.
            counters: how many counters the draw sets aside.
        """
        target: Any = LOCAL.state.target
        if get_seed is not _OWN_GET_SEED:
            return self.of_pair(user, get_seed(seed), counters)  # type: ignore[no-any-return]
        if not target.is_eager:
            return self._in_graph(target.graph, seed, counters)  # type: ignore[return-value]
        with _LOCK:
            if self.value is None and seed is None:
                refuse_if_deterministic()
                return None
            first, second = self.pair(seed)
            key, counter = of_op_seeds(first, second)
            if seed is None:
                return key, counter
            place = (*user, first, second)
            start = self.used.get(place, 0)
            self.used[place] = start + counters
            return key, counter + start & BITS128

    def of_pair(
        self, user: tuple[Any, ...], seeds: tuple[int | None, int | None], counters: Any
    ) -> Any:
        """The key and counter for two seeds: those of a raw op, or what a program's own `get_seed`
        tells, which tools that compare sessions with eager mode put in the place of ours.
        """
        if seeds == (None, None):
            return None
        key, counter = of_op_seeds(*(int(each or 0) for each in seeds))
        if not LOCAL.state.target.is_eager:
            return GraphKey(key, counter, counters)
        with _LOCK:
            place = (*user, *seeds)
            start = self.used.get(place, 0)
            self.used[place] = start + counters
        return key, counter + start & BITS128

    def pair(self, seed: int | None) -> tuple[int, int]:
        """The two seeds of an op whose own one is `seed`."""
        return both_seeds(self.value, self.drawn.randint(0, _MOST) if seed is None else seed)

    def _in_graph(self, graph: Any, seed: int | None, counters: int | None) -> GraphKey | None:
        pair = self.pair_in(graph, seed)
        return None if pair is None else GraphKey(*of_op_seeds(*pair), counters)

    def pair_in(self, graph: Any, seed: int | None) -> tuple[int, int] | None:
        """The two seeds of an operation of a graph; None where nobody asked for any."""
        own = graph
        while graph.is_function and getattr(graph, "outer", None) is not None:
            graph = graph.outer
        given = self.value if graph.is_function else graph.seed
        if given is None and seed is None:
            refuse_if_deterministic()
            return None
        return both_seeds(given, self._drawn_in(own) if seed is None else seed)

    def _drawn_in(self, graph: Any) -> int:
        """The next seed of a graph. TF: each graph, branch and body counts from 0."""
        if graph.seeds_drawn is None:
            return self.drawn.randint(0, _MOST)
        graph.seeds_drawn += 1
        return int(graph.seeds_drawn) - 1


class GraphKey:
    """The key and counter of an operation of a graph: other ones in each run, the same again in
    every session.
    """

    __slots__ = ("_counter", "_counters", "_key", "_used")

    def __init__(self, key: int, counter: int, counters: Any) -> None:
        self._key, self._counter = key, counter
        self._counters = counters if isinstance(counters, int) else _UNKNOWN_SIZE
        self._used: dict[Any, int] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(self.take(self._counters))

    def take(self, counters: int) -> Key:
        """Where a draw begins that sets aside so many counters."""
        used = LOCAL.state.draws
        used = self._used if used is None else used
        with _LOCK:
            start = used.get(self, 0)
            used[self] = start + counters
        return self._key, self._counter + start & BITS128


def _start(seed: Any, shape: Sequence[int]) -> Key:
    """Where a draw of numbers of this shape begins: graphs may know the shape only now."""
    if isinstance(seed, GraphKey):
        return seed.take(math.prod(shape) * _RESERVED)
    return seed  # type: ignore[no-any-return]


def counters_of(sizes: Sequence[Any], parameter: Tensor | None = None) -> int | None:
    """How many counters TensorFlow sets aside for so many numbers for each parameter; None if that
    is known only when the graph runs.
    """
    if isinstance(sizes, SymbolicValue) or any(isinstance(size, SymbolicValue) for size in sizes):
        return None
    each = 1 if parameter is None else parameter.shape.num_elements()
    return None if each is None else int(math.prod(sizes)) * each * _RESERVED


def _rows_of(value: Tensor) -> int:
    """How many rows there are; 0 where a graph does not know it."""
    return (value.shape.as_list() or [0])[0] or 0 if value.shape.rank is not None else 0


def counters_of_shuffle(value: Tensor) -> int:
    """How many counters TensorFlow sets aside for an order of the rows."""
    return (max(_rows_of(value) - 1, 0) + 3) // 4


def counters_of_classes(logits: Tensor, samples: Any) -> int:
    """How many counters TensorFlow sets aside for so many classes for each row."""
    if isinstance(samples, SymbolicValue):
        return 0
    return max(0, _rows_of(logits) * (int(samples) + 3) // 4 * 4 * 2 * _RESERVED)


_SEEDS = _Seeds()


@at_reset
def _forget_seeds() -> None:
    _SEEDS.__init__()  # type: ignore[misc]


@contextmanager
def as_if_nothing_was_drawn() -> Iterator[None]:
    """A block after which random ops of this thread, and of replicas that it starts, go on as if
    nothing had been drawn in it; those of functions begin in it at their first numbers.
    """
    state, torchs = LOCAL.state, torch.get_rng_state()
    with _LOCK:
        drawn, used = _SEEDS.drawn.getstate(), dict(_SEEDS.used)
    devices = [(each, each.generator) for each in INVENTORY.devices()]
    states = [None if made is None else made.get_state() for _, made in devices]
    before, state.draws = state.draws, dict(state.draws or {})
    try:
        yield
    finally:
        state.draws = before
        with _LOCK:
            _SEEDS.drawn.setstate(drawn)
            _SEEDS.used = used
        for (device, made), held in zip(devices, states, strict=True):
            device.generator = made
            if made is not None and held is not None:
                made.set_state(held)
        torch.set_rng_state(torchs)


def _generator(device: Device) -> torch.Generator:
    if device.generator is None:
        device.generator = device.backend.generator(device.ordinal)
        device.generator.seed()
    return device.generator


def fresh_key() -> Key:
    """A key and counter nobody can repeat."""
    return tuple(torch.randint(0, 2**62, (2,)).tolist())


def uniform_kernel(
    *, shape: Sequence[int], dtype: DType, seed: Key | None, device: Device
) -> torch.Tensor:
    """Floats from 0 up to, not including, 1."""
    where = device.torch_device
    if seed is not None:
        return draws.uniform(*_start(seed, shape), math.prod(shape), dtype, where).reshape(shape)
    return torch.rand(shape, dtype=dtype.torch, device=where, generator=_generator(device))


def normal_kernel(
    *, shape: Sequence[int], dtype: DType, seed: Key | None, device: Device
) -> torch.Tensor:
    """Floats with mean 0 and deviation 1."""
    where = device.torch_device
    if seed is not None:
        return draws.normal(*_start(seed, shape), math.prod(shape), dtype, where).reshape(shape)
    return torch.randn(shape, dtype=dtype.torch, device=where, generator=_generator(device))


def truncated_normal_kernel(
    *, shape: Sequence[int], dtype: DType, seed: Key | None, device: Device
) -> torch.Tensor:
    """The same, none of them 2 or farther from 0."""
    if seed is not None:
        count = math.prod(shape)
        return draws.truncated_normal(
            *_start(seed, shape), count, dtype, device.torch_device
        ).reshape(shape)
    wide = torch.empty(shape, dtype=torch.float32, device=device.torch_device)
    if not wide.is_cpu:
        return _truncated_at_once(wide, device).to(dtype.torch)
    torch.nn.init.trunc_normal_(wide, 0.0, 1.0, -2.0, 2.0, generator=_generator(device))
    return wide.to(dtype.torch)


def _truncated_at_once(made: torch.Tensor, device: Device) -> torch.Tensor:
    """Truncated normal numbers by the inverse of their distribution: nothing is drawn again."""
    end = math.erf(math.sqrt(2.0))
    made.uniform_(-end, end, generator=_generator(device)).erfinv_().mul_(math.sqrt(2.0))
    return made.clamp_(-_BELOW_TWO, _BELOW_TWO)


def uniform_int_kernel(
    *,
    shape: Sequence[int],
    minval: int,
    maxval: int,
    dtype: DType,
    seed: Key | None,
    device: Device,
) -> torch.Tensor:
    """Integers from minval up to, not including, maxval."""
    check_bounds(minval, maxval, shape)
    where = device.torch_device
    if not math.prod(shape):
        return torch.empty(tuple(shape), dtype=dtype.torch, device=where)
    if seed is not None:
        numbers = draws.uniform_int(
            *_start(seed, shape), math.prod(shape), dtype, where, minval, maxval
        )
        return numbers.reshape(shape)
    return torch.randint(
        minval, maxval, tuple(shape), dtype=dtype.torch, device=where,
        generator=_generator(device),
    )  # fmt: skip


def shuffle_kernel(value: torch.Tensor, *, seed: Key | None) -> Any:
    """The rows in another order."""
    if not value.ndim or value.shape[0] < 2:
        return value.clone() if torch.is_tensor(value) else value.copy()
    if seed is not None:
        key, counter = seed
        return reorder_kernel(value, key=key, counter=counter)
    order = torch.randperm(value.shape[0])
    return value[bring(order, value.device)] if torch.is_tensor(value) else value[order.numpy()]


def multinomial_kernel(
    logits: torch.Tensor, *, num_samples: int, seed: Key | None, output_dtype: DType
) -> torch.Tensor:
    """Classes drawn with the probabilities that logits give."""
    key, counter = seed or fresh_key()
    return categorical_kernel(
        logits, num_samples=num_samples, key=key, counter=counter, output_dtype=output_dtype
    )


def _multinomial_spec(
    logits: Spec, *, num_samples: int, seed: Key | None, output_dtype: DType
) -> Spec:
    check_logits(logits, num_samples)
    return Spec((infer.known_dims(logits)[0], num_samples), output_dtype)


def random_gamma_kernel(
    alpha: torch.Tensor, *, shape: Sequence[int], seed: Key | None
) -> torch.Tensor:
    """Numbers of the gamma distribution for each alpha."""
    key, counter = seed or fresh_key()
    sizes = (*shape, *alpha.shape)
    return gamma_kernel(alpha, shape=sizes, key=key, counter=counter)


def random_poisson_kernel(
    rate: torch.Tensor, *, shape: Sequence[int], seed: Key | None, dtype: DType
) -> torch.Tensor:
    """Numbers of the Poisson distribution for each rate."""
    key, counter = seed or fresh_key()
    sizes = (*shape, *rate.shape)
    return poisson_kernel(rate, shape=sizes, key=key, counter=counter, dtype=dtype)


def _in_front_spec(value: Spec, *, shape: Sequence[int], **attrs: Any) -> Spec:
    return Spec((*shape, *infer.known_dims(value)), attrs.get("dtype", value.dtype))


_MADE = "shape: host -> output: dtype"
RANDOM_UNIFORM = op(
    "RandomUniform", _MADE, uniform_kernel, infer.made, is_factory=True, stateful=True
)
RANDOM_NORMAL = op(
    "RandomStandardNormal", _MADE, normal_kernel, infer.made, is_factory=True, stateful=True
)
TRUNCATED_NORMAL = op(
    "TruncatedNormal", _MADE, truncated_normal_kernel, infer.made, is_factory=True, stateful=True
)
RANDOM_UNIFORM_INT = op(
    "RandomUniformInt", "shape: host, minval: host, maxval: host -> output: dtype",
    uniform_int_kernel, infer.made, is_factory=True, stateful=True,
)  # fmt: skip
RANDOM_SHUFFLE = op(
    "RandomShuffle", "value: T -> output: T", shuffle_kernel, infer.same, stateful=True,
    T=dtypes.ANY,
)  # fmt: skip
MULTINOMIAL = op(
    "Multinomial", "logits: T, num_samples: host -> output: output_dtype",
    multinomial_kernel, _multinomial_spec, stateful=True, T=dtypes.REALS,
)  # fmt: skip
RANDOM_GAMMA = op(
    "RandomGamma", "shape: host, alpha: T -> output: T", random_gamma_kernel, _in_front_spec,
    stateful=True, T=(dtypes.float16, dtypes.float32, dtypes.float64),
    device_types=CPU_ONLY,
)  # fmt: skip
RANDOM_POISSON = op(
    "RandomPoissonV2", "shape: host, rate: R -> output: dtype",
    random_poisson_kernel, _in_front_spec, stateful=True,
    R=(dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64),
    device_types=CPU_ONLY,
)  # fmt: skip


def set_seed(seed: int | None) -> None:
    """Makes the random ops that follow repeatable (`tf.random.set_seed`), or no longer so for None.

    Raises:
        TypeError: `seed` is no integer.
    """
    with _LOCK:
        _SEEDS.__init__(None if seed is None else int(seed))  # type: ignore[misc]


def global_seed() -> int | None:
    """The seed that `set_seed` was given last, None for none."""
    return _SEEDS.value


def next_seeds(seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds that the next eager op would get whose own one is `seed`; None for one that
    nobody can repeat.
    """
    with _LOCK:
        if _SEEDS.value is None and seed is None:
            refuse_if_deterministic()
            return None, None
        return _SEEDS.pair(seed)


def both_seeds(given: int | None, own: int) -> tuple[int, int]:
    """The two seeds of an op, of a graph's or program's and its own; never both 0."""
    first = _DEFAULT_GRAPH_SEED if given is None else given % _MOST
    second = int(own) % _MOST
    return first, second if first or second else _MOST


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds that an operation would get (`tf.compat.v1.get_seed`). A function that a
    program puts in its place, in this module, tells the seeds of all random ops.
    """
    target: Any = LOCAL.state.target
    if target.is_eager:
        return next_seeds(op_seed)
    return _SEEDS.pair_in(target.graph, op_seed) or (None, None)


_OWN_GET_SEED = get_seed


def op_key(user: tuple[Any, ...], seed: int | None, counters: int) -> Any:
    """The key and counter of an op's next draw; None for one that nobody can repeat.

    Args:
        user: the op and what else TensorFlow keeps separate generators for.
        seed: the op's own seed.
        counters: how many counters the draw sets aside.
    """
    return _SEEDS.next(user, seed, counters)


def raw_key(user: tuple[Any, ...], seed: int, seed2: int, counters: int | None) -> Any:
    """The key and counter of the next draw of a raw op, by its two seeds; None for zeros, which
    mean one that nobody can repeat. It goes on from call to call, as `op_key` does.

    Raises:
        InvalidArgumentError: there is no seed, and determinism is wished for.
    """
    if seed or seed2:
        return _SEEDS.of_pair(user, (seed, seed2), counters)
    if PROCESS.deterministic:
        raise invalid_argument(
            "When determinism is enabled, random ops must have a seed specified."
        )
    return None


def host_seeds(seed: int | None) -> Any:
    """Two numbers for what draws on the host without an op, datasets above all; None where nobody
    asked for the same numbers again.

    Args:
        seed: the seed that the program gave.
    """
    found: Any = _SEEDS.next(("host",), seed, 0)
    return (found._key, found._counter) if isinstance(found, GraphKey) else found


_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_UNIFORM_TYPES = (*_FLOATS, dtypes.int32, dtypes.int64)


def _drawn(
    record: Op, shape: ShapeLike | None, dtype: DType, seed: int | None, **more: Any
) -> Tensor:
    """Applies an op that makes numbers from nothing."""
    sizes = sized(shape, record.name)
    key = _SEEDS.next((record.name, dtype), seed, counters_of(sizes))
    return apply(record, (), {"shape": sizes, "dtype": dtype, "seed": key, **more})


def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns numbers spread evenly from minval up to, not including, maxval (`tf.random.uniform`).

    Args:
        shape: the shape.
        minval: the smallest number.
        maxval: the end; 1 for floats, required for integers.
        dtype: the dtype.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.

    Raises:
        ValueError: integers without maxval, or another kind of dtype.
        InvalidArgumentError: minval is not below maxval.
    """
    out_dtype = as_dtype(dtype)
    if out_dtype not in _UNIFORM_TYPES:
        allowed = ", ".join(f"tf.{allowed_dtype.name}" for allowed_dtype in _UNIFORM_TYPES)
        raise ValueError(
            f"Argument `dtype` got invalid value {out_dtype!r}. Accepted dtypes are ({allowed})."
        )
    if not out_dtype.is_integer:
        return scaled(_drawn(RANDOM_UNIFORM, shape, out_dtype, seed), minval, maxval, out_dtype)
    if maxval is None:
        raise ValueError("Must specify maxval for integer dtype tf." + out_dtype.name)
    sizes = sized(shape, RANDOM_UNIFORM_INT.name)
    low, high = bounds(minval, maxval, out_dtype, RANDOM_UNIFORM_INT.name, sizes)
    return _drawn(RANDOM_UNIFORM_INT, shape, out_dtype, seed, minval=low, maxval=high)


def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns numbers with a mean and a standard deviation (`tf.random.normal`).

    Args:
        shape: the shape.
        mean: the mean, a number or tensor that broadcasts.
        stddev: the standard deviation, likewise.
        dtype: a floating dtype.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.
    """
    wanted = as_dtype(dtype)
    check_floating(wanted)
    return moved(_drawn(RANDOM_NORMAL, shape, wanted, seed), mean, stddev, wanted)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Does as `normal`, but no number is farther than two deviations from the mean
    (`tf.random.truncated_normal`).

    Args:
        shape: the shape of the result.
        mean: the mean.
        stddev: the deviation.
        dtype: a float dtype.
        seed: a seed of the op.
        name: a name in graphs.
    """
    wanted = as_dtype(dtype)
    check_floating(wanted)
    return moved(_drawn(TRUNCATED_NORMAL, shape, wanted, seed), mean, stddev, wanted)


def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of a tensor in a random order (`tf.random.shuffle`)."""
    value = to_tensor(value)
    key = _SEEDS.next(("RandomShuffle", value.dtype), seed, counters_of_shuffle(value))
    return apply(RANDOM_SHUFFLE, (value,), {"seed": key})


def categorical(
    logits: TensorLike,
    num_samples: IntLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns classes drawn at random (`tf.random.categorical`).

    Args:
        logits: logarithms of the classes' shares, shape (rows, classes).
        num_samples: how many for each row.
        dtype: int32 or int64, the default.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.

    Returns:
        A tensor of shape (rows, num_samples).

    Raises:
        InvalidArgumentError: logits is no matrix, or has no classes.
        ValueError: the dtype is another one.
    """
    logits = to_tensor(logits)
    samples = one_number(num_samples, "num_samples")
    out_dtype = class_dtype(dtype)
    counters = counters_of_classes(logits, samples)
    key = _SEEDS.next(("Multinomial", logits.dtype, out_dtype), seed, counters)
    attrs = {"num_samples": samples, "seed": key, "output_dtype": out_dtype}
    return apply(MULTINOMIAL, (logits,), attrs)


def gamma(
    shape: ShapeLike,
    alpha: Any,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns numbers of the gamma distribution (`tf.random.gamma`).

    Args:
        shape: how many for each pair of parameters, in front of their shape.
        alpha: the shape parameter.
        beta: the rate, 1 by default.
        dtype: float16, float32 or float64.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.
    """
    wanted = as_dtype(dtype)
    check_floating(wanted, 1.0)
    alpha, beta = together(alpha, beta, wanted)
    sizes = sized(shape, "RandomGamma")
    key = _SEEDS.next(("RandomGamma", wanted), seed, counters_of(sizes, alpha))
    numbers = apply(RANDOM_GAMMA, (alpha,), {"shape": sizes, "seed": key})
    return scaled_by_rate(numbers, beta)


def poisson(
    shape: ShapeLike, lam: Any, dtype: DTypeLike = dtypes.float32, seed: int | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns numbers of the Poisson distribution (`tf.random.poisson`).

    Args:
        shape: how many for each lam, in front of its shape.
        lam: the mean.
        dtype: the dtype of the result.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.
    """
    wanted, lam = drawn_dtype(dtype), to_tensor(lam)
    sizes = sized(shape, "RandomPoissonV2")
    key = _SEEDS.next(("RandomPoissonV2", wanted), seed, counters_of(sizes, lam))
    attrs = {"shape": sizes, "seed": key, "dtype": wanted}
    return apply(RANDOM_POISSON, (lam,), attrs)
