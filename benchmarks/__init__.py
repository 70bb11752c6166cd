"""Emplace beside TensorFlow, torch and JAX, interleaved in one run. See README.md here."""
