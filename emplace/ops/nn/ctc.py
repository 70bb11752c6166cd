"""Connectionist temporal classification: the loss of label sequences, and decoders.

Classes are told apart from "nothing" (blank). A path is a class per time step; the sequence it
stands for is what is left when repetitions, and then blanks, are taken out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    OpError,
    invalid_argument,
)
from ...base.shapes import runtime_text
from ..array.gathering import gather
from ..array.select import where
from ..array.shaping import transpose
from ..convert import to_tensor
from ..infer import Spec
from ..math.elementwise import cast, less, subtract
from ..op import CPU_ONLY, apply, op
from ..sparse.tensor import SparseTensor

# What TensorFlow takes for the logarithm of 0 in the loss of dense labels.
_LOG_OF_NOTHING = 707.0


def ctc_loss_kernel(
    logits: torch.Tensor,
    labels: torch.Tensor,
    label_length: torch.Tensor,
    logit_length: torch.Tensor,
    *,
    blank_index: int,
) -> torch.Tensor:
    """The loss per sequence; a constant, without gradient, where no path fits the labels."""
    lengths = logit_length.clamp(max=logits.shape[0])
    # With True, the gradient is 0 instead of NaN where the loss is infinite.
    loss = torch.ops.aten._ctc_loss.Tensor(
        torch.log_softmax(logits, -1), labels, lengths.long(), label_length.long(), blank_index,
        True,
    )[0]  # fmt: skip
    return torch.where(torch.isinf(loss), torch.full_like(loss, _LOG_OF_NOTHING), loss)


def _loss_spec(
    logits: Spec, labels: Spec, label_length: Spec, logit_length: Spec, *, blank_index: int
) -> Spec:
    if logits.dims is not None and len(logits.dims) != 3:
        raise invalid_argument(f"logits must be 3-dimensional, got {runtime_text(logits.dims)}")
    return Spec(None if logits.dims is None else (logits.dims[1],), logits.dtype)


CTC_LOSS_DENSE = op(
    "_CTCLossDense",
    "logits: T, labels: Tlabels, label_length: Tlength, logit_length: Tlogits -> loss: T",
    ctc_loss_kernel, _loss_spec, T=(dtypes.float32,), Tlabels=dtypes.INDICES,
    Tlength=dtypes.INDICES, Tlogits=dtypes.INDICES,
)  # fmt: skip


def ctc_sparse_loss_kernel(
    inputs: torch.Tensor,
    labels_indices: torch.Tensor,
    labels_values: torch.Tensor,
    sequence_length: torch.Tensor,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(the loss per sequence, its gradient for the inputs); the last class is the blank."""
    if preprocess_collapse_repeated or not ctc_merge_repeated:
        raise invalid_argument("CTCLoss merges repeated classes, and no repeated labels, here")
    _check_lengths(inputs, sequence_length)
    times, batch, classes = inputs.shape
    counts = torch.bincount(labels_indices[:, 0], minlength=batch)
    dense = torch.zeros((batch, max(1, int(counts.max()))), dtype=torch.int64)
    dense[labels_indices[:, 0], labels_indices[:, 1]] = labels_values.long()
    if labels_values.numel() and not int(labels_values.min()) >= 0:
        raise invalid_argument("All labels must be nonnegative integers")
    if labels_values.numel() and int(labels_values.max()) >= classes - 1:
        raise invalid_argument(
            f"label {int(labels_values.max())} is no class below the blank, {classes - 1}"
        )

    def loss_of(logits: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten._ctc_loss.Tensor(  # type: ignore[no-any-return]
            torch.log_softmax(logits, -1), dense, sequence_length.long(), counts, classes - 1, True
        )[0]

    loss, pull = torch.func.vjp(loss_of, inputs)[:2]
    impossible = torch.isinf(loss)
    if bool(impossible.any()) and not ignore_longer_outputs_than_inputs:
        raise invalid_argument(
            "Not enough time for target transition sequence (batch "
            f"{int(impossible.int().argmax())}, of {times} steps). You can turn this "
            "error into a warning by using the flag "
            "ignore_longer_outputs_than_inputs"
        )
    (gradient,) = pull(torch.ones_like(loss))
    return torch.where(impossible, torch.zeros_like(loss), loss), gradient


def _sparse_loss_spec(inputs: Spec, *others: Spec, **attrs: Any) -> tuple[Spec, Spec]:
    if inputs.dims is None:
        return inputs, inputs
    if len(inputs.dims) != 3:
        raise invalid_argument("inputs is not a 3-Tensor")
    return Spec((inputs.dims[1],), inputs.dtype), inputs


CTC_LOSS = op(
    "CTCLoss",
    "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 "
    "-> loss: T, gradient: T",
    ctc_sparse_loss_kernel, _sparse_loss_spec, on=CPU_ONLY, T=(dtypes.float32,),
)  # fmt: skip


def _check_lengths(
    inputs: torch.Tensor, sequence_length: torch.Tensor, error: type[OpError] = InvalidArgumentError
) -> None:
    if inputs.ndim != 3:
        raise invalid_argument("inputs is not a 3-Tensor")
    times, batch = inputs.shape[:2]
    if tuple(sequence_length.shape) != (batch,):
        raise error(
            None,
            None,
            "len(sequence_length) != batch_size.  len(sequence_length):  "
            f"{sequence_length.numel()} batch_size: {batch}",
        )
    if batch and int(sequence_length.max()) > times:
        place = int(sequence_length.argmax())
        raise error(None, None, f"sequence_length({place}) <= {times}")


def greedy_kernel(
    inputs: torch.Tensor,
    sequence_length: torch.Tensor,
    *,
    merge_repeated: bool = False,
    blank_index: int = -1,
) -> tuple[torch.Tensor, ...]:
    """(places, classes and shape of the most likely paths' sequences, minus their scores)."""
    _check_lengths(inputs, sequence_length, FailedPreconditionError)
    times, batch, classes = inputs.shape
    blank = blank_index + classes if blank_index < 0 else blank_index
    if not 0 <= blank < classes:
        raise invalid_argument(f"blank_index expected to be between 0 and {classes - 1}")
    best, path = inputs.max(-1)
    inside = torch.arange(times).unsqueeze(1) < sequence_length
    kept = inside & (path != blank)
    if merge_repeated:
        kept[1:] &= path[1:] != path[:-1]
    rows = kept.t()
    places = rows.nonzero()
    order = rows.cumsum(1)[rows] - 1
    longest = int(rows.sum(1).max()) if batch else 0
    indices = torch.stack([places[:, 0], order], 1)
    score = -(best * inside).sum(0).unsqueeze(1)
    return indices, path.t()[rows], torch.tensor([batch, longest]), score


CTC_GREEDY_DECODER = op(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, "
    "decoded_shape: int64, log_probability: T",
    greedy_kernel, None, on=CPU_ONLY, T=dtypes.WIDE,
)  # fmt: skip


def beam_search_kernel(
    inputs: torch.Tensor,
    sequence_length: torch.Tensor,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool = True,
) -> tuple[torch.Tensor, ...]:
    """Places, classes and shapes of the likeliest sequences, then their log probabilities."""
    _check_lengths(inputs, sequence_length, FailedPreconditionError)
    if top_paths > beam_width:
        raise invalid_argument(
            f"requested more paths than the beam width: {top_paths} vs {beam_width}"
        )
    scores = torch.log_softmax(inputs.double(), -1).numpy()
    found = [
        _beam_search(scores[: int(length), i], beam_width)[:top_paths]
        for i, length in enumerate(sequence_length)
    ]
    parts: list[list[Any]] = [[], [], []]
    for rank in range(top_paths):
        sequences = [_merged(each[rank][0], merge_repeated) for each in found]
        places = [(i, j) for i, each in enumerate(sequences) for j in range(len(each))]
        parts[0].append(torch.tensor(places, dtype=torch.int64).reshape(-1, 2))
        parts[1].append(torch.tensor([c for each in sequences for c in each], dtype=torch.int64))
        longest = max(map(len, sequences), default=0)
        parts[2].append(torch.tensor([len(sequences), longest]))
    chances = [[score for _, score in each] for each in found]
    last = torch.tensor(chances, dtype=inputs.dtype).reshape(-1, top_paths)
    return (*parts[0], *parts[1], *parts[2], last)


def _merged(sequence: tuple[int, ...], merge_repeated: bool) -> tuple[int, ...]:
    if not merge_repeated:
        return sequence
    before = (None, *sequence)
    return tuple(c for c, last in zip(sequence, before, strict=False) if c != last)


def _beam_search(scores: Any, width: int) -> list[tuple[tuple[int, ...], float]]:
    """The likeliest sequences and their log probabilities; the last class is the blank.

    A beam is a sequence with the probabilities of all paths so far that stand for it: those that
    end in a blank, and those that end in its last class.
    """
    blank = scores.shape[1] - 1
    beams: list[tuple[int, ...]] = [()]
    ends_blank, ends_class = np.zeros(1), np.full(1, -np.inf)
    for step in scores:
        total = np.logaddexp(ends_blank, ends_class)
        last = np.array([beam[-1] if beam else blank for beam in beams])
        grown = total[:, None] + step[None, :blank]
        rows = np.flatnonzero(last != blank)
        # The same class again is a new one only behind a blank.
        grown[rows, last[rows]] = ends_blank[rows] + step[last[rows]]
        stays_blank = total + step[blank]
        stays_class = np.where(last != blank, ends_class + step[last], -np.inf)
        known = {beam: i for i, beam in enumerate(beams)}
        for i, beam in enumerate(beams):
            parent = known.get(beam[:-1]) if beam else None
            if parent is not None:  # the longer one is there already: its paths come together
                stays_class[i] = np.logaddexp(stays_class[i], grown[parent, beam[-1]])
                grown[parent, beam[-1]] = -np.inf
        chances = np.concatenate([np.logaddexp(stays_blank, stays_class), grown.reshape(-1)])
        best = np.argsort(-chances, kind="stable")[:width]
        best = best[np.isfinite(chances[best])]
        stay, count = best < len(beams), len(beams)
        old = np.where(stay, best, (best - count) // max(1, blank))
        added = (best - count) % max(1, blank)
        beams = [
            beams[i] if kept else (*beams[i], int(c))
            for i, c, kept in zip(old, added, stay, strict=True)
        ]
        ends_blank = np.where(stay, stays_blank[old], -np.inf)
        ends_class = np.where(stay, stays_class[old], chances[best])
    total = np.logaddexp(ends_blank, ends_class)
    order = np.argsort(-total, kind="stable")
    found = [(beams[i], float(total[i])) for i in order]
    return found + [((), -np.inf)] * (width - len(found))


CTC_BEAM_SEARCH_DECODER = op(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: N * int64, decoded_values: N * int64, "
    "decoded_shape: N * int64, log_probability: T",
    beam_search_kernel, None, on=CPU_ONLY, T=dtypes.WIDE,
)  # fmt: skip


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """How unlikely label sequences are, whatever the times of their labels (`tf.nn.ctc_loss`).

    Args:
        labels: class numbers of shape (batch, longest), or a SparseTensor of them.
        logits: unscaled scores of shape (time, batch, classes).
        label_length: how many labels of each row count; not used for a SparseTensor.
        logit_length: how many time steps of each row count.
        logits_time_major: False if the batch comes before the time.
        unique: not needed; accepted as in TensorFlow.
        blank_index: the class that stands for nothing, from the end if negative; 0 for None.
        name: a name in graphs.

    Returns:
        The loss, of shape (batch); about 707 where there are too few time steps.

    Raises:
        ValueError: sparse labels without blank_index, or a blank_index out of range.
    """
    logits = to_tensor(logits)
    if not logits_time_major:
        logits = transpose(logits, [1, 0, 2])
    given = logits.dtype
    if given in dtypes.HALVES:
        logits = cast(logits, dtypes.float32)
    classes = logits.shape[-1]
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
            )
        loss = _sparse_loss(labels, logits, logit_length, blank_index % classes)
    else:
        blank = blank_index or 0
        attrs = {"blank_index": blank + classes if blank < 0 else blank}
        inputs = (logits, *(to_tensor(each) for each in (labels, label_length, logit_length)))
        loss = apply(CTC_LOSS_DENSE, inputs, attrs)
    return cast(loss, given) if given in dtypes.HALVES else loss


def _sparse_loss(labels: SparseTensor, logits: Any, logit_length: Any, blank: int) -> Any:
    """By the op for sparse labels, whose blank is the last class."""
    classes = logits.shape[-1]
    values = labels.values
    if blank != classes - 1:
        others = [each for each in range(classes) if each != blank]
        logits = gather(logits, [*others, blank], axis=2)
        values = where(less(values, blank), values, subtract(values, 1))
    lengths = to_tensor(logit_length, hint=dtypes.int32)
    return apply(CTC_LOSS, (logits, labels.indices, values, lengths))[0]


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Any]:
    """The sequence of the likeliest class at each time (`tf.nn.ctc_greedy_decoder`).

    Args:
        inputs: scores of shape (time, batch, classes).
        sequence_length: how many time steps of each row count, int32.
        merge_repeated: a class that comes again at the next time counts once.
        blank_index: the class that stands for nothing; the last one for None.

    Returns:
        ([a SparseTensor of the sequences], minus the sums of their scores, of shape (batch, 1)).
    """
    attrs = {
        "merge_repeated": bool(merge_repeated),
        "blank_index": -1 if blank_index is None else int(blank_index),
    }
    lengths = to_tensor(sequence_length, hint=dtypes.int32)
    *parts, score = apply(CTC_GREEDY_DECODER, (to_tensor(inputs), lengths), attrs)
    return [SparseTensor(*parts)], score


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """The likeliest sequences, all their paths together (`tf.nn.ctc_beam_search_decoder`).

    Args:
        inputs: scores of shape (time, batch, classes); the last class stands for nothing.
        sequence_length: how many time steps of each row count, int32.
        beam_width: how many sequences are followed at a time.
        top_paths: how many are returned.

    Returns:
        ([a SparseTensor per path], log probabilities of shape (batch, top_paths)).
    """
    attrs = {
        "beam_width": int(beam_width), "top_paths": int(top_paths), "merge_repeated": False,
    }  # fmt: skip
    lengths = to_tensor(sequence_length, hint=dtypes.int32)
    *parts, score = apply(CTC_BEAM_SEARCH_DECODER, (to_tensor(inputs), lengths), attrs)
    third = len(parts) // 3
    sorted_parts = zip(parts[:third], parts[third : 2 * third], parts[2 * third :], strict=True)
    return [SparseTensor(*each) for each in sorted_parts], score


def _runs(labels: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    inside = torch.arange(labels.shape[1], device=labels.device) < lengths.unsqueeze(1)
    kept = inside.clone()
    kept[:, 1:] &= labels[:, 1:] != labels[:, :-1]
    return kept, kept.sum(1)


def collapse_repeated_kernel(
    labels: torch.Tensor, seq_length: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """(rows without repetitions, zeros behind them; their lengths)."""
    kept, counts = _runs(labels, seq_length)
    made = labels.new_zeros((labels.shape[0], int(counts.max()) if counts.numel() else 0))
    rows, _ = kept.nonzero(as_tuple=True)
    made[rows, kept.cumsum(1)[kept] - 1] = labels[kept]
    return made, counts.to(seq_length.dtype)


COLLAPSE_REPEATED = op(
    "_CollapseRepeated", "labels: T, seq_length: Tlength -> labels: T, lengths: Tlength",
    collapse_repeated_kernel, None, T=dtypes.INDICES,
    Tlength=dtypes.INDICES,
)  # fmt: skip


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """Rows in which what repeats itself comes once (`tf.nn.collapse_repeated`).

    Args:
        labels: a tensor of shape (batch, longest).
        seq_length: how many elements of each row count.
        name: a name in graphs.

    Returns:
        (rows, filled up with zeros; their lengths).
    """
    labels, lengths = to_tensor(labels), to_tensor(seq_length)
    rows, counts = apply(COLLAPSE_REPEATED, (labels, lengths))
    return rows, counts
