"""Gradients of `ops/nn/`."""
