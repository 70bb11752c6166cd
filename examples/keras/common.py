"""What the Keras examples share: real handwritten digits, and one way to be run.

    emplace run examples/keras/mlp.py            on Emplace
    python examples/keras/mlp.py                 on TensorFlow, where that is installed

Every example starts from the same weights and takes its data in the same order, so both print the
same losses, but for float noise.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np


def digits(as_images: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """1,797 digits of 8 x 8 pixels in 0..1, as rows or as images, and what they show."""
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError as error:
        raise SystemExit(
            f"{error}: the digits come with scikit-learn. Run `pip install 'emplace[demo]'`."
        ) from None
    data = load_digits()
    x = (data.data / 16.0).astype("float32")
    return (x.reshape(-1, 8, 8, 1) if as_images else x), data.target.astype("int32")


def with_known_weights(model: Any, seed: int = 0) -> Any:
    """The model with weights that depend on the seed alone, whatever draws them."""
    random = np.random.default_rng(seed)
    model.set_weights(
        [
            random.normal(0.0, 1.0 / max(1.0, np.prod(w.shape[:-1])) ** 0.5, w.shape).astype(
                w.dtype
            )
            if len(w.shape) > 1
            else w
            for w in model.get_weights()
        ]
    )
    return model


def tell(losses: Any) -> None:
    """Prints the losses, and keeps them in the file that `LOSSES` names."""
    values = [float(loss) for loss in losses]
    print(f"{Path(sys.argv[0]).stem} on {keras.backend.backend()}: ", end="")
    print(" ".join(f"{value:.4f}" for value in values))
    if "LOSSES" in os.environ:
        Path(os.environ["LOSSES"]).write_text(json.dumps(values))
