"""TF 1's library where a recorded program does not show it: flags, messages, contrib, shapes."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import numpy as np
import programs
import pytest

import emplace.tensorflow.compat.v1 as tf1
from emplace.tensorflow.examples.tutorials.mnist import input_data
from emplace.v1 import contrib


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    tf1.disable_v2_behavior()
    with tf1.Graph().as_default() as graph:
        yield graph


def test_elements_of_shapes_have_a_value():
    x = tf1.placeholder(tf1.float32, [None, 3])
    assert x.shape[1].value == 3
    assert x.get_shape()[0].value is None
    assert x.shape[1] * 2 == 6
    assert [each.value for each in x.shape] == [None, 3]
    assert x.shape.as_list() == [None, 3]


@pytest.mark.parametrize(
    ("dims", "text", "full"),
    [
        (None, "<unknown>", "TensorShape(None)"),
        ([], "()", "TensorShape([])"),
        ([None], "(?,)", "TensorShape([Dimension(None)])"),
        ([2, None], "(2, ?)", "TensorShape([Dimension(2), Dimension(None)])"),
    ],
)
def test_texts_of_shapes_are_those_of_tf1(dims, text, full):
    shape = tf1.TensorShape(dims)
    assert (str(shape), repr(shape)) == (text, full)


def test_a_tensors_text_says_unknown_sizes_with_question_marks():
    x = tf1.placeholder(tf1.float32, [None, 3], name="x")
    assert str(x) == 'Tensor("x:0", shape=(?, 3), dtype=float32)'
    tf1.enable_v2_tensorshape()
    assert str(x) == 'Tensor("x:0", shape=(None, 3), dtype=float32)'


@pytest.mark.parametrize(
    ("known", "given", "message"),
    [
        (
            [None, 3], [None, 4],
            "Dimension 1 in both shapes must be equal, but are 3 and 4. "
            "Shapes are [?,3] and [?,4].",
        ),
        ([2], [], "Shapes must be equal rank, but are 1 and 0"),
    ],
)  # fmt: skip
def test_a_shape_that_contradicts_what_is_known_is_refused(known, given, message):
    x = tf1.placeholder(tf1.float32, known)
    with pytest.raises(ValueError) as refused:
        x.set_shape(given)
    assert str(refused.value) == message


def test_elements_of_shapes_are_numbers_again_with_tf2s_shapes():
    tf1.enable_v2_tensorshape()
    x = tf1.placeholder(tf1.float32, [None, 3])
    assert x.shape[0] is None
    assert type(x.shape[1]) is int


def test_runs_draw_other_numbers_and_sessions_the_same():
    tf1.set_random_seed(5)
    x = tf1.random_normal([3])
    runs = []
    for _ in range(2):
        with tf1.Session() as session:
            runs.append([session.run(x).tolist() for _ in range(2)])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]


def test_numbers_are_drawn_for_sizes_that_feeds_tell():
    x = tf1.placeholder(tf1.float32, [None, 2])
    noise = tf1.random_uniform(tf1.shape(x), seed=1)
    with tf1.Session() as session:
        assert session.run(noise, {x: np.ones((4, 2))}).shape == (4, 2)
        assert session.run(noise, {x: np.ones((1, 2))}).shape == (1, 2)


def test_variables_are_shared_by_code_in_branches():
    x = tf1.placeholder(tf1.float32, [])
    with tf1.variable_scope("s", reuse=tf1.AUTO_REUSE):
        start = tf1.constant_initializer(2.0)
        y = tf1.cond(
            x > 0.0,
            lambda: x * tf1.get_variable("w", [], initializer=start),
            lambda: -x * tf1.get_variable("w", [], initializer=start),
        )
    assert [v.name for v in tf1.global_variables()] == ["s/w:0"]
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert session.run(y, {x: 3.0}) == 6.0
        assert session.run(y, {x: -3.0}) == 6.0


def test_assigning_to_a_tensor_is_refused():
    with pytest.raises(TypeError, match=r"tf.assign changes variables, and got"):
        tf1.assign(tf1.constant(1.0), 2.0)


def test_metrics_do_not_exist_in_eager_mode():
    tf1.enable_v2_behavior()
    with tf1.init_scope(), pytest.raises(RuntimeError, match=r"tf.metrics.mean is not supported"):
        tf1.metrics.mean([1.0])


@pytest.mark.parametrize("labels", ["float64", "float16", "int32"])
def test_labels_of_a_softmax_take_the_dtype_of_the_scores(labels):
    given, scores = tf1.constant([[0, 1]], labels), tf1.constant([[1.0, 2.0]])
    for loss in (
        tf1.nn.softmax_cross_entropy_with_logits(labels=given, logits=scores),
        tf1.nn.softmax_cross_entropy_with_logits_v2(labels=given, logits=scores),
    ):
        assert loss.dtype == tf1.float32
        with tf1.Session() as session:
            assert session.run(loss).tolist() == pytest.approx([0.31326166])


def test_contrib_layers_name_their_variables_as_contrib_did():
    x = tf1.ones([2, 4, 4, 1])
    net = contrib.layers.conv2d(x, 3, 3, normalizer_fn=contrib.layers.batch_norm)
    net = contrib.layers.flatten(contrib.layers.max_pool2d(net, 2))
    regularizer = contrib.layers.l2_regularizer(0.1)
    contrib.layers.fully_connected(net, 2, weights_regularizer=regularizer, scope="out")
    assert [v.name for v in tf1.trainable_variables()] == [
        "Conv/weights:0", "Conv/BatchNorm/beta:0", "out/weights:0", "out/biases:0",
    ]  # fmt: skip
    assert len(tf1.losses.get_regularization_losses()) == 1


def test_an_arg_scope_gives_layers_arguments_and_calls_count_more():
    slim, x = contrib.slim, tf1.ones([2, 4])
    with slim.arg_scope([slim.fully_connected], activation_fn=None) as outer:
        with slim.arg_scope([slim.fully_connected], biases_initializer=None, scope="inner"):
            inner = slim.fully_connected(x, 3)
        own = slim.fully_connected(x, 3, activation_fn=tf1.nn.relu, scope="own")
    plain = slim.fully_connected(x, 3, scope="plain")
    with slim.arg_scope(outer):
        again = slim.fully_connected(x, 3, scope="again")
    kinds = [tensor.op.type for tensor in (inner, own, plain, again)]
    assert kinds == ["MatMul", "Relu", "Relu", "BiasAdd"]
    assert [v.name for v in tf1.trainable_variables("inner")] == ["inner/weights:0"]


def test_an_arg_scope_wants_functions_that_take_one():
    slim = contrib.slim
    with pytest.raises(ValueError, match=r"'relu'\) is not decorated with @add_arg_scope"):
        slim.arg_scope([tf1.nn.relu], name="x").__enter__()
    with pytest.raises(TypeError, match=r"must either be a list/tuple or reused scope"):
        slim.arg_scope(slim.conv2d, stride=2).__enter__()
    with pytest.raises(ValueError, match=r"by suppling a dictionary, kwargs must be empty"):
        slim.arg_scope({}, stride=2).__enter__()
    assert contrib.framework.has_arg_scope(slim.conv2d)


def test_updates_of_batch_norm_run_before_its_outputs_without_a_collection():
    x = tf1.constant([[1.0], [3.0]])
    outputs = contrib.layers.batch_norm(x, 0.5, updates_collections=None)
    contrib.layers.batch_norm(x, 0.5, updates_collections="mine")
    assert not tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
    assert len(tf1.get_collection("mine")) == 2
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        session.run(outputs)
        mean = tf1.global_variables("BatchNorm/moving_mean")[0]
        assert session.run(mean).tolist() == [1.0]


def test_slim_has_the_mean_of_windows_and_rows_with_one_element_set():
    slim, image = contrib.slim, tf1.constant([[[[1.0], [3.0]], [[5.0], [7.0]]]])
    with tf1.Session() as session:
        assert session.run(slim.avg_pool2d(image, 2)).item() == 4.0
        assert session.run(slim.one_hot_encoding([1], 3)).tolist() == [[0.0, 1.0, 0.0]]


def test_contrib_has_the_datasets_and_the_global_step():
    dataset = contrib.data.Dataset.range(4).apply(contrib.data.map_and_batch(lambda x: x * 2, 4))
    batch = dataset.make_one_shot_iterator().get_next()
    step = contrib.framework.get_or_create_global_step()
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert session.run(batch).tolist() == [0, 2, 4, 6]
        assert session.run(step) == 0


def test_a_legacy_decoder_shares_its_weights_over_the_steps():
    steps = [tf1.ones([2, 3])] * 3
    cell = contrib.rnn.BasicRNNCell(4)
    outputs, last = contrib.legacy_seq2seq.rnn_decoder(steps, cell.zero_state(2, tf1.float32), cell)
    assert [x.shape.as_list() for x in outputs] == [[2, 4]] * 3
    assert last is outputs[-1]
    assert [v.name for v in tf1.trainable_variables()] == [
        "rnn_decoder/basic_rnn_cell/kernel:0", "rnn_decoder/basic_rnn_cell/bias:0",
    ]  # fmt: skip


def test_a_legacy_decoder_can_take_its_own_outputs_as_inputs():
    def cell(x: tf1.Tensor, state: tf1.Tensor) -> tuple[tf1.Tensor, tf1.Tensor]:
        return x + 1.0, state + 1.0

    outputs, last = contrib.legacy_seq2seq.rnn_decoder(
        [tf1.zeros([1, 1])] * 3, tf1.zeros([1]), cell, lambda output, step: output * 10.0 + step
    )
    with tf1.Session() as session:
        values, state = session.run([outputs, last])
    assert [x.item() for x in values] == [1.0, 12.0, 123.0]
    assert state.item() == 3.0


def test_legacy_sequence_losses_weigh_each_step():
    logits = [tf1.zeros([2, 4]), tf1.zeros([2, 2])]
    targets = [tf1.constant([0, 3]), tf1.constant([1, 0])]
    weights = [tf1.constant([1.0, 1.0]), tf1.constant([1.0, 0.0])]
    legacy = contrib.legacy_seq2seq
    with tf1.Session() as session:
        each = session.run(legacy.sequence_loss_by_example(logits, targets, weights))
        mean = session.run(legacy.sequence_loss(logits, targets, weights))
    expected = [(np.log(4) + np.log(2)) / 2, np.log(4)]
    np.testing.assert_allclose(each, expected, rtol=1e-6)
    assert mean == pytest.approx(np.mean(expected))


def test_a_legacy_sequence_loss_wants_lists_of_one_length():
    with pytest.raises(ValueError, match="targets must be the same 1, 0, 1"):
        contrib.legacy_seq2seq.sequence_loss([tf1.zeros([1, 2])], [tf1.constant([0])], [])


def test_what_contrib_does_not_have_names_what_replaces_it():
    with pytest.raises(AttributeError, match=r"tf.contrib.crf does not exist.*tf.scan"):
        _ = contrib.crf
    with pytest.raises(AttributeError, match=r"tf.contrib.slim.losses does not exist.*tf.layers"):
        _ = contrib.slim.losses


def test_messages_are_shown_from_their_level_on(caplog):
    before = tf1.logging.get_verbosity()
    tf1.logging.set_verbosity(tf1.logging.INFO)
    tf1.logging.info("step %d", 3)
    tf1.logging.debug("nobody sees this")
    for i in range(4):
        tf1.logging.log_every_n(tf1.logging.INFO, "every second: %d", 2, i)
    tf1.logging.set_verbosity(before)
    assert caplog.record_tuples == [
        ("tensorflow", 20, "step 3"),
        ("tensorflow", 20, "every second: 0"),
        ("tensorflow", 20, "every second: 2"),
    ]


PROGRAM = """
import emplace.v1 as tf
tf.flags.DEFINE_integer("steps", 2, "How many steps.")
tf.app.flags.DEFINE_boolean("fast", False, "Whether to hurry.")
FLAGS = tf.flags.FLAGS

def main(argv):
    print(FLAGS.steps, FLAGS.fast, argv[1:])

if __name__ == "__main__":
    tf.app.run()
"""


def test_an_app_reads_its_flags(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = programs.script(path, "--steps=5", "--fast", "file")
    assert done.stdout == "5 True ['file']\n", done.stderr


def test_files_have_their_old_functions(tmp_path):
    path = tmp_path / "a.txt"
    with tf1.gfile.GFile(str(path), "w") as file:
        file.write("text")
    assert tf1.gfile.Exists(str(path))
    assert tf1.gfile.ListDirectory(str(tmp_path)) == ["a.txt"]
    tf1.gfile.Remove(str(path))
    assert not tf1.gfile.Exists(str(path))


def test_a_cell_of_the_programs_own_runs_over_time():
    class Sum(tf1.nn.rnn_cell.RNNCell):
        state_size = output_size = 2

        def call(self, inputs, state):
            new = inputs + state
            return new, new

    steps = tf1.ones([1, 3, 2])
    outputs, state = tf1.nn.dynamic_rnn(Sum(), steps, dtype=tf1.float32)
    with tf1.Session() as session:
        out, last = session.run([outputs, state])
    assert out[0, :, 0].tolist() == [1.0, 2.0, 3.0]
    assert last.tolist() == [[3.0, 3.0]]


def write_digits(folder, count):
    images = np.arange(count * 4, dtype=np.uint8).reshape(count, 2, 2)
    labels = (np.arange(count) % 10).astype(np.uint8)
    for stem, array in (("images-idx3", images), ("labels-idx1", labels)):
        sizes = np.array(array.shape, ">i4").tobytes()
        raw = b"\x00\x00\x08" + bytes([array.ndim]) + sizes + array.tobytes()
        (folder / f"train-{stem}-ubyte.gz").write_bytes(gzip.compress(raw))
        (folder / f"t10k-{stem}-ubyte").write_bytes(raw)


def test_digits_are_read_from_files(tmp_path):
    write_digits(tmp_path, 12)
    digits = input_data.read_data_sets(str(tmp_path), one_hot=True, validation_size=2)
    assert [part.num_examples for part in digits] == [10, 2, 12]
    assert digits.train.images.shape == (10, 4)
    seen = []
    for _ in range(5):
        images, labels = digits.train.next_batch(4)
        assert images.shape == (4, 4)
        seen += labels.argmax(1).tolist()
    assert sorted(seen) == sorted(2 * [*range(2, 10), 0, 1])
    assert digits.train.epochs_completed == 1


def test_missing_digits_say_where_to_put_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="put the four files of MNIST"):
        input_data.read_data_sets(str(tmp_path))


def test_print_writes_whenever_its_tensor_is_computed(capsys):
    x = tf1.placeholder(tf1.float32, [2])
    y = tf1.Print(x, [x * 2.0], "doubled: ") + 1.0
    with tf1.Session() as session:
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [2.0, 3.0]
        session.run(y, {x: [3.0, 4.0]})
    assert capsys.readouterr().err == "doubled: [2 4]\ndoubled: [6 8]\n"


def test_regularizers_take_tensors_too_and_are_summed():
    layers = contrib.layers
    weights = tf1.constant([1.0, -2.0])
    both = layers.l1_l2_regularizer(0.5, 2.0)(weights)
    none = [layers.l1_regularizer(0.0)(weights), layers.l2_regularizer(0.0)(weights)]
    assert none == [None, None]
    assert layers.l1_l2_regularizer(0.0, 0.0)(weights) is None
    assert layers.sum_regularizer([None]) is None
    with tf1.Session() as session:
        assert session.run(both) == 6.5


def test_weights_of_a_collection_are_regularized():
    layers = contrib.layers
    penalty = layers.l2_regularizer(2.0)
    with pytest.raises(ValueError, match=r"No weights to regularize\."):
        layers.apply_regularization(penalty)
    w = tf1.get_variable("w", initializer=tf1.constant([1.0, 2.0]))
    tf1.add_to_collection(tf1.GraphKeys.WEIGHTS, w)
    total = layers.apply_regularization(penalty)
    assert tf1.losses.get_regularization_losses() == [total]
    nothing = layers.apply_regularization(lambda _: None, [w, w])
    with pytest.raises(ValueError, match=r"instead of a Tensor with rank 1\."):
        layers.apply_regularization(lambda x: x * 2.0, [w])
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        assert session.run([total, nothing]) == [5.0, 0.0]


@pytest.mark.parametrize(
    ("scale", "message"),
    [(1, "scale cannot be an integer: 1"), (-0.5, "Setting a scale less than 0 on a regularizer")],
)
def test_scales_of_regularizers_are_checked(scale, message):
    for kind in (contrib.layers.l1_regularizer, contrib.layers.l2_regularizer):
        with pytest.raises(ValueError, match=message):
            kind(scale)
