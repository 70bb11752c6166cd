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
