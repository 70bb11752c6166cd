"""`tf.train`'s input pipelines: queue runners, producers of rows, batches."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import emplace.tensorflow.compat.v1 as tf1
from emplace.base.errors import InvalidArgumentError, OutOfRangeError
from emplace.v1.contrib import slim


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    tf1.disable_v2_behavior()
    with tf1.Graph().as_default() as graph:
        yield graph


def runs(fetch: Any, most: int = 100) -> list[Any]:
    """What a session gives for `fetch` until its queues are empty, at most so often."""
    found = []
    with tf1.Session() as session:
        session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer()])
        coord = tf1.train.Coordinator()
        threads = tf1.train.start_queue_runners(session, coord)
        try:
            while not coord.should_stop() and len(found) < most:
                found.append(session.run(fetch))
        except OutOfRangeError as error:
            coord.request_stop(error)
        coord.request_stop()
        coord.join(threads)
    return found


def test_a_producer_gives_every_row_once_per_epoch():
    queue = tf1.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
    assert runs(queue.dequeue()) == [b"a", b"b", b"c"] * 2


def test_a_producer_that_shuffles_has_another_order_every_epoch():
    queue = tf1.train.range_input_producer(20, num_epochs=2, seed=3)
    found = [int(each) for each in runs(queue.dequeue())]
    assert sorted(found[:20]) == sorted(found[20:]) == list(range(20))
    assert found[:20] != found[20:]


def test_a_producer_without_epochs_never_ends():
    queue = tf1.train.input_producer([[1, 2], [3, 4]], shuffle=False)
    assert [each.tolist() for each in runs(queue.dequeue(), 3)] == [[1, 2], [3, 4], [1, 2]]


def test_slices_of_several_tensors_belong_together():
    x, y = tf1.train.slice_input_producer([[1, 2, 3], ["a", "b", "c"]], num_epochs=1)
    assert sorted(runs([x, y])) == [[1, b"a"], [2, b"b"], [3, b"c"]]


def test_epochs_are_counted_by_a_local_variable():
    tf1.train.limit_epochs(tf1.constant(1), 2)
    assert [v.name for v in tf1.local_variables()] == ["limit_epochs/epochs:0"]
    assert tf1.global_variables() == []
    x = tf1.train.limit_epochs(tf1.constant(5), 2)
    with tf1.Session() as session:
        session.run(tf1.local_variables_initializer())
        assert [session.run(x), session.run(x)] == [5, 5]
        with pytest.raises(OutOfRangeError, match="Reached limit of 2"):
            session.run(x)


def test_file_names_are_matched_once(tmp_path):
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text("x")
    names = tf1.train.match_filenames_once(str(tmp_path / "*.txt"))
    found = runs(tf1.train.string_input_producer(names, num_epochs=1, shuffle=False).dequeue())
    assert [each.decode().rsplit("/", 1)[1] for each in found] == ["a.txt", "b.txt"]


def test_a_batch_is_made_of_single_examples():
    x, y = tf1.train.slice_input_producer(
        [tf1.range(5), ["a", "b", "c", "d", "e"]], 1, shuffle=False
    )
    batches = runs(tf1.train.batch([x, y], 2))
    assert [(x.tolist(), y.tolist()) for x, y in batches] == [
        ([0, 1], [b"a", b"b"]),
        ([2, 3], [b"c", b"d"]),
    ]


def test_the_last_batch_may_be_smaller():
    x = tf1.train.range_input_producer(5, 1, shuffle=False).dequeue()
    batch = tf1.train.batch([x], 2, allow_smaller_final_batch=True)
    assert batch.shape.as_list() == [None]
    assert [each.tolist() for each in runs(batch)] == [[0, 1], [2, 3], [4]]


def test_batches_are_filled_up_to_their_longest():
    n = tf1.train.range_input_producer(4, 1, shuffle=False).dequeue()
    batch = tf1.train.batch({"n": tf1.fill([n], n)}, 2, dynamic_pad=True, shapes=[[None]])
    assert [each["n"].tolist() for each in runs(batch)] == [[[0], [1]], [[2, 2, 0], [3, 3, 3]]]


def test_many_examples_at_a_time():
    rows = tf1.train.limit_epochs(tf1.constant([[1, 2], [3, 4], [5, 6]]), 1)
    batch = tf1.train.batch([rows], 2, enqueue_many=True)
    assert batch.name == "batch:0"
    assert batch.shape.as_list() == [2, 2]
    assert runs(batch)[0].tolist() == [[1, 2], [3, 4]]


def test_only_what_shall_be_kept_is_in_the_batch():
    x = tf1.train.range_input_producer(6, 1, shuffle=False).dequeue()
    even = tf1.equal(x % 2, 0)
    assert runs(tf1.train.maybe_batch([x], even, 3))[0].tolist() == [0, 2, 4]


def test_only_the_rows_that_shall_be_kept_are_in_the_batch():
    rows = tf1.train.limit_epochs(tf1.range(6), 1)
    batch = tf1.train.maybe_batch([rows], rows > 2, 3, enqueue_many=True)
    assert runs(batch)[0].tolist() == [3, 4, 5]


def test_a_shuffled_batch_has_every_example_once():
    x = tf1.train.range_input_producer(20, 1, shuffle=False).dequeue()
    batch = tf1.train.shuffle_batch([x], 5, capacity=20, min_after_dequeue=5, num_threads=3)
    found = [each for batch in runs(batch) for each in batch.tolist()]
    assert sorted(found) == list(range(20))
    assert found != list(range(20))


def test_batches_are_joined_of_several_readers():
    readers = [
        [tf1.train.input_producer(tf1.constant(rows), num_epochs=1).dequeue()]
        for rows in ([1, 2, 3], [4, 5, 6])
    ]
    found = runs(tf1.train.batch_join(readers, 6))
    assert sorted(found[0].tolist()) == [1, 2, 3, 4, 5, 6]
    join = tf1.train.shuffle_batch_join(readers, 2, 10, 2)
    assert join.name == "shuffle_batch_join:0"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf1.train.batch([], 2), r"Expected at least one tensor in batch\(\)"),
        (lambda: tf1.train.batch([tf1.placeholder(tf1.float32)], 2), "Cannot infer Tensor's rank"),
        (
            lambda: tf1.train.batch([tf1.placeholder(tf1.float32, [None])], 2),
            "All shapes must be fully defined",
        ),
        (lambda: tf1.train.string_input_producer([]), "requires a non-null input tensor"),
        (lambda: tf1.train.range_input_producer(3, 0), "num_epochs must be > 0 not 0"),
        (lambda: tf1.train.slice_input_producer([]), "Expected at least one tensor in slice_input"),
        (
            lambda: tf1.train.input_producer(tf1.placeholder(tf1.float32)),
            "must have a fully defined shape",
        ),
    ],
)
def test_what_cannot_be_batched_is_told(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_examples_of_other_types_cannot_be_joined():
    with pytest.raises(TypeError, match=r"Expected types to be consistent: float32 vs. int32"):
        tf1.train.batch_join([[tf1.constant(1.0)], [tf1.constant(1)]], 4)


def test_input_pipelines_need_graphs():
    tf1.enable_eager_execution()
    with tf1.init_scope(), pytest.raises(RuntimeError, match=r"Please use tf\.data"):
        tf1.train.string_input_producer(["a"])


def test_a_runner_has_a_thread_for_every_operation():
    queue = tf1.FIFOQueue(4, tf1.int32, shapes=[[]])
    runner = tf1.train.QueueRunner(queue, [queue.enqueue(1)] * 2)
    with tf1.Session() as session:
        coord = tf1.train.Coordinator()
        threads = runner.create_threads(session, coord, start=True)
        assert [each.name.rsplit("-", 1)[1] for each in threads] == [
            "fifo_queue_enqueue", "fifo_queue_enqueue", "close_on_stop",
        ]  # fmt: skip
        assert runner.create_threads(session, coord) == []
        assert session.run(queue.dequeue()) == 1
        coord.request_stop()
        coord.join(threads)
        assert not any(each.is_alive() for each in threads)


def test_the_coordinator_raises_what_a_thread_of_a_runner_raised():
    queue = tf1.FIFOQueue(4, tf1.int32, shapes=[[]])
    bad = queue.enqueue(tf1.reshape(tf1.placeholder_with_default([1, 2], [None]), []))
    tf1.train.add_queue_runner(tf1.train.QueueRunner(queue, [bad]))
    with tf1.Session() as session:
        coord = tf1.train.Coordinator()
        threads = tf1.train.start_queue_runners(session, coord)
        with pytest.raises(OutOfRangeError, match="insufficient elements"):
            session.run(queue.dequeue())
        with pytest.raises(InvalidArgumentError):
            coord.join(threads)


def test_what_a_thread_without_a_coordinator_raised_is_kept(capsys):
    queue = tf1.FIFOQueue(4, tf1.int32, shapes=[[]])
    bad = queue.enqueue(tf1.reshape(tf1.placeholder_with_default([1, 2], [None]), []))
    runner = tf1.train.QueueRunner(queue, [bad])
    with tf1.Session() as session:
        for thread in runner.create_threads(session, start=True):
            thread.join()
    assert [type(each) for each in runner.exceptions_raised] == [InvalidArgumentError]
    assert "Exception in QueueRunner" in capsys.readouterr().err


def test_threads_end_with_their_session():
    before = threading.active_count()
    queue = tf1.train.string_input_producer(["a", "b"])
    with tf1.Session() as session:
        threads = tf1.train.start_queue_runners(session)
        assert session.run(queue.dequeue()) in (b"a", b"b")
    for thread in threads:
        thread.join(30)
    assert not any(each.is_alive() for each in threads)
    assert threading.active_count() <= before


def test_runners_need_a_session():
    with pytest.raises(ValueError, match="Cannot start queue runners: No default session"):
        tf1.train.start_queue_runners()
    with pytest.raises(TypeError, match=r"sess must be a `tf.Session` object"):
        tf1.train.start_queue_runners(3)
    with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
        tf1.train.QueueRunner()


def test_a_prefetch_queue_holds_batches():
    x = tf1.train.range_input_producer(4, 1, shuffle=False).dequeue()
    batches = slim.prefetch_queue.prefetch_queue({"x": tf1.train.batch([x], 2)}, capacity=3)
    assert batches.name == "prefetch_queue/fifo_queue"
    assert [each["x"].tolist() for each in runs(batches.dequeue())] == [[0, 1], [2, 3]]


def test_how_full_queues_are_is_summarized():
    tf1.train.shuffle_batch([tf1.constant(1.0)], 2, capacity=20, min_after_dequeue=5)
    (found,) = tf1.get_collection(tf1.GraphKeys.SUMMARIES)
    assert found.name == "shuffle_batch/fraction_over_5_of_15_full:0"
    with tf1.Session() as session:
        summary = tf1.Summary.FromString(session.run(found))
    assert summary.value[0].simple_value == 0.0


def test_parts_are_cropped_at_places_that_differ_between_runs():
    image = tf1.reshape(tf1.range(100), [10, 10])
    part = tf1.random_crop(image, [2, 3])
    assert part.shape.as_list() == [2, 3]
    open_size = tf1.placeholder(tf1.int32, [None, None])
    other = tf1.random_crop(open_size, [2, 3])
    assert other.shape.as_list() == [2, 3]
    with tf1.Session() as session:
        corners = {int(session.run(part)[0, 0]) for _ in range(40)}
        found = session.run(other, {open_size: [[1, 2, 3], [4, 5, 6]]})
    assert len(corners) > 5
    assert all(corner // 10 <= 8 and corner % 10 <= 7 for corner in corners)
    assert found.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_bounds_of_random_integers_may_be_fed():
    end = tf1.placeholder(tf1.int32, [])
    numbers = tf1.random_uniform([50], 0, end, tf1.int32, seed=1)
    with tf1.Session() as session:
        assert set(session.run(numbers, {end: 2}).tolist()) == {0, 1}
        assert set(session.run(numbers, {end: 1}).tolist()) == {0}
    assert tf1.random_uniform([3], 0, 5, tf1.int32).shape.as_list() == [3]


def test_a_block_that_begins_anywhere_has_the_sizes_that_were_asked_for():
    begin = tf1.placeholder(tf1.int32, [2])
    assert tf1.slice(tf1.zeros([5, 6]), begin, [2, -1]).shape.as_list() == [2, None]


def growing(many: bool = False) -> tuple[Any, Any]:
    """0, 1, 2 ... 5, and with each a sparse vector of as many numbers."""
    number = tf1.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    count = tf1.cast(number, tf1.int64)
    places = tf1.reshape(tf1.range(count), [-1, 1])
    return number, tf1.SparseTensor(places, tf1.range(count) * 10, [count + 1])


def test_sparse_tensors_of_several_examples_become_rows():
    first, second, third = runs(tf1.train.batch(list(growing()), 2))
    assert [each[0].tolist() for each in (first, second, third)] == [[0, 1], [2, 3], [4, 5]]
    assert first[1].indices.tolist() == [[1, 0]]
    assert first[1].dense_shape.tolist() == [2, 2]
    assert second[1].indices.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]
    assert second[1].values.tolist() == [0, 10, 0, 10, 20]
    assert third[1].dense_shape.tolist() == [2, 6]


def test_the_last_batch_of_sparse_tensors_may_be_smaller():
    *_, last = runs(tf1.train.batch(list(growing()), 4, allow_smaller_final_batch=True))
    assert last[0].tolist() == [4, 5]
    assert last[1].values.tolist() == [0, 10, 20, 30, 0, 10, 20, 30, 40]


def many_rows() -> dict[str, Any]:
    """Three examples at once."""
    number, _ = growing()
    values = tf1.stack([number, number + 1, number + 2])
    sparse = tf1.SparseTensor([[0, 0], [0, 2], [2, 1]], values, [3, 3])
    return {"s": sparse, "d": tf1.stack([number, number + 10, number + 20])}


def test_rows_of_a_sparse_tensor_are_examples():
    batch = tf1.train.batch(many_rows(), 4, enqueue_many=True)
    assert batch["s"].indices.shape.as_list() == [None, 2]
    assert batch["s"].dense_shape.shape.as_list() == [2]
    first = runs(batch)[0]
    assert first["d"].tolist() == [0, 10, 20, 1]
    assert first["s"].indices.tolist() == [[0, 0], [0, 2], [2, 1], [3, 0], [3, 2]]
    assert first["s"].values.tolist() == [0, 1, 2, 1, 2]
    assert first["s"].dense_shape.tolist() == [4, 3]


def test_rows_of_a_sparse_tensor_are_left_out_with_their_examples():
    batch = tf1.train.maybe_batch(many_rows(), [True, False, True], 4, enqueue_many=True)
    first = runs(batch)[0]
    assert first["d"].tolist() == [0, 20, 1, 21]
    assert first["s"].indices.tolist() == [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2], [3, 1]]
    assert first["s"].values.tolist() == [0, 1, 2, 1, 2, 3]


def test_sparse_examples_are_kept_or_not():
    number, sparse = growing()
    first, *_ = runs(tf1.train.maybe_batch([number, sparse], tf1.equal(number % 2, 1), 2))
    assert first[0].tolist() == [1, 3]
    assert first[1].indices.tolist() == [[0, 0], [1, 0], [1, 1], [1, 2]]


def test_sparse_texts_are_joined_from_several_threads():
    def one(text: str) -> Any:
        return tf1.SparseTensor(tf1.constant([[1]], tf1.int64), [text], [2])

    found = runs(tf1.train.batch_join([[one("a")], [one("b")]], 3), 5)
    assert {text for each in found for text in each.values.tolist()} <= {b"a", b"b"}
    assert all(each.indices.tolist() == [[0, 1], [1, 1], [2, 1]] for each in found)


def test_the_rank_of_a_batch_of_sparse_tensors_is_known_if_that_of_one_is():
    sparse = tf1.SparseTensor([[0, 1]], [1], [3, 2])
    batch = tf1.train.batch([sparse], 2)
    assert batch.indices.shape.as_list() == [None, 3]
    assert batch.shape.as_list() == [None, None, None]
    unknown = tf1.SparseTensor(
        tf1.placeholder(tf1.int64), tf1.placeholder(tf1.float32), tf1.placeholder(tf1.int64)
    )
    batch = tf1.train.shuffle_batch([unknown], 2, 10, 0)
    assert batch.dense_shape.shape.num_elements() is None


@pytest.mark.parametrize(
    ("keep", "many", "says"),
    [
        (lambda: tf1.constant([True, False]), False,
         r"^`keep_input` cannot be a vector when `enqueue_many=False`\.$"),
        (lambda: [True, False], False,
         r"^`keep_input` cannot be a vector when `enqueue_many=False`\.$"),
        (lambda: [[True, False]], True, r"^`keep_input` must be 0 or 1 dimensions\.$"),
        (lambda: tf1.placeholder(tf1.bool), True,
         r"^`keep_input` dimensions must be known at graph construction\.$"),
    ],
)  # fmt: skip
def test_what_to_keep_has_a_rank(keep: Any, many: bool, says: str):
    with pytest.raises(ValueError, match=says):
        tf1.train.maybe_batch([tf1.zeros(5)], keep(), 1, enqueue_many=many)
    with pytest.raises(ValueError, match=says):
        tf1.train.maybe_shuffle_batch_join(
            [[tf1.zeros(5)]], 1, 10, 0, keep_input=keep(), enqueue_many=many
        )


def test_dictionaries_of_several_threads_have_the_same_keys():
    says = r"^All dictionaries in tensors_list must have the same keys$"
    with pytest.raises(ValueError, match=says):
        tf1.train.batch_join([{"c": 12, "s": 1}, {"cool": 1, "s": 2}], 8)


def test_what_is_sparse_in_one_thread_is_so_in_all():
    sparse = tf1.SparseTensor([[0]], [1], [3])
    with pytest.raises(ValueError, match=r"^Inconsistent SparseTensors list: \["):
        tf1.train.batch_join([[1, sparse], [1, 2]], 8)
    with pytest.raises(ValueError, match=r"^Inconsistent SparseTensors list: \["):
        tf1.train.batch_join([[sparse], [tf1.SparseTensor([[0, 0]], [1], [3, 1])]], 8)
    with pytest.raises(NotImplementedError, match=r"^\[tf.train.batch\] takes tensors and sparse"):
        tf1.train.batch([tf1.ragged.constant([[1], [2, 3]])], 8)


def test_a_producer_of_texts_wants_texts():
    says = "^string_input_producer requires a non-null input tensor$"
    with pytest.raises(ValueError, match=says):
        tf1.train.string_input_producer([])
    queue = tf1.train.string_input_producer(tf1.constant([], tf1.string, [0]))
    with tf1.Session() as session:
        session.run(tf1.local_variables_initializer())
        with pytest.raises(InvalidArgumentError, match="requires a non-null input tensor"):
            session.run(tf1.get_collection("queue_runners")[0].enqueue_ops[0])
    assert queue.dtypes == [tf1.string]
