"""A convolutional network for CIFAR-10 with one tower per GPU, as TensorFlow 1 programs have it.

Threads fill queues with pictures. The variables live on the CPU. Each GPU computes the loss and the
gradients of its own batch; the CPU averages the gradients and changes the variables. Summaries and
checkpoints go to a folder, from which training goes on when the program is started again. Run it on
any machine:

    emplace run --tf1 --gpus 2 examples/cifar10_multi_gpu.py --num_gpus 2 --max_steps 60

`--data_dir` names the folder with CIFAR-10's binary files. If it has none, pictures of our own are
made there (see cifar10_data.py).
"""

import os
import re
import time

import cifar10_data as data
import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("data_dir", "/tmp/cifar10_data", "Folder of the binary files.")
tf.app.flags.DEFINE_string("train_dir", "/tmp/cifar10_train", "Folder of what is learnt.")
tf.app.flags.DEFINE_integer("num_gpus", 2, "How many towers.")
tf.app.flags.DEFINE_integer("max_steps", 200, "After how many steps to stop.")
tf.app.flags.DEFINE_integer("batch_size", 128, "Pictures per tower and step.")
tf.app.flags.DEFINE_integer("log_every", 10, "Steps between two lines.")
tf.app.flags.DEFINE_integer("save_every", 100, "Steps between two checkpoints.")

TOWER = "tower"
LEARNING_RATE = 0.1
DECAY_FACTOR = 0.1
EPOCHS_PER_DECAY = 350.0
AVERAGES_DECAY = 0.9999
WEIGHT_DECAY = 0.004


# -- the network -----------------------------------------------------------------------------------


def variable(name, shape, initializer, decay=None):
    """A variable on the CPU; its decay joins the losses."""
    with tf.device("/cpu:0"):
        made = tf.get_variable(name, shape, initializer=initializer)
    if decay is not None:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(made), decay, name="decay"))
    return made


def watched(x):
    """Tells TensorBoard how a layer's values are distributed, all towers under one name."""
    name = re.sub(rf"{TOWER}_[0-9]+/", "", x.op.name)
    tf.summary.histogram(f"{name}/activations", x)
    tf.summary.scalar(f"{name}/sparsity", tf.nn.zero_fraction(x))
    return x


def convolution(x, channels, bias):
    """A layer of 5 x 5 filters, in the open variable scope."""
    depth = x.shape.as_list()[-1]
    kernel = variable("weights", [5, 5, depth, channels], tf.truncated_normal_initializer(0, 0.05))
    biases = variable("biases", [channels], tf.constant_initializer(bias))
    x = tf.nn.conv2d(x, kernel, [1, 1, 1, 1], padding="SAME")
    return watched(tf.nn.relu(tf.nn.bias_add(x, biases), name="conv"))


def pool(x, name):
    return tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], padding="SAME", name=name)


def normalize(x, name):
    return tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name=name)


def dense(x, units):
    """A fully connected layer, whose weights decay."""
    size = x.shape.as_list()[-1]
    weights = variable("weights", [size, units], tf.truncated_normal_initializer(0, 0.04),
                       WEIGHT_DECAY)  # fmt: skip
    biases = variable("biases", [units], tf.constant_initializer(0.1))
    return watched(tf.nn.relu(tf.matmul(x, weights) + biases, name="dense"))


def inference(images):
    """The scores of the classes: two convolutions, two dense layers and a linear one."""
    with tf.variable_scope("conv1"):
        x = convolution(images, 64, 0.0)
    x = normalize(pool(x, "pool1"), "norm1")
    with tf.variable_scope("conv2"):
        x = convolution(x, 64, 0.1)
    x = pool(normalize(x, "norm2"), "pool2")
    height, width, depth = x.shape.as_list()[1:]
    x = tf.reshape(x, [-1, height * width * depth])
    with tf.variable_scope("dense3"):
        x = dense(x, 384)
    with tf.variable_scope("dense4"):
        x = dense(x, 192)
    with tf.variable_scope("softmax"):
        weights = variable("weights", [192, data.CLASSES],
                           tf.truncated_normal_initializer(0, 1 / 192.0))  # fmt: skip
        biases = variable("biases", [data.CLASSES], tf.constant_initializer(0.0))
        return tf.add(tf.matmul(x, weights), biases, name="scores")


# -- training --------------------------------------------------------------------------------------


def examples(folder):
    """One picture and its class, the next at every run, cut out and mirrored at random."""
    files = [os.path.join(folder, name) for name in data.TRAIN_FILES]
    records = tf.data.FixedLengthRecordDataset(files, data.RECORD).repeat()
    record = tf.decode_raw(tf.data.make_one_shot_iterator(records).get_next(), tf.uint8)
    record.set_shape([data.RECORD])
    planes = tf.reshape(record[1:], [3, data.SIZE, data.SIZE])
    picture = tf.cast(tf.transpose(planes, [1, 2, 0]), tf.float32)
    picture = tf.random_crop(picture, [data.CROP, data.CROP, 3])
    picture = tf.image.random_flip_left_right(picture)
    return tf.image.per_image_standardization(picture), tf.cast(record[0], tf.int32)


def inputs(folder, batch_size):
    """A queue that threads fill with pictures; each run takes a batch out of it."""
    with tf.name_scope("input"), tf.device("/cpu:0"):
        waiting = 8 * batch_size
        return tf.train.shuffle_batch(
            examples(folder), batch_size, capacity=waiting + 3 * batch_size,
            min_after_dequeue=waiting, num_threads=4,
        )  # fmt: skip


def tower_loss(scope, images, labels):
    """The loss of one tower: its cross entropy, and the decay of the weights."""
    scores = inference(images)
    entropies = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    tf.add_to_collection("losses", tf.reduce_mean(entropies, name="cross_entropy"))
    losses = tf.get_collection("losses", scope)
    total = tf.add_n(losses, name="total_loss")
    for each in [*losses, total]:
        tf.summary.scalar(re.sub(rf"{TOWER}_[0-9]+/", "", each.op.name), each)
    return total


def average_gradients(of_towers):
    """One (gradient, variable) per variable; the gradient is the mean of those of all towers."""
    averaged = []
    for pairs in zip(*of_towers, strict=True):
        gradients = tf.stack([gradient for gradient, _ in pairs])
        averaged.append((tf.reduce_mean(gradients, 0), pairs[0][1]))
    return averaged


def make_towers(optimizer):
    """A tower on each GPU: its loss, and the gradients of all variables."""
    losses, gradients = [], []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(FLAGS.num_gpus):
            with tf.device(f"/gpu:{i}"), tf.name_scope(f"{TOWER}_{i}") as scope:
                images, labels = inputs(FLAGS.data_dir, FLAGS.batch_size)
                losses.append(tower_loss(scope, images, labels))
                tf.get_variable_scope().reuse_variables()
                gradients.append(optimizer.compute_gradients(losses[-1]))
                summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
    return losses, gradients, summaries


def make_training(pictures):
    """The graph: the operation of a step, the mean loss, the summaries."""
    step = tf.train.get_or_create_global_step()
    decay_steps = int(pictures / FLAGS.batch_size / FLAGS.num_gpus * EPOCHS_PER_DECAY)
    rate = tf.train.exponential_decay(
        LEARNING_RATE, step, decay_steps, DECAY_FACTOR, staircase=True
    )
    optimizer = tf.train.GradientDescentOptimizer(rate)
    losses, gradients, summaries = make_towers(optimizer)
    averaged = average_gradients(gradients)
    summaries.append(tf.summary.scalar("learning_rate", rate))
    for gradient, of in averaged:
        summaries.append(tf.summary.histogram(f"{of.op.name}/gradients", gradient))
        summaries.append(tf.summary.histogram(of.op.name, of))
    apply = optimizer.apply_gradients(averaged, global_step=step)
    averages = tf.train.ExponentialMovingAverage(AVERAGES_DECAY, step)
    train = tf.group(apply, averages.apply(tf.trainable_variables()))
    return train, tf.reduce_mean(tf.stack(losses)), tf.summary.merge(summaries)


def train():
    """Trains until `max_steps`, from the latest checkpoint on."""
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        tf.set_random_seed(1)
        train_op, loss, summary = make_training(data.count(FLAGS.data_dir))
        saver = tf.train.Saver(tf.global_variables())
        init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
        config = tf.ConfigProto(allow_soft_placement=True)
        writer = tf.summary.FileWriter(FLAGS.train_dir, tf.get_default_graph())
        with tf.Session(config=config) as session, writer:
            session.run(init)
            latest = tf.train.latest_checkpoint(FLAGS.train_dir)
            if latest:
                saver.restore(session, latest)
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            try:
                run_steps(session, train_op, loss, summary, saver, writer)
            finally:
                coord.request_stop()
                coord.join(threads)


def run_steps(session, train_op, loss, summary, saver, writer):
    """The steps themselves."""
    losses, start = [], time.time()
    step = session.run(tf.train.get_global_step())
    while step < FLAGS.max_steps:
        _, value = session.run([train_op, loss])
        if np.isnan(value):
            raise FloatingPointError(f"the loss is no number at step {step}")
        losses.append(value)
        step += 1
        if step % FLAGS.log_every == 0:
            rate = len(losses) * FLAGS.batch_size * FLAGS.num_gpus / (time.time() - start)
            print(f"step {step}: mean loss {np.mean(losses):.3f}, {rate:.0f} pictures per second")
            writer.add_summary(session.run(summary), step)
            losses, start = [], time.time()
        if step % FLAGS.save_every == 0 or step == FLAGS.max_steps:
            saver.save(session, os.path.join(FLAGS.train_dir, "model.ckpt"), global_step=step)


def evaluate(batch=100):
    """The share of the test pictures that the averaged variables tell right."""
    pictures, labels = data.read(FLAGS.data_dir, [data.TEST_FILE])
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        images = tf.placeholder(tf.float32, [None, data.CROP, data.CROP, 3])
        best = tf.argmax(inference(images), 1)
        averages = tf.train.ExponentialMovingAverage(AVERAGES_DECAY)
        saver = tf.train.Saver(averages.variables_to_restore())
        with tf.Session() as session:
            saver.restore(session, tf.train.latest_checkpoint(FLAGS.train_dir))
            parts = np.array_split(data.middle(pictures), max(1, len(labels) // batch))
            guesses = [session.run(best, {images: part}) for part in parts]
    return np.mean(np.concatenate(guesses) == labels)


def main(_):
    if not data.is_there(FLAGS.data_dir):
        print(f"{FLAGS.data_dir} has no CIFAR-10; pictures of our own are made there")
        data.make(FLAGS.data_dir)
    tf.gfile.MakeDirs(FLAGS.train_dir)
    train()
    print(f"test accuracy {evaluate():.3f}")


if __name__ == "__main__":
    tf.app.run()
