"""What a graph knows of shapes before anything runs, and what it refuses because of them."""
