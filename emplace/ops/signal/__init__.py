"""Spectra, windows and frames: `tf.signal`."""
