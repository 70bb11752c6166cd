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
from ...base.garbage import garbage_seldom
from ...base.late_binding import LateBinding
from ...base.shapes import common
from ...base.typing import Structure
from ...core.composite import CompositeTensor
from ...core.context import LOCAL, PROCESS
from ...core.ragged import RaggedTensor
from ...core.tensor import EagerTensor, Tensor, out_of_scope_text
from ...core.tensor_spec import TensorSpec
from ...eager.target import EAGER
from ...eager.variable import Variable
from ...ops.convert import to_tensor
from ...ops.sparse.tensor import SparseTensor
from ..plan.plan import Plan
from ..recording.func_graph import FuncGraph
from ..recording.ragged_arguments import ragged_among
from ..recording.sparse_arguments import (
    prepared,
    sparse_among,
)
from ..representation.default_graph import as_default
from ..representation.graph import Graph
from .arguments.argument_checks import (
    Unchanged,
    check_hashable,
    check_names,
    check_no_specs,
    checked_signature,
)
from .arguments.concrete_arguments import ConcreteArguments, VariableArgument, shares
from .arguments.signature_casts import cast_to_spec, check_default
from .arguments.signatures import PLAIN, described, fitted, keywords_of
from .arguments.trace_keys import (
    IdentityKey,
    is_spec_part,
    is_wider,
    key_by_signature,
    key_with_specs,
    leaf_names,
    outline_of,
    part_text,
)
from .arguments.traced_values import placeholders_for, results_of
from .calling import ConcreteFunction
from .facts import FunctionFacts
from .lifting import creator
from .retracing import note_call
from .weak_methods import ReleasedObject

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


class Function(FunctionFacts):
    """A Python function that runs as graphs (`tf.function` returns it)."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str | None = None,
        input_signature: Any = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool | None = False,
        experimental_implements: str | None = None,
        experimental_autograph_options: Any = None,
        experimental_attributes: dict[str, Any] | None = None,
    ) -> None:
        self._held: Callable[[], Any] = lambda: python_function
        self._specs = None if input_signature is None else checked_signature(input_signature)
        self._signature = fitted(inspect.signature(python_function), self._specs)
        #: The parameter that takes further arguments by name, if there is one.
        self._keywords = keywords_of(self._signature)
        self._autograph = autograph
        self._features = experimental_autograph_options
        self._attributes = dict(experimental_attributes or {})
        if experimental_implements is not None:
            self._attributes["_implements"] = experimental_implements
        self._jit = jit_compile
        self._reduces = reduce_retracing
        self._name = name or str(getattr(python_function, "__name__", "function"))
        self._traces: dict[Any, ConcreteFunction] = {}
        #: The traces that serve calls with more than one shape, with the keys of what they take.
        self._open: list[tuple[Any, ConcreteFunction]] = []
        #: The traces of calls on nothing but tensors, by the scope and what these are, with the
        #: plans for them where that is all that these depend on.
        self._fast: dict[Any, tuple[ConcreteFunction, Plan | None]] = {}
        #: The iterator that the last call was for, and its trace.
        self._last_handle: Callable[[], Any] = _nothing
        self._of_handle: ConcreteFunction | None = None
        self._variables: list[Variable] = []
        self._has_traced = False
        # A thread that traces may call the function again, on other arguments.
        self._lock = threading.RLock()
        self._last: Any = None
        self._bound: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        own = dict(vars(self))
        functools.update_wrapper(self, python_function)
        vars(self).update(own)  # an object that is called may have attributes of these names
        self.__signature__ = inspect.signature(python_function)
        _FUNCTIONS.add(self)

    def forget_fast(self) -> None:
        """Lets the next call ask again how functions run."""
        self._fast.clear()
        self._last_handle, self._of_handle = _nothing, None

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
        return (
            types.MethodType(self.__wrapped__, ReleasedObject(self._name))
            if found is None
            else found
        )

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
        state = LOCAL.state
        if kwargs or state.target is not EAGER:
            return self._call(args, kwargs)
        try:
            # Most calls: nothing but tensors, seen before.
            found = self._fast.get((state.scope, *[(x._kind, x._value.shape) for x in args]))
        except AttributeError:
            return self._by_handle(args)
        if found is None:
            return self._call(args, kwargs)
        trace, plan = found
        if state.tapes or plan is None:
            return trace.run(args)
        if plan.epoch is not PROCESS.epoch:
            self._fast.clear()
            return self._call(args, kwargs)
        outputs = plan.perform(plan, args)
        return outputs[0] if trace.is_single else trace.packed(outputs)

    def _by_handle(self, args: Sequence[Any]) -> Any:
        """A call that is for other things than tensors, perhaps for an iterator alone: then the
        last call was most often for the same one.
        """
        if len(args) == 1 and args[0] is self._last_handle() and LOCAL.state.strategy is None:
            assert self._of_handle is not None
            return self._of_handle.run(args[0].components())
        return self._call(args, {})

    def _call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if _EAGERLY[0]:
            return self._python(*args, **kwargs)
        key, tensors, structure = self._canonical(args, kwargs)
        found = self._find(key, tensors, structure)
        if found.graph.variable_arguments and shares(found.graph, tensors):
            key, tensors, structure = self._canonical(args, kwargs, by_argument=False)
            found = self._find(key, tensors, structure)
        if len(tensors) < found.takes:
            check_no_specs(structure)
        if LOCAL.state.target.is_eager:
            made = found.run(tensors)
            self._note_fast(args, kwargs, found)
            return made
        return found.recorded(tensors)

    def _note_fast(
        self, args: Sequence[Any], kwargs: dict[str, Any], found: ConcreteFunction
    ) -> None:
        if kwargs or not args or LOCAL.state.strategy is not None:
            return
        if len(args) == 1 and isinstance(args[0], CompositeTensor) and args[0].is_handle:
            if len(self._signature.parameters) == found.takes == 1:
                self._last_handle, self._of_handle = weakref.ref(args[0]), found
            return
        if not all(type(x) is EagerTensor for x in args):
            return
        if len(self._signature.parameters) == len(args) == found.takes:
            key = LOCAL.state.scope, *[(x._kind, x._value.shape) for x in args]
            self._fast[key] = found, found.plan_by_kinds(args)

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
        arguments = dict(bound.arguments)
        if self._keywords is not None:  # TF: in the order of their names
            arguments[self._keywords] = dict(sorted(arguments[self._keywords].items()))
        if self._specs is not None:
            arguments = self._cast_to_signature(arguments)
        structure: Any = tuple(arguments.values())  # in the order of the parameters
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
        shape = outline_of(structure, composites)
        if any(isinstance(composite, RaggedTensor) for composite in composites):
            for place, parts in ragged_among(structure).items():
                key[place : place + len(parts)] = parts
        if any(isinstance(composite, SparseTensor) for composite in composites):
            for place, parts in reversed(sparse_among(structure).items()):
                key[place : place + 3] = parts
        if self._specs is not None:
            key = key_by_signature(key, self._specs)
        return ((tuple(arguments), shape), tuple(key), _around()), tensors, structure

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
            return Variable, IdentityKey(leaf._handle)
        if isinstance(leaf, PLAIN):
            return type(leaf), leaf
        if isinstance(leaf, TensorSpec):
            return leaf.dtype, leaf.shape._dims
        check_hashable(leaf)
        return type(leaf), IdentityKey(leaf)

    def _cast_to_signature(self, given: dict[str, Any]) -> dict[str, Any]:
        names = [name for name in given if name != "self"]
        assert self._specs is not None
        for name, spec in zip(names, self._specs, strict=False):
            given[name] = cast_to_spec(name, given[name], spec)
        for name in names[len(self._specs) :]:
            check_default(name, given[name], self._signature.parameters[name].default)
        return given

    # -- traces ---------------------------------------------------------------------------------

    def _find(
        self, key: Sequence[Any], tensors: Sequence[Any], structure: Sequence[Any]
    ) -> ConcreteFunction:
        with self._lock:
            found = self._made(key)
            self._note_retracing(key, found is None)
            return self._trace_new(key, structure) if found is None else found

    def _made(self, key: Any) -> ConcreteFunction | None:
        """The trace for a key that has been made; that of shapes which cover the key's is one, too,
        and of several the one that knows most.
        """
        found = self._traces.get(key)
        if found is not None or not self._open:
            return found
        best: Any = None
        for wider, each in self._open:
            serves = wider[0] == key[0] and wider[2] == key[2] and is_wider(wider[1], key[1])
            if serves and (best is None or is_wider(best, wider[1])):
                best, found = wider[1], each
        if found is not None:
            self._traces[key] = found
        return found

    def _trace_new(self, key: Sequence[Any], structure: Sequence[Any]) -> ConcreteFunction:
        specs = [part for part in key[1] if is_spec_part(part)]
        if self._specs is not None:
            specs = key_by_signature(specs, self._specs)
        if self._reduces:
            specs = self._widened(key, specs)
        found = self._trace(key[0][0], structure, specs)
        self._traces[key] = found
        if any(dims is None or None in dims for _, dims in specs):
            self._open.append((key_with_specs(key, specs), found))
        return found

    def _widened(self, key: Sequence[Any], specs: list[Any]) -> list[Any]:
        """Shapes that also cover a trace that differs in sizes only."""
        for other in self._traces:
            theirs = [part for part in other[1] if is_spec_part(part)]
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
        graph = FuncGraph(f"__inference_{self._name}_{next(_NUMBERS)}", outer=outer)
        graph.make_variable_here = creator(created)
        with as_default(graph), garbage_seldom():
            check_names(self._signature, dict(zip(names, structure, strict=True)))
            arguments = placeholders_for(graph, names, structure, specs)
            inputs = list(graph.inputs)
            args, kwargs = self._as_call(names, arguments)
            signature = described(args, kwargs)
            unchanged = Unchanged(names, arguments)
            with graph.called_with(_tensors(structure)):
                result = self._converted()(*args, **kwargs)
            unchanged.check(self._python, self._signature)
            result, outputs = results_of(result)
        self._check_that_it_stands_alone(graph)
        graph.outputs = outputs
        kept = ConcreteArguments(self._signature, names, structure)
        return ConcreteFunction(graph, inputs, result, self._name, bool(self._jit), kept, signature)

    def _check_that_it_stands_alone(self, graph: FuncGraph) -> None:
        """Raises AssertionError if a function that is said to implement another takes more than
        its arguments: TensorFlow refuses to put one in another's place then.
        """
        if "_implements" not in self._attributes:
            return
        taken = [outer for outer, _ in (*graph.captures.values(), *graph.constants.values())]
        if taken:
            raise AssertionError(
                f'Function {self._name} has the attribute "_implements='
                f'{self._attributes["_implements"]}" and can not depend on tensors outside of its '
                f"signature: it takes {taken} from outside. Pass them as arguments; variables are "
                "always captured."
            )

    def _as_call(self, names: Sequence[str], arguments: Sequence[Any]) -> tuple[Any, Any]:
        bound = self._signature.bind_partial()
        bound.arguments.update(zip(names, arguments, strict=True))
        return bound.args, bound.kwargs

    def _converted(self) -> Callable[..., Any]:
        return (
            AUTOGRAPH.call(self._python, self._features, True) if self._autograph else self._python
        )

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments, which may be `tf.TensorSpec`s."""
        if self._specs is not None and not args and not kwargs:
            args = self._specs
        args, kwargs = nest.map_structure(prepared, (args, kwargs))
        key, tensors, structure = self._canonical(args, kwargs)
        with self._lock:
            found = self._made(key) or self._trace_new(key, structure)
            if found.graph.variable_arguments and shares(found.graph, tensors):
                key, _, structure = self._canonical(args, kwargs, by_argument=False)
                found = self._made(key) or self._trace_new(key, structure)
        arguments = ConcreteArguments(self._signature, key[0][0], structure)
        return found.named(arguments) if arguments.has_names else found

    def tensors_of(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The tensors among arguments, in the order in which their trace takes them."""
        key, tensors, _ = self._canonical(args, kwargs)
        found = self._traces.get(key)
        if found is not None and found.graph.variable_arguments and shares(found.graph, tensors):
            return self._canonical(args, kwargs, by_argument=False)[1]
        return tensors

    def _note_retracing(self, key: Sequence[Any], is_new: bool) -> None:
        last, self._last = self._last, key
        if LOCAL.state.target.is_eager:
            note_call(self._python, is_new, lambda: self._what_changed(last, key))

    def _what_changed(self, last: Sequence[Any] | None, key: Sequence[Any]) -> str:
        if last is None or last[0] != key[0]:
            return "The structure of the arguments changed."
        names = leaf_names(*key[0])
        changes = [
            f"argument {name}: {part_text(a)} -> {part_text(b)}"
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
            bound = self._bound[instance] = self._clone(method)
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


#: A Python function whose `if`, `while` and `for` become operations, with AutoGraph's features, and
#: whether the program asked for that, so that a library's function is converted too.
AUTOGRAPH: LateBinding[[Callable[..., Any], Any, bool], Callable[..., Any]] = LateBinding(
    "convert a function by AutoGraph", "graph/autograph/entry.py"
)


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool | None = False,
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
        experimental_implements: what the function implements; then it must take all that it needs
            as arguments. It changes nothing else.
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
    relaxes = experimental_relax_shapes

    def decorated(inner: Callable[..., Any]) -> Function:
        return Function(
            inner, None, input_signature, autograph, jit,
            reduce_retracing if relaxes is None else relaxes,
            experimental_implements, experimental_autograph_options, experimental_attributes,
        )  # fmt: skip

    return decorated if func is None else decorated(func)


def _nothing() -> object:
    """What no argument is."""
    return _nothing


def _around() -> Any:
    """What a trace depends on besides its arguments: the graph around it, and the replica."""
    state = LOCAL.state
    target: Any = state.target
    return None if target.is_eager else id(target.graph), state.strategy


def _tensors(structure: Structure) -> list[Any]:
    """What a function was called with: a tensor per argument; None where a spec stands for it."""
    leaves = nest.flatten(structure, expand_composites=True)
    return [
        leaf if isinstance(leaf, Tensor) else None
        for leaf in leaves if isinstance(leaf, (Tensor, TensorSpec))
    ]  # fmt: skip
