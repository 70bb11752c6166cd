"""Variables on parameter servers, and functions that workers run without waiting for each other."""
