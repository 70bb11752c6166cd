"""What a `tf.function` refuses of its arguments, with TensorFlow 2.21's errors."""

from __future__ import annotations

import collections
import re
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.private.keras_two import VariableSpec

CHANGES = {
    "appended": (lambda: [tf.constant(0.0)], lambda m: m.append(1)),
    "replaced": (lambda: [tf.constant(0.0)], lambda m: m.__setitem__(0, tf.constant(1.0))),
    "popped": (lambda: {"a": tf.constant(0.0)}, lambda m: m.pop("a")),
    "a new key": (lambda: {"a": 1}, lambda m: m.update(b=2)),
    "another number": (lambda: {"a": 1}, lambda m: m.update(a=2)),
    "below": (lambda: [{"a": tf.constant(0.0)}], lambda m: m[0].clear()),
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("autograph", [True, False])
def test_a_function_that_changes_its_arguments_is_refused(how: str, autograph: bool) -> None:
    make, change = CHANGES[how]

    @tf.function(autograph=autograph)
    def f(m: Any, other: Any = 3) -> None:
        change(m)

    with pytest.raises(ValueError, match=r"should not modify its Python input arguments\. "
                       r"Modifying a copy is allowed\. The following parameter.s. were "
                       r"modified: m$"):  # fmt: skip
        f(make())


def test_changed_lists_among_many_arguments_are_named_by_their_parameters() -> None:
    @tf.function
    def f(*a: Any, **k: Any) -> None:
        a[0].append(1)
        k["z"].append(3)

    with pytest.raises(ValueError, match=r"modified: a, k$"):
        f([tf.constant(1.0)], 2, z=[3])


def test_what_a_function_undoes_or_does_to_a_copy_is_no_change() -> None:
    @tf.function
    def f(m: Any) -> Any:
        m.append(1)
        m.pop()
        copy = dict(m[0], y=tf.constant(2.0))
        m[0]["x"] = m[0]["x"]
        return copy["x"] + copy["y"]

    given = [{"x": tf.constant(1.0)}]
    assert float(f(given)) == 3.0
    assert len(given[0]) == 1


def test_a_list_that_the_caller_holds_stays_as_it_is() -> None:
    given = [tf.constant(1.0)]
    with pytest.raises(ValueError, match="should not modify"):
        tf.function(lambda m: m.append(1))(given)
    assert len(given) == 1


@pytest.mark.parametrize("wrong", [None, 3, tf.float32])
def test_a_signature_holds_specs_only(wrong: Any) -> None:
    with pytest.raises(TypeError, match="input_signature must be a possibly nested sequence of "
                       r"TensorSpec objects, got invalid args \[.*\] with types"):  # fmt: skip
        tf.function(lambda a, b: a, input_signature=[[tf.TensorSpec([2])], wrong])


@pytest.mark.parametrize("wrong", ["ab", tf.TensorSpec([2]), {"a": tf.TensorSpec([2])}])
def test_a_signature_is_a_list_or_a_tuple(wrong: Any) -> None:
    with pytest.raises(TypeError, match="input_signature must be either a tuple or a list, got <"):
        tf.function(lambda a: a, input_signature=wrong)


@pytest.mark.parametrize("spec", [tf.TensorSpec([3]), tf.TensorSpec([2], tf.int32)])
def test_a_spec_that_a_trace_is_wanted_for_fits_the_signature(spec: Any) -> None:
    f = tf.function(lambda a: a, input_signature=[tf.TensorSpec([2])])
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(.* to TensorSpec\(shape=\(2,\)"):
        f.get_concrete_function(spec)
    assert f.get_concrete_function(tf.TensorSpec([2])) is f.get_concrete_function()


@pytest.mark.parametrize("value", [set(), slice(1, 2), bytearray(b"a")])
def test_an_argument_that_may_change_unnoticed_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"Could not generate a generic TraceType for .*Please "
                       "verify that it is immutable/hashable"):  # fmt: skip
        tf.function(lambda _: 1.0)(value)


@pytest.mark.parametrize("value", [range(3), frozenset([1]), object(), len, 1j, tf.TensorShape(1)])
def test_an_argument_that_can_be_hashed_is_taken(value: Any) -> None:
    assert float(tf.function(lambda _: 1.0)(value)) == 1.0


def test_names_that_graphs_cannot_tell_apart_are_refused() -> None:
    f = tf.function(lambda **k: k["a_b"] + k["a/b"])
    with pytest.raises(ValueError, match=r"Name collision after sanitization. Please rename "
                       r"tf.function input parameters. Original: .'a/b', 'a_b'., Sanitized: "
                       r".'a_b'.$"):  # fmt: skip
        f(**{"a_b": tf.constant(1), "a/b": tf.constant(2)})


def _any(x: Any, y: Any = 5, *varargs: Any, **kwargs: Any) -> Any:
    return x


def _one() -> Any:
    return tf.constant(1)


# What a trace is made for, what it is called with, and what TensorFlow says.
CALLS: dict[str, tuple[Any, Any, Any, str]] = {
    "a dictionary": (
        ({"a": 1, "b": 2},),
        (_one, 5),
        {},
        "Can not cast <tf.Tensor.* to a Dict type",
    ),
    "a tuple": (((_one, _one),), (_one, 5), {}, "Can not cast <tf.Tensor.* to tuple type"),
    "one that is missing": ((1, _one), (1,), {}, "missing a required argument: 'y'"),
    "a further one missing": ((1, 2, _one), (1, 2), {}, "missing a required argument: 'varargs_0'"),
    "one too many": ((1, 2), (1, 2, 3), {}, "too many positional arguments"),
    "an unknown name": ((1, 2), (1, 2), {"c": _one}, "got an unexpected keyword argument 'c'"),
    "another number": ((5,), (8, 5), {}, "Can not cast 8 to .*5"),
    "a tensor": ((5,), (_one, 5), {}, "Can not cast <tf.Tensor.* to .*5"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_trace_is_called_with_what_it_was_made_for(name: str) -> None:
    made, args, kwargs, text = tf.nest.map_structure(
        lambda leaf: leaf() if callable(leaf) else leaf, CALLS[name]
    )
    if name == "a dictionary":
        made = tf.nest.map_structure(tf.constant, made)
    concrete = tf.function(_any).get_concrete_function(*made)
    with pytest.raises(TypeError, match=f"^Binding inputs to tf.function failed due to `{text}"):
        concrete(*args, **kwargs)


@pytest.mark.parametrize("given", [None, len, {}, object, [1, "a"]])
def test_what_is_no_tensor_is_refused_where_a_signature_wants_one(given: Any) -> None:
    function = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.float32)])
    with pytest.raises(
        TypeError, match=r"^Binding inputs to tf\.function failed due to `.* to (a )?Tensor"
    ):
        function(given)


def test_a_keyword_that_is_missing_is_named() -> None:
    concrete = tf.function(_any).get_concrete_function(1, 2, c=tf.constant(1.0))
    with pytest.raises(TypeError, match="missing a required argument: 'c'"):
        concrete(1, 2)


def test_tensors_may_still_be_given_one_after_the_other() -> None:
    pair = {"a": tf.constant(1), "b": tf.constant(2)}
    concrete = tf.function(_any).get_concrete_function(pair)
    assert int(concrete(tf.constant(3), tf.constant(4))["b"]) == 4


def test_a_trace_for_specs_of_other_names_tells_them() -> None:
    f = tf.function(lambda x, k: x[0])
    names = []
    for name in ("y", None, "z"):
        concrete = f.get_concrete_function([tf.TensorSpec(None, tf.float32, name), 2], 3)
        (specs, _), _ = concrete.structured_input_signature
        names.append(specs[0].name)
        assert float(concrete(**{names[-1]: tf.constant(3.0)})) == 3.0
    assert names == ["y", "y", "z"]


def test_arguments_by_name_come_in_the_order_of_their_names() -> None:
    @tf.function
    def digits(**given: Any) -> Any:
        result = 0
        for name in given:
            result = result * 10 + given[name]
        return result

    assert int(digits(b=tf.constant(1), a=tf.constant(2))) == 21
    assert int(digits(a=tf.constant(2), b=tf.constant(1))) == 21
    assert digits.experimental_get_tracing_count() == 1


INT = tf.TensorSpec([], tf.int32)
OTHER_STRUCTURES = [
    ({"a": INT, "b": INT}, {"a": 1}, "has different keys"),
    ({"a": INT}, {"a": 1, "b": 2}, "has different keys"),
    ({"a": INT}, (1,), "to a Dict type"),
    ((INT, INT), [1, 2], "to tuple type"),
    ((INT, INT), (1, 2, 3), "to have length of 2"),
    ([INT], (1,), "to list type"),
    ([INT, (INT,)], [1, [2]], "to tuple type"),
    (tf.RaggedTensorSpec([None, None], tf.int32), tf.ragged.constant([[1.0]]), "Can not cast"),
    (tf.RaggedTensorSpec([None, None], tf.int32), tf.constant([[1]]), "Can not cast"),
    (tf.RaggedTensorSpec([None, None], tf.int32), tf.ragged.constant([[[1]]]), "Can not cast"),
    (tf.data.DatasetSpec(INT), tf.constant(1), "Can not cast"),
]


@pytest.mark.parametrize("case", range(len(OTHER_STRUCTURES)))
def test_an_argument_that_is_not_what_the_signature_says_is_refused(case: int) -> None:
    spec, value, text = OTHER_STRUCTURES[case]
    function = tf.function(lambda x: 0, input_signature=[spec])
    with pytest.raises(TypeError, match=f"Binding inputs to tf.function failed due to.*{text}"):
        function(value)
    assert function.experimental_get_tracing_count() == 0


def test_a_tuple_with_names_is_a_tuple_to_a_signature() -> None:
    function = tf.function(lambda t: t[0] * 10 + t[1], input_signature=[(INT, INT)])
    assert int(function(collections.namedtuple("Pair", "a b")(1, 2))) == 12


def test_what_a_signature_leaves_out_keeps_its_default() -> None:
    function = tf.function(lambda a, b=2: a + b, input_signature=[INT])
    assert int(function(1)) == int(function(1, 2)) == 3
    for other in (3, tf.constant(2)):
        with pytest.raises(TypeError, match=r"Can not cast .* to Literal\[2\]"):
            function(1, other)


def test_what_is_taken_by_name_alone_needs_a_default_beside_a_signature() -> None:
    with pytest.raises(TypeError, match="keyword-only parameter `b` must have a default value"):
        tf.function(lambda a, *, b: a + b, input_signature=[INT, INT])


def test_a_signature_takes_no_specs_of_variables() -> None:
    text = (
        "input_signature doesn't support VariableSpec, got [VariableSpec(shape=(), dtype=tf.int32, "
        "trainable=True, alias_id=None)]"
    )
    with pytest.raises(TypeError, match=re.escape(text)):
        tf.function(lambda v: v, input_signature=[VariableSpec([], tf.int32)])
