"""What functions tell of themselves, and copies of functions; the texts are TensorFlow 2.21's."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

import emplace
import emplace.tensorflow as tf


def doubled(x, y=1):
    """As written."""
    return x * 2


def _signed():
    specs = (tf.TensorSpec([None]), tf.TensorSpec([], tf.int32))
    return tf.function(doubled, input_signature=specs)


def test_a_function_has_the_signature_of_what_it_is_made_of():
    @tf.function
    def many(a, b=2, *args, c=3, **kw):
        return a

    assert str(inspect.signature(many)) == "(a, b=2, *args, c=3, **kw)"
    found = inspect.getfullargspec(many)
    assert (found.args, found.defaults, found.varargs, found.varkw) == (
        ["a", "b"],
        (2,),
        "args",
        "kw",
    )
    assert str(inspect.signature(_signed())) == "(x, y=1)"
    assert (many.name, _signed().name) == ("many", "doubled")

    class Scaled:
        @tf.function
        def scale(self, x, y=1):
            return x

    assert str(inspect.signature(Scaled.scale)) == "(self, x, y=1)"
    assert str(inspect.signature(Scaled().scale)) == "(x, y=1)"


def test_function_type_tells_what_is_known_before_a_trace():
    assert str(tf.function(doubled).function_type) == "(x, y=<captured_default_value>)"
    assert repr(_signed().function_type) == (
        "Input Parameters:\n"
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=tf.float32, name=None)\n"
        "  y (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.int32, name=None)\n"
        "Output Type:\n  None\nCaptures:\n  None"
    )


def test_function_type_of_a_trace_tells_what_it_takes_uses_and_returns():
    outside = tf.constant(1)
    traced = tf.function(lambda x, y=1: {"input": x, "capture": outside}).get_concrete_function(
        tf.TensorSpec([None], name="xx")
    )
    found = traced.function_type
    x, y = found.parameters.values()
    assert (x.name, x.type_constraint) == ("x", tf.TensorSpec([None], name="xx"))
    assert repr(y) == (
        "Parameter(name=y, kind=POSITIONAL_OR_KEYWORD, optional=False, type_constraint=Literal[1])"
    )
    assert found.captures == {id(outside): tf.TensorSpec([], tf.int32)}
    assert found.flat_inputs == [tf.TensorSpec([None], name="xx")]
    assert found.flat_outputs == [tf.TensorSpec([], tf.int32), tf.TensorSpec([None])]
    assert (
        str(found)
        == traced.pretty_printed_signature(verbose=False)
        == (
            "(x: TensorSpec(shape=(None,), dtype=tf.float32, name='xx'), y: Literal[1]) -> "
            "Dict[['input', TensorSpec(shape=(None,), dtype=tf.float32, name=None)], "
            "['capture', TensorSpec(shape=(), dtype=tf.int32, name=None)]]"
        )
    )


def test_all_traces_are_printed_with_what_they_are_for():
    traced = tf.function(doubled)
    assert traced.pretty_printed_concrete_signatures() == ""
    traced(tf.constant(1.0))
    traced(tf.constant([1.0, 2.0]), y=5)
    number = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    assert traced.pretty_printed_concrete_signatures(verbose=False).split("\n") == [
        f"(x: {number}, y: Literal[1]) -> {number}",
        f"(x: {number}, y: Literal[5]) -> {number}".replace("()", "(2,)"),
    ]
    assert traced.pretty_printed_concrete_signatures().startswith(
        f"Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): {number}\n"
        f"  y (POSITIONAL_OR_KEYWORD): Literal[1]\nOutput Type:\n  {number}\nCaptures:\n  None\n\n"
    )
    assert "-> TensorSpec(shape=(None,)" in _signed().pretty_printed_concrete_signatures(False)


def test_variables_among_the_arguments_are_printed_as_variables():
    traced = tf.function(lambda v, w, x: v * w * x)
    v, w = tf.Variable([1.0]), tf.Variable([1.0])
    traced(v, w, v)
    spec = "VariableSpec(shape=(1,), dtype=tf.float32, trainable=True, alias_id={})"
    assert traced.pretty_printed_concrete_signatures(verbose=False) == (
        f"(v: {spec.format(0)}, w: {spec.format(1)}, x: {spec.format(0)}) -> "
        "TensorSpec(shape=(1,), dtype=tf.float32, name=None)"
    )


@pytest.mark.parametrize("copied", [lambda f: pickle.loads(pickle.dumps(f)), copy.deepcopy,
                                    lambda f: f._clone(doubled)],
                         ids=["pickle", "deepcopy", "clone"])  # fmt: skip
@pytest.mark.parametrize("is_traced", [False, True])
def test_copies_have_the_options_and_make_traces_of_their_own(copied, is_traced):
    function = tf.function(
        doubled, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)],
        autograph=False, reduce_retracing=True, experimental_implements="foo.bar",
        experimental_autograph_options=tf.autograph.experimental.Feature.LISTS,
    )  # fmt: skip
    if is_traced:
        function(tf.constant([1.0]), tf.constant(1))
    made = copied(function)
    assert type(made) is type(function)
    assert made is not function
    assert made.experimental_get_tracing_count() == 0
    assert made(tf.constant([2.0]), tf.constant(1)).numpy().tolist() == [4.0]
    names = ["input_signature", "_name", "_autograph", "_attributes", "_reduce_retracing"]
    for name in [*names, "_jit_compile", "_experimental_autograph_options", "_python_function"]:
        assert getattr(made, name) == getattr(function, name), name
    with pytest.raises(TypeError, match="Can not cast"):
        made(tf.constant([[2.0]]), tf.constant(1))


def test_a_function_is_decorated_until_it_is_traced():
    function = tf.function(lambda: tf.constant(1))
    function._decorate(lambda inner: lambda: 1 + inner())
    assert int(function()) == 2
    with pytest.raises(ValueError, match="cannot be decorated after they have been traced"):
        function._decorate(lambda inner: inner)


def test_compiler_ir_is_refused():
    with pytest.raises(ValueError, match="only be returned for functions"):
        tf.function(doubled).experimental_get_compiler_ir(tf.constant(1.0))
    with pytest.raises(NotImplementedError, match=r"emplace\.explain"):
        tf.function(doubled, jit_compile=True).experimental_get_compiler_ir(tf.constant(1.0))


def test_what_is_closed_over_and_passed_is_explained():
    v = tf.Variable(2.0)
    function = tf.function(lambda x: x * v)
    assert float(function(v)) == 4.0
    assert "Mul" in str(emplace.explain(function, v))


def test_attributes_of_an_object_that_is_called_do_not_replace_those_of_the_function():
    class Doubling:
        def __init__(self):
            self._lock, self._traces, self._fast, self.tag = True, 1, None, "mine"

        def __call__(self, x):
            return x * 2.0

    doubling = Doubling()
    f = tf.function(doubling)
    assert f(tf.constant(2.0)).numpy() == 4.0
    assert f(tf.constant([1.0])).numpy() == 2.0
    assert f.tag == "mine"
    assert f.__wrapped__ is doubling
    assert doubling._lock is True


def test_a_function_returns_no_operations():
    v = tf.Variable(1.0)

    def step():
        return {"loss": v + 1.0, "update": tf.group(v.assign_add(1.0))}

    for function in (step, lambda: tf.no_op()):
        with pytest.raises(
            TypeError, match=r"must return zero or more Tensors.*Return a tensor, or"
        ):
            tf.function(function)()
    assert v.numpy() == 1.0
