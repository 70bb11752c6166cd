"""The environment variable `TF_CONFIG`, read as TensorFlow reads it: anew whenever it is asked."""

from __future__ import annotations

import json
from typing import Any

from ...base.flags import TF_CONFIG
from .resolver import ClusterResolver, master_url
from .spec import ClusterSpec


def tf_config() -> Any:
    """What is in `TF_CONFIG`: {} if it is not set.

    Raises:
        JSONDecodeError: it holds no JSON.
    """
    return json.loads(TF_CONFIG.get())


class TFConfigClusterResolver(ClusterResolver):
    """Tells what `TF_CONFIG` says (`tf.distribute.cluster_resolver.TFConfigClusterResolver`).

        {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}}

    Args:
        task_type: this process's job, instead of "type".
        task_id: its number in it, instead of "index".
        rpc_layer: the protocol in front of addresses, instead of "rpc_layer".
        environment: what `environment` says.

    The properties raise JSONDecodeError where `TF_CONFIG` holds no JSON.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @property
    def task_type(self) -> str | None:
        """The job of this process; None if nothing tells."""
        if self._task_type is not None:
            return self._task_type
        task = tf_config().get("task", {}) if _has("task") else {}
        return str(task["type"]) if "type" in task else None

    @task_type.setter
    def task_type(self, value: str | None) -> None:
        self._task_type = value

    @property
    def task_id(self) -> int | None:
        """The number of this process in its job; None if nothing tells.

        Raises:
            ValueError: what `TF_CONFIG` says is no number.
        """
        if self._task_id is not None:
            return self._task_id
        task = tf_config().get("task", {}) if _has("task") else {}
        return int(task["index"]) if "index" in task else None

    @task_id.setter
    def task_id(self, value: int | None) -> None:
        self._task_id = value

    @property
    def rpc_layer(self) -> str | None:
        """The protocol in front of addresses; None if nothing tells."""
        if self._rpc_layer is not None:
            return self._rpc_layer
        return tf_config()["rpc_layer"] if _has("rpc_layer") else None

    @rpc_layer.setter
    def rpc_layer(self, value: str | None) -> None:
        self._rpc_layer = value

    @property
    def environment(self) -> str:
        """What was given."""
        return self._environment  # type: ignore[return-value]  # TF: None if nothing was

    def cluster_spec(self) -> ClusterSpec:
        """The cluster; an empty one if nothing tells.

        Raises:
            TypeError: "cluster" is no cluster.
        """
        return ClusterSpec(tf_config()["cluster"] if _has("cluster") else {})

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Returns the address of a task, this process's by default; '' if there is no other task.

        Args:
            task_type: the job of the task.
            task_id: its number in the job.
            rpc_layer: the protocol before the address, such as "grpc".

        Raises:
            ValueError: there is no such task.
        """
        if _has("session_master"):
            return str(tf_config()["session_master"])
        cluster = self.cluster_spec()
        if sum(cluster.num_tasks(job) for job in cluster.jobs) < 2:
            return ""
        address = cluster.task_address(*self._task(task_type, task_id))
        return master_url(address, self.rpc_layer if rpc_layer is None else rpc_layer)


def _has(key: str) -> bool:
    return key in tf_config()
