"""The rows as written for TensorFlow; Emplace runs this same file."""

import numpy as np
import tensorflow as tf

from .cases import SIZES, statements
from .inputs import inputs

for size in SIZES:
    arrays = inputs(size)
    kept = arrays.pop("kept")
    for name, array in arrays.items():
        globals()[f"{name}_{size}"] = tf.constant(array)
    globals()[f"n_{size}"] = len(kept)
    globals()[f"words_{size}"] = tf.constant([f"word {each}" for each in arrays["k"]])
    where = np.argwhere(kept)
    globals()[f"sparse_{size}"] = tf.SparseTensor(where, kept[tuple(where.T)], kept.shape)

ROWS = statements("tf")
