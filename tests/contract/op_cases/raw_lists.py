"""Cases of `raw/lists.py`: raw ops on lists, maps and stacks of tensors."""

from . import Case

_R = "tf.raw_ops"
_MADE = "TensorListFromTensor(tensor=f32(3, 2), element_shape=[2])"
_EMPTY = "EmptyTensorList(element_shape=[-1], max_num_elements=2, element_dtype=tf.float32)"
_ROOM = "TensorListReserve(element_shape=[2], num_elements=3, element_dtype=tf.float32)"
_ANY = "TensorListReserve(element_shape=-1, num_elements=2, element_dtype=tf.float32)"
_F = "element_dtype=tf.float32"
_STACK = f"TensorListStack(input_handle=l, element_shape=[-1], {_F})"


def _list(make: str, *steps: str) -> str:
    """A list `l`, calls that give another list (`>` before them), and a call that is the answer."""
    texts = [f"l := {_R}.{make}"]
    for step in steps:
        texts.append(f"l := {_R}.{step[1:]}" if step.startswith(">") else f"{_R}.{step}")
    return f"run({', '.join(texts)})"


_PUSH = ">TensorListPushBack(input_handle=l, tensor=f32(2))"
_SET = ">TensorListSetItem(input_handle=l, index=1, item=f32(2))"
_KEY = "key=tf.constant([1, 2])"
_INSERT = f">TensorMapInsert(input_handle=l, {_KEY}, value=f32(2))"
_STACKS = "StackV2(max_size=2, elem_type=tf.float32)"
_ON = "StackPushV2(handle=l, elem=f32(2))"

CASES: list[str | Case] = [
    _list(_MADE, _STACK),
    _list(_MADE, "TensorListLength(input_handle=l)"),
    _list(_MADE, f"TensorListGetItem(input_handle=l, index=1, element_shape=[2], {_F})"),
    _list(_MADE, f"TensorListGetItem(input_handle=l, index=3, element_shape=[2], {_F})"),
    _list(
        _MADE,
        "TensorListGetItem(input_handle=l, index=1, element_shape=[2], element_dtype=tf.int32)",
    ),
    _list(_MADE, f"TensorListGather(input_handle=l, indices=[2, 0], element_shape=[2], {_F})"),
    _list(_MADE, f"TensorListGather(input_handle=l, indices=[5], element_shape=[2], {_F})"),
    _list(_MADE, _SET, _STACK),
    _list(_MADE, ">TensorListSetItem(input_handle=l, index=1, item=f32(3))"),
    _list(_MADE, ">TensorListSetItem(input_handle=l, index=3, item=f32(2))"),
    _list(
        _MADE,
        ">TensorListSetItem(input_handle=l, index=4, item=f32(2),"
        " resize_if_index_out_of_bounds=True)",
        _STACK,
    ),
    _list(_MADE, ">TensorListResize(input_handle=l, size=2)", _STACK),
    _list(_MADE, ">TensorListResize(input_handle=l, size=5)", _STACK),
    _list(_MADE, f"TensorListPopBack(input_handle=l, element_shape=[2], {_F})[1]"),
    _list(_MADE, f">TensorListPopBack(input_handle=l, element_shape=[2], {_F})[0]", _STACK),
    _list(
        _MADE,
        ">TensorListScatterIntoExistingList(input_handle=l, tensor=f32(2, 2), indices=[0, 2])",
        _STACK,
    ),
    _list(_MADE, "TensorListElementShape(input_handle=l, shape_type=tf.int32)"),
    _list(_ANY, "TensorListElementShape(input_handle=l, shape_type=tf.int64)"),
    _list(_EMPTY, "TensorListElementShape(input_handle=l, shape_type=tf.int32)"),
    _list(_MADE, f">TensorListConcatLists(input_a=l, input_b=l, {_F})", _STACK),
    _list(_EMPTY, _PUSH, _STACK),
    _list(_EMPTY, _PUSH, _PUSH, _PUSH),
    _list(_EMPTY, _STACK),
    _list(_EMPTY, f"TensorListPopBack(input_handle=l, element_shape=[2], {_F})"),
    _list(_ROOM, _STACK),
    _list(_ROOM, _SET, _STACK),
    _list(_ANY, _STACK),
    _list(_ANY, _SET, _STACK),
    _list("TensorListScatter(tensor=f32(2, 2), indices=[2, 0], element_shape=[2])", _STACK),
    _list(
        "TensorListScatterV2(tensor=f32(2, 2), indices=[2, 0], element_shape=[2], num_elements=4)",
        _STACK,
    ),
    _list(
        "TensorListSplit(tensor=f32(5, 2), element_shape=[-1, 2], lengths=np.array([2, 3]))",
        f"TensorListConcat(input_handle=l, {_F})",
    ),
    _list(
        "TensorListSplit(tensor=f32(5, 2), element_shape=[-1, 2], lengths=np.array([2, 3]))",
        f"TensorListConcatV2(input_handle=l, element_shape=[-1, 2],"
        f" leading_dims=tf.constant([], tf.int64), {_F})",
    ),
    _list("TensorListSplit(tensor=f32(5, 2), element_shape=[-1, 2], lengths=np.array([2, 1]))"),
    _list(
        "TensorListFromTensor(tensor=['a', 'b'], element_shape=[])",
        "TensorListStack(input_handle=l, element_shape=[], element_dtype=tf.string)",
    ),
    _list("EmptyTensorMap()", "TensorMapSize(input_handle=l)"),
    _list("EmptyTensorMap()", _INSERT, "TensorMapSize(input_handle=l)"),
    _list(
        "EmptyTensorMap()",
        _INSERT,
        f"TensorMapLookup(input_handle=l, {_KEY}, value_dtype=tf.float32)",
    ),
    _list("EmptyTensorMap()", f"TensorMapLookup(input_handle=l, {_KEY}, value_dtype=tf.float32)"),
    _list("EmptyTensorMap()", _INSERT, f"TensorMapHasKey(input_handle=l, {_KEY})"),
    _list(
        "EmptyTensorMap()",
        _INSERT,
        f">TensorMapErase(input_handle=l, {_KEY}, value_dtype=tf.float32)",
        "TensorMapSize(input_handle=l)",
    ),
    _list("EmptyTensorMap()", _INSERT, "TensorMapStackKeys(input_handle=l, key_dtype=tf.int32)"),
    _list(_STACKS, _ON),
    _list(_STACKS, _ON, _ON, "StackPopV2(handle=l, elem_type=tf.float32)"),
    _list(_STACKS, _ON, _ON, _ON),
    _list(_STACKS, "StackPopV2(handle=l, elem_type=tf.float32)"),
    _list(_STACKS, "StackCloseV2(handle=l)"),
]
