"""What the nodes of a pipeline keep from pass to pass, and what a position depends on besides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...base import log
from ...base.errors import FailedPreconditionError, UnimplementedError
from .bound import BoundDataset
from .node import Node, Run
from .position import changed, saved

_WARN, _FAIL = 0, 2


def nodes_of(node: Node, run: Run) -> Iterator[tuple[Node, Run]]:
    """All nodes of a pipeline with the pass through each, always in the same order."""
    yield node, run
    for each, inner in node.within(run):
        yield from nodes_of(each, inner)


class NodeMemory:
    """What the nodes of a pipeline keep from pass to pass.

    Args:
        node: the pipeline.
        run: a pass through it.
    """

    def __init__(self, node: Node, run: Run) -> None:
        self._node, self._run = node, run

    def _each(self) -> Iterator[dict[str, Any]]:
        return (run.memory(node) for node, run in nodes_of(self._node, self._run))

    def save(self) -> dict[str, Any]:
        """What is kept now."""
        for node, run in nodes_of(self._node, self._run):
            node.settle(run)
        return {"memory": [saved(dict(each)) for each in self._each()]}

    def restore(self, parts: dict[str, Any]) -> None:
        """Lets the nodes keep that again."""
        memories = list(self._each())
        if len(memories) != len(parts["memory"]):
            raise changed(f"{len(parts['memory'])} datasets where there are now {len(memories)}")
        for memory, kept in zip(memories, parts["memory"], strict=True):
            memory.clear()
            memory.update(kept)


def memory_of(dataset: BoundDataset, run: Run) -> NodeMemory:
    """What the nodes of a dataset that a function made keep."""
    return NodeMemory(dataset.node, dataset.run_within(run))


def inner_nodes(node: Node, run: Run) -> list[tuple[Node, Sequence[Any]]]:
    """The pipelines that functions of a pipeline make, always in the same order, with the graph's
    tensors that each needs.
    """
    return [found for each, _ in nodes_of(node, run) for found in each.made_by_functions()]


def kinds_of(node: Node, run: Run) -> list[Any]:
    """What the datasets of a pipeline are, with the dtypes of the components of their elements."""
    return [
        [each.label, [component.dtype.name for component in each.structure.components]]
        for each, _ in nodes_of(node, run)
    ]


def difference(before: list[Any], now: list[Any]) -> str:
    """What is another in a pipeline than it was."""
    for (label, dtypes), (other, others) in zip(before, now, strict=False):
        if (label, dtypes) != (other, others):
            old, new = ", ".join(dtypes), ", ".join(others)
            return f"{label} of {old} where there is now {other} of {new}"
    return f"{len(before)} datasets where there are now {len(now)}"


def _option(node: Node, run: Run, name: str) -> Any:
    """What the program has asked last of a pipeline; None if nothing."""
    for each, _ in nodes_of(node, run):
        value = getattr(each.options, name, None)
        if value is not None:
            return value
    return None


def policy_of(node: Node, run: Run) -> int | None:
    """What the program has asked about state that is elsewhere; None if nothing."""
    policy = _option(node, run, "experimental_external_state_policy")
    return None if policy is None else int(policy.value)


def check_symbolic(node: Node, run: Run) -> None:
    """Refuses a symbolic checkpoint, where one is asked for, of datasets that have none: it would
    tell the elements of the sources that were read, of which theirs cannot be made again.

    Raises:
        UnimplementedError: there is such a dataset, or a function makes one.
    """
    if not _option(node, run, "experimental_symbolic_checkpoint"):
        return
    waiting = [each for each, _ in nodes_of(node, run)]
    waiting += [each for each, _ in inner_nodes(node, run)]
    while waiting:
        each = waiting.pop(0)
        waiting += each.inputs
        if not each.has_symbolic_position:
            # TF: the datasets that are a window's elements refuse, before the window itself does.
            who = "WindowOp" if each.label == "WindowDataset" else each.label
            raise UnimplementedError(
                None, None,
                f"{who} does not support symbolic checkpointing. Without the option "
                "`experimental_symbolic_checkpoint` the iterator can be saved.",
            )  # fmt: skip


def check_outer_state(node: Node, run: Run, policy: int) -> None:
    """Tells of functions whose state is not in a position.

    Raises:
        FailedPreconditionError: the policy is to fail, and there is one.
    """
    for each, _ in nodes_of(node, run):
        found = each.outer_state()
        if found is not None and policy == _FAIL:
            raise FailedPreconditionError(None, None, f"{found} is stateful.")
        if found is not None and policy == _WARN:
            log.warning(f"{found} is stateful.")
