"""Which backend Keras runs on in this process; said before Keras is imported."""

import os
import sys

# Keras imports these where they are installed. They must not count against the peers whose
# environment happens to have them.
_OPTIONAL = ("sklearn", "pandas", "jax")


def choose(backend):
    """Makes Keras run on a backend, without what its training does not need."""
    os.environ["KERAS_BACKEND"] = backend
    sys.modules.update({name: None for name in _OPTIONAL if name != backend})
