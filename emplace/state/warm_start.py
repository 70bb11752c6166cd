"""`tf.train.init_from_checkpoint` and `warm_start`: first values of variables from a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..base.shapes import TensorShape
from ..base.typing import PathLike
from ..distribute.variables.variables import parts_of
from ..eager.variable import Variable
from ..graph.recording.default import get_default_graph
from ..graph.recording.variable import GLOBAL_VARIABLES, TRAINABLE_VARIABLES
from ..graph.representation.graph import Graph
from ..ops.array.making import constant
from ..ops.op import apply
from ..ops.variables.resource import ASSIGN_VARIABLE
from .checkpoint_files import CheckpointReader
from .checkpoint_state import load_checkpoint
from .object_names import keys_of_names
from .save_ops import RESTORE
from .saved_variables import saved_name


def init_from_checkpoint(ckpt_dir_or_file: PathLike, assignment_map: Any) -> None:
    """Lets initialisers of variables take values of a checkpoint
    (`tf.compat.v1.train.init_from_checkpoint`).

    Args:
        ckpt_dir_or_file: the prefix of a checkpoint, or a folder with some.
        assignment_map: what becomes what: `{"a/b": variable}`, `{"a/b": "name/of/variable"}`,
            `{"a/": "scope/"}` for all variables of a scope, "/" for the outermost; or a list of
            such pairs.

    Raises:
        ValueError: the checkpoint lacks a value, its shape does not fit, or a scope is named
            without its slash.
        NotFoundError: there is no such checkpoint.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    graph: Any = get_default_graph()
    is_map = isinstance(assignment_map, Mapping)
    pairs = list(assignment_map.items()) if is_map else list(assignment_map)
    for source, wanted in sorted(pairs, key=lambda pair: str(pair[0])):
        for name, variable in _assignments(graph, reader, ckpt_dir_or_file, source, wanted):
            _initialise(graph, reader, ckpt_dir_or_file, name, variable)


def _assignments(
    graph: Graph, reader: CheckpointReader, place: Any, source: str, wanted: Any
) -> Iterator[tuple[str, Variable]]:
    """Names in the checkpoint, and the variables that are to have their values."""
    known = {saved_name(each): each for each in graph.get_collection(GLOBAL_VARIABLES)}
    if isinstance(wanted, Variable):
        yield _there(reader, place, source), wanted._whole()
    elif isinstance(wanted, (list, tuple)):
        raise ValueError(
            f"[init_from_checkpoint] got a list of variables for {source!r}. Variables are not in "
            "parts here: give one variable, or its name."
        )
    elif wanted in known and not wanted.endswith("/"):
        yield _there(reader, place, source), known[wanted]
    else:
        yield from _scope_assignments(known, reader, place, source, wanted)


def _there(reader: CheckpointReader, place: object, name: str) -> str:
    if not reader.has_tensor(name):
        raise ValueError(
            f"Tensor {name} is not found in {place} checkpoint {reader.get_variable_to_shape_map()}"
        )
    return name


def _scope_assignments(
    known: Mapping[str, Variable], reader: CheckpointReader, place: object, source: str, wanted: str
) -> Iterator[tuple[str, Variable]]:
    if not source.endswith("/") or not wanted.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {wanted} should map to scope only {source}. "
            "Should be 'scope/': 'other_scope/'."
        )
    scope = "" if wanted == "/" else wanted
    prefix = "" if source == "/" else source
    for own, variable in sorted(known.items()):
        if not own.startswith(scope):
            continue
        rest = own[len(scope) :]
        if not reader.has_tensor(prefix + rest):
            raise ValueError(
                f"Tensor {prefix + rest} ({rest} in {source}) is not found in {place} checkpoint"
            )
        yield prefix + rest, variable


def _initialise(
    graph: Graph, reader: CheckpointReader, place: object, name: str, variable: Any
) -> None:
    shape = reader.get_variable_to_shape_map()[name]
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Shape of variable {variable.name} ({tuple(variable.shape)}) doesn't match with "
            f"shape of tensor {name} ({shape}) from checkpoint reader."
        )
    attrs = {
        "tensor_names": (name,), "dtypes": (variable.dtype,), "shapes": (TensorShape(shape),),
        "reshape": False,
    }  # fmt: skip
    with graph.as_default(), graph.control_dependencies(None), graph.name_scope("init_checkpoint"):
        found = apply(RESTORE, (constant(reader.prefix),), attrs)
        value = found[0] if isinstance(found, (list, tuple)) else found
        for component, part in parts_of(variable, value):
            with graph.colocate_with(component.handle):
                operation = apply(ASSIGN_VARIABLE, (component.handle, part))
            component.initialize_with(operation, part)


def warm_start(
    ckpt_to_initialize_from: Any, vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Any = None, var_name_to_prev_var_name: Any = None,
) -> None:  # fmt: skip
    """Lets initialisers of variables take values of a checkpoint
    (`tf.compat.v1.train.warm_start`).

    Args:
        ckpt_to_initialize_from: the prefix of a checkpoint, or a folder with some.
        vars_to_warm_start: a regular expression for names of trainable variables, a list of such
            for all global variables, a list of variables, or None for none.
        var_name_to_vocab_info: not supported.
        var_name_to_prev_var_name: other names that variables have in the checkpoint.

    Raises:
        NotImplementedError: vocabularies are given.
        ValueError: the checkpoint lacks a value, or its shape does not fit.
    """
    if var_name_to_vocab_info:
        raise NotImplementedError(
            "[warm_start] takes no vocabularies. Change the rows of such a variable in the program."
        )
    keys = keys_of_names(load_checkpoint(ckpt_to_initialize_from))  # of objects: keys are paths
    earlier = {**keys, **(var_name_to_prev_var_name or {})}
    names = {saved_name(each): each for each in _wanted(vars_to_warm_start)}
    init_from_checkpoint(  # pairs: several variables may have begun as one
        ckpt_to_initialize_from, [(earlier.get(name, name), each) for name, each in names.items()]
    )


def _wanted(names: Any) -> list[Any]:
    if names is None:
        return []
    graph: Any = get_default_graph()
    if isinstance(names, str):
        return list(graph.get_collection(TRAINABLE_VARIABLES, names))
    if all(isinstance(each, str) for each in names):
        return [each for name in names for each in graph.get_collection(GLOBAL_VARIABLES, name)]
    return list(names)
