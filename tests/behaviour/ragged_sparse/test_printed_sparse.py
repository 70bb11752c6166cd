"""`tf.print` of sparse tensors in structures, as TensorFlow writes them."""

import sys

import emplace.tensorflow as tf

TEXT = "'SparseTensor(indices=[[0 1]], values=[7], shape=[2 3])'"


def sparse():
    return tf.SparseTensor([[0, 1]], [7], [2, 3])


def test_a_sparse_tensor_in_a_structure_is_written_as_alone(capsys) -> None:
    tf.print(sparse(), output_stream=sys.stdout)
    tf.print([sparse()], {"a": (1, sparse())}, output_stream=sys.stdout)
    assert capsys.readouterr().out == f"{TEXT}\n[{TEXT}] {{'a': (1, {TEXT})}}\n"


def test_so_it_is_in_a_function(capsys) -> None:
    @tf.function
    def shown(x):
        tf.print([x], 1, output_stream=sys.stdout)

    shown(sparse())
    assert capsys.readouterr().out == f"[{TEXT}] 1\n"
