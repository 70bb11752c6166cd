"""Public functions ask dispatchers of libraries, as Keras 2's symbolic tensors need it."""

from __future__ import annotations

from programs import code

PROGRAM = """
import inspect
import emplace
emplace.install()
import tensorflow as tf
from tensorflow.python.util.tf_export import get_canonical_name_for_symbol, get_symbol_from_name

bare = tf.reshape

class Symbol:
    pass

class Asked(tf.__internal__.dispatch.GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        if any(isinstance(each, Symbol) for each in tf.nest.flatten([args, kwargs])):
            return get_canonical_name_for_symbol(op), len(args), sorted(kwargs)
        return self.NOT_SUPPORTED

Asked().register()
symbol = Symbol()
print(tf.reshape(symbol, [1]))
print(tf.add(1.0, symbol), tf.math.add is tf.add)
print(tf.concat([symbol, symbol], axis=0))
print(tf.nn.relu(symbol), tf.matmul(symbol, b=symbol))
print(tf.__operators__.getitem(symbol, slice(1)))
print(tf.reshape(tf.constant([1, 2]), [2, 1]).shape, list(inspect.signature(tf.reshape).parameters))
try:
    tf.reshape(object(), [1])
except ValueError as error:
    print("refused")
print(get_symbol_from_name("math.add") is tf.add, get_symbol_from_name("math.nothing"))
flat = tf.function(lambda x: tf.reshape(x, [-1]) + tf.reduce_sum(x))
print(flat(tf.constant([[1.0, 2.0]])).numpy())
"""


def test_public_functions_ask_once_a_dispatcher_for_all_is_registered() -> None:
    done = code(PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "('reshape', 2, [])",
        "('math.add', 2, []) True",
        "('concat', 1, ['axis'])",
        "('nn.relu', 1, []) ('linalg.matmul', 1, ['b'])",
        "('__operators__.getitem', 2, [])",
        "(2, 1) ['tensor', 'shape', 'name']",
        "refused",
        "True None",
        "[4. 5.]",
    ]
