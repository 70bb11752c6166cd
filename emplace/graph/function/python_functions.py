"""Python functions as ops: `tf.py_function`, `tf.numpy_function`.

In eager mode they are called at once. In a graph they become an operation that calls them each
time it runs, with eager tensors or NumPy arrays; the operation itself knows no shapes.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base import dtypes, nest
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
    invalid_argument,
)
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor, make_tensor, to_numpy
from ...core.tensor_spec import TensorSpec
from ...core.type_spec import TypeSpec
from ...devices.inventory import INVENTORY
from ...eager.tape import GradientTape
from ...eager.target import EAGER
from ...grads.rules import Recorded, gradient, is_trainable
from ...ops.array.making import constant, zeros_like
from ...ops.array.shaping import identity
from ...ops.convert import to_tensor
from ...ops.host_values import raw_of
from ...ops.infer import Spec
from ...ops.op import CPU_ONLY, Op, apply, op
from ..representation.graph import Operation


def call_kernel(*inputs: Any, func: Any, out: tuple[DType, ...], **attrs: Any) -> tuple[Any, ...]:
    """Calls the function with eager tensors on the CPU, or with arrays."""
    made = func.counted(func([_eager(value) for value in inputs]), len(out))
    return tuple(func.raw(i, value, dtype) for i, (value, dtype) in enumerate(
        zip(made, out, strict=True)))  # fmt: skip


def _eager(value: Any) -> EagerTensor:
    """A raw value of the CPU as a tensor."""
    state = LOCAL.state
    before, state.target = state.target, EAGER
    try:
        cpu = INVENTORY.devices()[0]
        dtype = dtypes.string if isinstance(value, np.ndarray) else as_dtype(value.dtype)
        return make_tensor(value, cpu.kind(dtype))
    finally:
        state.target = before


def _call_spec(*inputs: Spec, func: Any, out: tuple[DType, ...], **attrs: Any) -> Any:
    return tuple(Spec(None, dtype) for dtype in out)


EAGER_PY_FUNC = op(
    "EagerPyFunc", "input: N * any -> output: N * any", call_kernel, _call_spec,
    device_types=CPU_ONLY,
    stateful=True, is_listed=False,
)  # fmt: skip
PY_FUNC = op(
    "PyFunc", "input: N * any -> output: N * any", call_kernel, _call_spec, device_types=CPU_ONLY,
    stateful=True, is_listed=False,
)  # fmt: skip
PY_FUNC_STATELESS = op(
    "PyFuncStateless", "input: N * any -> output: N * any", call_kernel, _call_spec,
    device_types=CPU_ONLY,
    is_listed=False,
)  # fmt: skip


_NUMBERS = itertools.count()

# What TensorFlow makes of errors of Python; of all others UnknownError.
_KINDS: dict[type[Exception], type[OpError]] = {
    ValueError: InvalidArgumentError,
    TypeError: InvalidArgumentError,
    StopIteration: OutOfRangeError,
    MemoryError: ResourceExhaustedError,
    NotImplementedError: UnimplementedError,
}


def python_error(error: Exception) -> OpError:
    """The error of the runtime for one that a Python function raised."""
    if isinstance(error, OpError):
        return error
    kind = next((_KINDS[each] for each in _KINDS if isinstance(error, each)), UnknownError)
    return kind(None, None, f"{type(error).__name__}: {error}")


class _Call:
    """A function as the kernel calls it: in eager mode, without tapes."""

    def __init__(self, function: Callable[..., Any], kind: str) -> None:
        self.function = function
        self.name = f"{kind}_{next(_NUMBERS)}"

    def __call__(self, tensors: list[EagerTensor]) -> list[Any]:
        state = LOCAL.state
        before = state.target, state.scope, state.tapes
        state.target, state.scope, state.tapes = EAGER, None, ()
        try:
            return _listed(self.answer(tensors))
        except OpError:
            raise
        except Exception as error:
            raise python_error(error) from error
        finally:
            state.target, state.scope, state.tapes = before

    def answer(self, tensors: list[EagerTensor]) -> Any:
        """What the function returns for tensors."""
        return self.function(*tensors)

    #: Whether it may return more than it is asked for.
    may_exceed = True

    def counted(self, made: list[Any], count: int) -> list[Any]:
        """As many results as are wanted.

        Raises:
            InvalidArgumentError: there are fewer, or more where that is an error.
        """
        if len(made) < count or (len(made) > count and not self.may_exceed):
            raise invalid_argument(
                f"{self.name} returns {len(made)} values, but expects to see {count} values."
            )
        return made[:count]

    def raw(self, i: int, value: Any, dtype: DType) -> Any:
        """A result as the plan takes it."""
        state = LOCAL.state
        before, state.target = state.target, EAGER  # a session may run inside of its graph's scope
        try:
            made: Any = to_tensor(value, dtype)
        except (TypeError, ValueError) as error:
            raise invalid_argument(f"{type(error).__name__}: {error}") from None
        finally:
            state.target = before
        return _on_host(made)


def _on_host(made: EagerTensor) -> Any:
    return made._value if made._kind.device.type == "CPU" else raw_of(to_numpy(made).copy())


class _NumpyCall(_Call):
    """A function of arrays."""

    may_exceed = False

    def answer(self, tensors: list[EagerTensor]) -> Any:
        """What the function returns for arrays."""
        return self.function(*[_argument(each) for each in tensors])

    def raw(self, i: int, value: object, dtype: DType) -> Any:
        """A result as the plan takes it.

        Raises:
            InvalidArgumentError: it has another dtype.
            InternalError: it is nothing that tensors hold.
        """
        state = LOCAL.state
        before, state.target = state.target, EAGER
        try:
            made: Any = constant(_as_array(value))
        except (TypeError, ValueError):
            raise InternalError(
                None, None, f"Unsupported object type {type(value).__name__}"
            ) from None
        finally:
            state.target = before
        if made.dtype is not dtype:
            raise invalid_argument(
                f"{i}-th value returned by {self.name} is {runtime_name(made.dtype)}, but expects "
                f"{runtime_name(dtype)}"
            )
        return _on_host(made)


def _as_array(value: object) -> Any:
    """A result as NumPy has it: of Python's numbers it makes int64 and float64, as TensorFlow's
    kernel does in graphs. In eager mode they become tensors of TensorFlow's own types."""
    return np.asarray(to_numpy(value) if isinstance(value, EagerTensor) else value)


def _argument(tensor: EagerTensor) -> Any:
    array = to_numpy(tensor)
    return array[()] if tensor.dtype is dtypes.string and not array.ndim else array.copy()


def _listed(made: object) -> list[Any]:
    if made is None:
        return []
    return list(made) if isinstance(made, (list, tuple)) else [made]


class _Gradient(_Call):
    """The gradient of a function of eager tensors: runs it again under a tape."""

    def __init__(self, call: _Call, count: int, wanted: Sequence[int]) -> None:
        # A gradient of a gradient runs the gradient again, not the function at its root.
        super().__init__(lambda *tensors: call.answer(list(tensors)), "gradient_of")
        self.count = count
        self.wanted = wanted

    def answer(self, tensors: list[EagerTensor]) -> Any:
        """Gradients of the wanted inputs; `tensors` are the inputs, then the results' gradients."""
        inputs, grads = tensors[: self.count], tensors[self.count :]
        sources = [inputs[i] for i in self.wanted]
        with GradientTape() as tape:
            tape.watch(sources)
            made = [to_tensor(each) for each in _listed(self.function(*inputs))]
        found = tape.gradient(made, sources, output_gradients=grads)
        return [zeros_like(x) if g is None else to_tensor(g)
                for x, g in zip(sources, found, strict=True)]  # fmt: skip


class _Taped:
    """A run of a function in eager mode, with the tape that it was recorded on: what it takes and
    makes there.
    """

    def __init__(self, tensors: Sequence[Any]) -> None:
        self.tape = GradientTape(persistent=True)
        self.inputs = [identity(x) for x in tensors]
        self.outputs: list[Tensor] = []
        self.device: Any = None

    def gradients(self, wanted: Sequence[int], grads: Sequence[Tensor]) -> list[Any]:
        """Those of some inputs, for gradients of the outputs."""
        sources = [self.inputs[i] for i in wanted]
        found = self.tape.gradient(self.outputs, sources, output_gradients=grads)
        results: list[Any] = [None] * len(self.inputs)
        for i, source, grad in zip(wanted, sources, found, strict=True):
            results[i] = zeros_like(source) if grad is None else grad
        return results


@gradient(EAGER_PY_FUNC)
def py_function_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of a Python function: what its tape tells; in graphs another function, which runs it again
    under a tape.
    """
    wanted = [
        i for i, x in enumerate(call.inputs) if call.needs(i) and is_trainable(x.dtype)
    ]  # fmt: skip
    filled = [
        zeros_like(y) if grad is None else to_tensor(grad)
        for y, grad in zip(call.outputs, grads, strict=True)
    ]
    taped = call.route if isinstance(call.route, _Taped) else None
    if taped is not None and not LOCAL.state.tapes:
        return taped.gradients(wanted, filled)
    func = _Gradient(call.attrs["func"], len(call.inputs), wanted)
    out = tuple(call.inputs[i].dtype for i in wanted)
    results: list[Any] = [None] * len(call.inputs)
    if taped is not None:  # somebody may want the gradient of this
        made = _recorded(func, [*call.inputs, *filled], list(out))
    else:
        made = apply(EAGER_PY_FUNC, (*call.inputs, *filled), {"func": func, "out": out})
    for i, grad in zip(wanted, made, strict=True):
        grad.set_shape(call.inputs[i].shape)
        results[i] = grad
    return results


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None,  # noqa: N803
    name: str | None = None,
) -> Any:  # fmt: skip
    """Calls a Python function with eager tensors (`tf.py_function`), in a graph each time it runs.

    Gradients flow through it. In a graph the gradient calls the function once more.

    Args:
        func: takes tensors, returns a tensor, a list of tensors, or None.
        inp: what it is given: a list of tensors.
        Tout: the dtype of what it returns, a `tf.TensorSpec`, the spec of a ragged tensor or of
            another composite, or a list of those; [] for nothing.
        name: a name in graphs.

    Raises:
        ValueError: `func` cannot be called.
        InvalidArgumentError: what it returns is something else.
        OpError: it raises an error: InvalidArgumentError for ValueError and TypeError,
            OutOfRangeError for StopIteration, ..., UnknownError for most.

    >>> float(py_function(lambda x: x * x, [3.0], "float32"))
    9.0
    """
    if func is None:
        _refuse_inp(inp, "tf.py_function")
        return _calling(lambda inner, tensors: py_function(inner, tensors, Tout, name))
    _check_callable(func)
    if _holds_composites(inp, Tout):
        return _composed(func, inp, Tout, name)
    return _called(_Call(func, "pyfunc"), EAGER_PY_FUNC, inp, Tout)


def numpy_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None,  # noqa: N803
    stateful: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """Calls a Python function with NumPy arrays (`tf.numpy_function`), in a graph each time it
    runs. No gradients flow through it.

    Args:
        func: takes arrays, returns an array, a list of arrays, or None.
        inp: what it is given: a list of tensors.
        Tout: the dtype of what it returns, or a list of dtypes; [] for nothing. Eager mode returns
            what the function does, in a list unless it is one value.
        stateful: False if its results depend on its arguments only.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: what it returns has other dtypes.
        OpError: in a graph, it raises an error: InvalidArgumentError for ValueError and TypeError,
            OutOfRangeError for StopIteration, ..., UnknownError for most.

    >>> numpy_function(lambda x: x[::-1], [[1, 2]], "int32").numpy().tolist()
    [2, 1]
    """
    if func is None:
        _refuse_inp(inp, "tf.numpy_function")
        return _calling(lambda inner, inp: numpy_function(inner, inp, Tout, stateful, name))
    record = PY_FUNC if stateful else PY_FUNC_STATELESS
    answer = _called(_NumpyCall(func, "pyfunc"), record, inp, Tout)
    # TF: what has no state and no results is no operation that could be run.
    return [] if isinstance(answer, Operation) and not stateful else answer


def py_func(
    func: Callable[..., Any], inp: Any, Tout: DTypeLike, stateful: bool = True,  # noqa: N803
    name: str | None = None,
) -> Any:  # fmt: skip
    """Calls a Python function as `tf.numpy_function` does (`tf.compat.v1.py_func`).

    Args:
        func: takes NumPy arrays, returns what arrays can be made of.
        inp: the tensors that it is given.
        Tout: the dtype of its result, or a list of dtypes.
        stateful: False if its results depend on its arguments only.
        name: a name in graphs.
    """
    return numpy_function(func, inp, Tout, stateful, name)


def _check_callable(func: object) -> None:
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )


def _refuse_inp(inp: object, what: str) -> None:
    if inp is not None:
        raise TypeError(
            f"Don't set the `inp` argument when using {what} as a decorator (`func=None`)."
        )


def _calling(call: Callable[[Callable[..., Any], Sequence[Any]], Any]) -> Any:
    """A decorator: the decorated function's arguments are what it is given."""

    def decorate(inner: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(inner)
        def decorated(*given: Any) -> Any:
            return call(inner, given)

        return decorated

    return decorate


def _called(func: _Call, record: Op, inp: Sequence[Tensor], out: object) -> Any:
    given = inp if isinstance(inp, (list, tuple)) else [inp]
    tensors = [_as_input(record, each) for each in given]
    wanted = list(out) if isinstance(out, (list, tuple)) else [out]
    if LOCAL.state.target.is_eager:
        if record is EAGER_PY_FUNC:
            _types(wanted)
            tapes = LOCAL.state.tapes
            if tapes and all(isinstance(tape, GradientTape) for tape in tapes):
                return _recorded(func, tensors, out)
        return _now(func, tensors, out)
    _check_callable(func.function)
    types = _types(wanted)
    made = apply(record, tuple(tensors), {"func": func, "out": types})
    if not types:
        return made
    for y, each in zip(made, wanted, strict=True):
        y.set_shape(each.shape if isinstance(each, TensorSpec) else TensorShape(None))
    return made if isinstance(out, (list, tuple)) else made[0]


def _types(wanted: Sequence[Any]) -> tuple[DType, ...]:
    """The dtypes of results, by dtypes or specs.

    Raises:
        TypeError: one is neither.
    """
    return tuple(each.dtype if isinstance(each, TensorSpec) else as_dtype(each) for each in wanted)


def _as_input(record: Op, value: Any) -> Any:
    made = to_tensor(value)
    if isinstance(made, CompositeTensor):
        raise TypeError(
            f"Tensors in list passed to 'input' of '{record.name}' Op must not be "
            f"{type(made).__name__}s. Pass the parts of it, or use tf.py_function."
        )
    return made


def _holds_composites(inp: object, out: object) -> bool:
    given = inp if isinstance(inp, (list, tuple)) else [inp]
    wanted = out if isinstance(out, (list, tuple)) else [out]
    is_given = any(isinstance(each, CompositeTensor) for each in given)
    return is_given or any(map(_is_composite_spec, wanted))


def _composed(func: Callable[..., Any], inp: Any, out: Any, name: str | None) -> Any:
    """`py_function` where tensors made of tensors go in or come out: the op sees their parts."""
    given = list(inp) if isinstance(inp, (list, tuple)) else [inp]
    wanted = list(out) if isinstance(out, (list, tuple)) else [out]

    def of_parts(*tensors: Any) -> list[Any]:
        made = _listed(func(*nest.pack_sequence_as(given, list(tensors), expand_composites=True)))
        for value, each in zip(made, wanted, strict=False):
            _check_result(func, made, wanted, value, each)
        return nest.flatten(made, expand_composites=True)

    parts = nest.flatten(wanted, expand_composites=True)
    made = py_function(of_parts, nest.flatten(given, expand_composites=True), parts, name)
    if not parts:
        return made
    results = nest.pack_sequence_as(wanted, made, expand_composites=True)
    return results if isinstance(out, (list, tuple)) else results[0]


def _check_result(func: object, made: object, wanted: object, value: Any, spec: Any) -> None:
    """Whether a result is a composite where one is expected, and that one.

    Raises:
        ValueError: it is not.
    """
    if _is_composite_spec(spec):
        if isinstance(value, CompositeTensor) and spec.is_compatible_with(value):
            return
        reason = f"{value!r} is not compatible with {spec!r}"
    elif not isinstance(value, CompositeTensor):
        return
    else:
        reason = f"{value!r} is not a Tensor"
    raise ValueError(
        f"py_function: func={func} returned {made!r}, which did not match Tout={wanted!r}.\n"
        f"In particular, {reason}."
    )


def _is_composite_spec(spec: object) -> bool:
    return isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec)


def _recorded(func: _Call, tensors: list[Any], out: Any) -> Any:
    """The call in eager mode, for the tapes there are. TF: gradients flow through what it is given,
    and not through what else it reads.
    """
    state = LOCAL.state
    tapes, state.tapes = state.tapes, ()
    try:
        run = _Taped(tensors)
        with run.tape:
            run.tape.watch([x for x in run.inputs if is_trainable(x.dtype)])
            made = _now(func, run.inputs, out)
        run.outputs = made if isinstance(made, list) else [made]
        outputs: list[Any] = [identity(y) for y in run.outputs]
    finally:
        state.tapes = tapes
    for variable in run.tape.watched_variables():
        variable._watch()
    if outputs:
        run.device = outputs[0]._kind.device
        for tape in tapes:
            tape.record(EAGER_PY_FUNC, tuple(tensors), {"func": func}, outputs, run)
    return outputs if isinstance(made, list) else outputs[0]


def _now(func: _Call, tensors: list[Any], out: Any) -> Any:
    """The call in eager mode, under the tapes there are."""
    try:
        found = func.answer(tensors)
    except OpError:
        raise
    except Exception as error:
        if isinstance(func, _NumpyCall):
            raise
        raise python_error(error) from error
    if isinstance(func, _NumpyCall):
        # TensorFlow's eager mode looks at what came back alone: one value is no list.
        made = [each if each is None else to_tensor(each) for each in nest.flatten(found)]
        return made[0] if len(made) == 1 else made
    is_list = isinstance(out, (list, tuple))
    wanted = list(out) if is_list else [out]
    taken = func.counted(_listed(found), len(wanted))
    try:
        made = [_typed(each, dtype) for each, dtype in zip(taken, wanted, strict=True)]
    except (TypeError, ValueError) as error:
        raise python_error(error) from None
    return made if is_list else made[0]


def _typed(value: Tensor, wanted: DType) -> Tensor:
    dtype = wanted.dtype if isinstance(wanted, TensorSpec) else as_dtype(wanted)
    if isinstance(value, Tensor) and value.dtype is not dtype:
        raise invalid_argument(
            f"ValueError: Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{value.dtype.name}: {value!r}"
        )
    return to_tensor(value, dtype)
