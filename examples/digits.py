"""Handwritten digits with hand-made towers: one model, four GPUs, no strategy.

Each tower takes its part of the batch on its own GPU; the gradients are averaged on the CPU,
where the weights live. Every example weighs the same, also where parts are not of one size. The
script is plain TensorFlow. Run it on any machine:

    emplace run --gpus 4x256MB --report report.txt examples/digits.py
"""

import numpy as np
import tensorflow as tf
from rich.progress import track

try:
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
except ModuleNotFoundError as error:
    raise SystemExit(
        f"{error}: the digits come with scikit-learn. Run `pip install 'emplace[demo]'`."
    ) from None

EPOCHS = 40
BATCH = 128
HIDDEN = 128
LEARNING_RATE = 0.1
MOMENTUM = 0.9


def make_weights():
    """Two layers, on the CPU, where every tower reads them."""
    rng = np.random.default_rng(0)
    with tf.device("/CPU:0"):
        return [
            tf.Variable(rng.normal(0, 64**-0.5, (64, HIDDEN)).astype("float32"), name="w1"),
            tf.Variable(tf.zeros([HIDDEN]), name="b1"),
            tf.Variable(rng.normal(0, HIDDEN**-0.5, (HIDDEN, 10)).astype("float32"), name="w2"),
            tf.Variable(tf.zeros([10]), name="b2"),
        ]


def model(weights, x):
    w1, b1, w2, b2 = weights
    return tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2


def tower(weights, x, y, batch_size):
    """This part's share of the batch's mean loss, and its gradients, on the current device."""
    with tf.GradientTape() as tape:
        logits = model(weights, x)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        loss = tf.reduce_sum(losses) / batch_size
    return loss, tape.gradient(loss, weights)


def train_step(gpus, weights, velocities, x, y):
    """One tower on each GPU, then one update on the CPU."""
    results = []
    parts = zip(np.array_split(x, len(gpus)), np.array_split(y, len(gpus)), strict=True)
    for gpu, (part_x, part_y) in zip(gpus, parts, strict=True):
        with tf.device(gpu.name):
            results.append(tower(weights, tf.constant(part_x), tf.constant(part_y), len(x)))
    with tf.device("/CPU:0"):
        for i, (weight, velocity) in enumerate(zip(weights, velocities, strict=True)):
            mean = tf.add_n([gradients[i] for _, gradients in results])
            velocity.assign(MOMENTUM * velocity - LEARNING_RATE * mean)
            weight.assign_add(velocity)
        return tf.add_n([loss for loss, _ in results])


def load():
    """Pictures of digits as 64 numbers each, to learn from and to be tested with."""
    x, y = load_digits(return_X_y=True)
    x, y = (x / 16).astype("float32"), y.astype("int64")
    return train_test_split(x, y, stratify=y, random_state=0)


def learn(gpus, x, y, epochs=EPOCHS):
    """The weights that towers on some GPUs learn, and the last loss."""
    weights = make_weights()
    with tf.device("/CPU:0"):
        velocities = [tf.Variable(tf.zeros(weight.shape)) for weight in weights]

    rng = np.random.default_rng(0)
    for _ in track(range(epochs), description="training"):
        order = rng.permutation(len(x))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            loss = train_step(gpus, weights, velocities, x[chosen], y[chosen])
    return weights, loss


def main():
    x_train, x_test, y_train, y_test = load()
    gpus = tf.config.list_logical_devices("GPU") or tf.config.list_logical_devices("CPU")
    print(f"{len(x_train)} digits to learn from, towers on {', '.join(g.name for g in gpus)}")
    weights, loss = learn(gpus, x_train, y_train)
    guesses = tf.argmax(model(weights, tf.constant(x_test)), axis=1).numpy()
    print(f"last loss {float(loss):.4f}")
    print(f"test accuracy {np.mean(guesses == y_test):.4f} on {len(y_test)} digits never seen")


if __name__ == "__main__":
    main()
