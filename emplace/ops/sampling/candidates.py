"""Candidate samplers: a few classes drawn for a whole batch, and how often each was expected."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.context import LOCAL, at_reset
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, Op, apply, op
from ..random.stateful import fresh_key, get_seed, op_key
from . import draws

RESERVED = 512  # counters that TensorFlow sets aside for each number drawn


class Candidates(NamedTuple):
    """What samplers return."""

    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


class AccidentalHits(NamedTuple):
    """What `compute_accidental_hits` returns."""

    indices: Any
    ids: Any
    weights: Any


class Seen:
    """How often a learning sampler has seen each class; one more than that."""

    def __init__(self, size: int) -> None:
        self.counts = np.ones(size, np.int64)
        self.lock = threading.Lock()


_SEEN: dict[Any, Seen] = {}


@at_reset
def _forget() -> None:
    _SEEN.clear()


# -- kernels ---------------------------------------------------------------------------------------


def _check(true_classes: torch.Tensor, num_true: int, num_sampled: int) -> None:
    """Raises InvalidArgumentError unless there are `num_true` classes in each row."""
    for name, value in (("num_true", num_true), ("num_sampled", num_sampled)):
        _check_least(name, value)
    if true_classes.ndim != 2:
        raise invalid_argument("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise invalid_argument(
            "true_classes must have num_true columns, expected: "
            f"{true_classes.shape[1]} was: {num_true}"
        )


def _check_least(name: str, value: int) -> None:
    if value < 1:
        raise invalid_argument(f"Value for attr '{name}' of {value} must be at least minimum 1")


def _sample(
    sampler: draws.Sampler,
    true_classes: torch.Tensor,
    count: int,
    unique: bool,
    seed: Sequence[int] | None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What every sampler does with its distribution."""
    if unique and count > sampler.possible:
        raise invalid_argument("Sampler's range is too small.")
    true = true_classes.numpy()
    outside = (true < 0) | (true >= sampler.size)
    if outside.any():
        raise invalid_argument(
            f"`true_candidate` out of range [0, {sampler.size}), received {true[outside][0]}"
        )
    stream, tries = draws.Stream(*(seed or fresh_key())), count
    if unique:
        sampled, tries = draws.distinct(sampler.draw, stream, count)
    else:
        sampled = sampler.draw(stream, count)
    counts = [
        torch.from_numpy(np.asarray(draws.expected(sampler.probability(each), count, tries)))
        for each in (true, sampled)
    ]
    return torch.from_numpy(sampled.astype(np.int64)), counts[0], counts[1]


def uniform_kernel(
    true_classes: torch.Tensor, *, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: Sequence[int],
) -> Any:  # fmt: skip
    """All classes alike."""
    _check_least("range_max", range_max)
    _check(true_classes, num_true, num_sampled)
    return _sample(draws.uniform(range_max), true_classes, num_sampled, unique, seed)


def log_uniform_kernel(
    true_classes: torch.Tensor, *, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: Sequence[int] | None,
) -> Any:  # fmt: skip
    """Small numbers more often."""
    _check_least("range_max", range_max)
    _check(true_classes, num_true, num_sampled)
    return _sample(draws.log_uniform(range_max), true_classes, num_sampled, unique, seed)


def learned_kernel(
    true_classes: torch.Tensor, *, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: Sequence[int], seen: Seen | None,
) -> Any:  # fmt: skip
    """As often as they were true before."""
    _check_least("range_max", range_max)
    _check(true_classes, num_true, num_sampled)
    seen = seen or Seen(range_max)
    with seen.lock:
        sampler = draws.learned(seen.counts)
        found = _sample(sampler, true_classes, num_sampled, unique, seed)
        new = np.bincount(true_classes.numpy().reshape(-1), minlength=range_max)
        seen.counts = seen.counts + new
    return found


def fixed_kernel(
    true_classes: torch.Tensor, *, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: Sequence[int], vocab_file: str = "", distortion: float = 1.0, num_reserved_ids: int = 0,
    num_shards: int = 1, shard: int = 0, unigrams: Sequence[float] = (),
) -> Any:  # fmt: skip
    """As often as given weights say."""
    _check_least("range_max", range_max)
    weights = draws.checked_unigrams(vocab_file, unigrams)
    sampler = draws.of_unigrams(range_max, weights, distortion, num_reserved_ids, num_shards, shard)
    _check(true_classes, num_true, num_sampled)
    return _sample(sampler, true_classes, num_sampled, unique, seed)


def all_kernel(true_classes: torch.Tensor, *, num_true: int, num_sampled: int, unique: bool) -> Any:
    """Every class once."""
    _check(true_classes, num_true, num_sampled)
    if bool(((true_classes < 0) | (true_classes >= num_sampled)).any()):
        first = true_classes[(true_classes < 0) | (true_classes >= num_sampled)][0]
        raise invalid_argument(
            f"`true_candidate` out of range [0, {num_sampled}), received {int(first)}"
        )
    return torch.arange(num_sampled), torch.ones(true_classes.shape), torch.ones(num_sampled)


def hits_kernel(
    true_classes: torch.Tensor, sampled_candidates: torch.Tensor, *, num_true: int
) -> Any:
    """Where true classes were drawn: row, place among the drawn, and a weight that rules it out."""
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise invalid_argument("true_candidates must be a batch_size * num_true matrix")
    if sampled_candidates.ndim != 1:
        raise invalid_argument(
            "sampled_candidates must be a vector, which is typically an output from "
            "CandidateSampler"
        )
    place = {value: i for i, value in enumerate(sampled_candidates.tolist())}
    rows = enumerate(true_classes.tolist())
    found = [(i, place[each]) for i, row in rows for each in row if each in place]
    indices = torch.tensor([i for i, _ in found], dtype=torch.int32)
    ids = torch.tensor([where for _, where in found], dtype=torch.int64)
    weights = torch.full((len(found),), torch.finfo(torch.float32).min)
    return indices, ids, weights


# -- records ---------------------------------------------------------------------------------------


def _rule(true_classes: Spec, *, num_true: int, num_sampled: int, **attrs: Any) -> Any:
    rows = true_classes.dims[0] if true_classes.dims else None
    drawn = (num_sampled,)
    return (
        Spec(drawn, dtypes.int64),
        Spec((rows, num_true), dtypes.float32),
        Spec(drawn, dtypes.float32),
    )


def _hits_rule(true_classes: Spec, sampled_candidates: Spec, *, num_true: int) -> Any:
    return tuple(Spec((None,), each) for each in (dtypes.int32, dtypes.int64, dtypes.float32))


def _declare(name: str, kernel: Callable[..., Any]) -> Op:
    return op(
        name,
        "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float32, "
        "sampled_expected_count: float32",
        kernel, _rule, device_types=CPU_ONLY, stateful=True,
    )  # fmt: skip


UNIFORM = _declare("UniformCandidateSampler", uniform_kernel)
LOG_UNIFORM = _declare("LogUniformCandidateSampler", log_uniform_kernel)
LEARNED = _declare("LearnedUnigramCandidateSampler", learned_kernel)
LEARNED_ALONE = _declare("ThreadUnsafeUnigramCandidateSampler", learned_kernel)
FIXED = _declare("FixedUnigramCandidateSampler", fixed_kernel)
ALL = _declare("AllCandidateSampler", all_kernel)
HITS = op(
    "ComputeAccidentalHits",
    "true_classes: int64, sampled_candidates: int64 -> "
    "indices: int32, ids: int64, weights: float32",
    hits_kernel, _hits_rule, device_types=CPU_ONLY,
)  # fmt: skip


# -- functions -------------------------------------------------------------------------------------


def _classes(value: TensorLike) -> Tensor:
    return to_tensor(value, hint=dtypes.int64)


def _apply(
    record: Op, true_classes: TensorLike, seed: int | None, attrs: dict[str, Any]
) -> Candidates:
    key = op_key((record.name, *attrs.values()), seed, RESERVED * attrs["num_sampled"])
    more: dict[str, Any] = {"seed": key}
    if record is LEARNED:
        more["seen"] = _seen(attrs, seed, key)
    return Candidates(*apply(record, (_classes(true_classes),), {**attrs, **more}))


def _seen(attrs: dict[str, Any], seed: int | None, key: Sequence[int]) -> Seen:
    """TF: what was seen stays with the op: one of a graph, or those of the same arguments."""
    if seed is None and key is not None:
        return Seen(max(attrs["range_max"], 1))
    return seen_by((*attrs.values(), seed), attrs["range_max"])


def seen_by(user: tuple[Any, ...], size: int) -> Seen:
    """What an op has seen that is told from others by `user`: each of a graph is one of its own."""
    fresh = Seen(max(size, 1))
    return _SEEN.setdefault(user, fresh) if LOCAL.state.target.is_eager else fresh


def _attrs(num_true: int, num_sampled: int, unique: bool, range_max: int) -> dict[str, Any]:
    return {
        "num_true": int(num_true),
        "num_sampled": int(num_sampled),
        "unique": bool(unique),
        "range_max": int(range_max),
    }


def uniform_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes, all with the same chance (`tf.random.uniform_candidate_sampler`).

    Args:
        true_classes: int64 of shape (batch, num_true).
        num_true: the number of true classes of an example.
        num_sampled: how many classes to draw.
        unique: draw no class twice.
        range_max: the number of classes.
        seed: for the same classes in every run.
        name: ignored.

    Returns:
        `sampled_candidates`, int64 of shape (num_sampled,); `true_expected_count`, float32 of shape
        (batch, num_true), how often each true class was expected among them; and
        `sampled_expected_count`, the same of those that were drawn.

    Raises:
        InvalidArgumentError: a shape or number does not fit.

    >>> uniform_candidate_sampler([[0]], 1, 3, True, 3).sampled_expected_count.shape
    TensorShape([3])
    """
    attrs = _attrs(num_true, num_sampled, unique, range_max)
    return _apply(UNIFORM, true_classes, seed, attrs)


def log_uniform_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes, small numbers more often: for classes sorted by how frequent they are
    (`tf.random.log_uniform_candidate_sampler`). Arguments and results are those of
    `uniform_candidate_sampler`.

    Args:
        true_classes: shape (batch, num_true), int64.
        num_true: how many true classes an example has.
        num_sampled: how many classes are drawn.
        unique: True draws no class twice.
        range_max: the number of classes.
        seed: a seed of the op.
        name: a name in graphs.
    """
    attrs = _attrs(num_true, num_sampled, unique, range_max)
    return _apply(LOG_UNIFORM, true_classes, seed, attrs)


def learned_unigram_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    seed: int | None = None, name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes as often as they were true in calls before
    (`tf.random.learned_unigram_candidate_sampler`). Arguments and results are those of
    `uniform_candidate_sampler`.

    Args:
        true_classes: shape (batch, num_true), int64.
        num_true: how many true classes an example has.
        num_sampled: how many classes are drawn.
        unique: True draws no class twice.
        range_max: the number of classes.
        seed: a seed of the op.
        name: a name in graphs.
    """
    attrs = _attrs(num_true, num_sampled, unique, range_max)
    return _apply(LEARNED, true_classes, seed, attrs)


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
    vocab_file: str = "", distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1,
    shard: int = 0, unigrams: Sequence[float] = (), seed: int | None = None,
    name: str | None = None,
) -> Candidates:  # fmt: skip
    """Draws classes as often as weights say (`tf.random.fixed_unigram_candidate_sampler`).

    Args:
        true_classes: see `uniform_candidate_sampler`.
        num_true: likewise.
        num_sampled: likewise.
        unique: likewise.
        range_max: likewise.
        vocab_file: a file of a line per class, whose last column, behind a comma, is its weight.
        distortion: weights are raised to this power.
        num_reserved_ids: so many classes before the first weight are never drawn.
        num_shards: with `shard`: only every so many-th class is taken.
        shard: which of them.
        unigrams: the weights, instead of a file.
        seed: see `uniform_candidate_sampler`.
        name: ignored.

    Raises:
        InvalidArgumentError: there are not `range_max` weights, or a shape does not fit.
        NotFoundError: there is no such file.

    >>> drawn = fixed_unigram_candidate_sampler([[1]], 1, 2, False, 2, unigrams=[0.0, 3.0])
    >>> drawn.sampled_candidates.numpy().tolist()
    [1, 1]
    """
    attrs = _attrs(num_true, num_sampled, unique, range_max) | {
        "vocab_file": str(vocab_file),
        "distortion": float(distortion),
        "num_reserved_ids": int(num_reserved_ids),
        "num_shards": int(num_shards),
        "shard": int(shard),
        "unigrams": tuple(map(float, unigrams)),
    }
    return _apply(FIXED, true_classes, seed, attrs)


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Candidates:
    """Returns every class once, for tests (`tf.random.all_candidate_sampler`).

    Args:
        true_classes: shape (batch, num_true), int64.
        num_true: how many true classes an example has.
        num_sampled: how many classes are drawn.
        unique: True draws no class twice.
        seed: a seed of the op.
        name: a name in graphs.

    >>> all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy().tolist()
    [0, 1, 2]
    """
    attrs = _attrs(num_true, num_sampled, unique, 1)
    del attrs["range_max"]
    get_seed(seed)
    return Candidates(*apply(ALL, (_classes(true_classes),), attrs))


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> AccidentalHits:
    """Returns where drawn classes are true ones (`tf.nn.compute_accidental_hits`).

    Args:
        true_classes: int64 of shape (batch, num_true).
        sampled_candidates: int64 of shape (num_sampled,).
        num_true: the number of true classes of an example.
        seed: changes nothing, but counts as that of a draw.
        name: ignored.

    Returns:
        `indices`, the example of each hit, int32; `ids`, its place among the drawn, int64; and
        `weights`, the lowest float32, which rules it out when it is added to a logit.

    Raises:
        InvalidArgumentError: a shape does not fit.

    >>> hits = compute_accidental_hits([[5], [7]], [7, 8], 1)
    >>> hits.indices.numpy().tolist(), hits.ids.numpy().tolist()
    ([1], [0])
    """
    get_seed(seed)
    inputs = _classes(true_classes), _classes(sampled_candidates)
    return AccidentalHits(*apply(HITS, inputs, {"num_true": int(num_true)}))
