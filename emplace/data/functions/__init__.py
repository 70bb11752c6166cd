"""The functions of the program that elements go through."""
