"""Asks TensorFlow how workers share datasets, and keeps its answers.

    python scripts/record_oracle/worker_shares.py     # in an environment with TensorFlow

writes tests/oracle/worker_shares.json: for each dataset, number of workers, replicas of each and
policy the batches of every worker's replicas, or the beginning of the error.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parents[2] / "tests" / "oracle" / "worker_shares.json"
POLICIES = ("OFF", "AUTO", "FILE", "DATA", "HINT")
SIZES = ((2, 1), (2, 2), (3, 2))

# Expressions of `tf` and `files`, the names of five files of numbers.
DATASETS = (
    "tf.data.Dataset.range(10).batch(6)",
    "tf.data.Dataset.range(10).batch(4)",
    "tf.data.Dataset.range(10).batch(5)",
    "tf.data.Dataset.range(13).batch(6, drop_remainder=True)",
    "tf.data.Dataset.range(5).batch(4).repeat(2)",
    "tf.data.Dataset.range(6).batch(4).prefetch(1)",
    "tf.data.Dataset.range(9).shard(tf.data.experimental.SHARD_HINT, "
    "tf.data.experimental.SHARD_HINT).batch(4)",
    "tf.data.TextLineDataset(files).batch(4)",
    "tf.data.TextLineDataset(files[:1]).batch(4)",
    "tf.data.Dataset.from_tensor_slices(files).flat_map(tf.data.TextLineDataset).batch(6)",
    "tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TextLineDataset, "
    "cycle_length=2).batch(4)",
    "tf.data.TextLineDataset(files).repeat(2).batch(5)",
    "tf.data.Dataset.range(4)",
)


def make_files(folder: str) -> list[str]:
    """Five files: four lines each, the last two."""
    names = []
    for i in range(5):
        names.append(os.path.join(folder, f"f{i}.txt"))
        lines = [str(i * 10 + j) for j in range(4 if i < 4 else 2)]
        Path(names[-1]).write_text("\n".join(lines) + "\n")
    return names


def plain(batch: Any) -> list[int]:
    """The numbers of a batch."""
    return [int(each) for each in batch.numpy().tolist()]


def _share(tf: Any, dataset: Any, workers: int, own: int, number: int) -> Any:
    from tensorflow.python.data.experimental.ops import distribute
    from tensorflow.python.distribute import input_ops

    try:
        size = distribute.compute_batch_size(dataset)
        sizes = distribute.batch_sizes_for_worker(size, workers, own, number)
        cut = dataset.rebatch(sizes).prefetch(own)
        made = input_ops.auto_shard_dataset(cut, workers, number, workers * own)
        return [plain(each) for each in made]
    except Exception as error:
        text = str(error).split("}} ")[-1].split(":")[0].split(".")[0]
        return f"{type(error).__name__}: {text}"


def main() -> None:
    """Asks, and writes."""
    import tensorflow as tf

    answers = []
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(folder)
        for text in DATASETS:
            for workers, own in SIZES:
                # A hint that nobody takes ends TensorFlow's process.
                for policy in ("HINT",) if "SHARD_HINT" in text else POLICIES:
                    options = tf.data.Options()
                    kind = tf.data.experimental.AutoShardPolicy[policy]
                    options.experimental_distribute.auto_shard_policy = kind
                    made = eval(text, {"tf": tf, "files": files}).with_options(options)
                    shares = [_share(tf, made, workers, own, i) for i in range(workers)]
                    answers.append([text, workers, own, policy, shares])
    lines = ",\n".join(json.dumps(each) for each in answers)
    ANSWERS.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
