"""`tf.queue`: emplace/ops/data_flow/queue_ops.py. Nothing here waits: one thread runs it all."""


def after(queue: str, *steps: str) -> str:
    """An expression for the last of some steps on a queue `q`."""
    return f"(lambda q: [{', '.join(steps)}][-1])(tf.queue.{queue})"


_FIFO = "FIFOQueue(9, [tf.int32], shapes=[[]])"
_PAIRS = "FIFOQueue(9, [tf.int32, tf.string])"
_PADDED = "PaddingFIFOQueue(9, [tf.int32], shapes=[[None]])"
_SORTED = "PriorityQueue(9, [tf.string], shapes=[[]])"
_SHUFFLED = "RandomShuffleQueue(9, 1, [tf.int32], shapes=[[]], seed=1)"
_FOUR = "q.enqueue_many([[4, 1, 3, 2]])"

CASES = [
    after(_FIFO, "q.enqueue(1)", "q.dequeue()"),
    after(_FIFO, _FOUR, "q.size()"),
    after(_FIFO, _FOUR, "q.dequeue_many(3)"),
    after(_FIFO, _FOUR, "q.dequeue_many(0)"),
    after(_FIFO, _FOUR, "q.dequeue_many(-1)"),
    after(_FIFO, _FOUR, "q.close()", "q.is_closed()"),
    after(_FIFO, "q.is_closed()"),
    after(_FIFO, _FOUR, "q.close()", "q.dequeue_up_to(9)"),
    after(_FIFO, _FOUR, "q.close()", "q.dequeue_many(9)"),
    after(_FIFO, "q.close()", "q.dequeue()"),
    after(_FIFO, "q.close()", "q.enqueue(1)"),
    after(_FIFO, "q.close()", "q.close()"),
    after(_FIFO, "q.enqueue([[1, 2]])"),
    after(_FIFO, "q.enqueue('a')"),
    after(_PAIRS, "q.enqueue([1, b'a'])", "q.dequeue()[1]"),
    after(_PAIRS, "q.enqueue(1)"),
    after(_PAIRS, "q.enqueue([1, b'a'])", "q.dequeue_many(1)"),
    after(_PADDED, "q.enqueue([[1, 2]])", "q.enqueue([[3]])", "q.dequeue_many(2)"),
    after(_SORTED, "q.enqueue_many([[3, 2], ['three', 'two']])", "q.dequeue()[1]"),
    after(_SHUFFLED, _FOUR, "q.close()", "tf.sort(q.dequeue_many(4))"),
]


def adding(*steps: str, attrs: str = "tf.float32, shape=[2]") -> str:
    """An expression for the last of some steps on an accumulator `q` of a function: in TensorFlow's
    eager mode they live as long as what it keeps of their ops.
    """
    made = f"tf.compat.v1.ConditionalAccumulator({attrs})"
    return f"tf.function(lambda: (lambda q: [{', '.join(steps)}][-1])({made}))()"


_TWO = "q.apply_grad([1.0, 2.0]), q.apply_grad([3.0, 4.0])"
_SUM = "tf.float32, shape=[2], reduction_type='SUM'"

CASES += [
    adding("q.num_accumulated()"),
    adding(_TWO, "q.num_accumulated()"),
    adding(_TWO, "q.take_grad(1)"),
    adding(_TWO, "q.take_grad(2)", attrs=_SUM),
    adding(_TWO, "q.take_grad(2)", "q.num_accumulated()"),
    adding(_TWO, "q.take_grad(2)", "q.apply_grad([5.0, 6.0])", "q.num_accumulated()"),
    adding("q.set_global_step(2)", _TWO, "q.num_accumulated()"),
    adding("q.set_global_step(2)", "q.apply_grad([5.0, 6.0], 2)", "q.take_grad(1)"),
    adding("q.apply_grad([5.0, 6.0], 1.5)", "q.take_grad(1)"),
    adding("q.take_grad(0)"),
    adding("q.apply_grad([1.0, 2.0, 3.0])"),
    adding("q.apply_grad(tf.constant([1, 2]))"),
    adding("q.apply_grad(2.0)", "q.take_grad(1)", attrs="tf.float16, shape=[]"),
    adding("q.apply_grad(2.0)", "q.take_grad(1)", attrs="tf.float64, shape=[]"),
]
