"""The command: python -m tacet is tacet."""

from __future__ import annotations

import os
import sys

from ._run import program


def main() -> None:
    """Becomes the program of the wheel."""
    os.execv(program(), ["tacet", *sys.argv[1:]])


if __name__ == "__main__":
    main()
