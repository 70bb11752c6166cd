"""All-reduce over worker processes on this machine: ours beside bare `torch.distributed`.

    python benchmarks/workers.py [--workers 3] [--megabytes 100] [--rounds 15]

Every process does all in turn, so that other work on the machine is shared: `all_reduce` of
`torch.distributed`'s Gloo group on a tensor, in place; the same on a copy of the tensor; and a
`tf.function` in which a replica of `MultiWorkerMirroredStrategy` reduces a tensor, which leaves it
as it is and makes a new one; the sums alone of a tensor that is made in the same step, as gradients
are, and that ours sums where it is; ours with the same bytes in 1,000 tensors. Medians, and, as
medians of the ratios of rounds, how much of the bare speeds is reached, and how many times the cost
of the large tensor the small ones have.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from emplace.distribute.workers.processes.launch import _free_ports

IN_PLACE, COPIED, OURS = "torch.distributed, in place", "torch.distributed, a copy", "emplace"
BARE_MADE, MADE = "torch.distributed, made anew", "emplace, made anew"
SMALL = "emplace, 1,000 small ones"


def work(megabytes: float, rounds: int) -> None:
    """One worker; the first one prints what it measured."""
    import torch
    import torch.distributed as dist

    import emplace.tensorflow as tf
    from emplace.distribute.workers.processes.link import link

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    number = strategy.cluster_resolver.task_id
    count = int(megabytes * 1e6 / 4) // 1000 * 1000
    port, size = os.environ["BENCHMARK_PORT"], strategy.num_replicas_in_sync
    dist.init_process_group(
        "gloo", init_method=f"tcp://127.0.0.1:{port}", rank=number, world_size=size
    )
    raw = torch.zeros(count)
    x = tf.zeros([count])
    context = tf.distribute.get_replica_context

    @tf.function
    def ours(x: Any) -> Any:
        return strategy.run(lambda: context().all_reduce("SUM", x))

    @tf.function
    def made(x: Any) -> Any:
        # As a gradient is: nobody else wants it, so it is summed where it is.
        return strategy.run(lambda: context().all_reduce("SUM", x * 2.0))

    @tf.function
    def small(x: Any) -> Any:
        # Made and left in the function, as gradients of a step are.
        return strategy.run(lambda: context().all_reduce("SUM", tf.split(x, 1000))[-1])

    def sum_alone(run: Callable[[], Any]) -> float:
        """The seconds of the sum, without those that the value takes."""
        taken: list[float] = []
        connection, sum_laid = link(), link().sum_laid

        def told(vectors: Any) -> None:
            taken.append(timed(lambda: sum_laid(vectors)))

        connection.sum_laid = told  # type: ignore[method-assign]
        try:
            run()
        finally:
            connection.sum_laid = sum_laid  # type: ignore[method-assign]
        return taken[0]

    def bare_made() -> float:
        value = raw * 2.0
        return timed(lambda: dist.all_reduce(value))

    ways: dict[str, Callable[[], Any]] = {
        IN_PLACE: lambda: dist.all_reduce(raw),
        COPIED: lambda: dist.all_reduce(raw.clone()),
        OURS: lambda: ours(x),
        BARE_MADE: bare_made,
        MADE: lambda: sum_alone(lambda: made(x)),
        SMALL: lambda: small(x),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    turns = list(ways)
    for i in range(rounds + 2):
        for name in turns:
            dist.barrier()
            taken = ways[name]() if name in (MADE, BARE_MADE) else timed(ways[name])
            if i > 1:
                seconds[name].append(taken)
        turns.append(turns.pop(0))  # so that nobody always comes after the same one
    if number == 0:
        print(json.dumps(seconds))


def timed(way: Callable[[], Any]) -> float:
    """The seconds that something takes."""
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.megabytes, options.rounds)
        return
    ports = _free_ports(options.workers + 1)
    cluster = {"worker": [f"127.0.0.1:{port}" for port in ports[1:]]}
    processes = []
    for i in range(options.workers):
        config = {"cluster": cluster, "task": {"type": "worker", "index": i}}
        env = {
            **os.environ, "TF_CONFIG": json.dumps(config), "BENCHMARK_PORT": str(ports[0]),
            "EMPLACE_GPUS": "0", "OMP_NUM_THREADS": "1",
        }  # fmt: skip
        command = [sys.executable, __file__, "--work", "--megabytes", str(options.megabytes),
                   "--rounds", str(options.rounds)]  # fmt: skip
        processes.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True))
    texts = [process.communicate(timeout=900)[0] for process in processes]
    seconds = json.loads(texts[0].strip().splitlines()[-1])
    for name, times in seconds.items():
        median = statistics.median(times)
        speed = options.megabytes / 1e3 / median
        print(f"{name:28} {median * 1e3:8.1f} ms  {speed:6.2f} GB/s")
    for name in (IN_PLACE, COPIED):
        print(f"of the speed of {name}: {ratio(seconds[name], seconds[OURS]):.2f}")
    print(f"of a value that a step makes: {ratio(seconds[BARE_MADE], seconds[MADE]):.2f}")
    print(f"small ones beside the large one: {ratio(seconds[SMALL], seconds[OURS]):.2f}")


def ratio(above: list[float], below: list[float]) -> float:
    """The median of the ratios of rounds: what disturbs a round disturbs both."""
    return statistics.median(x / y for x, y in zip(above, below, strict=True))


if __name__ == "__main__":
    main()
