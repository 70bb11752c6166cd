"""Files and their rows come in TensorFlow's order, and take as many seeds of the global one.

`tests/data/random_files.json` has the batches on TensorFlow 2.21 after `tf.random.set_seed(5)`, and
the number that `tf.random.uniform` gives next.
"""

import json
from pathlib import Path

import pytest

import emplace.tensorflow as tf
from tests.behaviour.programs import REPOSITORY

FOUND = json.loads((REPOSITORY / "tests" / "data" / "random_files.json").read_text())
READ = {"v": tf.io.FixedLenFeature([], tf.int64)}
SEEDED = {"shuffle_seed": 3, "shuffle_buffer_size": 4}


def rows(pattern, **options):
    made = tf.data.experimental.make_csv_dataset(pattern, 4, num_epochs=1, **options)
    return [batch["a"].numpy().tolist() for batch in made]


def records(pattern, **options):
    make = tf.data.experimental.make_batched_features_dataset
    return [x["v"].numpy().tolist() for x in make(pattern, 4, READ, num_epochs=1, **options)]


def files(pattern, **options):
    return [Path(x.numpy().decode()).name for x in tf.data.Dataset.list_files(pattern, **options)]


CASES = {
    "rows of one file": (rows, "f0.csv", {}),
    "rows of three files": (rows, "f*.csv", {}),
    "rows by a seed": (rows, "f*.csv", SEEDED),
    "rows in their order": (rows, "f*.csv", {"shuffle": False}),
    "records of one file": (records, "r0.tfrecord", {}),
    "records of three files": (records, "r*.tfrecord", {"reader_num_threads": 1}),
    "records by a seed": (records, "r*.tfrecord", {**SEEDED, "reader_num_threads": 2}),
    "records in their order": (records, "r*.tfrecord", {"shuffle": False, "reader_num_threads": 2}),
    "files": (files, "f*.csv", {}),
    "files by a seed": (files, "f*.csv", {"seed": 4}),
}


@pytest.mark.parametrize("case", CASES)
def test_files_come_in_tensorflows_order(case, tmp_path):
    for k in range(3):
        lines = ["a,b", *(f"{10 * k + i},{i}" for i in range(6))]
        (tmp_path / f"f{k}.csv").write_text("\n".join(lines) + "\n")
        with tf.io.TFRecordWriter(str(tmp_path / f"r{k}.tfrecord")) as writer:
            for i in range(5):
                value = tf.train.Feature(int64_list=tf.train.Int64List(value=[10 * k + i]))
                example = tf.train.Example(features=tf.train.Features(feature={"v": value}))
                writer.write(example.SerializeToString())
    make, pattern, options = CASES[case]
    tf.random.set_seed(5)
    assert make(str(tmp_path / pattern), **options) == FOUND[case]
    assert float(tf.random.uniform([])) == FOUND[f"{case}, what comes next"]
