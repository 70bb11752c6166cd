"""A pipeline that reads files, as the pipeline of one of several workers, which reads some of them.

The names of the files are divided where they come from. A shuffle of names is done after that, for
workers shuffle each their own way.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

from ...base.errors import NotFoundError, invalid_argument
from ...data.dataset.files import Read
from ...data.dataset.nested import FlatMap
from ...data.elements.structure import Element
from ...data.iteration.node import UNKNOWN, Node, Run
from ...data.nodes.selecting import Shard, Shuffle
from ...data.nodes.transforms import Concatenate, Zip


class _SomeFiles(Shard):
    """Every so-manieth name of a file.

    Raises:
        InvalidArgumentError: on the first element, if there are too few for every worker to have
            one.
    """

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        count = sum(1 for _ in self.input.start(run))
        shards = run.number(self.num_shards)
        if count < shards:
            raise invalid_argument(
                f"Could not apply FILE based sharding: the dataset only has {count} file(s), which "
                f"is not enough for the required {shards} shards/workers. If you are using "
                "datasets with distribution strategy, consider setting the auto sharding policy to "
                "either DATA or OFF using the `experimental_distribute.auto_shard_policy` option "
                "of `tf.data.Options()`. Or, split your input files into a larger number of small "
                "files such that number of files is greater than number of shards/workers."
            )
        return super().start(run)


def reads_files(node: Node) -> bool:
    """Whether the files that a pipeline reads can be divided."""
    if _takes_names(node):
        return True
    if isinstance(node, (Zip, Concatenate)):
        return all(map(reads_files, node.inputs))
    return len(node.inputs) == 1 and reads_files(node.input)


def _takes_names(node: Node) -> bool:
    """Whether a node's inputs are names of files: it reads them, or its function does."""
    if isinstance(node, Read):
        return True
    return isinstance(node, FlatMap) and _has_reader(node.function.element.node)


def _has_reader(node: Node) -> bool:
    return _takes_names(node) or any(map(_has_reader, node.inputs))


def some_files(node: Node, count: int, number: int) -> Node:
    """A pipeline that reads every `count`-th file of another one, from number `number` on.

    Raises:
        NotFoundError: it does not read files.
    """
    if _takes_names(node):
        return _of(node, [_divided(node.input, count, number)])
    if not node.inputs or (len(node.inputs) > 1 and not isinstance(node, (Zip, Concatenate))):
        raise NotFoundError(
            None, None,
            f"Found an unshardable source dataset: {node.label}. Datasets that read no files "
            "cannot be divided by file: set `experimental_distribute.auto_shard_policy` of "
            "`tf.data.Options()` to DATA or OFF.",
        )  # fmt: skip
    return _of(node, [some_files(each, count, number) for each in node.inputs])


def _divided(names: Node, count: int, number: int) -> Node:
    """Some of the names, shuffled afterwards if they were shuffled."""
    shuffles: list[Node] = []
    while isinstance(names, Shuffle) or (not shuffles and _is_passing(names)):
        if isinstance(names, Shuffle):
            shuffles.append(names)
        names = names.input
    made: Node = _SomeFiles(names, count, number)
    for each in reversed(shuffles):
        made = _of(each, [made])
    return made


def _is_passing(node: Node) -> bool:
    return node.label == "Dataset" and len(node.inputs) == 1 and node.follows


def _of(node: Node, inputs: list[Node]) -> Node:
    """A node as it is, of other inputs."""
    made = copy.copy(node)
    made.inputs, made.kept = tuple(inputs), {}
    made.cardinality = node.cardinality if node.cardinality < 0 else UNKNOWN
    return made


def by_hint(node: Node, count: int, number: int) -> Node:
    """A pipeline whose `shard(SHARD_HINT, SHARD_HINT)` is this worker's."""
    if isinstance(node, Shard) and node.is_hint:
        return Shard(node.input, count, number)
    return (
        _of(node, [by_hint(each, count, number) for each in node.inputs]) if (node.inputs) else node
    )
