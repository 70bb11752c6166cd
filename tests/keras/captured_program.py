"""Runs the training steps of `wait_free_program.py` as graphs, on strict virtual GPUs.

    EMPLACE_GPUS=1x1GB:strict emplace run captured_program.py cnn mlp

Prints a JSON object by model: what `emplace.explain` says of the step, how many calls were replays,
and the losses of all calls, with graphs and without.
"""

import json
import os
import sys

import keras
import tensorflow as tf
from wait_free_program import BATCH, MODELS, by_hand, examples

import emplace

CALLS = 10


def losses_of(name, graphs):
    """The losses of some steps, and the function that made them, with its first batch."""
    os.environ["EMPLACE_CUDA_GRAPHS"] = graphs
    keras.utils.set_random_seed(1)
    model = MODELS[name]()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x, y = examples(model, CALLS * BATCH)
    step, _, _ = by_hand(model, loss_of, x, y)
    function = tf.function(step)
    cuts = [slice(i * BATCH, (i + 1) * BATCH) for i in range(CALLS)]
    batches = [(tf.constant(x[cut]), tf.constant(y[cut])) for cut in cuts]
    return [float(function(*batch)) for batch in batches], function, batches[0]


def captured(name):
    losses, function, batch = losses_of(name, "1")
    explained = emplace.explain(function, *batch)
    concrete = function.get_concrete_function(*batch)
    within = concrete.plan(concrete.tensors_of(*batch)).reservation
    return {
        "obstacles": [each.text for each in explained.obstacles],
        "replays": getattr(getattr(within, "captured", None), "replays", 0),
        "losses": [losses, losses_of(name, "0")[0]],
    }


print(json.dumps({name: captured(name) for name in sys.argv[1:]}))
