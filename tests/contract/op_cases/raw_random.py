"""Cases of `raw/random_numbers.py`: raw ops that draw random numbers."""

from . import Case, shape_only
from .raw_calls import typed

_SEED = "shape=[2, 3], seed=[5, 7]"
_STATE = "g := tf.random.Generator.from_seed(3)"
_DRAW = "resource=g.state.handle, algorithm=np.int64(1), shape=[2, 3]"


def _drawn(call: str) -> str:
    """What a call draws by a generator, and the generator's state then."""
    return f"run({_STATE}, r := tf.raw_ops.{call}, [r, g.state.read_value()])"


CASES: list[str | Case] = [
    *[
        f"tf.raw_ops.{name}({_SEED}, dtype=tf.{kind})"
        for name in ("StatelessRandomNormal", "StatelessRandomUniform", "StatelessTruncatedNormal")
        for kind in ("float16", "float32", "float64")
    ],
    f"tf.raw_ops.StatelessRandomNormal({_SEED})",
    "tf.raw_ops.StatelessRandomNormal(shape=[2], seed=[1, 2, 3])",
    "tf.raw_ops.SobolSample(dim=3, num_results=4, skip=5)",
    "tf.raw_ops.SobolSample(dim=2, num_results=3, skip=1000000, dtype=tf.float64)",
    "tf.math.sobol_sample(40, 5, skip=77)[:, 30:]",
    "tf.math.sobol_sample(1200, 3, dtype=tf.float64)[:, 1190:]",
    "tf.math.sobol_sample(0, 3)",
    "tf.math.sobol_sample(21201, 3)",
    "tf.math.sobol_sample(2, 0)",
    "tf.math.sobol_sample(2, 3, skip=-1)",
    "tf.math.sobol_sample(2, [3])",
    "tf.math.sobol_sample(2, 3, dtype=tf.int32)",
    *[
        f"tf.raw_ops.StatelessRandomUniformFullInt({_SEED}, dtype=tf.{kind})"
        for kind in ("int32", "int64", "uint32", "uint64")
    ],
    *[
        f"tf.raw_ops.StatelessRandomUniformInt({_SEED}, minval=T({make})() * 0 - 4,"
        f" maxval=T({make})() * 0 + 9)"
        for make in ("i32", "i64")
    ],
    f"tf.raw_ops.StatelessRandomUniformInt({_SEED}, minval=3, maxval=3)",
    "tf.raw_ops.StatelessRandomGammaV2(shape=[4, 2], seed=[5, 7], alpha=[0.5, 2.0])",
    "tf.raw_ops.StatelessRandomGetAlg()",
    "tf.raw_ops.StatelessRandomGetKeyCounterAlg(seed=[1, 2])",
    *[
        _drawn(f"{name}({_DRAW}, dtype=tf.{kind})")
        for name in ("StatefulStandardNormalV2", "StatefulUniform", "StatefulTruncatedNormal")
        for kind in ("float32", "float64")
    ],
    *[
        _drawn(f"StatefulUniformFullInt({_DRAW}, dtype=tf.{kind})")
        for kind in ("int32", "int64", "uint32", "uint64")
    ],
    _drawn(f"StatefulUniformInt({_DRAW}, minval=-4, maxval=9)"),
    _drawn("RngSkip(resource=g.state.handle, algorithm=np.int64(1), delta=np.int64(5))"),
    _drawn("RngReadAndSkip(resource=g.state.handle, alg=1, delta=np.uint64(5))"),
    shape_only("tf.raw_ops.NonDeterministicInts(shape=[2, 3])"),
    shape_only("tf.raw_ops.NonDeterministicInts(shape=[2, 3], dtype=tf.int32)"),
    *typed(
        "LinSpace", "start={0}() * 0, stop={0}() * 0 + 2, num=5".replace("{0}", "{}"), "f32 f64"
    ),
    "tf.raw_ops.LinSpace(start=1.0, stop=3.0, num=1)",
    "tf.raw_ops.LinSpace(start=1.0, stop=3.0, num=0)",
]

# What cannot be the state of a generator, or tell how it is drawn from.
_STATE = "tf.random.Generator.from_seed(1).state.handle"
CASES += [
    f"tf.raw_ops.StatefulStandardNormalV2(resource={state}, algorithm={algorithm}, shape=[2])"
    for state, algorithm in (
        (_STATE, "[0, 0]"), (_STATE, "1.1"), (_STATE, "123"),
        ("tf.Variable([0, 0, 0]).handle", "1"),
        ("tf.Variable([[0]], dtype=tf.int64).handle", "1"),
        ("tf.Variable([0], dtype=tf.int64).handle", "1"),
    )
] + [
    f"tf.raw_ops.RngReadAndSkip(resource={_STATE}, alg=123, delta=10)",
    f"tf.raw_ops.RngSkip(resource={_STATE}, algorithm=1, delta=[0, 0])",
]  # fmt: skip
