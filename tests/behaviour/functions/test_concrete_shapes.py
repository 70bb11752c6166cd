"""Concrete functions that get other shapes than they were traced for, and traces that serve several
shapes. The values are TensorFlow's, but where a comment says what it answers instead.
"""

import pytest

import emplace.tensorflow as tf

PAIR = tf.TensorSpec([2], tf.float32)
ROWS = tf.TensorSpec([2, 3], tf.float32)
THREE = [1.0, 2.0, 3.0]


def concrete(python_function, *specs, **options):
    return tf.function(python_function, **options).get_concrete_function(*specs)


def called(python_function, value, spec=PAIR):
    made = concrete(python_function, spec)(tf.constant(value))
    return tf.nest.map_structure(lambda x: x.numpy().tolist(), made)


def chosen(x):
    return tf.cond(tf.shape(x)[0] > 2, lambda: x * 2, lambda: x * 3)


def doubled_three_times(x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (0, x))[1]


@pytest.mark.parametrize(
    ("function", "given", "wanted"),
    [
        (lambda x: x * 2, THREE, [2.0, 4.0, 6.0]),
        (lambda x: x * 2, [[1.0, 2.0]], [[2.0, 4.0]]),
        (lambda x: x * 2, 5.0, 10.0),
        (lambda x: x, THREE, THREE),
        (lambda x: [x, {"a": x + 1}], THREE, [THREE, {"a": [2.0, 3.0, 4.0]}]),
        (tf.reduce_mean, [1.0, 2.0, 6.0], 3.0),
        (lambda x: tf.concat([x, x], 0), THREE, THREE + THREE),
        (lambda x: tf.reshape(x, [-1]), THREE, THREE),
        (lambda x: x[-1], THREE, 3.0),
        (lambda x: tf.split(x, 2), [1.0, 2.0, 3.0, 4.0], [[1.0, 2.0], [3.0, 4.0]]),
        (lambda x: tf.py_function(lambda y: y * 2, [x], tf.float32), THREE, [2.0, 4.0, 6.0]),
        (doubled_three_times, THREE, [8.0, 16.0, 24.0]),
    ],
)
def test_other_shapes_are_computed(function, given, wanted):
    assert called(function, given) == wanted


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: x.shape[0] * tf.ones([]), 2.0),
        (tf.shape, [2]),
        (tf.size, 2),
        (tf.rank, 1),
        (lambda x: tf.ones(tf.shape(x)), [1.0, 1.0]),
        (lambda x: tf.range(tf.shape(x)[0]), [0, 1]),
        (lambda x: tf.map_fn(lambda y: y * 2, x), [2.0, 4.0]),
        (chosen, [3.0, 6.0, 9.0]),
        (lambda x: tf.gradients(tf.reduce_mean(x), x)[0], [0.5, 0.5]),
    ],
)
def test_sizes_that_the_trace_knows_stay(function, wanted):
    assert called(function, THREE) == wanted


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + tf.constant([1.0, 2.0]),
        tf.unstack,
        lambda x: tf.split(x, 2),
        lambda x: tf.ensure_shape(x, [2]),
        lambda x: tf.reshape(x, [2, 1]),
    ],
)
def test_operations_refuse_what_does_not_fit(function):
    with pytest.raises(tf.errors.InvalidArgumentError):
        called(function, THREE)


def test_what_is_made_of_shapes_by_ops_follows_the_shape():
    # TensorFlow makes constants of these while tracing, of the size that it knows: [1, 1], [1, 2].
    assert called(tf.ones_like, THREE) == [1.0, 1.0, 1.0]
    assert called(tf.sort, [3.0, 2.0, 1.0]) == THREE


def test_two_tensors_need_only_fit_each_other():
    add = concrete(lambda x, y: x + y, PAIR, PAIR)
    assert add(tf.constant(THREE), tf.constant(THREE)).numpy().tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        add(tf.constant(THREE), tf.constant([1.0, 2.0]))


def test_the_way_back_is_that_of_the_given_shape():
    # TensorFlow: "Incompatible shapes: [2] vs. [3]", for the gradient was traced as well.
    x = tf.constant(THREE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = concrete(lambda x: tf.reduce_mean(x * x), PAIR)(x)
    assert tape.gradient(y, x).numpy() == pytest.approx([2 / 3, 4 / 3, 2.0])


def test_variables_are_read_and_watched():
    v = tf.Variable([1.0, 2.0])
    scaled = concrete(lambda x: tf.reduce_sum(x) * v, PAIR)
    with tf.GradientTape() as tape:
        y = scaled(tf.constant(THREE))
    assert y.numpy().tolist() == [6.0, 12.0]
    assert tape.gradient(y, v).numpy().tolist() == [6.0, 6.0]


def test_effects_happen_once_and_in_order():
    v, seen = tf.Variable(0.0), []

    def add(x):
        v.assign_add(tf.reduce_sum(x))
        tf.py_function(lambda: seen.append(float(v)), [], [])
        v.assign_add(100.0)
        return v.read_value()

    assert called(add, THREE) == 106.0
    assert seen == [6.0]


def test_a_gradient_of_the_program_is_not_guessed():
    @tf.custom_gradient
    def scaled(x):
        return x * 2, lambda dy: dy * x

    function = concrete(scaled, PAIR)
    x = tf.constant(THREE)
    assert function(x).numpy().tolist() == [2.0, 4.0, 6.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(TypeError, match="traced for a tensor x of shape"):
            function(x)


# -- what is checked ------------------------------------------------------------------------------


@pytest.mark.parametrize("around", [lambda f: f, tf.function])
def test_dtypes_are_checked(around):
    double = concrete(lambda x: x * 2, PAIR)
    with pytest.raises(tf.errors.InvalidArgumentError):
        around(lambda: double(tf.constant([1, 2])))()


def test_a_graph_takes_shapes_that_fit_only():
    double = concrete(lambda x: x * 2, PAIR)
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(3,\)"):
        tf.function(lambda: double(tf.constant(THREE)))()
    with tf.Graph().as_default(), pytest.raises(TypeError, match="of shape"):
        double(tf.zeros([3]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def unknown(x):
        return double(x)

    assert unknown(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("specs", "given"),
    [
        ([[PAIR, PAIR]], [[tf.ones(3), tf.ones(3)]]),
        ([{"a": PAIR}], [{"a": tf.ones(3)}]),
        ([PAIR], [THREE]),
        ([tf.RaggedTensorSpec([2, None], tf.int32)], [tf.ragged.constant([[1], [2], [3]])]),
    ],
)
def test_structures_and_plain_values_must_fit(specs, given):
    with pytest.raises(TypeError, match="Can not cast"):
        concrete(tf.nest.flatten, *specs)(*given)


def test_a_plain_argument_that_is_given_again_lets_the_shape_be_checked():
    scale = concrete(lambda x, n: x * n, PAIR, 3.0)
    assert scale(tf.constant(THREE)).numpy().tolist() == [3.0, 6.0, 9.0]
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        scale(tf.constant(THREE), 3.0)


# -- one trace for several shapes -----------------------------------------------------------------


@pytest.fixture
def traced():
    seen = []

    @tf.function
    def function(x):
        seen.append(x.shape.as_list() if x.shape.rank is not None else None)
        return x * 2

    return function, seen


def test_a_wider_trace_serves_a_call(traced):
    function, seen = traced
    made = function.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert function(tf.constant(THREE)).numpy().tolist() == [2.0, 4.0, 6.0]
    assert function(tf.ones(4)).shape == [4]
    assert function.get_concrete_function(tf.ones(5)) is made
    assert seen == [[None]]
    assert function.experimental_get_tracing_count() == 1


def test_of_several_the_trace_that_knows_most_serves(traced):
    function, seen = traced
    narrow = function.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
    function.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert function.get_concrete_function(tf.ones([3, 2])) is narrow
    function(tf.ones(3))
    assert seen == [[None, 2], None]


def test_a_trace_of_the_shape_itself_comes_first(traced):
    function, seen = traced
    function(tf.ones(3))
    function.get_concrete_function(tf.TensorSpec([None], tf.float32))
    function(tf.ones(3))
    function(tf.ones(4))
    assert seen == [[3], [None]]


def test_a_wider_trace_of_ragged_tensors_serves(traced):
    function, seen = traced
    function.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32))
    assert function(tf.ragged.constant([[1.0], [2.0, 3.0]])).to_list() == [[2.0], [4.0, 6.0]]
    assert seen == [[None, None]]


def test_a_call_with_a_spec_in_the_place_of_a_value_is_refused():
    @tf.function
    def filled(spec, x):
        return tf.fill([2], x)

    x = tf.constant(1.0)
    for spec in (tf.TensorSpec([2]), tf.RaggedTensorSpec([2, None]), [tf.TensorSpec(None)]):
        with pytest.raises(ValueError, match=r"Attempt to convert a value \(.*Spec\("):
            filled(spec, x)
        with pytest.raises(ValueError, match=r"Attempt to convert a value \(.*Spec\("):
            tf.function(filled)(spec, x)
    found = filled.get_concrete_function(tf.TensorSpec([2]), x)
    assert found(tf.zeros([2]), x).numpy().tolist() == [1.0, 1.0]
