"""The pipelines as written for TensorFlow; Emplace runs this same file."""

import tempfile

import tensorflow as tf

from .inputs import BATCH, IMAGES, LABELS, WORKERS

D = tf.data.Dataset
options = tf.data.Options()
options.threading.private_threadpool_size = WORKERS


def slices(count):
    return D.from_tensor_slices((IMAGES[:count], LABELS[:count]))


def scaled(image, label):
    return tf.cast(image, tf.float32) / 255.0, label


def whitened(image, label):
    image = tf.cast(image, tf.float32) / 255.0
    return image - tf.reduce_mean(image), tf.one_hot(label, 10)


def generated():
    for i in range(5_000):
        yield IMAGES[i], LABELS[i]


def write_records():
    path = tempfile.mkdtemp() + "/images.tfrecord"
    with tf.io.TFRecordWriter(path) as writer:
        for image, label in zip(IMAGES[:5_000], LABELS[:5_000], strict=True):
            features = tf.train.Features(feature={
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
            })  # fmt: skip
            writer.write(tf.train.Example(features=features).SerializeToString())
    return path


FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}
SPEC = (tf.TensorSpec((28, 28), tf.uint8), tf.TensorSpec((), tf.int64))

images = (
    slices(100_000).map(scaled, WORKERS).shuffle(10_000).batch(BATCH).prefetch(2)
).with_options(options)
white = (
    slices(20_000).shuffle(10_000).map(whitened, WORKERS).batch(BATCH).prefetch(2)
).with_options(options)
elements = slices(10_000).with_options(options)
filtered = (slices(20_000).filter(lambda image, label: label % 2 == 0).batch(BATCH)).with_options(
    options
)
generator = D.from_generator(generated, output_signature=SPEC).batch(BATCH).with_options(options)
records = (
    tf.data.TFRecordDataset(write_records()).batch(BATCH)
    .map(lambda batch: tf.io.parse_example(batch, FEATURES), WORKERS).prefetch(2)
).with_options(options)  # fmt: skip
numbers = D.range(20_000).with_options(options)


def one_pass(dataset):
    for _ in dataset:
        pass


ROWS = {
    "images": "one_pass(images)",
    "whitened": "one_pass(white)",
    "elements": "one_pass(elements)",
    "filtered": "one_pass(filtered)",
    "generator": "one_pass(generator)",
    "records": "one_pass(records)",
    "summed": "numbers.reduce(tf.constant(0, tf.int64), lambda state, x: state + x)",
}
