"""The sizes of tensors, in numbers of four bytes by the name of a row."""

SIZES = {"4 KiB": 1 << 10, "1 MiB": 1 << 18, "8 MiB": 1 << 21}
