"""Functions of tensors of which sizes, or the rank, are known only when the graph runs.

What is known of a result must be true whatever comes: Python reads it. What TensorFlow 2.21 does in
each case was asked of it.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf

_RANDOM = np.random.RandomState(0)


def _floats(*dims: int):
    return _RANDOM.rand(*dims).astype("float32")


def traced(function, *arrays, spec):
    specs = [tf.TensorSpec(spec(x), x.dtype) for x in arrays]
    return tf.function(function, input_signature=specs, autograph=False)


def sizes_unknown(x):
    return [None] * x.ndim


def rank_unknown(x):
    return None


IMAGE, FILTER = _floats(1, 7, 8, 2), _floats(3, 2, 2, 4)
WINDOWS = {
    "conv1d": (lambda x, f: tf.nn.conv1d(x, f, 1, "VALID"), _floats(1, 7, 2), _floats(3, 2, 4)),
    "conv2d": (lambda x, f: tf.nn.conv2d(x, f, 1, "VALID"), IMAGE, FILTER),
    "conv2d, padded": (
        lambda x, f: tf.nn.conv2d(x, f, 1, [[0, 0], [2, 2], [1, 0], [0, 0]]), IMAGE, FILTER,
    ),
    "conv3d": (
        lambda x, f: tf.nn.conv3d(x, f, [1] * 5, "VALID"),
        _floats(1, 4, 5, 6, 2), _floats(2, 3, 2, 2, 3),
    ),
    "depthwise": (
        lambda x, f: tf.nn.depthwise_conv2d(x, f, [1] * 4, "VALID"), IMAGE, _floats(3, 2, 2, 2),
    ),
    "erosion": (
        lambda x, f: tf.nn.erosion2d(x, f, [1] * 4, "VALID", "NHWC", [1] * 4),
        IMAGE, _floats(3, 2, 2),
    ),
    "dilation": (
        lambda x, f: tf.nn.dilation2d(x, f, [1] * 4, "VALID", "NHWC", [1] * 4),
        IMAGE, _floats(3, 2, 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_of_unknown_size_leaves_a_number_of_places_that_is_unknown(name: str):
    function, x, window = WINDOWS[name]
    seen = []

    def looked_at(*given):
        made = function(*given)
        seen.append(made.shape)
        return made

    found = traced(looked_at, x, window, spec=sizes_unknown)(x, window)
    assert all(size is None for size in seen[0].as_list()[1:-1]), seen
    np.testing.assert_allclose(found, function(x, window), rtol=1e-4, atol=1e-5)


def test_what_a_deferred_function_leaves_by_chance_is_not_known():
    seen = []

    def windows(x, f):
        made = tf.nn.conv1d(x, f, 1, "VALID")  # further batches: the call waits for sizes
        seen.append(made.shape.as_list())
        return made

    x, f = _floats(2, 3, 7, 2), _floats(3, 2, 4)
    found = traced(windows, x, f, spec=sizes_unknown)(x, f)
    assert seen[0] == [None] * 4
    assert found.shape == [2, 3, 5, 4]


VECTOR, MATRIX, PICTURES = _floats(4), _floats(3, 2), _floats(2, 5, 6, 3)
FUNCTIONS = {
    "boolean_mask": (lambda x: tf.boolean_mask(x, [True, False, True]), MATRIX),
    "flip_left_right": (tf.image.flip_left_right, PICTURES),
    "flip_up_down": (tf.image.flip_up_down, PICTURES),
    "image.transpose": (tf.image.transpose, PICTURES),
    "is_jpeg": (lambda x: tf.image.is_jpeg(tf.image.encode_png(x)), np.zeros([3, 4, 3], "uint8")),
    "linspace": (lambda x: tf.linspace(x, [1.0, 2.0], 4, axis=1), MATRIX),
    "matrix_rank": (tf.linalg.matrix_rank, MATRIX),
    "norm": (lambda x: tf.norm(x, ord=2, axis=[0, 1], keepdims=True), MATRIX),
    "pinv": (tf.linalg.pinv, MATRIX),
    "pool, dilated": (
        lambda x: tf.nn.pool(x, [2, 2], "MAX", padding="VALID", dilations=[2, 2]), PICTURES,
    ),
    "pool": (lambda x: tf.nn.pool(x, [2, 2], "AVG"), PICTURES),
    "rgb_to_grayscale": (tf.image.rgb_to_grayscale, PICTURES),
    "rot90": (lambda x: tf.image.rot90(x, 1), PICTURES),
    "separable_conv2d": (
        lambda x: tf.nn.separable_conv2d(PICTURES, tf.ones([2, 2, 3, 1]), x, [1] * 4, "SAME"),
        _floats(1, 1, 3, 2),
    ),
    "signbit": (tf.experimental.numpy.signbit, np.array([True, False])),
    "sparse.retain": (
        lambda x: tf.sparse.retain(tf.SparseTensor([[0], [2]], x, [3]), [True, False]).values,
        _floats(2),
    ),
    "sparse.map_values": (
        lambda x: tf.sparse.map_values(
            tf.add, tf.SparseTensor([[0], [2]], x, [3]), tf.SparseTensor([[0], [2]], x, [3])
        ).values,
        _floats(2),
    ),
    "ssim": (lambda x: tf.image.ssim(x, x * 0.5, 4.0), _floats(12, 11, 2)),
    "sufficient_statistics": (lambda x: tf.nn.sufficient_statistics(x, [0])[:3], MATRIX),
    "unsorted_segment_mean": (lambda x: tf.math.unsorted_segment_mean(x, [1, 0, 1], 3), MATRIX),
    "unsorted_segment_sqrt_n": (
        lambda x: tf.math.unsorted_segment_sqrt_n(x, [1, 0, 1], 3), MATRIX,
    ),
    "Unpack": (lambda x: tf.raw_ops.Unpack(value=x, num=3), MATRIX),
    "GatherV2": (lambda x: tf.raw_ops.GatherV2(params=x, indices=[2, 0], axis=0), MATRIX),
    "ragged: reduce_sum": (
        lambda x: tf.reduce_sum(tf.RaggedTensor.from_row_splits(x, [0, 1, 1, 3])), MATRIX,
    ),
    "ragged: reduce_max of rows": (
        lambda x: tf.reduce_max(tf.RaggedTensor.from_row_splits(x, [0, 1, 3]), axis=1), MATRIX,
    ),
    "ragged: a slice": (
        lambda x: tf.RaggedTensor.from_row_splits(x, [0, 1, 1, 3])[1:].values, MATRIX,
    ),
    "clip_by_value": (lambda x: tf.clip_by_value(x, x * 0.5, tf.constant([0.3, 0.6])), MATRIX),
    **{
        f"softmax_cross_entropy_with_logits, {axis}": (
            lambda x, axis=axis: tf.nn.softmax_cross_entropy_with_logits(x, x * 2.0, axis=axis),
            _floats(2, 3, 4),
        )
        for axis in (0, 1, -1)
    },
}  # fmt: skip


@pytest.mark.parametrize("spec", [sizes_unknown, rank_unknown])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_sizes_or_the_rank_may_be_unknown(name: str, spec):
    function, x = FUNCTIONS[name]
    found, expected = traced(function, x, spec=spec)(x), function(x)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_batches_of_ragged_numbers_are_gathered_from_a_tensor_of_unknown_sizes():
    numbers = tf.ragged.constant([[[0], [1, 1], [2]], [[2], [1], [0, 0]]])
    x = np.arange(24).reshape(2, 3, 4)

    def gathered(x):
        return tf.gather(x, numbers, axis=2, batch_dims=1)

    assert traced(gathered, x, spec=sizes_unknown)(x).to_list() == gathered(x).to_list()


def test_labels_of_one_class_stretch_to_all_classes_of_their_place():
    scores = _floats(2, 2, 4)
    labels = _floats(2, 2, 1)
    found = tf.nn.softmax_cross_entropy_with_logits(labels, scores)
    whole = tf.nn.softmax_cross_entropy_with_logits(np.repeat(labels, 4, -1), scores)
    np.testing.assert_allclose(found, whole, rtol=1e-5)


def test_sparse_tensors_of_other_places_are_refused_when_the_graph_runs():
    def added(places):
        ones = tf.ones([2])
        a, b = tf.SparseTensor([[0], [2]], ones, [3]), tf.SparseTensor(places, ones, [3])
        return tf.sparse.map_values(tf.add, a, b).values

    late = tf.function(added, input_signature=[tf.TensorSpec([None, 1], tf.int64)])
    assert late(np.array([[0], [2]])).numpy().tolist() == [2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be the same in map_values"):
        late(np.array([[0], [1]]))


def test_no_parts_are_refused_while_a_function_of_unknown_sizes_is_traced():
    with pytest.raises(ValueError, match="passed 0 less than minimum 1"):
        traced(lambda x: tf.split(x, 0), MATRIX, spec=sizes_unknown)(MATRIX)
    with pytest.raises(ValueError, match="passed 0 less than minimum 1"):
        traced(lambda x: tf.split(x, []), MATRIX, spec=sizes_unknown)(MATRIX)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid seq_dim -1"):
        traced(lambda x: tf.reverse_sequence(x, [1, 2, 1], -1), MATRIX, spec=sizes_unknown)(MATRIX)


def test_cepstra_of_nothing_are_nothing():
    found = traced(tf.signal.mfccs_from_log_mel_spectrograms, MATRIX, spec=sizes_unknown)
    assert found(_floats(2, 0)).shape == [2, 0]


def test_a_number_of_parts_that_is_wrong_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must equal 2, got shape"):
        tf.raw_ops.Unpack(value=MATRIX, num=2)
    late = traced(lambda x: tf.raw_ops.Unpack(value=x, num=2), MATRIX, spec=sizes_unknown)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must equal 2, got shape"):
        late(MATRIX)


@pytest.mark.parametrize("spec", [sizes_unknown, rank_unknown])
def test_an_output_that_no_input_types_has_the_type_that_its_op_takes_by_itself(spec):
    texts = np.array(["ab", "", "c"], object)
    traced_one = tf.function(
        lambda x: tf.strings.unicode_decode_with_offsets(x, "UTF-8"),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    points, places = traced_one(texts)
    assert (points.dtype, points.row_splits.dtype) == (tf.int32, tf.int64)
    assert (places.dtype, places.row_splits.dtype) == (tf.int64, tf.int64)
    assert points.to_list() == [[97, 98], [], [99]]
    found = traced(lambda x: tf.raw_ops.UniqueV2(x=x, axis=[0]), VECTOR, spec=spec)(VECTOR)
    assert found.idx.dtype == tf.int32
    kept = traced(lambda x: tf.raw_ops.ListDiff(x=x, y=x[:1]), VECTOR, spec=spec)(VECTOR)
    assert kept.idx.dtype == tf.int32


def test_classes_that_only_the_graph_counts_have_a_confusion_matrix():
    both = np.array([1, 2, 2]), np.array([0, 2, 1])
    count = traced(lambda x, y: tf.math.confusion_matrix(x, y), *both, spec=sizes_unknown)
    assert count(*both).numpy().tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 1]]
    assert count.get_concrete_function().structured_outputs.shape.as_list() == [None, None]
    with pytest.raises(tf.errors.InvalidArgumentError):
        count(np.array([-1, 2]), np.array([0, 2]))


def test_edges_and_gradients_of_images_of_unknown_size_are_those_of_known_size():
    for function in (tf.image.sobel_edges, tf.image.image_gradients):
        found = traced(function, PICTURES, spec=sizes_unknown)(PICTURES)
        tf.nest.map_structure(np.testing.assert_array_equal, found, function(PICTURES))


def test_labels_are_smoothed_by_as_many_classes_as_there_are():
    def loss(labels, logits):
        return tf.compat.v1.losses.softmax_cross_entropy(labels, logits, label_smoothing=0.1)

    labels, logits = np.eye(2, 3, dtype="float32"), _floats(2, 3)
    found = traced(loss, labels, logits, spec=sizes_unknown)(labels, logits)
    np.testing.assert_array_equal(found, loss(labels, logits))


def test_a_batch_of_unknown_size_that_does_not_depend_on_its_source_has_zeros_for_each_part():
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
        return tape.batch_jacobian(tf.reshape(y, [-1, 2]), x)

    found = traced(jacobian, MATRIX, spec=sizes_unknown)
    assert found(MATRIX).numpy().tolist() == np.zeros([3, 2, 2]).tolist()
    assert found.get_concrete_function().structured_outputs.shape.rank == 3


SYSTEM, SIDES = _floats(2, 3, 3) + 3 * np.eye(3, dtype="float32"), _floats(2, 3, 2)
SYSTEMS = {
    "lu_solve": lambda a, b: tf.linalg.lu_solve(*tf.linalg.lu(a), rhs=b),
    "lu_matrix_inverse": lambda a, b: tf.linalg.lu_matrix_inverse(*tf.linalg.lu(a)),
    "lu_reconstruct": lambda a, b: tf.linalg.lu_reconstruct(*tf.linalg.lu(a)),
    "tridiagonal_solve": tf.linalg.tridiagonal_solve,
    "tridiagonal_solve, of matrices": lambda a, b: tf.linalg.tridiagonal_solve(a, b, "matrix"),
    "tridiagonal_solve, of rows": lambda a, b: tf.linalg.tridiagonal_solve(
        [a[..., i, :] for i in range(3)], b, "sequence"
    ),
    "tridiagonal_matmul": lambda a, b: tf.linalg.tridiagonal_matmul(a, b, "matrix"),
}


@pytest.mark.parametrize("spec", [sizes_unknown, rank_unknown])
@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_of_unknown_size_are_solved_as_those_of_known_size(name: str, spec):
    function = SYSTEMS[name]
    found = traced(function, SYSTEM, SIDES, spec=spec)(SYSTEM, SIDES)
    np.testing.assert_allclose(found, function(tf.constant(SYSTEM), SIDES), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("spec", [sizes_unknown, rank_unknown])
@pytest.mark.parametrize("is_safe", [False, True])
def test_rows_of_a_table_of_unknown_size_are_combined(is_safe: bool, spec):
    look_up = tf.nn.safe_embedding_lookup_sparse if is_safe else tf.nn.embedding_lookup_sparse
    table = _floats(4, 3)
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 0], tf.int64), [2, 2])
    weights = ids.with_values(tf.constant([1.0, 2.0, 0.5]))
    found = tf.function(
        lambda x, i, w: look_up(x, i, w, combiner="sqrtn"),
        input_signature=[
            tf.TensorSpec(spec(table), tf.float32), tf.SparseTensorSpec([None, None], tf.int64),
            tf.SparseTensorSpec([None, None], tf.float32),
        ],
    )(table, ids, weights)  # fmt: skip
    expected = [(table[1] + 2 * table[2]) / np.sqrt(5), table[0]]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("blank", [-1, 0])
def test_sparse_labels_have_a_loss_where_the_number_of_classes_is_unknown(blank: int):
    logits, lengths = _floats(5, 2, 4), np.array([5, 4], np.int32)
    labels = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([1, 2, 1]), [2, 3])

    def loss(x, n):
        return tf.nn.ctc_loss(labels, x, None, n, blank_index=blank)

    found = traced(loss, logits, lengths, spec=sizes_unknown)(logits, lengths)
    np.testing.assert_allclose(found, loss(logits, lengths), rtol=1e-5)
