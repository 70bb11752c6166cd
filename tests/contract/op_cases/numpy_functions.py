"""Cases of `ops/numpy`: the functions that are loaded late, eagerly and in functions."""

from . import Case, shape_only

_NP = "tf.experimental.numpy."
_UNARY = {
    "arcsinh": "f32(3) f64(3)   f16(3) c64(2) ",
    "arccosh": "f32(3,low=1,high=3) f64(3,low=1,high=3)  c64(2)",
    "arctanh": "f32(3,low=-.9,high=.9) f64(3,low=-.9,high=.9)  c64(2)",
    "angle": "f32(3) c64(3) c128(3) ",
    "bitwise_not": "i32(3) u8(3) b(3) f32(2)",
    "cbrt": "f32(3) f64(3)  ",
    "conj": "f32(3) c64(3) i32(2) b(2)",
    "conjugate": "c128(3)",
    "deg2rad": "f32(3)  f64(2)",
    "rad2deg": "f32(3) i32(3) f64(2)",
    "exp2": "f32(3)  f64(2)",
    "fabs": "f32(3) i32(3) b(2)",
    "fix": "f32(5) f64(4)  ",
    "imag": "f32(2) c64(3) i32(2)",
    "real": "f32(2) c64(3) i32(2)",
    "iscomplex": "f32(2) c64(3) i32(2) np.array([1+0j,1j])",
    "iscomplexobj": "f32(2) c64(3)",
    "isreal": "f32(2) c64(3) i32(2) np.array([1+0j,1j])",
    "isrealobj": "f32(2) c64(3)",
    "isneginf": "",
    "isposinf": "",
    "log10": "f32(3,low=.1,high=3)  f64(2,low=.1,high=3)",
    "log2": "f32(3,low=.1,high=3) ",
    "positive": "f32(2) i32(2) b(2)",
    "reciprocal": "f32(2) f64(2) ",
    "signbit": "f32(4) i32(4) u8(2) [-0.,0.] b(2)",
    "sinc": "f32(3) [0.,1.]  f64(2)",
    "round": "",
    "around": "",
    "sort": "f32(4) i32(2,3) b(3)",
    "argsort": "f32(4) i32(2,3)",
    "ptp": "f32(4) i32(2,3) u8(3)",
    "nansum": "[1.,nan,2.] f32(2,2) ",
    "nanprod": "[1.,nan,2.] f32(2,2) ",
    "nanmean": "[1.,nan,2.] f32(2,2) i32(3) [[nan,1.],[nan,nan]]",
    "asanyarray": "f32(2) [1,2]",
    "ascontiguousarray": "f32(2,2) 3",
    "atleast_3d": "1. f32(2) f32(2,3) f32(2,1,2) f32(1,2,1,2)",
    "empty_like": "i32(2,2)",
    "diag": "f32(3) i32(2,3)",
    "diagflat": "f32(3) i32(2,2)",
    "diagonal": "f32(2,3) f32(2,3,4)",
    "flatten": "f32(2,3)",
    "fliplr": "f32(2,3) f32(2,3,2)",
    "flipud": "f32(2,3) f32(3)",
    "rot90": "f32(2,3) i32(2,3,2)",
    "trace": "f32(3,3) i32(2,3) f32(2,2,2)",
    "vander": "f32(3) i32(3)",
    "divmod": "i32(4),3 f32(4),2. i64(2),i32(2,low=1,high=4)",
    "float_power": "i32(3),2 f32(3),2. 2,-1",
    "gcd": "12,18 i32(3),i32(3) [12,-8],[18,20] u8(3),u8(3) i32(2),i64(2)",
    "lcm": "12,18 i32(3),i32(3) [12,-8],[18,20] u8(3),u8(3)",
    "heaviside": "[-1.,0.,1.],0.5 f32(4),1. ",
    "hypot": "3.,4. f32(3),f32(3)  ",
    "logaddexp": "f32(3),f32(3)  1000.,1001. -inf,-inf",
    "logaddexp2": "f32(3),f32(3)  1000.,1001.",
    "nextafter": "f32(3),f32(3) f64(2),1. 1,2",
    "append": "f32(2,2),f32(2,2) i32(2),f32(2) [1,2],3",
    "kron": "f32(2,2),f32(2,3) i32(2),i32(3) i32(2,2),f32(2) 2,f32(2)",
    "polyval": "f32(3),f32(4) [1,2,3],2 i32(3),f32(2,2)",
    "cross": "f32(3),f32(3) i32(2,3),i32(3) f32(2),f32(2) f32(2),f32(3) f32(4,2),f32(4,3) f32(2,3),"
    "f32(2,2)",
    "tensordot": "f32(2,3,4),f32(3,4,2) f32(2,3),f32(3,2),1 f32(2,3),i32(2,3),((0,1),(0,1)) f32(2),"
    "f32(3),0",
    "compress": "[True,False],f32(2,3) [1,0,1],[4,5,6] [True],f32(3)",
    "dsplit": "f32(2,2,4),2 f32(2,2,4),[1,3]",
    "hsplit": "f32(2,4),2 f32(4),2 f32(2,4),[1]",
    "vsplit": "f32(4,2),2 f32(4,2),[1,2]",
    "dstack": "[f32(2),f32(2)] (f32(2,3),i32(2,3)) [1,2]",
    "broadcast_arrays": "f32(2,1),f32(3) 1,i32(2)",
    "ix_": "[0,1],[2,3,4] [True,False,True],[1]",
    "diag_indices": "3 2,3",
    "tri": "3 2,3 3,3,1 3,4,-1 2,dtype=np.int32",
    "geomspace": "1.,1000.,4 1,8,4 -1.,-8.,4 1.,100.,3,False 1.,16.,5,dtype=np.float32",
    "logspace": "0.,2.,3 0,3,4 0.,2.,3,False 0.,2.,3,base=2.",
}  # fmt: skip


def _calls(name: str, texts: str) -> list[str]:
    made: list[str] = []
    for part in texts.split():
        if made and made[-1].endswith(","):
            made[-1] += part
        else:
            made.append(part)
    return [f"{_NP}{name}({each})" for each in made]


CASES: list[str | Case] = [
    *[call for name, texts in _UNARY.items() for call in _calls(name, texts)],
    *[
        f"{_NP}{call}"
        for call in r"""
angle(1j, deg=True)
angle(c64(2), True)
angle(f16(4), True)
append(f32(2,2), f32(1,2), axis=0)
append(f32(2,2), f32(2,1), axis=-1)
argsort(f32(2,3), axis=0)
argsort(f32(2,3), axis=None)
argsort(f32(3), kind='stable')
argsort(f32(3), kind='nonsense')
sort(f32(2,3), axis=0)
sort(f32(2,3), axis=None)
sort(f32(3), kind='nonsense')
sort(f32(3), order='x')
asanyarray([1,2], dtype=np.float32)
ascontiguousarray(1, dtype=np.float32)
broadcast_arrays(1, [1,2], subok=True)
compress([True,False], f32(2,3), axis=1)
compress([0,1,1], f32(2,3), axis=1)
compress([True,False], f32(2,3), axis=0)
cross(f32(3,2), f32(3,2), axis=0)
cross(f32(3,2), f32(2,3), axisa=0)
cross(f32(3,2), f32(3,2), axisa=0, axisb=0, axisc=0)
diag(f32(3), k=1)
diag(f32(3,3), k=-1)
diag(f32(2,3), k=5)
diag(f32(2,2,2))
diagflat(i32(2), 1)
diagflat(3)
diagonal(f32(3,3), 1)
diagonal(f32(3,3), -1)
diagonal(f32(2,3,4), 0, 1, 2)
diagonal(f32(2,3,4), 1, -1, 0)
trace(f32(3,3), 1)
trace(i32(3,3), dtype=np.float64)
trace(f32(2,3,4), 0, 1, 2)
trace(b(2,2))
einsum('ij,jk->ik', f32(2,3), i32(3,2))
einsum('ij->j', f32(2,3))
einsum('ij,ij', i32(2,2), i32(2,2))
einsum('...i,...i->...', f32(2,3), f32(2,3))
einsum('ij,j->i', f32(2,3), f64(3), casting='safe')
empty_like(f32(2), dtype=np.int32)
flatten(f32(2,3), order='F')
flatten(f32(2,3), order='X')
geomspace(1., [8., 27.], 3)
ix_()
ix_([[1]])
kron(f32(2), f32(2,2))
kron(b(2), b(2))
nanmean(np.array([1., nan], np.float32))
nanmean(f32(2,3), axis=1, keepdims=True)
nansum([[1., nan], [nan, 4.]], axis=0)
nansum([[1., nan], [nan, 4.]], 1, keepdims=True)
nansum([1., nan], dtype=np.float32)
nanprod([[1., nan], [nan, 4.]], axis=1)
pad(f32(2,2), 1, 'constant')
pad([1,2], (1,2), 'constant', constant_values=9)
pad(f32(2,2), ((1,0),(0,1)), 'constant')
pad(f32(3), ((1,2),), 'reflect')
pad(i32(3), ((1,2),), 'symmetric')
pad(f32(2,2), ((1,1),(2,2)), 'constant', constant_values=3)
pad(f32(2), ((1,1),), 'edge')
ptp(f32(2,3), axis=0)
ptp(f32(2,3), axis=1, keepdims=True)
rot90(f32(2,3), 2)
rot90(f32(2,3), -1)
rot90(f32(2,3,4), 1, (1,2))
rot90(f32(2,3), 4)
rot90(f32(2,3), 3, (1,0))
tri(2, k=1)
tri(3, dtype=bool)
vander(f32(3), 2)
vander(i32(3), 4, True)
vander(f32(3), increasing=True)
vander(f32(2,2))
vander(f32(3), 0)
diag_indices(2, ndim=1)
linspace(tf.constant(1.), 2., 3)
linspace(1., tf.constant(3.), 3, endpoint=False)
linspace(0, 1, 1)
linspace(0, 1, 0)
linspace(0, 3, 4, retstep=True)
linspace(0, 1, 3, endpoint=False, retstep=True)
linspace(0, 1, 1, retstep=True)
linspace(0, 1, 0, endpoint=False, retstep=True)
linspace(np.float32(0), np.float32(5), 3, endpoint=False)
linspace(np.zeros((2,3)), np.ones(3), 0, axis=1)
linspace(np.zeros((2,3)), np.ones(3), 2, axis=-2, endpoint=False)
linspace(np.zeros((2,3)), np.ones(3), 1, axis=-2)
linspace(np.array([1., np.nan, np.inf]), np.array([np.nan, 1., 2.]), 3)
linspace(0, 5, -1)
geomspace(1, 1000, 0)
geomspace(1, 1000, 1)
geomspace(1, 1000, 20)
geomspace(-1, 1000, 4)
geomspace(1, -8, 4)
geomspace(np.array([1., -1.]), np.array([[-8., -8.], [8., 8.]]), 3)
geomspace(np.array([[1., 2.], [3., 4.]]), 10., 20)
geomspace(np.array([[1., 2.], [3., 4.]]), 10., 3, axis=-1)
geomspace(np.array([[1., 2.], [3., 4.]]), 10., 3, endpoint=False, axis=1)
geomspace(np.array([1., -2.]), np.array([10., -20.]), 0, axis=-1)
geomspace(np.float32(1), np.float32(8), 3)
geomspace(1, 50, 3, dtype=np.int32)
geomspace(1, 50, 3, dtype=np.float32)
geomspace(1, 50, 3, False, dtype=np.float16)
geomspace(1., 8., -1)
average(f32(2,3), axis=0, returned=True)
average(f32(2,3), axis=1, returned=True)
sum([1., 0.], dtype=bool)
sum(np.zeros((0,4)), axis=-2, dtype=bool, keepdims=True)
prod([1., 0.], dtype=bool)
prod(i32(3,1), axis=1, dtype=bool)
sum(f32(2,3), axis=[])
sum(f32(2,3), axis=())
amax(f32(2,3), axis=())
var(f32(2,3), axis=())
mean(f32(2,3), axis=[])
nansum([nan, 1.], dtype=np.int32)
nansum(np.array([[nan, 2.7], [1, 1.9]]), axis=0, dtype=np.int64, keepdims=True)
nanprod([nan, 2.5], dtype=np.int32)
nanprod([nan, 2.5], dtype=bool)
cumsum(f32(2,3), axis=-2)
cumsum(f32(2,3), axis=3)
cumprod(f32(2,3), axis=2)
cumsum(3., axis=0)
diag(np.zeros((0,3)), k=-2)
diag(np.zeros((0,3)))
diag(np.zeros((3,0)), k=1)
diag(np.zeros((0,)), k=-2)
diagonal(np.zeros((0,3)), 3)
trace(np.zeros((3,0)), -1)
moveaxis(f32(2,3), 5, 0)
diff(f32(2,3), axis=5)
diff(f32(2,3), -1)
diagonal(f32(2,3), 0, 0, 5)
rot90(f32(2,3), 1, (0,5))
stack(tf.constant([[1,2,3],[4,5,6]]))
stack(tf.constant([[1,2,3],[4,5,6]]), 1)
stack(f32(2,3,4), -1)
stack(tf.constant(f32(2,3,4)), -1)
full_like(f32(2,3), [1,2,3])
full_like(f32(2,3), 3, dtype=np.int32)
add([1.,2.], tf.constant(1.))
add([[1,2]], np.int8(1))
add((1., tf.constant(1)), tf.constant(1.))
array([np.float32(1), 2.])
array([tf.constant(1.), 2.])
float_
complex_
string_
unicode_
random.poisson(2., (2,)).dtype
random.rand(2,3).dtype
random.rand(2,3).shape
random.randn(2).dtype
random.randn().shape
random.randint(3, size=4).dtype
random.randint(0, 3, (2,2), np.int32).shape
random.randint(0, 3, (2,2), np.int32).dtype
random.randint(0, 3, 2, np.float32)
random.random((2,)).dtype
random.random().shape
random.standard_normal(3).shape
random.standard_normal((2,3)).dtype
random.uniform().dtype
random.uniform(0., [1., 2.]).shape
random.uniform(0, 1, (2,)).dtype
random.seed('a')
random.seed([1])
random.seed(2)
""".strip().splitlines()
    ],
    *[
        f"tf.function(lambda x: {_NP}{call})(tf.constant({value}))"
        for call, value in (
            ("append(x, x)", "[[1., 2.]]"), ("compress([True, False], x)", "[1, 2]"),
            ("take(x, [0, 5])", "[1, 2]"), ("take([4, 5], x)", "[1, 0]"),
            ("take([4, 5], x, mode='wrap')", "[3, 2]"),
            ("take_along_axis(x, [[1], [0]], 1)", "[[1, 2], [3, 4]]"),
            ("take_along_axis([[1, 2], [3, 4]], x, 1)", "[[1], [-1]]"),
            ("linspace(x, 2., 3)", "1."), 
            ("logspace(x, 2., 3)", "1."), ("geomspace(x, 8., 3)", "2."),
              
            ("diag(x)", "[1., 2.]"), ("diag_indices(3)", "1"), ("gcd(x, 6)", "[4, 9]"),
            ("ix_(x, [1])", "[1, 2]"), ("vander(x, 3)", "[1, 2]"),
            ("polyval([1, 2], x)", "[1., 2.]"),
            ("sort(x)", "[3, 1]"), ("cross(x, [1., 0, 0])", "[1., 2., 3.]"),
            ("trace(x)", "[[1, 2], [3, 4]]"), ("nanmean(x)", "[1., nan]"), ("kron(x, x)", "[1, 2]"),
            ("rot90(x)", "[[1, 2]]"), ("flatten(x)", "[[1, 2]]"),
            ("stack(x)", "[[1, 2, 3]]"), ("stack(x, 1)", "[[1, 2, 3]]"),
            ("concatenate(x)", "[[1, 2, 3]]"),
            ("tile(x, 2)", "[1, 2]"), ("split(x, 2)", "[1, 2]"), 
        )
    ],
    *[
        f"gradient(lambda x: {_NP}{call}, {value})"
        for call, value in (
            ("sinc(x)", "[0.5, 1.5]"), ("cbrt(x)", "[0.5, -1.5]"), 
            ("logaddexp(x, 1.)", "[0.5, 1.5]"), ("kron(x, x)", "[1., 2.]"), ("sort(x)", "[3., 1.]"),
            ("cross(x, [1., 0, 0])", "[1., 2., 3.]"), ("nanmean(x)", "[1., nan, 3.]"),
            ("tensordot(x, x, 1)", "[1., 2.]"), ("polyval(x, 2.)", "[1., 2.]"),
            ("diag(x)", "[1., 2.]"),
            ("rot90(x)", "[[1., 2.]]"), ("vander(x)", "[1., 2.]"), ("logspace(0., x, 3)", "2."),
            ("linspace(0., x, 3)", "2."), ("take(x, [0, 0])", "[1., 2.]"),
            ("take_along_axis(x, [1, 1], 0)", "[1., 2.]"),
        )
    ],
    shape_only(f"{_NP}random.rand(2, 3)"),
    shape_only(f"{_NP}random.randint(5, size=(2,))"),
    shape_only(f"{_NP}random.poisson(3.)"),
]  # fmt: skip
# The types of what is made of small integers and of bools.
CASES += [
    f"{_NP}{call.format(f'np.array([[0, 1, 3], [2, 1, 7]], np.{kind})')}"
    for kind in (
        "bool_", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    )
    for call in (
        "true_divide({0}, np.int8(2))", "divide(2, {0})", "true_divide({0}, {0})", "cumsum({0})",
        "cumprod({0}, 1)", "amax({0}, 0)", "amin({0})", "max({0})", "min({0}, 1)",
    )
    if not (kind == "bool_" and call.startswith("cum"))
]  # fmt: skip
