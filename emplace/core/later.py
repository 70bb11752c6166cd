"""Host arguments that are known only when a graph runs: `tf.reshape(x, [tf.shape(x)[0], -1])`.

Ops take shapes, axes and counts as plain numbers. Where a program computes them in a graph, a
`Later` stands in the number's place; the plan puts the number there before it calls the kernel.

A session may feed any tensor of its graph, also one whose value is known. A number that a tensor
of such a graph has told is therefore a `Told`: an int that remembers the tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from ..base.typing import TensorLike


class NotYetKnown(TypeError):  # noqa: N818  # it is caught, not shown
    """A number was asked for that only running the graph will tell."""


class Later:
    """One number of a symbolic tensor, or all of them.

    `tensor` is an integer tensor of a graph; `place` the element of a vector, None for a scalar,
    "all" for a tuple of all elements, or "counter" for the two words, the
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
        return tuple(numbers) if self.place == "all" else numbers[self.place]

    def _refuse(self, *others: Any) -> NoReturn:
        raise NotYetKnown(
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
        return f"<Later {self.place} of {self.tensor!r}>"


class Told(int):
    """A number of a tensor of a session's graph that is known unless the tensor is fed.

    `tensor` and `place` are those of the `Later` that it is then. What Python computes from it is
    a plain number, so the graph notes that the tensor can be fed no more.
    """

    tensor: Any
    place: int | None

    def __new__(cls, number: int, tensor: TensorLike, place: int | None = None) -> Told:
        """The number, and where it is from."""
        made = super().__new__(cls, number)
        made.tensor, made.place = tensor, place
        return made

    def later(self, tensor: Any = None) -> Later:
        """The same number of `tensor`, or of its own one, asked for when the graph runs."""
        return Later(self.tensor if tensor is None else tensor, self.place)

    def __copy__(self) -> Told:
        return self

    def __deepcopy__(self, memo: object) -> Told:
        return self

    def __reduce__(self) -> Any:
        return int, (int(self),)


def _computing(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def compute(number: Told, *others: Any) -> Any:
        used_up(number.tensor)
        return plain(number, *others)

    return compute


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "truediv",
              "rtruediv", "mod", "rmod", "pow", "rpow", "neg", "abs"):  # fmt: skip
    setattr(Told, f"__{_name}__", _computing(f"__{_name}__"))

_SOME_TOLD = [False]  # eager programs need not look for any


def told(number: int, tensor: Any, place: int | None = None) -> int:
    """A number that is known of a tensor of a graph, with its origin where it may be fed."""
    if tensor.graph.is_function:
        return number
    _SOME_TOLD[0] = True
    return Told(number, tensor, place)


def told_for(later: Later, numbers: Sequence[int] | float) -> Any:
    """What stands for a Later once the numbers of its tensor are known."""
    value, tensor = later.value(numbers), later.tensor
    if later.place == "all":
        return tuple(told(number, tensor, i) for i, number in enumerate(value))
    if type(value) is int and later.place != "counter":
        return told(value, tensor, later.place)  # type: ignore[arg-type]
    used_up(tensor)
    return value


def used_up(tensor: Any) -> None:
    """Notes that a graph was made with the value of one of its tensors, for good."""
    graph = getattr(tensor, "graph", None)  # a value of eager mode has none
    if graph is not None and not graph.is_function:
        graph.used_up[id(tensor)] = tensor


def is_told(values: Any) -> bool:
    """Whether one of several numbers is a Told."""
    return _SOME_TOLD[0] and Told in map(type, values)


def tolds(value: object) -> Iterator[Told]:
    """Every Told in an attribute, at any depth."""
    return _all(Told, value)


def with_tolds(value: object, change: Callable[[Told], Any]) -> Any:
    """An attribute with `change(told)` in the place of every Told; itself if it has none."""
    if not _SOME_TOLD[0] or not any(True for _ in tolds(value)):
        return value
    return _replaced(Told, value, change)


def without_tolds(value: object) -> Any:
    """An attribute with plain numbers."""
    return with_tolds(value, int)


def laters(value: object) -> Iterator[Later]:
    """Every Later in an attribute, at any depth."""
    return _all(Later, value)


def filled_in(value: Any, fill: Callable[[Later], Any]) -> Any:
    """An attribute with `fill(later)` in the place of every Later."""
    return _replaced(Later, value, fill)


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
