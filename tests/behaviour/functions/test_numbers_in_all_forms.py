"""Axes, sizes, paddings and other numbers as tensors, NumPy scalars and variables, eagerly, in
functions (of unknown ranks as well) and in sessions, beside what TensorFlow 2.21 makes of them.

Where TensorFlow refuses a form Emplace may take it, if it means what the plain number means.
"""

from __future__ import annotations

import json
from pathlib import Path

import number_cases as cases
import pytest

import emplace.tensorflow as tf
from emplace.base import errors

TOLD = json.loads(
    (Path(__file__).parents[2] / "oracle" / "numbers.json").read_text(encoding="utf-8")
)
NAMES = [f"{call[0]} {call[2]}" for call in cases.CALLS]

#: What TensorFlow takes and Emplace does not: each with its reason. This list may only shrink.
GAPS: dict[str, str] = {
    "tf.signal.frame(x, n, m)": "frames of a signal of unknown rank",
    "tf.signal.frame(x, 4, 2, axis=n)": "frames along an axis that a graph computes",
    "tf.abs(tf.signal.stft(x, n, m))": "spectra of frames whose length a graph computes",
    "tf.signal.kaiser_window(n, beta=m)": "a beta that a graph computes",
    "tf.RaggedTensor.from_row_splits(x, n).to_tensor()": "values of unknown rank",
    "tf.RaggedTensor.from_tensor(x).to_tensor(shape=[None, n])": "values of unknown rank",
}


def _is_close(made, wanted):
    assert [each[0] for each in made] == [each[0] for each in wanted]
    for (_, one), (_, other) in zip(made, wanted, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            assert one == other
        else:
            assert one == pytest.approx(other, rel=1e-3, abs=2e-3)


def test_tensorflow_was_asked_about_all_of_them():
    assert sorted(TOLD) == sorted(NAMES)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("way", cases.WAYS)
@pytest.mark.parametrize("call", cases.CALLS, ids=NAMES)
def test_numbers_in_any_form_mean_what_they_mean_to_tensorflow(call, way):
    told = TOLD[f"{call[0]} {call[2]}"]
    for form in cases.FORMS:
        wanted = told[f"{form} {way}"]
        refuses = isinstance(wanted, str) and wanted != "same"
        try:
            made = cases.told(call, cases.run(tf, call, form, way))
        except (
            TypeError,
            ValueError,
            AttributeError,
            NotImplementedError,
            errors.OpError,
        ) as error:
            if refuses or (call[0] in GAPS and way != "eager"):
                continue
            raise AssertionError(f"{form}: TensorFlow answers {wanted}") from error
        if wanted == "same" or refuses:
            wanted = told["number"]
        if not isinstance(wanted, str):
            _is_close(made, wanted)
