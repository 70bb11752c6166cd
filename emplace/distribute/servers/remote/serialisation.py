"""Traced functions and values as bytes, for other processes.

A function travels as its graph: operations by the names of their ops, with inputs and attributes.
So its Python runs once, where it was traced, and nothing of the program is needed where it runs;
Python that a graph calls (`tf.py_function`) and functions of datasets travel by value, by
cloudpickle. A resource travels as what `tell` says of it: the address of a variable on its server.
"""

from __future__ import annotations

import functools
import importlib
import io
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

from ....base import dtypes
from ....base.dtypes import DType
from ....base.typing import Structure, TensorLike
from ....core.tensor import EagerTensor, make_tensor
from ....devices.inventory import INVENTORY
from ....graph.function.calling import ConcreteFunction
from ....graph.recording.func_graph import FuncGraph
from ....graph.representation.graph import Graph, SymbolicTensor
from ....ops.op import REGISTRY, Op
from ....ops.variables.resource import Storage

Tell = Callable[[EagerTensor], Any]
Find = Callable[[Any], EagerTensor]

_LOCKS = type(threading.Lock()), type(threading.RLock())
# What a graph notes for whoever adds to it, by the ids of objects, or of where it was made.
_NOT_SENT = {
    "_by_name", "_call", "_call_operations", "_colocated", "_collections", "_control",
    "_unfeedable",
    "_unfetchable", "captures", "constants", "given", "lock", "make_variable_here", "names",
    "operations", "_open_scopes", "scope_around", "specialised_on", "variable_arguments",
}  # fmt: skip
_SYMBOL = ("_dims", "_dtype", "_op", "handle_data", "value_index")


def packed(value: object, tell: Tell) -> bytes:
    """A value as bytes.

    Args:
        value: anything that can be pickled, with graphs and tensors.
        tell: what to send for a resource.

    Raises:
        TypeError: something cannot be sent.
        ModuleNotFoundError: cloudpickle is not installed; the extra `cluster` brings it.
    """
    file = io.BytesIO()
    packer = _packer()(file)
    packer.tell = tell
    try:
        packer.dump(value)
    except (TypeError, pickle.PicklingError, LookupError, AttributeError) as error:
        raise TypeError(
            f"This cannot be sent to another process: {error} A function for workers may use "
            "tensors, variables of the strategy, and what its worker is given."
        ) from error
    return file.getvalue()


def unpacked(data: bytes, find: Find) -> Any:
    """What was packed; `find` returns the resource for what was sent for it."""
    _packer()  # functions are made again by what packed them, or the error says what is missing
    return _Unpacker(io.BytesIO(data), find).load()


def packed_function(function: ConcreteFunction, tell: Tell) -> bytes:
    """A traced function as bytes: it takes and returns tensors."""
    # The graph first: its operations, in order, are what everything else refers to.
    return packed((function.graph, function.inputs, function.outputs, function._name), tell)


def unpacked_function(data: bytes, find: Find) -> ConcreteFunction:
    """The function; it returns a list."""
    graph, inputs, outputs, name = unpacked(data, find)
    graph.outputs = outputs
    return ConcreteFunction(graph, inputs, list(outputs), name)


@functools.cache
def _packer() -> Any:
    """The class that packs, made when a value is first sent: only clusters have cloudpickle."""
    try:
        cloudpickle = importlib.import_module("cloudpickle")
    except ImportError as problem:
        raise ModuleNotFoundError(
            "Emplace sends functions to other processes with cloudpickle, which is not installed. "
            "Run `pip install 'emplace[cluster]'` wherever a task of the cluster runs.",
            name="cloudpickle",
        ) from problem
    others = cloudpickle.Pickler.reducer_override
    return type("_Packer", (_OwnReducers, cloudpickle.Pickler), {"reduced_by_others": others})


class _OwnReducers:
    #: What to send for a resource.
    tell: Tell
    #: How what is not of ours is sent.
    reduced_by_others: Callable[[Any], Any]

    def persistent_id(self, obj: Structure) -> Any:
        """What is sent for a resource."""
        if isinstance(obj, EagerTensor) and obj.dtype is dtypes.resource:
            return self.tell(obj)
        return None

    def reducer_override(self, obj: Structure) -> Any:
        """How other things of ours are sent."""
        if isinstance(obj, Op):
            return op_of, place_of(obj)
        if isinstance(obj, EagerTensor):
            return tensor_of, (obj._value, obj.dtype.name)
        if isinstance(obj, DType):
            return dtypes.as_dtype, (obj.name,)
        if isinstance(obj, SymbolicTensor):
            return _new_symbol, (type(obj),), (None, {n: getattr(obj, n) for n in _SYMBOL})
        if isinstance(obj, Graph):
            rest = {name: each for name, each in vars(obj).items() if name not in _NOT_SENT}
            return _new_graph, (type(obj),), {"operations": obj.operations, **rest}
        if type(obj) is Storage:
            raise TypeError(f"the variable {obj.name} is of this process.")
        if isinstance(obj, _LOCKS):
            return threading.RLock, ()
        return self.reduced_by_others(obj)


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: Any, find: Find) -> None:
        super().__init__(file)
        self._find = find

    def persistent_load(self, pid: Any) -> Any:
        """The resource for what was sent."""
        return self._find(pid)


def _new_symbol(kind: type[SymbolicTensor]) -> SymbolicTensor:
    return kind.__new__(kind)


def _new_graph(kind: type[Graph]) -> Graph:
    graph = kind.__new__(kind)
    if isinstance(graph, FuncGraph):
        FuncGraph.__init__(graph, "", None)
    else:
        Graph.__init__(graph)
    return graph


def tensor_of(value: TensorLike, dtype: str) -> EagerTensor:
    """A raw value of the host as a tensor."""
    return make_tensor(value, INVENTORY.devices()[0].kind(dtypes.as_dtype(dtype)))


def place_of(op: Op) -> tuple[str, str]:
    """Where an op is found: by its name, or as an attribute of the module that declares it."""
    if REGISTRY.get(op.name) is op:
        return "", op.name
    for name, module in list(sys.modules.items()):
        if name.startswith("emplace."):
            for attribute, each in vars(module).items():
                if each is op:
                    return name, attribute
    raise LookupError(f"the op {op.name} is declared nowhere.")


def op_of(module: str, name: str) -> Any:
    """The op that `place_of` found."""
    return getattr(sys.modules[module], name) if module else REGISTRY[name]
