"""A convolutional network for CIFAR-10 under MirroredStrategy, as TensorFlow 2 programs have it.

The network of cifar10_multi_gpu.py, without towers: the strategy keeps the variables on every GPU,
gives each a part of the batch, and adds the gradients up before all variables change. Training goes
on from the latest checkpoint, also with another number of GPUs. Run it on any machine:

    emplace run --gpus 2 examples/cifar10_strategy.py --num_gpus 2 --max_steps 60

`--data_dir` names the folder with CIFAR-10's binary files. If it has none, pictures of our own are
made there (see cifar10_data.py).
"""

import argparse
import os
import time

import cifar10_data as data
import numpy as np
import tensorflow as tf

LEARNING_RATE = 0.1
DECAY_FACTOR = 0.1
EPOCHS_PER_DECAY = 350.0
AVERAGES_DECAY = 0.9999
WEIGHT_DECAY = 0.004
SEED = 1


def options():
    """What the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="/tmp/cifar10_data", help="the binary files")
    parser.add_argument("--train_dir", default="/tmp/cifar10_strategy", help="what is learnt")
    parser.add_argument("--num_gpus", type=int, default=2, help="how many replicas")
    parser.add_argument("--max_steps", type=int, default=200, help="after how many steps to stop")
    parser.add_argument("--batch_size", type=int, default=128, help="pictures per replica")
    parser.add_argument("--log_every", type=int, default=10, help="steps between two lines")
    parser.add_argument("--save_every", type=int, default=100, help="steps between checkpoints")
    return parser.parse_args()


# -- the network -----------------------------------------------------------------------------------


class Network(tf.Module):
    """The scores of the classes: two convolutions, two dense layers and a linear one."""

    def __init__(self):
        super().__init__()
        random = tf.random.Generator.from_seed(SEED)
        flat = 64 * (data.CROP // 4) ** 2
        shapes = {
            "conv1": ([5, 5, 3, 64], 0.05, 0.0), "conv2": ([5, 5, 64, 64], 0.05, 0.1),
            "dense3": ([flat, 384], 0.04, 0.1), "dense4": ([384, 192], 0.04, 0.1),
            "softmax": ([192, data.CLASSES], 1 / 192.0, 0.0),
        }  # fmt: skip
        self.weights, self.biases = {}, {}
        for name, (shape, spread, bias) in shapes.items():
            first = random.truncated_normal(shape, 0.0, spread)
            self.weights[name] = tf.Variable(first, name=f"{name}/weights")
            self.biases[name] = tf.Variable(tf.fill(shape[-1:], bias), name=f"{name}/biases")

    def convolution(self, x, name):
        x = tf.nn.conv2d(x, self.weights[name], [1, 1, 1, 1], padding="SAME")
        return tf.nn.relu(tf.nn.bias_add(x, self.biases[name]))

    def linear(self, x, name):
        return tf.matmul(x, self.weights[name]) + self.biases[name]

    def __call__(self, images):
        x = normalize(pool(self.convolution(images, "conv1")))
        x = pool(normalize(self.convolution(x, "conv2")))
        x = tf.reshape(x, [-1, np.prod(x.shape[1:])])
        x = tf.nn.relu(self.linear(x, "dense3"))
        return self.linear(tf.nn.relu(self.linear(x, "dense4")), "softmax")

    def decay(self):
        """What large weights of the dense layers cost."""
        return WEIGHT_DECAY * sum(tf.nn.l2_loss(self.weights[n]) for n in ("dense3", "dense4"))


def pool(x):
    return tf.nn.max_pool2d(x, 3, 2, padding="SAME")


def normalize(x):
    return tf.nn.local_response_normalization(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75)


# -- training --------------------------------------------------------------------------------------


def example(record):
    """A picture and its class, cut out and mirrored at random."""
    record = tf.reshape(tf.io.decode_raw(record, tf.uint8), [data.RECORD])
    planes = tf.reshape(record[1:], [3, data.SIZE, data.SIZE])
    picture = tf.cast(tf.transpose(planes, [1, 2, 0]), tf.float32)
    picture = tf.image.random_crop(picture, [data.CROP, data.CROP, 3], seed=SEED)
    picture = tf.image.random_flip_left_right(picture, seed=SEED)
    return tf.image.per_image_standardization(picture), tf.cast(record[0], tf.int32)


def batches(folder, size):
    """Shuffled batches of pictures, without an end."""
    files = [os.path.join(folder, name) for name in data.TRAIN_FILES]
    records = tf.data.FixedLengthRecordDataset(files, data.RECORD)
    records = records.shuffle(8 * size, seed=SEED).repeat()
    return records.map(example).batch(size, drop_remainder=True).prefetch(1)


class Training:
    """A network, what changes it, and what is kept of it."""

    def __init__(self, strategy, asked):
        self.strategy, self.batch = strategy, asked.batch_size * strategy.num_replicas_in_sync
        with strategy.scope():
            self.network = Network()
            self.step = tf.Variable(
                0, dtype=tf.int64, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA
            )
            self.averages = tf.train.ExponentialMovingAverage(AVERAGES_DECAY, self.step)
            self.averages.apply(self.network.trainable_variables)
        self.decay_steps = int(data.count(asked.data_dir) / self.batch * EPOCHS_PER_DECAY)
        averaged = [self.averages.average(v) for v in self.network.trainable_variables]
        kept = tf.train.Checkpoint(network=self.network, step=self.step, averages=averaged)
        self.manager = tf.train.CheckpointManager(kept, asked.train_dir, max_to_keep=2)
        self.manager.restore_or_initialize()

    def rate(self):
        """The learning rate, which falls in steps."""
        times = tf.cast(self.step // max(1, self.decay_steps), tf.float32)
        return LEARNING_RATE * DECAY_FACTOR**times

    def on_replica(self, images, labels):
        """A replica's part of the step; its part of the mean loss."""
        variables = self.network.trainable_variables
        with tf.GradientTape() as tape:
            entropies = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels, logits=self.network(images)
            )
            loss = tf.nn.compute_average_loss(entropies, global_batch_size=self.batch)
            loss += tf.nn.scale_regularization_loss(self.network.decay())
        replica = tf.distribute.get_replica_context()
        gradients = replica.all_reduce("SUM", tape.gradient(loss, variables))
        rate = self.rate()
        for variable, gradient in zip(variables, gradients, strict=True):
            variable.assign_sub(rate * gradient)
        self.step.assign_add(1)
        self.averages.apply(variables)
        return loss

    @tf.function
    def steps(self, iterator, count):
        """The mean loss of some steps."""
        total = 0.0
        for _ in tf.range(count):
            parts = self.strategy.run(self.on_replica, args=next(iterator))
            total += self.strategy.reduce("SUM", parts, axis=None)
        return total / tf.cast(count, tf.float32)


def train(strategy, asked):
    """Trains until `max_steps`, from the latest checkpoint on."""
    training = Training(strategy, asked)
    pictures = batches(asked.data_dir, training.batch)
    iterator = iter(strategy.experimental_distribute_dataset(pictures))
    step = int(training.step)
    while step < asked.max_steps:
        start = time.time()
        count = min(asked.log_every, asked.max_steps - step)
        loss = float(training.steps(iterator, tf.constant(count)))
        if np.isnan(loss):
            raise FloatingPointError(f"the loss is no number after step {step}")
        step += count
        rate = count * training.batch / (time.time() - start)
        print(f"step {step}: mean loss {loss:.3f}, {rate:.0f} pictures per second")
        if step % asked.save_every < count or step >= asked.max_steps:
            training.manager.save(step)
    return training


def evaluate(training, folder, batch=100):
    """The share of the test pictures that the averaged variables tell right."""
    pictures, labels = data.read(folder, [data.TEST_FILE])
    variables = training.network.trainable_variables
    learnt = [v.numpy() for v in variables]
    for v in variables:
        v.assign(training.averages.average(v))
    parts = np.array_split(data.middle(pictures), max(1, len(labels) // batch))
    guesses = [np.argmax(training.network(tf.constant(part)), axis=1) for part in parts]
    for v, value in zip(variables, learnt, strict=True):
        v.assign(value)
    return np.mean(np.concatenate(guesses) == labels)


def main():
    asked = options()
    if not data.is_there(asked.data_dir):
        print(f"{asked.data_dir} has no CIFAR-10; pictures of our own are made there")
        data.make(asked.data_dir)
    kind = "GPU" if tf.config.list_logical_devices("GPU") else "CPU"
    strategy = tf.distribute.MirroredStrategy([f"{kind}:{i}" for i in range(asked.num_gpus)])
    training = train(strategy, asked)
    print(f"test accuracy {evaluate(training, asked.data_dir):.3f}")


if __name__ == "__main__":
    main()
