"""`tf.app` and `tf.flags`: flags of the command line, by absl, as in TensorFlow."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from absl import app, flags


def _known_only(argv: list[str]) -> list[str]:
    """TF: `tf.app.run` leaves flags that it does not know to the program."""
    return flags.FLAGS(argv, known_only=True)


def run(main: Callable[..., Any] | None = None, argv: list[str] | None = None) -> NoReturn:
    """Parses the flags and calls `main(argv)` with the rest (`tf.compat.v1.app.run`).

    Args:
        main: a function of the command line; the program's own `main` if None.
        argv: the command line; `sys.argv` if None.
    """
    main = main or sys.modules["__main__"].main
    app.run(main=main, argv=argv, flags_parser=_known_only)
    raise AssertionError("absl's run leaves the process")
