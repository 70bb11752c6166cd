"""One pass through a pipeline of `tf.data`, and through torch's DataLoader with as many workers."""

from ..budgets import Budget

PEERS = ("emplace", "torch", "tensorflow")
ROWS = {
    "images": "100,000 images of 28 x 28 bytes: scaled, shuffled, in batches of 128, prefetched",
    "whitened": "20,000 of them, each less its own mean, with one-hot labels",
    "elements": "10,000 pairs of an image and a label, one by one",
    "filtered": "20,000 images, of which every other stays, in batches of 128",
    "generator": "5,000 images that a Python generator yields, in batches of 128",
    "records": "5,000 records of a TFRecord file, parsed in batches of 128",
    "summed": "20,000 numbers, summed by `reduce`",
}
# Workers are what this suite is about: nobody is kept on one core.
SPREADS = True
STARTS: dict[str, dict[str, str]] = {}

# Rows that are slower than TensorFlow or now and then, and why. The list may only shrink.
SLOWER = {
    "whitened": "each image is six kernels of torch of some microseconds, in one thread at a time",
    "records": "files and protocol buffers are read by Python",
}

BUDGETS = (
    *(Budget(row, of="tensorflow") for row in ROWS if row not in SLOWER),
    Budget("images", of="torch"),
)
