"""Several workers, each a process with replicas of its own, that take every step together.

What connects them is `torch.distributed`: its store for meeting, Gloo or NCCL for sums.
"""
