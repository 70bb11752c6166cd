"""Gradients that the program writes itself: `tf.custom_gradient`, `tf.recompute_grad`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...base import nest
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ...eager.tape import GradientTape
from ...eager.variable import Variable
from ...grads.rules import Recorded, gradient
from ...ops.array.making import zeros_like
from ...ops.array.shaping import identity
from ...ops.convert import is_tensor, to_tensor
from ...ops.infer import Spec
from ...ops.op import apply, op
from ..passes.prune import effects_of, with_effects
from ..recording.func_graph import FuncGraph


def _custom_kernel(*inputs: Tensor, grad: object, outputs: int) -> tuple[Any, ...]:
    """The first `outputs` inputs: what the function returned."""
    return inputs[:outputs]


def _custom_spec(*inputs: Spec, grad: Any, outputs: int) -> tuple[Spec, ...]:
    return inputs[:outputs]


# Its inputs are what the function returned, then what it was given; the outputs are the former,
# and their gradients go to the latter.
CUSTOM_GRADIENT = op(
    "CustomGradient", "input: N * any -> output: N * any", _custom_kernel, _custom_spec,
    is_transfer=True, aliases=True, is_listed=False,
)  # fmt: skip


@gradient(CUSTOM_GRADIENT)
def custom_gradient_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """What the program's function says."""
    count = call.attrs["outputs"]
    target: Any = LOCAL.state.target
    graph = None if target.is_eager else target.graph
    if not isinstance(graph, FuncGraph) or not graph.is_of_gradient or not call.route.copies:
        found = call.attrs["grad"](call.outputs, grads)
    else:  # in a function that the differentiated one calls
        before = len(graph.operations)
        found = call.attrs["grad"](call.outputs, grads)
        graph.awaited = [*effects_of(graph), *with_effects(graph.operations[before:])]
    return [*[None] * count, *found]


def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Makes a function whose gradient the program writes (`tf.custom_gradient`).

    Args:
        f: returns its result and a function from the result's gradients to those of the
            arguments. If `f` reads variables, that function takes `variables=` and returns a pair:
            the arguments' gradients and a list of the variables'.

    Raises:
        TypeError: later, if `f` reads variables and its gradient function takes none.

    >>> import emplace.tensorflow as tf
    >>> @custom_gradient
    ... def halved(x):
    ...     return x, lambda dy: dy * 0.5
    >>> x = tf.constant(1.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = halved(x)
    >>> float(tape.gradient(y, x))
    0.5
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return _call(f, args, kwargs)

    return decorated


def _call(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    leaves = nest.flatten(args, expand_composites=True)
    places = [i for i, leaf in enumerate(leaves) if _is_number(leaf)]
    # TF: in eager mode `f` gets variables themselves, in graphs what they hold.
    own = [leaf if _is_variable(leaf) and LOCAL.state.target.is_eager else None for leaf in leaves]
    for i in places:
        leaves[i] = to_tensor(leaves[i])
    seen = nest.pack_sequence_as(args, leaves, expand_composites=True)
    given = [x for x in _differentiated(seen) if _is_number(x)]
    handed = [x if variable is None else variable for x, variable in zip(leaves, own, strict=True)]
    args = nest.pack_sequence_as(args, handed, expand_composites=True)
    # Tapes see what `f` does, for its gradient function may use values on the way: gradients of
    # gradients depend on those.
    with GradientTape() as reads:  # only to see which variables are read
        result, grad = f(*args, **kwargs)
    arguments = {id(x) for x in (*given, *own)}
    variables = [v for v in reads.watched_variables() if id(v) not in arguments]
    made = [to_tensor(x) for x in _differentiated(result)]
    handles = [v.handle for v in variables]
    for variable in variables:
        variable._watch()
    rule = _CustomRule(grad, len(given), variables, result)
    attrs = {"grad": rule, "outputs": len(made)}
    outputs: Any = apply(CUSTOM_GRADIENT, (*made, *given, *handles), attrs)
    return nest.pack_sequence_as(result, _replaced(result, outputs))


def _differentiated(structure: Any) -> list[Any]:
    """The tensors that have gradients: of a ragged tensor its flat values."""
    found: list[Any] = []
    for leaf in nest.flatten(structure):
        if isinstance(leaf, RaggedTensor):
            found += leaf.gradient_parts()
        else:
            found += leaf.components() if isinstance(leaf, CompositeTensor) else [leaf]
    return found


def _replaced(structure: Any, tensors: Sequence[Any]) -> list[Any]:
    """The leaves of a structure with others of those tensors."""
    remaining = iter(tensors)
    made: list[Any] = []
    for leaf in nest.flatten(structure):
        if isinstance(leaf, RaggedTensor):
            made.append(leaf.with_gradient(next(remaining)))
        elif isinstance(leaf, CompositeTensor):
            made.append(leaf.with_components([next(remaining) for _ in leaf.components()]))
        else:
            made.append(next(remaining))
    return made


def _is_variable(leaf: object) -> bool:
    return hasattr(leaf, "handle") and hasattr(leaf, "assign")


def _is_number(leaf: object) -> bool:
    return is_tensor(leaf) or (isinstance(leaf, (float, int)) and not isinstance(leaf, bool))


class _CustomRule:
    """The program's gradient function, called as rules are. It is given gradients that are like
    `result`.
    """

    def __init__(
        self, grad: Callable[..., Any], count: int, variables: list[Variable], result: Any
    ) -> None:
        ragged = any(isinstance(leaf, RaggedTensor) for leaf in nest.flatten(result))
        self.ragged = result if ragged else None
        self.grad = grad
        self.count = count
        self.variables = variables

    def __call__(self, outputs: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
        filled = [zeros_like(y) if g is None else g for y, g in zip(outputs, grads, strict=True)]
        if self.ragged is not None:
            filled = _replaced(self.ragged, [to_tensor(each) for each in filled])
        if not self.variables:
            found = self.grad(*filled)
            return self._listed(found)
        parameters = inspect.signature(self.grad).parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        if "variables" not in parameters and not takes_any:
            raise TypeError(
                "If using @custom_gradient with a function that uses variables, then grad_fn must "
                "accept a keyword argument 'variables'."
            )
        found, of_variables = self.grad(*filled, variables=self.variables)
        if len(of_variables) != len(self.variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn."
            )
        return [*self._listed(found), *of_variables]

    def _listed(self, found: Any) -> list[Any]:
        flat = nest.flatten(found) if isinstance(found, (list, tuple)) else [found]
        if any(isinstance(each, RaggedTensor) for each in flat):
            flat = _differentiated(flat)
        if len(flat) != self.count:
            raise ValueError(
                f"custom_gradient function expected to return {self.count} gradients, but returned "
                f"{len(flat)} instead."
            )
        return [None if each is None else to_tensor(each) for each in flat]


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that keeps nothing for its gradient and runs again for it
    (`tf.recompute_grad`); `emplace.recompute` is the same.

    Args:
        f: the function. `emplace.estimate` of a step with it and without tells what that saves.
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        @custom_gradient
        def inner(*inner_args: Any) -> Any:
            with _for_the_last_tape_only():
                result = f(*inner_args, **kwargs)

            def grad(*dys: Any, variables: Sequence[Variable] = ()) -> Any:
                return _again(f, inner_args, kwargs, dys, variables)

            return result, grad

        return inner(*nest.map_structure(lambda x: to_tensor(x) if _is_variable(x) else x, args))

    return decorated


recompute = recompute_grad


@contextmanager
def _for_the_last_tape_only() -> Iterator[None]:
    """A scope in which the tapes around `custom_gradient`, all but its own, keep nothing."""
    state = LOCAL.state
    tapes, state.tapes = state.tapes, state.tapes[-1:]
    try:
        yield
    finally:
        state.tapes = tapes


def _again(
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    dys: Any,
    variables: Sequence[Variable],
) -> Any:
    # Tensors of their own: one that comes twice has a gradient in each place.
    args = nest.map_structure(lambda x: identity(x) if isinstance(x, Tensor) else x, args)
    sources = [x for x in nest.flatten(args) if isinstance(x, Tensor)]
    with GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        result = nest.flatten(f(*args, **kwargs), expand_composites=True)
    found = tape.gradient(result, [sources, list(variables)], output_gradients=list(dys))
    return tuple(found) if variables else found[0]


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose gradient is that of the identity (`tf.grad_pass_through`)."""

    @custom_gradient
    def decorated(*args: Any, **kwargs: Any) -> Any:
        def grad(*dys: Any, variables: Sequence[Any] | None = None) -> Any:
            return (dys, [None] * len(variables)) if variables is not None else dys

        return f(*args, **kwargs), grad

    return decorated  # type: ignore[no-any-return]
