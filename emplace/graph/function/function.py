"""`tf.function`: Python functions traced into graphs, one graph per kind of arguments.

`Function` finds the trace for its arguments, or makes it; `ConcreteFunction` is one trace, with a
plan per set of devices. While a tape listens, a call is one entry on it: see `calling.py`.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base import nest
from ...base.shapes import TensorShape, common, covers
from ...base.typing import Structure, TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor, out_of_scope_text
from ...core.tensor_spec import TensorSpec, spec_of
from ...core.type_spec import TypeSpec
from ...eager.target import EAGER
from ...eager.variable import Variable
from ...ops.array.tensor_array import TensorArray
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.sparse.tensor import SparseTensor, SparseTensorSpec
from ..plan.plan import Plan
from ..recording.func_graph import FuncGraph
from ..recording.sparse_arguments import (
    keep_shapes,
    prepared,
    shapes_of,
    sparse_among,
    sparse_parts,
)
from ..representation.graph import AS_DEFAULT, Graph, Operation, SymbolicTensor
from .argument_checks import Unchanged, check_hashable, check_names, checked_signature
from .calling import ConcreteFunction
from .concrete_arguments import ConcreteArguments, VariableArgument, shares
from .inline import inlined
from .lifting import creator
from .retracing import note_call
from .signatures import PLAIN, described, fitted
from .weak_methods import Gone

_NUMBERS = itertools.count(1)
_EAGERLY: list[bool] = [False]
_FUNCTIONS: weakref.WeakSet[Function] = weakref.WeakSet()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes functions run as plain Python (`tf.config.run_functions_eagerly`), to debug them."""
    _EAGERLY[0] = bool(run_eagerly)
    for each in list(_FUNCTIONS):
        each.forget_fast()


def functions_run_eagerly() -> bool:
    """Whether functions run as plain Python (`tf.config.functions_run_eagerly`)."""
    return _EAGERLY[0]


class _Identity:
    """An argument that is no tensor and no plain value, as a key: the same object again."""

    __slots__ = ("_number", "_ref")

    def __init__(self, value: TensorLike) -> None:
        self._number = id(value)
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self._ref() is other._ref() is not None


class Function:
    """A Python function that runs as graphs (`tf.function` returns it)."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Any = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        name: str | None = None,
        features: Any = None,
    ) -> None:
        self._held: Callable[[], Any] = lambda: python_function
        self._specs = None if input_signature is None else checked_signature(input_signature)
        self._signature = fitted(inspect.signature(python_function), self._specs)
        self._autograph = autograph
        self._features = features
        self._jit = jit_compile
        self._reduces = reduce_retracing
        self._name = name or str(getattr(python_function, "__name__", "function"))
        self._traces: dict[Any, ConcreteFunction] = {}
        self._relaxed: list[tuple[Any, ConcreteFunction]] = []
        self._fast: dict[Any, ConcreteFunction] = {}
        self._variables: list[Variable] = []
        self._has_traced = False
        # A thread that traces may call the function again, on other arguments.
        self._lock = threading.RLock()
        self._last: Any = None
        self._bound: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, python_function)
        _FUNCTIONS.add(self)

    def forget_fast(self) -> None:
        """Lets the next call ask again how functions run."""
        self._fast.clear()

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function as it was written."""
        return self._python

    @property
    def _python(self) -> Callable[..., Any]:
        """The function as it was written. A method of an object that nobody holds any more gets
        one in its place that cannot be asked for anything (TF: None).
        """
        found: Callable[..., Any] | None = self._held()
        return types.MethodType(self.__wrapped__, Gone(self._name)) if found is None else found

    @property
    def input_signature(self) -> Any:
        """The specs that every call must fit, or None."""
        return self._specs

    @property
    def function_spec(self) -> Any:
        """The signature of the function."""
        return self._signature

    @property
    def _concrete_variable_creation_fn(self) -> ConcreteFunction:
        """The first trace, whose graph Keras shows in TensorBoard.

        Raises:
            AttributeError: there is none yet.
        """
        if not self._traces:
            raise AttributeError(
                "'Function' object has no attribute '_concrete_variable_creation_fn'"
            )
        return next(iter(self._traces.values()))

    def experimental_get_tracing_count(self) -> int:
        """How many traces there are."""
        return len(set(map(id, self._traces.values())))

    def plans(self) -> list[Plan]:
        """The plans of all traces that were made so far."""
        traces = {id(each): each for each in self._traces.values()}
        return [plan for each in traces.values() for plan in each.plans()]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the trace for these arguments; makes it first if there is none.

        Raises:
            TypeError: they do not fit the function or its `input_signature`.
        """
        if not kwargs:
            try:
                # Most calls: nothing but tensors, seen before.
                key = tuple([(x._kind, x._value.shape) for x in args])
                found = self._fast.get(key)
                if found is not None and LOCAL.state.target is EAGER:
                    return found.run(args)
            except AttributeError:
                pass
        return self._call(args, kwargs)

    def _call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if _EAGERLY[0]:
            return self._python(*args, **kwargs)
        key, tensors, structure = self._canonical(args, kwargs)
        found = self._find(key, tensors, structure)
        if found.graph.variable_arguments and shares(found.graph, tensors):
            key, tensors, structure = self._canonical(args, kwargs, by_argument=False)
            found = self._find(key, tensors, structure)
        if LOCAL.state.target.is_eager:
            self._note_fast(args, kwargs, found)
            return found.run(tensors)
        return inlined(found, tensors)

    def _note_fast(
        self, args: Sequence[Any], kwargs: dict[str, Any], found: ConcreteFunction
    ) -> None:
        if kwargs or not args or not all(type(x) is EagerTensor for x in args):
            return
        if LOCAL.state.strategy is not None:
            return
        if len(self._signature.parameters) == len(args) == found.takes:
            self._fast[tuple([(x._kind, x._value.shape) for x in args])] = found

    # -- arguments ------------------------------------------------------------------------------

    def _canonical(
        self, args: Sequence[Any], kwargs: dict[str, Any], by_argument: bool = True
    ) -> tuple[Any, list[Any], Any]:
        """The key of the trace, the tensors among the arguments, and the arguments themselves.

        Variables are arguments as tensors are, unless they are not to be taken `by_argument`: a
        trace then is for these very variables.
        """
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} "
                f"and kwargs: {kwargs} for signature: {self._signature}."
            ) from None
        bound.apply_defaults()
        given = dict(bound.arguments)
        if self._specs is not None:
            given = self._cast_to_signature(given)
        structure: Any = tuple(given.values())  # in the order of the parameters
        leaves = nest.flatten(structure, expand_composites=True)
        tensors: list[Any] = []
        has_arrays = False
        variables: dict[int, VariableArgument] = {}
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, (np.ndarray, np.generic)):
                leaves[i], has_arrays = to_tensor(leaf), True
            elif type(leaf) is Variable and by_argument and not self._jit:
                leaves[i] = variables.setdefault(id(leaf.handle), VariableArgument(leaf))
                has_arrays = True
        key = [self._key(leaf, tensors) for leaf in leaves]
        if has_arrays:
            structure = nest.pack_sequence_as(structure, leaves, expand_composites=True)
        composites: list[Any] = []
        shape = _outline(structure, composites)
        if any(isinstance(each, SparseTensor) for each in composites):
            for place, parts in reversed(sparse_among(structure).items()):
                key[place : place + 3] = parts
        if self._specs is not None:
            key = _by_signature(key, self._specs)
        return ((tuple(given), shape), tuple(key), _around()), tensors, structure

    def _key(self, leaf: Tensor, tensors: list[Any]) -> Any:
        if isinstance(leaf, Tensor):
            if LOCAL.state.target.is_eager and not isinstance(leaf, EagerTensor):
                raise TypeError(out_of_scope_text(leaf))
            tensors.append(leaf)
            return leaf.dtype, leaf.shape._dims
        if isinstance(leaf, VariableArgument):
            handle = leaf.variable.handle
            places = [i for i, x in enumerate(tensors) if x is handle]
            if not places:
                tensors.append(handle)
            return Variable, (leaf.key, *places)
        if isinstance(leaf, Variable):
            return Variable, id(leaf._handle)
        if isinstance(leaf, PLAIN):
            return type(leaf), leaf
        if isinstance(leaf, TensorSpec):
            return leaf.dtype, leaf.shape._dims
        check_hashable(leaf)
        return type(leaf), _Identity(leaf)

    def _cast_to_signature(self, given: dict[str, Any]) -> dict[str, Any]:
        names = [name for name in given if name != "self"]
        assert self._specs is not None
        for name, spec in zip(names, self._specs, strict=False):
            given[name] = _cast(name, given[name], spec)
        return given

    # -- traces ---------------------------------------------------------------------------------

    def _find(
        self, key: Sequence[Any], tensors: Sequence[Any], structure: Sequence[Any]
    ) -> ConcreteFunction:
        with self._lock:
            found = self._traces.get(key)
            if found is None and self._reduces:
                found = self._relaxed_match(key)
            self._note_retracing(key, found is None)
            return self._trace_new(key, structure) if found is None else found

    def _relaxed_match(self, key: Sequence[Any]) -> ConcreteFunction | None:
        for wider, found in self._relaxed:
            if wider[0] == key[0] and wider[2] == key[2] and _fits(wider[1], key[1]):
                self._traces[key] = found
                return found
        return None

    def _trace_new(self, key: Sequence[Any], structure: Sequence[Any]) -> ConcreteFunction:
        specs = [part for part in key[1] if _is_spec(part)]
        if self._specs is not None:
            specs = _by_signature(specs, self._specs)
        if self._reduces:
            specs = self._widened(key, specs)
        found = self._trace(key[0][0], structure, specs)
        self._traces[key] = found
        if self._reduces:
            self._relaxed.append((_with_specs(key, specs), found))
        return found

    def _widened(self, key: Sequence[Any], specs: list[Any]) -> list[Any]:
        """Shapes that also cover a trace that differs in sizes only."""
        for other in self._traces:
            theirs = [part for part in other[1] if _is_spec(part)]
            if other[0] != key[0] or len(theirs) != len(specs):
                continue
            if any(a[0] is not b[0] for a, b in zip(specs, theirs, strict=True)):
                continue
            specs = [(a[0], common(a[1], b[1])) for a, b in zip(specs, theirs, strict=True)]
        return specs

    def _trace(
        self, names: Sequence[str], structure: Sequence[Any], specs: Sequence[Any]
    ) -> ConcreteFunction:
        created: list[Variable] = []
        found = self._trace_once(names, structure, specs, None if self._has_traced else created)
        if created:
            self._variables += created
            self._has_traced = True
            found = self._trace_once(names, structure, specs, None)
        self._has_traced = True
        return found

    def _trace_once(
        self,
        names: Sequence[str],
        structure: Sequence[Any],
        specs: Sequence[Any],
        created: list[Variable] | None,
    ) -> ConcreteFunction:
        state = LOCAL.state
        outer: Graph | None = None if state.target.is_eager else state.target.graph  # type: ignore[attr-defined]
        graph = FuncGraph(f"__inference_{self._name}_{next(_NUMBERS)}", outer)
        graph.make_variable_here = creator(created)
        with AS_DEFAULT[0](graph):
            check_names(self._signature, dict(zip(names, structure, strict=True)))
            arguments = _placeholders(graph, names, structure, specs)
            inputs = list(graph.inputs)
            args, kwargs = self._as_call(names, arguments)
            signature = described(args, kwargs)
            unchanged = Unchanged(names, arguments)
            with graph.called_with(_tensors(structure)):
                result = self._converted()(*args, **kwargs)
            unchanged.check(self._python, self._signature)
            result, outputs = _results(result)
        graph.outputs = outputs
        kept = ConcreteArguments(self._signature, names, structure)
        return ConcreteFunction(graph, inputs, result, self._name, bool(self._jit), kept, signature)

    def _as_call(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, Any]:
        bound = self._signature.bind_partial()
        bound.arguments.update(zip(names, arguments, strict=True))
        return bound.args, bound.kwargs

    def _converted(self) -> Callable[..., Any]:
        return AUTOGRAPH[0](self._python, self._features) if self._autograph else self._python

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments, which may be `tf.TensorSpec`s."""
        if self._specs is not None and not args and not kwargs:
            args = self._specs
        args, kwargs = nest.map_structure(prepared, (args, kwargs))
        key, tensors, structure = self._canonical(args, kwargs)
        with self._lock:
            found = self._traces.get(key) or self._trace_new(key, structure)
            if found.graph.variable_arguments and shares(found.graph, tensors):
                key, _, structure = self._canonical(args, kwargs, by_argument=False)
                found = self._traces.get(key) or self._trace_new(key, structure)
        arguments = ConcreteArguments(self._signature, key[0][0], structure)
        return found.named(arguments) if arguments.has_names else found

    def tensors_of(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The tensors among arguments, in the order in which the trace takes them."""
        return self._canonical(args, kwargs)[1]

    def _note_retracing(self, key: Sequence[Any], is_new: bool) -> None:
        last, self._last = self._last, key
        if LOCAL.state.target.is_eager:
            note_call(self._python, is_new, lambda: self._what_changed(last, key))

    def _what_changed(self, last: Sequence[Any] | None, key: Sequence[Any]) -> str:
        if last is None or last[0] != key[0]:
            return "The structure of the arguments changed."
        names = _leaf_names(*key[0])
        changes = [
            f"argument {name}: {_told(a)} -> {_told(b)}"
            for name, a, b in zip(names, last[1], key[1], strict=False)
            if a != b
        ]
        return f"What changed: {'; '.join(changes)}." if changes else ""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        try:
            bound = self._bound.get(instance)
        except TypeError:
            return functools.partial(self, instance)
        if bound is None:
            method = self._python.__get__(instance, owner)
            bound = self._bound[instance] = Function(
                method, self._specs, self._autograph, self._jit, self._reduces, self._name,
                self._features,
            )  # fmt: skip
            bound._let_go(method)
        return bound

    def _let_go(self, method: Callable[..., Any]) -> None:
        """Keeps the object of a method alive no longer: what it is made for holds this one."""
        if inspect.ismethod(method):
            self._held = weakref.WeakMethod(method)
            self.__wrapped__: Any = method.__func__
            self.__signature__ = self._signature

    def __repr__(self) -> str:
        return f"<tensorflow.python.eager.polymorphic_function.Function of {self._name}>"


# What makes graph code of Python's `if` and `while`; a later layer says it.
AUTOGRAPH: list[Callable[..., Callable[..., Any]]] = [lambda function, features: function]


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Makes a function run as graphs (`tf.function`): traced once per kind of arguments, then run
    by a plan.

    Args:
        func: the function; None makes this a decorator with arguments.
        input_signature: a `tf.TensorSpec` per argument, which every call must fit.
        autograph: turn `if`, `while` and `for` on tensors into graph code.
        jit_compile: compile plans with torch.compile.
        reduce_retracing: make traces for unknown sizes where only sizes differ.
        experimental_implements: not used.
        experimental_autograph_options: `tf.autograph.experimental.Feature`s to convert besides.
        experimental_attributes: not used.
        experimental_relax_shapes: the old name of `reduce_retracing`.
        experimental_compile: the old name of `jit_compile`.
        experimental_follow_type_hints: not used.

    >>> import emplace.tensorflow as tf
    >>> @function
    ... def double(x):
    ...     return x + x
    >>> float(double(tf.constant(2.0)))
    4.0
    """
    jit = jit_compile if jit_compile is not None else experimental_compile
    reduces = bool(reduce_retracing or experimental_relax_shapes)

    def decorated(inner: Callable[..., Any]) -> Function:
        return Function(
            inner, input_signature, autograph, jit, reduces,
            features=experimental_autograph_options,
        )  # fmt: skip

    return decorated if func is None else decorated(func)


# -- helpers ---------------------------------------------------------------------------------------


def _around() -> Any:
    """What a trace depends on besides its arguments: the graph around it, and the replica."""
    state = LOCAL.state
    target: Any = state.target
    return None if target.is_eager else id(target.graph), state.strategy


def _outline(structure: Sequence[Any], composites: list[Any] | None = None) -> Any:
    """The structure of arguments as a key; notes the composites in it."""
    if isinstance(structure, dict):
        return dict, tuple(
            [(name, _outline(structure[name], composites)) for name in sorted(structure)]
        )
    if isinstance(structure, (list, tuple)):
        return type(structure), tuple([_outline(each, composites) for each in structure])
    if isinstance(structure, TensorArray):
        return structure.outline
    if isinstance(structure, CompositeTensor):
        if composites is not None:
            composites.append(structure)
        return getattr(structure, "outline", type(structure))
    return None


def _leaf_names(parameters: Sequence[str], outline: Sequence[Any]) -> list[str]:
    """The names of the leaves of arguments, such as "x", "batch.images" and "states[1]"."""
    parts = zip(parameters, outline[1], strict=True)
    return [leaf for name, part in parts for leaf in _names_below(name, part)]


def _names_below(around: str, outline: Any) -> list[str]:
    if outline is None or isinstance(outline, (type, str)):
        return [around]
    kind, parts = outline
    if kind is dict:
        return [leaf for key, part in parts for leaf in _names_below(f"{around}.{key}", part)]
    return [leaf for i, part in enumerate(parts) for leaf in _names_below(f"{around}[{i}]", part)]


def _told(part: Sequence[Any]) -> str:
    kind, value = part
    if kind is Variable or isinstance(value, _Identity):
        return "another object"
    if isinstance(kind, type):
        return repr(value)
    return f"{kind.name} of shape {TensorShape(value)}"


def _is_spec(part: Sequence[Any]) -> bool:
    return not isinstance(part[0], type)


def _with_specs(key: Sequence[Any], specs: list[Any]) -> Any:
    remaining = iter(specs)
    parts = tuple(next(remaining) if _is_spec(part) else part for part in key[1])
    return key[0], parts, key[2]


def _fits(wider: Sequence[Any], parts: Sequence[Any]) -> bool:
    return len(wider) == len(parts) and all(
        a == b if not (_is_spec(a) and _is_spec(b)) else a[0] is b[0] and covers(a[1], b[1])
        for a, b in zip(wider, parts, strict=True)
    )


def _by_signature(key: list[Any], signature: Sequence[Any]) -> list[Any]:
    """A key in which tensors count as what the signature says of them."""
    wanted: list[Any] = []
    for spec in nest.flatten(signature):
        if isinstance(spec, TensorSpec):
            wanted.append((spec.dtype, spec.shape._dims))
        elif isinstance(spec, SparseTensorSpec):
            wanted += sparse_parts(spec.dtype, spec.shape)
        elif hasattr(spec, "components"):
            below = nest.flatten(spec, expand_composites=True)
            wanted += [(each.dtype, each.shape._dims) for each in below]
        elif isinstance(spec, TypeSpec):  # of a composite, which the key tells by its tensors
            wanted += [None] * spec.component_count
    remaining = iter(wanted)
    return [(next(remaining, None) or part) if _is_spec(part) else part for part in key]


def _cast(name: str, value: Sequence[Tensor] | Tensor, spec: Sequence[Any] | TensorSpec) -> Any:
    if not isinstance(spec, TensorSpec):
        if nest.is_nested(spec):
            leaves = nest.flatten_up_to(spec, value)
            specs = nest.flatten(spec)
            cast = [_cast(name, v, s) for v, s in zip(leaves, specs, strict=True)]
            return nest.pack_sequence_as(spec, cast)
        if isinstance(spec, SparseTensorSpec) and not spec.is_compatible_with(value):
            is_sparse = isinstance(value, SparseTensor)
            raise _misfit(name, SparseTensorSpec.from_value(value) if is_sparse else value, spec)
        return value
    if isinstance(value, TensorSpec):
        if value.dtype is not spec.dtype or not spec.shape.is_compatible_with(value.shape):
            raise _misfit(name, value, spec)
        return value
    tensor = to_tensor(value, hint=spec.dtype)
    if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        raise _misfit(name, spec_of(tensor), spec)
    return tensor


def _misfit(name: str, given: object, spec: object) -> TypeError:
    return TypeError(
        f"Binding inputs to tf.function failed due to `Can not cast {given!r} to {spec!r}` for "
        f"argument {name}."
    )


def _placeholders(
    graph: FuncGraph, parameters: Sequence[str], structure: Sequence[Any], specs: Sequence[Any]
) -> Any:
    """The arguments with symbolic tensors in the places of tensors."""
    remaining = iter(specs)
    variables: dict[int, Variable] = {}
    leaves = nest.flatten(structure, expand_composites=True)
    names = _leaf_names(parameters, _outline(structure))
    sparse, shapes = sparse_among(structure), []
    for i, leaf in enumerate(leaves):
        if i in sparse:
            shapes.append(next(remaining)[1])
        if isinstance(leaf, (Tensor, TensorSpec)):
            dtype, dims = next(remaining)
            name = getattr(leaf, "name", None) if isinstance(leaf, TensorSpec) else None
            name = name or (names[i] if i < len(names) else "arg")
            leaves[i] = graph.argument(Spec(dims, dtype), _identifier(name))
        elif isinstance(leaf, VariableArgument):
            if id(leaf) not in variables:
                name = _identifier(names[i] if i < len(names) else "arg")
                variables[id(leaf)] = leaf.stand_in(graph, name)
            leaves[i] = variables[id(leaf)]
    made = nest.pack_sequence_as(structure, leaves, expand_composites=True)
    keep_shapes(made, shapes)
    return made


def _tensors(structure: Structure) -> list[Any]:
    """What a function was called with: a tensor per argument; None where a spec stands for it."""
    leaves = nest.flatten(structure, expand_composites=True)
    return [
        leaf if isinstance(leaf, Tensor) else None
        for leaf in leaves if isinstance(leaf, (Tensor, TensorSpec))
    ]  # fmt: skip


def _identifier(name: str) -> str:
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_")
    return text or "arg"


def _results(result: object) -> tuple[Any, list[SymbolicTensor]]:
    """What a function returned, and the tensors of it, in the graph."""
    leaves = nest.flatten(result, expand_composites=True)
    outputs = []
    target: Any = LOCAL.state.target
    for i, leaf in enumerate(leaves):
        if leaf is None or isinstance(leaf, Operation):
            leaves[i] = None
            continue
        try:
            leaves[i] = target.taken(to_tensor(leaf))
        except (TypeError, ValueError) as error:
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more "
                f"Tensors or ExtensionTypes or None values; in compilation of a function, found "
                f"return value of type {type(leaf)}, which is not a Tensor or ExtensionType. "
                f"({error})"
            ) from None
        outputs.append(leaves[i])
    made = nest.pack_sequence_as(result, leaves, expand_composites=True)
    keep_shapes(made, shapes_of(result))
    return made, outputs
