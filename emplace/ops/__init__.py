"""What can be computed: op records, how arguments become tensors, and one file per family."""
