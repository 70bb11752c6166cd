"""A function of graph code, and parts of it (`tf.compat.v1.wrap_function`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...base import nest
from ...base.typing import Structure
from ...core.context import LOCAL
from ...core.tensor_spec import TensorSpec
from ...graph.function.calling import ConcreteFunction
from ...graph.function.function import Function
from ...graph.function.inline import copy_operations
from ...graph.passes.prune import needed
from ...graph.recording.func_graph import FuncGraph
from ...graph.recording.variable import keep_in_collections
from ...graph.representation.graph import Operation
from ...ops.convert import convert_to_tensor


def wrap_function(
    fn: Callable[..., Any], signature: Iterable[Any], name: str | None = None
) -> WrappedFunction:
    """Records a function written for graphs of TF 1, to be called in eager mode
    (`tf.compat.v1.wrap_function`). Variables that it makes belong to what is returned, and have
    their first values at once.

    Only what its results need runs, as in a session: other changes of variables, prints and
    assertions need `tf.control_dependencies`. If it returns no tensor, all of it runs.

    Args:
        fn: takes tensors.
        signature: the specs of its arguments, a sequence.
        name: of the function.

    >>> import emplace.tensorflow as tf
    >>> double = wrap_function(lambda x: 2 * x, [tf.TensorSpec([], tf.float32)])
    >>> float(double(tf.constant(3.0)))
    6.0
    """
    title = "wrapped_function" if name is None else f"wrapped_function_{name}"
    specs = list(signature)
    traced = _traced(fn, specs, title)
    if not traced.outputs:  # TF: what it does is then all that it is for
        traced.graph.awaited = None
    return WrappedFunction(traced, specs)


def _traced(fn: Callable[..., Any], signature: Sequence[Any], name: str) -> ConcreteFunction:
    once = _Once(lambda *arguments: _as_in_graph(fn, arguments), name, autograph=False)
    return once.get_concrete_function(*signature)


def _as_in_graph(fn: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """What the body returns, under the rules of a session's graph: only what results need runs, and
    lists hold the variables that it makes.
    """
    target: Any = LOCAL.state.target
    graph: FuncGraph = target.graph
    graph.awaited = []
    make = graph.make_variable_here

    def kept(kind: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        variable = make(kind, args, kwargs)
        keep_in_collections(graph, variable, kwargs.get("collections"))
        return variable

    graph.make_variable_here = kept
    return fn(*arguments)


class _Once(Function):
    """A function whose body runs once, though it makes variables."""

    def _trace(
        self, names: Sequence[str], structure: Sequence[Any], specs: Sequence[Any]
    ) -> ConcreteFunction:
        return self._trace_once(names, structure, specs, self._variables)


class WrappedFunction:
    """What `wrap_function` returns: a graph with arguments and results."""

    def __init__(self, traced: ConcreteFunction, specs: Sequence[Any]) -> None:
        self._traced = traced
        self._specs = specs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it. Of arguments that were no specs it may be given those that were alone; numbers
        become tensors.

        Raises:
            NotImplementedError: an argument is given by its name.
        """
        if kwargs:
            raise NotImplementedError(
                "Keyword arguments are not supported when calling a wrap_function-decorated "
                f"function. Got {kwargs}."
            )
        return self._traced(*map(_as_spec, args, [*self._specs, *[None] * len(args)]))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._traced, name)

    def prune(
        self,
        feeds: Structure,
        fetches: Structure,
        name: str = "pruned",
        input_signature: object = None,
    ) -> WrappedFunction:
        """Makes a function of a part of the graph.

        Args:
            feeds: the tensors that are its arguments, or their names, in any structure.
            fetches: the tensors that it returns, or their names, in any structure; operations
                run and return None.
            name: of the new function.
            input_signature: not served.

        Raises:
            KeyError: no tensor has such a name.
            ValueError: a result needs an argument of the whole that is not among `feeds`.
            NotImplementedError: `input_signature` is given.
        """
        if input_signature is not None:
            raise NotImplementedError("prune(input_signature=) is not served. Leave it out.")
        arguments = [self._element(one) for one in nest.flatten(feeds, expand_composites=True)]
        results = nest.map_structure(self._element, fetches, expand_composites=True)

        def run(*values: Any) -> Any:
            return self._part(arguments, values, results)

        specs = [TensorSpec(one.shape, one.dtype, one.op.name) for one in arguments]
        return WrappedFunction(_traced(run, specs, name), specs)

    def _element(self, named: object) -> Any:
        """The tensor or operation of the graph that is meant."""
        if isinstance(named, str):
            return self.graph.as_graph_element(named)
        return named

    def _part(self, given: Sequence[Any], values: Sequence[Any], wanted: Structure) -> Any:
        target: Any = LOCAL.state.target
        graph = self._traced.graph
        here = {id(x): target.taken(y) for x, y in zip(given, values, strict=True)}
        for outside, inner in (*graph.captures.values(), *graph.constants.values()):
            here[id(inner)] = target.taken(outside)
        fetched = nest.flatten(wanted, expand_composites=True)
        roots = [getattr(each, "op", each) for each in fetched if id(each) not in here]
        fed = [x for x in _tensors_of(graph) if id(x) in here]
        operations = [each for each in needed(roots, fed) if not _is_there(each, here)]
        for each in self._traced.inputs:
            if id(each) not in here and each.op in operations:
                raise ValueError(f"{each.name} is needed, and is not among the feeds.")
        made = copy_operations(target, operations, here)
        target.graph.awaited = [made[each.id] for each in fetched if isinstance(each, Operation)]
        return nest.map_structure(lambda each: here.get(id(each)), wanted, expand_composites=True)


def _as_spec(value: Any, spec: object) -> Any:
    """An argument of a spec, as a tensor of its dtype."""
    return convert_to_tensor(value, spec.dtype) if isinstance(spec, TensorSpec) else value


def _tensors_of(graph: Any) -> list[Any]:
    return [y for operation in graph.operations for y in operation.outputs]


def _is_there(operation: Any, here: dict[int, Any]) -> bool:
    """Whether all that an operation makes has a value already."""
    return bool(operation.outputs) and all(id(y) in here for y in operation.outputs)
