"""An LSTM that learns to continue a text, character by character: Emplace's own licence."""

from pathlib import Path

import keras
import numpy as np
from common import tell, with_known_weights
from keras import layers

text = (Path(__file__).resolve().parents[2] / "LICENSE").read_text()[:6000]
letters = sorted(set(text))
numbers = np.array([letters.index(letter) for letter in text])
LENGTH = 24
starts = np.arange(0, len(numbers) - LENGTH - 1, 3)
x = np.stack([numbers[i : i + LENGTH] for i in starts])
y = numbers[starts + LENGTH]

model = with_known_weights(
    keras.Sequential(
        [
            keras.Input((LENGTH,)),
            layers.Embedding(len(letters), 16),
            layers.LSTM(32),
            layers.Dense(len(letters)),
        ]
    )
)
model.compile(
    optimizer=keras.optimizers.Adam(5e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
history = model.fit(x, y, batch_size=32, epochs=3, shuffle=False, verbose=0)
tell(history.history["loss"])
