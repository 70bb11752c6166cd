"""Names of nodes, which programs of TF 1 look things up by: those that TensorFlow gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


M = [[1.0, 2.0], [3.0, 4.0]]
CALLS: dict[str, tuple[Callable[[Any], Any], str, list[str]]] = {
    "matmul": (lambda m: tf1.matmul(m, M), "MatMul", ["MatMul/b"]),
    "matmul with a name": (lambda m: tf1.matmul(M, m, name="mm"), "mm", ["mm/a"]),
    "add": (lambda m: tf1.add(m, M), "Add", ["Add/y"]),
    "+": (lambda m: m + M, "add", ["add/y"]),
    "+ NumPy": (lambda m: m + np.ones(2, np.float32), "add", ["add/y"]),
    "bias_add": (lambda m: tf1.nn.bias_add(m, [1.0, 2.0]), "BiasAdd", ["BiasAdd/bias"]),
    "gather": (lambda m: tf1.gather(m, [0]), "GatherV2", ["GatherV2/indices"]),
    "concat": (lambda m: tf1.concat([m, M], 0), "concat", ["concat/values_1"]),
    "stack": (lambda m: tf1.stack([m, M]), "stack", ["stack/1"]),
    "reduce_all": (lambda m: tf1.reduce_all([True]), "All", ["All/input"]),
    "identity": (lambda m: tf1.identity([1.0]), "Identity", ["Identity/input"]),
    "one_hot": (lambda m: tf1.one_hot([1], 3), "one_hot", ["one_hot/indices"]),
    "size": (lambda m: tf1.size(m), "Size", []),
    "rank": (lambda m: tf1.rank(m), "Rank", []),
    "shape": (lambda m: tf1.shape(m), "Shape", []),
    "divide": (lambda m: tf1.divide(m, 2.0), "truediv", ["truediv/y"]),
    "div": (lambda m: tf1.div(m, 2.0), "div", ["div/y"]),
    "floordiv": (lambda m: tf1.floordiv(m, 2.0), "floordiv", ["floordiv/y"]),
    "clip_by_value": (lambda m: tf1.clip_by_value(m, 0.0, 1.0), "clip_by_value", []),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_literal_that_a_function_takes_is_named_after_it(name: str, graph: tf1.Graph) -> None:
    call, wanted, inside = CALLS[name]
    result = call(tf1.placeholder(tf1.float32, [2, 2]))
    names = [node.name for node in graph.get_operations()]
    assert result.op.name == wanted
    assert set(inside) <= set(names)


X, IMAGE, CLASS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.ones((1, 4, 4, 3), np.float32), [0, 1]
# The names of results without and with `name="nm"`, as TensorFlow 2.21 gives them.
RESULTS: dict[str, tuple[Callable[..., Any], str, str]] = {
    "softmax_cross_entropy_with_logits, v1": (
        lambda x, **n: tf1.nn.softmax_cross_entropy_with_logits(labels=X, logits=x, **n),
        "softmax_cross_entropy_with_logits_sg/Reshape_2", "nm/Reshape_2",
    ),
    "softmax_cross_entropy_with_logits": (
        lambda x, **n: tf.nn.softmax_cross_entropy_with_logits(labels=X, logits=x, **n),
        "softmax_cross_entropy_with_logits/Reshape_2", "nm/Reshape_2",
    ),
    "sparse_softmax_cross_entropy_with_logits": (
        lambda x, **n: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=CLASS, logits=x, **n),
        "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits", "nm/nm",
    ),
    "sigmoid_cross_entropy_with_logits": (
        lambda x, **n: tf.nn.sigmoid_cross_entropy_with_logits(labels=X, logits=x, **n),
        "logistic_loss", "nm",
    ),
    "in_top_k": (lambda x, **n: tf1.nn.in_top_k(x, CLASS, 1, **n), "in_top_k/InTopKV2", "nm/nm"),
    "embedding_lookup": (
        lambda x, **n: tf.nn.embedding_lookup(x, CLASS, **n), "embedding_lookup/Identity",
        "nm/Identity",
    ),
    "l2_normalize": (lambda x, **n: tf.nn.l2_normalize(x, 1, **n), "l2_normalize", "nm"),
    "clip_by_norm": (lambda x, **n: tf.clip_by_norm(x, 1.0, **n), "clip_by_norm", "nm"),
    "random_normal": (lambda x, **n: tf1.random_normal([2], **n), "random_normal", "nm"),
    "random_uniform": (
        lambda x, **n: tf1.random_uniform([2], **n), "random_uniform/RandomUniform",
        "nm/RandomUniform",
    ),
    "random_uniform of integers": (
        lambda x, **n: tf1.random_uniform([2], maxval=5, dtype=tf.int32, **n), "random_uniform",
        "nm",
    ),
    "truncated_normal": (lambda x, **n: tf1.truncated_normal([2], **n), "truncated_normal", "nm"),
    "xw_plus_b": (
        lambda x, **n: tf1.nn.xw_plus_b(x, np.ones((3, 2), np.float32), [1.0, 2.0], **n),
        "xw_plus_b", "nm",
    ),
    "moments": (lambda x, **n: tf.nn.moments(x, [0], **n)[1], "moments/Squeeze_1", "nm/Squeeze_1"),
    "batch_normalization": (
        lambda x, **n: tf.nn.batch_normalization(x, 1.0, 1.0, 1.0, 1.0, 1e-3, **n),
        "batchnorm/add_1", "nm/add_1",
    ),
    "zero_fraction": (lambda x, **n: tf.nn.zero_fraction(x, **n), "zero_fraction/fraction",
                      "nm/fraction"),
    "norm": (lambda x, **n: tf.norm(x, **n), "norm/Squeeze", "nm/Squeeze"),
    "eye": (lambda x, **n: tf.eye(3, **n), "eye/diag", "nm/diag"),
    "reduce_logsumexp": (lambda x, **n: tf.reduce_logsumexp(x, **n), "ReduceLogSumExp", "nm"),
    "max_pool2d": (lambda x, **n: tf.nn.max_pool2d(IMAGE, 2, 2, "SAME", **n), "MaxPool2d", "nm"),
    "resize": (lambda x, **n: tf.image.resize(IMAGE, [2, 2], **n), "resize/ResizeBilinear",
               "nm/ResizeBilinear"),
    "rgb_to_grayscale": (lambda x, **n: tf.image.rgb_to_grayscale(IMAGE, **n), "rgb_to_grayscale",
                         "nm"),
    "exponential_decay": (
        lambda x, **n: tf1.train.exponential_decay(0.1, tf1.placeholder(tf.int32, []), 9, 0.9, **n),
        "ExponentialDecay", "nm",
    ),
    "linspace": (lambda x, **n: tf.linspace(x[0, 0], 1.0, 5, **n), "linspace/Slice", "nm/Slice"),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_the_result_of_a_function_of_several_nodes_is_named_as_in_tensorflow(name: str) -> None:
    call, plain, given = RESULTS[name]
    x = tf1.placeholder(tf1.float32, [2, 3])
    assert call(x).op.name == plain
    assert call(x, name="nm").op.name == given


def test_the_results_of_calls_by_one_name_are_numbered() -> None:
    x = tf1.placeholder(tf1.float32, [2, 3])
    names = [tf.nn.l2_normalize(x, 1, name="nm").op.name for _ in range(3)]
    assert names == ["nm", "nm_1", "nm_2"]


def test_what_an_assignment_returns_is_named_after_it() -> None:
    v = tf1.Variable([1.0, 2.0], name="v")
    named = tf1.assign(v, [3.0, 4.0], name="nm")
    assert (named.name, named.op.name) == ("nm", "nm")
    assert v.assign_add([1.0, 1.0]).name == "AssignAddVariableOp"
    assert v.name == "v:0"


def test_a_constant_that_nobody_takes_has_a_name_too() -> None:
    assert tf1.cast([1.0], tf1.float32).name == "Const:0"
    assert tf1.constant([1.0]).name == "Const_1:0"


def test_the_first_value_of_a_variable_is_named_below_it(graph: tf1.Graph) -> None:
    tf1.Variable([1.0, 2.0], name="v")
    assert [node.name for node in graph.get_operations()] == [
        "v/Initializer/initial_value",
        "v",
        "v/IsInitialized/VarIsInitializedOp",
        "v/Assign",
        "v/Read/ReadVariableOp",
    ]


def test_a_variable_made_of_a_value_has_its_own_name() -> None:
    assert tf1.get_variable("l", initializer=[1.0, 2.0]).name == "l:0"
    assert tf1.get_variable("n", initializer=np.ones(2)).name == "n:0"


def test_a_name_with_a_slash_at_its_end_is_taken_as_it_is() -> None:
    assert tf1.constant(1.0, name="v/").op.name == "v"
    with pytest.raises(ValueError, match="Duplicate node name in graph: 'v'"):
        tf1.constant(1.0, name="v/")


def test_names_below_a_scope_may_begin_with_what_roots_may_not() -> None:
    with tf1.name_scope("in"):
        assert tf1.constant(1.0, name="_x").op.name == "in/_x"
        wanted = "`in/bad scope` is not a valid node name"
        with pytest.raises(ValueError, match=wanted):
            tf1.constant(1.0, name="bad scope")
    with pytest.raises(ValueError, match="`_x` is not a valid node name"):
        tf1.constant(1.0, name="_x")


@pytest.mark.parametrize(
    ("given", "scope"),
    [
        (("a", "b"), "a/"), ((None, "b"), "b/"), ((None, "b", []), "b/"), ((None,), ""),
        (("",), ""), (("s/",), "s/"),
    ],
)  # fmt: skip
def test_a_name_scope_of_tf_1_has_a_default_name(given: Any, scope: str) -> None:
    with tf1.name_scope(*given) as name:
        assert name == scope


def test_a_name_scope_of_tf_1_wants_a_name_where_there_are_values() -> None:
    wanted = r"At least one of name \(None\) and default_name \(None\) must be provided\."
    with pytest.raises(ValueError, match=wanted), tf1.name_scope(None, None, []):
        pass
    with pytest.raises(TypeError, match=r"`default_name` type \(<class 'int'>\) is not a string"):
        tf1.name_scope("n", default_name=3)


def test_what_is_looked_up_must_have_the_right_kind_of_name(graph: tf1.Graph) -> None:
    tf1.constant(1.0, name="a")
    invalid = "The name 'zz' looks like an \\(invalid\\) Operation name, not a Tensor"
    with pytest.raises(ValueError, match=invalid):
        graph.get_tensor_by_name("zz")
    with pytest.raises(ValueError, match="The name 'a' refers to an Operation, not a Tensor"):
        graph.as_graph_element("a", allow_operation=False)
    with pytest.raises(ValueError, match="allow_tensor and allow_operation can't both be False"):
        graph.as_graph_element("a", False, False)


def test_a_variable_without_initializer_needs_a_shape() -> None:
    with pytest.raises(ValueError, match="Variable u did not get an initializer, so its `shape`"):
        tf1.get_variable("u")
    with pytest.raises(TypeError, match="expected string or bytes-like object, got 'int'"):
        tf1.get_variable(3, [1])


def test_shapes_that_do_not_fit_are_refused_with_node_and_inputs() -> None:
    a, b = tf1.constant([1.0, 2.0]), tf1.constant([1.0, 2.0, 3.0])
    x = tf1.placeholder(tf1.float32, [None, 3], name="x")
    refused = {
        "Dimensions must be equal, but are 2 and 3 for '{{node sc/plus}} = AddV2[T=DT_FLOAT]"
        "(Const, Const_1)' with input shapes: [2], [3].": lambda: tf1.add(a, b, name="plus"),
        "Dimensions must be equal, but are 3 and 1 for '{{node sc/mm}} = MatMul[T=DT_FLOAT]"
        "(x, sc/mm/b)' with input shapes: [?,3], [1,2].": (
            lambda: tf1.matmul(x, [[1.0, 2.0]], name="mm")
        ),
        "Cannot reshape a tensor with 2 elements to shape [3] (3 elements) for '{{node sc/Reshape"
        "}} = Reshape[T=DT_FLOAT](Const)' with input shapes: [2].": lambda: tf1.reshape(a, [3]),
        "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].\n\t"
        "From merging shape 0 with other shapes. for '{{node sc/AddN}} = AddN[N=2, T=DT_FLOAT]"
        "(Const, Const_1)' with input shapes: [2], [3].": lambda: tf1.add_n([a, b]),
        "Dimension size, given by scalar input 1 must be in range [-1, 1) for '{{node sc/split}} = "
        "Split[T=DT_FLOAT, num_split=2](Const)' with input shapes: [2].": (
            lambda: tf1.split(a, 2, axis=1)
        ),
    }
    with tf1.name_scope("sc"):
        for text, call in refused.items():
            with pytest.raises(ValueError) as caught:
                call()
            assert str(caught.value) == text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            tf.logical_and,
            "Input 'x' of 'LogicalAnd' Op has type int32 that does not match expected",
        ),
        (lambda i, _: tf.logical_not(i), "Input 'x' of 'LogicalNot' Op has type int32 that does"),
        (lambda i, _: tf.reduce_all(i), "Input 'input' of 'All' Op has type int32 that does not"),
    ],
)
def test_an_op_of_truths_refuses_numbers(call: Any, text: str) -> None:
    i = tf1.constant([1, 2])
    with pytest.raises(TypeError, match=text):
        call(i, i)


def test_errors_have_codes() -> None:
    assert tf1.errors.exception_type_from_error_code(3) is tf1.errors.InvalidArgumentError
    assert tf1.errors.error_code_from_exception_type(tf1.errors.NotFoundError) == 5


def test_a_part_of_a_variable_can_be_assigned_to() -> None:
    v = tf1.get_variable("v", [2], initializer=tf1.zeros_initializer())
    change = v[0].assign(3.0)
    with tf1.Session() as session:
        session.run(v.initializer)
        assert session.run(change).tolist() == [3.0, 0.0]


def test_names_may_be_bytes(graph):
    assert tf.constant(1.0, name=b"e").name == "e:0"
    assert tf.add(1.0, 2.0, name=b"f").name == "f:0"
    assert tf1.placeholder(tf.float32, name=b"h").name == "h:0"
    assert tf1.Variable(1.0, name=b"v").name == "v:0"
    with tf1.name_scope(b"s"):
        assert tf.constant(1.0).name == "s/Const:0"
    with graph.name_scope(b"t"):
        assert tf.constant(1.0).name == "t/Const:0"


# Each with TensorFlow's name of the result, in a graph of its own.
NAMED: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "integers divided": (lambda i, x: i / i, "truediv"),
    "an integer divided by": (lambda i, x: 1 / i, "truediv"),
    "divide": (lambda i, x: tf.divide(i, i), "truediv"),
    "divide, named": (lambda i, x: tf.divide(i, i, name="n"), "n"),
    "truediv": (lambda i, x: tf.truediv(i, i, name="n"), "n"),
    "divide_no_nan": (lambda i, x: tf.math.divide_no_nan(x, x), "div_no_nan"),
    "log_sigmoid": (lambda i, x: tf.math.log_sigmoid(x, name="n"), "n"),
    "weighted": (
        lambda i, x: tf.nn.weighted_cross_entropy_with_logits(x, x, 1.0, name="n"), "n"
    ),
    "log_poisson_loss": (lambda i, x: tf.nn.log_poisson_loss(x, x, name="n"), "n/sub"),
    "saturate_cast": (lambda i, x: tf.saturate_cast(i, tf.int8, name="n"), "n"),
    "convert_image_dtype": (lambda i, x: tf.image.convert_image_dtype(i, x.dtype), "convert_image"),
    "the same dtype": (lambda i, x: tf.image.convert_image_dtype(x, x.dtype), "Identity"),
    "resize_with_crop_or_pad": (
        lambda i, x: tf.image.resize_with_crop_or_pad(tf.zeros([5, 6, 3]), 7, 8),
        "resize_image_with_crop_or_pad/Squeeze",
    ),
    "einsum": (lambda i, x: tf.einsum("i,i->i", x, x, name="n"), "n/Einsum"),
    "count_nonzero": (lambda i, x: tf.math.count_nonzero(i, name="n"), "n/Sum"),
    "polyval": (lambda i, x: tf.math.polyval([1.0, 2.0], x, name="n"), "n/add"),
    "normalize": (lambda i, x: tf.linalg.normalize(x, name="n")[0], "n/truediv"),
    "global_norm": (lambda i, x: tf.linalg.global_norm([x], name="n"), "n/global_norm"),
}  # fmt: skip


@pytest.mark.parametrize("call", NAMED)
def test_results_of_functions_with_several_nodes_have_tensorflows_names(call):
    make, name = NAMED[call]
    assert make(tf.constant([1, 2]), tf.constant([1.0, 2.0])).name == f"{name}:0"


def test_a_division_after_another_one_is_counted(graph):
    i = tf.constant([1, 2])
    assert [(i / i).name, tf.divide(i, i).name, (2 / i).name] == [
        "truediv:0", "truediv_1:0", "truediv_2:0"
    ]  # fmt: skip
    assert [each.name for each in graph.get_operations()][1:4] == [
        "truediv/Cast", "truediv/Cast_1", "truediv"
    ]  # fmt: skip
