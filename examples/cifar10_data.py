"""CIFAR-10's binary files: read them, or make files of the same format with pictures of our own.

A file is a row of records; a record is one byte, the class, and 3 x 32 x 32 bytes, the red, green
and blue parts of a picture. The pictures that this script makes are coloured waves, one kind per
class, under noise. They can be learnt, and are good for nothing else:

    python examples/cifar10_data.py /tmp/cifar10
"""

import os
import sys

import numpy as np

CLASSES = 10
SIZE = 32
CROP = 24
RECORD = 1 + 3 * SIZE * SIZE
TRAIN_FILES = [f"data_batch_{i}.bin" for i in range(1, 6)]
TEST_FILE = "test_batch.bin"


def read(folder, names):
    """Pictures as [count, 32, 32, 3] bytes, and their classes."""
    parts = []
    for name in names:
        data = np.fromfile(os.path.join(folder, name), np.uint8)
        if data.size % RECORD:
            raise ValueError(f"{name} is cut off: {data.size} bytes are no multiple of {RECORD}")
        parts.append(data.reshape(-1, RECORD))
    records = np.concatenate(parts)
    pictures = records[:, 1:].reshape(-1, 3, SIZE, SIZE).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(pictures), records[:, 0].astype(np.int32)


def count(folder):
    """How many pictures there are to learn from."""
    return sum(os.path.getsize(os.path.join(folder, name)) for name in TRAIN_FILES) // RECORD


def standardized(pictures):
    """Numbers of mean 0 and deviation 1 in each picture."""
    x = pictures.astype(np.float32)
    x -= x.mean((1, 2, 3), keepdims=True)
    return x / np.maximum(x.std((1, 2, 3), keepdims=True), x[0].size ** -0.5)


def middle(pictures):
    """The middle of each picture, for evaluation."""
    edge = (SIZE - CROP) // 2
    return standardized(pictures[:, edge : edge + CROP, edge : edge + CROP])


def make(folder, count=2000, seed=0):
    """Writes files with `count` pictures each."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    turns = np.pi * np.arange(CLASSES) / CLASSES
    waves = [np.sin(2 * np.pi * 3 * (x * np.cos(t) + y * np.sin(t))) for t in turns]
    colours = rng.uniform(0.2, 1.0, (CLASSES, 3, 1, 1))
    patterns = np.stack(waves)[:, None] * colours
    for name in [*TRAIN_FILES, TEST_FILE]:
        labels = rng.integers(0, CLASSES, count)
        strength = rng.uniform(20, 40, (count, 1, 1, 1))
        noise = rng.normal(0, 30, (count, 3, SIZE, SIZE))
        values = 128 + strength * patterns[labels] + noise
        pictures = np.clip(values, 0, 255).astype(np.uint8).reshape(count, -1)
        records = np.concatenate([labels[:, None].astype(np.uint8), pictures], 1)
        records.tofile(os.path.join(folder, name))


def is_there(folder):
    """Whether a folder has all files."""
    names = [*TRAIN_FILES, TEST_FILE]
    return all(os.path.exists(os.path.join(folder, name)) for name in names)


if __name__ == "__main__":
    make(sys.argv[1])
    print(f"pictures in CIFAR-10's format are in {sys.argv[1]}")
