"""What programs used most of `tf.contrib.legacy_seq2seq`: a decoder over a list of steps, and the
losses of such lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base.typing import TensorLike
from ...ops.array.shaping import reshape, sizes_of
from ...ops.convert import to_tensor
from ...ops.math.elementwise import cast
from ...ops.math.reduction import reduce_sum
from ...ops.nn.loss import sparse_softmax_cross_entropy_with_logits
from ..scopes.op_names import inside
from ..scopes.variable_scope import VariableScope, get_variable_scope, variable_scope


def rnn_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: TensorLike,
    cell: Callable[[Any, Any], Any],
    loop_function: Callable[[Any, int], Any] | None = None,
    scope: str | VariableScope | None = None,
) -> tuple[list[Any], Any]:
    """A cell over a list of steps (`tf.contrib.legacy_seq2seq.rnn_decoder`).

    Args:
        decoder_inputs: a tensor (batch, features) per step.
        initial_state: the state before the first step.
        cell: an `RNNCell`.
        loop_function: makes the input of each step but the first from the output before it and the
            step's number, instead of `decoder_inputs`.
        scope: the variable scope, "rnn_decoder" if None.

    Returns:
        The outputs of all steps, and the last state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state = initial_state
        outputs: list[Any] = []
        for number, decoder_input in enumerate(decoder_inputs):
            x = decoder_input
            if loop_function is not None and outputs:
                with variable_scope("loop_function", reuse=True):
                    x = loop_function(outputs[-1], number)
            if outputs:
                get_variable_scope().reuse_variables()
            output, state = cell(x, state)
            outputs.append(output)
        return outputs, state


def sequence_loss_by_example(
    logits: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The cross entropy of each sequence (`tf.contrib.legacy_seq2seq.sequence_loss_by_example`).

    Args:
        logits: unscaled scores (batch, classes) per step.
        targets: class numbers (batch) per step.
        weights: a vector (batch) per step; 0 leaves a step out.
        average_across_timesteps: divide by the sum of a sequence's weights.
        softmax_loss_function: called with labels= and logits=, instead of the sparse softmax cross
            entropy.
        name: a name scope for the operations.

    Returns:
        A vector (batch).

    Raises:
        ValueError: the lists are not of one length.
    """
    if len({len(logits), len(targets), len(weights)}) > 1:
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    measure = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
    with inside(name or "sequence_loss_by_example"):
        total: Any = 0
        for scores, target, weight in zip(logits, targets, weights, strict=True):
            labels = target if softmax_loss_function else reshape(target, [-1])
            total = total + measure(labels=labels, logits=scores) * weight
        if average_across_timesteps:
            total = total / (sum(map(to_tensor, weights[1:]), to_tensor(weights[0])) + 1e-12)
        return total


def sequence_loss(
    logits: Sequence[Any], targets: Sequence[Any], weights: Sequence[Any],
    average_across_timesteps: bool = True, average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The cross entropy of a batch of sequences (`tf.contrib.legacy_seq2seq.sequence_loss`).

    Args:
        logits, targets, weights, average_across_timesteps, softmax_loss_function, name: as in
            `sequence_loss_by_example`.
        average_across_batch: divide by the size of the batch.

    Returns:
        A scalar.

    Raises:
        ValueError: the lists are not of one length.
    """
    with inside(name or "sequence_loss"):
        losses = sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function
        )
        total = reduce_sum(losses)
        if not average_across_batch:
            return total
        return total / cast(sizes_of(to_tensor(targets[0]))[0], total.dtype)
