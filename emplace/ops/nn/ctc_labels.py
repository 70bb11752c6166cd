"""Labels of `ctc.py`'s losses: checked, and in the form that they are computed from.

Torch's loss reads and writes memory at the labels it is handed, so none outside of the classes
may reach it.
"""

from __future__ import annotations

import torch

from ...base.errors import invalid_argument
from ...base.shapes import runtime_text


def check_dense(
    logits: torch.Tensor,
    labels: torch.Tensor,
    label_length: torch.Tensor,
    logit_length: torch.Tensor,
    blank: int,
) -> None:
    """Raises InvalidArgumentError unless torch's loss may be handed these."""
    if logits.ndim != 3:
        raise invalid_argument(f"logits must be 3-dimensional, got {runtime_text(logits.shape)}")
    batch, classes = logits.shape[1:]
    if labels.ndim != 2 or labels.shape[0] != batch:
        raise invalid_argument(
            f"labels must have shape [{batch}, longest], a row per sequence of the logits, got "
            f"{runtime_text(labels.shape)}"
        )
    for name, lengths in (("label_length", label_length), ("logit_length", logit_length)):
        if tuple(lengths.shape) != (batch,):
            raise invalid_argument(
                f"{name} must have shape [{batch}], got {runtime_text(lengths.shape)}"
            )
        if batch and int(lengths.min()) < 0:
            raise invalid_argument(f"{name}({int(lengths.argmin())}) < 0")
    if batch and int(label_length.max()) > labels.shape[1]:
        raise invalid_argument(
            f"label_length({int(label_length.argmax())}) <= {labels.shape[1]}, the labels of a row"
        )
    if not 0 <= blank < classes:
        raise invalid_argument(f"blank_index expected to be between 0 and {classes - 1}")
    _check_classes(labels, label_length, classes)


def _check_classes(labels: torch.Tensor, lengths: torch.Tensor, classes: int) -> None:
    """What stands behind a row's length is padding and may be anything."""
    counts = torch.arange(labels.shape[1], device=labels.device) < lengths.unsqueeze(1)
    bad = counts & ((labels < 0) | (labels >= classes))
    if bool(bad.any()):
        row, place = bad.nonzero()[0].tolist()
        raise invalid_argument(
            f"labels[{row},{place}] = {int(labels[row, place])} is not in [0, {classes}), "
            "the classes of the logits"
        )


def padded(labels: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Labels and lengths as int64, with class 0 behind the length of each row."""
    counts = torch.arange(labels.shape[1], device=labels.device) < lengths.unsqueeze(1)
    return labels.long().masked_fill(~counts, 0), lengths.long()


def rows_of(
    indices: torch.Tensor, values: torch.Tensor, batch: int, classes: int, *, collapse: bool
) -> list[list[int]]:
    """The labels of each row of a sparse tensor; with `collapse`, repetitions count once.

    Labels from the blank, the last class, on are nothing and end a row.

    Raises:
        InvalidArgumentError: an index or a label is out of range, or a row has no label.
    """
    _check_places(indices, values, batch)
    rows: list[list[int]] = [[] for _ in range(batch)]
    for (row, _), label in zip(indices.tolist(), values.tolist(), strict=True):
        rows[row].append(label)
    return [_labels_of(rows, i, classes, collapse) for i in range(batch)]


def _check_places(indices: torch.Tensor, values: torch.Tensor, batch: int) -> None:
    if indices.ndim != 2:
        raise invalid_argument("labels_indices is not a matrix")
    if indices.shape[1] != 2:
        raise invalid_argument(
            f"labels_indices must have two columns, row and place. Received {indices.shape[1]}"
        )
    if values.ndim != 1:
        raise invalid_argument("labels_values is not a vector")
    if len(indices) != len(values):
        raise invalid_argument(
            "labels_indices and labels_values must contain the same number of rows, but saw "
            f"shapes: {runtime_text(indices.shape)} vs. {runtime_text(values.shape)}"
        )
    longest = max(1, int(indices[:, 1].max()) + 1) if len(indices) else 1
    before = (-1, -1)
    for i, (row, place) in enumerate(indices.tolist()):
        wrong = None
        if not (0 <= row < batch and place >= 0):
            wrong = f"is out of bounds: need 0 <= index < [{batch},{longest}]"
        elif (row, place) == before:
            wrong = "is repeated"
        elif (row, place) < before:
            wrong = (
                "is out of order. Many sparse ops require sorted indices.\n    Use "
                "`tf.sparse.reorder` to create a correctly ordered copy."
            )
        if wrong is not None:
            raise invalid_argument(
                f"label SparseTensor is not valid: indices[{i}] = [{row},{place}] {wrong}"
            )
        before = row, place


def _labels_of(rows: list[list[int]], i: int, classes: int, collapse: bool) -> list[int]:
    labels, ended = rows[i], False
    kept: list[int] = []
    if not labels:
        raise invalid_argument(f"Labels length is zero in batch {i}")
    for place, label in enumerate(labels):
        if collapse and place and labels[place - 1] == label:
            continue
        if label >= classes - 1:
            ended = True
            continue
        if ended:
            raise invalid_argument(
                "Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
                f"{i} num_classes: {classes} labels: {_listed(labels)} labels seen so far: "
                f"{_listed(kept)}"
            )
        kept.append(label)
    if any(label < 0 for label in kept):
        raise invalid_argument(
            f"All labels must be nonnegative integers, batch: {i} labels: {_listed(labels)}"
        )
    return kept


def _listed(labels: list[int]) -> str:
    return ",".join(map(str, labels))


def as_matrix(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """(rows filled up with zeros, at least one column; their lengths), int64."""
    lengths = [len(row) for row in rows]
    longest = max(1, *lengths)
    filled = [row + [0] * (longest - len(row)) for row in rows]
    return torch.tensor(filled, dtype=torch.int64), torch.tensor(lengths, dtype=torch.int64)
