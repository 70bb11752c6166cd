"""Losses over many classes that look at the true ones and at a few drawn ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..array.barrier import stop_gradient
from ..array.joining import concat, stack
from ..array.making import ones, ones_like, zeros, zeros_like
from ..array.scattering import tensor_scatter_nd_update
from ..array.shaping import reshape, shape
from ..convert import to_tensor
from ..linalg.products import matmul
from ..math.elementwise import add, cast, log, multiply, subtract, truediv
from ..math.reduction import reduce_sum
from ..nn.embedding import embedding_lookup
from ..nn.loss import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from .candidates import compute_accidental_hits, log_uniform_candidate_sampler

Lookup = Callable[[Any, Any], Any]


def _sampled_logits(
    lookup: Lookup,
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    seed: int | None,
) -> tuple[Any, Any]:
    """Logits and labels of the true classes and of those that were drawn, side by side."""
    inputs = to_tensor(inputs)
    labels = _as_classes(labels)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_expected, sampled_expected = map(stop_gradient, sampled_values)
    flat = reshape(labels, [-1])
    count = shape(flat)[0]
    ids = concat([flat, cast(sampled, dtypes.int64)], 0)
    rows = cast(lookup(weights, ids), inputs.dtype)
    offsets = cast(lookup(biases, ids), inputs.dtype)
    true = add(
        _row_products(inputs, rows[:count], num_true), reshape(offsets[:count], [-1, num_true])
    )
    drawn = add(matmul(inputs, rows[count:], transpose_b=True), offsets[count:])
    if remove_accidental_hits:
        drawn = add(drawn, _penalties(labels, sampled, num_true, drawn))
    true = subtract(true, log(true_expected))
    drawn = subtract(drawn, log(sampled_expected))
    shares = [truediv(ones_like(true), float(num_true)), zeros_like(drawn)]
    return concat([true, drawn], 1), concat(shares, 1)


def _as_classes(labels: TensorLike) -> Tensor:
    given = to_tensor(labels, hint=dtypes.int64)
    return given if given.dtype is dtypes.int64 else cast(given, dtypes.int64)


def _row_products(inputs: Tensor, rows: Tensor, num_true: int) -> Tensor:
    """The product of each example with each of its classes' rows: (batch, num_true)."""
    width = shape(rows)[1]
    grouped = reshape(rows, stack([-1, num_true, width]))
    return reduce_sum(multiply(inputs[:, None], grouped), 2)


def _penalties(labels: TensorLike, sampled: Tensor, num_true: int, like: Tensor) -> Tensor:
    """The lowest number where a drawn class is a true one, else 0."""
    hits = compute_accidental_hits(labels, sampled, num_true)
    places = stack([cast(hits.indices, dtypes.int64), hits.ids], 1)
    empty = zeros(shape(like), like.dtype)
    return tensor_scatter_nd_update(empty, places, cast(hits.weights, like.dtype))


def nce(
    lookup: Lookup,
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: TensorLike | None,
    remove_accidental_hits: bool,
) -> Tensor:
    """`nce_loss`, with a function that looks rows up in the parts of a table."""
    logits, shares = _sampled_logits(
        lookup, weights, biases, labels, inputs, num_sampled, num_classes, num_true,
        sampled_values, remove_accidental_hits, None,
    )  # fmt: skip
    losses = sigmoid_cross_entropy_with_logits(labels=shares, logits=logits)
    return reshape(matmul(losses, ones(stack([shape(losses)[1], 1]), losses.dtype)), [-1])


def sampled_softmax(
    lookup: Lookup, weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int,
    num_classes: int, num_true: int, sampled_values: Any, remove_accidental_hits: bool,
    seed: int | None,
) -> Tensor:  # fmt: skip
    """`sampled_softmax_loss`, with a function that looks rows up in the parts of a table."""
    logits, shares = _sampled_logits(
        lookup, weights, biases, labels, inputs, num_sampled, num_classes, num_true,
        sampled_values, remove_accidental_hits, seed,
    )  # fmt: skip
    return softmax_cross_entropy_with_logits(labels=stop_gradient(shares), logits=logits)


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Tensor:
    """Tells true classes from drawn ones: noise-contrastive estimation (`tf.nn.nce_loss`).

    Args:
        weights: a row per class, (num_classes, width), or a list of its parts.
        biases: (num_classes,).
        labels: the true classes, (batch, num_true).
        inputs: (batch, width).
        num_sampled: how many classes to draw for the batch.
        num_classes: the number of classes.
        num_true: the number of true classes of an example.
        sampled_values: what a candidate sampler returned; `log_uniform_candidate_sampler` draws if
            None.
        remove_accidental_hits: leave drawn classes out that are true.
        name: ignored.

    Returns:
        The loss of each example, (batch,).

    Raises:
        InvalidArgumentError: a shape does not fit.

    >>> loss = nce_loss([[1.0], [2.0]], [0.0, 0.0], [[1]], [[1.0]], 1, 2)
    >>> loss.shape
    TensorShape([1])
    """
    return nce(
        embedding_lookup, weights, biases, labels, inputs, num_sampled, num_classes, num_true,
        sampled_values, remove_accidental_hits,
    )  # fmt: skip


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:
    """Returns the cross entropy over true and drawn classes only, to train with many classes
    (`tf.nn.sampled_softmax_loss`). Arguments and result are those of `nce_loss`; `seed` is that of
    the classes that are drawn.

    Args:
        weights: shape (classes, size), or a list of its parts.
        biases: shape (classes,).
        labels: shape (batch, num_true), int64: the true classes.
        inputs: shape (batch, size).
        num_sampled: how many classes are drawn for the batch.
        num_classes: how many classes there are.
        num_true: how many true classes an example has.
        sampled_values: what a sampler returned; None draws by `log_uniform_candidate_sampler`.
        remove_accidental_hits: True leaves out drawn classes that are true ones of the example.
        seed: a seed of the op.
        name: a name in graphs.

    >>> loss = sampled_softmax_loss([[1.0], [2.0]], [0.0, 0.0], [[1]], [[1.0]], 1, 2)
    >>> loss.shape
    TensorShape([1])
    """
    return sampled_softmax(
        embedding_lookup, weights, biases, labels, inputs, num_sampled, num_classes, num_true,
        sampled_values, remove_accidental_hits, seed,
    )  # fmt: skip
