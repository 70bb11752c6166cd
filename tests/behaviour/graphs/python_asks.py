"""What Python may ask of a tensor or a variable of a graph: its truth, its elements, a number.

`answers(tf)` says for each place and each question what comes of it; `test_python_asks.py` compares
with what `scripts/record_oracle/python_asks.py` has recorded of TensorFlow. Like the questions, it
runs with whichever of the two it is given.
"""

import collections.abc
import math
import operator

import numpy as np

#: Questions as expressions about `x`.
QUESTIONS = [
    "iter(x)", "next(iter(x))", "list(x)", "tuple(x)", "(lambda a, b: a)(*x)", "[*x]",
    "[i for i in x]", "list(enumerate(x))", "list(zip(x, x))", "sum(x)", "max(x)", "sorted(x)",
    "list(map(str, x))", "any(x)", "all(x)", "reversed(x)", "isinstance(x, Iterable)",
    "bool(x)", "1 if x else 2", "not x", "x and 1", "x or 1", "bool(x == x)", "bool(x > 0)",
    "0 < x < 2", "len(x)", "1 in x", "x in x", "x in [x]", "x in [1, 2]", "[1].index(x)",
    "int(x)", "float(x)", "complex(x)", "range(x)", "[1, 2, 3][x]", "[1, 2, 3][x:]", "[1] * x",
    "'abc'[:x]", "operator.index(x)", "math.sqrt(x)", "math.floor(x)", "'%d' % x", "bytes(x)",
    "memoryview(x)", "divmod(x, 2)", "abs(x)", "pow(x, 2)",
    "np.array(x)", "np.asarray(x)", "np.array([x])", "np.sum(x)", "np.sqrt(x)", "np.add(x, 1)",
    "np.zeros(x)", "np.arange(x)", "np.ones(3)[x]", "x.numpy()", "tf.constant(x)",
    "tf.constant([x])", "tf.TensorShape(x)",
]  # fmt: skip


def outcome(tf, question, x):
    """The class of the error that a question leads to, None if it is answered."""
    names = {"x": x, "tf": tf, "np": np, "math": math, "operator": operator,
             "Iterable": collections.abc.Iterable}  # fmt: skip
    try:
        eval(question, names)
    except Exception as error:
        return type(error).__name__
    return None


def in_function(tf, make, specs=None, given=True, **options):
    """The outcomes for what a function is given, or else makes."""

    def ask(question):
        found = []

        def body(*args):
            found.append(outcome(tf, question, args[0] if args else make()))

        function = tf.function(body, input_signature=specs, **{"autograph": False, **options})
        function(*[make()] if given else [])
        return found[0]

    return ask


def in_graph(tf, make):
    """The outcomes in the graph of a session."""

    def ask(question):
        with tf.Graph().as_default():
            return outcome(tf, question, make())

    return ask


def unconverted(tf, make):
    """The outcomes in a function that AutoGraph leaves alone, called by one that it converts."""

    def ask(question):
        found = []

        @tf.autograph.experimental.do_not_convert
        def inner(x):
            found.append(outcome(tf, question, x))

        tf.function(lambda x: inner(x))(make())
        return found[0]

    return ask


def answers(tf):
    """place -> question -> outcome."""
    v1 = tf.compat.v1
    vector, number = (lambda: tf.constant([1.0, 2.0])), (lambda: tf.constant(2))
    variables = tf.Variable([1.0, 2.0]), tf.Variable(2)

    def classic(value):
        return lambda: v1.get_variable("v", initializer=value, use_resource=True)

    places = {
        "an argument": in_function(tf, vector),
        "a number": in_function(tf, number),
        "a bool": in_function(tf, lambda: tf.constant(True)),
        "an unknown size": in_function(tf, vector, [tf.TensorSpec([None], tf.float32)]),
        "an unknown rank": in_function(tf, vector, [tf.TensorSpec(None, tf.float32)]),
        "a constant": in_function(tf, vector, given=False),
        "a constant number": in_function(tf, number, given=False),
        "a variable": in_function(tf, lambda: variables[0], given=False),
        "a variable number": in_function(tf, lambda: variables[1], given=False),
        "a placeholder": in_graph(tf, lambda: v1.placeholder(tf.float32, [2])),
        "a session's number": in_graph(tf, number),
        "a session's variable": in_graph(tf, classic([1.0, 2.0])),
        "a session's variable number": in_graph(tf, classic(2)),
        "not converted": unconverted(tf, vector),
        "a number, not converted": unconverted(tf, number),
    }
    return {
        place: {question: ask(question) for question in QUESTIONS} for place, ask in places.items()
    }
