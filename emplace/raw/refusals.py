"""What to use instead of raw ops that refuse: a sentence for names that match."""

from __future__ import annotations

import re

_HINTS: tuple[tuple[str, str], ...] = (
    (r"TPU|Infeed|Outfeed|Prelinearize|CrossReplicaSum|WorkerHeartbeat|AllToAll$",
     "It is for TPUs, which Emplace does not drive."),
    (r"^Xla|SparseCore|Minibatch|ConvertToCoo|GlobalIterId", "It is for XLA on TPUs."),
    (r"^BoostedTrees|^IsBoostedTrees|^Sdca",
     "TensorFlow's boosted trees and SDCA are gone from its public API as well."),
    (r"^Collective|^Nccl", "Use tf.distribute.MirroredStrategy and its ReplicaContext.all_reduce."),
    (r"Dataset|^DataService|^WindowOp", "Use tf.data.Dataset."),
    (r"Iterator|^Optional", "Use iter() of a tf.data.Dataset, or tf.data.Optional."),
    (r"^(Assign|AssignAdd|AssignSub|Variable|VariableV2|TemporaryVariable|DestroyTemporaryVariable"
     r"|CountUpTo|IsVariableInitialized|StridedSliceAssign|Apply.*|SparseApply.*|Scatter.*|Ref.*)$",
     "Its variable is a reference, which TensorFlow has in graphs of TF 1 alone: use tf.Variable "
     "and the op whose name begins with Resource."),
    (r"^(Enter|Exit|Merge|Switch|NextIteration|LoopCond|ControlTrigger)$",
     "Use tf.cond and tf.while_loop."),
    (r"^(If|While|For|Case|StatelessIf|StatelessWhile|StatelessCase|MapDefun)$",
     "Use tf.cond, tf.while_loop, tf.switch_case and tf.map_fn."),
    (r"PartitionedCall|RemoteCall|SymbolicGradient|BatchFunction", "Call the tf.function itself."),
    (r"PyFunc", "Use tf.py_function or tf.numpy_function."),
    (r"^TensorArray", "Use tf.TensorArray."),
    (r"^TensorList|^EmptyTensorList|^TensorMap|^EmptyTensorMap", "Use tf.TensorArray."),
    (r"Queue", "Use tf.queue."),
    (r"^Reader|Reader$|ReaderV2$", "Use tf.data.Dataset, or the readers of tf.compat.v1."),
    (r"Table", "Use tf.lookup."),
    (r"^Cudnn", "Use tf.keras.layers.LSTM or GRU, or tf.raw_ops.CudnnRNNV3."),
    (r"^Quantized|^Requantiz|^Uniform(Q|D|R)|^QuantizeDown",
     "Emplace calculates with floats: tf.dequantize its inputs, and tf.quantize the result."),
    (r"Accumulator", "Add gradients up in tf.Variables."),
    (r"^(Debug|Copy)", "It is put into graphs by TensorFlow's debugger: use tf.debugging."),
    (r"Summary|^ImportEvent|^Stats", "Use tf.summary."),
    (r"^SparseMatrix|CSRSparseMatrix", "Use tf.sparse.sparse_dense_matmul and tf.sparse."),
    (r"^(Save|Restore|MergeV2|LoadAndRemap|Sharded)", "Use tf.train.Checkpoint."),
    (r"^(Barrier|Stage|Unstage|Map|OrderedMap|RecordInput)", "Use tf.queue or tf.data.Dataset."),
    (r"^(Parse|DecodeProto|EncodeProto|DecodeJSON)", "Use the functions of tf.io."),
    (r"^Ragged", "Use tf.RaggedTensor and the functions of tf.ragged."),
    (r"^Placeholder|^FakeParam", "Use tf.compat.v1.placeholder."),
    (r"SessionTensor|SessionHandle", "Keep the value that Session.run returns."),
    (r"Mutex|^Send$|^Recv$|^SyncDevice|^Batch$|^Unbatch|^Abort",
     "Nothing of Emplace's public API needs it."),
)  # fmt: skip

_OTHERWISE = "dir(tf.raw_ops) lists names; emplace.kernels() lists the ops there are."


def hint_for(name: str) -> str:
    """A sentence on what to use instead of a raw op."""
    return next((text for pattern, text in _HINTS if re.search(pattern, name)), _OTHERWISE)
