"""The processes of a Slurm step, as Slurm's environment variables tell them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence

from ...base.flags import VISIBLE
from .resolver import ClusterResolver, master_url
from .spec import ClusterSpec

_HOSTS = re.compile(r"(?P<prefix>[^\[\],]*)(?:\[(?P<ranges>[^\[\]]*)\])?(?:,|$)")
_PART = re.compile(r"(?:[^,\[]|\[[^\]]*\])*")
_TASKS = re.compile(r"(?P<count>\d+)(?:\(x(?P<times>\d+)\))?")
_ASK_DRIVER_S = 30


def expand_hostlist(text: str) -> list[str]:
    """The hosts of a list as Slurm writes it.

    Raises:
        ValueError: it is no such list.

    >>> expand_hostlist("n[1-3,07],m")
    ['n1', 'n2', 'n3', 'n07', 'm']
    """
    try:
        return [host for part in _parts(text) for host in _hosts_of(part)]
    except ValueError as e:
        raise ValueError(f'Invalid hostlist format "{text}": {e}') from None


def _parts(text: str) -> list[str]:
    """What stands between the commas outside of brackets; nothing after a comma at the end."""
    parts, at = [], 0
    while at < len(text):
        found = _PART.match(text, at)
        assert found is not None
        if found.end() < len(text) and text[found.end()] != ",":
            raise ValueError(f"Invalid part: {text[at:]}")
        if not found[0]:
            raise ValueError("nothing between two commas")
        parts.append(found[0])
        at = found.end() + 1
    return parts


def _hosts_of(part: str) -> Iterator[str]:
    found = _HOSTS.fullmatch(part)
    if found is None:
        raise ValueError(f"Invalid part: {part}")
    if found["ranges"] is None:
        yield part
        return
    for each in found["ranges"].split(","):
        first, _, last = each.partition("-")
        if int(first) > int(last or first):
            raise ValueError(f"{each} ends before it starts")
        for number in range(int(first), int(last or first) + 1):
            yield f"{found['prefix']}{number:0{len(first)}d}"


def expand_tasks_per_node(text: str) -> list[int]:
    """The numbers of tasks of all nodes, as Slurm writes them.

    Raises:
        ValueError: it is no such text.

    >>> expand_tasks_per_node("3(x2),1")
    [3, 3, 1]
    """
    counts: list[int] = []
    for each in text.split(","):
        found = _TASKS.fullmatch(each)
        if found is None:
            raise ValueError(f'Invalid tasks-per-node list format "{text}": {each!r}')
        counts += [int(found["count"])] * int(found["times"] or 1)
    return counts


def _variable(name: str) -> str:
    """A variable of the step.

    Raises:
        RuntimeError: it is not set.
    """
    found = os.environ.get(f"SLURM_{name}")
    if found is None:
        raise RuntimeError(
            f"SLURM_{name} not found in environment. Not running inside a SLURM step?"
        )
    return found


def _gpus_here() -> list[str]:
    """The GPUs that this step may use on this node, as `CUDA_VISIBLE_DEVICES` names them."""
    if VISIBLE.name in os.environ:
        names = VISIBLE.get().split(",")
        return [] if names in ([""], ["NoDevFiles"]) else names
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    listed = subprocess.run(
        [tool, "--list-gpus"], capture_output=True, text=True, timeout=_ASK_DRIVER_S, check=False
    )
    return [str(i) for i, _ in enumerate(re.findall(r"^GPU \d+:", listed.stdout, re.MULTILINE))]


class SlurmClusterResolver(ClusterResolver):
    """The tasks of a Slurm step (`tf.distribute.cluster_resolver.SlurmClusterResolver`): jobs in
    the order of their names, tasks in the order of their ranks (`SLURM_PROCID`).

    Args:
        jobs: the number of tasks of each job; {"worker": all of them} by default.
        port_base: the port of the first task on a node, those of the others follow.
        gpus_per_node: how many GPUs a node has; by default those in `CUDA_VISIBLE_DEVICES`, or
            else those of this node.
        gpus_per_task: how many a task gets; by default a node's shared by its tasks.
        tasks_per_node: how many tasks a node has; by default what Slurm says.
        auto_set_gpu: `cluster_spec()` sets `CUDA_VISIBLE_DEVICES` to the GPUs of this task, of
            those that the variable names already if there are enough.
        rpc_layer: the protocol in front of addresses.

    Raises:
        RuntimeError: this is no Slurm step, `jobs` have another number of tasks, or a node has
            fewer GPUs than its tasks want.
        ValueError: Slurm's variables cannot be read.
    """

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str | None = "grpc",
    ) -> None:
        self._rank = int(_variable("PROCID"))
        self._port_base, self._sets_gpus, self.rpc_layer = port_base, auto_set_gpu, rpc_layer
        count = int(_variable("STEP_NUM_TASKS"))
        self._jobs = dict(sorted(({"worker": count} if jobs is None else jobs).items()))
        hosts = expand_hostlist(_variable("STEP_NODELIST"))
        if not hosts:
            raise ValueError("SLURM_STEP_NODELIST names no node.")
        self._tasks = _tasks_by_host(hosts, tasks_per_node)
        self._check(sum(self._jobs.values()))
        self._choose_gpus(gpus_per_node, gpus_per_task)

    def _check(self, wanted: int) -> None:
        assigned = sum(count for _, count in self._tasks)
        if wanted != assigned:
            raise RuntimeError(f"Requested {wanted} tasks but only {assigned} were assigned.")
        if not 0 <= self._rank < assigned:
            raise RuntimeError(
                f"SLURM_PROCID is {self._rank}, but the step has {assigned} tasks, from 0 on."
            )

    def _choose_gpus(self, per_node: int | None, per_task: int | None) -> None:
        here = _gpus_here() if per_node is None or self._sets_gpus else []
        per_node = len(here) if per_node is None else per_node
        most = max(count for _, count in self._tasks)
        self._gpus_per_task = per_node // most if per_task is None else per_task
        if self._gpus_per_task * most > per_node:
            raise RuntimeError("Requested more GPUs per node than available.")
        self._gpus = here if len(here) >= per_node else [str(i) for i in range(per_node)]

    def cluster_spec(self) -> ClusterSpec:
        """The cluster. It sets `task_type`, `task_id` and, unless told otherwise,
        `CUDA_VISIBLE_DEVICES`."""
        places = [
            (f"{host}:{self._port_base + local}", local)
            for host, count in self._tasks
            for local in range(count)
        ]
        cluster: dict[str, Sequence[str]] = {}
        start = 0
        for job, count in self._jobs.items():
            cluster[job] = [address for address, _ in places[start : start + count]]
            if start <= self._rank < start + count:
                self.task_type, self.task_id = job, self._rank - start
            start += count
        if self._sets_gpus:
            self._set_gpus(places[self._rank][1])
        return ClusterSpec(cluster)

    def _set_gpus(self, local: int) -> None:
        mine = self._gpus[local * self._gpus_per_task : (local + 1) * self._gpus_per_task]
        os.environ[VISIBLE.name] = ",".join(mine)
        self._sets_gpus = False  # what is chosen now is not to be chosen from

    def get_task_info(self) -> tuple[str | None, int | None]:
        """`task_type` and `task_id`; (None, None) before `cluster_spec()`."""
        return self.task_type, self.task_id

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a task, this process's by default; '' before `cluster_spec()`.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            rpc_layer: the protocol before the address, such as "grpc".

        Raises:
            ValueError: there is no such task.
        """
        job, number = self._task(task_type, task_id)
        if job is None or number is None:
            return ""
        address = self.cluster_spec().task_address(job, number)
        return master_url(address, self.rpc_layer if rpc_layer is None else rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> Mapping[str, int]:
        """Returns the GPUs of a task, {"GPU": 2} for example.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            config_proto: not used.
        """
        return {"GPU": self._gpus_per_task}


def _tasks_by_host(hosts: Sequence[str], tasks_per_node: int | None) -> list[tuple[str, int]]:
    if tasks_per_node is not None:
        return [(host, int(tasks_per_node)) for host in hosts]
    return list(zip(hosts, expand_tasks_per_node(_variable("STEP_TASKS_PER_NODE")), strict=False))
