"""Machine code for the host: loops of small operations that run without Python between them."""
