"""What datasets refuse, with TensorFlow 2.21's errors, instead of answering something else."""

from __future__ import annotations

import re

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset
errors = tf.errors


def plain(dataset):
    return list(dataset.as_numpy_iterator())


A, B = D.from_tensors({"a": 1}), D.from_tensors({"b": 2})
OTHERS = {
    "keys": (A, B),
    "kinds": (A, D.from_tensors((2,))),
    "nesting": (D.from_tensors((1, (2, 3))), D.from_tensors(((1, 2), 3))),
}


@pytest.mark.parametrize("name", OTHERS)
def test_datasets_of_other_structures_are_not_joined(name):
    one, other = OTHERS[name]
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        one.concatenate(other)
    text = "`datasets` must have compatible element specs"
    with pytest.raises(TypeError, match=text):
        D.choose_from_datasets([one, other], D.range(2))
    with pytest.raises(TypeError, match=text):
        D.sample_from_datasets([one, other])


def test_dictionaries_are_joined_by_their_keys():
    joined = D.from_tensors({"a": 1, "b": 2}).concatenate(D.from_tensors({"b": 3, "a": 4}))
    assert plain(joined) == [{"a": 1, "b": 2}, {"a": 4, "b": 3}]


ROW = D.from_tensors([1, 2, 3])
SHAPES = {
    "a negative size": (ROW, [-2], ValueError, "Dimension -2 must be >= 0"),
    "a float": (
        ROW, [3.5], TypeError,
        "Padded shape [3.5] must be a `tf.int64` vector tensor, but its element type was float32.",
    ),
    "a text": (ROW, ["a"], TypeError, "its element type was string."),
    "a matrix": (ROW, [[4]], ValueError, "vector tensor, but its shape was (1, 1)."),
    "a tensor of floats": (
        ROW, np.float32([3.5]), TypeError, "its element type was float32.",
    ),
    "other keys": (
        D.from_tensors({"a": [1]}), {"b": [1]}, ValueError,
        "The two structures don't have the same keys. Input structure has keys ['b'], while "
        "shallow structure has keys ['a'].",
    ),
    "another kind": (
        D.from_tensors(([1], [2])), {"a": [1], "b": [1]}, TypeError,
        "Input structure has type 'dict', while shallow structure has type 'tuple'.",
    ),
    "an unknown rank": (
        D.from_generator(lambda: iter([[1]]), tf.int32), None, ValueError,
        "You must provide `padded_shapes` argument because component 0 has unknown rank.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_padded_batch_refuses(name):
    dataset, shapes, kind, text = SHAPES[name]
    if isinstance(shapes, np.ndarray):
        shapes = tf.constant(shapes)
    with pytest.raises(kind, match=re.escape(text)):
        dataset.padded_batch(1, shapes)


def test_padded_batch_takes_tensors_and_checks_what_they_say():
    assert plain(ROW.padded_batch(1, tf.constant(4, tf.int64)))[0].tolist() == [[1, 2, 3, 0]]
    assert plain(ROW.padded_batch(1, tf.constant([4])))[0].tolist() == [[1, 2, 3, 0]]
    for sizes, text in (([2], r"\(2,\)"), ([2, 2], r"\(2, 2\)")):
        with pytest.raises(ValueError, match=f"The padded shape {text} is not compatible with"):
            ROW.padded_batch(1, tf.constant(sizes, tf.int64))


def test_padded_batch_tells_of_an_element_of_another_rank():
    found = D.from_generator(lambda: iter([[1, 2, 3]]), tf.int32, None).padded_batch(1, [2, 2])
    with pytest.raises(
        errors.InvalidArgumentError,
        match="same rank as the padded shape for component0: expected rank 2 but got element with "
        "rank 1",
    ):
        plain(found)


def test_an_endless_dataset_has_no_random_access():
    at, endless = tf.data.experimental.at, D.range(3).repeat()
    for each in (endless, endless.map(lambda x: x * 2), endless.shuffle(2), endless.take(5)):
        with pytest.raises(
            errors.FailedPreconditionError,
            match="has infinite cardinality, which does not support random access",
        ):
            at(each, 4)
    assert int(at(D.range(3).repeat(2), 4)) == 1


def test_a_file_is_cached_by_one_pass_at_a_time(tmp_path):
    text = "There appears to be a concurrent caching iterator running"
    cached = D.range(3).cache(str(tmp_path / "one"))
    with pytest.raises(errors.AlreadyExistsError, match=text):
        plain(D.zip((cached, cached)))
    first, second = iter(cached), iter(cached)
    found = [int(next(first))]
    with pytest.raises(errors.AlreadyExistsError, match=text):
        next(second)
    assert found + [int(x) for x in first] == [0, 1, 2]
    assert plain(cached) == [0, 1, 2]
    assert plain(D.zip((cached, cached)))[2] == (2, 2)


def test_a_pass_that_ended_early_leaves_the_file_to_the_next(tmp_path):
    cached = D.range(3).cache(str(tmp_path / "one"))
    assert plain(cached.take(1)) == [0]
    assert plain(cached) == [0, 1, 2]


def test_readers_of_files_are_asked(tmp_path):
    def tenfold(files):
        return files.flat_map(lambda file: file.map(lambda x: x * 10))

    kept = D.range(3).snapshot(str(tmp_path / "kept"), reader_func=tenfold)
    assert plain(kept) == [0, 1, 2]
    assert plain(kept) == [0, 10, 20]
    D.range(3).save(str(tmp_path / "saved"))
    assert plain(D.load(str(tmp_path / "saved"), reader_func=tenfold)) == [0, 10, 20]
    with pytest.raises(TypeError, match="`reader_func` must return a `Dataset` object"):
        D.load(str(tmp_path / "saved"), reader_func=lambda files: 3)
