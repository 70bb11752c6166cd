"""Stand-ins for the private modules of TensorFlow that Keras imports; the table in `hook.py` says
which path each serves."""
