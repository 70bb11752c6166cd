"""Variables of replicas that take the value of the first one's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..op import op
from .resource import Storage


def follow(groups: Iterable[Sequence[Storage]]) -> None:
    """Gives each variable of a group the value of its first one, where that has one."""
    for first, *others in groups:
        value = first.value
        if value is not None:
            for each in others:
                each.follow(value)


def replica_follow_kernel(*resources: Storage, replicas: int) -> None:
    """The same, of variables that lie one behind the other, so many of each group."""
    follow(resources[i : i + replicas] for i in range(0, len(resources), replicas))


# What plans make of changes that all replicas would make alike.
REPLICA_FOLLOW = op(
    "ReplicaFollow", "resources: N * resource ->", replica_follow_kernel, None, stateful=True,
    peer_access="memory", is_listed=False,
)  # fmt: skip
