"""What `==` means between tensors: values, as in TensorFlow 2, or identity, as in TensorFlow 1.

Tensors of graphs of TensorFlow 1 compare by identity in any case. The methods of the classes are
exchanged, so that a comparison asks for nothing.
"""

from __future__ import annotations

from typing import Any

from ..core.ragged import RaggedTensor
from ..core.tensor import Tensor
from ..eager.variable import Variable
from ..graph.representation.operation import SymbolicTensor


def _same(self: object, other: object) -> bool:
    return self is other


def _other(self: object, other: object) -> bool:
    return self is not other


def _by_identity(self: object) -> int:
    return id(self)


# Eager tensors have no hash either way.
_METHODS: dict[tuple[type, str], Any] = {
    (Tensor, "__eq__"): _same,
    (Tensor, "__ne__"): _other,
    (SymbolicTensor, "__eq__"): _same,
    (SymbolicTensor, "__ne__"): _other,
    (SymbolicTensor, "__hash__"): _by_identity,
    (Variable, "__eq__"): _same,
    (Variable, "__ne__"): _other,
    (Variable, "__hash__"): _by_identity,
    (RaggedTensor, "__eq__"): _same,
    (RaggedTensor, "__ne__"): _other,
    (RaggedTensor, "__hash__"): _by_identity,
}
_BY_VALUE: dict[tuple[type, str], Any] = {}


def disable_tensor_equality() -> None:
    """Lets `==` ask whether two tensors or variables are the same object, and variables be keys
    (`tf.compat.v1.disable_tensor_equality`).

    >>> import emplace.tensorflow as tf
    >>> disable_tensor_equality()
    >>> tf.constant(1) == tf.constant(1)
    False
    >>> enable_tensor_equality()
    >>> bool(tf.constant(1) == tf.constant(1))
    True
    """
    if not _BY_VALUE:
        for (kind, name), method in _METHODS.items():
            _BY_VALUE[kind, name] = vars(kind)[name]
            setattr(kind, name, method)


def enable_tensor_equality() -> None:
    """Lets `==` compare the elements of tensors again (`tf.compat.v1.enable_tensor_equality`)."""
    for (kind, name), method in _BY_VALUE.items():
        setattr(kind, name, method)
    _BY_VALUE.clear()
