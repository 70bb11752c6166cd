"""Values that outlive a program: checkpoints and summaries."""
