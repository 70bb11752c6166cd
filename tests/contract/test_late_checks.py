"""Checks on GPUs that must not be waited for: what is wrong is told when the host waits anyway."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf
from emplace.testing import assert_no_waits

pytestmark = pytest.mark.gpus(2, memory="256MB", strict=True)

LATER = r"(?s)indices\[1\] = 5 is not in \[0, 3\).*Found later: GatherV2 ran on GPU:0 at .*{}"
HERE = r"test_late_checks\.py:\d+, in {}\."


def test_an_error_comes_when_a_value_is_read_and_then_all_is_well() -> None:
    params = tf.constant([10, 20, 30])
    with assert_no_waits():
        wrong = tf.gather(params, tf.constant([0, 5]))
        right = tf.gather(params, tf.constant([0, 2]))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=LATER.format(HERE.format(r"test_an_error_\w+"))
    ):
        right.numpy()
    assert right.numpy().tolist() == [10, 30]
    assert set(wrong.numpy().tolist()) <= {10, 20, 30}
