"""Cases of `ops/numpy_*.py`, which serve `tf.experimental.numpy`."""

_RAW = r"""
tf.experimental.numpy.array([1,2])
tf.experimental.numpy.array([1.5,2])
tf.experimental.numpy.array(1)
tf.experimental.numpy.array([1,2],dtype=np.float32)
tf.experimental.numpy.array([1,2],ndmin=3)
tf.experimental.numpy.asarray(tf.constant([1.]))
tf.experimental.numpy.arange(3)
tf.experimental.numpy.arange(3.)
tf.experimental.numpy.arange(1,5,2)
tf.experimental.numpy.arange(3,dtype=np.int32)
tf.experimental.numpy.zeros(2)
tf.experimental.numpy.zeros((2,3),dtype=tf.int32)
tf.experimental.numpy.ones([2])
tf.experimental.numpy.full((2,),7)
tf.experimental.numpy.full((2,),7.5)
tf.experimental.numpy.full((2,),[1,2])
tf.experimental.numpy.eye(2)
tf.experimental.numpy.eye(2,3,1)
tf.experimental.numpy.identity(2)
tf.experimental.numpy.empty((2,))
tf.experimental.numpy.add(1,2)
tf.experimental.numpy.add([1],[2.0])
tf.experimental.numpy.add(tf.constant([1]),tf.constant([2.0]))
tf.experimental.numpy.add(tf.constant([1],tf.int8),tf.constant([2],tf.uint8))
tf.experimental.numpy.add(np.int32(1),np.float32(2))
tf.experimental.numpy.add(tf.constant(1,tf.int64),tf.constant(2.,tf.float32))
tf.experimental.numpy.add(True,True)
tf.experimental.numpy.add(tf.constant(1.),2.5)
tf.experimental.numpy.add(tf.constant(1),2.5)
tf.experimental.numpy.divide(1,2)
tf.experimental.numpy.divide(tf.constant([1]),tf.constant([2]))
tf.experimental.numpy.true_divide(7,2)
tf.experimental.numpy.floor_divide(7,2)
tf.experimental.numpy.mod(-7,3)
tf.experimental.numpy.power(2,3)
tf.experimental.numpy.power(2.,3)
tf.experimental.numpy.exp(tf.constant(1.))
tf.experimental.numpy.sum([1,2])
tf.experimental.numpy.sum(tf.constant([1,2],tf.int32))
tf.experimental.numpy.sum(tf.constant([True,True]))
tf.experimental.numpy.sum([[1,2],[3,4]],axis=0,keepdims=True)
tf.experimental.numpy.sum([1.5],dtype=np.float32)
tf.experimental.numpy.mean([1,2])
tf.experimental.numpy.mean(tf.constant([1,2],tf.int32))
tf.experimental.numpy.mean(tf.constant([1.,2]))
tf.experimental.numpy.std([1.,2])
tf.experimental.numpy.std([1,2])
tf.experimental.numpy.max([1,2])
tf.experimental.numpy.amax([[1,2]],axis=1)
tf.experimental.numpy.any([0,1])
tf.experimental.numpy.all([0,1])
tf.experimental.numpy.prod([1,2,3])
tf.experimental.numpy.reshape([1,2,3,4],(2,-1))
tf.experimental.numpy.reshape([1,2,3,4],(2,-1),order='F')
tf.experimental.numpy.transpose([[1,2]])
tf.experimental.numpy.transpose(np.zeros((1,2,3)),(2,0,1))
tf.experimental.numpy.concatenate([[1,2],[3.]])
tf.experimental.numpy.stack([[1],[2.5]])
tf.experimental.numpy.where([True,False],1,2.5)
tf.experimental.numpy.where([True,False])
tf.experimental.numpy.select([[True,False],[True,True]],[[1,2],[3,4]],9)
tf.experimental.numpy.select([[True,False]],[[1,2]])
tf.experimental.numpy.select([],[])
tf.experimental.numpy.matmul([[1,2]],[[3],[4.]])
tf.experimental.numpy.matmul([1,2],[3,4])
tf.experimental.numpy.dot([1,2],[3,4])
tf.experimental.numpy.dot(2,[3,4])
tf.experimental.numpy.dot([[1,2],[3,4]],[[1,0],[0,1]])
tf.experimental.numpy.take([1,2,3],[0,2])
tf.experimental.numpy.take([[1,2],[3,4]],[1],axis=1)
tf.experimental.numpy.take([1,2,3],[5])
tf.experimental.numpy.take([1,2,3],[4,-1],mode='wrap')
tf.experimental.numpy.take_along_axis(np.array([[3,1,2]]),np.array([[1,2,0]]),1)
tf.experimental.numpy.argmax([1,3,2])
tf.experimental.numpy.clip([1,5,9],2,6)
tf.experimental.numpy.clip([1,5,9],2.5,6)
tf.experimental.numpy.clip([1,5],None,2)
tf.experimental.numpy.linspace(0,1,5)
tf.experimental.numpy.linspace(0,1,5,endpoint=False)
tf.experimental.numpy.linspace(0,1,3,retstep=True)
tf.experimental.numpy.meshgrid([1,2],[3,4,5])
tf.experimental.numpy.meshgrid([1,2],[3,4,5],indexing='ij')
tf.experimental.numpy.isclose([1.,2],[1.,2.1])
tf.experimental.numpy.allclose([1.],[1.])
tf.experimental.numpy.result_type(np.int32,np.float32)
tf.experimental.numpy.result_type(tf.constant(1),2.0)
tf.experimental.numpy.result_type(1,2)
tf.experimental.numpy.result_type([1.],tf.bfloat16)
tf.experimental.numpy.finfo(np.float16).max
tf.experimental.numpy.ndim([[1]])
tf.experimental.numpy.size([[1,2]])
tf.experimental.numpy.expand_dims([1],0)
tf.experimental.numpy.squeeze([[1]])
tf.experimental.numpy.ravel([[1,2]])
tf.experimental.numpy.ones_like([1,2])
tf.experimental.numpy.zeros_like([1.5])
tf.experimental.numpy.full_like([1,2],3)
tf.experimental.numpy.maximum(1,2.5)
tf.experimental.numpy.minimum([1],[2])
tf.experimental.numpy.abs(-1)
tf.experimental.numpy.sign(-2.)
tf.experimental.numpy.square(3)
tf.experimental.numpy.logical_and([1,0],[1,1])
tf.experimental.numpy.logical_not([1,0])
tf.experimental.numpy.equal([1],[1.0])
tf.experimental.numpy.less(1,2)
tf.experimental.numpy.tile([1,2],2)
tf.experimental.numpy.repeat([1,2],2)
tf.experimental.numpy.repeat([[1,2]],2,axis=1)
tf.experimental.numpy.split(np.arange(4),2)
tf.experimental.numpy.vstack([[1],[2]])
tf.experimental.numpy.hstack([[1],[2]])
tf.experimental.numpy.moveaxis(np.zeros((1,2,3)),0,-1)
tf.experimental.numpy.swapaxes(np.zeros((1,2,3)),0,2)
tf.experimental.numpy.flip([1,2])
tf.experimental.numpy.roll([1,2,3],1)
tf.experimental.numpy.diff([1,3,6])
tf.experimental.numpy.outer([1,2],[3,4])
tf.experimental.numpy.tril([[1,2],[3,4]])
tf.experimental.numpy.triu([[1,2],[3,4]])
tf.experimental.numpy.nonzero([0,1])
tf.experimental.numpy.count_nonzero([0,1])
tf.experimental.numpy.average([1,2],weights=[1,3])
tf.experimental.numpy.array_equal([1],[1])
tf.experimental.numpy.isscalar(1)
tf.experimental.numpy.broadcast_to([1],(2,))
tf.experimental.numpy.vdot([1,2],[3,4])
tf.experimental.numpy.inner([1,2],[3,4])
tf.experimental.numpy.copy([1])
tf.experimental.numpy.atleast_2d(1)
""".strip().splitlines()

_TYPES = ("b", "i8", "u8", "i16", "i32", "i64", "bf16", "f16", "f32", "f64", "c64")
_NO_TYPE = {("bf16", x) for x in ("i16", "i32", "i64", "f16")}

CASES = [
    *_RAW,
    *[
        f"tf.experimental.numpy.{do}({a}(2, 3), {b}(3))"
        for do in ("add", "multiply", "equal")
        for a in _TYPES
        for b in _TYPES
        if (a, b) not in _NO_TYPE and (b, a) not in _NO_TYPE
    ],
    *[
        f"tf.experimental.numpy.{do}(tf.constant({a}(2)), {number})"
        for do in ("add", "subtract", "maximum", "less")
        for a in ("i32", "i64", "f32", "f64", "bf16")
        for number in ("2", "2.5")
        if not (a == "bf16" and number == "2.5")
    ],
    *[
        f"tf.experimental.numpy.{do}({a}(2, 3), axis={axis})"
        for do in ("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin")
        for a in ("i32", "f32", "u8")
        for axis in (None, 0, -1)
    ],
    *[
        f"tf.experimental.numpy.{do}({a}(2, 3), axis={axis}, keepdims=True)"
        for do in ("sum", "mean", "std")
        for a in ("i32", "f64")
        for axis in (None, 1, (0, 1))
    ],
    *[
        f"tf.experimental.numpy.{do}(f64({left}), f64({right}))"
        for do in ("matmul", "dot")
        for left, right in (("3", "3"), ("2, 3", "3"), ("3", "3, 2"), ("2, 3", "3, 4"))
    ],
    "tf.experimental.numpy.matmul(f32(2, 2, 3), f64(3, 4))",
    "tf.experimental.numpy.dot(f64(2, 3), f64(2, 3, 4))",
    "tf.experimental.numpy.result_type(np.int8, np.uint8)",
    "tf.experimental.numpy.result_type(tf.float32, 1.0)",
    "tf.experimental.numpy.result_type(tf.constant(1.0), tf.constant(1))",
    "tf.experimental.numpy.zeros(2, dtype=int)",
    "tf.experimental.numpy.ones((1, 2), dtype=bool)",
]
