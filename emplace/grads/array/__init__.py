"""Gradients of `ops/array/`."""
