"""Host arguments that are known only when a graph runs: `tf.reshape(x, [tf.shape(x)[0], -1])`.

Ops take shapes, axes and counts as plain numbers. Where a program computes them in a graph, a
`SymbolicValue` stands in the number's place; the plan puts the number there before it calls the
kernel.

A session may feed any tensor of its graph, also one whose value is known. A number that a tensor
of such a graph was read as is therefore a `BackedInt`: an int that remembers the tensor (a backed
symbolic integer; the tensor may be fed another value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..base.errors import invalid_argument
from ..base.typing import TensorLike


class SymbolicValueError(TypeError):
    """A number was asked for that only running the graph will tell."""


class SymbolicValue:
    """One number of a symbolic tensor, or all of them.

    `tensor` is an integer tensor of a graph; `place` the element of a vector, None for a scalar,
    "all" for a tuple of all elements (of tuples, for a matrix), or "counter" for the two words, the
    lower one first, of a number of 128 bits.
    """

    __slots__ = ("place", "tensor")

    def __init__(self, tensor: Any, place: int | str | None = None) -> None:
        self.tensor = tensor
        self.place = place

    def value(self, numbers: Any) -> Any:
        """The number, or all numbers, out of the tensor's own value as nested lists."""
        if self.place is None:
            return numbers if not isinstance(numbers, list) else numbers[0]
        if self.place == "counter":
            return numbers[0] | numbers[1] << 64
        if self.place == "all":
            return _frozen(numbers if isinstance(numbers, list) else [numbers])
        if isinstance(self.place, int) and self.place >= len(numbers):
            raise invalid_argument(f"slice index {self.place} of dimension 0 out of bounds.")
        return numbers[self.place]

    def _refuse(self, *others: Any) -> NoReturn:
        raise SymbolicValueError(
            f"The value of {self.tensor!r} is known only when the graph runs, and this function "
            "needs it now. Give it a plain number, or compute it with ops on tensors."
        )

    __index__ = __int__ = __float__ = __bool__ = __iter__ = __len__ = __getitem__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _refuse

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<SymbolicValue {self.place} of {self.tensor!r}>"


def _frozen(numbers: object) -> Any:
    return tuple(map(_frozen, numbers)) if isinstance(numbers, list) else numbers


class BackedInt(int):
    """A number of a tensor of a session's graph that is known unless the tensor is fed.

    `tensor` and `place` are those of the `SymbolicValue` that it is then. What Python computes from
    it is a plain number, so the graph notes that the tensor can be fed no more.
    """

    tensor: Any
    place: int | None

    def __new__(cls, number: int, tensor: TensorLike, place: int | None = None) -> BackedInt:
        """The number, and where it is from."""
        made = super().__new__(cls, number)
        made.tensor, made.place = tensor, place
        return made

    def symbolic(self, tensor: Any = None) -> SymbolicValue:
        """The same number of `tensor`, or of its own one, asked for when the graph runs."""
        return SymbolicValue(self.tensor if tensor is None else tensor, self.place)

    def __copy__(self) -> BackedInt:
        return self

    def __deepcopy__(self, memo: object) -> BackedInt:
        return self

    def __reduce__(self) -> Any:
        return int, (int(self),)


def _computing(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def compute(number: BackedInt, *others: Any) -> Any:
        specialise_on(number.tensor)
        return plain(number, *others)

    return compute


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "truediv",
              "rtruediv", "mod", "rmod", "pow", "rpow", "neg", "abs"):  # fmt: skip
    setattr(BackedInt, f"__{_name}__", _computing(f"__{_name}__"))

_ANY_BACKED = [False]  # eager programs need not look for any


def backed_int(number: int, tensor: Any, place: int | None = None) -> int:
    """A number that is known of a tensor of a graph, with its origin where it may be fed."""
    if tensor.graph.is_function:
        return number
    _ANY_BACKED[0] = True
    return BackedInt(number, tensor, place)


def resolved(symbolic: SymbolicValue, numbers: Any) -> Any:
    """What stands for a SymbolicValue once the numbers of its tensor are known."""
    value, tensor = symbolic.value(numbers), symbolic.tensor
    if symbolic.place == "all":
        if not isinstance(numbers, list):  # of unknown rank, it is a scalar
            return (backed_int(numbers, tensor),)
        return tuple(backed_int(number, tensor, i) for i, number in enumerate(value))
    if type(value) is int and symbolic.place != "counter":
        return backed_int(value, tensor, symbolic.place)  # type: ignore[arg-type]
    specialise_on(tensor)
    return value


def specialise_on(tensor: Any) -> None:
    """Notes that a graph was made with the value of one of its tensors, for good."""
    graph = getattr(tensor, "graph", None)  # a value of eager mode has none
    if graph is not None and not graph.is_function:
        graph.specialised_on[id(tensor)] = tensor


def has_backed_int(values: Any) -> bool:
    """Whether one of several numbers is a BackedInt."""
    return _ANY_BACKED[0] and BackedInt in map(type, values)


def backed_ints(value: object) -> Iterator[BackedInt]:
    """Every BackedInt in an attribute, at any depth."""
    return _all(BackedInt, value)


def with_backed_ints(value: object, change: Callable[[BackedInt], Any]) -> Any:
    """An attribute with `change(number)` in the place of every BackedInt; itself if it has none."""
    if not _ANY_BACKED[0] or not any(True for _ in backed_ints(value)):
        return value
    return _replaced(BackedInt, value, change)


def without_backed_ints(value: object) -> Any:
    """An attribute with plain numbers."""
    return with_backed_ints(value, int)


def symbolic_values(value: object) -> Iterator[SymbolicValue]:
    """Every SymbolicValue in an attribute, at any depth."""
    return _all(SymbolicValue, value)


def filled_in(value: Any, fill: Callable[[SymbolicValue], Any]) -> Any:
    """An attribute with `fill(symbolic)` in the place of every SymbolicValue."""
    return _replaced(SymbolicValue, value, fill)


def _all(wanted: type, value: Any) -> Iterator[Any]:
    kind = type(value)
    if kind is wanted:
        yield value
    elif kind is tuple or kind is list:
        for each in value:
            yield from _all(wanted, each)
    elif kind is dict:
        for each in value.values():
            yield from _all(wanted, each)


def _replaced(wanted: type, value: Any, change: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind is wanted:
        return change(value)
    if kind is tuple or kind is list:
        return kind(_replaced(wanted, each, change) for each in value)
    if kind is dict:
        return {name: _replaced(wanted, each, change) for name, each in value.items()}
    return value
