"""One worker of `emplace launch`: gets its place in the cluster, then runs the script.

Run as `python -m emplace.distribute.workers.begin script.py ...` by the agent, which tells the
worker's number; the launcher has told the rest.
"""

from __future__ import annotations

import json
import os
import sys

from ...base import flags

# What the launcher tells its workers: their addresses, and the GPUs of each.
PLAN = "EMPLACE_LAUNCH_PLAN"


def main() -> None:
    """Runs a script as one of several workers."""
    plan = json.loads(os.environ.pop(PLAN))
    number = int(os.environ["RANK"])
    os.environ[flags.TF_CONFIG.name] = json.dumps(
        {
            "cluster": {"worker": plan["addresses"]},
            "task": {"type": "worker", "index": number},
        }
    )
    if plan["gpus"] is not None:
        os.environ[flags.VISIBLE.name] = plan["gpus"][number]
    from ...cli import main as run_command

    sys.argv = ["emplace", "run", *sys.argv[1:]]
    run_command()


if __name__ == "__main__":
    main()
