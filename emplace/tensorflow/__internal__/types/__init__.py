"""`tf.__internal__.types`: what is late, see `emplace/names`."""
