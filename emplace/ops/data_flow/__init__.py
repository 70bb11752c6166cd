"""Queues, and readers of files: what threads of a program hand to each other."""
