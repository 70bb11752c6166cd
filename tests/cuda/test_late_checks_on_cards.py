"""Checks on a card do not wait: they raise at the next read, with the op and the line, and nothing
reads outside of its memory meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def grown() -> None:
    for card in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(card, True)


WRONG = {
    "gather": lambda i: tf.gather(tf.ones([4, 3]), [0, i]),
    "gather_nd": lambda i: tf.gather_nd(tf.ones([4, 3]), [[0, 0], [i, 0]]),
    "scatter_nd": lambda i: tf.scatter_nd([[0], [i]], [1.0, 2.0], [4]),
    "update": lambda i: tf.tensor_scatter_nd_update(tf.ones([4]), [[i]], [1.0]),
    "lookup": lambda i: tf.nn.embedding_lookup(tf.Variable(tf.ones([4, 3])), [i, 1]),
    "labels": lambda i: tf.nn.sparse_softmax_cross_entropy_with_logits([i], tf.ones([1, 4])),
}


@pytest.mark.parametrize("place", [-1, 4, 1 << 30, -(1 << 31)])
@pytest.mark.parametrize("name", WRONG)
def test_a_place_outside_is_told_and_nothing_is_read_there(name: str, place: int) -> None:
    if name == "labels":  # TF: on a GPU the loss of such a label is NaN
        made = WRONG[name](place)
        assert np.isnan(made.numpy()).all()
        return
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        WRONG[name](place).numpy()
    assert "test_late_checks_on_cards.py" in str(caught.value)
    torch.cuda.synchronize()  # an access outside of memory would be told here
    assert float(tf.reduce_sum(tf.ones([8]))) == 8.0


def test_what_is_not_finite_is_told_at_the_next_read() -> None:
    made = tf.debugging.check_numerics(tf.constant([1.0]) / tf.constant([0.0]), "no zeros")
    with pytest.raises(tf.errors.InvalidArgumentError, match="no zeros"):
        made.numpy()


def test_a_check_in_a_function_names_its_own_line() -> None:
    @tf.function
    def looked_up(rows: Any) -> Any:
        return tf.reduce_sum(tf.gather(tf.ones([4, 3]), rows))

    made = [looked_up(tf.constant([i])) for i in (1, 2, 9, 3)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="9 is not in") as caught:
        made[-1].numpy()
    assert "looked_up" in str(caught.value)


def test_checks_at_once_come_from_their_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPLACE_IMMEDIATE_CHECKS", "1")
    with pytest.raises(tf.errors.InvalidArgumentError, match="9 is not in"):
        tf.gather(tf.ones([4, 3]), [9])
