"""Asks `check_equivalence` about Keras's own training step; prints what it says of each model."""

import json

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
LAYERS = {
    "synchronized": lambda: [
        L.Dense(4, use_bias=False),
        L.BatchNormalization(synchronized=True),
        L.Dense(3),
    ],
    "plain": lambda: [L.Dense(4), L.BatchNormalization(), L.Dense(3)],
    "dropout": lambda: [L.Dense(4), L.Dropout(0.5, seed=1), L.Dense(3)],
}
random = np.random.RandomState(0)
X, Y = random.normal(size=(21, 5)).astype("float32"), random.randint(0, 3, 21)

strategy = tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(4)])
said = {}
for kind, layers in LAYERS.items():
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = keras.Sequential([L.Input((5,)), *layers()])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"], run_eagerly=kind == "plain")
    before = model.get_weights()
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    found = strategy.check_equivalence(tf.function(model.train_step), data)
    assert all((a == b).all() for a, b in zip(before, model.get_weights(), strict=True))
    assert int(model.optimizer.iterations.numpy()) == 0
    said[kind] = str(found)
print(json.dumps(said))
