"""Cases of `raw/control.py`: raw ops that call functions, choose, repeat, check and pass on."""

from . import Case, shape_only

_R = "tf.raw_ops"
_S = "s := tf.TensorSpec([], tf.float32)"
_FS = (
    f"{_S}, f := tf.function(lambda x: x + 1).get_concrete_function(s),"
    " g := tf.function(lambda x: x * 2).get_concrete_function(s),"
    " c := tf.function(lambda x: x < 10).get_concrete_function(s),"
    " b := tf.function(lambda i, x: x + tf.cast(i, tf.float32))"
    ".get_concrete_function(tf.TensorSpec([], tf.int32), s)"
)
_OUT = "Tout=[tf.float32]"


def _with_functions(call: str) -> str:
    return f"run({_FS}, {_R}.{call})"


CASES: list[str | Case] = [
    *[
        _with_functions(f"{name}(args=[1.0], {_OUT}, f=f)")
        for name in ("PartitionedCall", "StatefulPartitionedCall")
    ],
    _with_functions(f"RemoteCall(target='/CPU:0', args=[1.0], {_OUT}, f=f)"),
    *[
        _with_functions(f"{name}(cond={cond}, input=[3.0], {_OUT}, then_branch=f, else_branch=g)")
        for name in ("If", "StatelessIf")
        for cond in ("True", "False", "0", "2.5", "''", "'a'")
    ],
    *[
        _with_functions(f"{name}(input=[3.0], cond=c, body=g)")
        for name in ("While", "StatelessWhile")
    ],
    *[
        _with_functions(f"{name}(branch_index={i}, input=[3.0], {_OUT}, branches=[f, g])")
        for name in ("Case", "StatelessCase")
        for i in (0, 1, 7, -1)
    ],
    _with_functions("For(start=0, limit=4, delta=1, input=[1.0], body=b)"),
    _with_functions("For(start=4, limit=0, delta=-2, input=[1.0], body=b)"),
    _with_functions(
        "MapDefun(arguments=[[1.0, 2.0]], captured_inputs=[],"
        " output_types=[tf.float32], output_shapes=[[]], f=f)"
    ),
    f"{_R}.Switch(data=1.0, pred=True)",
    f"{_R}.Switch(data=[1, 2], pred=False)",
    f"{_R}.Merge(inputs=[1.0, 2.0])",
    f"{_R}.Enter(data=1.0, frame_name='a')",
    f"{_R}.Exit(data=1.0)",
    f"{_R}.NextIteration(data=1.0)",
    f"{_R}.LoopCond(input=True)",
    f"{_R}.ControlTrigger()",
    shape_only(f"{_R}.FakeParam(dtype=tf.float32, shape=[2])"),
    f"{_R}.PreventGradient(input=[1.0])",
    f"gradient(lambda x: {_R}.PreventGradient(input=x, message='m'), f32(2))",
    f"{_R}.Print(input=[1.0], data=[[2.0]], message='x')",
    f"{_R}.Assert(condition=True, data=['x', 1.0])",
    f"{_R}.Assert(condition=False, data=['x', 1.0])",
]
