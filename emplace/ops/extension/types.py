"""`tf.experimental.ExtensionType`: classes of the program's own that travel as tensors do.

A class lists its fields as annotations. Its instances are composites: functions, loops and nests
take them apart into the tensors of their fields. What is no tensor belongs to their type.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from ...base import nest
from ...base.typing import Structure, TensorLike
from ...core.composite import CompositeTensor
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ...core.tensor_spec import spec_of
from ...core.type_spec import TypeSpec, register
from ..array.joining import stack
from ..array.shaping import identity, reshape, shape, size
from ..composite import composite_rule
from ..convert import to_tensor
from ..math.elementwise import equal, logical_and, minimum
from ..math.reduction import reduce_all
from ..op import Op
from ..ragged.spec import RaggedTensorSpec
from ..sparse.tensor import SparseTensor, SparseTensorSpec
from .fields import DEFAULT, SPEC, VALUE, ImmutableDict, changed, check_annotation, fitted

# TensorFlow's names; those that begin with the prefix are reserved as well.
_RESERVED = frozenset(
    {
        "Spec", "_component_specs", "_consumers", "_deserialize", "_flat_tensor_specs",
        "_from_compatible_tensor_list", "_from_components", "_from_tensor_list", "_keras_mask",
        "_serialize", "_shape_invariant_to_type_spec", "_to_components",
        "_to_legacy_output_classes", "_to_legacy_output_shapes", "_to_legacy_output_types",
        "_to_tensor_list", "_type_spec", "_with_tensor_ranks_only", "is_compatible_with",
        "most_specific_compatible_type", "self", "value_type",
    }
)  # fmt: skip
_RESERVED_PREFIX = "_tf_extension_type"
# Names that Emplace itself calls on extension types.
_OUR_NAMES = frozenset(
    {"components", "outline", "with_components", "_fields", "_finish", "_of", "_values"}
)
_FROZEN = "_is_frozen"


def _is_part(value: object) -> bool:
    return isinstance(value, (Tensor, CompositeTensor, TypeSpec))


def _parts_of(values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The tensors, or specs of tensors, in fields."""
    found: list[Any] = []

    def note(value: Tensor) -> Tensor:
        if _is_part(value):
            found.append(value)
        return value

    for each in values.values():
        changed(each, note)
    return tuple(found)


def _replaced(values: Mapping[str, Any], parts: Iterator[Any]) -> dict[str, Any]:
    """Fields with other parts in the places of theirs."""
    return {
        name: changed(value, lambda each: next(parts) if _is_part(each) else each)
        for name, value in values.items()
    }


class ExtensionTypeSpec(TypeSpec):
    """The type of an extension type's values: specs of tensors, and all other fields themselves."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if self.value_type._is_unchecked:
            _check_late(self.value_type)
        bound = self.value_type._spec_signature().bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            setattr(self, name, value)
        self._fit()

    def _fit(self) -> None:
        for name, annotation in self.value_type._fields().items():
            given = getattr(self, name)
            object.__setattr__(self, name, fitted(given, annotation, name, SPEC))
        object.__setattr__(self, _FROZEN, True)

    def __setattr__(self, name: str, value: object) -> None:
        _check_open(self, name, "ExtensionTypeSpec")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        _check_open(self, name, "ExtensionTypeSpec")
        super().__delattr__(name)

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> Self:
        made = cls.__new__(cls)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        object.__setattr__(made, _FROZEN, True)
        return made

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The spec of an extension type's value."""

        def spec_for(each: Any) -> Any:
            return type_of(each) if _is_part(each) else each

        return cls._of({name: changed(x, spec_for) for name, x in value._values().items()})

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.value_type._fields()}

    def components(self) -> tuple[Any, ...]:
        """The specs of the parts."""
        return _parts_of(self._values())

    def with_components(self, components: Sequence[Any]) -> Any:
        """A value of this type."""
        return self.value_type._of(_replaced(self._values(), iter(components)))

    @property
    def component_count(self) -> int:
        """How many tensors a value is made of."""
        return len(nest.flatten(self, expand_composites=True))

    def is_compatible_with(self, spec_or_value: Structure) -> bool:
        """Whether a value, or the values of another spec, fit this one."""
        other = spec_or_value
        if isinstance(other, self.value_type):
            other = type_of(other)
        if type(other) is not type(self) or self._rest() != other._rest():
            return False
        pairs = zip(self.components(), other.components(), strict=True)
        return all(mine.is_compatible_with(theirs) for mine, theirs in pairs)

    def _rest(self) -> str:
        return _without_parts(self._values())

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(
            (name, dict(value) if isinstance(value, ImmutableDict) else value)
            for name, value in self._values().items()
        )

    @classmethod
    def _deserialize(cls, serialization: Any) -> Self:
        made = cls._of(dict(serialization))
        made._fit()
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._rest()))

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name}={dict(value) if isinstance(value, ImmutableDict) else value!r}"
            for name, value in self._values().items()
        )
        return f"{type(self).__qualname__}({fields})"


def type_of(value: Any) -> Any:
    """The spec of a tensor or composite in a field."""
    if isinstance(value, ExtensionType):
        return type(value).Spec.from_value(value)
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec.from_value(value)
    return spec_of(value)


def _without_parts(values: Mapping[str, Any]) -> str:
    """All but the parts, as text: what a trace is made for."""

    def plain(each: object) -> Any:
        if isinstance(each, ExtensionType):
            return each.outline
        if isinstance(each, ExtensionTypeSpec):
            return each.value_type._name_of(each._values())
        return "tensor" if _is_part(each) else each

    return repr({name: changed(value, plain) for name, value in values.items()})


def _same(one: Any, other: Any) -> Any:
    """Whether two tensors of one spec have the same elements; their shapes may differ where the
    spec leaves them open.
    """
    if one.shape.is_fully_defined():
        return reduce_all(equal(one, other))
    flat = _same_vectors(reshape(one, [-1]), reshape(other, [-1]))
    return logical_and(_same_vectors(shape(one), shape(other)), flat)


def _same_vectors(one: Any, other: Any) -> Any:
    count = reshape(minimum(size(one), size(other)), [])  # of known rank, as slices want it
    same = reduce_all(equal(one[:count], other[:count]))
    return logical_and(equal(size(one), size(other)), same)


class _Meta(type):
    """Makes the spec of each class, and checks and freezes its instances."""

    #: Whether a field is annotated with the name of a class that was not there yet.
    _is_unchecked = False

    def __init__(cls, name: str, bases: Any, namespace: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(name, bases, namespace, **kwargs)
        if not any(isinstance(base, _Meta) for base in bases):
            return
        _check_fields(cls, namespace)
        if "__init__" not in namespace:
            type.__setattr__(cls, "__init__", _constructor(cls))
        spec = _spec_class(cls, namespace.get("Spec"))
        type.__setattr__(cls, "Spec", spec)
        if "__name__" in namespace:
            register(f"{namespace['__name__']}.Spec")(spec)

    @property
    def __signature__(cls) -> inspect.Signature:
        found = inspect.signature(vars(cls).get("__init__", object.__init__))
        return found.replace(parameters=list(found.parameters.values())[1:])

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(cls, "Spec"):
            raise AssertionError(
                f"Cannot create an instance of {cls.__name__} because {cls.__name__} is an "
                "abstract base class."
            )
        if cls._is_unchecked:
            _check_late(cls)
        made = super().__call__(*args, **kwargs)
        made._finish()
        return made


def _constructor(cls: Any) -> Callable[..., None]:
    """An `__init__` of all fields, with their signature for people and tools."""

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = cls._signature().bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    return _shown_as(init, cls, "__init__", cls._signature())


def _shown_as(
    function: Any, cls: Any, name: str, signature: inspect.Signature
) -> Callable[..., None]:
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    function.__signature__ = signature.replace(
        parameters=[own, *signature.parameters.values()], return_annotation=cls
    )
    function.__name__, function.__qualname__ = name, f"{cls.__qualname__}.{name}"
    function.__module__ = cls.__module__
    return function  # type: ignore[no-any-return]


def _spec_class(cls: Any, own: Any) -> Any:
    """The class of the specs of a class of values, with what the class says of it itself."""
    name = f"{cls.__qualname__}.Spec"
    if own is not None and not isinstance(own, type):
        raise ValueError(f"{name} must be a nested class; got {own}.")
    if own is not None and own.__bases__ not in ((object,), (TypeSpec,)):
        raise ValueError(f"{name} must be directly subclassed from tf.TypeSpec.")
    for attribute in () if own is None else vars(own):
        if _is_reserved(attribute):
            raise ValueError(f"TypeSpec {name} uses reserved name {attribute!r}.")
        if attribute in cls._annotated():
            raise ValueError(
                f"TypeSpec {name} defines a variable {attribute!r} which shadows a field in "
                f"{cls.__qualname__}"
            )
    parts = (cls._spec_base,) if own is None else (own, cls._spec_base)
    spec: Any = type("Spec", parts, {"value_type": cls, "__module__": cls.__module__})
    spec.__qualname__ = name
    custom = None if own is None else vars(own).get("__init__")
    wrapped: Any = custom or ExtensionTypeSpec.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        wrapped(self, *args, **kwargs)
        self._fit()

    signature = cls._spec_signature()
    if custom is not None:
        signature = inspect.signature(functools.partial(wrapped, None))
    spec.__init__ = _shown_as(init, spec, "__init__", signature)
    return spec


def _check_open(made: object, name: str, base: str) -> None:
    if _FROZEN in made.__dict__:
        raise AttributeError(
            f"Cannot mutate attribute `{name}` outside the custom constructor of {base}."
        )


def _check_fields(cls: Any, namespace: Mapping[str, Any]) -> None:
    annotations = inspect.get_annotations(cls)
    for name in (*(each for each in namespace if each != "Spec"), *annotations):
        if _is_reserved(name):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name!r} is reserved."
            )
        if name in annotations and name in _OUR_NAMES:
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name!r} is reserved "
                "by Emplace, though not by TensorFlow: give the field another name."
            )
    for name, value in namespace.items():
        if name.startswith("_") or name in annotations or name == "Spec":
            continue
        if not callable(value) and not hasattr(value, "__get__"):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing a "
                "type annotation."
            )
    try:
        check_annotations(cls)
    except NameError:  # of a class that comes later: what is made of this one looks again
        cls._is_unchecked = True


def _is_reserved(name: str) -> bool:
    return name in _RESERVED or name.lower().startswith(_RESERVED_PREFIX)


def check_annotations(cls: Any) -> None:
    """Raises TypeError if a field is annotated with what no field can be, or its default value
    does not fit."""
    for name, annotation in cls._fields().items():
        check_annotation(name, annotation)
        if hasattr(cls, name):
            fitted(getattr(cls, name), annotation, f"default value for {name}", DEFAULT)


def _check_late(cls: Any) -> None:
    try:
        check_annotations(cls)
    except NameError as error:
        name = next(each for each in inspect.get_annotations(cls) if _is_open(cls, each))
        annotation = inspect.get_annotations(cls)[name]
        raise TypeError(f"{name}: Unsupported type annotation {annotation!r}") from error
    cls._is_unchecked = False


def _is_open(cls: Any, name: str) -> bool:
    kind = type("Alone", (), {"__annotations__": {name: inspect.get_annotations(cls)[name]}})
    kind.__module__ = cls.__module__
    try:
        typing.get_type_hints(kind)
    except NameError:
        return True
    return False


class ExtensionType(CompositeTensor, metaclass=_Meta):
    """The base of a program's own types that are made of tensors (`tf.experimental.ExtensionType`).

    Fields are annotated: tensors, other composites, plain values, tuples and mappings of them.
    Instances cannot be changed. `__validate__`, if there is one, checks them.

    Raises:
        TypeError: when a class is made: a field has another type; when an instance is: a value does
            not fit its field.

    >>> import emplace.tensorflow as tf
    >>> class Masked(ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> Masked([1, 2], [True, False]).mask.numpy().tolist()
    [True, False]
    """

    is_tensor: ClassVar[bool] = False
    Spec: ClassVar[Any]
    _spec_base: ClassVar[Any] = ExtensionTypeSpec
    _known_fields: ClassVar[dict[str, Any]]

    @classmethod
    def _annotated(cls) -> dict[str, Any]:
        """The fields as they are annotated, those of classes above first."""
        above = [each for each in reversed(cls.__mro__) if isinstance(each, _Meta)]
        return {
            name: annotation for each in above if each is not ExtensionType
            for name, annotation in inspect.get_annotations(each).items()
        }  # fmt: skip

    @classmethod
    def _fields(cls) -> dict[str, Any]:
        """The annotations of all fields, those of classes above first."""
        known: dict[str, Any] | None = vars(cls).get("_known_fields")
        if known is None:
            known = cls._find_fields()
            cls._known_fields = known  # to evaluate annotations takes longer than to make a value
        return known

    @classmethod
    def _find_fields(cls) -> dict[str, Any]:
        # A class may speak of itself by name, which is bound to nothing while it is being made.
        own = {each.__name__: each for each in cls.__mro__ if isinstance(each, _Meta)}
        hints = typing.get_type_hints(cls, localns=own)
        return {
            name: hints[name] for each in reversed(cls.__mro__) if isinstance(each, _Meta)
            for name in inspect.get_annotations(each)
            if each is not ExtensionType
        }  # fmt: skip

    @classmethod
    def _signature(cls) -> inspect.Signature:
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
        nothing = inspect.Parameter.empty
        fields: list[inspect.Parameter] = []
        try:
            known = cls._fields()
        except NameError:  # a class that comes later
            known = {}
        for name, annotation in {**cls._annotated(), **known}.items():
            default = getattr(cls, name, nothing)
            if default is not nothing and known:
                default = fitted(default, annotation, f"default value for {name}", DEFAULT)
            if default is nothing and fields and fields[-1].default is not nothing:
                kind = inspect.Parameter.KEYWORD_ONLY  # from the first on that cannot follow others
            fields.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
        return inspect.Signature(fields)

    @classmethod
    def _spec_signature(cls) -> inspect.Signature:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind) for name in cls._annotated()])

    def _finish(self) -> None:
        for name, annotation in self._fields().items():
            if name not in self.__dict__:
                raise AttributeError(f"Field {name!r} was not set by the constructor.")
            self.__dict__[name] = fitted(self.__dict__[name], annotation, name, VALUE)
        self.__validate__()
        self.__dict__[_FROZEN] = True

    def __validate__(self) -> None:
        """Raises an error unless the fields fit each other; for classes to say."""

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> Self:
        """An instance of fields that are as they should be."""
        made = cls.__new__(cls)
        made.__dict__.update(values)
        made.__dict__[_FROZEN] = True
        return made

    def _values(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self._fields()}

    def components(self) -> tuple[Any, ...]:
        """The tensors and composites in the fields."""
        return _parts_of(self._values())

    def with_components(self, components: Sequence[Any]) -> Self:
        """The same with other tensors."""
        return self._of(_replaced(self._values(), iter(components)))

    @classmethod
    def _name_of(cls, values: Mapping[str, Any]) -> str:
        return f"{cls.__qualname__}@{id(cls)}{_without_parts(values)}"

    @property
    def outline(self) -> str:
        """What a trace depends on besides the tensors."""
        return self._name_of(self._values())

    def __setattr__(self, name: str, value: TensorLike) -> None:
        _check_open(self, name, "ExtensionType")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        _check_open(self, name, "ExtensionType")
        super().__delattr__(name)

    def __eq__(self, other: object) -> Any:
        if type(other) is not type(self) or type_of(self) != type_of(other):
            return False
        mine = nest.flatten(self, expand_composites=True)
        theirs = nest.flatten(other, expand_composites=True)
        if not mine:
            return to_tensor(True)
        return reduce_all(stack([_same(a, b) for a, b in zip(mine, theirs, strict=True)]))

    def __ne__(self, other: object) -> Any:
        same = self == other
        return not same if isinstance(same, bool) else ~same

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._values().items())
        return f"{type(self).__name__}({fields})"


@composite_rule(ExtensionType, ["Identity"])
def _copied(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    (value,) = inputs
    return value.with_components([identity(part) for part in value.components()])
