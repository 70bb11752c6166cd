"""What Python may ask of a tensor or a variable of a graph: TensorFlow's errors, recorded by
`scripts/record_oracle/python_asks.py`.
"""

import builtins
import json
from pathlib import Path

import pytest
import python_asks

import emplace.tensorflow as tf

ORACLE = Path(__file__).parents[2] / "oracle" / "python_asks.json"
RECORDED = json.loads(ORACLE.read_text())

#: TensorFlow's class -> what is raised here instead, and why.
ELSE = {
    # TF: a tensor of a graph lacks the method that its variables call.
    "AttributeError": "TypeError",
    # Shapes that do not fit are told before NumPy is asked.
    "NotImplementedError": "ValueError",
}

#: Answered here: a list of tensors becomes a tensor (docs/DIFFERENCES.md).
ANSWERED = {"tf.constant([x])"}


@pytest.fixture(scope="module")
def found():
    return python_asks.answers(tf)


def kind(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


@pytest.mark.parametrize("place", RECORDED)
def test_questions_are_refused_as_in_tensorflow(found, place):
    wrong = []
    for question, wanted in RECORDED[place].items():
        got = found[place][question]
        kinds = {wanted, ELSE.get(wanted, wanted)} - {None}
        fits = (
            got == wanted
            if got is None or wanted is None
            else any(issubclass(kind(got), kind(each)) for each in kinds)
        )
        if not fits and not (question in ANSWERED and got is None):
            wrong.append((question, wanted, got))
    assert not wrong


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda x: list(x), "Iterating over a symbolic `tf.Tensor` is not allowed"),
        (lambda x: bool(x), "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"),
        (lambda x: len(x), "len is not well defined for a symbolic Tensor"),
        (lambda x: int(x[0]), r"int\(\) argument must be a string, a bytes-like object"),
    ],
)
def test_the_texts_name_the_way_out(ask, text):
    with pytest.raises(TypeError, match=text):
        tf.function(ask, autograph=False)(tf.constant([1.0, 2.0]))


def test_a_trace_does_not_keep_the_value_of_a_variable():
    v = tf.Variable(2.0)
    for ask in (float, int, bool, lambda v: v.numpy(), lambda v: tf.constant(v.numpy())):
        with pytest.raises((TypeError, NotImplementedError)):
            tf.function(lambda ask=ask: ask(v), autograph=False)()
    assert float(v) == 2.0
    assert v.numpy() == 2.0


def test_autograph_unpacks_no_tensor_either():
    @tf.function
    def unpacked(x):
        a, b = x
        return a + b

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Iterating"):
        unpacked(tf.constant([1.0, 2.0]))


def test_autograph_goes_through_elements():
    @tf.function
    def total(x):
        found = 0.0
        for each in x:
            found += each
        return found

    assert float(total(tf.constant([1.0, 2.0]))) == 3.0
