"""`tf.contrib`: `layers`, `rnn`, `data`, `distribute` and a little of `framework`, `seq2seq`,
`legacy_seq2seq` and `slim`; the rest was left behind by TensorFlow 2 and is not here.
"""

from __future__ import annotations

from typing import NoReturn

from . import (
    data as data,
    distribute as distribute,
    framework as framework,
    layers as layers,
    legacy_seq2seq as legacy_seq2seq,
    rnn as rnn,
    seq2seq as seq2seq,
    slim as slim,
)

_INSTEAD = {
    "eager": "tf.GradientTape and tf.Variable",
    "estimator": "a training loop in a tf.Session", "learn": "a training loop in a tf.Session",
    "losses": "tf.losses", "metrics": "tf.metrics", "image": "tf.image",
    "opt": "tf.train's optimizers", "summary": "tf.summary", "lookup": "tf.lookup",
    "training": "tf.train", "keras": "Keras 3", "crf": "tf.nn and tf.scan",
}  # fmt: skip


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    instead = _INSTEAD.get(name)
    hint = f" Use {instead}." if instead else ""
    raise AttributeError(
        f"tf.contrib.{name} does not exist here: TensorFlow 2 has no tf.contrib, and of it only "
        "tf.contrib.layers, rnn, data, distribute and a little of framework, seq2seq, "
        f"legacy_seq2seq and slim are offered.{hint}"
    )
