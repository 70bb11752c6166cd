"""What can be computed: op records, how arguments become tensors, and a package per subject."""
