"""Do it later: graphs, and plans that run them."""
