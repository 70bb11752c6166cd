"""Private modules of TensorFlow that libraries import."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import types

import programs
import pytest

import emplace.tensorflow as tf
from emplace.private import modules, own_names

pytestmark = pytest.mark.usefixtures("installed")
NONE = "none"


def private(name):
    return importlib.import_module(f"tensorflow.python.{name}")


def test_public_names_are_the_facades():
    ops, array_ops = private("framework.ops"), private("ops.array_ops")
    assert ops.Graph is tf.Graph
    assert ops.device_v2 is tf.device
    assert array_ops.concat is tf.concat
    assert array_ops.boolean_mask_v2 is tf.boolean_mask
    assert array_ops.boolean_mask is tf.compat.v1.boolean_mask
    assert private("framework.constant_op").constant is tf.constant
    assert private("ops.math_ops").reduce_sum is tf.reduce_sum
    assert private("framework.dtypes").float32 is tf.float32
    assert private("framework.errors").OutOfRangeError is tf.errors.OutOfRangeError
    assert private("eager.backprop").GradientTape is tf.GradientTape
    assert private("training.training_util").get_global_step is (tf.compat.v1.train.get_global_step)


def test_imports_of_both_forms_find_a_module():
    from tensorflow.python.framework import ops
    from tensorflow.python.framework.ops import Graph
    from tensorflow.python.util import nest

    assert ops.Graph is Graph
    assert nest.flatten([1, [2]]) == [1, 2]
    assert list(nest._yield_value({"b": 1, "a": 2})) == [2, 1]


def test_raw_ops_of_generated_modules_take_their_arguments_in_order():
    add = private("ops.gen_math_ops").add_v2
    assert add(tf.constant(1), tf.constant(2)).numpy() == 3
    assert add(tf.constant(1), y=tf.constant(2), name="sum").numpy() == 3


def test_a_name_that_is_not_there_says_so():
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        from tensorflow.python.ops.math_ops import nonsense  # noqa: F401
    with pytest.raises(
        AttributeError, match=r"Emplace has no tensorflow\.python\.ops\.math_ops\.x"
    ):
        private("ops.math_ops").x  # noqa: B018
    with pytest.raises(
        ModuleNotFoundError, match=r"does not provide .*'tensorflow.python.nothing'"
    ):
        private("nothing")


def test_every_name_of_the_table_is_there():
    for short, names in own_names.NAMES.items():
        for name in names:
            assert modules._found(short, name) is not None
    for names in own_names.STAND_INS.values():
        for name in names:
            importlib.import_module(name)


def test_messages_are_tensorboards():
    from tensorflow.core.framework import attr_value_pb2
    from tensorflow.core.util import event_pb2

    assert attr_value_pb2.AttrValue(i=3).i == 3
    assert event_pb2.Event(step=2).step == 2


def test_identity_counts_in_identity_sets():
    identity = private("util.object_identity")
    a, b = tf.Variable([1.0]), tf.Variable([1.0])
    both = identity.ObjectIdentitySet([a, b, a])
    assert len(both) == 2
    assert a in both
    assert tf.Variable([1.0]) not in both
    numbers = identity.ObjectIdentityDictionary({})
    numbers[a], numbers[b] = 1, 2
    assert [numbers[a], numbers[b]] == [1, 2]
    weak = identity.ObjectIdentityWeakSet([a])
    assert a in weak
    both.discard(a)
    del a, numbers
    assert len(weak) == 0


def test_inspection_looks_through_decorators():
    inspect, decorator = private("util.tf_inspect"), private("util.tf_decorator")

    def plain(x, y=2, *, z=3):
        """Adds."""

    made = decorator.make_decorator(plain, lambda *args, **kwargs: plain(*args, **kwargs))
    assert inspect.getfullargspec(made).args == ["x", "y"]
    assert list(inspect.signature(made).parameters) == ["x", "y", "z"]
    assert inspect.getcallargs(plain, 1) == {"x": 1, "y": 2, "z": 3}


def test_marks_change_nothing():
    deprecation, export = private("util.deprecation"), private("util.tf_export")

    @export.tf_export("mine", v1=["mine"])
    @deprecation.deprecated(None, "Use another.")
    def mine(x):
        return x + 1

    assert mine(1) == 2
    assert deprecation.deprecated_argument_lookup("a", None, "b", 3) == 3
    with pytest.raises(ValueError, match="Cannot specify both 'b' and 'a'"):
        deprecation.deprecated_argument_lookup("a", 1, "b", 3)


def test_shapes_of_values():
    shapes, util = private("framework.tensor_shape"), private("framework.tensor_util")
    assert shapes.unknown_shape(2).as_list() == [None, None]
    assert util.constant_value_as_shape(tf.constant([2, -1])).as_list() == [2, None]
    assert util.is_tf_type(tf.constant(1))
    assert util.constant_value(tf.constant(3)) == 3


def test_tensors_say_where_tensorflow_has_them():
    """The values are TensorFlow's."""
    assert type(tf.constant(1)).__module__ == "tensorflow.python.framework.ops"
    assert tf.Tensor.__module__ == "tensorflow.python.framework.tensor"


def test_compat_v2_is_imported_as_a_module():
    program = (
        "import tensorflow.compat.v2 as tf, tensorflow.compat.v2.nn as nn, tensorflow\n"
        "assert tf is tensorflow and nn is tensorflow.nn\n"
        "from tensorflow.compat.v2.linalg import matmul\n"
    )
    for tf1 in (False, True):
        text = f"import emplace; emplace.install(tf1={tf1})\n{program}"
        if tf1:
            text = text.replace("assert tf is tensorflow and nn is tensorflow.nn\n", "")
        done = programs.code(text)
        assert done.returncode == 0, done.stderr


def test_importing_the_facade_loads_none_of_it():
    program = (
        "import sys, emplace.tensorflow\n"
        "late = ('emplace.names.late', 'emplace.names.refused', 'emplace.private.modules')\n"
        "assert not [name for name in late if name in sys.modules]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=100)


def test_a_prevented_gradient_raises():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = private("ops.array_ops").prevent_gradient(x * 3.0, message="mine")
    assert y.numpy() == 6.0
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled. Reason: mine"):
        tape.gradient(y, x)


def test_a_parallel_loop_stacks_what_its_function_returns():
    pfor = private("ops.parallel_for.control_flow_ops").pfor
    x = tf.constant([1.0, 2.0, 3.0])
    assert pfor(lambda i: tf.gather(x, i) * 2.0, 3).numpy().tolist() == [2.0, 4.0, 6.0]


def test_the_old_copy_of_keras_is_keras_two(monkeypatch):
    for name in ("tf_keras", "tf_keras.src", "tf_keras.src.layers"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["tf_keras.src.layers"].Dense = int
    assert private("keras.layers").Dense is int
    vars(private("keras.layers")).pop("Dense")


def test_names_of_the_old_copy_of_keras_that_are_nowhere_say_so():
    with pytest.raises(AttributeError, match=r"no tensorflow.python.keras.losses.none, .* private"):
        getattr(private("keras.losses"), NONE)
    with pytest.raises(AttributeError, match=r"it would be that of tf_keras.src.losses"):
        getattr(private("keras.losses"), NONE)


def test_sessions_without_settings_have_new_ones():
    context = private("eager.context")
    assert context.get_config().allow_soft_placement is False
    context.get_config().allow_soft_placement = True
    assert context.get_config().allow_soft_placement is False


def test_the_context_tells_the_device_that_is_asked_for():
    context = private("eager.context").context()
    assert context.device_spec.device_type is None
    with tf.device("/CPU:0"):
        assert context.device_spec.device_type == "CPU"


def test_variables_are_told_by_their_module():
    assert type(tf.Variable(1.0)).__module__ == "tensorflow.python.ops.resource_variable_ops"
    assert pickle.loads(pickle.dumps(tf.Variable(2.0))).numpy() == 2.0
