"""What is known of a value before it exists: the base of all specs."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from ..base import nest
from ..base.dtypes import DType
from ..base.shapes import TensorShape
from ..base.typing import Structure

Class = TypeVar("Class", bound=type)


class TypeSpec:
    """The type of a value: a tensor, a composite, a dataset, an iterator (`tf.TypeSpec`).

    Subclasses are equal where they mean the same, and say which values they are compatible with. A
    class of a library has `_serialize`, and `_component_specs`, `_to_components` and
    `_from_components`, which tell what its values are made of; all else follows from these.
    """

    __slots__ = ()

    value_type: Any = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_component_specs" in vars(cls) and not hasattr(cls, "with_components"):
            cls.components = _components  # type: ignore[attr-defined]  # base/nest.py asks for both
            cls.with_components = _with_components  # type: ignore[attr-defined]

    def _serialize(self) -> tuple[Any, ...]:
        """What `_deserialize` makes the spec of again."""
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        """The spec that `_serialize` told."""
        return cls(*serialization)

    @property
    def component_count(self) -> int:
        """How many tensors a value of it is made of."""
        return len(nest.flatten(self, expand_composites=True))

    def is_compatible_with(self, spec_or_value: Structure) -> bool:
        """Whether a value, or the values of another spec, fit this one."""
        other: Any = spec_or_value
        if not isinstance(other, TypeSpec):
            kind: Any = self.value_type
            if not isinstance(kind, type) or not isinstance(other, kind):
                return False
            other = cast("Any", other)._type_spec
        if type(self) is not type(other):
            return False
        return self.__is_compatible(self._serialize(), other._serialize())

    def is_subtype_of(self, other: object) -> bool:
        """Whether all values of this spec are values of the other one."""
        mine: Any = self
        return (
            isinstance(other, TypeSpec)
            and type(mine) is type(other)
            and _is_subtype(mine._serialize(), other._serialize())
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec that covers this one and some others; None if there is none."""
        if any(type(other) is not type(self) for other in others):
            return None
        try:
            return functools.reduce(lambda a, b: a.most_specific_compatible_type(b), others, self)
        except (TypeError, ValueError):
            return None

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The narrowest spec that covers both.

        Raises:
            ValueError: there is none.
        """
        if type(self) is type(other):
            if self == other:
                return self
            made = _common(self._serialize(), other._serialize())
            if made is not _NOTHING:
                return self._deserialize(made)
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")

    def _with_tensor_ranks_only(self) -> Any:
        """The spec of values whose tensors have the same ranks."""
        return self._deserialize(_changed(self._serialize(), _relaxed))

    def _without_tensor_names(self) -> Any:
        """The spec without names of tensors."""
        return self._deserialize(_changed(self._serialize(), _nameless))

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        """The specs of the tensors that a value is made of."""
        return nest.flatten(self, expand_composites=True)

    def _to_tensor_list(self, value: object) -> list[Any]:
        """The tensors that a value is made of."""
        return nest.flatten(value, expand_composites=True)

    def _from_tensor_list(self, tensors: Sequence[Any]) -> Any:
        """The value that is made of tensors."""
        return nest.pack_sequence_as(self, list(tensors), expand_composites=True)

    _from_compatible_tensor_list = _from_tensor_list

    # The names of these three are what subclasses of libraries call, by Python's rule for names
    # with two underscores.

    @staticmethod
    def __is_compatible(a: Any, b: Any) -> bool:
        """Whether what one spec says of itself covers what another one does."""
        if not _of_one_kind(a, b):
            return False
        if isinstance(a, (list, tuple)):
            pairs = zip(a, b, strict=False)
            return len(a) == len(b) and all(TypeSpec.__is_compatible(x, y) for x, y in pairs)
        if isinstance(a, dict):
            return sorted(a) == sorted(b) and all(TypeSpec.__is_compatible(a[k], b[k]) for k in a)
        if isinstance(a, (TypeSpec, TensorShape, DType)):
            return a.is_compatible_with(b)
        return bool(a == b)

    def __make_cmp_key(self, value: object) -> Any:
        """A value as something with a hash that is equal where the value is."""
        if isinstance(value, TypeSpec):
            return value
        if isinstance(value, (list, tuple)):
            fields = getattr(value, "_fields", None)
            kind = type(value) if fields is None else (type(value).__name__, fields)
            return kind, tuple(self.__make_cmp_key(each) for each in value)
        if isinstance(value, dict):
            pairs = ((k, self.__make_cmp_key(value[k])) for k in sorted(value, key=str))
            return dict, tuple(pairs)
        if isinstance(value, TensorShape):
            return TensorShape, value.sizes
        if hasattr(value, "tolist"):  # an array
            return type(value), self.__make_cmp_key(value.tolist())
        try:
            hash(value)
        except TypeError:
            raise ValueError(
                f"Cannot generate a hashable key for {type(self).__name__}: its _serialize() "
                f"returned a value of type {type(value).__name__}, which has no hash."
            ) from None
        return type(value), value

    def __get_cmp_key(self) -> Any:
        return type(self), self.__make_cmp_key(self._serialize())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__get_cmp_key() == other.__get_cmp_key()

    def __hash__(self) -> int:
        return hash(self.__get_cmp_key())

    def __reduce__(self) -> Any:
        return _restored, (type(self), self._serialize())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


class BatchableTypeSpec(TypeSpec):
    """The type of values that are batched and taken apart by doing so with their tensors. A class
    of a library says by `_batch` and `_unbatch` of which types batches and their elements are.
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        missing = [each for each in ("_batch", "_unbatch") if not hasattr(cls, each)]
        # What a metaclass would set, for which every `isinstance` would pay.
        cls.__abstractmethods__ = frozenset(missing)  # type: ignore[attr-defined]

    _to_batched_tensor_list = TypeSpec._to_tensor_list


def _components(spec: Any) -> tuple[Any, ...]:
    """The specs of the parts of a value."""
    return tuple(nest.flatten(spec._component_specs))


def _with_components(spec: Any, components: Sequence[Any]) -> Any:
    """The value that a spec makes of parts; the spec itself of specs."""
    return spec._from_components(nest.pack_sequence_as(spec._component_specs, components))


def _restored(cls: Any, serialization: Any) -> Any:
    return cls._deserialize(serialization)


_NOTHING = object()


def _of_one_kind(a: Any, b: Any) -> bool:
    """Whether two values are of one class, or of classes of named tuples with the same names."""
    if type(a) is type(b):
        return True
    mine, theirs = getattr(a, "_fields", None), getattr(b, "_fields", None)
    return mine is not None and mine == theirs and type(a).__name__ == type(b).__name__


def _is_subtype(a: Any, b: Any) -> bool:
    """Whether what one spec says of itself is what another one says, or narrower."""
    if not _of_one_kind(a, b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_is_subtype(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_is_subtype(a[name], b[name]) for name in a)
    if isinstance(a, (TypeSpec, TensorShape, DType)):
        return a.is_subtype_of(b)
    return bool(a == b)


def _like(structure: Any, parts: Sequence[Any]) -> Any:
    """Parts in a list or tuple of the class of another one."""
    cls: Any = type(structure)
    return cls(*parts) if hasattr(structure, "_fields") else cls(parts)


def _common(a: Any, b: Any) -> Any:
    """What covers both of two parts of what specs say of themselves; _NOTHING if nothing does."""
    if not _of_one_kind(a, b):
        return _NOTHING
    if isinstance(a, TypeSpec):
        found = a.most_specific_common_supertype([b])
        return _NOTHING if found is None else found
    if isinstance(a, TensorShape):
        return a.most_specific_compatible_shape(b)
    if isinstance(a, (list, tuple)) and len(a) == len(b):
        parts = [_common(x, y) for x, y in zip(a, b, strict=True)]
        return _NOTHING if any(each is _NOTHING for each in parts) else _like(a, parts)
    if isinstance(a, dict) and a.keys() == b.keys():
        found = {name: _common(a[name], b[name]) for name in a}
        return _NOTHING if any(each is _NOTHING for each in found.values()) else found
    return a if a == b else _NOTHING


def _changed(value: object, change: Callable[[Any], Any]) -> Any:
    """What a spec says of itself, with other shapes and specs in it."""
    if isinstance(value, (list, tuple)):
        return _like(value, [_changed(each, change) for each in value])
    if isinstance(value, dict):
        return {name: _changed(each, change) for name, each in value.items()}
    return change(value)


def _relaxed(value: object) -> Any:
    if isinstance(value, TypeSpec):
        return value._with_tensor_ranks_only()
    if isinstance(value, TensorShape) and value.rank is not None:
        return TensorShape([None] * value.rank)
    return value


def _nameless(value: object) -> Any:
    return value._without_tensor_names() if isinstance(value, TypeSpec) else value


_BY_NAME: dict[str, type] = {}
_NAMES: dict[type, str] = {}
_NAME = re.compile(r"^(\w+\.)+\w+$")


def register(name: str) -> Callable[[Class], Class]:
    """Registers a class of specs under a name, by which files and JSON tell it.

    Raises:
        ValueError: the name is taken, or has no dot.
    """
    if not _NAME.match(name):
        raise ValueError(
            "Registered name must have the form '{project_name}.{type_name}' (e.g. "
            f"'my_project.MyTypeSpec'); got {name!r}."
        )

    def registered(cls: Class) -> Class:
        if name in _BY_NAME:
            taken = _BY_NAME[name]
            raise ValueError(
                f"Name {name} has already been registered for class {taken.__module__}."
                f"{taken.__name__}."
            )
        _BY_NAME[name] = cls
        _NAMES[cls] = name
        return cls

    return registered


def lookup(name: str) -> type:
    """The class of specs that has a name.

    Raises:
        ValueError: there is none.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _BY_NAME:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _BY_NAME[name]


def get_name(cls: type) -> str:
    """The name of a class of specs.

    Raises:
        ValueError: it has none.
    """
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    if cls in _NAMES:
        return _NAMES[cls]
    raise ValueError(f"TypeSpec {cls.__module__}.{cls.__qualname__} has not been registered.")
