"""What a worker of `emplace launch` is told: its place in the cluster, and its GPUs."""

from __future__ import annotations

import json
import os

from ....base import flags

# Where the launcher writes for its workers: their addresses, and the GPUs of each.
PLAN = flags.LAUNCH_PLAN.name


def take_place() -> None:
    """Sets `TF_CONFIG`, and the GPUs that are visible, for the worker that the agent has started
    this process as.

    Raises:
        KeyError: it was not started by `emplace launch`.
    """
    plan = json.loads(os.environ.pop(PLAN))
    number = int(os.environ["RANK"])
    task = {"type": "worker", "index": number}
    config = {"cluster": {"worker": plan["addresses"]}, "task": task}
    os.environ[flags.TF_CONFIG.name] = json.dumps(config)
    if plan["gpus"] is not None:
        os.environ[flags.VISIBLE.name] = plan["gpus"][number]
