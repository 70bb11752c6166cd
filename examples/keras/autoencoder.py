"""An autoencoder with a training step of its own."""

import keras
import tensorflow as tf
from common import digits, tell, with_known_weights
from keras import layers


class Autoencoder(keras.Model):
    """Squeezes a digit into a few numbers and draws it again."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.encoder = keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(size)])
        self.decoder = keras.Sequential(
            [layers.Dense(32, activation="relu"), layers.Dense(64, activation="sigmoid")]
        )
        self.error = keras.metrics.Mean(name="error")

    def call(self, x):
        return self.decoder(self.encoder(x))

    @property
    def metrics(self):
        return [self.error]

    def train_step(self, x):
        with tf.GradientTape() as tape:
            drawn = self(x, training=True)
            loss = tf.reduce_mean(tf.square(drawn - x)) + 1e-4 * tf.reduce_mean(
                tf.abs(self.encoder(x))
            )
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.error.update_state(loss)
        return {"error": self.error.result()}


x, _ = digits()
model = Autoencoder(8)
model(x[:1])
with_known_weights(model)
model.compile(optimizer=keras.optimizers.Adam(3e-3))
history = model.fit(x, batch_size=32, epochs=4, shuffle=False, verbose=0)
tell(history.history["error"])
