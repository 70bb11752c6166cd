"""Connectionist temporal classification: the loss of label sequences, and decoders.

Classes are told apart from "nothing" (blank). A path is a class per time step; the sequence it
stands for is what is left when repetitions, and then blanks, are taken out.
"""

from __future__ import annotations

import math
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
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..array.gathering import gather
from ..array.select import where
from ..array.shaping import transpose
from ..convert import to_tensor
from ..deferred import deferrable
from ..infer import Spec
from ..math.elementwise import cast, less, subtract
from ..op import CPU_ONLY, apply, op
from ..sparse.tensor import SparseTensor
from ..waiting import HOST_LENGTHS, RESULT_SIZE
from .ctc_labels import as_matrix, check_dense, padded, rows_of

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
    check_dense(logits, labels, label_length, logit_length, blank_index)
    labels, counts = padded(labels, label_length)
    times = logit_length.clamp(max=logits.shape[0]).long()
    loss = _merging_loss(logits, labels, counts, times, blank_index)
    return torch.where(torch.isinf(loss), torch.full_like(loss, _LOG_OF_NOTHING), loss)


def _merging_loss(
    logits: torch.Tensor,
    labels: torch.Tensor,
    counts: torch.Tensor,
    times: torch.Tensor,
    blank: int,
) -> torch.Tensor:
    """Torch's loss; infinite where no path fits the labels, and its gradient 0 there, not NaN."""
    scores = torch.log_softmax(logits, -1)
    return torch.ops.aten._ctc_loss.Tensor(  # type: ignore[no-any-return]
        scores, labels, times, counts, blank, True
    )[0]


def _unmerged_loss(
    logits: torch.Tensor,
    labels: torch.Tensor,
    counts: torch.Tensor,
    times: torch.Tensor,
    blank: int,
) -> torch.Tensor:
    """The loss where a class that comes again is another label, for which torch has no kernel.

    The states of a sequence are its labels with blanks before, between and behind them. A path
    stays in a blank, goes on by one, or from a label to the next.
    """
    scores = torch.log_softmax(logits, -1)
    batch, states = labels.shape[0], 2 * labels.shape[1] + 1
    names = labels.new_full((batch, states), blank)
    names[:, 1::2] = labels
    is_blank = torch.arange(states) % 2 == 0
    nothing = scores.new_full((batch, states), -math.inf)
    first = torch.arange(states) < 2
    chances = nothing
    for step in range(logits.shape[0]):
        here = scores[step].gather(1, names)
        one = torch.nn.functional.pad(chances, (1, 0), value=-math.inf)[:, :-1]
        two = torch.nn.functional.pad(chances, (2, 0), value=-math.inf)[:, :-2]
        stay, skip = torch.where(is_blank, chances, nothing), torch.where(is_blank, nothing, two)
        reached = here + _log_of_sum(_log_of_sum(stay, one), skip)
        after = torch.where(first, here, nothing) if step == 0 else reached
        chances = torch.where((step < times).unsqueeze(1), after, chances)
    last = (2 * counts).unsqueeze(1)
    before = torch.where(last > 0, chances.gather(1, (last - 1).clamp(min=0)), nothing[:, :1])
    return -_log_of_sum(chances.gather(1, last), before).squeeze(1)


def _log_of_sum(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """log(exp(a) + exp(b)), whose gradient is 0, not NaN, where both are -inf."""
    none = torch.isinf(a) & torch.isinf(b)
    zero = torch.zeros_like(a)
    summed = torch.logaddexp(torch.where(none, zero, a), torch.where(none, zero, b))
    return torch.where(none, a, summed)


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
    wait_reason=HOST_LENGTHS,
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
    _check_lengths(inputs, sequence_length)
    steps, batch, classes = inputs.shape
    if batch == 0:
        raise invalid_argument("batch_size must not be 0")
    if steps == 0:
        raise invalid_argument("Max time or first dimension of input cannot be 0.")
    if classes == 0:
        raise invalid_argument("inputs must have at least one class, the blank")
    if int(sequence_length.min()) < 0:
        raise invalid_argument(f"seq_len({int(sequence_length.argmin())}) < 0")
    rows = rows_of(
        labels_indices, labels_values, batch, classes, collapse=preprocess_collapse_repeated
    )
    times = sequence_length.long()
    if not ignore_longer_outputs_than_inputs:
        _check_times([len(row) for row in rows], times.tolist())
    labels, counts = as_matrix(rows)
    loss_kernel = _merging_loss if ctc_merge_repeated else _unmerged_loss

    def loss_of(logits: torch.Tensor) -> torch.Tensor:
        return loss_kernel(logits, labels, counts, times, classes - 1)

    loss, pull = torch.func.vjp(loss_of, inputs)[:2]
    impossible, skipped = torch.isinf(loss), times < counts
    (gradient,) = pull((~impossible).to(loss.dtype))
    inside = torch.arange(steps).unsqueeze(1) < times
    gradient = gradient.masked_fill(~inside.unsqueeze(2), 0)  # also where what is behind is NaN
    if bool(impossible.any()):  # no path to share the chances with: they are all that is left
        inside = inside & impossible & ~skipped
        gradient = torch.where(inside.unsqueeze(2), torch.softmax(inputs, -1), gradient)
    return loss.masked_fill(skipped, 0), gradient


def _check_times(required: list[int], available: list[int]) -> None:
    """As TensorFlow, without counting the blanks between two labels of a class."""
    for i, (needed, there) in enumerate(zip(required, available, strict=True)):
        if there < needed:
            raise invalid_argument(
                f"Not enough time for target transition sequence (required: {needed}, available: "
                f"{there}){i}You can turn this error into a warning by using the flag "
                "ignore_longer_outputs_than_inputs"
            )


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
    ctc_sparse_loss_kernel, _sparse_loss_spec, device_types=CPU_ONLY, T=(dtypes.float32,),
)  # fmt: skip


def _check_lengths(
    inputs: torch.Tensor, sequence_length: torch.Tensor, error: type[OpError] = InvalidArgumentError
) -> None:
    if inputs.ndim != 3:
        raise invalid_argument("inputs is not a 3-Tensor")
    times, batch = inputs.shape[:2]
    if sequence_length.ndim != 1:
        raise invalid_argument("sequence_length is not a vector")
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
    # Steps that do not count may be logarithms of nothing: infinite ones times 0 are no number.
    score = -torch.where(inside, best, 0).sum(0).unsqueeze(1)
    return indices, path.t()[rows], torch.tensor([batch, longest]), score


CTC_GREEDY_DECODER = op(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, "
    "decoded_shape: int64, log_probability: T",
    greedy_kernel, None, device_types=CPU_ONLY, T=dtypes.WIDE,
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
    paths = [
        _beam_search(scores[: max(0, int(length)), i], beam_width)[:top_paths]
        for i, length in enumerate(sequence_length)
    ]
    parts: list[list[Any]] = [[], [], []]
    for rank in range(top_paths):
        sequences = [_merged(paths_of_one[rank][0], merge_repeated) for paths_of_one in paths]
        places = [(i, j) for i, sequence in enumerate(sequences) for j in range(len(sequence))]
        parts[0].append(torch.tensor(places, dtype=torch.int64).reshape(-1, 2))
        parts[1].append(
            torch.tensor([c for sequence in sequences for c in sequence], dtype=torch.int64)
        )
        longest = max(map(len, sequences), default=0)
        parts[2].append(torch.tensor([len(sequences), longest]))
    chances = [[score for _, score in paths_of_one] for paths_of_one in paths]
    last = torch.tensor(chances, dtype=inputs.dtype).reshape(-1, top_paths)
    return (*parts[0], *parts[1], *parts[2], last)


def _merged(sequence: tuple[int, ...], merge_repeated: bool) -> tuple[int, ...]:
    if not merge_repeated:
        return sequence
    before = (None, *sequence)
    return tuple(c for c, last in zip(sequence, before, strict=False) if c != last)


def _beam_search(scores: np.ndarray[Any, Any], width: int) -> list[tuple[tuple[int, ...], float]]:
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
            beams[i] if stays else (*beams[i], int(c))
            for i, c, stays in zip(old, added, stay, strict=True)
        ]
        ends_blank = np.where(stay, stays_blank[old], -np.inf)
        ends_class = np.where(stay, stays_class[old], chances[best])
    total = np.logaddexp(ends_blank, ends_class)
    order = np.argsort(-total, kind="stable")
    paths = [(beams[i], float(total[i])) for i in order]
    return paths + [((), -np.inf)] * (width - len(paths))


CTC_BEAM_SEARCH_DECODER = op(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: N * int64, decoded_values: N * int64, "
    "decoded_shape: N * int64, log_probability: T",
    beam_search_kernel, None, device_types=CPU_ONLY, T=dtypes.WIDE,
)  # fmt: skip


@deferrable
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
    """Returns how unlikely label sequences are, whatever the times of their labels
    (`tf.nn.ctc_loss`).

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
    logits_dtype = logits.dtype
    if logits_dtype in dtypes.HALVES:
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
        inputs = (logits, *(to_tensor(x) for x in (labels, label_length, logit_length)))
        loss = apply(CTC_LOSS_DENSE, inputs, attrs)
    return cast(loss, logits_dtype) if logits_dtype in dtypes.HALVES else loss


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


def ctc_loss_v1(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """Returns how unlikely label sequences are, whatever their times (`tf.compat.v1.nn.ctc_loss`).

    Args:
        labels: a SparseTensor of class numbers, int32; the last class stands for nothing.
        inputs: unscaled scores of shape (time, batch, classes).
        sequence_length: how many time steps of each row count, int32.
        preprocess_collapse_repeated: a label that comes again at once counts once.
        ctc_merge_repeated: a class that comes again at the next time is the same label.
        ignore_longer_outputs_than_inputs: the loss is infinite, and no error, where there are too
            few time steps for the labels.
        time_major: False if the batch comes before the time.
        logits: another name of `inputs`.

    Returns:
        The loss, of shape (batch).

    Raises:
        TypeError: the labels are not a SparseTensor.
        InvalidArgumentError: a label or a length is out of range.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            "Expected argument `labels` to be a SparseTensor. "
            f"Received labels={labels} of type: {type(labels).__name__}"
        )
    if logits is not None and inputs is not None:
        raise ValueError("Cannot specify both 'logits' and 'inputs'.")
    scores = to_tensor(inputs if logits is None else logits)
    scores_dtype = scores.dtype
    if scores_dtype in dtypes.HALVES:
        scores = cast(scores, dtypes.float32)
    if not time_major:
        scores = transpose(scores, [1, 0, 2])
    attrs = {
        "preprocess_collapse_repeated": bool(preprocess_collapse_repeated),
        "ctc_merge_repeated": bool(ctc_merge_repeated),
        "ignore_longer_outputs_than_inputs": bool(ignore_longer_outputs_than_inputs),
    }
    lengths = to_tensor(sequence_length, hint=dtypes.int32)
    loss = apply(CTC_LOSS, (scores, labels.indices, labels.values, lengths), attrs)[0]
    return cast(loss, scores_dtype) if scores_dtype in dtypes.HALVES else loss


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], Any]:
    """Returns the sequence of the likeliest class at each time (`tf.nn.ctc_greedy_decoder`).

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
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """Returns the likeliest sequences, all their paths together (`tf.nn.ctc_beam_search_decoder`).

    Args:
        inputs: scores of shape (time, batch, classes); the last class stands for nothing.
        sequence_length: how many time steps of each row count, int32.
        beam_width: how many sequences are followed at a time.
        top_paths: how many are returned.

    Returns:
        ([a SparseTensor per path], log probabilities of shape (batch, top_paths)).
    """
    return ctc_beam_search_decoder_v1(inputs, sequence_length, beam_width, top_paths, False)


def ctc_beam_search_decoder_v1(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Any]:
    """Returns the likeliest sequences, in which repetitions may count once
    (`tf.compat.v1.nn.ctc_beam_search_decoder`).

    Args:
        inputs: logits of shape (time, batch, classes); the last class is the blank.
        sequence_length: how many steps each sequence has.
        beam_width: how many sequences are followed at once.
        top_paths: how many are returned.
        merge_repeated: True makes one of equal labels that follow each other in the result.
    """
    attrs = {
        "beam_width": int(beam_width), "top_paths": int(top_paths),
        "merge_repeated": bool(merge_repeated),
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
    wait_reason=RESULT_SIZE,
)  # fmt: skip


def collapse_repeated(
    labels: TensorLike, seq_length: Any, name: str | None = None
) -> tuple[Any, Any]:
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
