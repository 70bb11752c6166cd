"""Layers, recurrent cells, losses and metrics."""
