"""`tf.train.init_from_checkpoint` and `warm_start`: first values of variables from a checkpoint."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from ..base.shapes import TensorShape
from ..base.typing import PathLike
from ..classic.scopes.in_parts import PartitionInfo
from ..core.context import LOCAL, device
from ..distribute.variables.variables import parts_of
from ..eager.variable import Variable
from ..graph.recording.default import get_default_graph
from ..graph.recording.variable import GLOBAL_VARIABLES, TRAINABLE_VARIABLES
from ..graph.representation.graph import Graph
from ..ops.array.making import constant
from ..ops.op import apply
from ..ops.variables.parts import InParts
from ..ops.variables.resource import ASSIGN_VARIABLE
from ..ops.variables.slice_info import SaveSliceInfo
from .checkpoint_files import CheckpointReader
from .checkpoint_state import load_checkpoint
from .object_names import keys_of_names
from .save_ops import RESTORE
from .saved_variables import parts_of_one, saved_name
from .vocabularies import VocabInfo, first_value


def init_from_checkpoint(ckpt_dir_or_file: PathLike, assignment_map: Any) -> None:
    """Lets initialisers of variables take values of a checkpoint
    (`tf.compat.v1.train.init_from_checkpoint`); variables of eager mode take them at once.

    Args:
        ckpt_dir_or_file: the prefix of a checkpoint, or a folder with some.
        assignment_map: what becomes what: `{"a/b": variable}`, `{"a/b": "name/of/variable"}`,
            `{"a/": "scope/"}` for all variables of a scope, "/" for the outermost; or a list of
            such pairs. For a variable in parts, give its name or a list of its parts.

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
            _initialise_all(graph, reader, ckpt_dir_or_file, name, variable)


def _assignments(
    graph: Graph, reader: CheckpointReader, place: Any, source: str, wanted: Any
) -> Iterator[tuple[str, Any]]:
    """Names in the checkpoint, and the variables that are to have their values, or lists of parts
    of one."""
    known = {saved_name(each): each for each in graph.get_collection(GLOBAL_VARIABLES)}
    if isinstance(wanted, Variable):
        yield _there(reader, place, source), wanted._whole()
    elif isinstance(wanted, (list, tuple, InParts)):
        yield _there(reader, place, source), list(wanted)
    elif wanted in known and not wanted.endswith("/"):
        yield _there(reader, place, source), known[wanted]
    elif f"{wanted}/part_0" in known:
        yield _there(reader, place, source), _parts(known, wanted)
    else:
        yield from _scope_assignments(known, reader, place, source, wanted)


def _parts(known: Mapping[str, Variable], name: str) -> list[Variable]:
    """The parts of the variable in parts of a name."""
    names = itertools.takewhile(known.__contains__, (f"{name}/part_{i}" for i in itertools.count()))
    return [known[each] for each in names]


def _there(reader: CheckpointReader, place: object, name: str) -> str:
    if not reader.has_tensor(name):
        raise ValueError(
            f"Tensor {name} is not found in {place} checkpoint {reader.get_variable_to_shape_map()}"
        )
    return name


def _scope_assignments(
    known: Mapping[str, Variable], reader: CheckpointReader, place: object, source: str, wanted: str
) -> Iterator[tuple[str, Any]]:
    if not source.endswith("/") or not wanted.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {wanted} should map to scope only {source}. "
            "Should be 'scope/': 'other_scope/'."
        )
    scope = "" if wanted == "/" else wanted
    prefix = "" if source == "/" else source
    for own in sorted({each.partition("/part_")[0] for each in known if each.startswith(scope)}):
        rest = own[len(scope) :]
        if not reader.has_tensor(prefix + rest):
            raise ValueError(
                f"Tensor {prefix + rest} ({rest} in {source}) is not found in {place} checkpoint"
            )
        yield prefix + rest, known[own] if own in known else _parts(known, own)


def _initialise_all(
    graph: Graph, reader: CheckpointReader, place: object, name: str, variables: Any
) -> None:
    """Lets the initialiser of a variable, or those of parts of one, take a value."""
    if isinstance(variables, Variable):
        _initialise(graph, reader, place, name, variables)
        return
    for part, info in parts_of_one(variables):
        _initialise(graph, reader, place, name, part, info)


def _initialise(
    graph: Graph, reader: CheckpointReader, place: object, name: str, variable: Any,
    info: SaveSliceInfo | None = None,
) -> None:  # fmt: skip
    shape = reader.get_variable_to_shape_map()[name]
    if info is not None:
        full = TensorShape(info.full_shape)
        if full != TensorShape(shape):
            raise ValueError(
                f"Shape of variable {info.full_name} ({tuple(full)}), of which "
                f"{variable.name} is a part, doesn't match with shape of tensor {name} ({shape}) "
                "from checkpoint reader."
            )
        shape = variable.shape
    elif not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Shape of variable {variable.name} ({tuple(variable.shape)}) doesn't match with "
            f"shape of tensor {name} ({shape}) from checkpoint reader."
        )
    attrs = {
        "tensor_names": (name,), "dtypes": (variable.dtype,), "shapes": (TensorShape(shape),),
        "reshape": False, **({} if info is None else {"slices": (info.spec,)}),
    }  # fmt: skip
    with _inside(graph, "init_checkpoint"):
        with device("/device:CPU:0"):  # files are read there, wherever the variable is
            found = apply(RESTORE, (constant(reader.prefix),), attrs)
        value = found[0] if isinstance(found, (list, tuple)) else found
        _take(graph, variable, value)


@contextmanager
def _inside(graph: Any, name: str | None = None) -> Iterator[None]:
    """Where values of variables are recorded: in eager mode they are taken at once."""
    if LOCAL.state.target.is_eager:
        yield
        return
    names = nullcontext() if name is None else graph.name_scope(name)
    with graph.as_default(), graph.control_dependencies(None), names:
        yield


def _take(graph: Any, variable: Any, value: Any) -> None:
    """Lets the initialiser of a variable assign a value; one of eager mode takes it."""
    if LOCAL.state.target.is_eager:
        variable.assign(value)
        return
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
            for all global variables, a list of variables, or None for the trainable ones that have
            a vocabulary. Parts of a variable have the value that the checkpoint has under the name
            of the whole.
        var_name_to_vocab_info: `VocabInfo` by the name of a variable whose rows or columns stand
            for words: they have the values that the checkpoint has of the same words.
        var_name_to_prev_var_name: other names that variables have in the checkpoint.

    Raises:
        ValueError: the checkpoint lacks a value, its shape does not fit, a list holds something
            else, or a name of the dictionaries is none of a variable that is warm-started.
        NotFoundError, InvalidArgumentError: a vocabulary does not fit.
    """
    reader = load_checkpoint(ckpt_to_initialize_from)
    earlier, vocabularies = var_name_to_prev_var_name or {}, var_name_to_vocab_info or {}
    grouped = _grouped(_wanted(vars_to_warm_start))
    _check_used("var_name_to_prev_var_name", earlier, grouped)
    _check_used("var_name_to_vocab_info", vocabularies, grouped)
    sources = {**keys_of_names(reader), **earlier}  # of objects: keys are paths
    pairs = []  # several variables may have begun as one
    for name, variables in grouped.items():
        if name in vocabularies:
            _initialise_words(reader, sources.get(name, name), variables, vocabularies[name])
        elif vars_to_warm_start:
            pairs.append((sources.get(name, name), variables))
    init_from_checkpoint(ckpt_to_initialize_from, pairs)


def _check_used(argument: str, given: Mapping[str, Any], grouped: Mapping[str, Any]) -> None:
    unknown = {name for name in given if name not in grouped}
    if unknown:
        raise ValueError(
            f"You provided the following variables in {argument} that were not used: {unknown}.  "
            "Perhaps you misspelled them?  Here is the list of viable variable names: "
            f"{grouped.keys()}"
        )


def _initialise_words(
    reader: CheckpointReader, source: str, wanted: Any, vocabulary: VocabInfo
) -> None:
    """Lets the initialisers of a variable, or of its parts, take values of their words."""
    variables = wanted if isinstance(wanted, list) else [wanted]
    rows = sum(each.shape.as_list()[0] for each in variables)
    graph: Any = get_default_graph()
    for variable in variables:
        info = variable._get_save_slice_info()
        part = None if info is None else PartitionInfo(info.full_shape, info.var_offset)
        with _inside(graph):
            value = first_value(reader, source, vocabulary, variable.shape.as_list(), rows, part)
            _take(graph, variable, value)


def _grouped(variables: Any) -> dict[str, Any]:
    """Variables by their names, several parts of one as a list."""
    found: dict[str, Any] = {}
    for each in variables:
        info = each._get_save_slice_info()
        if info is None:
            found[saved_name(each)] = each
        else:
            found.setdefault(info.full_name, []).append(each)
    return found


def _wanted(names: Any) -> list[Any]:
    graph: Any = get_default_graph()
    if names is None or isinstance(names, str):
        return list(graph.get_collection(TRAINABLE_VARIABLES, names))
    if all(isinstance(each, str) for each in names):
        return [each for name in names for each in graph.get_collection(GLOBAL_VARIABLES, name)]
    if not all(isinstance(each, Variable) for each in names):
        raise ValueError(
            "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given "
            f"types are {[type(each) for each in names]}"
        )
    return list(names)
