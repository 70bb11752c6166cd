"""A convolutional network on handwritten digits, with a validation split and early stopping."""

import keras
from common import digits, tell, with_known_weights
from keras import layers

x, y = digits(as_images=True)
model = with_known_weights(
    keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(16, 3, activation="relu", padding="same"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, activation="relu", padding="same"),
            layers.BatchNormalization(),
            layers.GlobalAveragePooling2D(),
            layers.Dense(10),
        ]
    )
)
model.compile(
    optimizer=keras.optimizers.SGD(0.02, momentum=0.9),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
stop = keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)
history = model.fit(
    x, y, batch_size=64, epochs=4, shuffle=False, verbose=0, validation_split=0.2, callbacks=[stop]
)
tell(history.history["loss"] + history.history["val_loss"])
