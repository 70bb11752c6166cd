"""A `.keras` file goes from one runtime to the other: write it here, go on with it there.

    emplace run examples/keras/transfer.py digits.keras      trains, and writes the file
    python examples/keras/transfer.py digits.keras           finds the file, and trains on

It works in both directions; the optimizer's state is in the file too.
"""

import sys
from pathlib import Path

import keras
from common import digits, tell, with_known_weights
from keras import layers

path = Path(sys.argv[1] if len(sys.argv) > 1 else "digits.keras")
x, y = digits()
if path.exists():
    model = keras.models.load_model(path)
else:
    model = with_known_weights(
        keras.Sequential(
            [keras.Input((64,)), layers.Dense(32, activation="tanh"), layers.Dense(10)]
        )
    )
    model.compile(
        optimizer=keras.optimizers.Adam(3e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
before = model.evaluate(x, y, verbose=0)
history = model.fit(x, y, batch_size=32, epochs=2, shuffle=False, verbose=0)
model.save(path)
tell([before, *history.history["loss"]])
