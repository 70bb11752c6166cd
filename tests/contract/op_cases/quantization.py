"""Cases of `ops/quantization/`."""

from __future__ import annotations

_Q = "tf.quantization"
_RAW = "tf.raw_ops"
_FAKE = f"{_Q}.fake_quant_with_min_max"
_X = "[-7.0, -6.0, -3.33, -0.0, 0.0, 0.02, 0.5, 1.27, 5.99, 6.0, 7.5]"
_ODD = "[nan, inf, -inf, 1e30]"
_RANGES = [("-6", "6"), ("-0.1", "63.4"), ("0", "255"), ("-1.3", "0.7"), ("0.5", "64"),
           ("-64", "-0.5")]  # fmt: skip
_BITS = [(2, False), (7, True), (8, False), (8, True), (16, False)]

_MATRIX = "f32(4, 3, low=-5.0, high=5.0)"
_LOWS, _HIGHS = "[-1.0, 0.0, -3.0]", "[2.5, 0.0, 0.5]"


def _floats(low: str, high: str) -> str:
    return f"float({low}), float({high})"


def _fake() -> list[str]:
    cases = []
    for bits, narrow in _BITS:
        tail = f"num_bits={bits}, narrow_range={narrow}"
        for low, high in _RANGES:
            wide = f"f32(3, 17, low={low} - 1, high={high} + 1)"
            ends = _floats(low, high)
            cases += [
                f"{_FAKE}_args({wide}, {low}, {high}, {tail})",
                f"{_FAKE}_vars({wide}, {ends}, {tail})",
                f"{_FAKE}_vars_gradient(f32(3, 17), {wide}, {ends}, {tail})",
                f"{_FAKE}_args_gradient(f32(3, 17), {wide}, {low}, {high}, {tail})",
            ]
        cases += [
            f"{_FAKE}_vars_per_channel({_MATRIX}, {_LOWS}, {_HIGHS}, {tail})",
            f"{_FAKE}_vars_per_channel_gradient(f32(4, 3), {_MATRIX}, {_LOWS}, {_HIGHS}, {tail})",
        ]
    return cases


def _edges() -> list[str]:
    return [
        f"{_FAKE}_args({_X})",
        f"{_FAKE}_args({_ODD})",
        f"{_FAKE}_args([1, 2])",
        f"{_FAKE}_args(np.float64([1.5, 2.0]))",
        f"{_FAKE}_args(tf.constant([1.5], tf.float64))",
        f"{_FAKE}_vars([1.5], tf.constant(0.0, tf.float64), 1.0)",
        f"{_Q}.quantize_and_dequantize_v2([1.5], tf.constant(0.0, tf.float64), 1.0)",
        f"{_FAKE}_args(f32(0, 3))",
        f"{_FAKE}_args(np.float32(0.3))",
        *[f"{_FAKE}_args(f32(3), {ends})" for ends in ("3, 1", "1, 1", "0, 0", "0.25, -1.5")],
        *[f"{_FAKE}_args(f32(3), num_bits={bits})" for bits in (1, 17, 0)],
        f"{_FAKE}_args_gradient({_X}, {_X})",
        f"{_FAKE}_args_gradient(f32(2), f32(3))",
        f"{_FAKE}_args_gradient(f32(3), f32(3), 3, 1)",
        f"{_FAKE}_vars({_X}, 0.0, 0.0)",
        f"{_FAKE}_vars({_ODD}, -1.0, 1.0)",
        f"{_FAKE}_vars({_X}, 1.0, 1.0)",
        f"{_FAKE}_vars({_X}, 3.0, 1.0)",
        f"{_FAKE}_vars({_X}, [1.0], [2.0])",
        f"{_FAKE}_vars({_X}, 1.0, [2.0])",
        f"{_FAKE}_vars({_X}, 1.0, 2.0, num_bits=1)",
        f"{_FAKE}_vars({_X}, tf.Variable(-1.0), tf.Variable(2.0))",
        f"{_FAKE}_vars_gradient({_X}, {_X}, 0.0, 0.0)",
        f"{_FAKE}_vars_gradient({_X}, {_X}, 1.0, [2.0])",
        f"{_FAKE}_vars_gradient(f32(2), f32(3), 1.0, 2.0)",
        f"{_FAKE}_vars_gradient(f32(3), f32(3), 1.0, 2.0, 1)",
        f"{_FAKE}_vars_per_channel(f32(3), {_LOWS}, {_HIGHS})",
        f"{_FAKE}_vars_per_channel(f32(2, 2, 2, 2, 3), {_LOWS}, {_HIGHS})",
        f"{_FAKE}_vars_per_channel(f32(2, 2, 2, 3), {_LOWS}, {_HIGHS})",
        f"{_FAKE}_vars_per_channel(f32(3), 1.0, 2.0)",
        f"{_FAKE}_vars_per_channel(f32(3), [1.0], [2.0])",
        f"{_FAKE}_vars_per_channel(f32(3), [1.0] * 3, [2.0] * 2)",
        f"{_FAKE}_vars_per_channel(f32(3), [3.0] * 3, [2.0] * 3)",
        f"{_FAKE}_vars_per_channel(f32(3), [1.0] * 3, [2.0] * 3, 17)",
        f"{_FAKE}_vars_per_channel_gradient(f32(2, 2, 3), f32(2, 2, 3), {_LOWS}, {_HIGHS})",
        f"{_FAKE}_vars_per_channel_gradient(f32(3), f32(3), {_LOWS}, {_HIGHS})",
        f"{_FAKE}_vars_per_channel_gradient(f32(2), f32(3), {_LOWS}, {_HIGHS})",
        f"{_FAKE}_vars_per_channel_gradient(f32(3), f32(3), [1.0] * 2, {_HIGHS})",
        f"gradient({_FAKE}_args, {_X})",
        f"gradient(lambda x: {_FAKE}_args(x, -1, 2, 4, True), {_X})",
        f"gradient({_FAKE}_vars, {_X}, -1.0, 2.0)",
        f"gradient({_FAKE}_vars, {_X}, 0.0, 0.0)",
        f"gradient(lambda x, a, b: {_FAKE}_vars(x, a, b, 3, True), {_X}, -0.7, 2.0)",
        f"gradient({_FAKE}_vars_per_channel, {_MATRIX}, {_LOWS}, {_HIGHS})",
        f"gradient({_FAKE}_vars_per_channel, f32(2, 2, 3), {_LOWS}, {_HIGHS})",
        f"{_RAW}.FakeQuantWithMinMaxArgs(inputs={_X})",
        f"{_RAW}.FakeQuantWithMinMaxArgsGradient(gradients={_X}, inputs={_X}, max=2.0)",
        f"{_RAW}.FakeQuantWithMinMaxVars(inputs={_X}, min=-1.0, max=2.0)",
    ]


_TRIPS = [
    (low, high, bits)
    for low, high in (("-6", "6"), ("-1.3", "0.7"), ("0", "3"), ("-3", "0"), ("1", "3"))
    for bits in (8, 4)
]


def _round_trips() -> list[str]:
    cases = []
    for low, high, bits in _TRIPS:
        ends = _floats(low, high)
        for signed, given, mode, narrow in (
            (True, True, "HALF_TO_EVEN", False),
            (True, False, "HALF_UP", True),
            (False, True, "HALF_UP", False),
            (False, False, "HALF_TO_EVEN", True),
        ):
            cases += [
                f"{_Q}.quantize_and_dequantize_v2({dtype}(23, low={low} - 1, high={high} + 1), "
                f"{ends}, {signed}, {bits}, {given}, '{mode}', narrow_range={narrow})"
                for dtype in ("f32", "f64")
            ]
    return cases


def _round_trip_edges() -> list[str]:
    trip, old = f"{_Q}.quantize_and_dequantize_v2", f"{_Q}.quantize_and_dequantize"
    third = f"{_RAW}.QuantizeAndDequantizeV3"
    halves = "[-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 127.0]"
    return [
        f"{trip}({halves}, 0.0, 0.0)",
        f"{trip}({halves}, 0.0, 0.0, round_mode='HALF_UP')",
        *[f"{trip}(f32(3), 0.0, 2.0, num_bits={bits})" for bits in (0, -1, 1, 62, 63, 64)],
        *[f"{trip}(f32(3), 0.0, 2.0, False, num_bits={bits})" for bits in (1, 63)],
        *[f"{trip}(f64(3), 0.0, 2.0, {sign}, num_bits=61)" for sign in (True, False)],
        f"{trip}(f32(3), 3.0, 1.0, range_given=True)",
        f"{trip}(f32(3), 0.0, 1.0, round_mode='DOWN')",
        f"{trip}(f32(3), 0.0, 1.0, axis=5)",
        f"{trip}(f32(3), [0.0], [1.0], range_given=True)",
        f"{trip}(f32(3), [0.0], [1.0, 2.0])",
        f"{trip}(f32(0, 3), 0.0, 0.0)",
        f"{trip}(np.float32(2.3), 0.0, 0.0)",
        f"{trip}([0.0, 0.0], 0.0, 0.0)",
        f"{trip}([2.3, nan, inf, -1.0], 0.0, 2.0, range_given=True)",
        f"{trip}([1, 2], 0.0, 2.0)",
        f"{trip}(f16(3), np.float16(0), np.float16(0))",
        *[f"{trip}(tf.constant(f32(2, 3, 4)), 0.0, 0.0, axis={axis})" for axis in (0, 1, 2, -1)],
        f"{old}(f32(2, 3), -1.0, 1.0, range_given=True)",
        f"{old}(f32(2, 3), -1.0, 1.0, True, 5)",
        f"{third}(input=f32(3), input_min=0.0, input_max=3.0, num_bits=8)",
        f"{third}(input=f32(3), input_min=0.0, input_max=3.0, num_bits=80)",
        f"{third}(input=f32(3), input_min=3.0, input_max=1.0, num_bits=8)",
        f"{third}(input=f32(3), input_min=0.0, input_max=0.0, num_bits=3, range_given=False)",
        f"{third}(input=f32(2, 3), input_min=[0.0] * 2, input_max=[1.5, 2.5], num_bits=4, axis=0)",
        f"{third}(input=f32(2, 3), input_min=[0.0] * 4, input_max=[2.5] * 4, num_bits=4, axis=0)",
        f"gradient(lambda x, a, b: {trip}(x, a, b, range_given=True), {halves}, -1.0, 1.5)",
        f"gradient(lambda x, a, b: {trip}(x, a, b), {halves}, -1.0, 1.5)",
        f"gradient(lambda x: {old}(x, -1.0, 1.5, range_given=True), {halves})",
        f"gradient(lambda x: {third}(input=x, input_min=-1.0, input_max=1.5, num_bits=8), "
        f"{halves})",
        f"{_RAW}.QuantizeAndDequantizeV4Grad(gradients=f32(3), input=f32(3), input_min=-1.0, "
        "input_max=1.0)",
        f"{_RAW}.QuantizeAndDequantizeV4Grad(gradients=f32(2, 3), input=f32(2, 3), "
        "input_min=[-1.0] * 3, input_max=[1.0, 0.5, 0.0], axis=1)",
        f"{_RAW}.QuantizeAndDequantizeV4Grad(gradients=f32(2, 3), input=f32(2, 3), "
        "input_min=[-1.0] * 2, input_max=[1.0, 0.5, 0.0], axis=1)",
        f"{_RAW}.QuantizeAndDequantizeV4Grad(gradients=f32(3), input=f32(3), "
        "input_min=[-1.0] * 3, input_max=[1.0] * 3)",
        f"{_RAW}.QuantizeAndDequantizeV4Grad(gradients=f32(2), input=f32(3), input_min=-1.0, "
        "input_max=1.0)",
    ]


_TYPES = ["quint8", "qint8", "quint16", "qint16", "qint32"]
_ENDS = [("-1.0", "2.0"), ("-3.3", "1.7"), ("0.0", "5.1"), ("-2.2", "-0.3"), ("0.0", "0.0"),
         ("0.5", "0.7"), ("1.0", "1.001")]  # fmt: skip
_GIVEN = "[-3.0, -1.5, -1.0, -0.01, 0.0, 0.004, 0.5, 1.0, 2.49, 3.0, 100.0]"
_NUMBERS = f"{_Q}.quantize({_GIVEN}, -1.0, 2.0, tf."
_FLAT = "f32(2, 3, low=-2.5, high=2.5)"


def _back(call: str, arguments: str = "") -> str:
    """What is left of floats that were quantized."""
    return f"(lambda q: {_Q}.dequantize(q[0], q[1], q[2]{arguments}))({call})"


def _scales() -> list[str]:
    cases = []
    for name in _TYPES:
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            for low, high in _ENDS:
                if (name, mode, low) == ("quint8", "MIN_FIRST", "-3.3"):
                    continue  # oneDNN rounds otherwise
                values = f"f32(41, low={low} - 0.5, high={high} + 0.5)"
                call = f"{_Q}.quantize({values}, {low}, {high}, tf.{name}, '{mode}')"
                cases += [call]
                if mode != "SCALED" or (name.startswith("qint") and name != "qint32"):
                    cases.append(_back(call, f", '{mode}'"))
        cases.append(_back(f"{_NUMBERS}{name})", ", dtype=tf.bfloat16"))
    return cases


def _scale_edges() -> list[str]:
    rows = f"{_Q}.quantize({_FLAT}, [-1.0, -2.0], [1.0, 2.0], tf.qint8, 'SCALED', axis=0)"
    one, other = (
        f"{_Q}.quantize({_FLAT}, {ends}, tf.quint8)" for ends in ("-1.0, 2.0", "-3.0, 1.0")
    )
    both = f"[{one}[0], {other}[0]], [-1.0, -3.0], [2.0, 1.0]"
    wrong = f"{_Q}.quantize({_GIVEN}, "
    return [
        *[f"{wrong}{ends}, tf.quint8)" for ends in ("2.0, -1.0", "0.0, 0.0", "[0.0], [1.0]")],
        f"{wrong}-1.0, 2.0, tf.int8)",
        f"{wrong}-1.0, 2.0, tf.quint8, 'OTHER')",
        f"{wrong}-1.0, 2.0, tf.quint8, 'SCALED', 'OTHER')",
        f"{wrong}-1.0, 2.0, tf.qint8, 'MIN_FIRST', 'HALF_TO_EVEN')",
        f"{wrong}-1.0, 2.0, tf.qint8, 'SCALED', narrow_range=True)",
        f"{wrong}-1.0, 2.0, tf.qint8, ensure_minimum_range=4.0)",
        f"{wrong}[-1.0, 0.0], [2.0, 1.0], tf.quint8)",
        f"{wrong}-1.0, 2.0, tf.quint8, axis=3)",
        rows,
        rows.replace("axis=0", "axis=1"),
        rows.replace("SCALED", "MIN_COMBINED"),
        _back(rows, ", 'SCALED', axis=0"),
        _back(rows, ", 'MIN_COMBINED', axis=0"),
        _back(rows, ", 'MIN_FIRST', axis=0"),
        _back(rows, ", 'SCALED', axis=1"),
        _back(rows, ", 'SCALED', axis=5"),
        _back(f"{_NUMBERS}qint8)", ", 'MIN_FIRST', dtype=tf.bfloat16"),
        _back(f"{_NUMBERS}qint8)", ", dtype=tf.float64"),
        f"{_Q}.dequantize([1, 2], 0.0, 1.0)",
        f"{_Q}.dequantize({_NUMBERS}qint8)[0], -1.0, 1.0, 'SCALED', narrow_range=True)",
        *[f"{_Q}.quantized_concat({axis}, {both})" for axis in (0, 1)],
        f"{_Q}.quantized_concat(2, {both})",
        f"{_Q}.quantized_concat(0, [{one}[0]] * 2, [-1.0] * 2, [2.0] * 2)",
        f"{_Q}.quantized_concat(0, [{_NUMBERS}qint8)[0]] * 2, [-1.0] * 2, [2.0] * 2)",
        f"{_RAW}.QuantizeV2(input={_GIVEN}, min_range=-1.0, max_range=2.0, T=tf.quint8)",
        f"{_RAW}.Dequantize(input={_NUMBERS}quint8)[0], min_range=-1.0, max_range=2.0)",
        *[f"{change}({_NUMBERS}{name})[0])" for name in _TYPES for change in _CHANGES],
        *[f"{_NUMBERS}{name})[0][{key}]" for name in ("quint8", "qint8") for key in _KEYS],
        f"tf.bitcast({_NUMBERS}qint8)[0], tf.uint8)",
        "tf.bitcast(tf.constant([1, 255], tf.uint8), tf.qint8)",
        "tf.cast([1, -2], tf.qint8)",
        f"tf.cast({_NUMBERS}qint8)[0], tf.float32)",
        f"tf.concat([{_NUMBERS}qint8)[0]] * 2, 0)",
        f"gradient(lambda x: {_Q}.quantize(x, -1.0, 2.0, tf.quint8)[1], {_GIVEN})",
    ]


_KEYS = ("2", "2:9:3", "None, 4:")
_CHANGES = [
    "tf.identity", "tf.shape",
    "(lambda q: tf.reshape(q, [11, 1]))", "(lambda q: tf.stack([q, q]))",
    "(lambda q: tf.expand_dims(q, 0))", "(lambda q: tf.function(tf.identity)(q))",
]  # fmt: skip

CASES = [
    *_fake(), *_edges(), *_round_trips(), *_round_trip_edges(), *_scales(), *_scale_edges(),
]  # fmt: skip
