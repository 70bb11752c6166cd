"""Gradients of `ops/math/`."""
