"""TF 1's training: optimizers, schedules, averages, checkpoints."""
