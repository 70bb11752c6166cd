"""What TensorBoard shows: summaries, and the event files that hold them."""
