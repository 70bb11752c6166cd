"""What goes into a session and comes out of it: placeholders, feeds, fetches."""
