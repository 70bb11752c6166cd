"""The names of variables in checkpoints of objects, in which keys are paths."""

from __future__ import annotations

import json

from .checkpoint_files import CheckpointReader, damaged

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
VALUE = "VARIABLE_VALUE"


def keys_of_names(reader: CheckpointReader) -> dict[str, str]:
    """The key of each variable, by its name; nothing if the file is none of objects.

    Raises:
        DataLossError: the file's object graph cannot be read.
    """
    if not reader.has_tensor(GRAPH_KEY):
        return {}
    try:
        graph = json.loads(reader.get_tensor(GRAPH_KEY))
        if isinstance(graph, dict):  # as Emplace wrote it at first
            return {name: key for key, name in graph["names"].items()}
        return {name: values[VALUE] for _, values, _, name in graph if name and VALUE in values}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(reader.prefix, f"its object graph cannot be read ({error!r})") from None
