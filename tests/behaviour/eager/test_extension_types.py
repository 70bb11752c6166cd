"""`tf.experimental.ExtensionType`: the program's own types, which travel as their tensors do."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.core.type_spec import BatchableTypeSpec
from emplace.private import type_spec_registry as registry


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Scaled(tf.experimental.ExtensionType):
    masked: Masked
    factor: int = 2


class Options(tf.experimental.ExtensionType):
    number: int
    name: str = "q"
    sizes: typing.Tuple[int, ...] = (1, 2)  # noqa: UP006  # as programs write it
    maybe: tf.Tensor | None = None
    named: typing.Mapping[str, tf.Tensor] = {}
    either: int | str = 3
    shape: tf.TensorShape = tf.TensorShape([None])
    kind: tf.DType = tf.float32

    def __validate__(self):
        if self.number < 0:
            raise ValueError("negative")

    def twice(self):
        return self.number * 2


def masked() -> Masked:
    return Masked([[1, 2], [3, 4]], mask=[[True, False], [True, True]])


def test_fields_are_turned_into_tensors():
    x = masked()
    assert x.values.numpy().tolist() == [[1, 2], [3, 4]]
    assert x.mask.dtype is tf.bool
    assert not tf.is_tensor(x)


def test_fields_have_defaults_and_classes_have_methods():
    x = Options(3, named={"k": [1.0]})
    assert (x.twice(), x.sizes, x.maybe, x.kind) == (6, (1, 2), None, tf.float32)
    assert x.named["k"].shape == [1]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: Masked(1), TypeError, "missing a required argument: 'mask'"),
        (lambda: Masked(1, 2, 3), TypeError, "too many positional arguments"),
        (lambda: Masked(object(), True), TypeError, "values: expected a Tensor, got 'object'"),
        (lambda: Options("x"), TypeError, "number: expected 'int', got 'str'"),
        (lambda: Options(1, sizes=["a"]), TypeError, r"sizes\[0\]: expected 'int', got 'str'"),
        (lambda: Options(1, either=2.5), TypeError, "either: expected int | str, got 'float'"),
        (lambda: Options(-1), ValueError, "negative"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_their_fields_are_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_instances_cannot_be_changed():
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values` outside"):
        masked().values = 1
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values` outside"):
        del masked().values


def test_fields_of_types_that_cannot_travel_are_refused():
    with pytest.raises(TypeError, match="In field 'a': Unsupported type annotation 'object'"):
        type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"a": object}})
    with pytest.raises(ValueError, match="Field a is missing a type annotation"):
        type("Bad", (tf.experimental.ExtensionType,), {"a": 3})
    with pytest.raises(ValueError, match="Field 'Spec' is reserved"):
        type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"Spec": int}})


def test_a_constructor_of_the_class_sets_the_fields():
    class Doubled(tf.experimental.ExtensionType):
        x: tf.Tensor

        def __init__(self, x):
            self.x = tf.convert_to_tensor(x) * 2

    assert Doubled([1]).x.numpy().tolist() == [2]


def test_a_function_takes_and_returns_extension_types_and_traces_them_by_their_plain_fields():
    traces = []

    @tf.function
    def scaled(x):
        traces.append(x.factor)
        return Scaled(Masked(x.masked.values * x.factor, x.masked.mask), x.factor + 1)

    result = scaled(Scaled(masked(), 5))
    scaled(Scaled(masked(), 5))
    scaled(Scaled(masked(), 6))
    assert result.factor == 6
    assert result.masked.values.numpy().tolist() == [[5, 10], [15, 20]]
    assert traces == [5, 6]


def test_the_spec_of_an_extension_type_is_an_input_signature():
    shapes = []

    @tf.function(
        input_signature=[
            Masked.Spec(tf.TensorSpec([None, 2], tf.int32), tf.TensorSpec([None, 2], tf.bool))
        ]
    )
    def values(x):
        shapes.append(x.values.shape.as_list())
        return x.values

    assert values(masked()).shape == [2, 2]
    assert shapes == [[None, 2]]


def test_loops_branches_and_gradients_take_extension_types():
    _, x = tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, Masked(x.values + 1, x.mask)),
        (tf.constant(0), masked()),
    )
    assert x.values.numpy().tolist() == [[4, 5], [6, 7]]
    one = tf.function(lambda flag: tf.cond(flag, masked, masked))
    assert one(tf.constant(True)).mask.shape == [2, 2]
    with tf.GradientTape() as tape:
        v = tf.constant(2.0)
        tape.watch(v)
        y = Masked(v * 3.0, True).values ** 2
    assert float(tape.gradient(y, v)) == 36.0


def test_datasets_hold_extension_types():
    dataset = tf.data.Dataset.from_tensors(masked())
    assert dataset.element_spec == tf.type_spec_from_value(masked())
    (x,) = dataset.map(lambda x: Masked(x.values * 2, x.mask))
    assert x.values.numpy().tolist() == [[2, 4], [6, 8]]


def test_extension_types_are_equal_if_their_fields_are():
    assert bool(masked() == masked())
    assert not bool(masked() == Masked([[0, 2], [3, 4]], [[True, False], [True, True]]))
    assert (masked() == Masked(1, True)) is False
    assert bool(Options(1) == Options(1))
    assert not bool(Options(1) == Options(2))


def test_ragged_tensors_and_tuples_of_tensors_are_fields():
    class Rows(tf.experimental.ExtensionType):
        rows: tf.RaggedTensor
        more: typing.Tuple[tf.Tensor, ...]  # noqa: UP006

    x = Rows(tf.ragged.constant([[1], [2, 3]]), (1, 2.0))
    assert len(tf.nest.flatten(x, expand_composites=True)) == 4
    same = tf.nest.map_structure(tf.identity, x, expand_composites=True)
    assert same.rows.to_list() == [[1], [2, 3]]
    with pytest.raises(TypeError, match="rows: expected 'RaggedTensor', got 'list'"):
        Rows([[1]], (1,))


def test_a_class_with_a_name_has_a_spec_with_a_name():
    class Named(tf.experimental.ExtensionType):
        __name__ = "test_extension_types.Named"
        x: tf.Tensor

    spec = tf.type_spec_from_value(Named([1]))
    assert registry.get_name(type(spec)) == "test_extension_types.Named.Spec"
    assert type(spec)._deserialize(spec._serialize()) == spec
    assert repr(spec).endswith(
        ".<locals>.Named.Spec(x=TensorSpec(shape=(1,), dtype=tf.int32, name=None))"
    )


class _Tree(tf.experimental.ExtensionType):
    leaf: _Leaf
    rest: tuple[_Tree, ...]


class _Leaf(tf.experimental.ExtensionType):
    value: tf.Tensor


class _Broken(tf.experimental.ExtensionType):
    value: _Laef  # noqa: F821


def test_fields_may_name_classes_that_come_later() -> None:
    small = _Tree(_Leaf(1), ())
    tree = _Tree(_Leaf(2), (small,))
    assert [int(x) for x in tf.nest.flatten(tree, expand_composites=True)] == [2, 1]
    with pytest.raises(TypeError):
        _Tree(3, ())  # type: ignore[arg-type]


def test_fields_that_name_no_class_are_refused_when_one_is_made() -> None:
    for make in (_Broken, _Broken.Spec):
        with pytest.raises(TypeError, match="value: Unsupported type annotation '_Laef'"):
            make(value=1)


class _Mixed(tf.experimental.ExtensionType):
    a: int
    b: str = "b"
    c: tf.Tensor


def test_fields_after_one_with_a_default_are_given_by_name() -> None:
    made = _Mixed(1, c=3)
    assert (made.a, made.b, int(made.c)) == (1, "b", 3)
    with pytest.raises(TypeError, match="too many positional arguments"):
        _Mixed(1, "x", 3)
    with pytest.raises(TypeError, match="missing a required argument: 'c'"):
        _Mixed(1, "x")  # type: ignore[call-arg]


def test_signatures_tell_the_fields() -> None:
    found = inspect.signature(_Mixed)
    assert list(found.parameters) == ["a", "b", "c"]
    assert found.parameters["b"].default == "b"
    assert found.parameters["c"].kind is inspect.Parameter.KEYWORD_ONLY
    assert inspect.signature(_Mixed.__init__).return_annotation is _Mixed
    assert str(inspect.signature(_Mixed.Spec)).startswith("(a, b, c)")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1, 1], [[1, 1]], False), ([1, 1], [1], False), ([1, 1], [1, 1], True),
        ([1, 2], [1, 1], False), ([], [1], False), (1, [1], False), ([4] * 4, [[4] * 4] * 4, False),
        ([1, 1], [1, 1, 1], False), ([], [], True),
    ],
)  # fmt: skip
def test_values_of_other_shapes_are_not_equal_in_functions_either(
    one: typing.Any, other: typing.Any, same: bool
) -> None:
    def equal(x: tf.Tensor, y: tf.Tensor) -> typing.Any:
        return _Leaf(x) == _Leaf(y), _Leaf(x) != _Leaf(y)

    open_ = tf.TensorSpec(None, tf.int32)
    for function in (equal, tf.function(equal, input_signature=[open_, open_])):
        found = function(tf.constant(one, tf.int32), tf.constant(other, tf.int32))
        assert [bool(x) for x in found] == [same, not same]


def test_specs_cannot_be_changed() -> None:
    spec = _Leaf.Spec(tf.TensorSpec([]))
    text = "Cannot mutate attribute `value` outside the custom constructor of ExtensionTypeSpec"
    with pytest.raises(AttributeError, match=text):
        spec.value = 3
    with pytest.raises(AttributeError, match=text):
        del spec.value


def test_a_class_may_say_how_its_specs_are_made() -> None:
    class Shifted(tf.experimental.ExtensionType):
        place: int

        class Spec(tf.TypeSpec):
            def __init__(self, before: int) -> None:
                self.place = before + 1

    made = Shifted.Spec(3)
    assert made.place == 4
    with pytest.raises(AttributeError, match="Cannot mutate attribute `place`"):
        made.place = 3
    assert repr(made).endswith("Shifted.Spec(place=4)")


def test_what_is_no_plain_class_of_specs_is_refused() -> None:
    with pytest.raises(ValueError, match="Spec must be a nested class; got 12"):
        type("X", (tf.experimental.ExtensionType,), {"Spec": 12})
    spec = type("Spec", (tf.TensorSpec,), {})
    with pytest.raises(ValueError, match=r"Spec must be directly subclassed from tf.TypeSpec"):
        type("X", (tf.experimental.ExtensionType,), {"Spec": spec})


def test_the_base_of_extension_types_has_no_values() -> None:
    assert not hasattr(tf.experimental.ExtensionType, "Spec")
    with pytest.raises(AssertionError, match="ExtensionType is an abstract base class"):
        tf.experimental.ExtensionType()


def test_a_class_may_speak_of_itself_in_its_fields():
    class Node(tf.experimental.ExtensionType):
        value: tf.Tensor
        children: typing.Tuple["Node", ...] = ()  # noqa: UP006, UP037  # as programs write it

    tree = Node(3, [Node(5), Node(2)])
    assert [child.value.numpy() for child in tree.children] == [5, 2]
    with pytest.raises(TypeError, match=r"children\[0\]: expected 'Node', got 'int'"):
        Node(3, [5])


def test_a_concrete_function_of_a_spec_takes_values_of_it():
    @tf.function
    def total(x):
        return tf.reduce_sum(x.values)

    of_type = total.get_concrete_function(
        Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
    )
    assert of_type(Masked([1, 2], [True, False])).numpy() == 3
    assert of_type(Masked([1, 2, 4], [True, False, True])).numpy() == 7
    of_ragged = total.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.int32))
    assert of_ragged(tf.ragged.constant([[1], [2, 3]])).numpy() == 6
    of_sparse = total.get_concrete_function(tf.SparseTensorSpec([None, None], tf.int32))
    assert of_sparse(tf.sparse.from_dense([[1, 0], [2, 3]])).numpy() == 6
    with pytest.raises(TypeError, match="Can not cast"):
        of_ragged(tf.constant([1]))


@pytest.mark.parametrize(
    "name",
    [
        "Spec", "_to_components", "_from_components", "_type_spec", "_serialize", "value_type",
        "is_compatible_with", "_tf_extension_type_mine", "_TF_extension_type_mine", "self",
        "_keras_mask", "most_specific_compatible_type", "_flat_tensor_specs", "_deserialize",
    ],
)  # fmt: skip
def test_a_field_cannot_have_a_name_that_tensorflow_reserves(name: str) -> None:
    with pytest.raises(
        ValueError,
        match=f"^The field annotations for Mine are invalid. Field '{name}' is reserved",
    ):
        type(tf.experimental.ExtensionType)(
            "Mine", (tf.experimental.ExtensionType,), {"__annotations__": {name: int}}
        )


@pytest.mark.parametrize("name", ["components", "outline", "with_components", "_fields"])
def test_a_field_cannot_hide_what_extension_types_are_asked_for(name: str) -> None:
    with pytest.raises(ValueError, match=f"Field '{name}' is reserved by Emplace, though not by"):
        type(tf.experimental.ExtensionType)(
            "Mine", (tf.experimental.ExtensionType,), {"__annotations__": {name: int}}
        )


@pytest.mark.parametrize("name", ["name", "shape", "dtype", "gradient_parts", "_annotated"])
def test_a_field_may_have_any_other_name(name: str) -> None:
    mine = type(tf.experimental.ExtensionType)(
        "Mine", (tf.experimental.ExtensionType,), {"__annotations__": {name: tf.Tensor}}
    )
    double = tf.function(lambda x: getattr(x, name) * 2)
    assert double(mine(tf.constant([1.0, 2.0]))).numpy().tolist() == [2.0, 4.0]


def _made(annotations: dict[str, Any], **names: Any) -> Any:
    given = {"__annotations__": annotations, **names}
    return type(tf.experimental.ExtensionType)("Mine", (tf.experimental.ExtensionType,), given)


@pytest.mark.parametrize(
    ("annotation", "default", "shown"),
    [
        (typing.Tuple[int, ...], [1, 2], (1, 2)),  # noqa: UP006
        (tf.TensorShape, [1, 2], tf.TensorShape([1, 2])),
        (tf.DType, "int32", tf.int32),
        (typing.Optional[int], None, None),  # noqa: UP045
        (tf.Tensor, 3, 3),
    ],
)
def test_signatures_show_defaults_as_fields_have_them(annotation, default, shown):
    mine = _made({"a": annotation}, a=default)
    found = inspect.signature(mine.__init__).parameters["a"].default
    assert found == shown
    assert type(found) is type(shown)
    assert mine.a == default


def test_signatures_show_annotations_without_what_is_added_to_them():
    mine = _made({"a": typing.Annotated[tf.Tensor, "unit"], "b": typing.Annotated[int, "m"]}, b=3)
    found = inspect.signature(mine.__init__).parameters
    assert [found[name].annotation for name in "ab"] == [tf.Tensor, int]


@pytest.mark.parametrize(
    ("annotation", "default", "text"),
    [
        (float, 1, "default value for a: expected 'float', got 'int'"),
        (typing.Mapping[str, int], {"x": "y"}, r"for a\['x'\]: expected 'int', got 'str'"),
        (tf.RaggedTensor, None, "for a: expected 'RaggedTensor', got 'NoneType'"),
    ],
)
def test_defaults_that_do_not_fit_are_refused_with_the_class(annotation, default, text):
    with pytest.raises(TypeError, match=text):
        _made({"a": annotation}, a=default)


def test_methods_and_specs_cannot_have_reserved_names_either():
    with pytest.raises(ValueError, match="Field 'is_compatible_with' is reserved"):
        _made({}, is_compatible_with=lambda self, other: True)
    with pytest.raises(ValueError, match=r"TypeSpec Mine.Spec uses reserved name 'value_type'\."):
        _made({"a": int}, Spec=type("Spec", (), {"value_type": lambda self: None}))
    with pytest.raises(ValueError, match="defines a variable 'a' which shadows a field in Mine"):
        _made({"a": int}, Spec=type("Spec", (), {"a": 3}))


@pytest.mark.gpus(2, memory="64MB")
def test_identity_and_strategies_copy_extension_types():
    class Pair(tf.experimental.BatchableExtensionType):
        left: tf.Tensor
        right: tf.RaggedTensor

    pair = Pair([[1], [2], [3], [4]], tf.ragged.constant([[1], [], [2, 3], [4]]))
    with tf.device("GPU:1"):
        copied = tf.identity(pair)
    assert copied.left.device.endswith("GPU:1")
    assert copied.right.to_list() == [[1], [], [2, 3], [4]]
    dataset = tf.data.Dataset.from_tensor_slices(pair).batch(4)
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    first = next(iter(strategy.experimental_distribute_dataset(dataset)))
    assert [each.left.numpy().tolist() for each in first.values] == [[[1], [2]], [[3], [4]]]
    assert [each.right.to_list() for each in first.values] == [[[1], []], [[2, 3], [4]]]


def test_annotations_are_evaluated_once_and_not_for_every_value(monkeypatch):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        count: int = 3

    evaluated = []
    monkeypatch.setattr(typing, "get_type_hints", evaluated.append)
    made = [Masked([1, 2], count=i) for i in range(3)]
    assert [(each.count, each.values.shape) for each in made] == [(i, [2]) for i in range(3)]
    assert made[0].Spec.from_value(made[0]).count == 0
    assert not evaluated


def test_batchable_specs_are_a_class_of_their_own():
    batchable = [tf.TensorSpec, tf.SparseTensorSpec, tf.RaggedTensorSpec, tf.data.DatasetSpec]
    assert all(issubclass(spec, BatchableTypeSpec) for spec in batchable)
    assert not any(
        issubclass(spec, BatchableTypeSpec) for spec in (tf.IndexedSlicesSpec, tf.OptionalSpec)
    )

    class Alone(tf.experimental.ExtensionType):
        a: tf.Tensor

    class InBatches(tf.experimental.BatchableExtensionType):
        a: tf.Tensor

    assert not issubclass(Alone.Spec, BatchableTypeSpec)
    assert issubclass(InBatches.Spec, BatchableTypeSpec)
    with pytest.raises(ValueError, match=r"Spec must be directly subclassed from tf.TypeSpec"):

        class Nested(tf.experimental.ExtensionType):
            class Spec(BatchableTypeSpec):
                pass

    class Unfinished(BatchableTypeSpec):
        value_type = int

        def _batch(self, batch_size):
            return self

    with pytest.raises(
        TypeError, match=r"abstract class Unfinished with abstract method.* _unbatch"
    ):
        Unfinished()


def test_batches_of_specs_have_an_axis_more():
    ragged = tf.RaggedTensorSpec([None, None])
    assert ragged._batch(3) == tf.RaggedTensorSpec([3, None, None])
    assert ragged._unbatch() == tf.RaggedTensorSpec([None], ragged_rank=0)
    assert ragged._unbatch()._unbatch() == tf.RaggedTensorSpec([], ragged_rank=-1)
    assert ragged._unbatch()._unbatch()._batch(None) == ragged._unbatch()
    sparse = tf.SparseTensorSpec([2])
    assert sparse._batch(None) == tf.SparseTensorSpec([None, 2])
    assert sparse._unbatch() == tf.SparseTensorSpec([])
    with pytest.raises(ValueError, match="only supported for rank >= 1"):
        tf.SparseTensorSpec([])._unbatch()
    datasets = tf.data.DatasetSpec(tf.TensorSpec([]))
    assert datasets._batch(3)._unbatch() == datasets
    with pytest.raises(ValueError, match="not supported for rank 0"):
        datasets._unbatch()


def test_map_fn_takes_and_makes_what_comes_in_batches():
    class Alone(tf.experimental.ExtensionType):
        a: tf.Tensor

    value, spec = Alone([1, 2]), Alone.Spec(tf.TensorSpec([], tf.int32))
    with pytest.raises(TypeError, match=r"map_fn can not consume .*Alone.* inputs: got "):
        tf.map_fn(lambda x: x.a, value, fn_output_signature=tf.int32)
    with pytest.raises(TypeError, match=r"map_fn can not generate .*Alone.* outputs"):
        tf.map_fn(Alone, tf.constant([1, 2]), fn_output_signature=spec)
    with pytest.raises(TypeError, match="map_fn can not generate IndexedSlicesSpec"):
        tf.map_fn(Alone, tf.constant([1, 2]), fn_output_signature=tf.IndexedSlicesSpec())
