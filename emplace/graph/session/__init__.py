"""TF 1's sessions: feeds, fetches, what is kept between runs."""
