"""Keras models that are given a wrong value, in each way to run them: what is raised, as JSON."""

import json

import numpy as np
import tensorflow as tf

keras = tf.keras
TABLE = np.arange(10.0, dtype="float32").reshape(5, 2)


def looked_up(x):
    return tf.reduce_sum(tf.gather(tf.constant(TABLE), tf.cast(x, tf.int32)), -1)


def looked_up_by_rows(x):
    return tf.gather_nd(tf.constant(TABLE), tf.cast(x[:, :, None], tf.int32))[:, :, 0]


def checked(x):
    return tf.debugging.check_numerics(x, "seen")


def asserted(x):
    with tf.control_dependencies([tf.debugging.assert_less(x, 5.0, message="too large")]):
        return x * 1.0


# The first layer, and the value that it refuses.
LAYERS = {
    "embedding": (lambda: keras.layers.Embedding(5, 2), 7.0),
    "gather": (lambda: keras.layers.Lambda(looked_up), 7.0),
    "gather_nd": (lambda: keras.layers.Lambda(looked_up_by_rows), -1.0),
    "check_numerics": (lambda: keras.layers.Lambda(checked), np.inf),
    "assert_less": (lambda: keras.layers.Lambda(asserted), 12.0),
}
WAYS = {
    "fit": lambda m, x, y: m.fit(x, y, batch_size=4, verbose=0),
    "fit in two epochs": lambda m, x, y: m.fit(x, y, batch_size=4, epochs=2, verbose=0),
    "fit with a line": lambda m, x, y: m.fit(x, y, batch_size=4, verbose=2),
    "evaluate": lambda m, x, y: m.evaluate(x, y, batch_size=4, verbose=0),
    "predict": lambda m, x, y: m.predict(x, verbose=0),
    "predict in batches": lambda m, x, y: m.predict(x, batch_size=4, verbose=0),
    "train_on_batch": lambda m, x, y: m.train_on_batch(x, y),
    "test_on_batch": lambda m, x, y: m.test_on_batch(x, y),
    "predict_on_batch": lambda m, x, y: m.predict_on_batch(x),
    "call": lambda m, x, y: m(x).numpy(),
}


def raised(run, *given):
    try:
        run(*given)
    except tf.errors.OpError as error:
        return [type(error).__name__, error.message]
    return None


def tried(layer, bad, run):
    """What a good batch raises before, a wrong one, and a good one after that."""
    model = keras.Sequential([layer(), keras.layers.Flatten(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.array([[1.0, 2.0], [3.0, 4.0]] * 4, "float32")
    y, wrong = np.ones((8, 1), "float32"), x.copy()
    wrong[5, 1] = bad
    return [raised(run, model, each, y) for each in (x, wrong, x)]


if __name__ == "__main__":
    keras.utils.set_random_seed(0)
    found = {
        f"{name}, {way}": tried(layer, bad, run)
        for name, (layer, bad) in LAYERS.items()
        for way, run in WAYS.items()
    }
    print(json.dumps(found))
