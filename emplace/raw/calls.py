"""Raw ops as functions: a row of the table, called as TensorFlow's definition says."""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base.dtypes import variant
from ..core.tensor import Tensor
from ..grads.rules import is_trainable
from ..ops.arguments import one_int, static_ints
from ..ops.array.barrier import stop_gradient
from ..ops.likeness import alike
from ..ops.op import apply_any
from ..ops.raw import arguments_of, call
from ..ops.raw_numbers import check_numbers
from .arguments import attributes, check_fixed, inputs, with_required
from .definitions import Definition
from .records import parameters, record, record_of, renamed
from .rows import Composed, Kernel, Row, Version
from .sharing import shared


def raw_function(found: Definition, row: Row) -> Callable[..., Any]:
    """The function `tf.raw_ops.<name>` of a row."""
    compute = _COMPUTE[type(row)]

    def raw(*positional: Any, **keywords: Any) -> Any:
        given = with_required(found, positional, keywords)
        check_fixed(found, row.fixed, given)
        return shared(found, given, lambda: shaped(found, compute(found, row, given), given))

    return described(found, raw)


def described(found: Definition, raw: Callable[..., Any]) -> Callable[..., Any]:
    """A raw op's function with its name, words and signature."""
    arguments = {**found.defaults(), "name": None}
    raw.__name__ = raw.__qualname__ = found.name
    raw.__doc__ = (
        f"The op {found.name}: {', '.join(part.name for part in found.inputs)} -> "
        f"{', '.join(part.name for part in found.outputs)}."
    )
    raw.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(argument, inspect.Parameter.KEYWORD_ONLY, default=default)
            for argument, default in arguments.items()
        ]
    )
    return raw


def _composed(found: Definition, row: Composed, given: Mapping[str, Any]) -> Any:
    check_numbers(found.name, given)
    chosen = attributes(found, given)
    made = inputs(found, given, chosen, row.host)
    wanted = parameters(row.run)
    answer = row.run(**{name: each for name, each in {**made, **chosen}.items() if name in wanted})
    return _flat(answer) if found.gradient == "none" else answer


def _flat(answer: Any) -> Any:
    """An answer without a gradient for what it was made of."""
    if isinstance(answer, (list, tuple)):
        return [_flat(each) for each in answer]
    is_flat = not isinstance(answer, Tensor) or not is_trainable(answer.dtype)
    return answer if is_flat or answer.dtype is variant else stop_gradient(answer)


def _kernel(found: Definition, row: Kernel, given: Mapping[str, Any]) -> Any:
    check_numbers(found.name, given)
    chosen = attributes(found, given)
    made = inputs(found, given, chosen, (*row.ints, *row.scalars))
    attrs: dict[str, Any] = {name: static_ints(given[name], name) for name in row.ints}
    for name in row.scalars:
        attrs[name] = one_int(given[name], f"{name} must be a scalar, got shape {{shape}}")
    attrs |= {name: _hashable(chosen[name]) for name in chosen if name in parameters(row.run)}
    flat: list[Tensor] = []
    for part in found.inputs:
        if part.name not in attrs:
            flat += made[part.name] if part.is_list else [made[part.name]]
    return apply_any(record_of(found, row), alike(found.name, tuple(flat)), attrs or None)


def _hashable(value: Any) -> Any:
    return tuple(_hashable(each) for each in value) if isinstance(value, list) else value


def _version(found: Definition, row: Version, given: Mapping[str, Any]) -> Any:
    check_numbers(found.name, given)
    chosen = attributes(found, given)
    other = record(row.of)
    taken = arguments_of(other)
    host = [part.name for part in found.inputs if _is_plain(row, other, part.name)]
    made = {**inputs(found, given, chosen, host), **chosen, **row.constants}
    ours = {row.renamed.get(name, name): each for name, each in made.items()}
    filled = {name: ours.get(name, default) for name, default in taken.items()}
    answer = call(other, filled, renamed(other, found.name))
    if row.outputs is None:
        return answer
    kept = [answer[place] for place in row.outputs]
    return kept[0] if len(kept) == 1 else kept


def _is_plain(row: Version, other: Any, name: str) -> bool:
    """Whether an input of TensorFlow's is no tensor to our kernel."""
    ours = row.renamed.get(name, name)
    return all(arg.name != ours for arg in other.tensor_inputs)


_COMPUTE: dict[type, Callable[..., Any]] = {
    Composed: _composed,
    Kernel: _kernel,
    Version: _version,
}


def shaped(found: Definition, answer: Any, given: Mapping[str, Any]) -> Any:
    """The outputs as TensorFlow returns them: several as a named tuple."""
    if len(found.outputs) > 1:
        if isinstance(answer, (list, tuple)) and len(answer) != len(found.outputs):
            answer = _grouped(found, list(answer), given)
        return _answers(found)(*answer)
    if not found.outputs:
        return answer
    if found.outputs[0].is_list:
        return list(answer) if isinstance(answer, (list, tuple)) else [answer]
    return answer[0] if isinstance(answer, (list, tuple)) else answer


def _grouped(found: Definition, flat: list[Any], given: Mapping[str, Any]) -> list[Any]:
    """Outputs of which one or several are lists, from all tensors one after the other."""
    singles = sum(not part.is_list for part in found.outputs)
    lists = len(found.outputs) - singles
    made: list[Any] = []
    for part in found.outputs:
        if not part.is_list:
            made.append(flat.pop(0))
            continue
        count = len(given[part.kind]) if part.is_mixed and part.kind in given else (
            len(flat) if lists == 1 else len(flat) // lists
        )  # fmt: skip
        behind = singles - sum(not isinstance(each, list) for each in made)
        count = len(flat) - behind if lists == 1 else count
        made.append(flat[:count])
        flat = flat[count:]
    return made


@functools.cache
def _named(name: str, fields: tuple[str, ...]) -> Any:
    # Names of outputs are the definition's, known only now; nothing is lost by the lack of types.
    return namedtuple(name, fields)


def _answers(found: Definition) -> Any:
    return _named(found.name, tuple(part.name for part in found.outputs))


def missing_arguments(found: Definition, row: Row) -> set[str]:
    """The arguments of an op that a row neither takes nor says to ignore: for tests."""
    if isinstance(row, Version):
        renamed_ = {row.renamed.get(name, name): name for name in found.arguments}
        taken: Sequence[str] = [renamed_.get(n, n) for n in arguments_of(record(row.of))]
    elif isinstance(row, Kernel):
        tensors = [p.name for p in found.inputs if p.name not in (*row.ints, *row.scalars)]
        taken = [*parameters(row.run), *tensors]
    else:
        if "" in parameters(row.run):  # it takes them all
            return set()
        taken = [*parameters(row.run)]
    of_types = {name for name, about in found.attributes.items() if about.type == "type"}
    of_inputs = {part.kind for part in (*found.inputs, *found.outputs)} & of_types
    needed = {each for each in found.arguments if each not in of_inputs}
    return needed - {*taken, *row.ignored, *row.fixed}
