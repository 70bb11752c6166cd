"""TF 1's input pipelines: queues that threads fill."""
