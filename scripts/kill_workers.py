"""Kills a worker at a random moment, again and again, and looks what becomes of the training.

    python scripts/kill_workers.py --times 20

trains a small network in several worker processes on this machine. Each time one of them is killed
(signal 9) at another moment. Then the others must end with an error that names it, before a limit,
and the training that is started again must end with the weights of one that nobody has disturbed,
bit for bit.

Options:
    --times N       how often (default 20)
    --workers N     processes (default 3)
    --gpus N        virtual GPUs of each (default 2)
    --save HOW      what saves: backup (Keras's BackupAndRestore), manager
                    (tf.train.CheckpointManager) or both, in turn (default)
    --by WHO        who starts the workers again: hand (this script, when all have ended), launch
                    (`emplace launch --restarts 1`), or both, in turn (default)
    --seed N        of the moments (default: the time)
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

EPOCHS, ROWS, BATCH = 6, 96, 30
# Within so many seconds the others have ended; everything else has to be done in this time too.
LIMIT_S, MOST_S = 60, 300


# -- the program of a worker -----------------------------------------------------------------------


def train(save: str, folder: str, out: str) -> None:
    """Trains, goes on from what was saved in `folder`, and writes the weights to `out`."""
    import keras
    import numpy as np
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    number = strategy.cluster_resolver.task_id
    print(f"pid {number} {os.getpid()}", flush=True)
    keras.utils.set_random_seed(3)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 20)).astype("float32")
    y = rng.integers(0, 4, ROWS)
    with strategy.scope():
        model = keras.Sequential(
            [
                keras.Input((20,)), keras.layers.Dense(32, activation="relu"),
                keras.layers.Dropout(0.2), keras.layers.BatchNormalization(),
                keras.layers.Dense(4),
            ]
        )  # fmt: skip
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer=keras.optimizers.Adam(1e-2), loss=loss, metrics=["accuracy"])
        model.optimizer.build(model.trainable_variables)

    def tell(epoch: int) -> None:
        print(f"epoch {epoch}", flush=True)

    if save == "backup":
        callbacks = [
            keras.callbacks.BackupAndRestore(folder, delete_checkpoint=False),
            keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: tell(epoch)),
        ]
        model.fit(
            x, y, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0, callbacks=callbacks
        )
    else:
        epoch = tf.Variable(0)
        # A model's own checkpoint leaves out how far the generators of dropout are.
        states = [variable.value for variable in model.variables]
        checkpoint = tf.train.Checkpoint(model=model, states=states, epoch=epoch)
        manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        manager.restore_or_initialize()
        while int(epoch) < EPOCHS:
            model.fit(x, y, batch_size=BATCH, shuffle=False, verbose=0)
            epoch.assign_add(1)
            manager.save()
            tell(int(epoch))
    if number == 0:
        values = model.get_weights() + [variable.numpy() for variable in model.optimizer.variables]
        np.savez(out, *values)
    print("end", flush=True)


# -- who kills -------------------------------------------------------------------------------------


class Job:
    """Workers that run, and what they have written."""

    def __init__(self, commands: list[list[str]], environments: list[dict[str, str]]) -> None:
        self.lines: list[tuple[int, str]] = []
        self.news = threading.Condition()
        self.processes = [
            subprocess.Popen(
                command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                start_new_session=True,
            )
            for command, env in zip(commands, environments, strict=True)
        ]  # fmt: skip
        self.readers = [
            threading.Thread(target=self._read, args=(i, each), daemon=True)
            for i, each in enumerate(self.processes)
        ]
        for reader in self.readers:
            reader.start()

    def _read(self, number: int, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            with self.news:
                self.lines.append((number, line.rstrip()))
                self.news.notify_all()

    def find(self, pattern: str) -> list[re.Match[str]]:
        """What was written so far."""
        return [found for _, line in list(self.lines) if (found := re.search(pattern, line))]

    def wait_for(self, pattern: str, count: int) -> None:
        """Waits until something has been written so many times."""
        deadline = time.monotonic() + MOST_S
        with self.news:
            while len(self.find(pattern)) < count:
                alive = any(each.poll() is None for each in self.processes)
                if not alive or time.monotonic() > deadline:
                    raise SystemExit(f"no {count} x {pattern!r} in\n{self.text()}")
                self.news.wait(0.2)

    def end(self, limit: float) -> list[int]:
        """Waits for all of them; their exit codes."""
        deadline = time.monotonic() + limit
        try:
            for each in self.processes:
                each.wait(max(deadline - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            raise SystemExit(f"not over after {limit} s:\n{self.text()}") from None
        finally:
            self.kill()
        for reader in self.readers:
            reader.join(10)
        return [each.returncode for each in self.processes]

    def kill(self) -> None:
        """Ends what still runs."""
        for each in self.processes:
            if each.poll() is None:
                os.killpg(each.pid, signal.SIGKILL)
                each.wait()

    def text(self) -> str:
        """All that they have written."""
        return "\n".join(f"[{i}] {line}" for i, line in self.lines[-200:])


def start(by: str, options: argparse.Namespace, save: str, folder: str, out: str) -> Job:
    """Starts all workers, by hand or with `emplace launch`."""
    own = [__file__, "--train", save, folder, out]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TF_CONFIG"):
        env.pop(name, None)
    if by == "launch":
        command = [sys.executable, "-m", "emplace", "launch", "--workers", str(options.workers)]
        command += ["--gpus", str(options.gpus), "--restarts", "1", *own]
        return Job([command], [env])
    env["EMPLACE_GPUS"] = str(options.gpus)
    with socket.socket() as first:
        first.bind(("127.0.0.1", 0))
        port = first.getsockname()[1]
    # Only the first worker listens at its address; the others' ports are names.
    addresses = [f"127.0.0.1:{port + i if port + i < 65536 else i}" for i in range(options.workers)]
    environments = []
    for i in range(options.workers):
        task = {"type": "worker", "index": i}
        config = {"cluster": {"worker": addresses}, "task": task}
        environments.append({**env, "TF_CONFIG": json.dumps(config)})
    command = [sys.executable, "-u", "-m", "emplace", "run", *own]
    return Job([command] * options.workers, environments)


def disturb(job: Job, options: argparse.Namespace, rng: random.Random) -> tuple[int, float]:
    """Kills one worker at a moment between its start and the end of training."""
    job.wait_for(r"pid \d+ \d+", options.workers)
    moment = rng.randrange(EPOCHS)
    if moment:
        job.wait_for(r"epoch \d+", (moment - 1) * options.workers + 1)
    time.sleep(rng.uniform(0, 0.3))
    pids = {int(found[1]): int(found[2]) for found in job.find(r"pid (\d+) (\d+)")}
    number = rng.randrange(options.workers)
    killed = time.monotonic()
    os.kill(pids[number], signal.SIGKILL)
    return number, killed


def once(
    options: argparse.Namespace, save: str, by: str, expected: Path, rng: random.Random
) -> str:
    """One disturbed training; returns what happened.

    Raises:
        SystemExit: something is not as it should be.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "weights.npz")
        saved = os.path.join(folder, "saved")
        job = start(by, options, save, saved, out)
        try:
            number, killed = disturb(job, options, rng)
            if by == "launch":
                codes = job.end(MOST_S)
                seconds = 0.0
                _require(codes == [0], job, f"exit code {codes[0]}")
                refusal = f"worker {number} was killed by SIGKILL. Starting all {options.workers}"
                _require(bool(job.find(re.escape(refusal))), job, f"nobody said {refusal!r}")
            else:
                codes = job.end(LIMIT_S)
                seconds = time.monotonic() - killed
                others = [code for i, code in enumerate(codes) if i != number]
                _require(all(code == 1 for code in others), job, f"exit codes {codes}")
                refusal = rf"cannot go on: worker {number} \S+ has been"
                for pattern in ("UnavailableError", refusal):
                    _require(len(job.find(pattern)) >= len(others), job, f"not all: {pattern!r}")
                job = start(by, options, save, saved, out)
                codes = job.end(MOST_S)
                _require(codes == [0] * options.workers, job, f"exit codes {codes}")
            _require(_alike(expected, Path(out)), job, "the weights differ")
        finally:
            job.kill()
    return f"{save} by {by}: worker {number} killed, others over after {seconds:.1f} s, same bits"


def _require(holds: bool, job: Job, text: str) -> None:
    if not holds:
        raise SystemExit(f"{text}\n{job.text()}")


def _alike(one: Path, other: Path) -> bool:
    import numpy as np

    with np.load(one) as a, np.load(other) as b:
        return set(a) == set(b) and all(np.array_equal(a[each], b[each]) for each in a)


def main() -> None:
    """The command."""
    if sys.argv[1:2] == ["--train"]:
        train(*sys.argv[2:5])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--save", choices=["backup", "manager", "both"], default="both")
    parser.add_argument("--by", choices=["hand", "launch", "both"], default="both")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    saves = ["backup", "manager"] if options.save == "both" else [options.save]
    starters = ["hand", "launch"] if options.by == "both" else [options.by]
    with tempfile.TemporaryDirectory() as folder:
        wanted = {save: Path(folder) / f"{save}.npz" for save in saves}
        for save, path in wanted.items():
            job = start("hand", options, save, os.path.join(folder, save), str(path))
            codes = job.end(MOST_S)
            _require(not any(codes), job, f"undisturbed: exit codes {codes}")
        print(f"seed {options.seed}", flush=True)
        for i in range(options.times):
            save, by = saves[i % len(saves)], starters[i // len(saves) % len(starters)]
            print(
                f"{i + 1}/{options.times}: {once(options, save, by, wanted[save], rng)}", flush=True
            )


if __name__ == "__main__":
    main()
