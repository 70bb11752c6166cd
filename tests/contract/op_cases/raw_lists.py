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

_UNKNOWN = "EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32)"
_PAIR = "TensorListReserve(element_shape=[-1, 3], num_elements=2, element_dtype=tf.float32)"


def _gather(indices: str, shape: str = "-1") -> str:
    return f"TensorListGather(input_handle=l, indices={indices}, element_shape={shape}, {_F})"


def _concat(shape: str = "-1", dims: str = "tf.constant([], tf.int64)") -> str:
    given = f"element_shape={shape}, leading_dims={dims}"
    return f"TensorListConcatV2(input_handle=l, {given}, {_F}).tensor"


def _push(value: str) -> str:
    return f">TensorListPushBack(input_handle=l, tensor={value})"


CASES += [
    _list(_UNKNOWN, _push("1."), _push("2."), _push("f32(2)"), _gather("[1, 0]")),
    _list(_UNKNOWN, _push("1."), _push("f32(2)"), _gather("[1, 0]")),
    _list(_UNKNOWN, _push("f32(1)"), _push("f32(2)"), _STACK),
    _list(_ANY, _gather("[-1]")),
    _list(_ANY, _gather("[2]")),
    _list(_ANY, _gather("[0]")),
    _list(_ANY, _gather("[0, 1]", "tf.constant([], tf.int32)")),
    _list(_PAIR, f"TensorListGetItem(input_handle=l, index=1, element_shape=[1, 2], {_F})"),
    _list(_PAIR, f"TensorListPopBack(input_handle=l, element_shape=[4, 3], {_F})[1]"),
    _list(_PAIR, _concat()),
    _list(_PAIR, _concat("[2, 3]")),
    _list(_PAIR, _concat("[-1, 3]", "tf.constant([2, 1], tf.int64)")),
    _list(_PAIR, _concat("[-1, 3]", "tf.constant([2], tf.int64)")),
    _list(_ANY, _concat()),
    _list(_ANY, ">TensorListSetItem(input_handle=l, index=1, item=f32(3, 2))", _concat()),
    _list(_UNKNOWN, _push("f32(1, 2)"), _push("f32(2, 1)"), _concat()),
    _list(_UNKNOWN, _push("f32(1)"), _push("2."), _concat()),
    _list(_UNKNOWN, _concat()),
    _list("EmptyTensorList(element_shape=[5, 2], max_num_elements=-1, " + _F + ")", _concat()),
    _list(
        "EmptyTensorList(element_shape=tf.constant([], tf.int32), max_num_elements=-1, " + _F + ")",
        _concat(),
    ),
    _list(
        _MADE,
        f"TensorListConcat(input_handle=l, element_shape=[], {_F})",
    ),
    f"{_R}.EmptyTensorList(element_shape=[[1]], max_num_elements=-1, {_F})",
    f"{_R}.TensorListScatterV2(tensor=f32(2), indices=[1, 0, 2], element_shape=-1,"
    " num_elements=-1)",
    f"{_R}.TensorListScatterV2(tensor=f32(2), indices=[1, 0], element_shape=-1, num_elements=-2)",
    _list(_MADE, ">TensorListResize(input_handle=l, size=[2])"),
    f"{_R}.TensorListSplit(tensor=f32(2), element_shape=tf.constant([], tf.int32),"
    " lengths=tf.constant([1, 1], tf.int64))",
    f"{_R}.TensorListSplit(tensor=f32(2, 1), element_shape=[1],"
    " lengths=tf.constant([1, 1], tf.int64))",
    f"{_R}.TensorListSplit(tensor=f32(2), element_shape=-1, lengths=tf.constant(1, tf.int64))",
    f"run(a := {_R}.{_MADE}, b := {_R}.{_MADE},"
    f" {_R}.TensorListStack(input_handle=tf.add_n([a, b]), element_shape=[-1], {_F}))",
    f"tf.add_n([{_R}.{_ANY}, {_R}.{_ROOM}])",
]

CASES += [
    _list(
        "EmptyTensorMap()",
        _INSERT,
        f"TensorMapLookup(input_handle=l, {_KEY}, value_dtype=tf.int32)",
    ),
    _list("EmptyTensorMap()", _INSERT, "TensorMapStackKeys(input_handle=l, key_dtype=tf.string)"),
    _list(
        "EmptyTensorMap()",
        _INSERT,
        ">TensorMapInsert(input_handle=l, key=tf.constant(1), value=f32(2))",
        "TensorMapStackKeys(input_handle=l, key_dtype=tf.int32)",
    ),
]
